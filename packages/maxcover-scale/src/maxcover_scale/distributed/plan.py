"""Plan: limits on the work for a graph in pieces, and the selection that results."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from maxcover.engine.core.solution import relative_gap

if TYPE_CHECKING:
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Solution
    from maxcover.ground.array_types import Int64s
    from maxcover_scale.distributed.ascent import Proof


@dataclass(frozen=True, kw_only=True)
class WorkPlan:
    """How much work to spend on each stage of solving a graph in pieces.

    Attributes
    ----------
    steps : int, optional
        Steps on the linear relaxation: passes over all edges. By default 15 where a core of the
        graph is relaxed by the driver afterwards, and 100 elsewhere: with limits beside the budget,
        with rows, and where the driver cannot hold the core, twice `most_edges`.
    prices : int
        How often, at most, the core's dual point is evaluated on all edges and sets join the core.
    most_edges : int
        Edges that the driver may hold; about 60 bytes each while `auto` decides.
    rounds : int
        How often to fix, drop and relax what is left while that has more edges. After the last
        round the least certain sets stay open as far as they fit, and all others are decided.
    completions : int
        Rounds of picks by gain that use up the budget.
    """

    steps: int | None = None
    prices: int = 20
    most_edges: int = 50_000_000
    rounds: int = 3
    completions: int = 4


DEFAULT_PLAN = WorkPlan()


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphSelection:
    """A certified selection from a graph in pieces.

    Attributes
    ----------
    sets : array of int64
        Ids of the chosen sets, ascending.
    value, cost, upper_bound : float
        As in `maxcover.Solution`: recomputed from the graph, and rounded outward.
    passes : int
        How often all chunks of the graph were asked something.
    rounds : int
        How often sets were fixed and dropped.
    rest_edges : int
        Edges that were left for one machine.
    proof : Proof or None
        The dual point behind the bound of a graph in pieces.
    solution : Solution or None
        The answer of one machine where the graph fits one, which `maxcover.verify` checks.
    """

    sets: Int64s
    value: float
    cost: float
    upper_bound: float
    passes: int
    rounds: int
    rest_edges: int
    proof: Proof | None
    seconds: float
    solution: Solution | None = None

    @property
    def gap(self) -> float:
        """The fraction of the upper bound by which the value falls short of it, from 0 to 1."""
        return relative_gap(self.value, self.upper_bound)

    def __repr__(self) -> str:
        return (
            f"GraphSelection({len(self.sets)} sets, value {self.value:g}, cost {self.cost:g}, "
            f"upper bound {self.upper_bound:g}, gap {self.gap:.3%})"
        )


def selection_of(
    solution: Solution, ids: Int64s, problem: CoverageProblem, started: float
) -> GraphSelection:
    """Return the answer of one machine as a selection of ids."""
    return GraphSelection(
        sets=ids[solution.selected],
        value=solution.value,
        cost=solution.cost,
        upper_bound=solution.upper_bound,
        passes=1,
        rounds=0,
        rest_edges=problem.n_edges,
        proof=None,
        seconds=time.monotonic() - started,
        solution=solution,
    )
