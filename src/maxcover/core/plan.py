"""Plan, the cheapest selection found that covers enough, and `certify_plan`, which makes one.

The mirror image of `maxcover.core.solution`: value, cost and limits are recomputed from the problem
alone, and the lower bound is evaluated here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core import bounds, notebook, validation, wording
from maxcover.core.solution import check_feasible, exact_total, plain_labels
from maxcover.core.target import cost_step
from maxcover.errors import InfeasibleError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from numpy.typing import ArrayLike, NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.core.solution import Status, Step
    from maxcover.core.target import Target

# What may be left open, relative to the cost, of a proof for costs without a unit.
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan:
    """A selection that covers enough, and how much cheaper another could be at most.

    Attributes
    ----------
    selected : array of int64
        The chosen sets, ascending, read-only.
    cost : float
        What they cost together.
    lower_bound : float
        No selection that keeps the limits and meets the target costs less than this.
    gap : float
        ``(cost - lower_bound) / cost``: at most this fraction of the cost can be saved.
    value : float
        Weight of what they cover.
    target : float
        The weight that had to be covered.
    share : float or None
        The share of the total weight that was asked for; None if a weight was.
    status : {"optimal", "within gap", "heuristic", "unverified"}
        Proven cheapest: exactly where costs are whole numbers or decimals, else to 1e-9 of the
        cost. Proven within the target gap that was asked for. Neither. Or read from a file, and not
        yet checked by `verify`.
    stopped : str
        Why the search stopped, in words.
    bound_by : str
        Which argument gives the lower bound.
    dual : Dual or None
        The dual point behind the bound, which `verify` checks.
    labels : tuple or None
        The labels of the chosen sets; None when the problem has no labels.
    method : str
        Name of the method.
    seconds : float
        How long choosing and certifying took.
    trace : tuple of Step
        What was reached when; ``value`` is the cost, and ``bound`` the lower bound.
    """

    selected: NDArray[np.int64]
    cost: float
    lower_bound: float
    value: float
    target: float
    status: Status
    stopped: str
    bound_by: str
    share: float | None = None
    dual: bounds.Dual | None = None
    labels: tuple[Hashable, ...] | None = None
    method: str = ""
    seconds: float = 0.0
    trace: tuple[Step, ...] = ()

    @property
    def gap(self) -> float:
        """What fraction of the cost another selection could save at most."""
        return saving(self.cost, self.lower_bound)

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold; labels that JSON does not know are given as text.

        Examples
        --------
        >>> from maxcover import CoverageProblem, cover
        >>> problem = CoverageProblem.from_sets({"x": ["a", "b"], "y": ["b"]}, budget=0)
        >>> found = cover(problem, target=1.0).to_dict()
        >>> found["labels"], found["cost"], found["status"]
        (['x'], 1.0, 'optimal')
        """
        return {
            "selected": self.selected.tolist(),
            "labels": plain_labels(self.labels),
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "value": self.value,
            "target": self.target,
            "share": self.share,
            "status": self.status,
            "stopped": self.stopped,
            "bound_by": self.bound_by,
            "method": self.method,
            "seconds": round(self.seconds, 6),
        }

    def __len__(self) -> int:
        return len(self.selected)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.selected.tolist() if self.labels is None else self.labels)

    @property
    def certificate(self) -> str:
        """What the bound proves, in a sentence.

        Examples
        --------
        >>> from maxcover import CoverageProblem, cover
        >>> cover(CoverageProblem.from_sets([[1, 2], [3]], budget=0), target=0.5).certificate
        'Proven cheapest: no selection that covers enough costs less than 1.'
        """
        return wording.certificate(
            status=self.status,
            gap=self.gap,
            within="that covers enough",
            beats=f"costs less than {self.lower_bound:,.10g}",
            cheapest=True,
        )

    def _repr_html_(self) -> str:
        chosen = list(self)[: notebook.SHOWN]
        words = f"{self.lower_bound:,.10g} of {self.cost:,.10g}"
        rows: list[list[Any]] = [
            ["cost", f"{self.cost:,.10g}"],
            ["needed in any case", notebook.bar(1 - self.gap, words)],
            ["covered weight", f"{self.value:,.10g}, at least {self.target:,.10g} asked for"],
            ["method", f"{self.method} in {self.seconds:.3g} s; {self.stopped}"],
            ["bound by", self.bound_by],
        ]
        return notebook.card(
            f"Plan: {len(self):,} sets, {self.status}",
            notebook.table((), rows),
            notebook.paragraph(self.certificate),
            notebook.folded(
                "Chosen sets",
                notebook.table(["set"], [[str(one)] for one in chosen], total=len(self)),
            ),
        )

    def __repr__(self) -> str:
        return (
            f"Plan({len(self.selected)} sets, cost {self.cost:g}, lower bound "
            f"{self.lower_bound:g}, gap {self.gap:.3%}, value {self.value:g} of {self.target:g} "
            f"needed, {self.status})"
        )


def saving(cost: float, bound: float) -> float:
    """Return what fraction of the cost could be saved if the bound were reached."""
    return min(max(0.0, (cost - bound) / cost), 1.0) if cost > 0 else 0.0


def capped(problem: CoverageProblem, cost: float) -> CoverageProblem:
    """Return the problem of spending at most `cost`, which may be rounded."""
    budget = float(np.nextafter(cost, np.inf))
    return problem if problem.budget == budget else problem.with_budget(budget)


def plan_status(problem: CoverageProblem, cost: float, bound: float, gap: float = 0.0) -> Status:
    """Say what a lower bound proves of a cost."""
    step = cost_step(capped(problem, cost))
    slack = 0.5 * float(step) if step is not None else TOLERANCE * cost
    if cost - bound < slack or cost == bound:
        return "optimal"
    return "within gap" if saving(cost, bound) <= gap else "heuristic"


def lowest_cost(problem: CoverageProblem, target: Target, dual: bounds.Dual) -> float:
    """Return what every selection costs at least that meets the target within the budget.

    The inequality of `maxcover.core.bounds` solved for the budget: at a smaller one, the dual point
    proves that no selection is worth as much as the target. Infinite if none within this budget is.
    """
    left = bounds.reduced(problem)
    unit = problem.ticks.unit
    point = dual._replace(price=dual.price / dual.unit * unit, unit=unit)
    ticks = bounds.fewest_ticks(problem, left, point, target.floor)
    if not math.isfinite(ticks):
        return ticks
    spent = int(problem.ticks.ticks[problem.required].sum())
    step = cost_step(problem)
    if step is None:
        return max((ticks + spent) * unit * (1 - 2.0**-48), 0.0)
    return float((math.ceil(Fraction(ticks) * (1 - Fraction(1, 2**48))) + spent) * step)


def certify_plan(
    problem: CoverageProblem,
    target: Target,
    selected: ArrayLike,
    *,
    dual: bounds.Dual | None = None,
    claim: bounds.Claim | None = None,
    target_gap: float = 0.0,
    **about: Any,
) -> Plan:
    """Recompute what a selection covers and costs, and bound how much cheaper another could be.

    Parameters
    ----------
    problem, target
        The budget of the problem is not looked at.
    selected : array of int
        Indices of the chosen sets, in any order.
    dual : Dual, optional
        The dual point to evaluate; without one, the bound is what the required sets cost.
    claim : Claim, optional
        A lower bound that an outside solver proved, with its name.
    target_gap : float
        The gap that counts as good enough for the status "within gap".
    **about
        ``stopped``, ``method``, ``seconds`` and ``trace`` of the Plan.

    Raises
    ------
    InfeasibleError
        The selection misses the target, breaks a limit of a group, lacks a required set or holds a
        forbidden one.
    """
    chosen = validation.index_list(selected, "selected", problem.n_sets)
    cost, value = (
        exact_total(problem.costs[chosen]),
        exact_total(problem.weights[problem.covered(chosen)]),
    )
    within = capped(problem, cost)
    check_feasible(within, chosen)
    if not target.is_met(chosen):
        raise InfeasibleError(
            f"expected a selection that covers {target.needed:g}, got one that covers {value:g}"
        )
    bound, by = exact_total(problem.costs[problem.required]), "the required sets"
    for found, name in (
        (bound if dual is None else lowest_cost(within, target, dual), "dual point"),
        (bound if claim is None else claim.value, "" if claim is None else claim.by),
    ):
        # what is dearer than this selection was left out, so nothing above its cost is proven
        if min(found, cost) > bound:
            bound, by = min(found, cost), name
    labels = problem.set_labels
    return Plan(
        selected=validation.frozen(chosen),
        cost=cost,
        lower_bound=min(bound, cost),
        value=value,
        target=target.needed,
        share=None if target.share is None else float(target.share),
        status=plan_status(problem, cost, bound, target_gap),
        bound_by=by,
        dual=dual and dual._replace(shares=validation.frozen(dual.shares)),
        labels=None if labels is None else tuple(labels[index] for index in chosen),
        **about,
    )
