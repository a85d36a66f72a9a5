"""Extended: probabilities too small for a double, and the message arithmetic on them.

An *extended* number is a double that holds either the value itself, when it is at least 2**-500,
or its natural logarithm, when it is smaller. The sign tells them apart: values are never
negative, such logarithms always are. Only elements whose weight is more than 346 times the
temperature need logarithms; all others use plain arithmetic.
"""

from cython.cimports.libc.math import exp, log, log1p
from cython.cimports.maxcover.engine.kernels.extremes import (
    INF,
    LOG_SET_ODDS_CAP,
    LOG_TINY,
    ODDS_CAP,
    SET_ODDS_CAP,
    TINY,
)


def ext_log(x):
    """Return the logarithm of the extended number `x`, which is a value or a negative logarithm."""
    if x < 0.0:
        return x
    return log(x) if x > 0.0 else -INF


def ext_exp(log_x):
    """Return e^log_x as an extended number: the value or, if it is tiny, `log_x` itself."""
    return log_x if log_x < LOG_TINY else exp(log_x)


def log_add(a, b):
    """Return log(e^a + e^b); `a` and `b` may be minus infinity, the logarithm of 0."""
    if a < b:
        a, b = b, a
    return a if b == -INF else a + log1p(exp(b - a))


def mix(old, new, damping):
    """Return damping * old + (1 - damping) * new for the extended numbers `old` and `new`."""
    if damping == 0.0:
        return new
    if damping == 1.0:
        return old
    if old >= 0.0 and new >= 0.0:
        return damping * old + (1.0 - damping) * new
    kept = log(damping) + ext_log(old)
    return ext_exp(log_add(kept, log1p(-damping) + ext_log(new)))


def edge_odds(r, odds, log_odds):
    """Return ``r * odds``, the odds of a set without one element's message, as an extended number.

    If `odds` is below TINY or at SET_ODDS_CAP, its logarithm `log_odds` is used instead.
    """
    if r >= 0.0 and odds >= TINY:
        plain = r * odds
        if plain >= TINY:
            return plain
    of_set = log(odds) if TINY <= odds < SET_ODDS_CAP else log_odds
    return ext_exp(min(ext_log(r) + of_set, LOG_SET_ODDS_CAP))


def join(a, b):
    """Return (1 + a)(1 + b) - 1, the odds that at least one of two events happens (extended).

    If `a` is stored as a value, so is the result: only elements of large weight may use logarithms.
    """
    if a < 0.0 and b <= 0.0:
        return ext_exp(log_add(a, ext_log(b)))
    a = a if a >= 0.0 else exp(a)
    b = b if b >= 0.0 else exp(b)
    return min(a + b + a * b, ODDS_CAP)


def fold(rest, top, odds):
    """Add one set's `odds` to `top`, the largest odds, or `rest`, all others joined; return both.

    All are extended numbers. If `rest` is stored as a value, so is `top`.
    """
    if ext_log(odds) > ext_log(top):
        top, odds = odds, top
    rest = join(rest, odds)
    if rest >= 0.0 > top:
        top = exp(top)
    return rest, top


def cavity(rest, top, odds):
    """Return an element's message to the set that sent `odds` (Eq. BP2), as an extended number.

    `top` is the largest odds that any set sent; `rest` joins those of all other sets and the
    element's own prior.
    """
    if odds == top:
        return rest / (1.0 + rest) if rest >= 0.0 else rest
    if rest >= 0.0:
        total = rest + top + rest * top
        return (total - (odds if odds >= 0.0 else exp(odds))) / (1.0 + total)
    gap = ext_log(odds) - rest
    log_others = rest + log1p(-exp(gap)) if gap < 0.0 else -INF
    log_total = log_add(log_others, ext_log(top))
    if log_total < -40.0:
        return ext_exp(log_total)
    total = exp(min(log_total, LOG_SET_ODDS_CAP))
    return total / (1.0 + total)
