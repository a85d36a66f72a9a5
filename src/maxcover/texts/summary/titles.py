"""Titles: the line that says what a document is about, and which documents are pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.texts.judge.candidates import LATE, PART, SENTENCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.texts.weigh.corpus import Corpus


LEAST_HEADINGS = 2
"""A document is a page if it has at least this many headings, its title included."""

LONG = 80
"""A text of fewer candidates than this is short. Without this number, ROUGE-1 of reports falls from
.557 to .480."""

LIST = 0.9
"""A text is a list of remarks if at least this share of its candidates begin a line. Without it
mean ROUGE-1 of seven sets falls by .003."""

LEAST_TITLE = 2
"""Least number of words of a title or a subject line; shorter ones are names."""

FIRST_LINES = 12
"""A title is among this many first sentences of its document."""


def is_page(corpus: Corpus) -> bool:
    """Tell whether documents have structure or are short: then room may be left empty.

    Talk, lists of remarks, and long texts without headings have little that says what a sentence is
    worth.
    """
    if "speech" in corpus.kinds:
        return False
    heads = sum(kind in ("heading", "title") for kind in corpus.kinds)
    if len(corpus.documents) > 1:
        return heads >= LEAST_HEADINGS * len(corpus.documents)
    if heads >= LEAST_HEADINGS or any(corpus.speakers):
        return True
    text = corpus.documents[0]
    starts = corpus.starts[corpus.standing >= LATE].tolist()
    alone = sum(text[start - 1 : start] in ("\n", "") for start in starts)
    return len(starts) < LONG and alone < LIST * len(starts)


def find_shared_title(corpus: Corpus, order: Sequence[int], budget: float) -> int | None:
    """Return the title's row; for several letters, of a title that most share; else None.

    `order` lists the documents in the order of the summary. There is no title if no sentence fits
    the budget beside it.
    """
    several = len(corpus.documents) > 1
    if (several and not any(corpus.speakers)) or not corpus.language.spaced:
        return None
    titles = [find_title(corpus, document) for document in order]
    row = titles[0]
    if row is None or corpus.n_words[row] < LEAST_TITLE:
        return None
    mine = _concepts_of(corpus, row)
    shared = [mine.intersection(_concepts_of(corpus, one)) for one in titles if one is not None]
    same = sum(2 * len(words) >= len(mine) for words in shared)
    # A title alone is no summary, so a sentence has to fit beside it.
    costs = corpus.costs - corpus.unit.joint
    beside = costs[corpus.standing >= SENTENCE]
    fits = not beside.size or costs[row] + beside.min() <= budget
    return row if fits and 2 * same > len(corpus.documents) else None


def find_title(corpus: Corpus, document: int) -> int | None:
    """Return the row marked as title, or a first line that is not a sentence, or None."""
    start, end = np.searchsorted(corpus.document, (document, document + 1)).tolist()
    rows = range(start, min(end, start + FIRST_LINES))
    for row in rows:
        if corpus.kinds[row] == "title" and corpus.standing[row] == PART:
            return int(row)
    text = corpus.documents[document]
    for row in rows[:1]:
        end, weak = int(corpus.ends[row]), PART <= corpus.standing[row] <= LATE
        line = text[end : end + 1] == "\n" and text[end - 1].isalnum()
        above = text[: int(corpus.starts[row])].strip("# \t\r\n")
        first = (not above or above.endswith("Title:")) and not corpus.speakers[row]
        if weak and line and first and corpus.kinds[row] in ("paragraph", "heading"):
            return int(row)
    return None


def _concepts_of(corpus: Corpus, row: int) -> set[int]:
    return {*corpus.indices[corpus.indptr[row] : corpus.indptr[row + 1]].tolist()}
