"""`Summary`: reasons, ranking, curve, and what it says about itself."""

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maxcover as mc
from maxcover.texts.summary.contributions import chosen_sentences, left_out
from maxcover.texts.summary.summary import SCHEMA
from tests.texts.collections_on_disk import COLLECTIONS, load_clusters, name_of

TEXT = (
    "Storms hit the coast on Sunday. The coast road is closed. Storms close the road each year. "
    "Boats stay in port. The port is on the coast. Nobody was hurt. Port and road reopen on Monday."
)


@pytest.fixture
def summary():
    return mc.summarize(TEXT, budget=9)


def slow_reasons(problem, order):
    """What each sentence is the first to cover: the definition, one sentence after the other."""
    seen: set[int] = set()
    for index in order:
        new = set(problem.elements_of(index).tolist()) - seen
        yield {element: float(problem.weights[element]) for element in new}
        seen |= new


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_reasons_are_what_the_definition_says(data):
    words = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6)
    sentences = data.draw(st.lists(words, min_size=1, max_size=8))
    text = "\n".join(" ".join(sentence) for sentence in sentences)
    summary = mc.summarize(text, budget="100%", weights="tf", stem=False, method="guarded-greedy")
    corpus, problem = summary.corpus, summary.problem
    some = np.array(sorted(data.draw(st.sets(st.integers(0, len(corpus) - 1)))), dtype=np.int64)
    found = chosen_sentences(corpus, problem, some)
    assert sorted(sentence.index for sentence in found) == some.tolist()
    expected = list(slow_reasons(problem, [sentence.index for sentence in found]))
    for sentence, new in zip(found, expected, strict=True):
        names = {corpus.label(element): weight for element, weight in new.items()}
        assert dict(sentence.covers) == names
        assert sentence.gain == pytest.approx(math.fsum(new.values()))
        weights = [covered.weight for covered in sentence.covers]
        assert weights == sorted(weights, reverse=True)
    gains = [sentence.gain for sentence in found]
    assert gains == sorted(gains, reverse=True)
    value = float(problem.weights[problem.covered(some)].sum())
    assert sum(gains) == pytest.approx(value)
    rest = np.setdiff1d(np.arange(len(corpus)), some)
    for sentence in left_out(corpus, problem, some, rest):
        both = problem.covered(np.append(some, sentence.index))
        assert sentence.gain == pytest.approx(float(problem.weights[both].sum()) - value)


def test_ranking_has_every_sentence_once(summary):
    ranking = summary.ranking
    assert sorted(sentence.index for sentence in ranking) == list(range(summary.n_sentences))
    n_chosen = len(summary.sentences)
    assert {s.index for s in ranking[:n_chosen]} == {s.index for s in summary.sentences}
    for part in (ranking[:n_chosen], ranking[n_chosen:]):
        gains = [sentence.gain for sentence in part]
        assert gains == sorted(gains, reverse=True)


def test_the_runner_up_is_the_best_of_the_others(summary):
    best = summary.ranking[len(summary.sentences)]
    assert summary.runner_up == best
    assert best.gain > 0
    forbidden = mc.summarize(TEXT, budget=9, forbidden=best.index)
    assert forbidden.runner_up is None or forbidden.runner_up.index != best.index


@pytest.mark.parametrize("preset", ["coverage", "plain"])
@pytest.mark.parametrize("of", [6, 14, "100%"])
def test_the_curve_agrees_with_summaries(preset, of):
    """Whatever the budget of the summary that is asked."""
    summary = mc.summarize(TEXT, budget=of, preset=preset, forbidden=[2])
    budgets = [6, 14, "90%"]
    curve = summary.curve(budgets)
    assert curve.budgets.tolist() == [6, 14, mc.summarize(TEXT, budget="90%").budget]
    for budget, value, bound, chosen in zip(
        budgets, curve.values, curve.upper_bounds, curve.selections, strict=True
    ):
        alone = mc.summarize(TEXT, budget=budget, max_similarity=1, preset=preset, forbidden=[2])
        assert not set(chosen.tolist()) & set(alone.problem.forbidden.tolist())
        assert value <= alone.upper_bound * (1 + 1e-12)
        assert alone.value <= bound * (1 + 1e-12)
        sizes = [sentence.cost for sentence in summary.ranking if sentence.index in chosen]
        assert sum(sizes) <= alone.budget


def test_the_curve_counts_joiners():
    summary = mc.summarize(TEXT, budget=60, unit="characters")
    curve = summary.curve([10, 32, 90])
    assert curve.budgets.tolist() == [10, 32, 90]
    for cost, chosen in zip(curve.costs, curve.selections, strict=True):
        text = summary.corpus.join(chosen.tolist())
        assert len(text) == cost <= 90


@pytest.mark.parametrize("unit", ["words", "characters", len])
def test_json_says_everything(unit):
    summary = mc.summarize([TEXT, "Boats and storms."], budget="30%", unit=unit)
    record = json.loads(summary.to_json())
    assert record == json.loads(json.dumps(summary.to_dict()))
    assert record["schema"] == SCHEMA
    for name in ("text", "budget", "cost", "value", "upper_bound", "gap", "status", "unit"):
        assert record[name] == getattr(summary, name)
    for plain, sentence in zip(record["sentences"], summary.sentences, strict=True):
        assert summary.documents[plain["document"]][plain["start"] : plain["end"]] == plain["text"]
        assert plain["index"] == sentence.index
        assert [c["weight"] for c in plain["covers"]] == [c.weight for c in sentence.covers]
    assert record["runner_up"]["text"] == summary.runner_up.text


def test_the_schema_page_names_every_field(summary):
    from tests.test_docs import ROOT

    page = (ROOT / "docs" / "reference" / "summary-schema.md").read_text(encoding="utf-8")
    record = summary.to_dict()
    for name in (*record, *record["sentences"][0]):
        assert f"`{name}`" in page, name


def test_concepts_of_any_type_have_names_in_json():
    summary = mc.summarize(TEXT, budget=9, concepts=lambda words: list(pairwise(words)))
    names = [c["concept"] for s in summary.to_dict()["sentences"] for c in s["covers"]]
    assert names
    assert all(isinstance(name, str) and len(name.split()) == 2 for name in names)


def test_it_shows_itself(summary):
    assert str(summary) == summary.text
    assert repr(summary).startswith(f"Summary({len(summary.sentences)} of 7 sentences, ")


def test_it_is_frozen(summary):
    with pytest.raises(AttributeError):
        summary.text = ""
    with pytest.raises(AttributeError):
        summary.sentences[0].gain = 0


@pytest.mark.parametrize("path", COLLECTIONS[:3], ids=name_of)
def test_ranking_and_runner_up_on_clusters(path):
    for documents in load_clusters(path)[:3]:
        summary = mc.summarize(documents, budget=50, method="guarded-greedy")
        ranking = summary.ranking
        assert len(ranking) == summary.n_sentences
        out = set(summary.problem.forbidden.tolist())
        others = [one for one in ranking[len(summary.sentences) :] if one.index not in out]
        if summary.runner_up is not None:
            assert summary.runner_up.gain == pytest.approx(others[0].gain)
