"""File index: how often each word occurs in each file, kept on disk by the content of the files.

A file that was read before, under any name, is not read into words again. What is kept holds no
text: digests of files, and hashes and counts of the stems of their words.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.packing.passages import ODD_SPELLING, split_identifier
from maxcover.text.words.codepoints import Page, places_of, to_letters
from maxcover.text.words.languages import find_language
from maxcover.text.words.terms import expand
from maxcover.text.words.vocabulary import Lexicon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]

# Texts are turned into words so many characters at a time.
_AT_ONCE = 4_000_000
# Characters that are new from which on an index is written: below, reading again is as fast.
_WORTH_KEEPING = 1_000_000
# Files of which counts are kept; beyond that, all are forgotten.
_MOST_FILES = 100_000
# Changed when the same text would be read into other words.
_NAME = "words-1.sqlite"


class WordCounts(NamedTuple):
    """How often texts hold words: text k holds ``stems[until[k]:until[k + 1]]``, as hashes."""

    until: Int64s
    stems: NDArray[np.uint64]
    counts: NDArray[np.int32]
    lengths: Int64s

    def of(self, asked: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Count words in each text: a table with one row per word."""
        table = np.zeros((len(asked), len(self.lengths)))
        order = np.argsort(asked)
        found = np.flatnonzero(np.isin(self.stems, asked))
        texts = np.searchsorted(self.until, found, side="right") - 1
        rows = order[np.searchsorted(asked, self.stems[found], sorter=order)]
        table[rows, texts] = self.counts[found]
        return table


def hash_words(words: Sequence[str]) -> NDArray[np.uint64]:
    """Give stems numbers that are the same in every process."""
    digests = b"".join(hashlib.blake2b(word.encode(), digest_size=8).digest() for word in words)
    return np.frombuffer(digests, np.uint64)


def count_words(texts: Sequence[str]) -> WordCounts:
    """Read texts into words, parts of identifiers apart, and count them."""
    lexicon = Lexicon(find_language("english").find_stemmer(), split_identifier, ODD_SPELLING)
    pairs, lengths = [], [np.empty(0, np.int64)]
    for first, last in _batches(texts):
        letters = to_letters("\n".join(texts[first:last]))
        places = places_of(texts[first:last])
        runs, until = lexicon.read_page(Page(letters, *places), elides=False, loose=True)
        words, until = expand(runs, until, lexicon.until, lexicon.flat)
        stems = lexicon.stem_of[words].astype(np.int64)
        rows = np.repeat(np.arange(first, last), np.diff(until))
        pairs.append((rows, stems))
        lengths.append(np.diff(until))
    hashes = hash_words(lexicon.stems.words)
    n_stems, counted = max(len(hashes), 1), []
    for rows, stems in pairs:
        codes, counts = np.unique(rows * n_stems + stems, return_counts=True)
        counted.append((codes // n_stems, hashes[codes % n_stems], counts.astype(np.int32)))
    empty = (np.empty(0, np.int64), np.empty(0, np.uint64), np.empty(0, np.int32))
    rows, held, counts = map(np.concatenate, zip(empty, *counted, strict=True))
    until = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(texts)))))
    return WordCounts(until, held, counts, np.concatenate(lengths))


def _batches(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Cut texts into runs of about as many characters as are read at once."""
    ends = np.cumsum([len(text) for text in texts])
    number = ends // _AT_ONCE
    cuts = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(texts)]
    return [(a, b) for a, b in pairwise(cuts) if b > a]


def index_folder(index: str | Path | bool, root: Path) -> Path | None:
    """Say where the index of a root folder is kept: below a folder, or the user's cache."""
    if index is False:
        return None
    cache = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    held = Path(cache).expanduser() / "maxcover" if index is True else Path(index)
    return held / hashlib.blake2b(os.fsencode(root.resolve()), digest_size=8).hexdigest()


def index_files(texts: Sequence[str], folder: Path | None) -> WordCounts:
    """Count the words of files, those that were read before from disk.

    Parameters
    ----------
    texts : sequence of str
    folder : Path, optional
        Where an index is kept; without one, nothing is.
    """
    if folder is None:
        return count_words(texts)
    keys = [
        hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest() for text in texts
    ]
    rows = _load(folder)
    new = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
    if new:
        read = count_words(list(new.values()))
        for key, length, (a, b) in zip(
            new, read.lengths.tolist(), pairwise(read.until), strict=True
        ):
            rows[key] = read.stems[a:b].tobytes(), read.counts[a:b].tobytes(), length
        if sum(map(len, new.values())) >= _WORTH_KEEPING:
            _save(folder, [(key, *rows[key]) for key in new])
    stems, counts, lengths = zip(*(rows[key] for key in keys), strict=True)
    until = np.cumsum([0, *(len(one) // 8 for one in stems)])
    held = np.frombuffer(b"".join(stems), np.uint64), np.frombuffer(b"".join(counts), np.int32)
    return WordCounts(until, *held, np.array(lengths, np.int64))


def _load(folder: Path) -> dict[bytes, tuple[bytes, bytes, int]]:
    """Read an index: stems, counts and length of each file; one that is damaged is as none."""
    path = (folder / _NAME).resolve()
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as held:
            return {key: tuple(row) for key, *row in held.execute("SELECT * FROM files")}
    except sqlite3.Error:
        return {}


def _save(folder: Path, rows: list[tuple[bytes, bytes, bytes, int]]) -> None:
    """Add files to an index; one that is damaged or has become too large begins anew."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with closing(sqlite3.connect(folder / _NAME)) as held, held:
            held.execute("CREATE TABLE IF NOT EXISTS files (key PRIMARY KEY, stems, counts, n)")
            (size,) = held.execute("SELECT count(*) FROM files").fetchone()
            if size + len(rows) > _MOST_FILES:
                held.execute("DELETE FROM files")
            held.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", rows)
    except sqlite3.DatabaseError:
        (folder / _NAME).unlink(missing_ok=True)
    except OSError:
        # a full disk is no error
        return
