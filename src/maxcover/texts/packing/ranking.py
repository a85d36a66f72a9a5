"""Ranking: the blocks of files that a question asks for, best first.

A file is scored by BM25F over its words and the words of its path; a block by BM25F over its words,
its signature and the path, plus a part of its file's score. Tests, examples and the like count half
unless the question speaks of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.texts.packing.file_blocks import PROSE, cut_file, is_stub
from maxcover.texts.packing.file_index import count_words, hash_words
from maxcover.texts.packing.passages import split_identifier
from maxcover.texts.words.languages import find_language
from maxcover.texts.words.stems import stem_words
from maxcover.texts.words.tokens import find_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from maxcover.ground.array_types import Floats, Int64s, Mask
    from maxcover.texts.packing.file_index import WordCounts


# The parameters k1 (saturation of repeated words) and b (length normalisation) of BM25F.
K, B = 1.5, 0.75
# Weights of fields in BM25F: a word of the path counts PATH_OF_FILE times for a file and PATH times
# for a block; a word of the signature counts SIGNATURE times for a block, and at most
# MOST_IN_SIGNATURE occurrences of it count.
PATH_OF_FILE, SIGNATURE, PATH, MOST_IN_SIGNATURE = 5.0, 1.0, 3.0, 3.0
# A block gets this share of its file's relative score on top of its own score.
FILE = 0.3
# Only this many of the best files are cut into blocks.
MOST_FILES = 200
# Factor on the score of stubs of overloads, which stay behind what they declare.
STUB = 0.1
# Factor on the score of tests, examples and the like, unless the question mentions them.
ASIDE = 0.5
_ASIDE = re.compile(
    r"(^|/)(tests?|__tests__|testing|testdata|testutils?|specs?|fixtures?|examples?|docs?|demos?"
    r"|benchmarks?|e2e|vendor|third_party|dist)(/|$)|(^|/)(test_|conftest)|_test\.\w+$"
    r"|\.(test|spec|bench|stories|min)\.\w+$|Tests?\.\w+$|\.d\.ts$",
)
_ASKED_ASIDE = re.compile(
    r"\b(tests?|testing|specs?|fixtures?|examples?|docs|demos?|benchmarks?)\b"
)
# Words of a request that do not say what it is about.
_REQUEST = (
    "fix fixed fixes bug bugs bugfix issue issues resolve resolved add added adds use used using "
    "via now make makes ensure should instead when"
)


class RankedBlock(NamedTuple):
    """A block from `start` to `end` of file number `file`, with its score."""

    file: int
    start: int
    end: int
    score: float


def rank_blocks(
    names: Sequence[str],
    texts: Sequence[str],
    queries: Sequence[str],
    index: WordCounts | None = None,
    *,
    prose: int = PROSE,
) -> list[RankedBlock]:
    """Rank blocks by their best score over all questions; leave out those that match none.

    Parameters
    ----------
    names, texts : sequence of str
        Paths of files, and their contents.
    queries : sequence of str
    index : WordCounts, optional
        Word counts of the texts; counted here if None.
    prose : int
        Characters of a block of prose.
    """
    index = count_words(texts) if index is None else index
    paths = count_words([name.rpartition(".")[0] for name in names])
    best: dict[tuple[int, int, int], float] = {}
    for query in queries:
        for place, score in _rank(names, texts, query, index, paths, prose=prose):
            best[place] = max(score, best.get(place, 0.0))
    ranked = (RankedBlock(*place, score) for place, score in best.items())
    return sorted(ranked, key=lambda one: (-one.score, one.file, one.start))


def words_of(query: str) -> list[str]:
    """Return the stems of the words of a question, without stop words and request words."""
    language = find_language("english")
    left_out = {*language.stop_words, *_REQUEST.split()}
    found = [word for run in find_runs(query) for word in split_identifier(run)]
    told = [word for word in found if word not in left_out] or found
    return list(dict.fromkeys(stem_words(told, language.find_stemmer())))


def _rank(
    names: Sequence[str],
    texts: Sequence[str],
    query: str,
    index: WordCounts,
    paths: WordCounts,
    *,
    prose: int,
) -> Iterator[tuple[tuple[int, int, int], float]]:
    """Score the blocks of the best files for one question."""
    asked = hash_words(words_of(query))
    aside = np.array([_ASIDE.search(name) is not None for name in names], dtype=bool)
    factor = np.where(aside & (_ASKED_ASIDE.search(query.casefold()) is None), ASIDE, 1.0)
    body, path = index.of(asked), paths.of(asked)
    of_file = factor * _bm25(body + PATH_OF_FILE * path, (body > 0) | (path > 0), index.lengths)
    of_file /= max(float(of_file.max(initial=0.0)), 1e-9)
    best = np.argsort(-of_file, kind="stable")[:MOST_FILES]
    blocks = [
        (file, *block)
        for file in best[of_file[best] > 0].tolist()
        for block in cut_file(names[file], texts[file], prose)
    ]
    files = np.array([file for file, *_ in blocks], np.int64)
    shown = [texts[file][start:end] for file, start, end, _ in blocks]
    signatures = [signature for *_, signature in blocks]
    counted = count_words(shown + signatures)  # most words are in both
    held, signed = np.hsplit(counted.of(asked), 2)
    signed = np.minimum(signed, MOST_IN_SIGNATURE)
    counts = held + SIGNATURE * signed + PATH * path[:, files]
    score = factor[files] * _bm25(counts, held > 0, counted.lengths[: len(blocks)])
    score *= (held + signed).any(axis=0)
    score *= np.where([is_stub(text) for text in shown], STUB, 1.0)
    score /= max(float(score.max(initial=0.0)), 1e-9)
    total = np.where(score > 0, score + FILE * of_file[files], 0.0)
    for (*place, _), value in zip(blocks, total.tolist(), strict=True):
        if value > 0:
            yield tuple(place), value


def _bm25(counts: Floats, held: Mask, lengths: Int64s) -> Floats:
    """Return the BM25 score of each text; document frequencies are counted from `held`."""
    n, found = counts.shape[1], held.sum(axis=1)[:, None]
    rarity = np.log(1 + (n - found + 0.5) / (found + 0.5))
    norm = K * (1 - B + B * lengths / max(float(lengths.mean()) if n else 1.0, 1.0))
    return np.asarray((rarity * counts * (K + 1) / (counts + norm)).sum(axis=0))
