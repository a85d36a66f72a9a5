"""Story: the sentences that a summary holds before coverage fills the rest.

Coverage of words alone misses the story: what a text is, what happened and what was decided is said
in few words, often once. So some sentences are required: the title of a document or a thread; the
summary that a document has of its own, or the sentence that says what it is; how a thread or a talk
ended; the opening sentences of several documents, or of the writers of a thread, that cover most,
up to half of the budget. The patterns are English. In other languages only titles and openings are
required.
"""

from __future__ import annotations

import math
from heapq import heapify, heappop, heappush
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from maxcover.core.ascending import difference, distinct, union
from maxcover.summary import cues
from maxcover.summary.finder import (
    FAR,
    LEAST_SPOKEN,
    LEAST_WORDS,
    NEAR,
    Finder,
    concepts_of,
    find_sections,
    within,
)
from maxcover.text.judge.candidates import PART, SENTENCE
from maxcover.text.weigh.repeats import find_alike
from maxcover.text.weigh.same_statement import find_valued

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.array_types import Int64s
    from maxcover.text.weigh.corpus import Corpus


HALF = 0.5
"""Opening sentences fill at most this share of the budget; the first one is taken even if it is
longer."""

ENOUGH = 0.8
"""The required sentences fill at most this share of the budget. Only the ending of a thread or talk
may use the whole budget."""

SHARED = 0.2
"""Documents are a chronicle if on average less than this share of the other documents has a concept
of an opening, and documents share concepts mostly with their neighbours. Then the last document
tells how things stand."""

ALIKE = 0.5
"""If two openings share more than this part of their concepts, only the first is taken."""

LONG = 60
"""A text with this many candidates is long, so its first paragraph does not represent it."""

LEAST_BRIEF = 4
"""Least number of words of a sentence in a document's own summary, such as an abstract."""

REPEATED = 0.6
"""A sentence repeats the title if the title has at least this share of its content words."""

_POSTED = frozenset(["greeting", "signature", "disclaimer", "header", "quotation"])

EARLY, LEAST_ROOM = 0.6, 2.0
"""The end of a page is what comes after the first 60 % of its sentences. It is left out only if
these 60 % are at least twice the budget. In summaries of 38 pages an editor strikes 17 of 33
sentences from the end, and 21 of 58 others."""

LEAST_HEADINGS = 2
"""A document is a page if it has at least this many headings, its title included."""

LIST = 0.9
"""A document is a list if at least this share of its candidates begin a line."""


def find_story(corpus: Corpus, budget: float, *, order: Sequence[int], out: Int64s) -> list[int]:
    """Find the sentences that a summary within `budget` must hold, most important first.

    Parameters
    ----------
    corpus : Corpus
    budget : float
        In the unit of the corpus.
    order : sequence of int
        The documents in the order of the summary.
    out : int64 array
        Sentences that may not be chosen.

    Returns
    -------
    list of int
        Together they fit into the budget. Empty if there is nothing to choose from.

    Examples
    --------
    >>> from maxcover.text import prepare
    >>> text = "Cats purr at night all over town. This report examines why the cats of Rome purr."
    >>> find_story(prepare([text]), 20, order=[0], out=np.empty(0, np.int64))
    [1]
    """
    found = _Story(corpus, budget, order, out)
    title = found.title()
    end = found.ending() if found.thread or found.talk else []
    if found.talk:
        told = found.of_talk()
    elif found.thread or len(corpus.documents) > 1:
        told = found.openings(title)
    else:
        told = found.of_one(title)
    chosen: list[int] = []
    for one in [*title, *end, *told]:
        most = budget if one in end else ENOUGH * budget
        fits = corpus.measure([*chosen, one]) <= most
        if one not in chosen and (fits or not chosen):
            chosen.append(one)
    return chosen


def is_page(corpus: Corpus) -> bool:
    """Tell whether a corpus is a page: one document with headings and without speakers."""
    heads = sum(kind in ("heading", "title") for kind in corpus.kinds)
    return len(corpus.documents) == 1 and heads >= LEAST_HEADINGS and not any(corpus.speakers)


def find_left_out(corpus: Corpus, story: Sequence[int], budget: float) -> Int64s:
    """Find sentences to leave out: repetitions of a title, and the end of a page."""
    if not story:
        return np.empty(0, np.int64)
    return union(find_echoes(corpus, story), find_late(corpus, budget))


def find_echoes(corpus: Corpus, story: Sequence[int]) -> Int64s:
    r"""Find the sentences that say little more than a title among the required sentences.

    Most of their content words, and all of their numbers and names, are in the title.

    Examples
    --------
    >>> from maxcover.text import prepare
    >>> text = "# Closure of the north quay\n\nThis page is about the north quay.\n\nIt opens soon."
    >>> corpus = prepare([text], form="markdown")
    >>> [corpus.texts[row] for row in find_echoes(corpus, [0])]
    ['This page is about the north quay.']
    """
    terms, titles = corpus.terms, [row for row in story if corpus.kinds[row] == "title"]
    if not titles:
        return np.empty(0, np.int64)
    said = np.zeros(len(terms.labels), np.bool_)
    for row in titles:
        said[terms.ids[terms.indptr[row] : terms.indptr[row + 1]]] = True
    content = ~terms.common[terms.ids]
    count = len(corpus)
    words = np.bincount(terms.rows[content], minlength=count)
    shared = np.bincount(terms.rows[content & said[terms.ids]], minlength=count)
    news = find_valued(terms) & ~said[terms.ids]
    told = np.bincount(terms.rows[news], minlength=count) > 0
    return difference(np.flatnonzero((shared >= REPEATED * words) & ~told), titles)


def find_late(corpus: Corpus, budget: float) -> Int64s:
    """Find the sentences at the end of a page; none if the part before the end is short.

    The end of a page has alternatives, notes for contributors, older versions and thanks.
    """
    rows = np.flatnonzero(corpus.standing >= SENTENCE)
    late = rows[math.ceil(EARLY * len(rows)) :]
    room = corpus.costs[difference(rows, late)].sum()
    return late if is_page(corpus) and room >= LEAST_ROOM * budget else late[:0]


class _Story(Finder):
    """Finds the required sentences of a talk, of several documents, or of one document."""

    def of_talk(self) -> list[int]:
        """Return the first sentence with enough words of a short talk; [] for a long talk."""
        rows = np.flatnonzero(self.long).tolist()
        return rows[:1] if len(rows) < LONG else []

    def openings(self, title: list[int]) -> list[int]:
        """Choose opening sentences of documents, or of the writers of one, for half the budget.

        The first document has its opening chosen in any case. The first post of a thread opens it
        with the sentence that shares most with the title. Of a chronicle, the last opening that
        fits is chosen too. Then come the openings with the most new weight divided by the root of
        their cost.
        """
        corpus, parts, chosen = self.corpus, self._parts(), list[int]()
        place = {document: number for number, document in enumerate(self.order)}
        near: dict[tuple[int, str], list[int]] = {}
        for row in np.flatnonzero(self.long).tolist():
            near.setdefault(parts[row], []).append(row)
        good = [[row for row in rows[:NEAR] if self.opens(row)] for rows in near.values()]
        starts = sorted(
            (rows[0] for rows in good if rows),
            key=lambda row: (place[int(corpus.document[row])], row),
        )
        if title and starts:
            rows = np.flatnonzero(self.long).tolist()
            post = takewhile(lambda row: parts[row] == parts[rows[0]], rows)
            starts[:1] = self.answer(title, [row for row in post if self.opens(row)]) or starts[:1]
        held: set[int] = set()
        left = HALF * self.budget

        def gain_of(row: int) -> float:
            new = self.weigh(set(concepts_of(corpus, row)) - held)
            return float(new / max(1.0, self.costs[row]) ** 0.5)

        def take(row: int) -> bool:
            nonlocal left
            fits = not chosen or self.costs[row] <= left
            others = np.array(chosen, np.int64)
            if not fits or find_alike(corpus, [row], others, most=ALIKE).size:
                return False
            chosen.append(row)
            held.update(concepts_of(corpus, row))
            left -= float(self.costs[row])
            return True

        if starts:
            take(starts[0])
            latest = reversed(starts[1:] if self._is_chronicle(starts) else [])
            next((row for row in latest if take(row)), None)
        # Lazy greedy: gains only fall. So an opening that is still on top after its gain is
        # computed again has the largest gain.
        rest = [row for row in starts if row not in chosen]
        queue = [(-gain_of(row), number) for number, row in enumerate(rest)]
        heapify(queue)
        while queue:
            _, number = heappop(queue)
            if self.costs[rest[number]] > left:
                continue
            now = (-gain_of(rest[number]), number)
            if queue and now > queue[0]:
                heappush(queue, now)
            else:
                take(rest[number])
        return chosen

    def _is_chronicle(self, openings: list[int]) -> bool:
        """Tell whether each document is mostly new and shares words mainly with its neighbours.

        Letters and posts are never a chronicle: they answer one another.
        """
        corpus, count = self.corpus, len(self.corpus.documents)
        if count < 3 or not openings or not _POSTED.isdisjoint(corpus.kinds):
            return False
        size = len(corpus.weights)
        place = np.argsort(self.order)[np.repeat(corpus.document, np.diff(corpus.indptr))]
        held = distinct(place * size + corpus.indices)
        next_too = held[np.searchsorted(held, held[:-1] + size).clip(max=len(held) - 1)]
        uses = np.bincount(held % size, minlength=size)
        shares = [uses[concepts_of(corpus, row)].mean() - 1 for row in openings]
        near = count * np.count_nonzero(next_too == held[:-1] + size) > (uses * (uses - 1)).sum()
        return bool(near and np.mean(shares) < SHARED * (count - 1))

    def _parts(self) -> list[tuple[int, str]]:
        """Return (document, "") per sentence, or (0, speaker) if there is only one document."""
        corpus = self.corpus
        if len(corpus.documents) > 1:
            return [(document, "") for document in corpus.document.tolist()]
        return [(0, who) for who in corpus.speakers]

    def of_one(self, title: list[int]) -> list[int]:
        """Return a document's own summary, or else the sentence that says what it is or opens it.

        If that sentence has less than half of the words of the title, the sentence that shares most
        with the title comes first.
        """
        told = self._own_summary(title)
        if told:
            return told
        rows, corpus = np.flatnonzero(self.long).tolist(), self.corpus
        # A definition of what a thing is may look unusual (a small first letter, "(see below)"), so
        # weaker candidates are allowed here.
        weak = self.free & (corpus.standing >= PART) & (corpus.n_words >= LEAST_WORDS)
        said = [row for row in np.flatnonzero(weak).tolist() if corpus.kinds[row] == "paragraph"]
        near = said[:NEAR]
        far = rows[: max(FAR, len(rows) // 5)]
        tries = [
            self.first_that(near, cues.DOES),
            self.first_that(far, cues.DOES),
            self.first_that(near, cues.IS),
        ]
        begun = [row for row in tries if row is not None][:1]
        own = [row for row in rows if corpus.kinds[row] != "quotation"]
        opening = [] if self._is_list(rows) else self._open(own or rows)
        begun = begun or opening
        if not any(self.echoes(row, title) for row in begun):
            answer = self.answer(title, difference(own, find_late(corpus, self.budget)).tolist())
            if answer:  # the answer replaces the rest of the opening paragraph
                return [*answer, *begun]
        return [*begun, *(self._goes_on(begun) if len(rows) < LONG else [])]

    def _own_summary(self, title: list[int]) -> list[int]:
        """Return the sentences of a text's own summary, such as an abstract; [] if it has none."""
        corpus = self.corpus
        brief = np.array([by == "short" for by in corpus.struck_by], np.bool_)
        able = self.free & (
            (corpus.kept >= LEAST_SPOKEN) | (brief & (corpus.n_words >= LEAST_BRIEF))
        )
        for section in find_sections(corpus, cues.OWN):
            rows = [
                row for row in within(np.flatnonzero(able).tolist(), section) if not self.asks(row)
            ]
            if rows:
                tries = [
                    self.first_that(rows, cues.DOES),
                    next(iter(self.answer(title, rows)), None),
                ]
                first = [row for row in tries if row is not None][:1]
                return [*first, *(row for row in rows if row not in first)]
        return []

    def _open(self, rows: list[int]) -> list[int]:
        """Return the first sentence of a document that makes sense alone, else its first one."""
        near = [row for row in rows[:FAR] if self.may[row]][:NEAR]
        good = [row for row in near if self.opens(row)]
        return (good or near)[:1]

    def _goes_on(self, opening: list[int]) -> list[int]:
        """Return the sentences after an opening in its paragraph, up to a share of the budget."""
        corpus, found = self.corpus, []
        for first in opening:
            row, left = first + 1, ENOUGH * self.budget - float(self.costs[first])
            while row < len(corpus) and self.may[row] and self.costs[row] <= left:
                above = corpus.documents[0][int(corpus.ends[row - 1]) : int(corpus.starts[row])]
                if above.count("\n") > 1:
                    break
                found.append(row)
                left -= float(self.costs[row])
                row += 1
        return found

    def _is_list(self, rows: list[int]) -> bool:
        """Tell whether nearly every sentence begins a line: then the document is a list."""
        corpus, text = self.corpus, self.corpus.documents[0]
        alone = 0
        for row in rows:
            above = int(corpus.ends[row - 1]) if row else 0
            alone += text[above - 1] in ".!?" and "\n" in text[above : corpus.starts[row]]
        return len(rows) >= FAR and alone >= LIST * len(rows)
