"""Coreset: what the relaxation decides of a huge graph is fixed; `auto` decides the rest.

The driver holds some numbers per set, and the edges of the sets that are left open. Required and
forbidden sets and other limits concern sets only, so the driver keeps them. In the rest they are
limits of an ordinary `CoverageProblem`.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core.ascending import difference
from maxcover.engine.core.bounds import Dual, dual_bound, reduced
from maxcover.engine.core.solution import check_feasible
from maxcover.engine.solvers.row_filling import take, used_ticks
from maxcover_scale.distributed.ascent import Ascent, Market, Proof, ascend
from maxcover_scale.distributed.chunks import (
    DROPPED,
    FIXED,
    OPEN,
    sum_edges,
    sum_gains,
    sum_weights,
)
from maxcover_scale.distributed.plan import DEFAULT_PLAN, GraphSelection, WorkPlan
from maxcover_scale.distributed.pricing import price_in
from maxcover_scale.distributed.rest import decide_rest

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import Floats, Int64s, Mask
    from maxcover_scale.distributed.chunks import Bytes, Chunk
    from maxcover_scale.distributed.pieces import Pieces


# A set is dropped if its LP value is at most `DROP`, and fixed if it is above `FIX`. A `DROP` of
# 0.02 loses 0.1 % of the value on graphs of text.
DROP, FIX = 0.005, 0.98
# Dual steps over the whole graph: without a core, and before a core is relaxed on one machine.
_STEPS, _FIRST_STEPS = 100, 15
# The core may have this multiple of `WorkPlan.most_edges`, because no search runs on it.
_CORE = 2


def status_at_first(sets: CoverageProblem) -> Bytes:
    """Return the status by limits alone: FIXED if required, DROPPED if forbidden or too dear."""
    status = np.where(reduced(sets).allowed, OPEN, DROPPED).astype(np.uint8)
    status[sets.required] = FIXED
    return status


def solve_pieces(
    pieces: Pieces,
    sets: CoverageProblem,
    *,
    ids: Int64s,
    nested: bool = False,
    plan: WorkPlan = DEFAULT_PLAN,
    tell: Callable[[str], None] = lambda _: None,
    **options: Any,
) -> GraphSelection:
    """Choose sets from a graph in pieces, and certify the choice.

    Parameters
    ----------
    pieces : Pieces
        Chunks that were built with `status_at_first`.
    sets : CoverageProblem
        All sets, their costs and limits, without edges.
    ids : array of int64
        The id of each set.
    nested : bool
        Whether elements may be nested.
    plan, tell, **options
        How much work to spend, a function that is called with a sentence about each part of the
        work, and options of `maxcover.solve`.
    """
    started = time.monotonic()
    work = _Work(pieces, sets, plan, tell)
    chunks = work.narrow(prices=sets.is_plain and not nested)
    chosen = decide_rest(sets, work.status, chunks, options)
    selected = work.fitting(difference(chosen, sets.required), sets.required)
    tell(f"one machine chose {selected.size} sets from {work.rest_edges} edges")
    selected, value = work.complete(selected)
    check_feasible(sets, selected)
    return GraphSelection(
        sets=ids[selected],
        value=value,
        cost=min(math.fsum(sets.costs[selected]), sets.budget),
        upper_bound=max(work.bound(), value),
        passes=work.passes,
        rounds=work.rounds,
        rest_edges=work.rest_edges,
        proof=work.proof,
        seconds=time.monotonic() - started,
    )


class _Work:
    """The state of one solve: status of each set, dual point, and counts of passes and rounds."""

    proof: Proof

    def __init__(
        self, pieces: Pieces, sets: CoverageProblem, plan: WorkPlan, tell: Callable[[str], None]
    ) -> None:
        self.pieces, self.sets, self.plan, self.tell = pieces, sets, plan, tell
        self.status = status_at_first(sets)
        self.free = self.status == OPEN
        self.passes = self.rounds = self.rest_edges = 0
        weight = math.fsum(pieces.add_up(sum_weights).total)
        # The quantum is a power of two; all weights together are at most 2**52 quanta.
        self.quantum = math.ldexp(1.0, math.frexp(weight)[1] - 52)
        nobody = np.zeros(sets.n_sets, dtype=np.bool_)
        self.base, self.totals = self._gains(pieces, nobody)
        tell(f"graph in pieces: weight {weight:g}")

    def narrow(self, *, prices: bool) -> list[Chunk]:
        """Fix and drop sets until the driver can hold the rest; return the chunks of the rest."""
        level = self.pieces
        while True:
            totals = self._gains(level, self.status == FIXED)[1] if self.rounds else self.totals
            found = self._relax(level, self._market(totals), prices=prices and not self.rounds)
            if self.rounds == 0:
                self.proof = found.proof
            self.rounds += 1
            self._cut(found.support)
            edges = level.add_up(sum_edges(self.status)).per_set
            self.tell(f"round {self.rounds}: at most {found.proof.bound:g}, {edges.sum():g} edges")
            if edges.sum() <= self.plan.most_edges:
                break
            if self.rounds >= self.plan.rounds:
                self._squeeze(found.support, edges)
                break
            smaller = level.reduced(self.status)
            if level is not self.pieces:
                level.close()
            level = smaller
        chunks = level.rest(self.status)
        if level is not self.pieces:
            level.close()
        self.rest_edges = sum(chunk.indices.size for chunk in chunks)
        return chunks

    def _relax(self, level: Pieces, market: Market, *, prices: bool) -> Ascent:
        """Solve the LP relaxation, with few passes over all pieces if a core fits the driver."""
        plan = self.plan
        first = _FIRST_STEPS if plan.steps is None else plan.steps
        if prices:
            found = ascend(level, market, steps=first)
            self.passes += 3 + first
            better = price_in(
                *(level, self.sets, self.status, market, found),
                rounds=plan.prices,
                most_edges=_CORE * plan.most_edges,
                tell=self._count,
            )
            if better is not None or plan.steps is not None:
                return better or found
        steps = _STEPS if plan.steps is None else plan.steps
        self.passes += 2 + steps
        return ascend(level, market, steps=steps)

    def _count(self, line: str) -> None:
        self.passes += 1
        self.tell(line)

    def fitting(self, ranking: Int64s, start: Int64s, share: int = 0) -> Int64s:
        """Return `start` and sets of `ranking` that fit, until `share` more ticks are used.

        With `share` 0 there is no such limit.
        """
        sets = self.sets
        quota = int(sets.ticks.ticks[start].sum()) + share if share else sets.ticks.limit + 1
        picks = take(sets, ranking, start, quota=quota)
        return np.sort(np.concatenate((start, picks)))

    def complete(self, selected: Int64s) -> tuple[Int64s, float]:
        """Fill the rest of the budget by gain per cost; return the selection and its value."""
        ticks = self.sets.ticks
        for left in range(self.plan.completions, -1, -1):
            mask = np.zeros(self.sets.n_sets, dtype=np.bool_)
            mask[selected] = True
            value, gains = self._gains(self.pieces, mask)
            able = np.flatnonzero(self.free & ~mask & (gains > 0.0))
            with np.errstate(divide="ignore"):
                able = able[np.argsort(-gains[able] / self.sets.costs[able], kind="stable")]
            room = ticks.limit - int(ticks.ticks[selected].sum())
            more = self.fitting(able, selected, max(1, room // left)) if left else selected
            if more.size == selected.size:
                break
            selected = more
        return selected, value

    def bound(self) -> float:
        """Return the upper bound of the dual point, rounded up.

        It is evaluated on a problem in which every set has one element of its own, which weighs
        what the set is paid.
        """
        sums = self.proof.sums
        own = np.arange(sums.size + 1)
        paid = self.sets.with_elements(own, own[:-1].astype(np.int32), weights=sums)
        left = reduced(self.sets)._replace(weights=sums, base=0.0)
        priced = dual_bound(paid, left, Dual(self.proof.price, sums))
        total = math.fsum((priced, self.proof.kept, math.nextafter(self.base, math.inf)))
        return math.nextafter(total, math.inf)

    def _gains(self, pieces: Pieces, mask: Mask) -> tuple[float, Floats]:
        self.passes += 1
        found = pieces.add_up(sum_gains(mask, self.quantum))
        return math.fsum(found.total), found.per_set * self.quantum

    def _market(self, totals: Floats) -> Market:
        """Return the open sets with their costs, the budget that is left, and the limit rows."""
        sets, left = self.sets, reduced(self.sets)
        taken = np.flatnonzero(self.status == FIXED)
        limit = left.limit
        if self.rounds:
            limit = max(sets.ticks.room - float(sets.ticks.ticks[taken].sum()), 0.0)
        rows = sets.rows
        other = rows.owners > 0
        room = np.maximum(rows.high - used_ticks(sets, taken), 0).astype(np.float64)
        allowed = (self.status == OPEN) & (left.ticks <= limit)
        return Market(
            *(left.ticks, limit, allowed, totals, self.quantum),
            rows=rows.owners[other],
            members=rows.sets[other],
            loads=rows.ticks[other].astype(np.float64),
            rooms=room,
        )

    def _cut(self, support: Floats) -> None:
        """Fix sets with an LP value above `FIX`, and drop those with at most `DROP`."""
        undecided = self.status == OPEN
        self.status[undecided & (support <= DROP)] = DROPPED
        self._fix(np.flatnonzero(undecided & (support > FIX)), support)

    def _squeeze(self, support: Floats, edges: Floats) -> None:
        """Keep open what the driver can hold, the least certain sets first; decide all others."""
        order = np.flatnonzero(self.status == OPEN)
        order = order[np.argsort(np.abs(support[order] - 0.5), kind="stable")]
        surplus = order[np.cumsum(edges[order]) > self.plan.most_edges]
        self.status[surplus] = DROPPED
        self._fix(surplus[support[surplus] > 0.5], support)

    def _fix(self, sure: Int64s, support: Floats) -> None:
        """Fix the sets `sure` as far as limits allow, largest LP value first."""
        taken = np.flatnonzero(self.status == FIXED)
        self.status[self.fitting(sure[np.argsort(-support[sure], kind="stable")], taken)] = FIXED
