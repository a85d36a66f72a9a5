"""Solution: the answer of `solve` and of `cover`, and `certify`, the only place where one is made.

Solvers return indices of sets. Their value, cost, feasibility and distance from the best possible
are computed here from the problem alone, so that the answers of all solvers are comparable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from maxcover.engine.core import bounds, notebook, validation, wording
from maxcover.engine.core.arguments import plain
from maxcover.engine.core.ascending import distinct
from maxcover.engine.core.constructors import nothing_fits
from maxcover.engine.core.gains import gains
from maxcover.engine.core.relaxation import best_bound
from maxcover.engine.core.target import capped, cost_status, least_cost, saving
from maxcover.engine.core.verify import WITNESSES
from maxcover.errors import InfeasibleError, OptionError
from maxcover.ground.options import checked

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping

    from maxcover.engine.core.labels import Selection
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.target import Target
    from maxcover.ground.array_types import Floats, Int64s

Status = Literal["optimal", "within gap", "heuristic", "unverified"]


class Step(NamedTuple):
    """One improvement in a search: its time, the part that made it, the new value and bound."""

    seconds: float
    part: str
    value: float
    bound: float


class StageRun(NamedTuple):
    """A stage of a search: why it did not run ("" if it did), its seconds, value and bound.

    `values` and `bounds` are pairs: before the stage and after it.
    """

    name: str
    why_not: str
    seconds: float
    values: tuple[float, float]
    bounds: tuple[float, float]


class Trace(tuple[Step, ...]):
    """The improvements of a search in order; printed, the stages that ran, and why others did not.

    Attributes
    ----------
    stages : tuple of StageRun
        In order; empty for methods without stages, and for solutions that were read from a file.
    facts : str
        What was known of the problem before the search began.
    """

    stages: tuple[StageRun, ...]
    facts: str

    def __new__(
        cls, steps: Iterable[Step] = (), stages: tuple[StageRun, ...] = (), facts: str = ""
    ) -> Trace:
        """Make a trace of steps."""
        self = super().__new__(cls, steps)
        self.stages, self.facts = stages, facts
        return self

    def _rows(self) -> list[tuple[str, ...]]:
        """Return a row of texts for each stage, or for each step if there are no stages."""
        if not self.stages:
            return [
                (step.part, f"{step.seconds:.3f}", f"{step.value:.10g}", f"{step.bound:.10g}", "")
                for step in self
            ]
        return [
            (
                stage.name,
                "" if stage.why_not else f"{stage.seconds:.3f}",
                *(_change(*pair, ran=not stage.why_not) for pair in (stage.values, stage.bounds)),
                stage.why_not and f"not: {stage.why_not}",
            )
            for stage in self.stages
        ]

    def __str__(self) -> str:
        rows = [
            ("stage" if self.stages else "step", "seconds", "value", "bound", ""),
            *self._rows(),
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        return "\n".join((*((self.facts,) if self.facts else ()), *lines))

    def _repr_html_(self) -> str:
        columns = ("stage" if self.stages else "step", "seconds", "value", "bound", "")
        return notebook.card(self.facts or "Trace", notebook.table(columns, self._rows()))


def _change(before: float, after: float, *, ran: bool) -> str:
    """Return what a stage made of a number: nothing if it did not change or is not known yet."""
    return f"{after:.10g}" if ran and after != before and math.isfinite(after) else ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution(notebook.Tabular):
    """A certified selection of sets: the most value for a budget, or the lowest cost for a target.

    Attributes
    ----------
    selected : array of int64
        The chosen sets, ascending, read-only.
    value : float
        Weight of what they cover.
    cost : float
        Total cost of the chosen sets. For `solve`, never more than the budget.
    upper_bound : float
        No selection that keeps the limits covers more than this; infinite for an answer of `cover`.
    target, share : float or None
        Only for `cover`: the weight to cover, and the share of the total weight if you gave one.
    lower_bound : float
        Only for `cover`: no selection that keeps the limits and meets the target costs less.
    gap : float
        ``(upper_bound - value) / upper_bound``: the value is at least ``1 - gap`` of the best
        possible. For `cover`, ``(cost - lower_bound) / cost``: the most that could be saved.
    status : {"optimal", "within gap", "heuristic", "unverified"}
        "optimal": proven that no selection is worth more (for `cover`: costs less). The proof is
        exact if the weights (costs) are whole numbers or decimals, and otherwise to 1e-9.
        "within gap": proven within the target gap. "heuristic": neither. "unverified": read from
        a file and not yet checked by `verify`.
    stated : str or None
        The status that a file states, for `verify`; None if the solution is not from a file.
    stopped : str
        Why the solver stopped, in words.
    bound_by : str
        Which argument gives the upper bound.
    dual : Dual or None
        The dual point behind the bound, which `verify` checks. If HiGHS or branch and bound proved
        a better bound, this is the best dual point known.
    tree : CaseTree or None
        The proof by cases behind the bound, if branch and bound made one small enough to keep.
    labels : tuple or None
        The labels of the chosen sets; None when the problem has no labels.
    method : str
        Name of the method.
    seconds : float
        Time for choosing and certifying.
    trace : Trace of Step
        Value and bound over time. For `cover`, ``value`` is the cost, ``bound`` the lower bound.
        Printed, it is the table of stages: what ran, what it took and gave, and why others did not.
    info : mapping
        Further facts about the run, by method.
    budgets : tuple of (str, float, float)
        If there are several budgets: (name, total of the selection, maximum) of each. Not saved.
    problem : CoverageProblem or None
        The problem solved; None for a solution that was read from a file. Not saved.
    """

    selected: Int64s
    value: float
    cost: float
    status: Status
    stopped: str
    bound_by: str
    upper_bound: float = math.inf
    lower_bound: float = 0.0
    target: float | None = None
    share: float | None = None
    dual: bounds.Dual | None = None
    tree: bounds.CaseTree | None = None
    labels: tuple[Hashable, ...] | None = None
    method: str = ""
    seconds: float = 0.0
    trace: Trace = field(default_factory=Trace)
    info: Mapping[str, Any] = field(default_factory=dict)
    budgets: tuple[tuple[str, float, float], ...] = ()
    problem: CoverageProblem | None = None
    stated: Status | None = None

    @property
    def gap(self) -> float:
        """Relative distance of the value (for `cover`, of the cost) from its bound, from 0 to 1."""
        if self.target is not None:
            return saving(self.cost, self.lower_bound)
        return relative_gap(self.value, self.upper_bound)

    @property
    def witness(self) -> str:
        """Name of the solver that claims the bound, such as HiGHS; empty if it can be checked."""
        return self.bound_by if self.bound_by in WITNESSES and self.tree is None else ""

    @property
    def standing(self) -> str:
        """The status, and what it rests on: "optimal according to HiGHS", "optimal, 12 leaves"."""
        says = self.witness if self.status in ("optimal", "within gap") else ""
        if self.tree is not None and self.status != "unverified":
            return f"{self.status}, {self.tree.n_leaves} leaves"
        return f"{self.status} according to {says}" if says else self.status

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as a dict for JSON; labels that JSON cannot hold become text.

        Examples
        --------
        >>> from maxcover import CoverageProblem, solve
        >>> problem = CoverageProblem.from_sets({"x": ["a", "b"], "y": ["b"]}, budget=1)
        >>> found = solve(problem).to_dict()
        >>> found["labels"], found["value"], found["status"]
        (['x'], 2.0, 'optimal')
        """
        asked = {"upper_bound": self.upper_bound}
        if self.target is not None:
            names = ("lower_bound", "target", "share")
            asked = {name: getattr(self, name) for name in names}
        return {
            "selected": self.selected.tolist(),
            "labels": plain(self.labels),
            "value": self.value,
            "cost": self.cost,
            **asked,
            "gap": self.gap,
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

    def to_pandas(self) -> Any:
        """Return the chosen sets as a pandas DataFrame.

        The columns are ``set`` (index), ``label`` if there are labels, ``cost``, and ``gain``: the
        value that would be lost without this set alone. A solution that was read from a file has no
        cost and gain.

        Examples
        --------
        >>> from maxcover import CoverageProblem, solve
        >>> problem = CoverageProblem.from_sets({"x": ["a", "b"], "y": ["b"]}, budget=1)
        >>> solve(problem).to_pandas().to_dict("records")
        [{'set': 0, 'label': 'x', 'cost': 1.0, 'gain': 2.0}]
        """
        return super().to_pandas()

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"set": self.selected}
        if self.labels is not None:
            columns["label"] = list(self.labels)
        if self.problem is not None:
            columns["cost"] = self.problem.costs[self.selected]
            columns["gain"] = gains(self.problem, self.selected, self.selected)
        return columns

    def explain(self, sets: Any = None, **options: Any) -> Any:
        """Say why sets are chosen or not, and what changing that costs: `maxcover.explain`.

        Examples
        --------
        >>> from maxcover import CoverageProblem, solve
        >>> problem = CoverageProblem.from_sets({"x": ["a", "b"], "y": ["b"]}, budget=1)
        >>> print(solve(problem).explain("y"))
        With y, the best selection covers 1 less (50\u202f%): 1 instead of 2. Then x leaves. Of
        what y covers, x already covers all. There is no room to add it: 2 sets cost 2 together,
        the budget is 1.
        """
        if self.problem is None:
            raise OptionError(
                "a solution that was read from a file does not hold its problem; write "
                "maxcover.explain(problem, solution, sets)"
            )
        return notebook.call_above(
            "maxcover.engine.decisions.explanation", "explain", self.problem, self, sets, **options
        )

    def plot(self) -> Any:
        """Draw how value and bound approached each other: `maxcover.plots.plot_trace`."""
        return notebook.call_above("maxcover.plots", "plot_trace", self)

    @property
    def certificate(self) -> str:
        """What the bound proves, in a sentence.

        Examples
        --------
        >>> from maxcover import CoverageProblem, solve
        >>> solve(CoverageProblem.from_sets([[1, 2], [3]], budget=1)).certificate
        'Proven best: no selection that keeps the limits covers more than 2.'
        """
        is_cover = self.target is not None
        return wording.certificate(
            status=self.status,
            gap=self.gap,
            within="that covers enough" if is_cover else "that keeps the limits",
            beats=f"costs less than {self.lower_bound:,.10g}"
            if is_cover
            else f"covers more than {self.upper_bound:,.10g}",
            cheapest=is_cover,
            by=self.witness,
        )

    def _notes(self) -> list[str]:
        by = self.bound_by if self.tree is None else f"{self.bound_by}, {self.tree.n_leaves} leaves"
        how = f"{self.method} in {self.seconds:.3g} s; {self.stopped}; bound by {by}."
        return [self.certificate, how]

    def __repr__(self) -> str:
        size, value = f"Solution({len(self.selected)} sets", wording.number(self.value)
        cost, rest = wording.spent(self.cost, self.budgets), f"gap {self.gap:.3%}"
        if self.target is not None:
            return (
                f"{size}, cost {cost}, lower bound {wording.number(self.lower_bound)}, {rest}, "
                f"value {value} of {wording.number(self.target)} needed, {self.standing})"
            )
        bound = wording.number(self.upper_bound)
        return f"{size}, value {value}, cost {cost}, upper bound {bound}, {rest}, {self.standing})"


def relative_gap(value: float, bound: float) -> float:
    """Return ``(bound - value) / bound``, but at least 0; 1 for an infinite bound."""
    if bound == math.inf:
        return 1.0
    return max(0.0, (bound - value) / bound) if bound > 0 else 0.0


def status_of(
    problem: CoverageProblem, value: float, bound: float, target_gap: float = 0.0
) -> Status:
    """Return the status that `bound` proves for a selection worth `value`."""
    if bounds.proves(problem, value, bound):
        return "optimal"
    return "within gap" if relative_gap(value, bound) <= target_gap else "heuristic"


@checked
def certify(
    problem: CoverageProblem,
    selected: Selection,
    *,
    bound: bounds.BoundName = "dual",
    dual: bounds.Dual | None = None,
    claim: bounds.Claim | None = None,
    known: bounds.Bound | None = None,
    target: Target | None = None,
    target_gap: float = 0.0,
    stopped: str = "a selection from outside",
    **about: Any,
) -> Solution:
    """Recompute the value and cost of a selection, and bound how much better another could be.

    Parameters
    ----------
    problem : CoverageProblem
    selected : labels or indices of sets, or a Solution
        In any order. An array of whole numbers holds indices, as ``solution.selected`` does.
    bound : {"dual", "quick", "trivial"}
        "quick" looks at the residual gains of this selection and at the dual point that was given,
        if any; one pass over the edges. "dual" also improves a dual point of the linear relaxation,
        which takes about a hundred passes and is usually far tighter. "trivial" is the weight of
        everything, for when there is no time at all.
    dual : Dual, optional
        A dual point that the solver already has.
    claim : Claim, optional
        An upper bound that an outside solver proved, with its name.
    known : Bound, optional
        A bound of this problem that `maxcover.engine.core.bounds` has evaluated before.
    target : Target, optional
        The weight to cover, for `cover`. The dual point or the claim then bounds the cost from
        below, and the budget is ignored.
    target_gap : float
        The gap that counts as good enough for the status "within gap".
    stopped, **about
        Fields of the Solution: ``stopped``, ``method``, ``seconds``, ``trace``,
        ``info``.

    Returns
    -------
    Solution

    Raises
    ------
    InfeasibleError
        The selection breaks a limit, misses the target, or lacks a required set or holds a
        forbidden one.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets([[1, 2], [2, 3, 4], [4]], costs=[1, 2, 1], budget=2)
    >>> certify(problem, [1])
    Solution(1 sets, value 3, cost 2, upper bound 3, gap 0.000%, optimal)
    """
    chosen = distinct(problem.names[0].find(selected))
    value, cost = exact_value(problem, chosen), exact_total(problem.costs[chosen])
    labels = problem.set_labels
    most = problem.budget if target is None else math.inf
    others = problem.limits.budgets(chosen)
    unfit = "" if chosen.size or target is not None else nothing_fits(problem)
    about |= {
        "problem": problem,
        "budgets": ((problem.budget_name, min(cost, most), most), *others) if others else (),
        "stopped": unfit or stopped,
        "labels": None if labels is None else tuple(labels[index] for index in chosen),
    }
    if target is None:
        check_feasible(problem, chosen)
        best = best_bound(problem, chosen, value, how=bound, known=known, dual=dual, claim=claim)
        dual, by = best.dual, best.by
        about |= {
            "tree": claim.tree if claim is not None and by == claim.by else None,
            # The cost fits in ticks, so any excess here is floating-point rounding.
            "cost": min(cost, problem.budget),
            "upper_bound": best.value,
            "status": status_of(problem, value, best.value, target_gap),
        }
    else:
        problem = capped(problem, cost)
        check_feasible(problem, chosen)
        if not target.is_met(chosen):
            raise InfeasibleError(
                f"expected a selection that covers {wording.number(target.needed)}, got one that "
                f"covers {wording.number(value)}"
            )
        least, by = least_cost(problem, target, cost, dual=dual, claim=claim)
        about |= {
            "tree": claim.tree if claim is not None and by == claim.by else None,
            "cost": cost,
            "lower_bound": least,
            "target": target.needed,
            "share": None if target.share is None else float(target.share),
            "status": cost_status(problem, cost, least, target_gap),
        }
    return Solution(
        selected=validation.frozen(chosen),
        value=value,
        bound_by=by,
        dual=dual and dual._replace(shares=validation.frozen(dual.shares)),
        **about,
    )


def exact_total(numbers: Floats) -> float:
    """Return the sum of `numbers`, added up in extended precision."""
    return float(np.sum(numbers, dtype=np.longdouble))


def exact_value(problem: CoverageProblem, chosen: Int64s) -> float:
    """Return the value of the sets `chosen`, added up in extended precision."""
    return exact_total(problem.won(chosen))


def check_feasible(problem: CoverageProblem, chosen: Int64s) -> None:
    """Raise InfeasibleError for the first limit or requirement that a selection breaks."""
    inside = set(chosen.tolist()) if problem.required.size or problem.forbidden.size else set()
    for index in problem.required.tolist():
        if index not in inside:
            raise InfeasibleError(
                f"expected the required set {problem.label(index)!r} to be selected"
            )
    for index in problem.forbidden.tolist():
        if index in inside:
            raise InfeasibleError(f"expected no forbidden set, got {problem.label(index)!r}")
    if broken := problem.violation(chosen):
        raise InfeasibleError(f"expected a selection within the limits: {broken}")
