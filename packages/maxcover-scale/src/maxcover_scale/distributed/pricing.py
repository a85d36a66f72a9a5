"""Pricing: column generation: relax a core of sets on one machine, then price all other sets.

The relaxation of a graph has most of its sets at 0, and a few passes over the graph tell which. The
other sets are the core. The core fits one machine, where the shares of elements are stored and a
step takes milliseconds. The dual point found there is one of the whole graph too: one pass over all
pieces evaluates it, and names the sets outside the core that would earn more than they cost. These
sets join the core. This is repeated until there are none (column generation). No set leaves the
core: when sets that no longer earned their cost were dropped, the core went in circles on text-like
graphs of 3 x 10^7 edges.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.bounds import Dual, reduced
from maxcover.engine.core.relaxation import Relaxation
from maxcover.engine.kernels.price import best_price
from maxcover.ground.machine import available_cores
from maxcover_scale.distributed.ascent import Ascent, Proof
from maxcover_scale.distributed.chunks import DROPPED, FULL, OPEN, Given, sum_edges, sum_given
from maxcover_scale.distributed.rest import gather

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import Floats, Int64s, Mask
    from maxcover_scale.distributed.ascent import Market
    from maxcover_scale.distributed.chunks import Bytes
    from maxcover_scale.distributed.pieces import Pieces


MARGIN = 0.1
"""A set joins the core if it earns more than 1 - MARGIN of its cost at the price of the budget."""

# Dual steps in a round, and between two samples of the LP values. The samples of the later half of
# a round are averaged.
_STEPS, _LOOK = 100, 10
# Stop after a round in which the bound fell by less than this fraction, unless the sets that would
# join the core can lower it by more.
_LEAST_LOWERED = 1e-4


def price_in(
    pieces: Pieces,
    sets: CoverageProblem,
    status: Bytes,
    market: Market,
    found: Ascent,
    *,
    rounds: int,
    most_edges: int,
    tell: Callable[[str], None],
) -> Ascent | None:
    """Improve the bound and the LP values of plain coverage by column generation on a core of sets.

    Parameters
    ----------
    pieces, sets, market
        The whole graph.
    status : array of uint8
        Status of each set by limits alone.
    found : Ascent
        The result of a few steps over the whole graph.
    rounds : int
        Most passes over the whole graph, besides one that counts edges.
    most_edges : int
        Most edges of the core.
    tell : callable

    Returns
    -------
    Ascent or None
        None if the first core has more edges than `most_edges`.
    """
    degrees = pieces.add_up(sum_edges(status)).per_set
    proof, support = found
    best, core = proof, market.allowed & ((support > 0.0) | _earns(proof, market, 1 - MARGIN))
    ids, shares = np.empty(0, np.int64), np.empty(0)
    for number in range(1, rounds + 1):
        if degrees[core].sum() > most_edges:
            return None if number == 1 else Ascent(best, support)
        inside = np.where(core | (status != OPEN), status, DROPPED).astype(np.uint8)
        chunks = pieces.rest(inside)
        if number == 1:
            shares = np.concatenate([np.empty(0), *(proof.shares_of(one) for one in chunks)])
            ids = np.concatenate([ids, *(one.ids for one in chunks)])
            order = np.argsort(ids)
            ids, shares = ids[order], shares[order]
        rest = gather(sets, inside, chunks)
        del chunks
        problem = rest.problem
        start = problem.weights.copy()
        known = np.isin(rest.ids, ids, assume_unique=True)
        start[known] = shares[np.searchsorted(ids, rest.ids[known])]
        scale = problem.ticks.unit / sets.ticks.unit
        relaxation = Relaxation(
            problem,
            reduced(problem),
            start=Dual(proof.price * scale, start, problem.ticks.unit),
            selection=support[rest.kept],
        )
        support = np.zeros(sets.n_sets)
        for look in range(_STEPS // _LOOK):
            relaxation.improve(steps=_LOOK, threads=available_cores())
            if 2 * look >= _STEPS // _LOOK:
                support[rest.kept] += relaxation.selection / (_STEPS // _LOOK // 2)
        dual = relaxation.dual
        ids, shares = rest.ids, dual.shares
        last = proof
        proof = _evaluated(pieces, market, Dual(dual.price / scale, shares), problem.weights, ids)
        best = min(best, proof, key=lambda one: one.bound)
        outside = market.allowed & ~core & _earns(proof, market, 1.0)
        missed = float((proof.sums - proof.price * market.ticks)[outside].sum())
        tell(
            f"core {number}: at most {proof.bound:g}, {problem.n_edges} edges, "
            f"{np.count_nonzero(outside)} sets outside would earn {missed:g} more than they cost"
        )
        # In round 1 the fall of the bound says nothing, because the bound before came from another
        # method.
        lowered = missed if number == 1 else max(missed, last.bound - proof.bound)
        if lowered < _LEAST_LOWERED * proof.bound:
            break
        core |= market.allowed & _earns(proof, market, 1 - MARGIN)
    return Ascent(best, support)


def _earns(proof: Proof, market: Market, part: float) -> Mask:
    """Return a mask of the sets that are paid more than the fraction `part` of their cost."""
    return np.asarray(proof.sums > part * (1 + 1e-9) * proof.price * market.ticks)


def _evaluated(pieces: Pieces, market: Market, dual: Dual, weights: Floats, ids: Int64s) -> Proof:
    """Evaluate the core's dual point on the whole graph; other elements pay their whole weight."""
    parts = np.rint(np.clip(dual.shares / weights, 0.0, 1.0) * FULL).astype(np.uint16)
    given, quantum = Given.of(ids, parts), market.quantum
    found = pieces.add_up(sum_given(given, quantum, market.ticks.size), named=True)
    sums, kept = found.per_set * quantum, math.fsum(found.total) * quantum
    allowed = market.allowed & (market.totals > 0.0)
    value, price = best_price(sums, market.ticks, allowed, market.limit, dual.price)
    nobody = np.empty(0, np.uint16)
    return Proof(value + kept, price, nobody, 0.0, sums, kept, quantum, given)
