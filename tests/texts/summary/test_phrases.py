"""Phrases: reasons and what is left out are words with content, in other languages too."""

import maxcover as mc
from maxcover.texts import prepare
from maxcover.texts.summary.grown import Grown
from maxcover.texts.summary.phrases import Phrases, pick

CHINESE = [
    "高浪港在3月3日的风暴之后暂时关闭。水野重工的三台起重机受损，其中包括北码头的起重机。"
    "市长李安娜说，损失约为两亿元。开往大岛的渡轮从星期三起恢复，但是每天只有两班。",
    "高浪市的保险公司只愿意赔偿港口的一部分损失。信中说，北码头的起重机从2019年起就没有检查过。"
    "省政府承担大岛渡轮的额外费用。市长李安娜向省政府提交了报告。",
]
JAPANESE = [
    "高波港は三月三日の嵐のあと閉鎖される。水野重工のクレーン三基が壊れ、北埠頭の大型クレーンも倒れた。"
    "大島行きのフェリーは水曜日から再開したが、一日二便だけである。",
    "書簡によると、北埠頭のクレーンは2019年から点検を受けていなかった。海運会社の北航路は木曜日から、"
    "高波と大島を結ぶ航路にフェリーを投入する。",
]
ARABIC = [
    "أعلنت الحكومة البريطانية أن البحارة كانوا في المياه العراقية عند الحادث يوم الجمعة.",
    "تقول الحكومة الايرانية إن البحارة كانوا في المياه الايرانية في ذلك اليوم من الاسبوع.",
]
RUSSIAN = [
    "Три крана порта повреждены, в т. ч. большой кран на северном причале города Старогорска.",
    "Новый кран порта стоит два миллиона рублей, т. е. столько же, сколько дороги города.",
]


def phrases(documents, budget):
    summary = mc.summarize(documents, budget=budget)
    reasons = [phrase for one in summary.sentences for phrase in summary.reasons(one)]
    return reasons, list(summary.left_out)


def test_words_grow_from_pairs_of_characters():
    grown = Grown(CHINESE)
    assert grown.written("起重 重机", CHINESE[0]) == "起重机"
    assert grown.written("码头 头的", CHINESE[0]) == "北码头"
    assert grown.written("3 月", CHINESE[0]) == ""
    assert grown.written("水野 野重", CHINESE[0]) == ""  # said once
    assert Grown(["省政府和市政府。省政府。省政府。"]).written("政府", "市政府。") == "政府"


def test_reasons_are_words_where_no_spaces_are():
    for documents, words in ((CHINESE, ["起重机", "北码头"]), (JAPANESE, ["クレーン", "北埠頭"])):
        reasons, left_out = phrases(documents, 60)
        assert set(words) <= {*reasons, *left_out}
        assert max(map(len, reasons + left_out)) <= 8
        for phrase in reasons:
            assert phrase in mc.summarize(documents, budget=60).text


def test_no_phrase_is_part_of_another_one():
    assert pick(["起重机", "重机", "北码头", "码头"], 4) == ["起重机", "北码头"]


def test_function_words_and_letters_are_not_shown():
    reasons, left_out = phrases(ARABIC, 15)
    words = {word for phrase in reasons + left_out for word in phrase.split()}
    assert words
    assert words.isdisjoint(["في", "من", "أن", "إن", "ذلك", "كانوا"])
    reasons, left_out = phrases(RUSSIAN, 15)
    assert "т" not in reasons + left_out
    assert min(map(len, reasons + left_out)) > 2


def test_a_summary_in_characters_is_twice_as_long():
    text = "".join(f"北埠頭の第{k}号クレーンは四月に届く予定である。" for k in range(20))
    assert mc.summarize([text]).budget == 100


def test_every_concept_is_written_as_its_sentence_writes_it():
    corpus = prepare(["Heavy rain fell. Storms came, why?", "Ann's cats"])
    phrases = Phrases(corpus)
    found = {
        str(corpus.label(concept)): phrases.label(concept, index)
        for index in range(len(corpus))
        for concept in corpus.problem(100).elements_of(index).tolist()
    }
    assert found["heavi rain"] == "heavy rain"
    assert found["storm"] == "storms"
    assert all(name and not name.endswith("heavi") for name in found.values())


def test_concepts_of_a_caller_are_written_as_they_are():
    corpus = prepare(["One here.", "Two there."], concepts=lambda text: [7, ("a", "b")])
    phrases = Phrases(corpus)
    assert {phrases.label(number, 0) for number in range(2)} == {"7", "a b"}
