"""Antecedents: the sentences without which a sentence is not understood.

A sentence inside a paragraph that begins with a word such as "This" or "They" speaks of the
sentence before it. In the problem of a summary it is one set with that sentence, at the cost of
both.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.ascending import distinct
from maxcover.engine.core.validation import positions_of
from maxcover.texts.judge.candidates import LATE, PART
from maxcover.texts.summary.worth import ENGLISH, begins_block
from maxcover.texts.words.lists import read_table

if TYPE_CHECKING:
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import Int64s
    from maxcover.texts.weigh.corpus import Corpus


_FIRST = re.compile(r"[^\W\d_]+")  # "that" of "that's"


def find_first(corpus: Corpus) -> Int64s:
    """Return for each sentence the first one that it is printed with, mostly itself.

    English only. In a transcript a turn is a paragraph.

    Examples
    --------
    >>> from maxcover.texts import prepare
    >>> text = "Cats purr all night. They keep the dogs awake. Dogs sleep at noon."
    >>> find_first(prepare([text], language="english")).tolist()
    [0, 0, 2]
    """
    first = np.arange(len(corpus))
    if corpus.language.code != ENGLISH:
        return first
    words = {*read_table("speech")["referring"].split()}
    inside = ~begins_block(corpus) & (corpus.standing >= LATE)
    for row in np.flatnonzero(inside).tolist():
        said = _FIRST.match(corpus.texts[row].lower())
        before = row - 1
        same = corpus.speakers[row] == corpus.speakers[before]
        if said and said[0] in words and same and corpus.standing[before] >= PART:
            first[row] = first[before]
    return first


def join_sets(problem: CoverageProblem, first: Int64s) -> CoverageProblem:
    """Return the problem in which each set is a sentence with those from its `first` one on.

    Two sets that share a sentence both pay for it, so a selection costs no less than its sentences.
    """
    rows = np.flatnonzero((first < np.arange(problem.n_sets)) & problem.choosable)
    if not rows.size:
        return problem
    sizes = rows - first[rows] + 1
    owners = np.repeat(np.arange(len(rows)), sizes)
    members = np.arange(len(owners)) + np.repeat(rows + 1 - np.cumsum(sizes), sizes)
    lengths = np.diff(problem.indptr)
    held = problem.indices[positions_of(problem.indptr, members)]
    pairs = distinct(np.repeat(owners, lengths[members]) * problem.n_elements + held)
    others = np.setdiff1d(np.arange(problem.n_sets), rows, assume_unique=True)
    lengths[rows] = np.bincount(pairs // problem.n_elements, minlength=len(rows))
    indptr = np.append(0, np.cumsum(lengths))
    indices = np.empty(indptr[-1], np.int32)
    indices[positions_of(indptr, others)] = problem.indices[positions_of(problem.indptr, others)]
    indices[positions_of(indptr, rows)] = pairs % problem.n_elements
    costs = problem.costs.copy()
    costs[rows] = np.bincount(owners, problem.costs[members])
    return replace(problem, indptr=indptr, indices=indices, costs=costs)
