"""Curve: the value that each of many budgets can reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.engine.core import notebook, validation
from maxcover.engine.core.ascending import distinct
from maxcover.engine.core.solution import relative_gap
from maxcover.engine.solvers.control import Until
from maxcover.engine.solvers.solve import solve
from maxcover.errors import OptionError
from maxcover.ground.options import checked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from maxcover.engine.core.problem import CoverageProblem


class Point(NamedTuple):
    """The result for one budget of a curve."""

    budget: float
    value: float
    cost: float
    upper_bound: float
    selected: NDArray[np.int64]
    witness: str = ""
    """The solver that claims the bound, such as HiGHS; empty if a dual point proves it."""

    @property
    def gap(self) -> float:
        """The fraction of the upper bound by which the value falls short of it."""
        return relative_gap(self.value, self.upper_bound)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class BudgetCurve(notebook.Tabular):
    """Value, upper bound and selection for each of many budgets.

    Iterating gives one `Point` per budget: budget, value, cost, upper_bound, selected.

    Attributes
    ----------
    budgets : array of float
        As they were asked for.
    values, costs, upper_bounds : array of float
        A larger budget never has a smaller value or bound.
    selections : tuple of arrays of int
        The chosen sets, ascending.
    witnesses : tuple of str
        Whose word each bound is, such as HiGHS; empty where a dual point proves it.
    missing : tuple of float
        Budgets that the time limit left out, all smaller than the others.
    """

    budgets: NDArray[np.float64]
    values: NDArray[np.float64]
    costs: NDArray[np.float64]
    upper_bounds: NDArray[np.float64]
    selections: tuple[NDArray[np.int64], ...]
    witnesses: tuple[str, ...]
    missing: tuple[float, ...] = ()

    @property
    def gaps(self) -> NDArray[np.float64]:
        """For each budget, the fraction of the upper bound by which the value falls short of it."""
        return np.array([point.gap for point in self])

    def __len__(self) -> int:
        return len(self.budgets)

    def __iter__(self) -> Iterator[Point]:
        rows = (self.budgets, self.values, self.costs, self.upper_bounds)
        lists = (column.tolist() for column in rows)
        return map(Point, *lists, self.selections, self.witnesses)

    def __repr__(self) -> str:
        last = f" to {self.budgets.max():g}" if len(self) > 1 else ""
        return (
            f"{type(self).__name__}({len(self)} budgets, {self.budgets.min():g}{last}, "
            f"values up to {self.values.max():g}, gaps up to {self.gaps.max():.2%}"
            f"{f', {len(self.missing)} left out by the time limit' * bool(self.missing)})"
        )

    def _columns(self) -> dict[str, Any]:
        return {
            "budget": self.budgets,
            "value": self.values,
            "cost": self.costs,
            "upper_bound": self.upper_bounds,
            "gap": self.gaps,
        }

    def plot(self, **options: Any) -> Any:
        """Draw values and bounds; options as in `maxcover.plots.plot_curve`."""
        return notebook.call_above("maxcover.plots", "plot_curve", self, **options)


@checked
def budget_curve(
    problem: CoverageProblem,
    budgets: Sequence[float | str],
    *,
    seed: int = 0,
    time_limit: float | None = 10.0,
) -> BudgetCurve:
    """Solve the same problem for many budgets, in about the time of a few single solutions.

    Parameters
    ----------
    problem : CoverageProblem
        Its own budget plays no part; required and forbidden sets and group limits hold at every
        point.
    budgets : sequence of float or str
        In any order; a text is a share of all costs, such as "50%".
    seed : int
    time_limit : float, optional
        Seconds; None for no limit. Points are computed from the largest budget down, and one that
        is not through by this time is left out (`missing`). The largest is always there.
        A curve that is complete in time does not depend on the limit.

    Returns
    -------
    BudgetCurve
        One row per budget, in the order given. A larger budget never has a smaller value or
        bound. The largest budget is solved
        as `solve` does it; the others start from their neighbours, so a point may be a little
        below what `solve` finds for it alone.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets([[1, 2], [3], [3, 4, 5]], costs=[1, 1, 3], budget=1)
    >>> budget_curve(problem, [1, 2, 4]).values
    array([2., 3., 5.])
    """
    asked = np.array([validation.budget(one, problem.costs, "budgets") for one in budgets])
    sizes = distinct(asked)
    if not sizes.size:
        raise OptionError("expected budgets to have at least one, got none")
    until = Until.after(time_limit)
    top = solve(problem.with_budget(float(sizes[-1])), seed=seed, callback=until)
    values, chosen = [top.value], [top.selected]
    limits = [(top.upper_bound, top.witness)]
    for size in sizes[-2::-1].tolist():
        if until.left < 0:
            break
        here = solve(
            problem.with_budget(size), seed=seed, effort="fast", start=chosen[-1], callback=until
        )
        # a stopped search depends on the clock: drop its result
        if until.left < 0:
            break
        values.append(here.value)
        # A bound for a larger budget also holds for this smaller one.
        limits.append(min((here.upper_bound, here.witness), limits[-1]))
        chosen.append(here.selected)
    sizes = sizes[-len(values) :]
    missing, asked = tuple(asked[asked < sizes[0]].tolist()), asked[asked >= sizes[0]]
    row = np.searchsorted(sizes, asked)
    found = np.array(values[::-1])
    # If a smaller budget has a higher value, its selection is used for the larger budget too.
    is_largest = found >= np.maximum.accumulate(found)
    best = np.maximum.accumulate(np.where(is_largest, np.arange(found.size), 0))[row]
    chosen = [chosen[::-1][k] for k in best.tolist()]
    bounds = [limits[::-1][k] for k in row.tolist()]
    return BudgetCurve(
        budgets=validation.frozen(asked),
        values=validation.frozen(found[best]),
        costs=validation.frozen(np.array([float(problem.costs[sets].sum()) for sets in chosen])),
        upper_bounds=validation.frozen(np.array([bound for bound, _ in bounds])),
        selections=tuple(validation.frozen(sets) for sets in chosen),
        witnesses=tuple(witness for _, witness in bounds),
        missing=missing,
    )
