"""The price of one unit of budget: two searches over one number, linear time a look, no sorting."""

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels.jit import kernel

Floats = NDArray[np.float64]


@kernel
def clearing_price(y: Floats, pull: Floats, costs: Floats, budget: float, price: float) -> float:
    """Return the least ``mu >= 0`` at which ``clip(y - mu * pull, 0, 1)`` costs at most the budget.

    Newton's method on a falling piecewise linear function, kept inside a shrinking bracket.
    """
    low, high = -1.0, np.inf
    for _ in range(100):
        excess, slope = -budget, 0.0
        for i in range(y.size):
            wanted = y[i] - price * pull[i]
            bought = min(max(wanted, 0.0), 1.0)  # no branch to mispredict: half the time
            excess += costs[i] * bought
            slope += costs[i] * pull[i] if bought == wanted else 0.0
        if excess > 0.0:
            low = price
        else:
            high = price
            if price == 0.0:
                break
        if abs(excess) <= 1e-9 * budget:
            break
        guess = price + excess / slope if slope > 0.0 else np.inf
        if not low < guess < high:
            if high == np.inf:  # at the price where nobody buys, the excess is surely negative
                guess = 0.0
                for i in range(y.size):
                    if pull[i] > 0.0:
                        guess = max(guess, y[i] / pull[i])
            else:
                guess = 0.5 * (low + high) if low >= 0.0 else 0.0
        if guess in (price, low, high):
            break
        price = guess
    return price


@kernel
def best_price(
    sums: Floats, costs: Floats, allowed: NDArray[np.bool_], budget: float, price: float
) -> tuple[float, float]:
    """Return the least ``mu * budget + sum_i max(0, sums[i] - mu * costs[i])``, and its ``mu``.

    The function is convex and piecewise linear: the next price is where the tangents at both
    ends of the bracket meet, which is exact after finitely many steps. Any price gives a valid
    bound.
    """
    low, low_value, low_slope = -1.0, 0.0, 0.0
    high, high_value, high_slope = np.inf, 0.0, 0.0
    best, best_at = np.inf, price
    for look in range(60):
        value, slope = price * budget, budget
        for i in range(sums.size):
            gain = sums[i] - price * costs[i] if allowed[i] else 0.0
            value += max(gain, 0.0)
            slope -= costs[i] if gain > 0.0 else 0.0
        if value < best:
            best, best_at = value, price
        if slope < 0.0:
            low, low_value, low_slope = price, value, slope
            if price == 0.0:
                high = np.inf  # forget a hint so far off that rounding would drown the tangents
        else:
            high, high_value, high_slope = price, value, slope
            if price == 0.0:
                break
        if slope == 0.0:
            break
        near = look < 4 and price > 0.0  # the given price is mostly good: look around it first
        if high == np.inf:
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
