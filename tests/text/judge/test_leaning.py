"""Openings: sentences of other languages than English that go on from another one."""

import numpy as np
import pytest

import maxcover as mc
from maxcover.text.judge.leaning import find_leaning

LEANING = {
    "arabic": ["وأضاف أن الميناء سيبقى مغلقا حتى الجمعة.", "هذه السفينة تحمل مئتي راكب."],
    "chinese": ["他向市议会提交了报告。", "不过，第二艘船从星期四起行驶。", "“但是港口仍然关闭。”"],
    "czech": ["Podle něj zůstane přístav zavřený.", "Uvedl, že jeřáb spadl.", "A přístav stojí."],
    "dutch": ["Dat meldde de gemeente maandag.", "Volgens hem blijft de haven dicht."],
    "french": ["S'il avait voté, le port serait ouvert.", "« Ces grues sont vieilles », dit Luc."],
    "german": ["Jedoch fährt ein zweites Schiff.", "Das teilte die Stadt mit.", "Er fiel um."],
    "greek": ["Αυτός είπε ότι το λιμάνι έκλεισε.", "Στο μεταξύ, το λιμάνι έμεινε κλειστό."],
    "hebrew": ["למרות זאת, הנמל נשאר סגור.", "הוא אמר כי הנמל סגור."],
    "hindi": ["उन्होंने कहा कि बंदरगाह बंद है।", "इस समझौते के अनुसार बंदरगाह बंद है।"],
    "italian": ["Lo ha comunicato il Comune.", "Tuttavia il porto resta chiuso."],
    "japanese": ["彼は報告書を提出した。", "「しかし、港は閉鎖されている」と市長は話した。"],
    "korean": ["그러나 항구는 폐쇄되었다.", "이 크레인은 쓰러졌다."],
    "polish": ["Jednak port jest zamknięty.", "Dodał, że dźwig runął."],
    "portuguese": ["Além disso, o porto está fechado.", "Ela visitou o porto."],
    "russian": ["Об этом сообщила мэрия.", "Он упал около четырёх утра.", "А порт закрыт."],
    "spanish": ["Así lo comunicó el Ayuntamiento.", "Sin embargo, el puerto cierra."],
    "turkish": ["Bu durum herkesi etkiliyor.", "Ancak liman kapalı."],
}
STANDING = {
    "arabic": ["هذا العام يبقى الميناء مغلقا.", "وقال رئيس الوزراء إن الميناء مغلق."],
    "chinese": ["那不勒斯的港口关闭了。", "市政府关闭了港口。"],
    "czech": ["Tento týden je přístav zavřený.", "Poté, co přístav zavřeli, jeřáb spadl."],
    "dutch": ["Deze week blijft de haven dicht.", "De haven blijft dicht."],
    "french": [
        "Cette année le port ferme.",
        "Il y a quatre grues au port.",
        "Ce lundi, le port ferme.",
    ],
    "german": [
        "Diese Woche fährt ein Schiff.",
        "Das Schiff fährt.",
        "Es gibt drei Kräne im Hafen.",
    ],
    "greek": ["Το λιμάνι έκλεισε.", "Αυτή την εβδομάδα το λιμάνι έκλεισε."],
    "hebrew": ["הנמל סגור.", "ראש העיר אמר כי הנמל סגור."],
    "hindi": ["इस वर्ष बंदरगाह बंद है।", "बंदरगाह बंद है।"],
    "italian": ["Lo stadio resta chiuso.", "Questa settimana il porto chiude."],
    "japanese": ["これまで港は閉鎖されていた。", "港は閉鎖されている。"],
    "korean": ["이번 주 항구는 폐쇄된다.", "항구는 폐쇄되었다."],
    "polish": ["Port jest zamknięty.", "Dźwig runął."],
    "portuguese": ["Este ano o porto fecha.", "O porto fecha."],
    "russian": ["А. П. Сидорова закрыла порт.", "Порт закрыт.", "Так называемый кран упал."],
    "spanish": [
        "Este año el puerto cierra.",
        "El puerto cierra.",
        "Lo que pide el puerto es ayuda.",
    ],
    "turkish": ["Bu yıl liman kapalı.", "Liman kapalı."],
}


@pytest.mark.parametrize("name", sorted(LEANING))
def test_sentences_that_go_on_from_another_one_are_found(name):
    said = LEANING[name] + STANDING[name]
    found = find_leaning(said, name, np.arange(len(said)))
    assert [said[row] for row in found.tolist()] == LEANING[name]


def test_they_are_chosen_late():
    text = (
        "Der Hafen von Altenberg ist nach dem Sturm gesperrt. "
        "Jedoch hat die Reederei Nordlinie ein zweites Schiff angekündigt. "
        "Die Fähren nach Holm fahren seit Mittwoch zweimal am Tag. "
        "Die Schulkinder der Insel Holm wohnen bei Familien in der Stadt."
    )
    assert mc.summarize([text], budget=20).text.count("Jedoch") == 0
    assert "gesperrt. Jedoch" in mc.summarize([text], budget=40).text


def test_a_language_without_a_list_has_none():
    assert find_leaning(["Hij viel om."], "any", np.arange(1)).size == 0
