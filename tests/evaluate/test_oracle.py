"""The oracle: true recall, and the integer program that bounds it."""

from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxcover.errors import OptionError
from maxcover.evaluate.datasets import load
from maxcover.evaluate.oracle import bound_recall, read_recall_model
from maxcover.evaluate.rouge import Rouge

words = st.sampled_from(["the", "cat", "sat", "mat", "dog"])
lines = st.lists(words, min_size=1, max_size=6).map(" ".join)
cases = st.tuples(st.lists(lines, min_size=1, max_size=5), st.lists(lines, min_size=1, max_size=3))


def selections(n):
    return chain.from_iterable(combinations(range(n), k) for k in range(n + 1))


# References: "the cat the" (3 words) and "the dog" (2 words), each counting half.
# the: first 1/6 + 1/4, second 1/6; cat: 1/6; dog: 1/4.
def test_hand_worked_gains():
    model = read_recall_model(["the the the", "dog"], ["the cat the", "the dog"])
    assert model.slots.tolist() == [0, 1, 2, 4]  # cat, dog, the
    assert model.gains == pytest.approx([1 / 6, 1 / 4, 5 / 12, 1 / 6])
    assert model.counts.tolist() == [[0, 0, 2], [0, 1, 0]]  # no reference asks for a third the
    assert model.costs.tolist() == [3, 1]
    assert model.recall([0]) == pytest.approx(7 / 12)
    assert model.recall([]) == 0


@given(cases)
def test_recall_is_that_of_rouge(case):
    sentences, references = case
    model = read_recall_model(sentences, references)
    rouge = Rouge(kinds=["rouge1"])
    for selected in selections(len(sentences)):
        summary = "\n".join(sentences[i] for i in selected)
        expected = rouge.score(summary, references)["rouge1"].recall
        assert model.recall(selected) == pytest.approx(expected)


@settings(max_examples=40, deadline=None)
@given(cases, st.integers(0, 15))
def test_integer_program_finds_the_brute_force_optimum(case, budget):
    model = read_recall_model(*case)
    best = max(
        model.recall(selected)
        for selected in selections(len(model.costs))
        if model.costs[list(selected)].sum() <= budget
    )
    found = bound_recall(model, budget)
    assert model.costs[found.selected].sum() <= budget
    assert found.recall == pytest.approx(best, abs=1e-5)
    assert best - 1e-9 <= found.bound <= best + 1e-5


def test_real_cluster(data):
    cluster = load(data / "oposum")[0]
    sentences = [line for document in cluster.documents for line in document.text.split("\n")]
    model = read_recall_model(sentences, cluster.references)
    found = bound_recall(model, 100)
    summary = "\n".join(sentences[i] for i in found.selected)
    truth = Rouge(kinds=["rouge1"]).score(summary, cluster.references)["rouge1"]
    assert found.recall == pytest.approx(truth.recall)
    assert found.recall <= found.bound <= found.recall + 1e-4
    # Without any time the bound is loose, and holds.
    hurried = bound_recall(model, 100, time_limit=0.0)
    assert hurried.recall <= found.recall + 1e-9
    assert hurried.bound >= found.recall


@pytest.mark.parametrize(("sentences", "references"), [([], ["a b"]), (["a"], ["..."])])
def test_nothing_to_choose_or_to_match(sentences, references):
    found = bound_recall(read_recall_model(sentences, references), 10)
    assert (found.selected.size, found.recall, found.bound) == (0, 0, 0)


def test_wrong_input_is_named():
    with pytest.raises(OptionError, match="at least one reference"):
        read_recall_model(["a"], [])
    with pytest.raises(OptionError, match="budget"):
        bound_recall(read_recall_model(["a"], ["a"]), -1)
    with pytest.raises(OptionError, match="2 costs for 1 sentences"):
        read_recall_model(["a"], ["a"], costs=[1, 2])
