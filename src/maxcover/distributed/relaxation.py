"""The linear relaxation of a graph in pieces: an upper bound, and the price of the budget.

The primal-dual hybrid gradient method. The driver holds the fractional selection (8 bytes a set),
the blocks hold the shares of their elements, the shards hold edges only: a step is one superstep,
8 bytes an element that a shard touches in each direction.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.core.bounds import Dual, Reduced, dual_bound
from maxcover.distributed.bsp import Place, Task, Work
from maxcover.distributed.partition import Block, Shard, gathered, slices
from maxcover.kernels.dual import row_sums
from maxcover.kernels.price import best_price, clearing_price
from maxcover.kernels.shard import column_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.distributed.bsp import Supersteps

    Floats = NDArray[np.float64]
    Parts = list[NDArray[np.int64]]

# The step of the selection against that of the shares; both are scaled by degree and weight.
_BALANCE = 0.5


class Shares(NamedTuple):
    """What a block remembers: how elements share their weights among sets, now and at best."""

    now: Floats
    best: Floats
    step: Floats


class Relaxed(NamedTuple):
    """The price of a tick of budget, and the bound before it is rounded outward."""

    price: float
    bound: float


def relax(
    machines: Supersteps, where: Parts, ticks: Floats, limit: float, *, steps: int
) -> Relaxed:
    """Lower the bound by so many steps; the blocks keep the shares of the lowest one."""
    n_sets = ticks.size
    allowed = ticks <= limit
    totals = _scatter(machines.ask(_weigh), where, n_sets)
    allowed &= totals > 0.0
    tau = np.divide(1.0, totals, out=np.zeros(n_sets), where=allowed)

    def exchange(x: Floats, task: Task) -> tuple[Floats, float]:
        machines.plan(_spread([x[rows] for rows in where]), task)
        answers = machines.ask(_sum_shares)
        sums = _scatter([part for part, _ in answers], where, n_sets)
        return sums, math.fsum(left for _, left in answers)

    sums, uncovered = exchange(allowed.astype(np.float64), _share_equally)
    value, price = best_price(sums, ticks, allowed, limit, 0.0)
    best = Relaxed(price, value + uncovered)
    # the price is where some set breaks even: rounding must not decide whether it is in
    x = (allowed & (sums > price * ticks * (1 + 1e-9))).astype(np.float64)
    mu, better = price, True
    for _ in range(steps):
        # `wide` are the sums of the shares reflected at the point that is reached, 2 new - old
        wide, uncovered = exchange(x, _move_shares(keep=better))
        sums = 0.5 * (sums + wide)
        value, price = best_price(sums, ticks, allowed, limit, best.price)
        better = value + uncovered < best.bound
        if better:
            best = Relaxed(price, value + uncovered)
        pull = tau / _BALANCE * ticks
        wanted = x + tau / _BALANCE * wide
        mu = clearing_price(wanted, pull, ticks, limit, mu)
        x = np.where(allowed, np.clip(wanted - mu * pull, 0.0, 1.0), 0.0)
    if better:
        machines.plan(_silent, _keep)
    return best


def certified_bound(
    machines: Supersteps, where: Parts, ticks: Floats, limit: float, price: float
) -> float:
    """Return the bound of the best shares so far, rounded outward as in `maxcover.core.bounds`."""
    machines.plan(_silent, _send_best)
    answers = machines.ask(_profits([ticks[rows] for rows in where], limit, price))
    budget = float(np.nextafter(price * limit, np.inf)) if price > 0.0 else 0.0
    total = math.fsum([budget, *(part for both in answers for part in both)])
    return float(np.nextafter(total, np.inf))


def _scatter(parts: list[Floats], where: Parts, n_sets: int) -> Floats:
    full = np.zeros(n_sets)
    for part, rows in zip(parts, where, strict=True):
        full[rows] = part
    return full


def _weigh(place: Place) -> Floats:
    """Return the weight of each set."""
    return _row_sums(place.fixed, place.fixed.weights)


def _sum_shares(place: Place) -> tuple[Floats, float]:
    """Return the sum over each set of what the blocks sent, and what a block leaves uncovered."""
    return _row_sums(place.fixed, gathered(place.fixed, place.mail)), place.news


def _row_sums(shard: Shard, values: Floats) -> Floats:
    out = np.empty(shard.indptr.size - 1)
    row_sums(shard.indptr, shard.indices, np.ascontiguousarray(values, np.float64), out)
    return out


def _spread(x: list[Floats]) -> Task:
    """Tell the blocks how much of each element the selection covers."""

    def task(place: Place) -> Work:
        shard: Shard = place.fixed
        sums = np.zeros(shard.weights.size)
        column_sums(shard.indptr, shard.indices, x[place.number], sums)
        return Work(place.memory, slices(shard, sums))

    return task


def _silent(place: Place) -> Work:
    return Work(place.memory, {})


def _cover(place: Place) -> Floats:
    block: Block = place.fixed
    cover = np.zeros(block.weights.size)
    for sender in sorted(place.mail):
        if sender in block.places:
            cover[block.places[sender]] += place.mail[sender]
    return cover


def _letters(block: Block, values: NDArray[Any]) -> dict[int, NDArray[Any]]:
    return {sender: values[places] for sender, places in block.places.items()}


def _share_equally(place: Place) -> Work:
    """Begin: an element shares its weight equally; one that no set may cover keeps nothing open."""
    block: Block = place.fixed
    degrees = _cover(place)
    share = block.weights / np.maximum(degrees, 1.0)
    left = float(np.sum(block.weights - share))
    return Work(Shares(share, share, share), _letters(block, share), left)


def _move_shares(*, keep: bool) -> Task:
    """Return a step of the shares against the cover; `keep` says that the last ones were best."""

    def task(place: Place) -> Work:
        block: Block = place.fixed
        share, best, step = place.memory
        moved = np.clip(share - _BALANCE * step * (_cover(place) - 1.0), 0.0, block.weights)
        wide = 2.0 * moved - share
        left = float(np.sum(block.weights - moved))
        return Work(Shares(moved, share if keep else best, step), _letters(block, wide), left)

    return task


def _keep(place: Place) -> Work:
    shares: Shares = place.memory
    return Work(shares._replace(best=shares.now), {})


def _send_best(place: Place) -> Work:
    """Send the best shares, and report what they leave open, rounded up."""
    block: Block = place.fixed
    best = np.clip(place.memory.best, 0.0, block.weights)
    nobody = _problem(np.zeros(1, np.int64), np.zeros(0, np.int32))
    left = Reduced(block.weights, np.empty(0), 0.0, np.empty(0, dtype=np.bool_), 0.0)
    return Work(place.memory, _letters(block, best), dual_bound(nobody, left, Dual(0.0, best)))


def _profits(ticks: list[Floats], limit: float, price: float) -> Any:
    """Return the task that sums what sets gain above the price, rounded up."""

    def task(place: Place) -> tuple[float, float]:
        shard: Shard = place.fixed
        shares = np.ascontiguousarray(gathered(shard, place.mail), np.float64)
        costs = ticks[place.number]
        left = Reduced(shares, costs, 0.0, costs <= limit, 0.0)
        profit = dual_bound(_problem(shard.indptr, shard.indices), left, Dual(price, shares))
        return profit, place.news

    return task


def _problem(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> Any:
    """Return as much of a problem as a dual bound looks at: the rows."""
    return SimpleNamespace(indptr=indptr, indices=indices, n_sets=indptr.size - 1)
