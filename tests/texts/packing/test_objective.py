"""The objective against a slow twin written out word by word, and what it promises."""

import itertools
import math
from functools import partial
from importlib import import_module

import numpy as np
import pytest

import maxcover as mc
from maxcover.errors import InputWarning, OptionError
from maxcover.texts.packing.cutting import cut
from maxcover.texts.packing.fitting import pose
from maxcover.texts.packing.objective import (
    FLOOR,
    LENGTH,
    NEIGHBOUR,
    STEEPNESS,
    judge,
    rank,
    share_ranks,
    weigh,
)
from maxcover.texts.packing.occurrences import collect
from maxcover.texts.packing.passages import Memory, memory_for
from maxcover.texts.packing.statements import find_versions
from maxcover.texts.split.sentences import split_each
from maxcover.texts.words.languages import find_language

ENGLISH = find_language("english")
SPLIT = partial(split_each, language=ENGLISH)
WORDS = ["cat", "dog", "sun", "tree", "runs", "far", "blue", "old"]


def random_passages(rng):
    def sentence():
        return " ".join(rng.choice(WORDS, rng.integers(5, 9))).capitalize() + " and so on then."

    return [" ".join(sentence() for _ in range(rng.integers(1, 4))) for _ in range(6)]


def twin(passages, query, ranks, *, whole):
    """The weights of words and phrases by the definition, with dictionaries."""
    memory = Memory(ENGLISH, "auto")
    sentences = [
        (p, [memory.names[k] for k in memory.read([text[a:b]])[0].words])
        for p, text in enumerate(passages)
        for a, b in cut(text, SPLIT)
    ]
    asked = {memory.names[k] for k in memory.ask(query)} if query else set()
    n = len(sentences)
    held = {word: sum(word in own for _, own in sentences) for _, own in sentences for word in own}
    idf = {w: math.log(1 + (n - held[w] + 0.5) / (held[w] + 0.5)) for w in asked if w in held}
    found = [sum(idf[w] for w in idf if w in own) for _, own in sentences]
    peak = max(found)
    share = [x / peak if peak else 1.0 for x in found]
    match = [x**2 for x in share]
    near = []
    for k, (p, _) in enumerate(sentences):
        own = [j for j in range(n) if sentences[j][0] == p]
        beside = [match[j] for j in own if abs(j - k) == 1 or k == own[0]]
        near.append(max([match[k], *(NEIGHBOUR * x for x in beside)]) if peak else 1.0)
    relevance = [r**-STEEPNESS for r in ranks]
    pairs = [set(itertools.pairwise(own)) for _, own in sentences]
    lengths = (
        [
            sum(len(x) for x, (q, _) in zip(pairs, sentences, strict=True) if q == p)
            for p in range(6)
        ]
        if whole
        else [len(x) for x in pairs]
    )
    phrases: dict[tuple[str, str], float] = {}
    words: dict[str, float] = {}
    for k, (p, own) in enumerate(sentences):
        worth = (
            relevance[p] * (FLOOR + (1 - FLOOR) * near[k]) / lengths[p if whole else k] ** LENGTH
        )
        for pair in itertools.pairwise(own):
            phrases[pair] = max(phrases.get(pair, 0.0), worth)
        for word in set(own):
            words[word] = words.get(word, 0.0) + math.sqrt(relevance[p])
    best = [max(s for s, (q, _) in zip(share, sentences, strict=True) if q == p) for p in range(6)]
    alike = min(sum(best) / 6, 0.98) if peak else 0.0
    scale = alike**2 / (1 - alike) * sum(phrases.values()) / sum(words.values())
    return {w: x * scale for w, x in words.items()}, phrases


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("whole", [False, True])
def test_the_slow_twin_agrees(seed, whole):
    rng = np.random.default_rng(seed)
    passages = random_passages(rng)
    query = ["", "the blue cat", "zebra", "old old dog far"][seed % 4]
    ranks = rng.permutation(6) + 1
    memory = memory_for("english", "auto")
    said = collect(memory.read(passages), memory)
    relevance = judge(said, ranks, [said.find(memory.ask(query))])
    piece = said.passage if whole else np.arange(said.n_sentences)
    words, phrases, *_ = weigh(said, relevance, find_versions(said, relevance.of_sentence), piece)
    slow_words, slow_phrases = twin(passages, query, ranks.tolist(), whole=whole)
    names = [memory.names[k] for k in said.known]
    assert dict(zip(names, words, strict=True)) == pytest.approx(slow_words)
    # phrases are numbered by their words, first word first
    order = {name: k for k, name in enumerate(names)}
    pairs = sorted(slow_phrases, key=lambda pair: (order[pair[0]], order[pair[1]]))
    assert phrases.tolist() == pytest.approx([slow_phrases[pair] for pair in pairs])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("granularity", ["sentence", "passage"])
def test_the_problem_without_folding_has_the_same_values_and_answers(
    seed, granularity, monkeypatch
):
    """What a piece alone holds is one element; the slow twin has each word and phrase by itself."""
    rng = np.random.default_rng(seed)
    passages = random_passages(rng)
    call = {"query": "the blue cat", "budget": 25, "granularity": granularity, "method": "exact"}
    posed = []

    def keep(parts, *given, **options):
        parts = list(parts)
        posed.append((parts, pose(parts, *given, **options)))
        return posed[-1][1]

    monkeypatch.setattr(import_module("maxcover.texts.packing.pack"), "pose", keep)
    packed = mc.pack(passages, **call)
    parts, found = posed[-1]
    edges, width = [], 0
    for rows, ids, weights in parts:
        edges.append(np.stack((rows, ids + width)))
        width += len(weights)
    rows, ids = np.unique(np.concatenate(edges, axis=1), axis=1)
    slow = mc.CoverageProblem(
        indptr=np.searchsorted(rows, np.arange(found.problem.n_sets + 1)),
        indices=ids.astype(np.int32),
        costs=found.problem.costs,
        weights=np.concatenate([weights for *_, weights in parts]),
        budget=found.problem.budget,
    )
    assert slow.n_elements > found.problem.n_elements
    for _ in range(20):
        some = np.flatnonzero(rng.random(slow.n_sets) < 0.4)
        assert found.gains(some).sum() == pytest.approx(slow.value(some))
    assert mc.solve(slow, method="exact").value == pytest.approx(packed._prove()[0])
    assert sum(one.gain for one in packed.passages) == pytest.approx(packed.value)


def test_ranks():
    assert rank([0.1, 0.9, 0.5], 3).tolist() == [3, 1, 2]
    assert rank([1, 1, 2], 3).tolist() == [2, 3, 1], "equal scores stay as given"
    assert rank([None, 3, float("nan"), 5], 4).tolist() == [1, 3, 4, 2]
    assert rank(np.array([-1e308, 1e308, -np.inf, np.inf]), 4).tolist() == [3, 2, 4, 1]
    assert rank([], 0).tolist() == []


def test_a_repeated_phrase_is_worth_what_its_best_sentence_is():
    texts = ["The cat sleeps on the mat today."] * 3
    packed = mc.pack(texts, query="cat", budget=100, granularity="passage")
    assert packed.indices == (0,)
    assert packed.value == pytest.approx(packed.total_weight)


def test_with_a_query_that_matches_one_passage_that_one_is_taken():
    rng = np.random.default_rng(1)
    passages = random_passages(rng)
    passages[4] += " The zebra grazes at the lake in the evening."
    packed = mc.pack(passages, query="Where does the zebra graze?", budget=24)
    assert "zebra grazes at the lake" in packed.text


def test_several_questions_share_the_budget():
    about = [f"The ferry to island {k} leaves at noon in summer. It is blue." for k in range(9)]
    passages = [*about, "The lighthouse keeper is called Ada Brook. She has two dogs."]
    questions = ["When does the ferry to island 3 leave in summer?", "What is the keeper called?"]
    both = mc.pack(passages, query=questions, budget=30)
    assert "Ada Brook" in both.text
    assert "island 3" in both.text
    assert mc.pack(passages, query=questions[::-1], budget=30).text == both.text
    # a question that nothing answers takes nothing from the others
    with pytest.warns(InputWarning, match="query='zebra'.* none of its words"):
        beside = mc.pack(passages, query=[*questions, "zebra"], budget=30)
    assert (beside.text, beside.value) == (both.text, both.value)
    kinds = {one.index: one.kind for one in both.left_out}
    assert "matches nothing" not in kinds.values()


@pytest.mark.parametrize("query", ["the blue cat", ""])
def test_one_question_in_a_list_is_that_question(query):
    passages = random_passages(np.random.default_rng(1))
    alone, listed = (mc.pack(passages, query=q, budget=30) for q in (query, [query]))
    assert (alone.text, alone.value) == (listed.text, listed.value)
    assert mc.pack(passages, query=[], budget=30).text == mc.pack(passages, budget=30).text


@pytest.mark.parametrize("seed", range(5))
def test_ranks_are_shared_out_by_the_definition(seed):
    rng = np.random.default_rng(seed)
    best = rng.integers(0, 4, (3, 12)) / 3
    ranks = rng.permutation(12) + 1
    slow = []
    for p in range(12):
        mine = [q for q in range(3) if best[q, p] == best[:, p].max()]
        ahead = [
            sum(ranks[o] <= ranks[p] and best[q, o] == best[:, o].max() for o in range(12))
            for q in mine
        ]
        slow.append(min(ahead))
    assert share_ranks(ranks, best).tolist() == slow
    assert share_ranks(ranks, best[:1]).tolist() == ranks.tolist()


def test_questions_are_texts():
    with pytest.raises(OptionError, match="expected query to be a text or a list of texts"):
        mc.pack(["Cats purr."], query=[1], budget=9)


@pytest.mark.parametrize("budget", [40, 400])
def test_where_little_fits_a_common_word_of_the_question_is_no_reason_to_take_a_sentence(budget):
    rng = np.random.default_rng(0)
    said = [" ".join(rng.permutation(WORDS)[:6]) for _ in range(40)]
    found = [
        "Queen Ada was known for her bridge over the Zor. She built it of oak.",
        *(f"The {words} was famous." for words in said),
    ]
    packed = mc.pack(found, query="Which famous queen built a bridge over the Zor?", budget=budget)
    assert 0 in packed.indices
    assert ("famous" in packed.text) == (budget == 400)


def test_a_rare_word_of_the_best_sentence_beside_a_word_of_the_question_is_a_bridge():
    memory = Memory(ENGLISH, "auto")
    rest = [f"Some {word} story about the weather and the harvest." for word in WORDS * 3]
    found = [
        "The raid on Arda was led by the Falcons and failed.",
        "The Falcons are a unit of the raid school of Lund.",
        *rest,
    ]
    said = collect(memory.read(found), memory)
    asked = [said.find(memory.ask("When was the failed raid on Arda led?"))]
    kept = judge(said, np.arange(1, said.n_passages + 1), asked, fits=0.05).close
    assert kept[:2].tolist() == [True, True]
    assert not kept[2:].any()


def test_the_first_passage_counts_without_a_word_of_the_question():
    found = ["Ending a plan takes one letter to the office.", *(f"{w} hats." for w in WORDS * 5)]
    memory = Memory(ENGLISH, "auto")
    said = collect(memory.read([*found, "A subscription is dear."]), memory)
    asked = [said.find(memory.ask("How do I cancel a subscription?"))]
    kept = judge(said, np.arange(1, said.n_passages + 1), asked, fits=0.05).close
    assert np.flatnonzero(kept).tolist() == [0, said.n_sentences - 1]
