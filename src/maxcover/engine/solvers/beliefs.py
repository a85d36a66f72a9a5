"""Beliefs: how likely each set is to be chosen and each element to be covered."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from maxcover.engine.core import bounds, notebook
from maxcover.engine.core.relaxation import improve_dual
from maxcover.engine.kernels.arrays import CompressedRows
from maxcover.engine.kernels.propagate import DAMPING, Propagation
from maxcover.engine.solvers.control import check_able
from maxcover.errors import OptionError
from maxcover.ground.options import checked

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import Floats


CoverageName = Literal["soft", "hard"]
ScheduleName = Literal["parallel", "serial"]
InitName = Literal["offers", "random"]
COVERAGE: tuple[str, ...] = get_args(CoverageName)
# Most prices that `beliefs` tries, and how near to the budget, as a fraction, the expected cost has
# to come. Below `_LEAST_PRICE` times the total weight per total cost, the price of the relaxation
# is a residue of rounding, not a place to begin.
_RUNS, _NEAR, _LEAST_PRICE = 40, 1e-4, 1e-3


class Sweep(NamedTuple):
    """What a callback receives: number of the sweep, largest change in it, price of the budget."""

    number: int
    residual: float
    mu: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Beliefs:
    """The result of belief propagation at one inverse temperature and one price of the budget.

    Attributes
    ----------
    sets, elements : array of float
        Marginals P(x_i = 1) and P(y_a = 1).
    fields, element_fields : array of float
        The local fields h_i (Eq. BP3) and eta_a (corrected: docs/lab/paper.md), in units of weight.
    support : array of float
        The part of h_i that the elements contribute: ``fields + mu * costs``, without cancellation
        when mu is large.
    messages : array of float or None
        The messages from elements to sets, one per edge in the order of ``problem.indices``, in
        units of weight.
    sweeps : int
    converged : bool
        Whether the last sweep moved no field by more than the tolerance.
    oscillating : bool
        The run ended because its messages came back every second sweep.
    residuals : array of float
        The largest change in each sweep, between 0 and 1.
    beta, mu : float
        The inverse temperature, and the price of the budget.
    matched : bool or None
        Whether a search for the price ended with the expected cost at the budget, or at price 0
        within it; None if the price was given.
    expected_cost : float
        The expected cost of the chosen sets under the marginals.
    free_energy : float
        The Bethe free energy -ln(Z) / beta at these messages, in units of weight: exact on trees
        and forests.
    energy : float
        The expected value of mu times the cost less the covered weight.
    entropy : float
        ``beta * (energy - free_energy)``, in nats.
    """

    sets: Floats
    elements: Floats
    fields: Floats
    element_fields: Floats
    support: Floats
    messages: Floats | None
    sweeps: int
    converged: bool
    oscillating: bool
    residuals: Floats
    beta: float
    mu: float
    expected_cost: float
    free_energy: float
    energy: float
    matched: bool | None = None

    @property
    def entropy(self) -> float:
        """The Bethe entropy in nats; on soft coverage also of which covered elements count."""
        return self.beta * (self.energy - self.free_energy)

    def plot(self) -> Any:
        """Draw the marginals and the convergence: `maxcover.plots.plot_beliefs`."""
        return notebook.call_above("maxcover.plots", "plot_beliefs", self)

    def __repr__(self) -> str:
        state = (
            "converged"
            if self.converged
            else "oscillating"
            if self.oscillating
            else "not converged"
        )
        return (
            f"Beliefs({len(self.sets)} sets, {len(self.elements)} elements, "
            f"{self.sweeps} sweeps, {state}{', budget missed' if self.matched is False else ''})"
        )


@checked
def beliefs(
    problem: CoverageProblem,
    *,
    beta: float,
    mu: float | None = None,
    coverage: CoverageName = "soft",
    max_sweeps: int = 150,
    tol: float = 1e-6,
    damping: float = DAMPING,
    schedule: ScheduleName = "parallel",
    init: InitName = "offers",
    seed: int = 0,
    messages: bool = False,
    start: Beliefs | None = None,
    callback: Callable[[Sweep], Any] | None = None,
    threads: int = 1,
) -> Beliefs:
    """Run the paper's belief propagation (Eqs. BP1 to BP3) and return marginals and fields.

    The budget is not part of the model; the price `mu` stands for it. At the right price the
    expected cost of the beliefs meets the budget.

    Parameters
    ----------
    problem : CoverageProblem
        Required sets are taken as chosen, forbidden ones as not; limits play no part.
    beta : float
        Inverse temperature, in units of 1 / weight. At 1,000 over the mean weight fields are all
        but differences of the best values, and marginals 0, 1/2 or 1.
    mu : float, optional
        Chemical potential, in units of weight / cost; may be negative. Without one, the price at
        which the expected cost meets the budget is searched for, with messages kept from one price
        to the next; 0 where everything is within the budget. At low temperatures beliefs may jump
        or not converge; then it is the price whose expected cost came nearest, and `matched` is
        False. Below 0, supports of less than 1e-16 temperatures round to 0.
    coverage : {"soft", "hard"}
        "soft" is the paper's partition function, in which a covered element may still count as
        uncovered. In the "hard" one a covered element counts in full, which makes the better
        solver.
    max_sweeps : int
    tol : float
        Stop when no field moved by more than this many units of temperature.
    damping : float
        Share of the old message that stays in each sweep, from 0 up to below 1. Without damping
        the updates oscillate where the paper works.
    schedule : {"parallel", "serial"}
        Whether all messages of a sweep are made of those of the sweep before, or set by set, each
        from the newest. "serial" uses one thread; without damping it is the form that converges.
    init : {"offers", "random"}
        First messages: what each element offers if nobody covers it, or a random share of that.
        "random" is for graphs on which all sets look alike, as in the unweighted biregular ones.
    seed : int
        Of ``init="random"``.
    messages : bool
        Whether to return the messages too, 8 bytes per edge.
    start : Beliefs, optional
        Begin from the messages of an earlier run on the same graph, which has to hold them.
    callback : callable, optional
        Called with a `Sweep` (number, residual, mu) after each sweep; return True to stop, also
        the search for a price.
    threads : int
        The result is the same for any number, bit for bit.

    Returns
    -------
    Beliefs
        Exact on trees and forests; an approximation on graphs with loops. Each parallel sweep
        costs two passes over the edges, a serial one a pass per set of an element.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets([["a", "b"], ["b", "c"]], budget=1)
    >>> found = beliefs(problem, beta=1.0, mu=1.0)
    >>> found
    Beliefs(2 sets, 3 elements, ... sweeps, converged)
    >>> found.sets.round(3)
    array([0.664, 0.664])
    >>> round(beliefs(problem, beta=1.0).expected_cost, 3)
    1.0
    """
    check_able(problem, "beliefs", minima=True)
    if start is not None and (start.messages is None or start.messages.size != problem.n_edges):
        raise OptionError("expected start to hold messages of the same graph: pass messages=True")
    settings: dict[str, Any] = {
        "beta": beta,
        "coverage": coverage,
        "max_sweeps": max_sweeps,
        "tol": tol,
        "damping": damping,
        "threads": threads,
        "schedule": schedule,
        "shaken": seed if init == "random" else None,
        "watch": callback and _Listener(callback),
    }
    sent = None if start is None else start.messages
    if mu is not None:
        return _at(mu, problem, messages=messages, sent=sent, **settings)
    return _within_budget(problem, messages=messages, sent=sent, **settings)


class _Listener:
    """Calls a callback after every sweep, and remembers whether it returned True."""

    def __init__(self, callback: Callable[[Sweep], Any]) -> None:
        self.callback, self.mu, self.is_over = callback, 0.0, False

    def __call__(self, moved: Floats) -> bool:
        self.is_over = self.callback(Sweep(len(moved), float(moved[-1]), self.mu)) is True
        return self.is_over


def _at(
    mu: float,
    problem: CoverageProblem,
    *,
    beta: float,
    coverage: str,
    watch: _Listener | None,
    messages: bool,
    sent: Floats | None,
    shaken: int | None,
    **how: Any,
) -> Beliefs:
    """Run belief propagation at the price `mu`; convert the results to units of weight."""
    hard = coverage == "hard"
    field = prior_field(problem, beta, mu)
    gains = beta * problem.weights
    propagation = Propagation(CompressedRows(*problem.transpose), problem.n_sets, gains, hard=hard)
    if sent is not None:
        propagation.send(np.exp(-beta * sent))
    elif shaken is not None:
        propagation.shake(shaken)
    if watch is not None:
        watch.mu = mu
    found = propagation.at(field, watch=watch, at_once=None if watch is None else 1, **how)
    eta, r = propagation.element_field, propagation.sent
    with np.errstate(divide="ignore"):
        log_r = np.where(r < 0.0, r, np.log(np.maximum(r, 0.0)))
    log_z = _log_partition(problem, log_r, field + found.support, beta, mu, hard=hard)
    elements = 1.0 / (1.0 + np.exp(np.minimum(-eta, 700.0)))
    cost = float(problem.costs @ found.chosen)
    return Beliefs(
        sets=found.chosen,
        elements=elements,
        fields=(field + found.support) / beta,
        element_fields=eta / beta,
        support=found.support / beta,
        messages=-log_r / beta if messages else None,
        sweeps=found.sweeps,
        converged=found.converged,
        oscillating=found.oscillating,
        residuals=found.residuals,
        beta=beta,
        mu=mu,
        expected_cost=cost,
        free_energy=-log_z / beta,
        energy=mu * cost - float(problem.weights @ elements),
    )


def _within_budget(
    problem: CoverageProblem, *, messages: bool, sent: Floats | None, **settings: Any
) -> Beliefs:
    """Run belief propagation at the price at which the expected cost meets the budget."""
    watch = settings["watch"]
    found = best = _at(0.0, problem, messages=True, sent=sent, **settings)

    def cost_at(mu: float) -> float:
        nonlocal found, best
        found = _at(mu, problem, messages=True, sent=found.messages, **settings)
        if abs(found.expected_cost - problem.budget) < abs(best.expected_cost - problem.budget):
            best = found
        return found.expected_cost

    matched = found.expected_cost <= problem.budget * (1 + _NEAR) or match_price(
        cost_at, problem, relaxed_price(problem), stop=lambda: watch is not None and watch.is_over
    )
    return replace(best, matched=matched, messages=best.messages if messages else None)


def relaxed_price(problem: CoverageProblem, expired: Callable[[], bool] = lambda: False) -> float:
    """Return the price of the budget in the linear relaxation; where it has none, a scale.

    Where the budget is loose, the price of the relaxation is a residue of rounding, and the total
    weight per total cost is returned instead.
    """
    price = improve_dual(problem, bounds.reduced(problem), expired=expired).price
    scale = float(problem.weights.sum()) / (float(problem.costs.sum()) or 1.0)
    price = price / problem.ticks.unit
    return price if price > _LEAST_PRICE * scale else scale or 1.0


def match_price(
    cost_at: Callable[[float], float],
    problem: CoverageProblem,
    mu: float,
    *,
    runs: int = _RUNS,
    near: float = _NEAR,
    stop: Callable[[], bool] = lambda: False,
) -> bool:
    """Call `cost_at` with prices until it returns the budget, or `runs` times; say whether it did.

    The expected cost falls as the price rises, and is above the budget at price 0. `mu` is the
    first price; it is doubled until the cost is below the budget, then regula falsi and halving
    take turns.
    """
    low, high = 0.0, math.inf
    excess_low = excess_high = 0.0
    for run in range(runs):
        if stop():
            break
        excess = cost_at(mu) - problem.budget
        if abs(excess) <= near * problem.budget:
            return True
        if excess > 0:
            low, excess_low = mu, excess
        else:
            high, excess_high = mu, excess
        if math.isinf(high):
            mu *= 2.0
        elif run % 2 or not excess_low:
            mu = 0.5 * (low + high)
        else:
            mu = low + (high - low) * excess_low / (excess_low - excess_high)
    return False


def prior_field(problem: CoverageProblem, beta: float, mu: float) -> Floats:
    """Return the log-odds of each set before any message.

    Required sets have plus infinity, forbidden sets minus infinity.
    """
    field = -beta * mu * problem.costs
    field[problem.required] = np.inf
    field[problem.forbidden] = -np.inf
    return field


def _log_partition(
    problem: CoverageProblem, log_r: Floats, log_odds: Floats, beta: float, mu: float, *, hard: bool
) -> float:
    """Return Bethe's ln Z: the terms of sets and elements minus the terms of edges.

    With the odds v of each set and y = r v of each edge, the terms of a set and of its edges come
    to (1 - degree) ln(1 + v), and that of an element to ln(1 + s (prod (1 + y) - 1)), where s is
    the factor of a covered element. Required sets are not variables: their elements have the factor
    s.
    """
    owners = np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr))
    free = np.isfinite(log_odds)
    degrees = np.bincount(owners, minlength=problem.n_sets)
    sets = ((1.0 - degrees) * np.logaddexp(0.0, np.where(free, log_odds, -np.inf)))[free].sum()
    kept = free[owners]
    log_y, of = log_r[kept] + log_odds[owners[kept]], problem.indices[kept]
    reach = np.bincount(of, weights=np.logaddexp(0.0, log_y), minlength=problem.n_elements)
    worth = beta * problem.weights if hard else np.logaddexp(0.0, beta * problem.weights)
    with np.errstate(divide="ignore"):
        more = reach + np.log(-np.expm1(-reach))
    sums = np.full(problem.n_elements, -np.inf)
    np.logaddexp.at(sums, of, log_y)
    # For tiny y use prod (1 + y) - 1 = sum of y, which has no cancellation.
    more = np.where(reach < 1e-12, sums, more)
    elements = np.where(
        problem.covered(problem.required), worth + reach, np.logaddexp(0.0, worth + more)
    )
    spent = beta * mu * float(problem.costs[problem.required].sum())
    return float(sets + elements.sum() - spent)
