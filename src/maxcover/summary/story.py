"""Story: the sentences that a summary holds before coverage fills the rest.

Coverage of words is not the story: what a text is, what happened and what was decided is said in
few words, often once. Such sentences are required: the title of a document or a thread; what one
document says that it is or found; what a thread or a talk is about, and how it ended; the answer
that whoever began a thread thanks for; openings of the documents of a collection or of the posts of
a thread, those that cover most, up to half of the budget. Patterns are English; in other languages
titles, openings and what a thread is about are required and nothing else.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from maxcover.core.ascending import distinct
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
from maxcover.summary.threads import tell_thread
from maxcover.text.judge.candidates import PART
from maxcover.text.weigh.repeats import find_alike

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maxcover.text.weigh.corpus import Corpus

    Int64s = NDArray[np.int64]

HALF = 0.5
"""Part of the budget that openings may fill; that of the first document is taken in any case."""

ENOUGH = 0.8
"""Part of the budget that all of them may fill; what a thread is about and how it ended, all."""

SHARED = 0.2
"""Part of the other documents that have a concept of an opening, in the mean, below which documents
are a chronicle, if neighbours share most: each goes on, and the last one tells how things stand."""

ALIKE = 0.5
"""Openings that share a larger part of their concepts say the same: the first is enough."""

AGAIN = 0.8
"""Part of its concepts that the author of a quoted sentence uses elsewhere: it is said there."""

LONG = 60
"""Candidates from which a document is long: what it found is required besides, and a talk does not
open with what it is about."""

LEAST_BRIEF = 4
"""Words of a sentence of the summary that a text has of its own."""

LIST = 0.9
"""Part of the candidates that begin a line, from which a document is a list."""

_POSTED = frozenset(["greeting", "signature", "disclaimer", "header", "quotation"])


def find_story(corpus: Corpus, budget: float, *, order: Sequence[int], out: Int64s) -> list[int]:
    """Find the sentences that a summary of this budget has to hold, the most important first.

    Parameters
    ----------
    corpus : Corpus
    budget : float
        In the unit of the corpus.
    order : sequence of int
        The documents in the order in which they are told.
    out : int64 array
        Sentences that may not be chosen.

    Returns
    -------
    list of int
        They fit into the budget together. None, where there is nothing to choose from.

    Examples
    --------
    >>> from maxcover.text import prepare
    >>> text = "Cats purr at night all over town. This report examines why the cats of Rome purr."
    >>> find_story(prepare([text]), 20, order=[0], out=np.empty(0, np.int64))
    [1]
    """
    found = _Story(corpus, budget, order, out)
    title = found.title()
    thread: list[int] = []
    if found.talk:
        told = found.of_talk()
    elif found.thread:
        end, rest = tell_thread(found, title)
        thread = [*end, *rest]
        told = [*thread, *found.openings(rest)]
    else:
        told = found.of_one(title) if len(corpus.documents) == 1 else found.openings([])
    chosen: list[int] = []
    for one in [*title, *told]:
        most = budget if one in thread else ENOUGH * budget
        fits = corpus.measure([*chosen, one]) <= most
        if one not in chosen and (fits or not chosen):
            chosen.append(one)
    return chosen


def find_quoted(corpus: Corpus) -> Int64s:
    r"""Find what is quoted from somebody who says it there too: it is chosen where it was said.

    Examples
    --------
    >>> from maxcover.text import prepare
    >>> said, mail = "The north quay is closed until Friday.", "From: {}\nSubject: quay\n\n{}"
    >>> again = f"When does the quay open?\n\nAnn wrote:\n> {said}"
    >>> corpus = prepare([mail.format("Ann", said), mail.format("Bob", again)], language="english")
    >>> [int(corpus.document[row]) for row in find_quoted(corpus)]
    [1]
    """
    quoted = np.array([kind == "quotation" for kind in corpus.kinds], np.bool_)
    quoted &= np.array([bool(who) for who in corpus.speakers], np.bool_)
    own: dict[str, set[int]] = {}
    for row in np.flatnonzero(~quoted).tolist() if quoted.any() else []:
        own.setdefault(corpus.speakers[row], set()).update(concepts_of(corpus, row))
    found = []
    for row in np.flatnonzero(quoted).tolist():
        here = concepts_of(corpus, row)
        shared = own.get(corpus.speakers[row], set()).intersection(here)
        if len(shared) >= AGAIN * len(here):
            found.append(row)
    return np.array(found, np.int64)


def find_back_matter(corpus: Corpus) -> Int64s:
    r"""Find what stands below headings such as "References" and "Contributing": it is about a text.

    Nothing, where that is more than half of a document.

    Examples
    --------
    >>> from maxcover.text import prepare
    >>> text = "# quay\n\nIt keeps ships.\n\n## Funding\n\nThe city of Rome pays for this tool."
    >>> corpus = prepare([text], form="markdown", language="english")
    >>> [corpus.texts[row] for row in find_back_matter(corpus)]
    ['The city of Rome pays for this tool.']
    """
    if corpus.language.code != "en" or "heading" not in corpus.kinds:
        return np.empty(0, np.int64)
    found = np.zeros(len(corpus), np.bool_)
    for start, end in find_sections(corpus, cues.BACK):
        found[start + 1 : end] = corpus.document[start + 1 : end] == corpus.document[start]
    share = np.bincount(corpus.document, found) / np.maximum(1, np.bincount(corpus.document))
    return np.flatnonzero(found & (share[corpus.document] <= HALF))


class _Story(Finder):
    """What tells a talk, a collection, or one document."""

    def of_talk(self) -> list[int]:
        """List what a talk is about and, of a short one, what its people will do."""
        corpus, rows = self.corpus, np.flatnonzero(self.long).tolist()
        if len(rows) >= LONG:
            near = [row for row in rows[: len(rows) // 5] if corpus.kept[row] >= LEAST_SPOKEN]
            about = self.first_that(near, cues.ABOUT)
            return [] if about is None else [about]
        # a question is no candidate in talk, but a short one often opens with it
        asks = self.free & (corpus.standing == PART) & (corpus.n_words >= LEAST_WORDS)
        asked = [
            row
            for row in np.flatnonzero(asks).tolist()
            if corpus.kinds[row] == "speech" and self.asks(row)
        ]
        able = sorted([*rows, *asked])
        plans = [row for row in able if self.says(row, cues.PLAN)]
        return [*self.ending(), *able[:1], *plans[-1:]]

    def openings(self, first: list[int]) -> list[int]:
        """List openings of documents, or of the writers of one, until they fill half of the budget.

        Besides `first`, or that of the first document and the last that fits of a chronicle, those
        that add most for their size: weight divided by the root of the costs.
        """
        corpus, chosen, parts = self.corpus, list(first), self._parts()
        place = {document: number for number, document in enumerate(self.order)}
        own = {parts[row] for row in first}
        near: dict[tuple[int, str], list[int]] = {}
        for row in np.flatnonzero(self.long).tolist():
            near.setdefault(parts[row], []).append(row)
        good = [
            [row for row in rows[:NEAR] if self.opens(row)]
            for part, rows in near.items()
            if part not in own
        ]
        starts = sorted(
            (rows[0] for rows in good if rows),
            key=lambda row: (place[int(corpus.document[row])], row),
        )
        held = {concept for row in first for concept in concepts_of(corpus, row)}
        left = (ENOUGH if first else HALF) * self.budget - float(self.costs[first].sum())

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

        if starts and not first:
            take(starts[0])
            latest = reversed(starts[1:] if self._is_chronicle(starts) else [])
            next((row for row in latest if take(row)), None)
        # gains only fall: what is at the top, and still is when it is weighed again, is the best
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
        return chosen[len(first) :]

    def _is_chronicle(self, openings: list[int]) -> bool:
        """Tell whether documents share little of what their openings say, and most with the next.

        Letters and posts are none: they answer one another.
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
        """Name the part that each sentence stands in: its document or, of one, its writer."""
        corpus = self.corpus
        if len(corpus.documents) > 1:
            return [(document, "") for document in corpus.document.tolist()]
        return [(0, who) for who in corpus.speakers]

    def of_one(self, title: list[int]) -> list[int]:
        """List what says what one document is, and what a long one found; else its opening."""
        rows, corpus = np.flatnonzero(self.long).tolist(), self.corpus
        told = self._own_summary(title)
        if told:
            return [*told[:1], *self._decision(rows), *told[1:]]
        # what says what a thing is may have an unusual shape: a small letter, "(see below)"
        weak = self.free & (corpus.standing >= PART) & (corpus.n_words >= LEAST_WORDS)
        able = np.flatnonzero(weak).tolist()
        said = [row for row in able if corpus.kinds[row] == "paragraph"]
        listed = [row for row in able if corpus.kinds[row] in ("paragraph", "list item")]
        below = self._below(listed, cues.SUMMARY)[:FAR]
        short = below[:NEAR]
        near = [row for row in [*short, *said[:NEAR]] if not self.repeats(row, title)]
        far = rows[: max(FAR, len(rows) // 5)]
        far = [row for row in far if not self.repeats(row, title)]
        name = self.first_that(np.flatnonzero(self.free)[: NEAR + 2].tolist(), cues.NAMED)
        does = [
            self.first_named(rows, title),
            self.first_that(near, cues.DOES),
            self.first_that(far, cues.DOES),
            self.first_that(near, cues.IS),
        ]
        tries = does if name is None else [name, self.first_that(below, cues.IS), *below[:1]]
        what = [row for row in tries if row is not None][: 1 + (name is not None)]
        found = self._decision(rows)
        found += self._finding(rows, title) if len(rows) >= LONG else []
        plain = not self._is_list(rows) and set(what).isdisjoint(near)
        own = [row for row in rows if corpus.kinds[row] != "quotation"]
        first = [row for row in short if self.may[row]][:1]
        # a summary that a text has of its own says more than how it opens
        opening = (first or self._open(own or rows, title)) if plain else []
        begun = [*what, *opening]
        answer = (
            []
            if any(self.echoes(row, title) for row in [*begun, *found])
            else self.answer(title, own)
        )
        if len(rows) >= LONG:  # an abstract goes on, up to half of the budget
            more = self._goes_on([row for row in begun if row in short], HALF)
        else:
            more = self._goes_on(begun, ENOUGH)
        if answer:  # how a text opens is no news then
            return [*answer, *what, *found]
        return [*what, *found, *opening, *more]

    def _own_summary(self, title: list[int]) -> list[int]:
        """List what the summary says that a text has of its own, what a thing is or does first."""
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
                    self.first_named(rows, title),
                    self.first_that(rows, cues.DOES),
                    next(iter(self.answer(title, rows)), None),
                ]
                first = [row for row in tries if row is not None][:1]
                return [*first, *(row for row in rows if row not in first)]
        return []

    def _decision(self, rows: list[int]) -> list[int]:
        """Return what stands first below a heading such as "Decision" or "Rejection notice"."""
        sections = find_sections(self.corpus, cues.DECISION)
        return next((found[:1] for one in sections if (found := within(rows, one))), [])

    def _finding(self, rows: list[int], title: list[int]) -> list[int]:
        """Return what says most of the title where a document tells its results.

        In the last section that does; a short one tells nothing else.
        """
        for one in reversed(find_sections(self.corpus, cues.RESULTS)):
            section = within(rows, one)
            told = [row for row in section[:FAR] if self.says(row, cues.FOUND)]
            if told or 0 < len(section) <= FAR:
                return self.nearest(title, told or section)[:1]
        return []

    def _open(self, rows: list[int], title: list[int]) -> list[int]:
        """Return the first sentence of a document that stands by itself and is not its title."""
        able = [row for row in rows[:FAR] if self.may[row] and not self.repeats(row, title)]
        near = able[:NEAR]
        good = [row for row in near if self.opens(row)]
        return (good or near)[:1]

    def _goes_on(self, opening: list[int], most: float) -> list[int]:
        """List what follows in the paragraph of an opening, up to a part of the budget."""
        corpus, found = self.corpus, []
        for first in opening:
            row, left = first + 1, most * self.budget - float(self.costs[first])
            while row < len(corpus) and self.may[row] and self.costs[row] <= left:
                above = corpus.documents[0][int(corpus.ends[row - 1]) : int(corpus.starts[row])]
                if above.count("\n") > 1:
                    break
                found.append(row)
                left -= float(self.costs[row])
                row += 1
        return found

    def _is_list(self, rows: list[int]) -> bool:
        """Tell whether nearly every sentence begins a line, below a full stop: no opening there."""
        corpus, text = self.corpus, self.corpus.documents[0]
        alone = 0
        for row in rows:
            above = int(corpus.ends[row - 1]) if row else 0
            alone += text[above - 1] in ".!?" and "\n" in text[above : corpus.starts[row]]
        return len(rows) >= FAR and alone >= LIST * len(rows)

    def _below(self, rows: list[int], heading: re.Pattern[str]) -> list[int]:
        """List the candidates below the first heading of a sort, up to the end of the document."""
        start = next((start for start, _ in find_sections(self.corpus, heading)), len(self.corpus))
        return [row for row in rows if row > start]
