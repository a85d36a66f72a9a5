"""Curves: what other budgets would buy, each with the sentences that it may choose from."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.ascending import difference, union
from maxcover.engine.core.solution import status_of
from maxcover.engine.core.validation import frozen
from maxcover.engine.core.wording import all_of, amount, certificate_among
from maxcover.engine.solvers.curve import BudgetCurve, budget_curve
from maxcover.texts.summary.dates import order_by_date
from maxcover.texts.summary.story import find_left_out, find_story
from maxcover.texts.summary.worth import find_worth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.solvers.curve import Point
    from maxcover.texts.weigh.corpus import Corpus


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SummaryCurve(BudgetCurve):
    """A budget curve of summaries: value, bound and certificate for each budget.

    Attributes
    ----------
    certificates : tuple of str
        What is proven of each point, and among how many candidates.
    """

    certificates: tuple[str, ...]


def compared_with(
    corpus: Corpus, problem: CoverageProblem, budget: float, story: Sequence[int]
) -> str:
    """Describe, for the certificate, the selections for which the bound holds."""
    size = amount(budget, corpus.unit.name)
    fits = f"within {size}" if corpus.unit.additive else f"whose sizes add up to at most {size}"
    held = int(np.count_nonzero(np.isin(problem.required, story)))
    rules = []
    if held:
        rules.append(all_of(held, "sentences", "main"))
    if problem.required.size > held or len(problem.limits):
        rules.append("the limits")
    return f"{fits} that keeps {' and '.join(rules)}" if rules else fits


def count_candidates(problem: CoverageProblem) -> int:
    """Count the sentences that may be chosen, required ones included."""
    return int(problem.choosable.sum()) + int(problem.required.size)


def curve_of(
    corpus: Corpus,
    problem: CoverageProblem,
    budgets: Sequence[float],
    *,
    forbidden: NDArray[np.int64],
    story: Sequence[int],
    known: Point,
    time_limit: float | None,
) -> SummaryCurve:
    """Solve the problem of a corpus for many budgets, each with its own candidates.

    A small budget has fewer candidates (only sentences that are understood alone) than a large one.
    So a curve is computed for each set of candidates, from the largest budget down, and the curves
    are joined. `known` is the answer for the budget of the problem; the curve passes through it.
    Each budget has the story that `summarize` finds for it; `story` is that of the known answer.
    """
    worth = find_worth(corpus) if story else np.zeros(len(corpus))
    end = np.inf if time_limit is None else time.perf_counter() + time_limit
    joint = corpus.unit.joint
    own = difference(problem.required, np.array(sorted(story), np.int64))
    order = order_by_date(corpus.documents)

    def rules(budget: float) -> tuple[list[int], list[int]]:
        held = own
        for one in find_story(corpus, worth, budget, order=order, out=forbidden) if story else ():
            more = union(held, [one])
            fits = float(problem.costs[more].sum()) - joint <= budget
            if fits and (problem.is_plain or not problem.rows.broken(more)):
                held = more
        candidates = corpus.candidates(budget, forbidden)
        below = np.flatnonzero(~candidates)
        if story:
            below = union(below, find_left_out(corpus, worth, story=held.tolist(), budget=budget))
        return difference(union(forbidden, below), held).tolist(), held.tolist()

    points: list[Point] = []
    said: list[str] = []
    sizes = sorted(set(budgets), reverse=True)
    for (out, held), group in groupby(sizes, key=rules):
        if points and time.perf_counter() > end:
            break
        wanted = [size + joint for size in group]
        within = replace(
            problem,
            budget=max(problem.budget, *wanted),
            forbidden=np.array(out, np.int64),
            required=np.array(held, np.int64),
        )
        left = None if time_limit is None else max(0.0, end - time.perf_counter())
        found = list(budget_curve(within, wanted[::-1], time_limit=left))
        same = np.array_equal(within.required, problem.required)
        if same and np.array_equal(within.forbidden, problem.forbidden):
            found = _through(known, found)
        points = found + points
        told = difference(within.required, own).tolist()
        said = [_certificate(corpus, within, point, told) for point in found] + said
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
    )


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


def _certificate(
    corpus: Corpus, problem: CoverageProblem, point: Point, story: Sequence[int]
) -> str:
    within = problem.with_budget(point.budget)
    return certificate_among(
        count_candidates(within),
        len(corpus),
        status=status_of(within, point.value, point.upper_bound),
        gap=point.gap,
        within=compared_with(corpus, within, point.budget - corpus.unit.joint, story),
        by=point.witness,
    )
