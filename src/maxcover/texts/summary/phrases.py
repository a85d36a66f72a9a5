"""Phrases: concepts in the words that the documents use, for people to read.

Only content words are shown: a stop word has weight, but a reader does not expect it as a reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.texts.judge.candidates import PART
from maxcover.texts.summary.grown import Grown
from maxcover.texts.weigh.corpus import PLACE
from maxcover.texts.words.surface import find_written
from maxcover.texts.words.tokens import locate, unspaced

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import NDArray

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.texts.summary.contributions import Covered
    from maxcover.texts.weigh.corpus import Corpus

MOST = 12
"""The most phrases that are shown for a sentence, or for what a summary leaves out."""

# Verbs of saying, never listed as missing: that somebody said something is not content.
_SAYING = {
    "added", "announced", "asked", "called", "claimed", "explained", "noted", "reported", "said",
    "say", "saying", "says", "stated", "told",
}  # fmt: skip
# How many concepts to try for each phrase shown: many concepts are stop words or parts of other
# phrases.
_LOOKED_AT = 12


class Phrases:
    """Converts concepts (stems) to the words with which sentences write them."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._hidden = corpus.language.hidden
        self._grown = Grown(corpus.documents) if not corpus.language.spaced else None
        self._terms = {label: number for number, label in enumerate(corpus.terms.labels)}

    def written(self, concept: Hashable, index: int) -> str:
        """Return a concept as sentence `index` writes it; "" if it has no content or is absent.

        Examples
        --------
        >>> from maxcover.texts import prepare
        >>> corpus = prepare(["The old bridges stand. Old bridges are closed."])
        >>> Phrases(corpus).written("old bridg", 0), Phrases(corpus).written("the", 0)
        ('old bridges', '')
        """
        if concept == PLACE:
            return ""
        if not isinstance(concept, str):
            return " ".join(map(str, concept)) if isinstance(concept, tuple) else str(concept)
        wanted = [self._terms.get(part, -1) for part in concept.split()]
        if min(wanted, default=-1) < 0:
            return concept
        if self.corpus.terms.common[wanted].any():
            return ""
        if self._grown is not None:
            return self._grown.written(concept, self.corpus.texts[index])
        found = self._find(wanted, index)
        shown = all(_says_something(word) and not self._is_scrap(word) for word in found.split())
        return found if shown else ""

    def _is_scrap(self, word: str) -> bool:
        """Tell whether a word of another language than English is a function word or too short."""
        code = self.corpus.language.code
        if code == "en" or (word.isascii() and not self._hidden):
            return False
        least = 2 if code == "ko" else 3
        return word.casefold() in self._hidden or (len(word) < least and not word.isupper())

    def _find(self, wanted: list[int], index: int) -> str:
        """Return the text of adjacent terms in a sentence, with only white space between them."""
        terms, text = self.corpus.terms, self.corpus.texts[index]
        numbers = terms.ids[terms.indptr[index] : terms.indptr[index + 1]].tolist()
        elides = self.corpus.language.elides
        places = [(a, b) for a, b, words in locate(text, elides=elides) for _ in words]
        found = find_written(text, places, numbers, wanted)
        return found.removesuffix("'s").removesuffix("\N{RIGHT SINGLE QUOTATION MARK}s")

    def label(self, element: int, index: int) -> str:
        """Return any element as sentence `index` writes it, or its stem if it is not there.

        Examples
        --------
        >>> from maxcover.texts import prepare
        >>> phrases = Phrases(prepare(["Happiness is a warm day."]))
        >>> [phrases.label(number, 0) for number in (0, 8)]
        ['happiness', 'warm day']
        """
        concept = self.corpus.label(element)
        if not isinstance(concept, str):
            return " ".join(map(str, concept)) if isinstance(concept, tuple) else str(concept)
        if concept == PLACE or not self.corpus.language.spaced:
            return concept
        wanted = [self._terms.get(part, -1) for part in concept.split()]
        whole = self._find(wanted, index)
        parts = [whole] if whole else [self._find([part], index) for part in wanted]
        return " ".join(parts).lower() if all(parts) else concept

    def reasons(self, covers: Iterable[Covered], index: int, most: int = MOST) -> list[str]:
        """Return the phrases that a sentence is the first to say, heaviest first."""
        return pick((self.written(covered.concept, index) for covered in covers), most)

    def missing(
        self, problem: CoverageProblem, selected: NDArray[np.int64], most: int = MOST
    ) -> list[str]:
        """Return the heaviest phrases of the documents that a selection does not cover."""
        n_concepts = len(self.corpus.labels)
        weights = np.where(problem.covered(selected), 0.0, problem.weights)[:n_concepts]
        heaviest = np.argsort(-weights, kind="stable")[: most * _LOOKED_AT].tolist()
        indptr, holders = problem.transpose
        found = []
        for concept in heaviest:
            inside = holders[indptr[concept] : indptr[concept + 1]]
            inside = inside[self.corpus.standing[inside] >= PART]
            if weights[concept] > 0 and inside.size:
                found.append(self.written(self.corpus.labels[concept], int(inside[0])))
        return pick((phrase for phrase in found if phrase.lower() not in _SAYING), most)


def share_of_words(corpus: Corpus, selected: Iterable[int]) -> float:
    """Return the share of the content words of the documents that a selection uses.

    Every occurrence counts: a word that the documents use ten times counts ten times. Words of
    greetings, signatures and headers of letters do not count.

    Examples
    --------
    >>> from maxcover.texts import prepare
    >>> share_of_words(prepare(["Cats purr all day. Dogs bark at cats."]), [0])
    0.6666666666666666
    """
    terms = corpus.terms
    rows = terms.rows
    counted = ~terms.common[terms.ids] & (corpus.standing[rows] >= PART)
    if not counted.any():
        return 1.0
    used = np.zeros(len(terms.labels), np.bool_)
    used[terms.ids[np.isin(rows, np.fromiter(selected, np.int64))]] = True
    return float(used[terms.ids[counted]].mean())


def _says_something(word: str) -> bool:
    """Tell whether a word is worth showing: not a number, a letter or a short small word."""
    if word.isdigit():
        return False
    return len(word) > 2 or not word.isascii() or (len(word) == 2 and word.isupper())


def _is_inside(phrase: str, picked: list[str]) -> bool:
    """Tell whether a phrase without spaces contains, or is part of, one picked before."""
    if phrase.isascii() or unspaced().match(phrase) is None:
        return False
    return any(phrase in one or one in phrase for one in picked)


def pick(phrases: Iterable[str], most: int) -> list[str]:
    """Return the first `most` phrases; skip those whose words were all picked before."""
    picked: list[str] = []
    seen: set[str] = set()
    for phrase in phrases:
        words = phrase.lower().split()
        if words and not seen.issuperset(words) and not _is_inside(phrase, picked):
            picked.append(" ".join(phrase.split()))
            seen.update(words)
            if len(picked) == most:
                break
    return picked
