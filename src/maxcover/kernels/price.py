"""Price: what one unit of budget is worth, by two searches in linear time.

And what sets earn at a price, rounded outward: `maxcover.core.bounds` says why that holds.
"""

import cython
from cython.cimports.libc.math import fabs, nextafter
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.extremes import INF

# The distance of 1 to the next number.
EPSILON = cython.declare(cython.double, 2.0**-52)


def spent(y, pull, costs, price, first, last):
    """Return what a range of ``clip(y - price * pull, 0, 1)`` costs, and how fast that falls."""
    total, slope = 0.0, 0.0
    for i in range(first, last):
        wanted = y[i] - price * pull[i]
        # in this form no branch to mispredict: half the time
        bought = wanted if wanted > 0.0 else 0.0
        bought = bought if bought < 1.0 else 1.0
        total += costs[i] * bought
        share = costs[i] * pull[i]
        slope += share if bought == wanted else 0.0
    return total, slope


def clearing(y, pull, costs, budget, price, total, slope):
    """Return the least ``mu >= 0`` at which ``clip(y - mu * pull, 0, 1)`` costs at most the budget.

    Newton's method on a falling piecewise linear function, kept inside a shrinking bracket; it
    begins with what is `spent` at a price.
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
            if high == INF:  # at the price where nobody buys, the excess is surely negative
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
            # in this form no branch that would be mispredicted half the time
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
                high = INF  # forget a hint so far off that rounding would drown the tangents
        else:
            high, high_value, high_slope = price, value, slope
            if price == 0.0:
                break
        if slope == 0.0:
            break
        near = look < 4 and price > 0.0  # the given price is mostly good: look around it first
        if high == INF:
            # Beyond value / budget, sets that still gain cost less than the budget in total.
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
    """See `clearing`."""
    total: cython.double
    slope: cython.double
    with cython.nogil:
        total, slope = spent(y, pull, costs, price, 0, y.shape[0])
        found = clearing(y, pull, costs, budget, price, total, slope)
    return found


def best_price(
    sums: Floats, costs: Floats, allowed: Bools, budget: cython.double, price: cython.double
) -> tuple[float, float]:
    """See `best_of`."""
    with cython.nogil:
        found = best_of(sums, costs, allowed, budget, price)
    return found


def at_least(total: cython.double, terms: int64_t) -> float:
    """Return a number not below the true sum of so many terms whose computed sum is `total`."""
    return nextafter(total * (1.0 + (terms + 4.0) * EPSILON), INF) if total > 0.0 else 0.0


def at_most(total, terms):
    """Return a number not above it, and not below 0."""
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
    """Write what is paid to each set less what it costs, at least and at most; return the profits.

    Their computed sum, over the sets that are allowed and paid something. A charge is known up to
    a relative `loose`.
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
