"""Story: the sentences that a summary holds before coverage fills the rest.

Coverage of words alone misses the story: what a text is, what happened and what was decided is said
in few words, often once. So the title and the sentences of most worth
(`maxcover.texts.summary.worth`) are required while they fit, and sentences of little worth are left
out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.ascending import union
from maxcover.texts.judge.candidates import LATE, PART, SENTENCE
from maxcover.texts.summary.worth import ENGLISH, is_judged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.ground.array_types import Floats, Int64s
    from maxcover.texts.weigh.corpus import Corpus


LEAST_WORTH = 0.22
"""Sentences worth less are not required, and are left out of the summary of a page, unless it is
short. With 0.27, 0.22 and 0.17 a main point of 360 judged texts is told in 83.0, 83.2 and 83.5 %,
and 22.7, 22.7 and 23.2 % of the sentences are struck (``experiments/worth.py``)."""

FULL = 0.8
"""A summary of a page is short below this share of its budget: then the best sentences are taken,
whatever they are worth. With 0.6, 0.8 and 0.9 a main point of the same texts is told in 82, 83 and
84 %, 21, 23 and 25 % of the sentences are struck, and 71, 74 and 76 of 80 words are used."""

CHEAP = 0.25
"""Sentences are taken by their worth, divided by their number of words to this power. With 0, 0.25
and 0.4 a main point of the same texts is told in 83 %, and 21, 23 and 24 % of the sentences are
struck; mean ROUGE-1 of seven sets is .370 with 0 and .373 with 0.25."""

LEAST_HEADINGS = 2
"""A document is a page if it has at least this many headings, its title included."""

LONG = 80
"""A text of fewer candidates than this is short. Without this number, ROUGE-1 of reports falls from
.557 to .480."""

LIST = 0.9
"""A text is a list of remarks if at least this share of its candidates begin a line. Without it
mean ROUGE-1 of seven sets falls by .003."""

HALF = 0.5
"""The required sentences of documents that are no page fill at most this share of the budget. With
1 mean ROUGE-1 of seven sets falls from .378 to .369."""

REFERRING = frozenset({"he", "her", "his", "she", "their", "they"})
"""Words that refer to the sentence before, if an English sentence begins with one of them; so does
"for example". Such a sentence is required only together with the one before. With "it", "this",
"then" and "however" besides, a main point is told in 80 % of the judged texts instead of 83 %."""

LEAST_TITLE = 2
"""Least number of words of a title or a subject line; shorter ones are names."""

FIRST_LINES = 12
"""A title is among this many first sentences of its document."""


def find_story(
    corpus: Corpus, worth: Floats, budget: float, *, order: Sequence[int], out: Int64s
) -> list[int]:
    """Find the sentences that a summary within `budget` must hold: the title, and the best ones.

    Parameters
    ----------
    corpus : Corpus
    worth : float array
        Of each sentence.
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
    >>> from maxcover.texts.summary.worth import find_worth
    >>> from maxcover.texts import prepare
    >>> corpus = prepare(["Cats purr at night all over town. This report examines why cats purr."])
    >>> find_story(corpus, find_worth(corpus), 20, order=[0], out=np.empty(0, np.int64))
    [0, 1]
    """
    free = corpus.canonical == np.arange(len(corpus))
    free[out] = False
    title = [row for row in _find_titles(corpus, order, budget) if free[row]]
    free &= (corpus.standing >= LATE) & (worth > 0)
    best = np.argsort(-worth / np.maximum(corpus.n_words, 1) ** CHEAP, kind="stable")
    best = best[free[best]]
    page, several = is_page(corpus), len(corpus.documents) > 1
    if several:
        best = _each_document_first(corpus, best, order)
    chosen = list(title)
    told = corpus.measure(chosen)
    # What these rows add to the size is their cost.
    bare = corpus.unit.additive and not corpus.editions
    plain = np.array([bare and not label for label in corpus.under])
    for row in best.tolist() if page or several else ():
        if worth[row] < LEAST_WORTH and (
            told >= (FULL * budget if page else 1)
            or (not several and corpus.standing[row] < SENTENCE)
        ):
            continue
        if row - 1 not in chosen and _continues(corpus, row):
            continue
        room = budget if page or not told else HALF * budget
        if plain[row] and told + corpus.costs[row] > room + corpus.unit.joint:
            continue
        size = corpus.measure([*chosen, row])
        if size <= room:
            chosen.append(row)
            told = size
    return chosen


def _each_document_first(corpus: Corpus, best: Int64s, order: Sequence[int]) -> Int64s:
    """Move the best sentence of each document to the front: of the first, the last, the others."""
    document = corpus.document[best]
    lead = np.sort(np.unique(document, return_index=True)[1])
    lead = lead[np.lexsort((document[lead] != order[-1], document[lead] != order[0]))]
    return np.concatenate((best[lead], np.delete(best, lead)))


def _continues(corpus: Corpus, row: int) -> bool:
    """Tell whether the first word of an English sentence refers to another one, such as "She"."""
    first, _, rest = corpus.texts[row].lower().partition(" ")
    if first == "for":
        return corpus.language.code == ENGLISH and rest.startswith(("example", "instance"))
    return corpus.language.code == ENGLISH and first.rstrip(",") in REFERRING


def find_left_out(corpus: Corpus, worth: Floats, *, story: Sequence[int], budget: float) -> Int64s:
    """Find sentences of a page to leave out: of little worth, or going on from one not in `story`.

    Nothing is left out if all sentences fit together, or if the story is no more than a title.
    """
    judged = is_judged(corpus)
    once = corpus.canonical == np.arange(len(corpus))
    everything = corpus.costs[once & (corpus.standing >= LATE)].sum() <= budget
    if everything or not is_page(corpus) or not judged[list(story)].any():
        return np.empty(0, np.int64)
    good = np.flatnonzero(judged & (worth >= LEAST_WORTH)).tolist()
    refers = [row for row in good if row - 1 not in story and _continues(corpus, row)]
    poor = np.flatnonzero(judged & (worth < LEAST_WORTH))
    return union(poor, np.array(refers, np.int64))


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


def _find_titles(corpus: Corpus, order: Sequence[int], budget: float) -> list[int]:
    """Return the title's row; for several letters, a title that most of them share; else []."""
    several = len(corpus.documents) > 1
    if (several and not any(corpus.speakers)) or not corpus.language.spaced:
        return []
    titles = [find_title(corpus, document) for document in order]
    row = titles[0]
    if row is None or corpus.n_words[row] < LEAST_TITLE:
        return []
    mine = _concepts_of(corpus, row)
    shared = [mine.intersection(_concepts_of(corpus, one)) for one in titles if one is not None]
    same = sum(2 * len(words) >= len(mine) for words in shared)
    # A title alone is no summary, so a sentence has to fit beside it.
    costs = corpus.costs - corpus.unit.joint
    beside = costs[corpus.standing >= SENTENCE]
    fits = not beside.size or costs[row] + beside.min() <= budget
    return [row] if fits and 2 * same > len(corpus.documents) else []


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
