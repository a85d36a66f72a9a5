"""Threads: what letters and posts are about, the answer that was taken up, and how it ended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from maxcover.summary import cues
from maxcover.summary.finder import FAR, LEAST_WORDS
from maxcover.text.judge.candidates import LATE, PART

if TYPE_CHECKING:
    from maxcover.summary.finder import Finder


def tell_thread(finder: Finder, title: list[int]) -> tuple[list[int], list[int]]:
    """List how a thread ended, and what it is about with the answer that was taken up."""
    posts = _posts(finder)
    about = _about(finder, posts, title)
    end, answers = _taken_up(finder, posts, about)
    left = finder.budget - float(finder.costs[[*title, *about]].sum())
    answers = [row for row in answers if finder.costs[row] <= left]
    left -= float(finder.costs[end].sum())
    beside = [row for row in answers if finder.costs[row] <= left][:1]
    if any(finder.says(row, cues.OUTCOME) for row in end):
        return end, [*about, *beside]
    if end and beside:  # what one will do says little without the answer
        return [], [*about, *beside, *end]
    return finder.ending(), [*about, *(answers or _assented(finder, posts))[:1]]


def _posts(finder: Finder) -> list[list[int]]:
    """List the own sentences of each post: a run of one writer in one document."""
    corpus, posts = finder.corpus, dict[tuple[int, int], list[int]]()
    able = finder.free & finder.told & (corpus.standing >= PART)
    place = {document: number for number, document in enumerate(finder.order)}
    number, last = 0, (0, "")
    for row in np.flatnonzero(able).tolist():
        mine = int(corpus.document[row]), corpus.speakers[row]
        if mine[1]:
            number += mine != last
            posts.setdefault((place[mine[0]], number), []).append(row)
            last = mine
    return [posts[key] for key in sorted(posts)]


def _about(finder: Finder, posts: list[list[int]], title: list[int]) -> list[int]:
    """Return the sentence of the first post that says most of the title, or asks, or opens."""
    said = ([row for row in post if finder.long[row]] for post in posts)
    post = next((rows for rows in said if rows), [])
    best = finder.nearest(title, post)
    if best and finder.share(title, best[0]) > 0:
        return best[:1]
    return [row for row in post if finder.asks(row)][:1] or post[:1]


def _taken_up(
    finder: Finder, posts: list[list[int]], about: list[int]
) -> tuple[list[int], list[int]]:
    """Find how it ended for whoever asked and came back to thank, and what may be the answer.

    That is what is quoted right above the end, or what those say whom the end names, or the
    thanks, or whoever wrote last; first what is nearest to what was asked.
    """
    corpus, who = finder.corpus, [finder.corpus.speakers[post[0]] for post in posts]
    back = max((number for number, one in enumerate(who) if one == who[0]), default=0)
    before = [number for number in range(back) if who[number] != who[0]]
    if not before:
        return [], []
    mine = posts[back]
    if not any(finder.says(row, cues.THANKS) for row in mine):
        return [], []
    ends = [row for row in mine if finder.says(row, cues.OUTCOME)][-1:]
    ends = ends or [row for row in mine if finder.may[row] and finder.says(row, cues.TAKES)][:1]
    but = [row for row in mine if row - 2 in ends or row - 1 in ends]
    end = [*ends, *[row for row in but if finder.begins(row, cues.BUT)][:1]]
    called = before[-1:]
    for rows in (mine, ends):
        words = set(re.findall(r"\w{3,}", " ".join(corpus.texts[row] for row in rows)))
        called = [number for number in before if words & set(who[number].split())] or called
    told = [*about, *ends]
    quoted = [row for one in ends for row in finder.above(one) if _may_answer(finder, row, told)]
    answers = [row for number in called for row in posts[number] if _may_answer(finder, row, told)]
    answers = finder.nearest(told, answers)
    said = [row for row in answers if not finder.asks(row)]
    return end, [*quoted, *said, *answers]


def _assented(finder: Finder, posts: list[list[int]]) -> list[int]:
    """Return the last sentence of a reply that another quotes to assent to it."""
    found: list[int] = []
    first = {row for post in posts[:1] for row in post}
    for row in np.flatnonzero(finder.told & (finder.corpus.n_words <= FAR)).tolist():
        if finder.begins(row, cues.ASSENTS):
            said = [one for one in finder.above(row)[:1] if finder.may[one] and one not in first]
            found += [one for one in said if not finder.asks(one)]
    return found[-1:]


def _may_answer(finder: Finder, row: int, asked: list[int]) -> bool:
    """Tell whether a sentence can be an answer: before a command, it may end with a colon."""
    corpus = finder.corpus
    if not finder.free[row] or corpus.n_words[row] < LEAST_WORDS or corpus.standing[row] < LATE:
        return False
    if finder.may[row] and finder.opens(row):
        return True
    text = corpus.texts[row]
    return text[-1] == ":" and text[0].isalnum() and finder.share(asked, row) > 0
