r"""Ascent: solves the linear relaxation of a graph in pieces: LP values and an upper bound.

The relaxation is a game between sets, which hold a fractional selection ``x``, and elements, which
pay shares of their weights to sets. Only the state of the sets is stored, by the driver. The
elements' answer to an average of earlier selections is computed anew in every step, from that
average alone:

    shares[a] = clip(weights[a] / degree[a] * (1 - k / SMOOTH * (cover[a] - 1)), 0, weights[a])

This is Nesterov's smoothing with a smoothness that falls like 1 / k, so the gap of the relaxation
does too, as with the primal-dual steps of `maxcover.engine.kernels.dual`, which store the shares of
elements. Here no shares are stored, so a machine that fails loses nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.engine.kernels.price import best_price, clearing_price
from maxcover_scale.distributed.chunks import STEP, given_shares, shares, sum_shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.ground.array_types import Floats, Int32s, Int64s, Mask
    from maxcover_scale.distributed.chunks import Chunk, Given
    from maxcover_scale.distributed.pieces import Pieces


# Smoothing of the elements' shares in the first step (formula above). Values from 1 to 4 give the
# same bound after a hundred steps; 16 gives a different one.
SMOOTH = 4.0
_LOOKS = 40


class Market(NamedTuple):
    """The sets' side of the relaxation: costs in ticks, budget, limit rows, and gain of each set.

    Limits beside the budget are rows: entry ``e`` says that the set ``members[e]`` takes
    ``loads[e]`` of row ``rows[e]``. Row ``r`` has room for ``rooms[r]``. ``totals`` is the weight
    that each set covers.
    """

    ticks: Floats
    limit: float
    allowed: Mask
    totals: Floats
    quantum: float
    rows: Int64s
    members: Int32s
    loads: Floats
    rooms: Floats


class Proof(NamedTuple):
    """A dual point: a price of the budget, and the share that each element pays to its sets.

    The shares are those of ``given``. If that is None, they follow from ``selection``
    (`chunks.shares`). ``sums`` is what the shares pay to each set, ``kept`` what elements keep of
    their weights; both are exact. ``bound`` is not yet rounded outward; shares are counted in
    ``quantum``.
    """

    bound: float
    price: float
    selection: NDArray[np.uint16]
    sharpness: float
    sums: Floats
    kept: float
    quantum: float
    given: Given | None = None

    def shares_of(self, chunk: Chunk) -> Floats:
        """Return the share that each element of a chunk pays to each of its sets."""
        if self.given is not None:
            return given_shares(chunk, self.given, self.quantum) * self.quantum
        x = self.selection.astype(np.float64) * STEP
        return shares(chunk, x, self.sharpness, self.quantum) * self.quantum


class Ascent(NamedTuple):
    """The dual point of the lowest bound, and the LP value of each set."""

    proof: Proof
    support: Floats


def ascend(pieces: Pieces, market: Market, *, steps: int) -> Ascent:
    """Make `steps` steps towards the optimum of the LP relaxation, each a pass over all chunks."""
    allowed = market.allowed & (market.totals > 0.0)
    rate = np.divide(SMOOTH, market.totals, out=np.zeros(allowed.size), where=allowed)
    pull = rate * market.ticks

    def answer(selection: Floats, sharpness: float, price: float) -> Proof:
        packed = np.rint(selection / STEP).astype(np.uint16)
        found = pieces.add_up(sum_shares(packed, sharpness, market.quantum))
        sums, kept = found.per_set * market.quantum, math.fsum(found.total) * market.quantum
        value, price = best_price(sums, market.ticks, allowed, market.limit, price)
        return Proof(value + kept, price, packed, sharpness, sums, kept, market.quantum)

    last = best = answer(np.zeros(allowed.size), 0.0, 0.0)
    # At the best price some set earns exactly its cost. The factor keeps that set out, however its
    # numbers are rounded.
    even = last.price * market.ticks * (1 + 1e-9)
    x = (allowed & (last.sums > even)).astype(np.float64)
    x = _capped(x, market, x)
    mean, support, mu = x, np.zeros(x.size), last.price
    for k in range(1, steps + 1):
        last = answer(mean + (x - mean) / k, k / SMOOTH, last.price)
        best = min(best, last, key=lambda proof: proof.bound)
        wanted = x + rate * last.sums
        mu = clearing_price(wanted, pull, market.ticks, market.limit, mu)
        wanted -= mu * pull
        x = _capped(np.where(allowed, np.clip(wanted, 0.0, 1.0), 0.0), market, wanted)
        mean = mean + (x - mean) / k
        if k > steps // 2:
            support += x / (steps - steps // 2)
    return Ascent(best, support)


def _capped(x: Floats, market: Market, wanted: Floats) -> Floats:
    """Lower the LP values `x` in each limit row until the row keeps its limit."""
    if not market.members.size:
        return x
    most, wish = x[market.members], wanted[market.members]
    less = np.clip(wish - _reliefs(wish, most, market)[market.rows], 0.0, most)
    x = x.copy()
    np.minimum.at(x, market.members, less)
    return x


def _reliefs(wish: Floats, most: Floats, market: Market) -> Floats:
    """Return per limit row the least amount to subtract from `wish` so that the limit holds."""
    limits, row = market.rooms, market.rows

    def over(less: Floats) -> Mask:
        taken = market.loads * np.clip(wish - less[row], 0.0, most)
        return np.bincount(row, weights=taken, minlength=limits.size) > limits

    low = np.zeros(limits.size)
    high = np.where(over(low), max(float(wish.max(initial=0.0)), 0.0), 0.0)
    for _ in range(_LOOKS):
        middle = 0.5 * (low + high)
        much = over(middle)
        low, high = np.where(much, middle, low), np.where(much, high, middle)
    return high
