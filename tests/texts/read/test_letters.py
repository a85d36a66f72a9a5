"""Letters in other languages than English: invented ones, with the kind of every line before it."""

import pytest

import maxcover as mc
from maxcover.texts import find_blocks, prepare
from maxcover.texts.judge.candidates import SENTENCE

LETTERS = {
    "german": """
        header|Von: Jens Brandt <brandt@hafen.example>
        header|Gesendet: Montag, 10. März 2025 09:12
        title|Betreff: Wiederaufbau Nordkai
        greeting|Guten Tag Frau Lang,
        paragraph|die Arbeiten am Nordkai beginnen am 1. April und dauern acht Wochen.
        signature|Herzliche Grüße
        signature|Jens Brandt
        header|Am 10.03.2025 um 11:40 schrieb Petra Lang <lang@hafen.example>:
        paragraph|Die Fischer brauchen im April sechs Liegeplätze am Südkai.
        signature|Beste Grüße, Petra""",
    "spanish": """
        header|De: Jaime Brando <brando@puerto.example>
        header|Enviado: lunes, 10 de marzo de 2025 9:12
        header|Para: Petra Luna; Hugo Salas
        title|Asunto: Obras del muelle norte
        greeting|Buenos días, Petra:
        paragraph|Las obras del muelle norte empiezan el 1 de abril y durarán ocho semanas.
        signature|Un cordial saludo,
        signature|Jaime Brando
        header|El lun, 10 mar 2025 a las 11:40, Petra Luna (<luna@puerto.example>) escribió:
        paragraph|Los pescadores necesitan en abril seis amarres en el muelle sur.""",
    "french": """
        greeting|Chers collègues,
        paragraph|Les travaux du quai nord commencent le 1er avril et dureront huit semaines.
        signature|Bien cordialement,
        signature|Jacques Brand
        signature|Envoyé de mon iPhone
        header|Le 10 mars 2025 à 11:40, Petra Lune <lune@port.example> a écrit :
        paragraph|La coopérative a besoin de six postes au quai sud en avril.""",
    "italian": """
        header|Da: Giacomo Brandi <brandi@porto.example>
        header|Inviato: lunedì 10 marzo 2025 09:12
        header|A: Petra Luna; Ugo Sala
        title|Oggetto: Lavori al molo nord
        greeting|Cari colleghi,
        paragraph|i lavori al molo nord cominciano il 1° aprile e durano otto settimane.
        signature|Distinti saluti
        signature|Giacomo Brandi""",
    "portuguese": """
        greeting|Caros colegas,
        paragraph|As obras no cais norte começam a 1 de abril e duram oito semanas.
        signature|Um forte abraço,
        signature|Jaime
        header|Em seg., 10 de mar. de 2025 às 11:40, Petra Lua <lua@porto.example> escreveu:
        paragraph|Os pescadores precisam de seis lugares no cais sul em abril.""",
    "polish": """
        header|Od: Jan Brandt <brandt@port.example>
        header|Do: Petra Lang <lang@port.example>
        title|Temat: Prace na nabrzeżu
        greeting|Szanowni Państwo,
        paragraph|prace na nabrzeżu północnym zaczynają się 1 kwietnia i potrwają osiem tygodni.
        signature|Z poważaniem
        signature|Jan Brandt
        header|W dniu 10.03.2025 o 11:40 Petra Lang napisała:
        paragraph|Rybacy potrzebują w kwietniu sześciu miejsc przy nabrzeżu południowym.""",
    "dutch": """
        greeting|Beste collega's,
        paragraph|Het werk aan de noordkade begint op 1 april en duurt acht weken.
        signature|Met vriendelijke groet,
        signature|Jan Brand
        header|Op ma 10 mrt 2025 om 11:40 schreef Petra Lang <lang@haven.example>:
        paragraph|De vissers hebben in april zes ligplaatsen aan de zuidkade nodig.""",
    "korean": """
        header|보낸 사람: 반동인 <ban@port.example>
        header|받는 사람: 고영희
        title|제목: 북부두 공사
        greeting|고영희 님,
        paragraph|북부두 공사는 4월 1일에 시작되며 8주가 걸릴 예정입니다.
        signature|감사합니다.
        signature|반동인 드림""",
    "russian": """
        header|От: Иван Брант <brant@port.example>
        header|Кому: Пётр Ланг; Олег Шульц
        title|Тема: Восстановление причала
        greeting|Уважаемые коллеги!
        paragraph|Работы на северном причале начинаются 1 апреля и продлятся восемь недель.
        signature|С уважением,
        signature|Иван Брант
        header|пн, 10 мар. 2025 г. в 11:40, Пётр Ланг <lang@port.example>:
        paragraph|Рыбакам в апреле нужны не менее шести мест у южного причала.""",
    "japanese": """
        header|差出人: 坂東仁 <bando@port.example>
        header|宛先: 長谷川恵; 佐藤修
        title|件名: 北埠頭の復旧工事
        greeting|長谷川様
        paragraph|北埠頭の工事は四月一日に始まり、八週間かかる見込みです。
        signature|よろしくお願いいたします。
        signature|坂東仁
        header|2025年3月10日(月) 11:40 長谷川恵 <hasegawa@port.example>:
        paragraph|漁業組合は南埠頭の係留場所を六か所必要としています。
        header|佐藤修さんは書きました:
        paragraph|クレーンは45トンまで持ち上げられ、2021年に整備されています。""",
    "chinese": """
        header|发件人：班东仁 <bando@port.example>
        header|收件人：梁佩华
        title|主题：北码头重建工程
        greeting|各位同事：
        paragraph|北码头的工程4月1日开始，预计需要八个星期。
        signature|此致
        signature|敬礼
        signature|班东仁
        header|在 2025年3月10日，11:40，梁佩华 <liang@port.example> 写道：
        paragraph|渔业合作社四月份至少需要南码头的六个泊位。
        signature|祝好
        signature|发自我的iPhone""",
}


def lines_of(name):
    return [line.strip().split("|") for line in LETTERS[name].strip().splitlines()]


@pytest.mark.parametrize("name", sorted(LETTERS))
def test_frames_of_letters(name):
    expected = [kind for kind, _ in lines_of(name)]
    text = "\n\n".join(line for _, line in lines_of(name))
    assert [block.kind for block in find_blocks(text)] == expected


def test_a_letter_goes_on_behind_its_greeting():
    text = "\n\n".join(line for _, line in lines_of("german"))
    corpus = prepare([text])
    place = next(k for k, kind in enumerate(corpus.kinds) if kind == "paragraph")
    assert corpus.texts[place].startswith("Die Arbeiten am Nordkai")
    assert corpus[place].text.startswith("die Arbeiten am Nordkai")
    assert corpus.standing[place] == SENTENCE
    assert "Die Arbeiten" in mc.summarize([text]).text


def test_short_sentences_where_every_character_is_a_word():
    text = (
        "高波港は嵐のあと当分のあいだ閉鎖される。けが人はいない。大島のフェリーは水曜日に再開した。"
    )
    assert [int(x) for x in prepare([text]).standing] == [3, 1, 3]
    asked = "クレーンは四十トンを持ち上げられますか。"
    assert int(prepare([text + asked]).standing[-1]) == 1
