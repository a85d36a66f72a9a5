"""Worth: how much an editor wants each sentence in a summary of its text.

A sentence is worth more if it tells the main point and can be read below the title. A logistic
model estimates this from where the sentence stands, what kind of block holds it, what it shares
with the title and with the rest of the text, and which words it has. Its weights are in
``text/data/worth.tsv``, learned from 605 texts whose sentences were judged one by one, and from the
development half of the bed (``studies/worth``). The weights of words are English.
"""

from __future__ import annotations

from functools import cache
from itertools import repeat
from operator import contains
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core.ascending import distinct, is_new
from maxcover.texts.judge.candidates import LATE, PART, SENTENCE
from maxcover.texts.read.kinds import find_heads
from maxcover.texts.words.lists import DATA, read_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from maxcover.ground.array_types import Floats, Int64s, Mask
    from maxcover.texts.weigh.corpus import Corpus

ENGLISH = "en"
WORD = "word"
"""What the name of the weight of a word begins with, before its stem."""

FAR = 60
"""Sentences behind so many candidates are equally far from the beginning, so that long documents
speak to their end. 25 costs .0016 of ROUGE-1 recall, 60 .0002 (benchmarks/rouge_floor.py)."""

_HEADS = ("heading", "title")
_SIGNS: dict[str, tuple[Callable[[str, str], bool], tuple[str, ...]]] = {
    "has a bracket": (contains, ("(",)),
    "has a quotation mark": (contains, ('"', "“")),
    "has an address": (contains, ("http", "www.")),
    "ends with a colon": (str.endswith, (":",)),
    "ends with an exclamation mark": (str.endswith, ("!",)),
    "is a question": (str.endswith, ("?",)),
    "ends a sentence": (str.endswith, (".", "!", "?", "。")),
}


def find_worth(corpus: Corpus) -> Floats:
    r"""Return the worth of each sentence, between 0 and 1; 0 for what cannot be chosen.

    The worth is the expected grade by an editor: 1 for a sentence that tells the main point, 3/7
    for another one of a good summary, 1/7 for one that may stand, 0 for one that would be struck.

    Examples
    --------
    >>> from maxcover.texts import prepare
    >>> text = "# Closed quay\n\nThe quay is closed until May.\n\n## Contact\n\nCall us at noon."
    >>> worth = find_worth(prepare([text], form="markdown"))
    >>> bool(worth[1] > 3 * worth[3])
    True
    """
    weights, of_words = _read_weights()
    rows = np.flatnonzero(is_judged(corpus))
    worth = np.zeros(len(corpus))
    total = np.full(len(rows), weights["(bias)"])
    for name, values in find_features(corpus, rows).items():
        total += weights.get(name, 0.0) * values
    if corpus.language.code == ENGLISH:
        terms = corpus.terms
        said = np.array([of_words.get(stem, 0.0) for stem in terms.labels])
        total += np.bincount(terms.rows, said[terms.ids], minlength=len(corpus))[rows]
    worth[rows] = 1 / (1 + np.exp(-total))
    return worth


def is_judged(corpus: Corpus) -> Mask:
    """Return a mask of the sentences that an editor judges: content that is no heading or table."""
    named = np.array([kind in (*_HEADS, "table") for kind in corpus.kinds], np.bool_)
    return (corpus.standing >= PART) & ~named


def find_features(corpus: Corpus, rows: Int64s) -> dict[str, Floats]:
    """Return the features of the sentences in `rows`, by name."""
    found: dict[str, Any] = {}
    heads = np.array([kind in _HEADS for kind in corpus.kinds], np.bool_)
    for part in (_find_place, _find_form, _find_section, _find_turn, _find_content, _find_words):
        found |= part(corpus, heads)
    return {name: np.asarray(values, np.float64)[rows] for name, values in found.items()}


def _steps(name: str, values: Any, steps: tuple[float, ...]) -> Mapping[str, Any]:
    return {f"{name} > {step:g}": values > step for step in steps}


def _find_place(corpus: Corpus, _: Mask) -> dict[str, Any]:
    """Return features of the place of a sentence among the candidates of its document."""
    document, may = corpus.document, corpus.standing >= LATE
    before: Int64s = np.cumsum(may) - may
    rank: Int64s = before - before[np.searchsorted(document, document)]
    count = np.maximum(1, np.bincount(document, may)[document])
    share = rank / count
    several = len(corpus.documents) > 1
    found = {
        "place, log": np.log1p(np.minimum(rank, FAR)),
        "place, share": share,
        "place, log share": np.log1p(rank) / np.log1p(count),
        "candidates, log": np.log(count),
        "first": rank == 0,
        "last two": count - rank <= 2,
        "last tenth": (count - 1 - rank) / count < 0.1,
        **{f"place < {step}": rank < step for step in (2, 3, 5, 10)},
        **_steps("place, share", share, (0.1, 0.2, 0.4, 0.6, 0.8)),
    }
    if several:
        found |= {
            "several documents": np.ones(len(corpus)),
            "first document": document == 0,
            "last document": document == len(corpus.documents) - 1,
            "first of several": rank == 0,
        }
    return found


def _find_form(corpus: Corpus, _: Mask) -> dict[str, Any]:
    """Return features of the block and of the form of a sentence."""
    kinds = np.array(corpus.kinds)
    words = corpus.n_words
    found: dict[str, Any] = {
        f"kind {kind}": kinds == kind
        for kind in ("paragraph", "list item", "item text", "quotation", "speech", "torn item")
    }
    spoken = np.array([bool(who) for who in corpus.speakers], np.bool_)
    labelled = np.array([bool(label) for label in corpus.under], np.bool_)
    found |= {
        "whole sentence": corpus.standing >= SENTENCE,
        "unusual shape": corpus.standing == LATE,
        "has a label": labelled & ~spoken,
        "words, log": np.log(np.maximum(1, words)),
        "begins a block": begins_block(corpus),
        **_steps("words", words, (6, 10, 15, 22, 32)),
    }
    texts = corpus.texts
    for name, (test, signs) in _SIGNS.items():
        has = [np.fromiter(map(test, texts, repeat(sign)), np.bool_, len(texts)) for sign in signs]
        found[name] = np.logical_or.reduce(has)
    found["begins in lower case"] = [text[:1].islower() for text in texts]
    return found


def begins_block(corpus: Corpus) -> Mask:
    """Return which sentences begin a block: a paragraph, a list item, or another kind of block."""
    kinds = np.array(corpus.kinds)
    above = np.append([""], kinds[:-1])
    return np.asarray(_find_starts(corpus) | (kinds != above) | (kinds == "list item"), np.bool_)


def _find_starts(corpus: Corpus) -> Mask:
    """Return which sentences have an empty line, or the start of a document, before them."""
    ends, starts = corpus.ends.tolist(), corpus.starts.tolist()
    fresh = is_new(corpus.document)
    return np.array(
        [
            bool(new)
            or (
                starts[row] > ends[row - 1] + 1
                and "\n\n" in corpus.documents[document][ends[row - 1] : starts[row]]
            )
            for row, (new, document) in enumerate(zip(fresh, corpus.document.tolist(), strict=True))
        ],
        np.bool_,
    )


def _find_section(corpus: Corpus, heads: Mask) -> dict[str, Any]:
    """Return features of the section: how many are before it, and what its heading says."""
    document = corpus.document
    above = np.append([False], heads[:-1]) & ~is_new(document)
    opens = heads & ~above
    count = np.cumsum(opens)
    count = count - (count - opens)[np.searchsorted(document, document)]
    last = find_heads(corpus.kinds, document)
    found = {
        "below a heading": above,
        "first section": count <= 1,
        "second section": count == 2,
        "section, log": np.log1p(count),
    }
    bits = _bits_of(corpus, "under")[0]
    headed = np.where(last >= 0, bits[last], 0)
    return found | {
        f"below {name}": headed & 1 << place != 0 for place, name in enumerate(_names("under"))
    }


def _find_turn(corpus: Corpus, _: Mask) -> dict[str, Any]:
    """Return features of the turn: who speaks when in a talk or thread; {} if nobody speaks."""
    speakers = np.array(corpus.speakers)
    change = np.append([False], speakers[1:] != speakers[:-1])
    turn = np.cumsum(change)
    if not turn[-1:].any():
        return {}
    first = next((who for who in corpus.speakers if who), "")
    mine = is_judged(corpus)
    before: Int64s = np.cumsum(mine) - mine
    within: Int64s = before - before[np.searchsorted(turn, turn)]
    return {
        "talk": np.ones(len(corpus)),
        "turn, log": np.log1p(turn),
        "turn, share": turn / turn[-1],
        "first turn": turn <= 1,
        "last turns": turn >= turn[-1] - 1,
        "by the first speaker": speakers == first,
        "place in turn, log": np.log1p(within),
        "begins a turn": within == 0,
        "turn length, log": np.log(np.maximum(1, np.bincount(turn, mine)[turn])),
    }


def _find_content(corpus: Corpus, heads: Mask) -> dict[str, Any]:
    """Return features of the concepts: their weight, and those of the title and other documents."""
    count, document = len(corpus), corpus.document
    may = corpus.standing >= LATE
    rows = np.repeat(np.arange(count), np.diff(corpus.indptr))
    weight = np.bincount(rows, corpus.weights[corpus.indices], minlength=count)
    density = weight / np.maximum(1, corpus.n_words)
    found: dict[str, Any] = {
        "weight": np.minimum(3, weight / (weight[may].sum() / max(1, may.sum()) or 1)),
        "weight of a word": np.minimum(3, density / (density[may].sum() / max(1, may.sum()) or 1)),
    }
    if len(corpus.documents) > 1:
        size = len(corpus.weights)
        held = distinct(np.repeat(document, np.diff(corpus.indptr)) * size + corpus.indices)
        uses = np.bincount(held % size, minlength=size) - 1
        shared = np.bincount(rows, uses[corpus.indices], minlength=count)
        others = np.maximum(1, np.diff(corpus.indptr)) * (len(corpus.documents) - 1)
        found["shared by other documents"] = shared / others
    titles = np.array([kind == "title" for kind in corpus.kinds], np.bool_)
    titles |= heads & is_new(document)
    return found | _find_titled(corpus, titles)


def _find_titled(corpus: Corpus, titles: Mask) -> dict[str, Any]:
    """Return features of the words that a sentence shares with the titles; {} without a title."""
    terms, count = corpus.terms, len(corpus)
    rows, ids = terms.rows, terms.ids
    said = np.zeros(len(terms.labels), np.bool_)
    said[ids[titles[rows]]] = True
    said &= ~terms.common
    if not said.any():
        return {}
    here = said[ids] & is_judged(corpus)[rows]
    pairs = distinct(rows[here].astype(np.int64) * len(said) + ids[here])
    uses = np.bincount(pairs % len(said), minlength=len(said))
    rarity = np.where(said, np.log1p(np.count_nonzero(is_judged(corpus)) / np.maximum(1, uses)), 0)
    share = np.bincount(pairs // len(said), rarity[pairs % len(said)], minlength=count)
    share = share / (rarity.sum() or 1)
    number = np.bincount(pairs // len(said), minlength=count)
    return {
        "has a title": np.ones(count),
        "share of the title": share,
        "words of the title": np.minimum(3, number),
        **_steps("share of the title", share, (0.5,)),
    }


def _find_words(corpus: Corpus, _: Mask) -> dict[str, Any]:
    """Return features of the words of a sentence: numbers, names, and in English the first word."""
    terms, count = corpus.terms, len(corpus)
    rows = terms.rows
    numbers = terms.vocabulary.look_up(_number_of)[terms.words]
    inside = np.append([False], rows[1:] == rows[:-1])
    names = np.bincount(rows[terms.capital & inside], minlength=count)
    found: dict[str, Any] = {
        "numbers": np.minimum(3, np.bincount(rows[numbers > 0], minlength=count)),
        "has a year": np.bincount(rows[numbers > 1], minlength=count) > 0,
        "names": np.minimum(4, names),
    }
    if corpus.language.code != ENGLISH:
        return found
    bits = _bits_of(corpus, "begins")[1]
    begins = {
        f"begins: {name}": bits & 1 << place != 0 for place, name in enumerate(_names("begins"))
    }
    return found | begins | {"English": np.ones(count)}


def _number_of(word: str) -> int:
    """Return 2 for a year, 1 for another number, 0 for other words."""
    if not word[:1].isdigit():
        return 0
    return 2 if len(word) == 4 and word.isdigit() and word[:2] in ("19", "20") else 1


def _bits_of(corpus: Corpus, table: str) -> tuple[Int64s, Int64s]:
    """Return the lists of a table, as bits, that hold a word or the first word of each sentence."""
    terms = corpus.terms
    known = terms.vocabulary.look_up(_bits(table).__getitem__, f"worth {table}")[terms.words]
    worded = np.flatnonzero(np.diff(terms.indptr))
    has, first = np.zeros((2, len(corpus)), np.int64)
    if worded.size:
        has[worded] = np.bitwise_or.reduceat(known, terms.indptr[worded])
        first[worded] = known[terms.indptr[worded]]
    return has, first


class _Bits(dict[str, int]):
    def __missing__(self, word: str) -> int:
        return 0


@cache
def _bits(table: str) -> _Bits:
    """Return for each word the lists of a table that hold it, as bits."""
    found = _Bits()
    for place, words in enumerate(read_table("worth")[table].values()):
        for word in words.split():
            found[word] = found[word] | 1 << place
    return found


def _names(table: str) -> list[str]:
    return list(read_table("worth")[table])


@cache
def _read_weights() -> tuple[dict[str, float], dict[str, float]]:
    """Read the weight of each feature, and of each word by its stem."""
    lines = (DATA / "worth.tsv").read_text(encoding="utf-8").splitlines()[1:]
    weights, of_words = dict[str, float](), dict[str, float]()
    for name, weight in (line.split("\t") for line in lines):
        kind, _, stem = name.partition(" ")
        known, key = (of_words, stem) if kind == WORD else (weights, name)
        known[key] = float(weight)
    return weights, of_words
