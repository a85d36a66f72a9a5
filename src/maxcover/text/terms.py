"""Terms: the sentences of a collection as arrays of numbered stems."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from maxcover.text.letters import batches, places_of, to_letters
from maxcover.text.spellings import Spellings
from maxcover.text.stems import stem_words
from maxcover.text.tokens import normalize


@dataclass(frozen=True, slots=True)
class Terms:
    """Every word of every sentence, as numbers.

    Attributes
    ----------
    labels : list of str
        The distinct terms (stems, or words where stemming is off), by first appearance.
    ids : int32 array (n_words)
        The term of each word, sentence after sentence.
    words : int32 array (n_words)
        The same before stemming: equal numbers are equal words.
    vocabulary : list of str
        The distinct words, by number.
    capital : bool array (n_words)
        Which words begin with a capital letter.
    stops : bool array (n_words)
        Where a stop word stands that is to be left out.
    common : bool array (n_labels)
        Which terms carry no content of their own: those of the language's stop words.
    indptr : int64 array (n_sentences + 1)
        Sentence i holds the words ``indptr[i]:indptr[i + 1]``.
    """

    labels: list[str]
    ids: NDArray[np.int32]
    words: NDArray[np.int32]
    vocabulary: list[str]
    capital: NDArray[np.bool_]
    stops: NDArray[np.bool_]
    common: NDArray[np.bool_]
    indptr: NDArray[np.int64]

    @property
    def rows(self) -> NDArray[np.int32]:
        """The sentence of each word."""
        lengths = np.diff(self.indptr)
        return np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)

    def count_content(self) -> NDArray[np.int64]:
        """Count the words with content of each sentence."""
        kept = ~self.common[self.ids] if self.labels else np.zeros(0, np.bool_)
        running = np.concatenate(([0], np.cumsum(kept)))
        return np.asarray(np.diff(running[self.indptr]), np.int64)

    def only(self, kept: NDArray[np.bool_]) -> "Terms":
        """Return the words of some sentences; numbers and labels stay."""
        if kept.all():
            return self
        lengths = np.diff(self.indptr)
        inside = np.repeat(kept, lengths)
        indptr = np.concatenate(([0], np.cumsum(lengths[kept])))
        return replace(
            self,
            ids=self.ids[inside],
            words=self.words[inside],
            capital=self.capital[inside],
            stops=self.stops[inside],
            indptr=indptr,
        )


def find_terms(
    sentences: Iterable[str],
    *,
    stemmer: str | None,
    stop_words: Collection[str] = (),
    common: Collection[str] = (),
    elides: bool = False,
) -> Terms:
    """Read the words of sentences; each distinct spelling is normalised and stemmed once.

    Examples
    --------
    >>> terms = find_terms(["Cats purr.", "A cat!"], stemmer="english")
    >>> terms.labels, terms.ids.tolist(), terms.indptr.tolist()
    (['cat', 'purr', 'a'], [0, 1, 2, 0], [0, 2, 4])
    """
    spellings, runs, indptr = _number_runs(sentences, elides=elides)
    given, counts = _normalize_all(spellings)
    flat, numbers = _number(given)
    until = np.concatenate(([0], np.cumsum(counts)))
    words, indptr = expand(runs, indptr, until, flat)
    term_of_word, labels = _number(stem_words(list(numbers), stemmer))
    is_stop = np.zeros(len(numbers), np.bool_)
    is_stop[[numbers[word] for word in stop_words if word in numbers]] = True
    is_common = np.zeros(len(labels), np.bool_)
    empty = _stems(frozenset(common), stemmer)
    is_common[[labels[stem] for stem in empty if stem in labels]] = True
    upper = np.fromiter((run[0].isupper() for run in spellings), np.bool_, len(spellings))
    return Terms(
        labels=list(labels),
        ids=term_of_word[words],
        words=words,
        vocabulary=list(numbers),
        capital=np.repeat(upper[runs], counts[runs]),
        stops=is_stop[words],
        common=is_common,
        indptr=indptr,
    )


@lru_cache(maxsize=64)
def _stems(words: frozenset[str], stemmer: str | None) -> frozenset[str]:
    return frozenset(stem_words(sorted(words), stemmer))


def _number_runs(
    sentences: Iterable[str], *, elides: bool
) -> tuple[list[str], NDArray[np.int32], NDArray[np.int64]]:
    """Give the distinct spellings, the number of each run's, and where each sentence ends."""
    spellings = Spellings()
    parts: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
    until: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
    for some in batches(sentences):
        letters = to_letters("\n".join(some))
        runs, ends = spellings.read(letters, *places_of(some), elides=elides)
        until.append(ends[1:] + until[-1][-1])
        parts.append(runs)
    return spellings.since(0), np.concatenate(parts), np.concatenate(until)


def _normalize_all(spellings: list[str]) -> tuple[list[str], NDArray[np.int64]]:
    """Give the words of all spellings in a row, and how many each has: mostly one."""
    joined = "\n".join(spellings)
    if spellings and joined.isascii():
        return joined.lower().split("\n"), np.ones(len(spellings), np.int64)
    groups = [normalize(spelling) for spelling in spellings]
    counts = np.fromiter(map(len, groups), np.int64, len(groups))
    return [word for group in groups for word in group], counts


def _numbering() -> defaultdict[str, int]:
    """Make a dictionary that gives each new string the next number."""
    index: defaultdict[str, int] = defaultdict()
    index.default_factory = index.__len__
    return index


def _look_up(index: defaultdict[str, int], items: list[str]) -> NDArray[np.int32]:
    return np.fromiter(map(index.__getitem__, items), np.int32, len(items))


def _number(items: list[str]) -> tuple[NDArray[np.int32], dict[str, int]]:
    """Give each string its number, by first appearance, and the numbering."""
    index = _numbering()
    return _look_up(index, items), index


def expand(
    runs: NDArray[np.int32],
    indptr: NDArray[np.int64],
    until: NDArray[np.int64],
    flat: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Replace each run by its words, and move the sentence ends.

    The words of the runs with number k are those of `flat` from ``until[k]`` to ``until[k + 1]``.
    """
    begins = until[runs]
    lengths = until[1:][runs] - begins
    if (lengths == 1).all():
        return flat[begins], indptr
    ends = np.concatenate(([0], np.cumsum(lengths)))
    within = np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)
    return flat[np.repeat(begins, lengths) + within], ends[indptr]
