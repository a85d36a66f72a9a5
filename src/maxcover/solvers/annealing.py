"""Simulated annealing as a part: the best selection found that reaches every minimum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.core import demands
from maxcover.core.needs import COST, ITEMS, SHARE
from maxcover.kernels.anneal import BOOK, anneal
from maxcover.solvers.bp import take

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control

    Int64s = NDArray[np.int64]

# Temperatures, from the first to the last, in units of what a set covers on average.
_HOT, _COLD, _STEPS = 0.06, 0.006, 60
# Moves of a run: so many per set, but at least and at most.
_MOVES_PER_SET, _LEAST_MOVES, _MOST_MOVES = 800, 12_000, 4_000_000


class Annealing:
    """Runs of simulated annealing on one problem."""

    def __init__(self, problem: CoverageProblem) -> None:
        self.problem = problem
        n_groups, ticks = problem.n_groups, problem.ticks
        self.needs = (problem.needs if problem.needs.size else np.ones(problem.n_elements)).astype(
            np.int64
        )
        shared = demands.shared_weight(problem)
        self.owners = shared.groups.astype(np.int32)
        sizes = np.bincount(shared.elements, minlength=problem.n_elements)
        self.shared = np.append(0, np.cumsum(sizes)).astype(np.int64)
        self.group = np.where(problem.group_of < 0, n_groups, problem.group_of).astype(np.int32)
        self.least = np.zeros((3, n_groups + 1))
        if problem.group_least.size:
            self.least[ITEMS, :-1] = problem.group_least[ITEMS]
            self.least[COST, :-1] = problem.group_least[COST] / ticks.unit
            self.least[SHARE, :-1] = shared.least
        self.most = np.full((2, n_groups + 1), np.inf)
        self.most[ITEMS, :-1] = problem.group_counts
        self.most[COST, :-1] = problem.group_ticks
        usable = problem.choosable.copy()
        usable[problem.required] = True
        self.ticks = np.where(usable, ticks.ticks, 0)
        self.movable = np.flatnonzero(problem.choosable)
        gains = np.bincount(
            np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr)),
            weights=(problem.weights / self.needs)[problem.indices],
            minlength=problem.n_sets,
        )[self.movable]
        self.scale = float(gains.mean()) if gains.size else 0.0
        # a fine for what one set more would help, above what any set is worth
        top = 2.0 * float(gains.max(initial=0.0)) + 1e-300
        rate = float(self.ticks[self.movable].mean()) if gains.size else 1.0
        self.fines = np.empty((3, n_groups + 1))
        self.fines[ITEMS], self.fines[COST] = top, top / max(rate, 1.0)
        self.fines[SHARE] = 2.0

    def run(
        self, start: Int64s, *, seed: int, control: Control, cool: float = 1.0
    ) -> Int64s | None:
        """Return the best selection of one run that keeps every limit, or None if none does."""
        problem = self.problem
        moves = np.clip(_MOVES_PER_SET * self.movable.size, _LEAST_MOVES, _MOST_MOVES)
        chosen = np.zeros(problem.n_sets, dtype=np.int64)
        best = np.zeros(problem.n_sets, dtype=np.int64)
        begin = start[problem.choosable[start]]
        begin = take(problem, begin, problem.required)
        found: Int64s | None = None
        books = np.zeros(1, BOOK)
        books["random"] = (2 * seed + 1) * 0x9E3779B97F4A7C15 % 2**64
        books["limit"], books["best"] = problem.ticks.limit, -1.0
        chosen[: begin.size] = begin
        books["n_chosen"] = begin.size
        for step in range(_STEPS):
            if control.expired():
                break
            heat = cool * self.scale * _HOT * (_COLD / _HOT) ** (step / (_STEPS - 1))
            now = chosen[: int(books["n_chosen"][0])].copy()
            counts, have, place = self._books(now, books)
            size = anneal(
                problem.indptr, problem.indices, self.shared, self.owners, problem.weights,
                self.needs, self.ticks, self.group, self.least, self.fines, self.most,
                self.movable, counts, have, chosen, place, best, books,
                max(heat, 1e-300), int(moves) // _STEPS,
            )  # fmt: skip
            if size >= 0:
                found = np.sort(np.concatenate((problem.required, best[:size])))
        if found is None or problem.violation(found) or demands.shortfall(problem, found):
            return None
        return found

    def _books(
        self, chosen: Int64s, books: NDArray[np.void]
    ) -> tuple[Int64s, NDArray[np.float64], Int64s]:
        """Count everything again from the selection, so that rounding does not pile up."""
        problem = self.problem
        everyone = np.concatenate((problem.required, chosen))
        counts = demands.held(problem, everyone)
        covered = counts >= self.needs
        have = np.zeros_like(self.least)
        np.add.at(have[ITEMS], self.group[everyone], 1)
        np.add.at(have[COST], self.group[everyone], self.ticks[everyone])
        shared = np.repeat(covered, np.diff(self.shared))
        worth = np.repeat(problem.weights, np.diff(self.shared))
        np.add.at(have[SHARE], self.owners[shared], worth[shared])
        place = np.full(problem.n_sets, -1, dtype=np.int64)
        place[chosen] = np.arange(chosen.size)
        half = ~covered & (self.needs > 1)
        books["value"] = problem.weights[covered].sum()
        books["credit"] = 0.3 * (problem.weights * counts / self.needs)[half].sum()
        missing = self.least - have
        books["penalty"] = (self.fines * missing)[missing > 1e-12 * self.least].sum()
        books["used"] = int(self.ticks[everyone].sum())
        return counts, have, place
