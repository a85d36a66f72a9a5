"""Phases: a plan in phases as one coverage problem.

Set ``(i, k)`` is set i that enters in phase k, and element ``(a, l)`` is element a at the end of
phase l; ``(i, k)`` covers ``(a, l)`` if i covers a and ``l >= k``. The total cost by the end of
each phase has a limit. So a plan has the same bound and checks as any selection.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core.ascending import distinct
from maxcover.engine.core.limits import limits_of
from maxcover.engine.core.problem import CoverageProblem
from maxcover.engine.core.returns import ONCE
from maxcover.engine.core.validation import positions_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.ground.array_types import Floats, Int64s


@dataclass(frozen=True, eq=False)
class Phases:
    """A coverage problem over several phases, and the numbering of its sets.

    Attributes
    ----------
    problem : CoverageProblem
        Its value is the sum over phases of the covered weight times the factor of the phase.
    candidates : array of int
        Sets of the original problem that may enter. Set ``k * len(candidates) + c`` means that
        ``candidates[c]`` enters in phase k.
    """

    problem: CoverageProblem
    candidates: Int64s

    def selections(self, chosen: Int64s, n_phases: int) -> list[Int64s]:
        """Return for each phase the original sets that have entered by its end."""
        phase, place = np.divmod(chosen, self.candidates.size)
        return [distinct(self.candidates[place[phase <= k]]) for k in range(n_phases)]

    def numbered(self, selections: Sequence[Int64s]) -> Int64s:
        """Return growing `selections`, one per phase, as one selection of `self.problem`."""
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
    """Build the coverage problem over several phases of growing budgets.

    Parameters
    ----------
    problem : CoverageProblem
        Its maxima hold in every phase, its minima at the end; its required sets enter first.
    budgets, factors : array of float
        For each phase: the largest total cost by its end, and the factor of covered weight.
    candidates : array of int
        The sets that may enter, required sets among them.
    least : array of float, optional
        The smallest covered weight at the end of each phase.
    """
    m, n = len(budgets), candidates.size
    own = positions_of(problem.indptr, candidates)
    rows = np.repeat(np.arange(n), np.diff(problem.indptr)[candidates])
    # All pairs of phases: a set that enters in phase `first` still covers in phase `last`.
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
        floors=limits_of(_minima(problem, factors, least)),
        returns=returns,
    )
    return Phases(made, candidates)


def _rows(problem: CoverageProblem, budgets: Floats, candidates: Int64s) -> list[Any]:
    """Return the limits: on the cost up to each phase but the last, and the limits of `problem`."""
    m, n, costs = len(budgets), candidates.size, problem.costs[candidates]
    rows: list[Any] = [
        (f"what is spent by phase {k}", np.arange(k * n), np.tile(costs, k), 0.0, float(most))
        for k, most in enumerate(budgets[:-1], start=1)
    ]
    own = problem.limits.among(candidates, problem.n_sets)
    for r, name in enumerate(own.names):
        members, amounts = own.row(r)
        sets = np.concatenate([members + k * n for k in range(m)])
        rows.append((name, sets, np.tile(amounts, m), float(own.low[r]), float(own.high[r])))
    if problem.returns is not ONCE:
        # With returns, a set that enters in two phases would count twice, so it may enter only
        # once.
        rows += [
            (f"set {problem.label(i)!r}", c + n * np.arange(m), np.ones(m), 0.0, 1.0)
            for c, i in enumerate(candidates.tolist())
        ]
    return rows


def _minima(problem: CoverageProblem, factors: Floats, least: Floats | None) -> list[Any]:
    """Return minima of value: the minima of `problem` in the last phase, and `least` per phase."""
    floors, m, n_elements = problem.floors, len(factors), problem.n_elements
    found: list[Any] = []
    for r, name in enumerate(floors.names):
        elements, amounts = floors.row(r)
        last = elements + (m - 1) * n_elements
        found.append((name, last, amounts, factors[-1] * floors.low[r], np.inf))
    for k, low in enumerate(() if least is None else least):
        every = np.arange(n_elements) + k * n_elements
        found.append((f"phase {k + 1}", every, np.ones(n_elements), factors[k] * low, np.inf))
    return found
