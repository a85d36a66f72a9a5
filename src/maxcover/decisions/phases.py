"""Phases: a plan in phases as one coverage problem.

Set ``(i, k)`` is set i that enters in phase k, and element ``(a, l)`` is element a at the end of
phase l; ``(i, k)`` covers ``(a, l)`` where i covers a and ``l >= k``. What is spent by the end of
each phase is a limit of its own. So a plan has the bound and the checks that every selection has.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core.ascending import distinct
from maxcover.core.limits import floors_of, limits_of
from maxcover.core.problem import CoverageProblem
from maxcover.core.returns import ONCE
from maxcover.core.validation import positions_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.array_types import Floats, Int64s


@dataclass(frozen=True, eq=False)
class Phases:
    """A problem over several phases, and how its sets are numbered.

    Attributes
    ----------
    problem : CoverageProblem
        Its value is the sum over phases of what is covered times the factor of the phase.
    candidates : array of int
        Sets of the original problem that may enter; set ``k * len(candidates) + c`` is the c-th of
        them, entering in phase k.
    """

    problem: CoverageProblem
    candidates: Int64s

    def selections(self, chosen: Int64s, n_phases: int) -> list[Int64s]:
        """Return the sets that are there at the end of each phase."""
        phase, place = np.divmod(chosen, self.candidates.size)
        return [distinct(self.candidates[place[phase <= k]]) for k in range(n_phases)]

    def numbered(self, selections: Sequence[Int64s]) -> Int64s:
        """Return growing selections as one selection of the problem over phases."""
        is_in = np.array([np.isin(self.candidates, held) for held in selections])
        places = np.flatnonzero(is_in.any(axis=0))
        return np.sort(is_in.argmax(axis=0)[places] * self.candidates.size + places)


def in_phases(
    problem: CoverageProblem,
    budgets: Floats,
    factors: Floats,
    candidates: Int64s,
    least: Floats | None = None,
) -> Phases:
    """Return the problem over phases of growing budgets.

    Parameters
    ----------
    problem : CoverageProblem
        Its maxima hold in every phase, its minima at the end; its required sets enter first.
    budgets, factors : array of float
        Of each phase: what may be spent by its end, and what a covered weight counts.
    candidates : array of int
        The sets that may enter, required sets among them.
    least : array of float, optional
        What has to be covered at the end of each phase.
    """
    m, n = len(budgets), candidates.size
    own = positions_of(problem.indptr, candidates)
    rows = np.repeat(np.arange(n), np.diff(problem.indptr)[candidates])
    # what enters in the first phase of a pair is there at the end of the last one
    first, last = np.triu_indices(m)
    sets = (first[:, None] * n + rows).ravel()
    order = np.argsort(sets, kind="stable")
    edge, phase = np.tile(own, first.size)[order], np.repeat(last, own.size)[order]
    returns = problem.returns
    if returns.of.size:
        strength = returns.strength[edge] if returns.strength.size else returns.strength
        returns = replace(returns, of=np.tile(returns.of, m), strength=strength)
    made = CoverageProblem(
        indptr=np.append(0, np.cumsum(np.bincount(sets, minlength=m * n))),
        indices=problem.indices[edge] + phase * problem.n_elements,
        costs=np.tile(problem.costs[candidates], m),
        weights=np.outer(factors, problem.weights).ravel(),
        budget=float(budgets[-1]),
        required=np.flatnonzero(np.isin(candidates, problem.required)),
        limits=limits_of(_rows(problem, budgets, candidates)),
        floors=floors_of(_minima(problem, factors, least)),
        returns=returns,
    )
    return Phases(made, candidates)


def _rows(problem: CoverageProblem, budgets: Floats, candidates: Int64s) -> list[Any]:
    """Return the limits: what is spent by each phase but the last, and those of the problem."""
    m, n, costs = len(budgets), candidates.size, problem.costs[candidates]
    rows: list[Any] = [
        (f"what is spent by phase {k}", np.arange(k * n), np.tile(costs, k), 0.0, float(most))
        for k, most in enumerate(budgets[:-1], start=1)
    ]
    own = problem.limits.among(candidates, problem.n_sets)
    for r, name in enumerate(own.names):
        inside = slice(*own.indptr[r : r + 2])
        sets = np.concatenate([own.sets[inside] + k * n for k in range(m)])
        low, high = float(own.low[r]), float(own.high[r])
        rows.append((name, sets, np.tile(own.amounts[inside], m), low, high))
    if problem.returns is not ONCE:
        # where an element gives by count, a set must not count twice
        rows += [
            (f"set {problem.label(i)!r}", c + n * np.arange(m), np.ones(m), 0.0, 1.0)
            for c, i in enumerate(candidates.tolist())
        ]
    return rows


def _minima(problem: CoverageProblem, factors: Floats, least: Floats | None) -> list[Any]:
    """Return the minima of value: those of the problem, in the last phase, and one per phase."""
    floors, n_elements = problem.floors, problem.n_elements
    end, every = (len(factors) - 1) * n_elements, np.arange(n_elements)
    ends = zip(floors.names, floors.indptr, floors.indptr[1:], floors.low, strict=False)
    return [
        *((name, floors.elements[a:b] + end, factors[-1] * low) for name, a, b, low in ends),
        *(
            (f"phase {k + 1}", every + k * n_elements, factors[k] * low)
            for k, low in enumerate(() if least is None else least)
        ),
    ]
