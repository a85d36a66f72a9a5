"""Belief propagation run to its fixed point: blocks, threads, convergence."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from maxcover.kernels.arrays import Floats, Indices, Offsets
from maxcover.kernels.bp import CIRCLING, PATIENCE, RESTING, field_sums
from maxcover.kernels.extended import LOG_TINY, ODDS_CAP
from maxcover.kernels.run import Run

# Fewest sweeps to converge over sizes and temperatures; see benchmarks/damping.py.
DAMPING = 0.3
# Gains, in units of the temperature, from which on prior odds are no plain number.
HEAVY = -LOG_TINY


class Propagated(NamedTuple):
    """What belief propagation found; fields and gains are in units of the temperature.

    Attributes
    ----------
    support
        Sum of the messages h_hat that reach each set: h_i = field_i + support_i (Eq. BP3).
    chosen
        P(x_i = 1) of each set.
    covered
        Probability that an element is covered.
    element_field
        The field eta_a of each element, P(y_a = 1) = 1 / (1 + e^{-eta_a}), corrected (not the
        printed Eq. BP4).
        Both are None where the call did not ask for the elements.
    sweeps, converged
        Sweeps made, and whether the last one moved no field by more than the tolerance.
    oscillating
        The run had not converged and was not about to: its state came back every second sweep,
        or its changes no longer shrank.
    residuals
        Largest change in each sweep, 1 - e^{-d} for a field that moved by d.
    r
        The messages, one an edge; pass them in again for a warm start.
    """

    support: Floats
    chosen: Floats
    covered: Floats | None
    element_field: Floats | None
    sweeps: int
    converged: bool
    oscillating: bool
    residuals: Floats
    r: Floats


def prior_odds(gains: Floats, *, hard: bool) -> Floats:
    """Return (1 - s_a) / s_a of each element, extended.

    s_a is the sigmoid of the gain (soft, Eq. BP2) or 1 - e^{-gain} (hard). The first message of
    an element that nobody covers yet, 1 - s_a, is prior / (1 + prior).
    """
    plain = np.clip(gains, 1.0 / ODDS_CAP, HEAVY)
    odds = 1.0 / np.expm1(plain) if hard else np.exp(-plain)
    return np.where(gains > HEAVY, -gains, odds)


def propagate(
    indptr: Offsets,
    indices: Indices,
    gains: Floats,
    *,
    field: Floats,
    hard: bool = True,
    damping: float = DAMPING,
    max_sweeps: int = 200,
    tol: float = 1e-3,
    r: Floats | None = None,
    elements: bool = True,
    threads: int = 1,
) -> Propagated:
    """Run belief propagation for coverage until the fields stand still.

    Parameters
    ----------
    indptr, indices
        Rows: the elements of each set.
    gains
        Weight of each element in units of the temperature, beta w_a >= 0.
    field
        Log-odds of each set before any message, -beta mu c_i; plus infinity chooses a set for
        certain, minus infinity excludes it.
    hard
        A covered element counts as exactly w_a. Otherwise (the paper) as (1/beta) ln(1 + e^{beta
        w_a}).
    damping
        Share of the old message r = e^{-beta h_hat} that stays in every sweep, 0 <= damping < 1.
    tol
        Stop when no field moved by more than this many temperatures.
    r
        Messages of an earlier run on the same graph; the default starts from the empty selection.
    elements
        Whether to read out the elements too, which costs about two more sweeps.
    threads
        The result is the same for any number, bit for bit.

    Returns
    -------
    Propagated
        Exact on trees; the usual approximation on graphs with loops. The weak regime is low
        temperature with damping too small, where the run may oscillate; it says so.

    Notes
    -----
    A sweep costs about two and a half sparse matrix-vector pairs. The state takes 8 bytes an edge,
    33 a set, and 8 + 32 * blocks an element, where problems of less than two million edges are one
    block. Below e^-700 an element's field is minus infinity.

    Examples
    --------
    Two sets share the middle one of three elements; the second set costs more.

    >>> import numpy as np
    >>> rows = np.array([0, 2, 4]), np.array([0, 1, 1, 2], dtype=np.int32)
    >>> b = propagate(*rows, np.ones(3), field=np.array([-1.0, -2.0]), tol=1e-12)
    >>> b.converged, b.chosen.round(4).tolist()
    (True, [0.6502, 0.3498])
    """
    prior = prior_odds(gains, hard=hard)
    with ThreadPoolExecutor(threads) as pool:  # starts its threads only when given work
        run = Run(
            indptr, indices, field=field, prior=prior, r=r, pool=pool if threads > 1 else None
        )
        run.restart(prior)
        residuals, state = run.until_rest(damping, prior, max_sweeps, tol)
        support = np.empty(field.size)
        field_sums(indptr, run.r, support)
        covered, element_field = (
            read_elements(run, gains, prior, hard=hard) if elements else (None, None)
        )
    return Propagated(
        support=support,
        chosen=run.odds / (1.0 + run.odds),
        covered=covered,
        element_field=element_field,
        sweeps=len(residuals),
        converged=state == RESTING,
        oscillating=state == CIRCLING or (state != RESTING and no_longer_shrink(residuals)),
        residuals=residuals,
        r=run.r,
    )


def no_longer_shrink(residuals: Floats) -> bool:
    """Tell a run that goes round in circles from one that is merely slow."""
    half = len(residuals) // 2
    return half >= PATIENCE and bool(residuals[half:].max() >= 0.9 * residuals[:half].max())


def read_elements(run: Run, gains: Floats, prior: Floats, *, hard: bool) -> tuple[Floats, Floats]:
    """Return the probability that each element is covered, and its field.

    One more pass, without the elements' own priors, gives the odds (1 - T) / T that some set is
    chosen, where T is the product of P(x_j = 0) over the sets that contain the element: then no
    digit is lost when T is near one.
    """
    run.restart(np.where(prior < 0.0, -np.inf, 0.0))
    rest, top = run.tables[0, :, run.old], run.tables[0, :, run.old + 1]
    log_reached = np.logaddexp(log_of(rest), log_of(top))
    both = (rest > 0.0) & (top > 0.0)
    log_reached[both] = np.log(rest[both] + top[both] + rest[both] * top[both])
    log_miss = -gains if hard else -np.logaddexp(0.0, gains)
    covered = np.exp(-np.logaddexp(0.0, log_miss - log_reached))
    if hard:
        return covered, gains + log_reached
    return covered, gains + log_reached - np.logaddexp(0.0, log_reached)


def log_of(extended: Floats) -> Floats:
    """Return the logarithms of extended numbers."""
    with np.errstate(divide="ignore"):
        return np.where(extended < 0.0, extended, np.log(np.maximum(extended, 0.0)))
