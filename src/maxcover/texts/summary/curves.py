"""Curves: what other budgets would buy, each with the sentences that it may choose from."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.solution import status_of
from maxcover.engine.core.validation import frozen
from maxcover.engine.core.wording import amount, certificate_among
from maxcover.engine.solvers.curve import BudgetCurve, budget_curve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.solvers.curve import Point
    from maxcover.texts.summary.pose import Pose


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SummaryCurve(BudgetCurve):
    """A budget curve of summaries: value, bound and certificate for each budget.

    Attributes
    ----------
    certificates : tuple of str
        What is proven of each point, and among how many candidates.
    """

    certificates: tuple[str, ...]


def compared_with(pose: Pose, budget: float) -> str:
    """Describe, for the certificate, the selections for which the bound holds."""
    unit = pose.corpus.unit
    size = amount(budget, unit.name)
    fits = f"within {size}" if unit.additive else f"whose sizes add up to at most {size}"
    rules = ["the title"] if pose.title(budget).size else []
    if pose.required.size or pose.limits:
        rules.append("the limits")
    return f"{fits} that keeps {' and '.join(rules)}" if rules else fits


def count_candidates(problem: CoverageProblem) -> int:
    """Count the sentences that may be chosen, required ones included."""
    return int(problem.choosable.sum()) + int(problem.required.size)


def curve_of(
    pose: Pose,
    budgets: Sequence[float],
    *,
    solved: CoverageProblem,
    known: Point,
    time_limit: float | None,
) -> SummaryCurve:
    """Solve the problem of a corpus for many budgets, each with its own candidates.

    A small budget has fewer candidates (only sentences that are understood alone) than a large one.
    So a curve is computed for each set of candidates, from the largest budget down, and the curves
    are joined. `known` is the answer of the problem `solved`; the curve passes through it.
    """
    end = np.inf if time_limit is None else time.perf_counter() + time_limit
    joint = pose.corpus.unit.joint
    apart = solved.limits.stated.get("conflicts", ())
    posed = {size: pose.problem(size, apart) for size in set(budgets)}

    def rules(size: float) -> tuple[list[int], list[int]]:
        return posed[size].forbidden.tolist(), posed[size].required.tolist()

    points: list[Point] = []
    said: list[str] = []
    sizes = sorted(posed, reverse=True)
    for _, group in groupby(sizes, key=rules):
        if points and time.perf_counter() > end:
            break
        wanted = [*group]
        within = posed[wanted[0]].with_budget(max(solved.budget, wanted[0] + joint))
        left = None if time_limit is None else max(0.0, end - time.perf_counter())
        found = list(budget_curve(within, [w + joint for w in wanted[::-1]], time_limit=left))
        found = [_print(pose, point) for point in found]
        same = np.array_equal(within.required, solved.required)
        if same and np.array_equal(within.forbidden, solved.forbidden):
            found = _through(known, found)
        points = found + points
        said = [_certificate(pose, within, point) for point in found] + said
        if len(found) < len(wanted):  # the time limit was reached
            break
    return SummaryCurve(
        budgets=frozen(np.array([point.budget for point in points]) - joint),
        values=frozen(np.array([point.value for point in points])),
        costs=frozen(np.maximum([point.cost - joint for point in points], 0.0)),
        upper_bounds=frozen(np.array([point.upper_bound for point in points])),
        selections=tuple(point.selected for point in points),
        witnesses=tuple(point.witness for point in points),
        certificates=tuple(said),
        missing=tuple(size for size in sizes[::-1] if size < points[0].budget - joint),
    )


def _print(pose: Pose, point: Point) -> Point:
    """Return a point with the sentences that its sets print."""
    printed = pose.printed(point.selected)
    cost = float(pose.corpus.costs[printed].sum())
    return point._replace(selected=printed, cost=cost)


def _through(known: Point, points: list[Point]) -> list[Point]:
    """Make points with the same candidates consistent with the known answer."""
    found = []
    for point in points:
        # Tolerance for rounding: the same weights summed in another order differ in the last digit.
        at_most = point.value <= known.value * (1 + 1e-12)
        best = known if point.budget >= known.budget and at_most else point
        bounds = [(one.upper_bound, one.witness) for one in (point, known)]
        if point.budget == known.budget:
            bound, witness = bounds[1]
        else:
            bound, witness = (min if point.budget < known.budget else max)(bounds)
        bound = max(bound, best.value)
        found.append(best._replace(budget=point.budget, upper_bound=bound, witness=witness))
    return found


def _certificate(pose: Pose, problem: CoverageProblem, point: Point) -> str:
    within = problem.with_budget(point.budget)
    return certificate_among(
        count_candidates(within),
        len(pose.corpus),
        status=status_of(within, point.value, point.upper_bound),
        gap=point.gap,
        within=compared_with(pose, point.budget - pose.corpus.unit.joint),
        by=point.witness,
        chosen=len(point.selected),
    )
