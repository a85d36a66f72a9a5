"""File index: the text files below a root, and how often each word occurs in each, on disk.

A file whose path, size and time of change are the same as before is not read again for ranking. The
index holds no text: only hashes of paths, and hashes and counts of the stems of words.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.engine.core.validation import positions_of
from maxcover.errors import OptionError
from maxcover.ground.files.listing import ListedFile, Listing, list_files
from maxcover.texts.packing.passages import ODD_SPELLING, split_identifier
from maxcover.texts.words.codepoints import Page, places_of, to_letters
from maxcover.texts.words.languages import find_language
from maxcover.texts.words.terms import expand
from maxcover.texts.words.vocabulary import Lexicon

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.ground.array_types import Floats, Int32s, Int64s


#: Files with more bytes than this are left out: no person wrote them.
LARGEST = 1_000_000


class TextFiles(Sequence[str]):
    """The texts of files as a sequence; "" for a file that is binary or has changed."""

    def __init__(self, files: Sequence[ListedFile], read: Callable[[str], str]) -> None:
        if not files:
            raise OptionError("expected text files, got files that are binary, empty or too large")
        self.files, self._read = files, read
        self.names = [file.path for file in files]

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, number: Any) -> Any:
        return self._read(self.names[number])

    def only(self, numbers: Iterable[int]) -> TextFiles:
        """Return only the files with these numbers."""
        return TextFiles([self.files[number] for number in numbers], self._read)


def find_files(root: str | Path, paths: str | Iterable[str]) -> TextFiles:
    """Find the text files below `root` that match paths or globs."""
    patterns = [paths] if isinstance(paths, str) else list(paths)
    listing = list_files(root, patterns)
    if not listing.files:
        named = ", ".join(map(repr, patterns[:5]))
        raise OptionError(f"expected paths or globs of text files below the root, got {named}")
    read = lru_cache(maxsize=None)(partial(_read_text, listing))
    return TextFiles([file for file in listing.files if file.size <= LARGEST], read)


def _read_text(listing: Listing, path: str) -> str:
    try:
        with listing.open(path) as file:
            content = file.read(LARGEST)
    except (OSError, OptionError):
        return ""
    return "" if b"\0" in content[:8192] else content.decode("utf-8", "replace")


# Texts are read in batches of about this many characters, to limit memory.
_AT_ONCE = 4_000_000
# An index is written only if at least this many bytes of files are new. Reading fewer bytes again
# is as fast as loading an index.
_WORTH_KEEPING = 1_000_000
# An index holds at most this many files, the last ones that were read.
_MOST_FILES = 100_000
# The file name of the index. Its number is raised when the splitting of texts into words changes.
_NAME = "words-2.npz"


class WordCounts(NamedTuple):
    """Word counts as CSR arrays: text k has the stem hashes ``stems[until[k]:until[k + 1]]``."""

    until: Int64s
    stems: NDArray[np.uint64]
    counts: Int32s
    lengths: Int64s

    def take(self, texts: Sequence[int]) -> WordCounts:
        """Return the counts of some of the texts."""
        some = np.array(texts, np.int64)
        places = positions_of(self.until, some)
        until = np.append(0, np.cumsum(np.diff(self.until)[some]))
        return WordCounts(until, self.stems[places], self.counts[places], self.lengths[some])

    def join(self, other: WordCounts) -> WordCounts:
        """Return the counts of these texts followed by those of `other`."""
        until = np.append(self.until, other.until[1:] + self.until[-1])
        return WordCounts(
            until,
            np.append(self.stems, other.stems),
            np.append(self.counts, other.counts),
            np.append(self.lengths, other.lengths),
        )

    def of(self, asked: NDArray[np.uint64]) -> Floats:
        """Return an array (n_words, n_texts): how often each asked word occurs in each text."""
        table = np.zeros((len(asked), len(self.lengths)))
        order = np.argsort(asked)
        found = np.flatnonzero(np.isin(self.stems, asked))
        texts = np.searchsorted(self.until, found, side="right") - 1
        rows = order[np.searchsorted(asked, self.stems[found], sorter=order)]
        table[rows, texts] = self.counts[found]
        return table


def hash_words(words: Sequence[str]) -> NDArray[np.uint64]:
    """Return 64-bit hashes of stems, the same in every process."""
    digests = b"".join(hashlib.blake2b(word.encode(), digest_size=8).digest() for word in words)
    return np.frombuffer(digests, np.uint64)


def count_words(texts: Sequence[str]) -> WordCounts:
    """Count the words of each text; an identifier also counts as its parts."""
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
    """Return half-open ranges of texts with about `_AT_ONCE` characters each."""
    ends = np.cumsum([len(text) for text in texts])
    number = ends // _AT_ONCE
    cuts = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(texts)]
    return [(a, b) for a, b in pairwise(cuts) if b > a]


def index_folder(index: str | Path | bool, root: Path) -> Path | None:
    """Return the folder for the index of `root`: below `index`, or in the user's cache."""
    if index is False:
        return None
    cache = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    held = Path(cache).expanduser() / "maxcover" if index is True else Path(index)
    return held / hashlib.blake2b(os.fsencode(root.resolve()), digest_size=8).hexdigest()


def index_files(texts: TextFiles, folder: Path | None) -> tuple[TextFiles, WordCounts]:
    """Count the words of each file; counts of files that did not change come from the index.

    Files without words are left out.
    """
    counted = count_words(list(texts)) if folder is None else _index(texts, folder)
    some = np.flatnonzero(counted.lengths).tolist()
    return (texts, counted) if len(some) == len(texts) else (texts.only(some), counted.take(some))


def _index(texts: TextFiles, folder: Path) -> WordCounts:
    files = texts.files
    paths = hash_words([file.path for file in files]).tolist()
    keys = [(path, file.size, file.changed) for path, file in zip(paths, files, strict=True)]
    known, counted = _load(folder)
    rows = {key: row for row, key in enumerate(known)}
    new = [number for number, key in enumerate(keys) if key not in rows]
    if new:
        counted = counted.join(count_words([texts[number] for number in new]))
        rows |= {keys[number]: len(known) + k for k, number in enumerate(new)}
        if sum(files[number].size for number in new) >= _WORTH_KEEPING:
            # A file that has changed has several rows; only the last one is kept.
            last = {key[0]: key for key in rows}
            kept = list(last.values())[-_MOST_FILES:]
            _save(folder, kept, counted.take([rows[key] for key in kept]))
    wanted = [rows[key] for key in keys]
    return counted if wanted == list(range(len(rows))) else counted.take(wanted)


def _load(folder: Path) -> tuple[list[tuple[int, ...]], WordCounts]:
    """Read an index: the key (path hash, size, time) and the words of each file."""
    try:
        with np.load(folder / _NAME, allow_pickle=False) as held:
            counted = WordCounts(*(held[name] for name in WordCounts._fields))
            paths, about = held["paths"].tolist(), held["about"].tolist()
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return [], count_words([])
    return [(path, *row) for path, row in zip(paths, about, strict=True)], counted


def _save(folder: Path, keys: Sequence[tuple[int, ...]], counted: WordCounts) -> None:
    """Write an index atomically: other processes see it complete or not at all."""
    paths = np.array([path for path, *_ in keys], np.uint64)
    about = np.array([row for _, *row in keys], np.int64).reshape(-1, 2)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".npz", delete=False) as file:
            np.savez(file, paths=paths, about=about, **counted._asdict())
        os.replace(file.name, folder / _NAME)
    except OSError:
        # The index is only a cache, so a full disk is not an error.
        return
