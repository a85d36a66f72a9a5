"""Finder: the sentences of a corpus that may be required, and tests of what they say."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from maxcover.summary import cues
from maxcover.text.judge.candidates import LATE, PART, SENTENCE
from maxcover.text.judge.speech import is_question
from maxcover.text.read.writers import QUOTED

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence

    from maxcover.array_types import Int64s
    from maxcover.text.weigh.corpus import Corpus


LONGEST = 0.6
"""A sentence is required only if it fills at most this share of the budget."""

LEAST_WORDS = 6
"""The opening sentence of a document has at least this many words."""

LEAST_KEPT = 0.5
"""A sentence can open a document or post if an editor keeps it with at least this probability."""

NEAR = 3
"""The opening sentence is one of the first three candidates of a document."""

LEAST_TITLE = 2
"""Least number of words of a title or a subject line; shorter ones are names."""

LEAST_ANSWER, SHRINK = 12, 0.3
"""To find the sentence that answers the title, scores are divided by (number of words)**0.3, so
that long sentences score less. A sentence of fewer than 12 words counts as 12."""

LEAST_SPOKEN = 0.4
"""An editor keeps the sentence that answers the title with at least this probability. The value is
low because few sentences of a talk have more."""

FAR = 12
"""The sentence that says what a document is about is searched for among at least its first 12
candidates."""


def concepts_of(corpus: Corpus, row: int) -> list[int]:
    """Return the concepts of the sentence in row `row`."""
    found: list[int] = corpus.indices[corpus.indptr[row] : corpus.indptr[row + 1]].tolist()
    return found


def find_sections(corpus: Corpus, heading: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return (row of heading, end of its section) for each heading that matches.

    Directly consecutive headings count as one.
    """
    heads = [
        row
        for row, kind in enumerate(corpus.kinds)
        if kind in ("heading", "title") and corpus.texts[row][:1].isalnum()
    ]
    last = [*(two for one, two in pairwise(heads) if two > one + 1), len(corpus)]
    weak = np.flatnonzero(corpus.standing < SENTENCE).tolist()
    return [
        (row, last[bisect_right(last, row)]) for row in weak if heading.match(corpus.texts[row])
    ]


def within(rows: list[int], section: tuple[int, int]) -> list[int]:
    """Return the sorted `rows` that are in a section, the row of its heading excluded."""
    return rows[bisect_right(rows, section[0]) : bisect_left(rows, section[1])]


class Finder:
    """Finds sentences that a summary should hold: the title, the outcome, answers to the title."""

    def __init__(self, corpus: Corpus, budget: float, order: Sequence[int], out: Int64s) -> None:
        self.corpus, self.budget, self.order = corpus, budget, order
        self.costs = corpus.costs - corpus.unit.joint
        self.talk = "speech" in corpus.kinds and len(corpus.documents) == 1
        numbers = np.arange(len(corpus))
        self.free = (corpus.canonical == numbers) & (self.costs <= LONGEST * budget)
        self.free[out] = False
        may = corpus.standing >= SENTENCE
        if self.talk and np.count_nonzero(may) < FAR:
            may = corpus.standing >= LATE  # allow sentences without full stops, as in a chat
        self.may = may & self.free
        told = np.array([who != QUOTED for who in corpus.speakers], np.bool_)
        if any(corpus.speakers):
            told &= np.array([kind != "quotation" for kind in corpus.kinds], np.bool_)
        self.told = told
        self.long = self.may & told & (corpus.n_words >= LEAST_WORDS)
        self.english = corpus.language.code == "en"
        # Minutes name only some speakers. In a thread or a talk every sentence has a speaker.
        lone = may & np.array([not who for who in corpus.speakers], np.bool_)
        named = {*corpus.document.tolist()}.difference(corpus.document[lone].tolist())
        self.thread = any(corpus.speakers) and (bool(named) or "speech" in corpus.kinds)

    def title(self) -> list[int]:
        """Return the title's row; for several letters, a title that most of them share; else []."""
        corpus = self.corpus
        several = len(corpus.documents) > 1
        if (several and not any(corpus.speakers)) or not corpus.language.spaced:
            return []
        titles = [self._title_of(document) for document in self.order]
        row = titles[0]
        if row is None or not self.free[row] or corpus.n_words[row] < LEAST_TITLE:
            return []
        mine = set(concepts_of(corpus, row))
        shared = [mine.intersection(concepts_of(corpus, one)) for one in titles if one is not None]
        same = sum(2 * len(words) >= len(mine) for words in shared)
        # A title alone is no summary, so a sentence has to fit beside it.
        beside = self.costs[corpus.standing >= SENTENCE]
        fits = not beside.size or self.costs[row] + beside.min() <= self.budget
        return [row] if fits and 2 * same > len(corpus.documents) else []

    def _title_of(self, document: int) -> int | None:
        """Return the row marked as title, or a first line that is not a sentence, or None."""
        corpus = self.corpus
        rows = np.flatnonzero(corpus.document == document)[:FAR].tolist()
        for row in rows:
            if corpus.kinds[row] == "title" and corpus.standing[row] == PART:
                return int(row)
        text = corpus.documents[document]
        for row in rows[:1]:
            end, weak = int(corpus.ends[row]), PART <= corpus.standing[row] <= LATE
            line = text[end : end + 1] == "\n" and text[end - 1].isalnum()
            above = text[: int(corpus.starts[row])].strip()
            first = (not above or above.endswith("Title:")) and not corpus.speakers[row]
            if weak and line and first and corpus.kinds[row] == "paragraph":
                return int(row)
        return None

    def ending(self) -> list[int]:
        """Return the last sentence of the second half that states an outcome; [] if none does."""
        corpus = self.corpus
        able = self.free & self.told & (corpus.standing >= PART)
        able &= np.array([bool(who) for who in corpus.speakers], np.bool_)
        rows = np.flatnonzero(able).tolist()
        return [row for row in rows[len(rows) // 2 :] if self.says(row, cues.OUTCOME)][-1:]

    def opens(self, row: int) -> bool:
        """Tell whether a sentence makes sense alone: an editor would probably keep it."""
        return bool(self.corpus.kept[row] >= LEAST_KEPT)

    def echoes(self, row: int, title: list[int]) -> bool:
        """Tell whether a sentence has at least half of the content words of the title."""
        wanted = self._words_of(title)
        return 2 * len(wanted.intersection(concepts_of(self.corpus, row))) >= len(wanted)

    def answer(self, title: list[int], rows: list[int]) -> list[int]:
        """Return the sentence that shares most with the title, at least two words; [] if none.

        A word counts more the fewer sentences have it. A long sentence counts less.
        """
        corpus, wanted = self.corpus, self._words_of(title)
        held = {row: wanted.intersection(concepts_of(corpus, row)) for row in rows}
        uses = Counter(concept for found in held.values() for concept in found)

        def score(row: int) -> float:
            told = sum(math.log(1 + len(rows) / uses[concept]) for concept in held[row])
            return float(told / max(LEAST_ANSWER, int(corpus.n_words[row])) ** SHRINK)

        able = [
            row
            for row in rows
            if len(held[row]) >= 2 and corpus.kept[row] >= LEAST_SPOKEN and not self.asks(row)
        ]
        return sorted(able, key=lambda row: (-score(row), row))[:1]

    def _words_of(self, title: list[int]) -> set[int]:
        """Return the concepts of the title that are single words and not stop words."""
        corpus, common = self.corpus, self.corpus.language.stop_words

        def is_word(label: object) -> bool:
            return (
                isinstance(label, str)
                and " " not in label
                and len(label) > 2
                and label not in common
            )

        said = {concept for row in title for concept in concepts_of(corpus, row)}
        return {concept for concept in said if is_word(corpus.labels[concept])}

    def first_that(self, rows: Sequence[int], pattern: re.Pattern[str]) -> int | None:
        """Return the first sentence that matches a pattern; None if none does."""
        return next((row for row in rows if self.says(row, pattern)), None)

    def says(self, row: int, pattern: re.Pattern[str]) -> bool:
        """Tell whether a sentence matches a pattern; False if the text is not English."""
        return self.english and pattern.search(self.corpus.texts[row]) is not None

    def asks(self, row: int) -> bool:
        """Tell whether a sentence is a question."""
        return is_question(self.corpus.texts[row])

    def weigh(self, concepts: Iterable[int]) -> float:
        """Add up the weights of concepts."""
        return float(self.corpus.weights[list(concepts)].sum())
