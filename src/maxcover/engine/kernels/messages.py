"""Messages: belief propagation in odds: a pass over the elements, then one over the sets.

Per edge the state is r = e^{-beta h_hat} (the paper's Eq. BP2), per set v = e^{beta h} =
P(x=1)/P(x=0) (Eq. BP3). The odds that a set sends to an element are then simply y = r v (Eq.
BP1), and an element that hears y_1, y_2, ... and has the prior odds p answers with

    r = V / (1 + V),    1 + V = (1 + p) * prod of (1 + y_j) over the other sets.

Taking a set out of the full product by division loses every digit when that set dominates it. So
the largest y (`top`) is kept apart and only the rest are multiplied (`rest`): the largest is taken
out by not putting it in, and any other y is at most half of what it is subtracted from. Hence r has
full relative precision however small it is.

Messages are stored in column order (element by element). `places` has the positions of the messages
of each set. Each pass writes only its own array and reads what the other pass wrote, so any range
may go to any thread; the result is the same, bit for bit.
"""

import cython
import numpy as np
from cython.cimports.libc.math import exp, fabs, log
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.engine.kernels.extended import (
    cavity,
    edge_odds,
    ext_log,
    fold,
    log_add,
    mix,
)
from cython.cimports.maxcover.engine.kernels.extremes import (
    CIRCLING,
    INF,
    LOG_SET_ODDS_CAP,
    LOG_TINY,
    MOVING,
    ODDS_CAP,
    PATIENCE,
    RESTING,
    SET_ODDS_CAP,
    TINY,
)


class Messages:
    """The state of belief propagation on a graph: a message per edge and the odds of each set.

    Parameters
    ----------
    columns
        The sets of each element; messages are stored in this order.
    rows
        The positions of the messages of each set.
    prior
        Prior odds of each element, (1 - s_a) / s_a, as extended numbers.
    field
        Log-odds of each set before any message.
    r
        One message per edge; changes in place.
    owners
        The element that sends each message, for serial sweeps; empty for parallel ones.
    """

    def __init__(self, columns, rows, prior, field, r, owners) -> None:
        self.t_indptr, self.t_indices = columns
        self.indptr, self.places = rows
        self.prior, self.field, self.r, self.owners = prior, field, r, owners
        with np.errstate(over="ignore"):
            self.odds_before = np.exp(field)
        self.odds, self.older = np.ones((2, field.size))
        self.log_odds = np.zeros(field.size)
        self.told = np.empty(np.diff(columns.indptr).max(initial=0))

    def sweep_elements(
        self, told: FloatsOut, first: int64_t, last: int64_t, damping: cython.double
    ) -> None:
        """Update the messages of elements `first` to `last` - 1; see `element_range`."""
        with cython.nogil:
            element_range(self, told, first, last, damping)

    def sweep_sets(self, first: int64_t, last: int64_t) -> tuple[float, float]:
        """Update the odds of sets `first` to `last` - 1; see `set_range`."""
        with cython.nogil:
            changes = set_range(self, first, last)
        return changes

    def sweeps(
        self,
        shared,
        *,
        damping: cython.double,
        tol: cython.double,
        repeats: cython.int,
        residuals: FloatsOut,
    ) -> tuple[int, int, int]:
        """Sweep until the odds converge or oscillate, or `residuals` is full.

        `shared` makes one sweep in several threads; None means one thread. Returns the number of
        sweeps made, and what `judge` returned for the last one.
        """
        state: cython.int = MOVING
        made: int64_t = 0
        moved: cython.double
        moved_twice: cython.double
        while made < residuals.shape[0] and state == MOVING:
            if self.owners.shape[0]:
                with cython.nogil:
                    moved, moved_twice = sweep_serially(self, damping)
            elif shared is None:
                with cython.nogil:
                    element_range(self, self.told, 0, self.prior.shape[0], damping)
                    moved, moved_twice = set_range(self, 0, self.odds.shape[0])
            else:
                moved, moved_twice = shared(damping)
            residuals[made] = moved
            made += 1
            state, repeats = judge(moved, moved_twice, tol, repeats)
        return made, state, repeats

    def supports(self, sums: FloatsOut, first: int64_t, last: int64_t) -> None:
        """Write for each set of a range the sum of its messages beta h_hat (Eq. BP3, no cost)."""
        with cython.nogil:
            for i in range(first, last):
                sums[i] = -log_product(self, i)

    def log_reached(self) -> Floats:
        """Return log((1 - T) / T) of each element; T is the product of P(x_j = 0) over its sets.

        The element's own prior is left out, so that no digit is lost when T is near one.
        """
        found = np.empty(self.prior.shape[0])
        logs: FloatsOut = found
        rest: cython.double
        top: cython.double
        with cython.nogil:
            for a in range(logs.shape[0]):
                rest, top = hear(self, self.told, a, -INF if self.prior[a] < 0.0 else 0.0)
                if rest > 0.0 and top > 0.0:
                    logs[a] = log(rest + top + rest * top)
                else:
                    logs[a] = log_add(ext_log(rest), ext_log(top))
        return found


def log_product(at, i):
    """Return the sum of log r over the messages r to set `i`, as the logarithm of their product."""
    scale = 0
    coded = 0.0
    product = 1.0
    for e in range(at.indptr[i], at.indptr[i + 1]):
        message = at.r[at.places[e]]
        if message < 0.0:
            coded += message
            continue
        product *= message
        if product < TINY:
            product /= TINY
            scale += 1
    return log(product) + scale * LOG_TINY + coded


def larger_change(so_far, now, before):
    """Return the larger of `so_far` and ``|now - before| / max(now, before)``.

    For odds that ratio is 1 - e^{-d} if the field moved by d. The division is made only if the
    ratio is larger than `so_far`.
    """
    top = now if now > before else before
    return fabs(now - before) / top if fabs(now - before) > so_far * top else so_far


def set_range(at, first, last):
    """Update the odds of a range of sets (Eq. BP3).

    Returns the largest change since the last sweep and since the sweep before it. Odds below TINY
    or at SET_ODDS_CAP have their logarithm in `log_odds`.
    """
    moved = 0.0
    moved_twice = 0.0
    for i in range(first, last):
        before = at.odds_before[i]
        product = 1.0
        least = 1.0
        for e in range(at.indptr[i], at.indptr[i + 1]):
            message = at.r[at.places[e]]
            product *= message
            least = message if message < least else least
        now = before / product if product >= TINY else SET_ODDS_CAP
        if least < 0.0 or not (TINY <= before <= 1.0 / TINY and now < SET_ODDS_CAP):
            was = log(at.odds[i]) if TINY <= at.odds[i] < SET_ODDS_CAP else at.log_odds[i]
            if fabs(at.field[i]) == INF:  # the set is chosen or excluded for certain
                at.log_odds[i] = at.field[i]
            else:
                at.log_odds[i] = at.field[i] - log_product(at, i)
                # Odds at their cap no longer change, so the change of the logarithm is measured.
                change = 1.0 - exp(-fabs(at.log_odds[i] - was))
                moved = max(moved, change)
                moved_twice = max(moved_twice, change)
            now = exp(at.log_odds[i]) if at.log_odds[i] < LOG_SET_ODDS_CAP else SET_ODDS_CAP
        moved = larger_change(moved, now, at.odds[i])
        moved_twice = larger_change(moved_twice, now, at.older[i])
        at.older[i] = at.odds[i]
        at.odds[i] = now
    return moved, moved_twice


def hear(at, told, a, prior):
    """Store in `told` the odds that the sets of element `a` send (Eq. BP1); return (rest, top).

    `top` is the largest of these odds; `rest` joins `prior` and the others. If `prior` is negative
    (a logarithm), all of them are extended numbers.
    """
    rest, top = prior, 0.0
    begin = at.t_indptr[a]
    for e in range(begin, at.t_indptr[a + 1]):
        i = at.t_indices[e]
        if prior < 0.0:
            y = edge_odds(at.r[e], at.odds[i], at.log_odds[i])
            rest, top = fold(rest, top, y)
        else:
            y = at.r[e] * at.odds[i]
            small = y if y < top else top
            top = top if y < top else y
            rest = rest + small + rest * small
            rest = rest if rest < ODDS_CAP else ODDS_CAP
        told[e - begin] = y
    return rest, top


def element_range(at, told, first, last, damping):
    """Update the messages of elements `first` to `last` - 1 (Eqs. BP1 and BP2).

    `told` is work space with room for the sets of any one element.
    """
    for a in range(first, last):
        begin, end = at.t_indptr[a], at.t_indptr[a + 1]
        rest, top = hear(at, told, a, at.prior[a])
        if at.prior[a] < 0.0:
            for e in range(begin, end):
                at.r[e] = mix(at.r[e], cavity(rest, top, told[e - begin]), damping)
            continue
        for e in range(begin, end):
            at.r[e] = damping * at.r[e] + (1.0 - damping) * reply(rest, top, told[e - begin])


def reply(rest, top, y):
    """Return the message to the set that sent the odds `y` (Eq. BP2), all of them plain numbers.

    Its own odds are left out of the product: the largest odds are not in `rest`, any others are
    subtracted from the total.
    """
    others = 0.0 if y == top else top
    y = 0.0 if y == top else y
    total = rest + others + rest * others
    return (total - y) / (1.0 + total)


def sweep_serially(at, damping):
    """Update set by set: the messages to a set, then its odds, which the next set hears of.

    Returns the changes as `set_range` does. It costs a pass over the elements per set and edge.
    """
    moved = 0.0
    moved_twice = 0.0
    for i in range(at.odds.shape[0]):
        for k in range(at.indptr[i], at.indptr[i + 1]):
            e = at.places[k]
            a = at.owners[e]
            rest, top = hear(at, at.told, a, at.prior[a])
            y = at.told[e - at.t_indptr[a]]
            new = cavity(rest, top, y) if at.prior[a] < 0.0 else reply(rest, top, y)
            at.r[e] = mix(at.r[e], new, damping)
        own, own_twice = set_range(at, i, i + 1)
        moved = max(moved, own)
        moved_twice = max(moved_twice, own_twice)
    return moved, moved_twice


def judge(moved, moved_twice, tol, repeats):
    """Return MOVING, RESTING (converged) or CIRCLING (oscillating), and the count of repeats.

    A repeat is a sweep after which the odds are as two sweeps before. The count is of repeats in a
    row.
    """
    if moved <= tol:
        return RESTING, 0
    repeats = repeats + 1 if moved_twice <= tol < moved / 10 else 0
    return (CIRCLING if repeats == PATIENCE else MOVING), repeats


def shrink(
    t_indptr: OffsetsOut, t_indices: IndicesOut, r: FloatsOut, covered: Bools, open_sets: Bools
) -> int:
    """Remove covered elements and closed sets, in place; return the number of edges left."""
    kept: int64_t = 0
    begin: int64_t = 0
    end: int64_t
    with cython.nogil:
        for a in range(covered.shape[0]):
            end = t_indptr[a + 1]
            if not covered[a]:
                for e in range(begin, end):
                    if open_sets[t_indices[e]]:
                        t_indices[kept] = t_indices[e]
                        r[kept] = r[e]
                        kept += 1
            begin = end
            t_indptr[a + 1] = kept
    return kept
