"""Beliefs: how likely each set is to be chosen and each element to be covered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from maxcover.core import notebook
from maxcover.core.demands import check_demands
from maxcover.kernels.propagate import DAMPING, propagate
from maxcover.options import checked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.kernels.propagate import Propagated

    Floats = NDArray[np.float64]

CoverageName = Literal["soft", "hard"]
COVERAGE: tuple[str, ...] = get_args(CoverageName)


@dataclass(frozen=True, eq=False, kw_only=True)
class Beliefs:
    """What belief propagation found at one inverse temperature and one price of the budget.

    Attributes
    ----------
    sets, elements : array of float
        Marginals P(x_i = 1) and P(y_a = 1).
    fields, element_fields : array of float
        The local fields h_i (Eq. BP3) and eta_a (corrected; see docs/paper.md), in units of weight.
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
        The run did not converge and went round in circles: more damping may help.
    residuals : array of float
        The largest change in each sweep, between 0 and 1.
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

    def plot(self) -> Any:
        """Draw how decided they are and how they converged: `maxcover.plots.plot_beliefs`."""
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
            f"{self.sweeps} sweeps, {state})"
        )


@checked
def beliefs(
    problem: CoverageProblem,
    *,
    beta: float,
    mu: float,
    coverage: CoverageName = "soft",
    max_sweeps: int = 150,
    tol: float = 1e-6,
    damping: float = DAMPING,
    messages: bool = False,
    threads: int = 1,
) -> Beliefs:
    """Run the paper's belief propagation (Eqs. BP1 to BP3) and return marginals and fields.

    The budget is not part of the model; the price `mu` stands for it. At the right price the
    expected cost ``problem.costs @ beliefs.sets`` meets the budget.

    Parameters
    ----------
    problem : CoverageProblem
        Required sets are taken as chosen, forbidden ones as not; budget and group limits play no
        part.
    beta : float
        Inverse temperature, in units of 1 / weight.
    mu : float
        Chemical potential, in units of weight / cost; may be negative.
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
    messages : bool
        Whether to return the messages too, 8 bytes per edge.
    threads : int
        The result is the same for any number, bit for bit.

    Returns
    -------
    Beliefs
        Exact on trees and forests; an approximation on graphs with loops. Each sweep costs two
        passes over the edges.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets([["a", "b"], ["b", "c"]], budget=1)
    >>> found = beliefs(problem, beta=1.0, mu=1.0)
    >>> found
    Beliefs(2 sets, 3 elements, ... sweeps, converged)
    >>> found.sets.round(3)
    array([0.664, 0.664])
    """
    check_demands(problem, "beliefs")
    field = prior_field(problem, beta, mu)
    state = propagate(
        problem.indptr,
        problem.indices,
        beta * problem.weights,
        field=field,
        hard=coverage == "hard",
        damping=damping,
        max_sweeps=max_sweeps,
        tol=tol,
        threads=threads,
    )
    return _in_weights(state, field, beta, messages=messages)


def prior_field(problem: CoverageProblem, beta: float, mu: float) -> Floats:
    """Return the log-odds of each set before any message.

    Infinite for what is required, minus infinite for what is forbidden.
    """
    field = -beta * mu * problem.costs
    field[problem.required] = np.inf
    field[problem.forbidden] = -np.inf
    return field


def _in_weights(state: Propagated, field: Floats, beta: float, *, messages: bool) -> Beliefs:
    """Turn what the kernels give in units of the temperature into units of weight."""
    eta = np.empty(0) if state.element_field is None else state.element_field
    sent = None
    if messages:
        with np.errstate(divide="ignore"):
            sent = -np.where(state.r < 0.0, state.r, np.log(np.maximum(state.r, 0.0))) / beta
    return Beliefs(
        sets=state.chosen,
        elements=1.0 / (1.0 + np.exp(np.minimum(-eta, 700.0))),
        fields=(field + state.support) / beta,
        element_fields=eta / beta,
        support=state.support / beta,
        messages=sent,
        sweeps=state.sweeps,
        converged=state.converged,
        oscillating=state.oscillating,
        residuals=state.residuals,
    )
