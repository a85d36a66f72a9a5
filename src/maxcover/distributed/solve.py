"""One huge graph: price, beliefs, decimation, completion and certificate, whoever holds the edges.

The driver holds a few numbers a set and none an edge or element. The steps are those of
`maxcover.solvers.auto`: the price of the budget from the linear relaxation, corrected until the
expected cost of the beliefs meets the budget; picks in rounds; the rest of the budget by gain.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core.solution import relative_gap
from maxcover.core.ticks import to_ticks
from maxcover.distributed.bsp import Place, Task, Work
from maxcover.distributed.partition import (
    Beliefs,
    Block,
    Shard,
    introduce,
    read_out,
    restart_block,
    restart_shard,
    sets_of,
    settled,
    settled_block,
    slices,
    sweep_block,
    sweep_shard,
    welcome,
)
from maxcover.distributed.relaxation import certified_bound, relax
from maxcover.errors import ProblemError
from maxcover.kernels.decode import fill
from maxcover.kernels.dual import row_sums
from maxcover.kernels.propagate import DAMPING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from maxcover.distributed.bsp import Supersteps

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]

# Inverse temperature in units of 1 / mean weight, as in `maxcover.solvers.bp`.
BETA = 8.0
# Sweeps before the first look at how far they have come; then three times as many as before. Those
# after the last one that was needed cost nothing but the time of the engine.
FIRST_SWEEPS = 5
# Rounds of picks by gain alone, and the gap from which on they are tried: where the budget pays
# for everything the relaxation gives it no price, and beliefs do not know what is cheap.
GREEDY_ROUNDS = 32
GREEDY_GAP = 0.01


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much work to spend.

    Attributes
    ----------
    dual_steps : int
        Steps on the linear relaxation; the bound is within about 1 % after a hundred.
    rounds : int
        Rounds of picks; each fills its share of the budget.
    sweeps : int
        At most so many sweeps for one look at the beliefs.
    tries : int
        Looks at the beliefs to find the price in the first round; later rounds take two.
    tol : float
        Stop sweeping when no field moved by more than this many temperatures.
    completions : int
        Rounds of picks by gain that use up the budget.
    """

    dual_steps: int = 100
    rounds: int = 4
    sweeps: int = 20
    tries: int = 6
    tol: float = 1e-2
    damping: float = DAMPING
    completions: int = 6


DEFAULT_PLAN = Plan()


@dataclass(frozen=True, eq=False, kw_only=True)
class Selection:
    """A selection from a graph in pieces, certified.

    Attributes
    ----------
    sets : array of int64
        Ids of the chosen sets, ascending.
    value, cost, upper_bound : float
        As in `maxcover.Solution`: recomputed from the graph, and rounded outward.
    sweeps : int
        Sweeps of belief propagation that were made.
    converged : bool
        Whether the last look at the beliefs came to rest.
    residuals : tuple of float
        The largest change of a set's odds in every sweep.
    """

    sets: Int64s
    value: float
    cost: float
    upper_bound: float
    sweeps: int
    converged: bool
    residuals: tuple[float, ...]
    seconds: float

    @property
    def gap(self) -> float:
        """How much of the upper bound is missing, from 0 (nothing) to 1 (all)."""
        return relative_gap(self.value, self.upper_bound)

    def __repr__(self) -> str:
        return (
            f"Selection({len(self.sets)} sets, value {self.value:g}, cost {self.cost:g}, "
            f"upper bound {self.upper_bound:g}, gap {self.gap:.3%})"
        )


class Graph:
    """The driver's view of a graph in pieces: who holds which set, and questions to all of them.

    Parameters
    ----------
    machines : Supersteps
    sets : array of int64
        Ids of all sets, ascending.
    """

    def __init__(self, machines: Supersteps, sets: Int64s) -> None:
        self.machines, self.sets = machines, sets
        found = machines.ask(sets_of)
        machines.plan(introduce, welcome)
        machines.settle(settled, settled_block)
        self.where = [np.searchsorted(sets, ids) for ids in found]
        for rows, ids in zip(self.where, found, strict=True):
            known = np.append(sets, -1)[rows] == ids
            if not known.all():
                raise ProblemError(f"expected a cost for every set, got none for {ids[~known][0]}")
        self.residuals: list[float] = []
        self.converged = False

    def parts(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Cut an array over all sets into one a shard."""
        return [values[rows] for rows in self.where]

    def whole(self, parts: Sequence[Floats | None]) -> Floats:
        """Join arrays of the shards; zero for sets without an edge."""
        full = np.zeros(self.sets.size)
        for rows, part in zip(self.where, parts, strict=True):
            full[rows] = part
        return full

    def believe(
        self, field: Floats, *, beta: float, sweeps: int, tol: float, damping: float = DAMPING
    ) -> tuple[Floats, Floats]:
        """Run belief propagation from the last messages on; return support and probabilities."""
        self.machines.plan(restart_shard(self.parts(field), beta), restart_block(beta))
        moves: list[float] = []
        answers: list[Beliefs] = []
        while not answers or answers[0].support is None:
            for _ in range(min(max(FIRST_SWEEPS, 3 * len(moves)), sweeps - len(moves))):
                self.machines.plan(sweep_shard(beta, damping, tol), sweep_block(tol), anew=False)
            answers = self.machines.ask(read_out(sweeps, tol))
            moves = [max(of_sweep) for of_sweep in zip(*(a.moves for a in answers), strict=True)]
        self.converged = bool(moves) and moves[-1] <= tol
        self.residuals += moves
        return self.whole([a.support for a in answers]), self.whole([a.chosen for a in answers])

    def gains(self, selected: Int64s) -> tuple[Floats, float]:
        """Return what each set would add to a selection, and what the selection is worth."""
        mask = np.zeros(self.sets.size, dtype=np.bool_)
        mask[selected] = True
        self.machines.plan(_mark(self.parts(mask)), _cover_elements)
        answers = self.machines.ask(_added)
        return self.whole([a for a, _ in answers]), math.fsum(b for _, b in answers)


def _mark(masks: list[NDArray[np.bool_]]) -> Task:
    """Tell the blocks which elements the chosen sets of a shard cover, a byte each."""

    def task(place: Place) -> Work:
        shard: Shard = place.fixed
        edges = np.repeat(masks[place.number], np.diff(shard.indptr))
        covered = np.zeros(shard.weights.size, dtype=np.bool_)
        covered[shard.indices[edges]] = True
        return Work(place.memory, slices(shard, covered))

    return task


def _cover_elements(place: Place) -> Work:
    block: Block = place.fixed
    covered = np.zeros(block.weights.size, dtype=np.bool_)
    for sender, places in block.places.items():
        covered[places] |= place.mail[sender]
    letters = {sender: covered[places] for sender, places in block.places.items()}
    return Work(place.memory, letters, math.fsum(block.weights[covered]))


def _added(place: Place) -> tuple[Floats, float]:
    """Return what each set of a shard would add, and what the covered elements of a block weigh."""
    shard: Shard = place.fixed
    parts = [place.mail[b] for b in sorted(place.mail)]
    covered = np.concatenate(parts) if parts else np.zeros(0, dtype=np.bool_)
    out = np.empty(shard.indptr.size - 1)
    row_sums(shard.indptr, shard.indices, np.where(covered, 0.0, shard.weights), out)
    return out, place.news


def solve_graph(
    machines: Supersteps,
    sets: Int64s,
    costs: Floats,
    *,
    budget: float,
    mean_weight: float,
    plan: Plan = DEFAULT_PLAN,
    tell: Callable[[str], None] = lambda _: None,
) -> Selection:
    """Choose sets within the budget from a graph in pieces, and certify the choice.

    No guarantee but the bound that comes with it. Per sweep: 16 bytes an element that a shard
    touches, in each direction.
    """
    started = time.monotonic()
    graph = Graph(machines, sets)
    ticks = to_ticks(costs, budget)
    counted = ticks.ticks.astype(np.float64)
    tell("graph in pieces")
    relaxed = relax(machines, graph.where, counted, float(ticks.limit), steps=plan.dual_steps)
    bound = certified_bound(machines, graph.where, counted, float(ticks.limit), relaxed.price)
    machines.forget()
    tell(f"relaxation: at most {bound:g}")
    state = _Picking(graph, costs, ticks.ticks, ticks.limit, BETA / mean_weight)
    mu = relaxed.price / (ticks.unit or 1.0)
    for k in range(plan.rounds):
        if not state.open.any() or state.room <= 0:
            break
        mu = state.meet_budget(mu, plan, tries=plan.tries if k == 0 else 2)
        if not state.pick(share=max(1, state.room // (plan.rounds - k))).size:
            break
        tell(f"round {k + 1}: {state.selected.size} sets, {len(graph.residuals)} sweeps")
    machines.forget()
    value = state.complete(plan.completions)
    if relative_gap(value, bound) > GREEDY_GAP:
        plain = _Picking(graph, costs, ticks.ticks, ticks.limit, BETA / mean_weight)
        plain_value = plain.complete(GREEDY_ROUNDS)
        tell(f"by gain alone: {plain_value:g} instead of {value:g}")
        if plain_value > value:
            state, value = plain, plain_value
    chosen = np.sort(state.selected)
    return Selection(
        sets=sets[chosen],
        value=value,
        cost=min(math.fsum(costs[chosen]), budget),
        upper_bound=max(bound, value),
        sweeps=len(graph.residuals),
        converged=graph.converged,
        residuals=tuple(graph.residuals),
        seconds=time.monotonic() - started,
    )


class _Picking:
    """A selection that grows while beliefs about the rest are kept up to date."""

    def __init__(self, graph: Graph, costs: Floats, ticks: Int64s, limit: int, beta: float) -> None:
        self.graph, self.costs, self.ticks, self.limit, self.beta = graph, costs, ticks, limit, beta
        self.selected = np.zeros(0, dtype=np.int64)
        self.open = ticks <= limit
        self.support = self.chosen = np.zeros(costs.size)

    @property
    def room(self) -> int:
        return self.limit - int(self.ticks[self.selected].sum())

    def meet_budget(self, mu: float, plan: Plan, *, tries: int) -> float:
        """Correct the price until the expected cost of the beliefs meets what is left."""
        for _ in range(tries):
            field = np.where(self.open, -self.beta * mu * self.costs, -np.inf)
            field[self.selected] = np.inf
            self.support, self.chosen = self.graph.believe(
                field, beta=self.beta, sweeps=plan.sweeps, tol=plan.tol, damping=plan.damping
            )
            chosen, ticks = self.chosen[self.open], self.ticks[self.open]
            excess = float(chosen @ ticks) - self.room
            if abs(excess) <= 0.01 * self.room:
                break
            slope = self.beta * float((chosen * (1 - chosen) * self.costs[self.open]) @ ticks)
            step = excess / slope if slope > 0 else math.copysign(math.inf, excess)
            mu += min(max(step, -0.1 * mu), 0.1 * mu)
        return mu

    def pick(self, *, share: int) -> Int64s:
        """Take the sets of the largest support per cost that are more likely in than out."""
        able = np.flatnonzero(self.open & (self.support > 0) & (self.chosen >= 0.5))
        return self._take(self.support, able, share)

    def complete(self, rounds: int) -> float:
        """Use up the budget, the most gain per cost first; return what the selection is worth."""
        gains, value = self.graph.gains(self.selected)
        for k in range(rounds):
            able = np.flatnonzero(self.open & (gains > 0))
            if not self._take(gains, able, max(1, self.room // (rounds - k))).size:
                break
            gains, value = self.graph.gains(self.selected)
        return value

    def _take(self, worth: Floats, able: Int64s, share: int) -> Int64s:
        with np.errstate(divide="ignore"):
            score = worth[able] / self.costs[able]
        # to single precision: equals stay equal, however many shards their sums came from
        ranking = able[np.argsort(-score.astype(np.float32), kind="stable")]
        nobody = np.zeros(0, dtype=np.int64)
        group = np.full(self.ticks.size, -1, dtype=np.int32)
        used = self.limit - self.room
        picks: Int64s = fill(
            ranking, self.ticks, self.limit, group, nobody, nobody, self.selected, used + share
        )
        self.selected = np.concatenate((self.selected, picks))
        self.open[picks] = False
        self.open &= self.ticks <= self.room
        return picks
