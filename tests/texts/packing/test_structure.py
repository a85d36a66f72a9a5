"""What must stay whole: code, tables and lists; and versions of a statement."""

import itertools
from functools import partial

import numpy as np
import pytest

import maxcover as mc
from maxcover.texts.packing.cutting import cut_all
from maxcover.texts.packing.file_blocks import is_code_name
from maxcover.texts.packing.occurrences import collect
from maxcover.texts.packing.passage_kinds import LINED, PROSE
from maxcover.texts.packing.passages import DENYING, Memory
from maxcover.texts.packing.statements import are_repeated, find_copies, find_versions
from maxcover.texts.packing.structure import is_code
from maxcover.texts.split.sentences import split_each
from maxcover.texts.words.languages import find_language

ENGLISH = find_language("english")
SPLIT = partial(split_each, language=ENGLISH)
CODE = '''import os


class Pool:
    """A pool. It has a size."""

    def __init__(self, max_size):
        self.max_size = max_size
        self.free = []

    @property
    def is_full(self):
        # a comment that goes with it
        if self.free:
            return False

        return len(self.free) == self.max_size


def exit_conditions(
    pool,
    deadline,
):
    while not pool.is_full:
        pool.wait(deadline)
    return pool
'''


def pieces(text, *, most=4096, ending=""):
    (found,) = cut_all([text], SPLIT, endings=[ending], most=most)
    return [text[one.start : one.end] for one in found.parts], [one.head for one in found.parts]


def test_functions_are_pieces_and_keep_their_decorators():
    found, heads = pieces(CODE, most=300)
    assert any(one.startswith("    @property\n    def is_full") for one in found)
    whole = next(one for one in found if "exit_conditions" in one)
    assert whole.startswith("def exit_conditions(")
    assert whole.endswith("return pool")
    assert PROSE not in heads


def test_a_function_that_does_not_fit_keeps_its_signature():
    body = "\n".join(f"    total += weigh(basket[{k}], scale={k})" for k in range(40))
    text = f"def weigh_all(\n    basket,\n):\n    total = 0\n\n{body}\n\n    return total\n"
    packed = mc.pack([text], query="total of the basket with scale 17", budget=90)
    assert packed.text.startswith("def weigh_all(\n    basket,\n):\n")
    assert packed.cost <= 90
    assert "return" not in packed.text or "    return total" in packed.text


def test_code_is_joined_by_line_ends():
    filler = "\n\n\n".join(f"def other{k}(a):\n    return a * {k} + {k}" for k in range(30))
    text = f"{filler}\n\n\n{CODE}"
    packed = mc.pack([text], query="exit conditions of the pool", budget=60)
    assert "def exit_conditions(\n    pool,\n    deadline,\n):" in packed.text


def test_identifiers_are_matched_by_their_parts():
    texts = ["def a():\n    return maxPoolSize", "def b():\n    return minimum_wait"] * 1
    assert mc.pack(texts, query="largest size of the pool", budget=9).indices == (0,)


@pytest.mark.parametrize(
    ("name", "code"), [("a/b.py", True), ("B.TS", True), ("py", False), ("a.txt", False)]
)
def test_files_by_their_ending(name, code):
    assert is_code_name(name) is code


def test_prose_is_no_code():
    for text in (
        "Dogs bark at night, and cats do not.\nThey sleep until it is morning in the town.",
        "Dear Ann,\n\nthank you for the letter.\n\nBest wishes\nBob",
        "- one item of the list\n- another item of the list",
    ):
        assert not is_code(text)


def test_a_row_of_a_table_keeps_its_head():
    rows = "\n".join(f"| plan {k} of the shop | {k}9 euros a month |" for k in range(30))
    table = f"These are the prices.\n\n| plan | price |\n|---|---|\n{rows}\n\nAsk us for more."
    packed = mc.pack([table], query="price of plan 17", budget=60, granularity="sentence")
    assert "| plan | price |\n|---|---|" in packed.text
    assert "| plan 17 of the shop | 179 euros a month |" in packed.text


def test_fences_and_lists_stay_whole():
    fence = "```python\nx = a.b. c\nfor k in x: print(k)\n```"
    text = f"Some words come first.\n\n{fence}\n\nMore words stand here.\n\nThe end."
    found, heads = pieces(text)
    assert fence in found
    assert heads.count(LINED) == 1
    steps = "Do these things in order:\n- open the box\n  and look\n- close it"
    assert pieces(f"A first sentence stands here.\n\n{steps}")[0][-1] == steps


def test_pieces_of_structured_passages_tile_them():
    for text in (
        CODE,
        f"Words before.\n\n```\n{CODE}\n```\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    ):
        for most in (64, 256, 4096):
            before = 0
            for start, end, *_ in cut_all([text], SPLIT, most=most)[0].parts:
                assert not text[before:start].strip("` \n-") or most < 4096
                assert start < end
                before = end


VERSIONS = [
    "The cancellation period for premium plans is 14 days after purchase.",
    "The cancellation period for premium plans is 30 days after purchase.",
    "The cancellation period for premium plans is 30 days after the purchase.",
    "Aspirin is recommended for patients with a history of stroke.",
    "Aspirin is not recommended for patients with a history of stroke.",
    "The clinic in the old town opens at nine in the morning.",
]


def test_versions_are_found_and_repetitions_are_not():
    memory = Memory(ENGLISH, "auto")
    said = collect(memory.read(VERSIONS), memory)
    found = find_versions(said, np.ones(said.n_sentences))
    assert found.sentences.tolist() == [0, 1, 3, 4]
    assert set(zip(*(side.tolist() for side in found.within), strict=True)) == {(1, 2), (2, 1)}
    assert found.repeated.tolist() == [2]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mote wrote that this term was {}misleading and the ranks did not match.", ("", "not ")),
        ("In a year the Amazon absorbs {} tons of carbon, and 5 tons were released.", (5, 7)),
        ("The club left after 2014, and its return to the league is set for {}.", (2014, 2018)),
        ("Change your {} to move the files to a new store.", ("files setting", "setting files")),
        ("The offer ends {} the first Monday of the month.", ("before", "after")),
    ],
)
def test_a_value_that_stands_elsewhere_too_is_missed_all_the_same(one, other):
    memory = Memory(ENGLISH, "auto")
    said = collect(memory.read([one.format(value) for value in other]), memory)
    assert find_versions(said, np.ones(said.n_sentences)).sentences.tolist() == [0, 1]


def is_within(one, two):
    left = iter(two)
    return all(word in left for word in one)


@pytest.mark.parametrize("seed", range(10))
def test_near_copies_by_the_definition(seed):
    """The product of sparse matrices against sets, pair by pair."""
    rng = np.random.default_rng(seed)
    words = ["cat", "dog", "sun", "tree", "not", "7", "8", "the", "far", "blue"]
    texts = [" ".join(rng.choice(words, 9)) + " and so it goes on" for _ in range(12)]
    # copies with a word left out or put in
    for text in texts[:6]:
        said_so = text.split()
        at, word = rng.integers(len(said_so)), str(rng.choice(words))
        texts += [
            " ".join(said_so[:at] + said_so[at + 1 :]),
            " ".join([*said_so[:at], word, *said_so[at:]]),
        ]
    memory = Memory(ENGLISH, "auto")
    said = collect(memory.read(texts), memory)
    every = np.arange(said.n_sentences)
    left, right, *_ = find_copies(said.phrase_pairs, said.n_sentences, every, every)
    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    forth, back = (found.tolist() for found in are_repeated(said, left, right))
    fast = dict(zip(pairs, forth, strict=True))
    assert [fast[b, a] for a, b in pairs] == back
    own = [[int(w) for w in said.words[said.rows == k]] for k in every]
    kinds = said.kinds(np.arange(said.n_words))
    slow = {}
    for a, b in itertools.permutations(range(said.n_sentences), 2):
        one, two = (set(itertools.pairwise(own[k])) for k in (a, b))
        least = min(len(one), len(two))
        half = max(len(one), len(two)) / 2
        shared = len(one & two)
        if shared < max(min(0.7 * least, max(least - 2, 3)), 1, half) and shared < least:
            continue
        counts = [np.bincount(kinds[own[k]], minlength=3).tolist() for k in (a, b)]
        alike = counts[0][1:] == counts[1][1:]
        slow[a, b] = counts[0][DENYING] == counts[1][DENYING] and (
            is_within(own[a], own[b]) or (alike and is_within(own[b], own[a]))
        )
    assert fast == slow
    assert {True, False} == set(slow.values())


def test_all_versions_are_in_the_context():
    filler = [
        f"Premium plans include {word} and a dashboard for teams." for word in ("seats", "mail")
    ]
    packed = mc.pack(
        VERSIONS[:3] + filler, query="cancellation period for premium plans", budget=40
    )
    assert "14 days" in packed.text
    assert "30 days" in packed.text
    packed = mc.pack(VERSIONS[3:], query="Is aspirin recommended after stroke?", budget=30)
    assert set(packed.indices) == {0, 1}
