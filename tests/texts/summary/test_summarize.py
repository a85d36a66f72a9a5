"""`summarize`: the budget is kept, spans are exact, gains add up, and options do what they say."""

import math
import random
import re
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maxcover as mc
from maxcover.errors import InfeasibleError, OptionError, TextError
from maxcover.texts import UNITS, prepare
from maxcover.texts.summary import summarize as facade
from tests import sweeps
from tests.texts.collections_on_disk import COLLECTIONS, any_text, load_clusters, name_of

NEWS = [
    "The council voted on Monday to close the old bridge. Traffic will move to the new bridge. "
    "The old bridge is unsafe, the council said.",
    "A vote on the bridge was expected. The council will close the old bridge on Monday! "
    "Shops near the bridge fear for their trade. Traffic is a worry for shops.",
]


def crooked(seed: int):
    """A counter of which nothing holds but that it gives the same answer for the same text."""

    def count(text: str) -> float:
        noise = zlib.crc32(text.encode("utf-8", "surrogatepass"), seed) % 7
        return (len(text) * (1 + seed % 3) + noise) / 4

    return count


def is_left_of(text: str, span: str) -> bool:
    """Whether a text is its span, or what is left of it when some signs are left out."""
    if text == span:
        return True
    rest = iter("".join(span.casefold().split()))
    return all(sign in rest for sign in "".join(text.casefold().split()))


def check(summary: mc.Summary, measure) -> None:
    """What every summary promises."""
    assert summary.sentences
    assert measure(summary.text) <= summary.budget
    assert summary.cost <= summary.budget
    printed = "".join(summary.lines)  # apart by blanks, or by line ends behind titles and speakers
    assert "".join(summary.text.split()) == "".join(printed.split())
    # names, and what items hang on, are printed where they change
    if not any(sentence.speaker or sentence.under for sentence in summary.sentences):
        assert summary.lines == tuple(sentence.text for sentence in summary.sentences)
    assert len({sentence.index for sentence in summary.sentences}) == len(summary.sentences)
    for sentence in summary.sentences:
        place = summary.documents[sentence.document]
        assert is_left_of(sentence.text, place[sentence.start : sentence.end])
        assert sum(covered.weight for covered in sentence.covers) == pytest.approx(sentence.gain)
    gains = math.fsum(sentence.gain for sentence in summary.sentences)
    assert gains == pytest.approx(summary.value, rel=1e-12)
    assert summary.value <= summary.upper_bound * (1 + 1e-12)


def summarized(documents, **options):
    """Return a summary, or None where the documents hold nothing or nothing fits."""
    try:
        return mc.summarize(documents, **options)
    except TextError:
        return None


units = st.one_of(st.sampled_from(list(UNITS)), st.integers(0, 100).map(crooked))


@settings(max_examples=300, deadline=None)
@given(
    texts=st.lists(any_text, max_size=3),
    unit=units,
    budget=st.one_of(st.integers(1, 60), st.floats(0.1, 300), st.sampled_from(["1%", "37.5%"])),
    order=st.sampled_from(["reading", "gain"]),
    most=st.sampled_from([None, 1, 2]),
)
def test_any_text_under_any_counter(texts, unit, budget, order, most):
    measure = unit if callable(unit) else UNITS[unit].measure
    options = {"order": order, "max_sentences_per_document": most, "method": "guarded-greedy"}
    summary = summarized(texts, budget=budget, unit=unit, **options)
    if summary is not None:
        check(summary, measure)


ALPHABETS = [
    "ab .!?",
    "abcdefgh ,.\n",
    "aA1.-*>#()\"' \t\r\n",
    "日本語の文。、 ！",
    "\u05d0\u05d1\u0645\u0631. \u202e؟",
    "é\u0301ß\u00ad\u200b\ud800\udfff\0. ",
    "😀👨\u200d👩 a.",
]


@pytest.mark.parametrize("block", sweeps.cases(100))
def test_a_hundred_thousand_fuzzed_texts(block):
    """A thousand texts a block, five of them the documents of one summary."""
    source = random.Random(block)
    names = [*UNITS, "crooked"]
    for _ in range(sweeps.size(200)):
        alphabet = source.choice(ALPHABETS)
        texts = ["".join(source.choices(alphabet, k=source.randrange(30))) for _ in range(5)]
        name = source.choice(names)
        unit = crooked(source.randrange(100)) if name == "crooked" else name
        measure = unit if callable(unit) else UNITS[unit].measure
        method = "auto" if source.random() < 0.02 else "guarded-greedy"
        summary = summarized(texts, budget=source.randint(1, 40), unit=unit, method=method)
        if summary is not None:
            check(summary, measure)


@pytest.mark.parametrize("path", COLLECTIONS, ids=name_of)
def test_every_cluster_from_one_word_to_everything(path):
    """A budget of 1, of everything, and of something between, in changing units."""
    names, clusters = [*UNITS, crooked(1)], load_clusters(path)
    for number in sweeps.cases(len(clusters)):
        documents = clusters[number]
        unit = names[number % len(names)]
        measure = unit if callable(unit) else UNITS[unit].measure
        between = 10 ** random.Random(number).uniform(0, 5)
        for budget in (1, between, "100%"):
            summary = summarized(documents, budget=budget, unit=unit, method="guarded-greedy")
            if summary is not None:
                check(summary, measure)


@pytest.mark.parametrize("path", COLLECTIONS, ids=name_of)
def test_the_default_method_on_a_few_clusters(path):
    for documents in load_clusters(path)[:8]:
        for unit in ("words", "characters"):
            check(mc.summarize(documents, budget=400, unit=unit), UNITS[unit].measure)


def test_the_papers_method_with_its_parameters():
    text = "Cats purr. Dogs bark at cats. All cats and dogs sleep a lot. Birds sing all day long."
    found = mc.summarize(text, budget=9, preset="paper", method="bp", beta=45, mu=0.04)
    assert found.stopped.startswith("beliefs")
    with pytest.raises(OptionError, match="mu only for the methods bp, bp-decimation"):
        mc.summarize(text, budget=9, mu=0.04)


def test_everything_fits_into_everything():
    """With all the budget there is, only what adds nothing is left out."""
    summary = mc.summarize(NEWS, budget="100%", max_similarity=1)
    assert summary.value == pytest.approx(summary.total_weight)
    assert summary.status == "optimal"
    assert summary.runner_up is None


@pytest.mark.parametrize("unit", UNITS)
def test_a_percentage_is_a_share_of_all_sentences(unit):
    whole = mc.summarize(NEWS, budget="100%", unit=unit)
    half = mc.summarize(NEWS, budget=" 50 %", unit=unit)
    assert half.budget == whole.budget // 2
    if unit == "sentences":
        assert whole.budget == whole.n_sentences == 7


@pytest.mark.parametrize("budget", [0, -1, math.inf, math.nan, "", "%", "ten", "-5%"])
def test_a_budget_that_is_none(budget):
    with pytest.raises(OptionError, match="budget"):
        mc.summarize(NEWS, budget=budget)


def test_nothing_fits_says_what_the_shortest_sentence_takes():
    with pytest.raises(
        TextError, match=r"into 3 words; the shortest takes 4: 'This one is short.'"
    ):
        mc.summarize("This one is short. This one here is longer.", budget=3)


@pytest.mark.parametrize("documents", ["", [], ["", " \n"], "!!! ...", "😀😀"])
def test_nothing_to_summarise_says_so(documents):
    with pytest.raises(TextError, match="at least one sentence"):
        mc.summarize(documents, budget=10)


def test_all_forbidden_says_so():
    with pytest.raises(TextError, match="forbidden"):
        mc.summarize("Cats purr.", budget=10, forbidden=0)


def test_a_text_without_any_weight_still_has_a_summary():
    """Stop words weigh nothing in the paper's preset; the first sentence that fits is given."""
    summary = mc.summarize("To be or not to be. And so?", budget=3, preset="paper")
    assert (summary.text, summary.value, summary.gap) == ("And so?", 0.0, 0.0)


def test_order():
    by_place = mc.summarize(NEWS, budget=30)
    by_gain = mc.summarize(NEWS, budget=30, order="gain")
    assert [s.index for s in by_place.sentences] == sorted(s.index for s in by_gain.sentences)
    gains = [s.gain for s in by_gain.sentences]
    assert gains == sorted(gains, reverse=True)
    assert len(gains) > 1
    with pytest.raises(OptionError, match="reading, gain"):
        mc.summarize(NEWS, budget=30, order="alphabet")


@pytest.mark.parametrize(
    "choice", [5, np.int64(5), "Shops near the bridge\n fear for their trade.", re.compile("fear")]
)
def test_required_and_forbidden(choice):
    budget = 20
    required = mc.summarize(NEWS, budget=budget, required=choice)
    assert any(sentence.index == 5 for sentence in required.sentences)
    check(required, UNITS["words"].measure)
    forbidden = mc.summarize(NEWS, budget="100%", forbidden=[choice], max_similarity=1)
    assert all(sentence.index != 5 for sentence in forbidden.sentences)
    with pytest.raises(InfeasibleError, match="required and forbidden"):
        mc.summarize(NEWS, budget=budget, required=choice, forbidden=choice)


def test_required_sentences_have_to_fit_and_to_be_there():
    with pytest.raises(InfeasibleError, match="2 required sentences take 18 words"):
        mc.summarize(NEWS, budget=12, required=[0, 2])
    for choice in ("Nobody said this.", 99, -1, re.compile("xyz"), 1.5):
        with pytest.raises(OptionError, match=r"no sentence is meant|expected required to be"):
            mc.summarize(NEWS, budget=30, required=choice)


def test_a_forbidden_pattern_may_find_nothing():
    check(mc.summarize(NEWS, budget=30, forbidden=re.compile("xyz")), UNITS["words"].measure)
    with pytest.raises(OptionError, match="no sentence is meant"):
        mc.summarize(NEWS, budget=30, forbidden="xyz")


def test_every_copy_of_a_forbidden_text_is_forbidden():
    text = "The cat sat. The dog sat. The cat sat."
    assert mc.summarize(text, budget=3, forbidden="The cat sat.").text == "The dog sat."


def test_limits_per_document():
    for options in ({"max_sentences_per_document": 1}, {"max_cost_per_document": 12}):
        summary = mc.summarize(NEWS, budget="100%", **options)
        for document in (0, 1):
            inside = [s for s in summary.sentences if s.document == document]
            assert len(inside) <= options.get("max_sentences_per_document", 9)
            assert sum(s.cost for s in inside) <= options.get("max_cost_per_document", 99)


def test_a_cost_limit_per_document_counts_the_joiners_between():
    text = "Ab cd. Ef gh. Ab ef."
    for most, length in ((13, 13), (12, 6)):
        options = {"unit": "characters", "weights": "tf", "max_cost_per_document": most}
        assert len(mc.summarize([text], budget=99, **options).text) == length


def test_copies_are_not_chosen_twice():
    """Copies add nothing, however they are spelt; so does what another sentence contains."""
    text = "The cats SAT on mats. the cat sat, on mats! Cats on mats. A dog barked. A dog sat."
    summary = mc.summarize(text, budget="100%", max_similarity=1, preset="plain")
    assert sum("mats" in sentence.text for sentence in summary.sentences) == 1


def test_near_copies_are_not_chosen_twice():
    text = (
        "The minister said on Monday that all taxes will rise by ten percent next year. "
        "The minister declared on Monday that all taxes will rise by ten percent next year. "
        "Talks went on."
    )
    reading = {"concepts": "words", "weights": "tf"}
    both = mc.summarize(text, budget="100%", **reading, max_similarity=1)
    one = mc.summarize(text, budget="100%", **reading)
    assert sum("minister" in sentence.text for sentence in both.sentences) == 2
    assert sum("minister" in sentence.text for sentence in one.sentences) == 1
    assert one.value <= one.upper_bound < both.value  # near-copies are in conflict
    kept = mc.summarize(text, budget="100%", **reading, required=[0, 1])
    assert {0, 1} <= {sentence.index for sentence in kept.sentences}
    with pytest.raises(OptionError, match="max_similarity"):
        mc.summarize(text, budget=9, max_similarity=1.5)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_no_two_sentences_are_too_much_alike(data):
    words = st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=8)
    sentences = data.draw(st.lists(words, min_size=2, max_size=12))
    most = data.draw(st.floats(0, 1))
    text = "\n".join(" ".join(sentence) for sentence in sentences)
    options = {"concepts": "words", "weights": "tf", "stem": False, "method": "guarded-greedy"}
    chosen = mc.summarize(text, budget="100%", max_similarity=most, **options).sentences
    sets = [set(sentence.text.split()) for sentence in chosen]
    for i, one in enumerate(sets):
        assert all(len(one & other) / len(one | other) <= most for other in sets[:i])


def test_near_copies_are_solved_twice_at_most(monkeypatch):
    """Every solve of a megabyte takes seconds."""
    solved = []

    def count(problem, **options):
        solved.append(problem)
        return mc.solve(problem, **options)

    monkeypatch.setattr(facade, "solve", count)
    told = "Nine old ships from port Alder carry some grain and new timber along the coast to town"
    text = " ".join(f"{told}{chr(97 + k // 26)}{chr(97 + k % 26)}." for k in range(60))
    rest = " ".join(f"Only word{k} is like thing{k} here." for k in range(30))
    chosen = mc.summarize([text, rest], budget=100, preset="coverage").sentences
    assert len(solved) == 2
    assert sum(sentence.document == 0 for sentence in chosen) == 1
    assert sum(sentence.cost for sentence in chosen) > 94


def test_copies_add_nothing():
    text = "The council voted to close the old bridge. Traffic will move to the new bridge."
    problem = mc.texts.prepare([text, text]).problem(30.0)
    assert problem.value(np.array([0, 1])) == problem.value(np.arange(4))


def test_a_counter_that_dislikes_joints():
    """Sentences cost little, the joined text a lot: it is shortened until it fits."""

    def count(text: str) -> float:
        return len(text.split()) * (1 + text.count("."))

    summary = mc.summarize(NEWS, budget=40, unit=count)
    check(summary, count)
    assert summary.unit == "count"


def test_a_counter_that_depends_on_the_order():
    def count(text: str) -> float:
        return 10 + 30 * text.startswith("The")

    for order in ("reading", "gain"):
        check(mc.summarize(NEWS, budget=15, unit=count, order=order), count)


def test_required_sentences_that_do_not_fit_together_under_a_counter():
    with pytest.raises(TextError, match="joined, they take 20"):
        mc.summarize(NEWS, budget=15, required=[0, 1], unit=lambda text: 5 * text.count(".") ** 2)


def test_a_counter_that_changes_its_mind():
    answers = random.Random(0)
    for _ in range(50):
        summary = summarized(NEWS, budget=5, unit=lambda text: answers.uniform(0, 10))
        assert summary is None or summary.cost <= 5


@pytest.mark.parametrize("answer", [None, "many", -1, math.nan, math.inf])
def test_a_counter_that_does_not_count(answer):
    with pytest.raises(OptionError, match="unit="):
        mc.summarize(NEWS, budget=5, unit=lambda text: answer)


def test_options_are_checked_by_name():
    with pytest.raises(OptionError, match=r"unknown option 'languages'.*did you mean 'language'"):
        mc.summarize(NEWS, budget=30, languages="de")
    with pytest.raises(OptionError, match="expected unit to be one of"):
        mc.summarize(NEWS, budget=30, unit="pages")


def test_a_query_is_answered():
    text = "Rain fell by day. Rain fell by night. Hats sold by day. Hats sold by night."
    for query, first in (("hats", "Hats"), ("rain", "Rain")):
        assert mc.summarize(text, budget=4, query=query, boost=1).text.startswith(first)


def test_a_callback_hears_of_progress():
    heard = []
    mc.summarize(NEWS, budget=20, callback=heard.append)
    assert heard[-1].part == "certificate"


def test_documents_are_left_alone():
    documents = list(NEWS)
    summary = mc.summarize(documents, budget=20)
    assert documents == NEWS
    documents.clear()
    assert summary.documents == tuple(NEWS)
    assert mc.summarize(NEWS[0], budget=20).documents == (NEWS[0],)


@pytest.mark.parametrize("path", COLLECTIONS[:4], ids=name_of)
def test_nothing_that_fits_and_adds_something_is_left_out(path):
    from maxcover.engine.solvers.order import added_weight

    for documents in load_clusters(path)[:6]:
        options = {"method": "guarded-greedy", "max_similarity": 1, "preset": "coverage"}
        summary = mc.summarize(documents, budget=90, **options)
        problem = summary.problem
        chosen = np.array([sentence.index for sentence in summary.sentences])
        room = problem.budget - problem.costs[chosen].sum()
        fits = problem.choosable & (problem.costs <= room)
        fits[chosen] = False
        assert not (added_weight(problem, chosen)[fits] > 1e-9).any()


def test_everything_is_returned_where_everything_fits():
    text = "Cats purr. Dogs bark at cats. All cats and dogs sleep a lot."
    assert mc.summarize(text, budget=100).text == text
    letter = "Hi Ann,\n\nThe harbour is closed until Friday. Ferries wait.\n\nRegards,\nBob"
    assert (
        mc.summarize(letter, budget=100).text == "The harbour is closed until Friday. Ferries wait."
    )


def test_a_stub_is_chosen_if_nothing_else_fits():
    text = "Cats purr. The dogs of the whole village bark at all the cats every night."
    assert mc.summarize(text, budget=3).text == "Cats purr."


def test_the_budget_has_a_default():
    short = mc.summarize(NEWS)
    assert short.budget == 50
    long = mc.summarize(
        [f"The ship number {k} left the port of town {k} early." for k in range(900)]
    )
    assert long.budget == 250
    by_characters = mc.summarize(NEWS, unit="characters")
    assert by_characters.budget == by_characters.corpus.size // 10


def test_a_percentage_of_whole_sizes_is_whole():
    corpus = prepare(["One two three four five."] * 20)
    assert [corpus.budget(f"{share}%") for share in (29, 57, 58)] == [29, 57, 58]
    assert corpus.budget("0.5%") == 0.5
    halves = prepare(["One two three."], unit=lambda text: len(text.split()) / 2)
    assert halves.budget("50%") == 0.75


def test_words_are_honest():
    from maxcover.texts.report import summary_wording as wording

    summary = mc.summarize(NEWS, budget=20)
    chosen = " ".join(sentence.text.lower() for sentence in summary.sentences)
    stops = {"the", "on", "to", "is", "a", "for", "of", "in", "will", "was"}
    for sentence in summary.sentences:
        reasons = summary.reasons(sentence)
        assert all(phrase in sentence.text for phrase in reasons)
        assert not {word for phrase in reasons for word in phrase.lower().split()} & stops
    assert summary.left_out
    assert not any(phrase.lower() in chosen for phrase in summary.left_out)
    assert 0 < summary.coverage < 1
    assert mc.summarize(NEWS, budget="100%", max_similarity=1).coverage == 1
    assert not summary.witness
    assert "Proven best: no selection" in wording.verdict(summary)
    hasty = mc.summarize(NEWS, budget=20, method="g-greedy", time_limit=0)
    assert hasty.status == "optimal" or "Proven best" not in wording.verdict(hasty)
