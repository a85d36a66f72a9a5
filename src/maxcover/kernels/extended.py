"""Probabilities too small for a double, and the message arithmetic on them.

An *extended* number is a double that holds either the value itself, when it is at least 2**-500,
or its natural logarithm, when it is smaller. The sign tells them apart: values are never
negative, such logarithms always are. Only elements with a weight of more than 346 temperatures
need them; everything else stays in plain arithmetic.
"""

import math

from maxcover.kernels.jit import kernel

TINY = 2.0**-500
LOG_TINY = -500.0 * math.log(2.0)
# Odds of 2**120 are a probability of one to every digit; the product of two capped odds still fits.
ODDS_CAP = 2.0**120
# The odds of a set are multiplied by messages down to TINY and must then still exceed the odds of
# certainty.
SET_ODDS_CAP = 2.0**620
LOG_SET_ODDS_CAP = 620.0 * math.log(2.0)


@kernel
def ext_log(x: float) -> float:
    """Return the logarithm of the number that x encodes."""
    if x < 0.0:
        return x
    return math.log(x) if x > 0.0 else -math.inf


@kernel
def ext_exp(log_x: float) -> float:
    """Encode the number whose logarithm is given."""
    return log_x if log_x < LOG_TINY else math.exp(log_x)


@kernel
def log_add(a: float, b: float) -> float:
    """Return log(e^a + e^b); minus infinity stands for nothing."""
    if a < b:
        a, b = b, a
    return a if b == -math.inf else a + math.log1p(math.exp(b - a))


@kernel
def mix(old: float, new: float, damping: float) -> float:
    """Return damping * old + (1 - damping) * new, all three extended."""
    if damping == 0.0:
        return new
    if damping == 1.0:
        return old
    if old >= 0.0 and new >= 0.0:
        return damping * old + (1.0 - damping) * new
    kept = math.log(damping) + ext_log(old)
    return ext_exp(log_add(kept, math.log1p(-damping) + ext_log(new)))


@kernel
def edge_odds(r: float, odds: float, log_odds: float) -> float:
    """Return the odds that a set is chosen, leaving out one element, as an extended number.

    Where the plain product is representable it is returned bit for bit, because the sweep
    recognises the largest odds at an element by comparing with what was stored there.
    """
    if r >= 0.0 and odds >= TINY:
        plain = r * odds
        if plain >= TINY:
            return plain
    return ext_exp(min(ext_log(r) + log_odds, LOG_SET_ODDS_CAP))


@kernel
def join(a: float, b: float) -> float:
    """Return (1 + a)(1 + b) - 1, the odds of at least one of two events, all extended.

    Promise: the result is plain where `a` is, because only heavy elements may leave plain
    arithmetic.
    """
    if a < 0.0 and b <= 0.0:
        return ext_exp(log_add(a, ext_log(b)))
    a = a if a >= 0.0 else math.exp(a)
    b = b if b >= 0.0 else math.exp(b)
    return min(a + b + a * b, ODDS_CAP)


@kernel
def fold(rest: float, top: float, odds: float) -> tuple[float, float]:
    """Add one set to the running odds (rest, top) of an element, all extended.

    Promise: a plain `rest` goes with a plain `top`, so the plain loops may look at `rest` alone.
    """
    if ext_log(odds) > ext_log(top):
        top, odds = odds, top
    rest = join(rest, odds)
    if rest >= 0.0 > top:
        top = math.exp(top)
    return rest, top


@kernel
def cavity(rest: float, top: float, odds: float) -> float:
    """Return the message of an element to the set that sent `odds` (the paper's Eq. BP2), extended.

    `rest` holds every set but the likeliest, and the element's own prior; `top` is the likeliest.
    """
    if odds == top:
        return rest / (1.0 + rest) if rest >= 0.0 else rest
    if rest >= 0.0:
        total = rest + top + rest * top
        return (total - (odds if odds >= 0.0 else math.exp(odds))) / (1.0 + total)
    gap = ext_log(odds) - rest
    log_others = rest + math.log1p(-math.exp(gap)) if gap < 0.0 else -math.inf
    log_total = log_add(log_others, ext_log(top))
    if log_total < -40.0:
        return ext_exp(log_total)
    total = math.exp(min(log_total, LOG_SET_ODDS_CAP))
    return total / (1.0 + total)
