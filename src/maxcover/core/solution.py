"""Solution, and `certify`, the only place where one is made.

Solvers return indices. What they are worth, what they cost, whether they are allowed and how far
from the best possible they can be is computed here from the problem alone, so that the answers of
all solvers are comparable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from maxcover.core import bounds, demands, notebook, validation, wording
from maxcover.core.relaxation import best_bound
from maxcover.errors import InfeasibleError, OptionError
from maxcover.options import checked

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray

    from maxcover.core.problem import CoverageProblem

Status = Literal["optimal", "within gap", "heuristic", "unverified"]


class Step(NamedTuple):
    """One improvement: seconds from the start, by which part, value and bound from then on."""

    seconds: float
    part: str
    value: float
    bound: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution:
    """A selection of sets, certified.

    Attributes
    ----------
    selected : array of int64
        The chosen sets, ascending, read-only.
    value : float
        Weight of what they cover.
    cost : float
        What they cost together; never more than the budget.
    upper_bound : float
        No selection that keeps the limits covers more than this.
    gap : float
        ``(upper_bound - value) / upper_bound``: the value is at least ``1 - gap`` of the best
        possible.
    status : {"optimal", "within gap", "heuristic", "unverified"}
        Proven best: no selection is worth more, exactly where weights have a common unit, else to
        1e-9 of what is undecided. Proven within the target gap that was asked for. Neither. Or read
        from a file, and not yet checked by `verify`.
    stopped : str
        Why the solver stopped, in words.
    bound_by : str
        Which argument gives the upper bound.
    dual : Dual or None
        The dual point behind the bound, which `verify` checks. Where somebody else proved more,
        such as HiGHS, the best that is known.
    labels : tuple or None
        The labels of the chosen sets; None when the problem has no labels.
    method : str
        Who chose.
    seconds : float
        How long choosing and certifying took.
    trace : tuple of Step
        What was reached when.
    info : mapping
        What else the method has to say.
    """

    selected: NDArray[np.int64]
    value: float
    cost: float
    upper_bound: float
    status: Status
    stopped: str
    bound_by: str
    dual: bounds.Dual | None = None
    labels: tuple[Hashable, ...] | None = None
    method: str = ""
    seconds: float = 0.0
    trace: tuple[Step, ...] = ()
    info: Mapping[str, Any] = field(default_factory=dict)

    @property
    def gap(self) -> float:
        """How much of the upper bound is missing, from 0 (nothing) to 1 (all)."""
        return relative_gap(self.value, self.upper_bound)

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold; labels that JSON does not know are given as text.

        Examples
        --------
        >>> from maxcover import CoverageProblem, solve
        >>> problem = CoverageProblem.from_sets({"x": ["a", "b"], "y": ["b"]}, budget=1)
        >>> found = solve(problem).to_dict()
        >>> found["labels"], found["value"], found["status"]
        (['x'], 2.0, 'optimal')
        """
        return {
            "selected": self.selected.tolist(),
            "labels": plain_labels(self.labels),
            "value": self.value,
            "cost": self.cost,
            "upper_bound": self.upper_bound,
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
        """Return the chosen sets as a pandas DataFrame: ``set`` (index) and, if any, ``label``.

        Examples
        --------
        >>> from maxcover import CoverageProblem, solve
        >>> problem = CoverageProblem.from_sets({"x": ["a", "b"], "y": ["b"]}, budget=1)
        >>> solve(problem).to_pandas().to_dict("records")
        [{'set': 0, 'label': 'x'}]
        """
        return notebook.to_pandas(self._columns())

    def to_arrow(self) -> Any:
        """Return the same columns as a pyarrow Table."""
        return notebook.to_arrow(self._columns())

    def _columns(self) -> dict[str, Any]:
        labels = {} if self.labels is None else {"label": list(self.labels)}
        return {"set": self.selected, **labels}

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
        return wording.certificate(
            status=self.status,
            gap=self.gap,
            within="that keeps the limits",
            beats=f"covers more than {self.upper_bound:,.10g}",
        )

    def _repr_html_(self) -> str:
        chosen = list(self)[: notebook.SHOWN]
        words = f"{self.value:,.10g} of at most {self.upper_bound:,.10g}"
        return notebook.card(
            f"Solution: {len(self):,} sets, {self.status}",
            notebook.table(
                (),
                [
                    ["covered weight", notebook.bar(1 - self.gap, words)],
                    ["cost", f"{self.cost:,.10g}"],
                    ["method", f"{self.method} in {self.seconds:.3g} s; {self.stopped}"],
                    ["bound by", self.bound_by],
                ],
            ),
            notebook.paragraph(self.certificate),
            notebook.folded(
                "Chosen sets",
                notebook.table(["set"], [[str(one)] for one in chosen], total=len(self)),
            ),
        )

    def __repr__(self) -> str:
        return (
            f"Solution({len(self.selected)} sets, value {self.value:g}, cost {self.cost:g}, "
            f"upper bound {self.upper_bound:g}, gap {self.gap:.3%}, {self.status})"
        )


def plain_labels(labels: tuple[Hashable, ...] | None) -> list[Any] | None:
    """Return labels as JSON can hold them; those that it does not know are given as text."""
    if labels is None:
        return None
    plain = (str, int, float, bool, type(None))
    return [label if isinstance(label, plain) else str(label) for label in labels]


def relative_gap(value: float, bound: float) -> float:
    """Return what is missing to the bound, relative to the bound; all, to an infinite one."""
    if bound == math.inf:
        return 1.0
    return max(0.0, (bound - value) / bound) if bound > 0 else 0.0


def status_of(
    problem: CoverageProblem, value: float, bound: float, target_gap: float = 0.0
) -> Status:
    """Say what a bound proves of a value."""
    if bounds.proves(problem, value, bound):
        return "optimal"
    return "within gap" if relative_gap(value, bound) <= target_gap else "heuristic"


@checked
def certify(
    problem: CoverageProblem,
    selected: ArrayLike,
    *,
    bound: bounds.BoundName = "dual",
    dual: bounds.Dual | None = None,
    claim: bounds.Claim | None = None,
    known: bounds.Bound | None = None,
    target_gap: float = 0.0,
    stopped: str = "a selection from outside",
    **about: Any,
) -> Solution:
    """Recompute what a selection is worth and bound how much better another could be.

    Parameters
    ----------
    problem : CoverageProblem
    selected : array of int
        Indices of the chosen sets, in any order.
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
        A bound of this problem that `maxcover.core.bounds` has evaluated before.
    target_gap : float
        The gap that counts as good enough for the status "within gap".
    stopped, **about
        What a Solution says about itself: ``stopped``, ``method``, ``seconds``, ``trace``,
        ``info``.

    Returns
    -------
    Solution

    Raises
    ------
    InfeasibleError
        The selection breaks the budget or a group limit, or lacks a required set or holds a
        forbidden one.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets([[1, 2], [2, 3, 4], [4]], costs=[1, 2, 1], budget=2)
    >>> certify(problem, [1])
    Solution(1 sets, value 3, cost 2, upper bound 3, gap 0.000%, optimal)
    """
    if bound not in bounds.BOUNDS:
        raise OptionError(f"expected bound to be one of {', '.join(bounds.BOUNDS)}, got {bound!r}")
    chosen = validation.index_list(selected, "selected", problem.n_sets)
    check_feasible(problem, chosen)
    value = exact_total(problem.weights[problem.covered(chosen)])
    best = best_bound(problem, chosen, value, how=bound, known=known, dual=dual, claim=claim)
    labels = problem.set_labels
    return Solution(
        selected=validation.frozen(chosen),
        value=value,
        # in ticks it is within the budget; what is above it here is rounding
        cost=min(exact_total(problem.costs[chosen]), problem.budget),
        upper_bound=best.value,
        status=status_of(problem, value, best.value, target_gap),
        stopped=stopped,
        bound_by=best.by,
        dual=best.dual and best.dual._replace(shares=validation.frozen(best.dual.shares)),
        labels=None if labels is None else tuple(labels[index] for index in chosen),
        **about,
    )


def exact_total(numbers: NDArray[np.float64]) -> float:
    """Add up with more digits than the numbers have."""
    return float(np.sum(numbers, dtype=np.longdouble))


def check_feasible(problem: CoverageProblem, chosen: NDArray[np.int64]) -> None:
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
    if broken := problem.violation(chosen) or demands.shortfall(problem, chosen):
        raise InfeasibleError(f"expected a selection within the limits: {broken}")
