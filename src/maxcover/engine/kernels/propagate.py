"""Propagate: belief propagation run to its fixed point: messages, threads, convergence."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from maxcover.engine.kernels.arrays import Bools, CompressedRows, Floats
from maxcover.engine.kernels.crew import Crew, cuts, each, gathered
from maxcover.engine.kernels.extremes import CIRCLING, LOG_TINY, MOVING, ODDS_CAP, RESTING, TINY
from maxcover.engine.kernels.messages import Messages, shrink
from maxcover.engine.kernels.rows import group_columns

# Default damping: it takes the fewest sweeps to converge over the sizes and temperatures of
# benchmarks/damping.py.
DAMPING = 0.3
# Above this gain, in units of the temperature, prior odds are stored as a logarithm.
HEAVY = -LOG_TINY
# Edges swept between two checks for a keyboard interrupt: about ten milliseconds.
EDGES_AT_ONCE = 1_000_000


class Propagated(NamedTuple):
    """Result of belief propagation; fields and gains are in units of the temperature.

    Attributes
    ----------
    support
        Sum of the messages h_hat to each set: h_i = field_i + support_i (Eq. BP3).
    chosen
        P(x_i = 1) of each set.
    sweeps, converged
        Sweeps made, and whether the last one moved no field by more than the tolerance.
    oscillating
        Whether the run ended because its state came back every second sweep.
    residuals
        Largest change in each sweep, 1 - e^{-d} for a field that moved by d.
    """

    support: Floats
    chosen: Floats
    sweeps: int
    converged: bool
    oscillating: bool
    residuals: Floats


def prior_odds(gains: Floats, *, hard: bool) -> Floats:
    """Return the prior odds (1 - s_a) / s_a of each element, as extended numbers.

    s_a is the sigmoid of the gain (soft, Eq. BP2) or 1 - e^{-gain} (hard). The first message of
    an element that no set covers yet, 1 - s_a, is prior / (1 + prior).
    """
    plain = np.clip(gains, 1.0 / ODDS_CAP, HEAVY)
    odds = 1.0 / np.expm1(plain) if hard else np.exp(-plain)
    return np.where(gains > HEAVY, -gains, odds)


class Propagation:
    """Belief propagation on one graph; each run starts from the messages of the run before.

    `columns` are the sets of each element. `gains` are the weights of the elements in units of the
    temperature, beta w_a >= 0. If `hard`, a covered element counts as exactly w_a, otherwise (the
    paper) as (1/beta) ln(1 + e^{beta w_a}). Not thread-safe.
    """

    def __init__(self, columns: CompressedRows, n_sets: int, gains: Floats, *, hard: bool) -> None:
        self.hard, self.n_sets = hard, n_sets
        self.weigh(gains)
        self._lay_out(columns)
        self.begin()

    def begin(self) -> None:
        """Send the first messages: what each element offers while no set covers it."""
        first = np.where(self.prior < 0.0, self.prior, self.prior / (1.0 + abs(self.prior)))
        self.r = np.repeat(first, np.diff(self.columns.indptr))

    def weigh(self, gains: Floats) -> None:
        """Replace the gains of the elements; the messages stay."""
        self.gains, self.prior = gains, prior_odds(gains, hard=self.hard)

    def _lay_out(self, columns: CompressedRows) -> None:
        self.columns = columns
        places = np.arange(columns.indices.size, dtype=np.int32)
        self.rows = CompressedRows(np.zeros(self.n_sets + 1, np.int64), np.empty_like(places))
        group_columns(columns.indices, places, *self.rows)

    @property
    def sent(self) -> Floats:
        """The messages, one per edge, in row order (set by set)."""
        return self.r[self.rows.indices]

    def send(self, r: Floats) -> None:
        """Replace the messages by `r`, given in row order (set by set)."""
        plain = np.clip(np.where(r < 0.0, np.exp(np.minimum(r, 0.0)), r), TINY, 1.0)
        heavy = np.repeat(self.prior < 0.0, np.diff(self.columns.indptr))[self.rows.indices]
        self.r[self.rows.indices] = np.where(heavy & (r != 0.0), r, plain)

    def shake(self, seed: int) -> None:
        """Replace each message beta h_hat by a random share of it; the seed decides which."""
        share = 1.0 - np.random.default_rng(seed).random(self.r.size)
        self.r = np.where(self.r < 0.0, self.r * share, np.abs(self.r) ** share)

    def shrink(self, covered: Bools, open_sets: Bools) -> None:
        """Remove covered elements and closed sets from the graph."""
        indptr, indices = self.columns.indptr.copy(), self.columns.indices.copy()
        kept = shrink(indptr, indices, self.r, covered, open_sets)
        self.r = self.r[:kept].copy()
        self._lay_out(CompressedRows(indptr, indices[:kept].copy()))

    def at(
        self,
        field: Floats,
        *,
        damping: float,
        max_sweeps: int,
        tol: float,
        threads: int,
        schedule: str = "parallel",
        watch: Callable[[Floats], bool] | None = None,
        at_once: int | None = None,
    ) -> Propagated:
        """Run until no field moves by more than `tol`, or `watch` or `max_sweeps` ends the run.

        Exact on trees; the usual approximation on graphs with loops. At low temperature with too
        little damping the run may oscillate; the result says so. A parallel sweep costs
        about two and a half sparse matrix-vector pairs. The state takes 16 bytes per edge, 40 per
        set and 16 per element.

        Parameters
        ----------
        field
            Log-odds of each set before any message, -beta mu c_i; plus infinity selects a set for
            certain, minus infinity excludes it.
        damping
            Share of the old message r = e^{-beta h_hat} that stays in every sweep, below 1.
        tol
            Stop when no field moved by more than this many temperatures.
        threads
            Number of threads. The result is the same for any number, bit for bit.
        schedule
            "parallel": all messages of a sweep are made of those of the sweep before. "serial": set
            by set, each hears what was updated before it; one thread, and a sweep costs a pass over
            the sets of an element for each edge.
        watch, at_once
            `watch` gets the residuals so far after every `at_once` sweeps; if it returns True, the
            run ends. By default `at_once` is chosen by the number of edges.
        """
        owners = np.empty(0, np.int32)
        if schedule == "serial":
            n_elements = self.prior.size
            owners = np.repeat(np.arange(n_elements, dtype=np.int32), np.diff(self.columns.indptr))
        messages = Messages(self.columns, self.rows, self.prior, field, self.r, owners)
        self.messages = messages
        residuals = np.empty(max_sweeps)
        at_once = at_once or max(1, EDGES_AT_ONCE // max(1, self.r.size))
        made, state, repeats = 0, MOVING, 0
        support = np.empty(self.n_sets)
        with gathered(threads, self.r.size) as crew:
            shared = None if crew is None else self._shared(messages, crew)
            each(crew, messages.sweep_sets, self.rows.indptr)
            while made < max_sweeps and state == MOVING:
                part = residuals[made : made + at_once]
                count, state, repeats = messages.sweeps(
                    shared, damping=damping, tol=tol, repeats=repeats, residuals=part
                )
                made += count
                if watch is not None and watch(residuals[:made]):
                    break
            each(crew, partial(messages.supports, support), self.rows.indptr)
        residuals, odds = residuals[:made], np.asarray(messages.odds)
        return Propagated(
            support=support,
            chosen=odds / (1.0 + odds),
            sweeps=made,
            converged=state == RESTING,
            oscillating=state == CIRCLING,
            residuals=residuals,
        )

    def _shared(self, messages: Messages, crew: Crew) -> Callable[[float], tuple[float, float]]:
        """Return a function that makes one sweep with all threads of `crew`."""
        columns, rows = (cuts(side.indptr, crew.size) for side in (self.columns, self.rows))
        told = np.empty((crew.size, np.diff(self.columns.indptr).max(initial=0)))

        def sweep(damping: float) -> tuple[float, float]:
            crew.share(
                lambda k, first, last: messages.sweep_elements(told[k], first, last, damping),
                columns,
            )
            moves = crew.share(lambda _, first, last: messages.sweep_sets(first, last), rows)
            return max(m[0] for m in moves), max(m[1] for m in moves)

        return sweep

    @property
    def element_field(self) -> Floats:
        """The field eta_a of each element after a run; it takes about two sweeps.

        P(y_a = 1) = 1 / (1 + e^{-eta_a}), corrected (not the printed Eq. BP4). Below e^-700 it is
        minus infinity.
        """
        log_reached: Floats = self.messages.log_reached()
        field: Floats = self.gains + log_reached
        return field if self.hard else field - np.logaddexp(0.0, log_reached)
