"""Pose: a summary as one coverage problem, whose terms say all that decides.

A set is a sentence with those before it that it refers to, at the cost of their texts and labels
(`maxcover.texts.summary.antecedents`). Its elements are concepts (words and pairs of words), and
one element of its own, whose weight is what an editor would give for the sentence
(`maxcover.texts.summary.worth`) and how well it answers the query (`Corpus.match`). Only the title
and what the caller wants are required. Sentences that say the same are in conflict.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core.ascending import difference, distinct, union
from maxcover.engine.core.groups import group_limits
from maxcover.texts.judge.candidates import LATE, PART
from maxcover.texts.summary.antecedents import find_first, join_sets
from maxcover.texts.summary.titles import find_shared_title, is_page
from maxcover.texts.summary.worth import find_worth, is_judged
from maxcover.texts.weigh.repeats import find_alike

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import Floats, Int64s
    from maxcover.texts.weigh.corpus import Corpus


@dataclass(frozen=True)
class TermNumbers:
    """The numbers of the terms, chosen on the judged texts of ``studies/worth/worth.py``.

    Attributes
    ----------
    page, other : float
        Weight of a sentence of worth 1 and of mean length, as a multiple of the concepts of a mean
        candidate: on pages, and elsewhere, where worth tells less.
    query : float
        The same of the sentence that answers the query best.
    length : float
        The weight grows with the number of words to this power. With 1 a long sentence would be
        worth as much as all its words, with 0 summaries are made of short sentences.
    ends : float
        Of several documents, the best sentence of the first and of the last weighs this many times
        as much: it says what happened, and how things stand.
    least : float
        On a page, sentences worth less are what an editor would strike.
    full : float
        The best sentences of a page are not struck while they fill no more than this share of the
        budget: in a long document all are worth little.
    """

    page: float = 10.0
    other: float = 1.0
    query: float = 30.0
    length: float = 0.6
    ends: float = 4.0
    least: float = 0.15
    full: float = 0.8


NUMBERS = TermNumbers()
ANSWERS = 0.5
"""Least match of a sentence that answers the query: the query has said what it speaks of."""
STRUCK = "editor"
"""Name, in `Corpus.struck_by`, of the rule that strikes sentences of little worth."""


def weigh_own(corpus: Corpus, order: Sequence[int], *, story: bool, budget: float) -> Corpus:
    """Return the corpus with the weight of each sentence itself.

    Without `story` (a preset that only covers words) a sentence has its worth from the query alone.

    Parameters
    ----------
    corpus : Corpus
    order : sequence of int
        The documents in the order of the summary.
    story : bool
    budget : float
        In the unit of the corpus; only `TermNumbers.full` depends on it.
    """
    if not story and not corpus.match.any():
        return corpus
    numbers, may = NUMBERS, corpus.standing >= LATE
    worth = find_worth(corpus) if story else np.zeros(len(corpus))
    page = story and is_page(corpus)
    each = (numbers.page if page else numbers.other) * np.where(may, worth, 0.0)
    for document in {order[0], order[-1]} if len(order) > 1 else ():
        own = np.where(corpus.document == document, each, 0.0)
        each[np.argmax(own)] *= numbers.ends
    each += np.where(corpus.standing >= PART, numbers.query * corpus.match, 0.0)
    rows = np.repeat(np.arange(len(corpus)), np.diff(corpus.indptr))
    weight = np.bincount(rows, corpus.weights[corpus.indices], minlength=len(corpus))
    if may.any():
        length = corpus.n_words / max(1.0, corpus.n_words[may].mean())
        each *= weight[may].mean() * length**numbers.length
    corpus = replace(corpus, own=each if story else corpus.own + each)
    return _strike(corpus, worth, budget) if page else corpus


def _strike(corpus: Corpus, worth: Floats, budget: float) -> Corpus:
    """Lower the standing of what an editor would strike and what does not answer the query."""
    struck = is_judged(corpus) & (corpus.standing > PART)
    struck &= (worth < NUMBERS.least) & (corpus.match < NUMBERS.least)
    best = np.argsort(-worth, kind="stable")
    may = (worth > 0) & (corpus.standing > PART) & (corpus.canonical == np.arange(len(corpus)))
    best = best[may[best]]
    struck[best[np.cumsum(corpus.costs[best]) <= NUMBERS.full * budget]] = False
    by = [STRUCK if out else rule for out, rule in zip(struck, corpus.struck_by, strict=True)]
    standing = np.where(struck, PART, corpus.standing).astype(np.int8)
    return replace(corpus, standing=standing, struck_by=tuple(by))


@dataclass(frozen=True, kw_only=True)
class Pose:
    """The problem of a corpus for any budget.

    Attributes
    ----------
    corpus : Corpus
        With the weights of sentences (`weigh_own`).
    order : sequence of int
        The documents in the order of the summary.
    required, forbidden : int64 arrays
        As the caller wants.
    limits : dict
        Maximum number (``max_items``) and cost (``max_cost``) of the sentences of a document.
    story : bool
        Whether the title is required if it fits, and sentences are joined to those that they refer
        to. (With limits per document, none are joined.)
    max_similarity : float
        Sentences that share more are in conflict.
    """

    corpus: Corpus
    order: Sequence[int]
    required: Int64s
    forbidden: Int64s
    limits: dict[str, Any]
    story: bool
    max_similarity: float

    @cached_property
    def first(self) -> Int64s:
        """For each sentence, the first one that it is printed with, mostly itself."""
        if self.limits or not self.story:
            return np.arange(len(self.corpus))
        first = find_first(self.corpus)
        # What a sentence of its own speaks of was said by the caller.
        alone = union(self.required, np.flatnonzero(self.corpus.match >= ANSWERS))
        first[alone] = alone
        return first

    def printed(self, chosen: Int64s) -> Int64s:
        """Return the sentences of the chosen sets, ascending."""
        each = [np.arange(self.first[row], row + 1) for row in chosen.tolist()]
        return distinct(np.concatenate(each)) if each else chosen

    def problem(self, budget: float, conflicts: Iterable[Int64s] = ()) -> CoverageProblem:
        """Return the coverage problem; of the sets of a conflict one at most is chosen."""
        return join_sets(self.alone(budget, conflicts), self.first)

    def alone(self, budget: float, conflicts: Iterable[Int64s] = ()) -> CoverageProblem:
        """Return the problem in which each set is one sentence, for what each of them adds."""
        rows: dict[str, Any] = {}
        if self.limits or conflicts:
            groups = self.corpus.document.tolist() if self.limits else None
            rows = group_limits(groups, self.corpus.costs, conflicts=conflicts, **self.limits)
        is_out = np.isin(np.arange(len(self.corpus)), self.forbidden)
        out: Int64s = np.cumsum(is_out) - is_out
        bring = np.flatnonzero(out > out[self.first])
        choice = {"required": self.required, "forbidden": union(self.forbidden, bring)}
        problem = self.corpus.problem(budget, **choice, **rows)
        held = union(self.required, self.title(budget))
        if held.size == self.required.size or problem.violation(held):
            return problem
        return problem.with_choice(held, difference(problem.forbidden, held))

    def title(self, budget: float) -> Int64s:
        """Return the row of the title, if the title is required for a budget; else nothing."""
        corpus = self.corpus
        row = find_shared_title(corpus, self.order, budget) if self.story else None
        title = np.array([] if row is None else [row], np.int64)
        first = corpus.canonical[title] == title
        alike = find_alike(corpus, self.required.tolist(), title, most=self.max_similarity)
        known = union(self.required, union(self.forbidden, alike))
        return difference(title[first], known)

    def conflicts(self, problem: CoverageProblem, chosen: Int64s) -> list[Int64s]:
        """Return sets of sentences that say the same, for the chosen ones that do.

        The first of a set is chosen. Any two of a set are alike, or one is the first.
        """
        found: list[Int64s] = []
        most = self.max_similarity
        if most >= 1:
            return found
        may = union(np.flatnonzero(problem.choosable), problem.required)
        for row in chosen.tolist():
            others = difference(chosen, [row])
            if any(row in one for one in found):
                continue
            if not find_alike(self.corpus, [row], others, most=most).size:
                continue
            alike = find_alike(self.corpus, [row], difference(may, [row]), most=most)
            same = np.array([row], np.int64)
            while alike.size:
                # Sentences that are alike each other exclude each other in one row.
                first, rest = alike[:1], alike[1:]
                near = find_alike(self.corpus, first.tolist(), rest, most=most)
                same, alike = union(same, first), near
            found.append(same)
            away = find_alike(self.corpus, [row], difference(may, same), most=most)
            found += [union([row], [other]) for other in away.tolist()]
        return [one for one in found if np.isin(one, problem.required).sum() < 2]
