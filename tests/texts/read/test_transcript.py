"""Transcripts, also in other languages than English."""

import pytest

from maxcover.texts import find_blocks, prepare

TALK = {
    "german": """Anna Seidel: Guten Morgen, wir fangen um neun Uhr mit dem Hafen an.
Jens Brandt: Die Arbeiten am Nordkai beginnen im April und dauern acht Wochen.
Anna Seidel: Wer bezahlt den neuen Kran am Nordkai in Altenberg?
Jens Brandt: Äh, ja, genau, so machen wir das im Hafen.""",
    "spanish": """Ana Segura: Buenos días, empezamos a las nueve con el tema del puerto.
Jaime Brando: Las obras del muelle empiezan en abril y duran ocho semanas.
Ana Segura: ¿Quién paga la grúa nueva del muelle norte?
Jaime Brando: Ehm, la aseguradora paga la mitad de las grúas.""",
    "chinese": """李安娜：大家早上好，我们九点开始讨论港口的问题。
班东仁：北码头的工程四月一日开始，预计需要八个星期。
李安娜：北码头的新起重机由谁来支付？
班东仁：嗯，保险公司支付三台起重机大约一半的损失。""",
    "japanese": """佐伯：おはようございます、九時から港の議題を始めます。
坂東：北埠頭の工事は四月一日に始まり、八週間かかる見込みです。
佐伯：新しいクレーンの費用は誰が払いますか。
坂東：えーと、保険会社が被害のおよそ半分を支払います。""",
}


@pytest.mark.parametrize("name", sorted(TALK))
def test_utterances_of_other_languages(name):
    corpus = prepare([TALK[name]])
    assert corpus.language.name == name
    assert set(corpus.kinds) == {"speech"}
    # a question may be chosen if it is long enough to say what it is about
    assert corpus.standing.tolist() == [3, 3, 3 if name == "german" else 1, 3]


def test_names_in_brackets_are_speakers():
    text = "[Ann]: The quay is closed.\n[Bob]: Since when is it?\n" * 2
    assert {block.speaker for block in find_blocks(text)} == {"Ann", "Bob"}


def test_what_came_of_it_is_not_said_by_the_last_speaker():
    said = ["* Ann: Who repairs the crane?", "* Bob: The crane was repaired by engineers in May."]
    noted = "  **Action  **: Cem will ask the engineers for a new plan. The plan is due in June."
    text = "# Quay\n\n" + "\n".join([*said * 2, noted, *said]) + "\n"
    corpus = prepare([text], language="english")
    told = {one: who for one, who in zip(corpus.texts, corpus.speakers, strict=True) if who}
    assert told["Cem will ask the engineers for a new plan."] == "Action"
    assert corpus.speakers.count("Action") == 2
    assert corpus.speakers.count("Bob") == 3


def test_many_speakers_say_little_each():
    names = ["Ann", "Bob", "Cem", "Dee", "Eve", "Ann"]
    turns = [f"{name}: The crane of the port is old." for name in names]
    text = "\n".join([*turns, "Bob: The quay is new.", "Fay: Who pays for all of that?"])
    assert {block.speaker for block in find_blocks(text)} == {*names, "Fay"}
    alone = text.replace("Ann", "Gus", 1).replace("Bob: The quay", "Hal: The quay")
    assert {block.speaker for block in find_blocks(alone)} == {""}
