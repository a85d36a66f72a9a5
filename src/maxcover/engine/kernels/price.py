"""Price: searches for the price of one unit of budget, each a few linear passes.

It also computes the profit of each set at a price, rounded outward; `maxcover.engine.core.bounds`
says why that gives a valid bound.
"""

import cython
from cython.cimports.libc.math import fabs, nextafter
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.engine.kernels.extremes import INF

# Distance from 1.0 to the next larger double.
EPSILON = cython.declare(cython.double, 2.0**-52)


def spent(y, pull, costs, price, first, last):
    """Return the cost of ``clip(y - price * pull, 0, 1)`` over a range, and minus its slope.

    The slope is the derivative of the cost in the price.
    """
    total, slope = 0.0, 0.0
    for i in range(first, last):
        wanted = y[i] - price * pull[i]
        # This form compiles without a branch, which halves the time.
        bought = wanted if wanted > 0.0 else 0.0
        bought = bought if bought < 1.0 else 1.0
        total += costs[i] * bought
        share = costs[i] * pull[i]
        slope += share if bought == wanted else 0.0
    return total, slope


def clearing(y, pull, costs, budget, price, total, slope):
    """Return the least ``mu >= 0`` at which ``clip(y - mu * pull, 0, 1)`` costs at most the budget.

    Newton's method on a falling piecewise linear function, kept inside a shrinking bracket. `total`
    and `slope` are what `spent` returns at the first `price`.
    """
    low = -1.0
    high = INF
    for _ in range(100):
        excess = total - budget
        if excess > 0.0:
            low = price
        else:
            high = price
            if price == 0.0:
                break
        if fabs(excess) <= 1e-9 * budget:
            break
        guess = price + excess / slope if slope > 0.0 else INF
        if not low < guess < high:
            if high == INF:  # the bracket has no upper end: use the price at which all sets are 0
                guess = 0.0
                for i in range(y.shape[0]):
                    if pull[i] > 0.0:
                        guess = max(guess, y[i] / pull[i])
            else:
                guess = 0.5 * (low + high) if low >= 0.0 else 0.0
        if guess == price or guess == low or guess == high:
            break
        price = guess
        total, slope = spent(y, pull, costs, price, 0, y.shape[0])
    return price


def best_of(sums, costs, allowed, budget, price):
    """Return the least ``mu * budget + sum_i max(0, sums[i] - mu * costs[i])``, and its ``mu``.

    The function is convex and piecewise linear: the next price is where the tangents at both
    ends of the bracket meet, which is exact after finitely many steps. Any price gives a valid
    bound.
    """
    low, low_value, low_slope = -1.0, 0.0, 0.0
    high, high_value, high_slope = INF, 0.0, 0.0
    best, best_at = INF, price
    for look in range(60):
        value, slope = price * budget, budget
        for i in range(sums.shape[0]):
            # This form compiles without a branch, which would be mispredicted half the time.
            gain = sums[i] - price * costs[i]
            worth = gain if gain > 0.0 else 0.0
            spent = costs[i] if gain > 0.0 else 0.0
            value += allowed[i] * worth
            slope -= allowed[i] * spent
        if value < best:
            best, best_at = value, price
        if slope < 0.0:
            low, low_value, low_slope = price, value, slope
            if price == 0.0:
                high = INF  # forget an upper end so far off that rounding would spoil the tangents
        else:
            high, high_value, high_slope = price, value, slope
            if price == 0.0:
                break
        if slope == 0.0:
            break
        near = look < 4 and price > 0.0  # the given price is often close: search around it first
        if high == INF:
            # The function is at least price * budget, so the best price is at most value / budget.
            guess = 2.0 * price if near else value / budget
        elif low < 0.0:
            guess = 0.5 * price if near else 0.0
        else:
            rise = high_value - low_value + low_slope * low - high_slope * high
            guess = rise / (low_slope - high_slope)
            floor = low_value + low_slope * (guess - low)
            if not low < guess < high or floor >= best - 1e-13 * best:
                break
        if guess == price:
            break
        price = guess
    return best, best_at


def clearing_price(
    y: Floats, pull: Floats, costs: Floats, budget: cython.double, price: cython.double
) -> float:
    """Return what `clearing` returns, for callers in Python; the search begins at `price`."""
    total: cython.double
    slope: cython.double
    with cython.nogil:
        total, slope = spent(y, pull, costs, price, 0, y.shape[0])
        found = clearing(y, pull, costs, budget, price, total, slope)
    return found


def best_price(
    sums: Floats, costs: Floats, allowed: Bools, budget: cython.double, price: cython.double
) -> tuple[float, float]:
    """Return what `best_of` returns, for callers in Python; the search begins at `price`."""
    with cython.nogil:
        found = best_of(sums, costs, allowed, budget, price)
    return found


def at_least(total: cython.double, terms: int64_t) -> float:
    """Return an upper bound on the exact value of a sum that was computed as `total`.

    `terms` is the number of terms, none of them negative.
    """
    return nextafter(total * (1.0 + (terms + 4.0) * EPSILON), INF) if total > 0.0 else 0.0


def at_most(total, terms):
    """Return a lower bound (at least 0) on the exact value of a sum that was computed as `total`.

    `terms` is the number of terms, none of them negative.
    """
    return max(nextafter(total * (1.0 - (terms + 4.0) * EPSILON), -INF), 0.0)


def earn(
    indptr: Offsets,
    indices: Indices,
    shares: Floats,
    costs: Floats,
    allowed: Bools,
    price: cython.double,
    loose: cython.double,
    low: FloatsOut,
    high: FloatsOut,
) -> float:
    """Write bounds on the profit of each set, `low` and `high`; return the sum of positive profits.

    The profit is the sum of the shares of the set's elements minus ``price * cost``, which is known
    up to a relative error of `loose`. The returned sum is that of the positive entries of `high`
    over allowed sets with any share; it is not rounded outward.
    """
    profits: cython.double = 0.0
    total: cython.double
    charge: cython.double
    i: int64_t
    with cython.nogil:
        for i in range(costs.shape[0]):
            total = 0.0
            for e in range(indptr[i], indptr[i + 1]):
                total += shares[indices[e]]
            terms = indptr[i + 1] - indptr[i]
            charge = price * costs[i]
            high[i] = nextafter(
                at_least(total, terms) - nextafter(charge * (1.0 - loose), 0.0), INF
            )
            low[i] = nextafter(at_most(total, terms) - nextafter(charge * (1.0 + loose), INF), -INF)
            if allowed[i] and total > 0.0 and high[i] > 0.0:
                profits += high[i]
    return profits
