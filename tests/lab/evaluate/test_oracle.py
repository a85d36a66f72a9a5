"""The oracle: true recall, and the integer program that bounds it."""

import sys
from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxcover.errors import MissingExtraError, OptionError
from maxcover.lab.evaluate.datasets import load
from maxcover.lab.evaluate.oracle import bound_recall
from maxcover.lab.evaluate.rouge import Rouge

words = st.sampled_from(["the", "cat", "sat", "mat", "dog"])
lines = st.lists(words, min_size=1, max_size=6).map(" ".join)
cases = st.tuples(st.lists(lines, min_size=1, max_size=5), st.lists(lines, min_size=1, max_size=3))


def selections(n):
    return chain.from_iterable(combinations(range(n), k) for k in range(n + 1))


# References: "the cat the" (3 words) and "the dog" (2 words), each counting half.
# the: first 1/6 + 1/4, second 1/6; cat: 1/6; dog: 1/4. No reference asks for a third the.
def test_hand_worked_gains():
    found = bound_recall(["the the the", "dog"], ["the cat the", "the dog"], 3)
    assert found.selected.tolist() == [0]
    assert found.recall == pytest.approx(7 / 12)


@settings(max_examples=40, deadline=None)
@given(cases, st.integers(0, 15))
def test_integer_program_finds_the_brute_force_optimum(case, budget):
    sentences, references = case
    costs = [len(sentence.split()) for sentence in sentences]
    rouge = Rouge(kinds=["rouge1"])

    def recall(selected):
        return rouge.score("\n".join(sentences[i] for i in selected), references)["rouge1"].recall

    best = max(
        recall(selected)
        for selected in selections(len(costs))
        if sum(costs[i] for i in selected) <= budget
    )
    found = bound_recall(sentences, references, budget)
    assert sum(costs[i] for i in found.selected) <= budget
    assert found.recall == recall(found.selected)
    assert found.recall == pytest.approx(best, abs=1e-5)
    assert best - 1e-9 <= found.bound <= best + 1e-5


def test_real_cluster(data):
    cluster = load(data / "oposum")[0]
    sentences = [line for document in cluster.documents for line in document.text.split("\n")]
    found = bound_recall(sentences, cluster.references, 100)
    assert found.recall <= found.bound <= found.recall + 1e-4
    # Without any time the bound is loose, and holds.
    hurried = bound_recall(sentences, cluster.references, 100, time_limit=0.0)
    assert hurried.recall <= found.recall + 1e-9
    assert hurried.bound >= found.recall


@pytest.mark.parametrize(("sentences", "references"), [([], ["a b"]), (["a"], ["..."])])
def test_nothing_to_choose_or_to_match(sentences, references):
    found = bound_recall(sentences, references, 10)
    assert (found.recall, found.bound) == (0, 0)


def test_wrong_input_is_named():
    with pytest.raises(OptionError, match="at least one reference"):
        bound_recall(["a"], [], 1)
    with pytest.raises(OptionError, match="budget"):
        bound_recall(["a"], ["a"], -1)


def test_without_highs_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(MissingExtraError, match="pip install 'highspy"):
        bound_recall(["One cat."], ["One cat."], budget=2)
