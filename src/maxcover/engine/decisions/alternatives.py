"""Alternatives: other selections that are nearly as good."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from maxcover.engine.core.ascending import difference
from maxcover.engine.core.gains import gains
from maxcover.engine.core.validation import frozen
from maxcover.engine.core.wording import number, percent
from maxcover.engine.decisions.decision import (
    SOLVED_SETS,
    Frequencies,
    certify_other,
    changes,
    has_minima,
    listed,
    solution_of,
)
from maxcover.engine.decisions.explanation import explain
from maxcover.engine.solvers.control import Until
from maxcover.engine.solvers.solve import solve
from maxcover.ground.options import checked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Solution
    from maxcover.engine.solvers.effort import EffortName
    from maxcover.ground.array_types import Floats, Int64s
    from maxcover.ground.options import row


# Searches for each alternative: the reward for unused sets is halved until the value is high
# enough, and then refined by bisection.
_SEARCHES = 12


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Alternatives(Frequencies):
    """Selections that are nearly as good as the best one but differ much; the best one first.

    Iterating gives the solutions.

    Attributes
    ----------
    problem : CoverageProblem
    solution : Solution
        The best of the selections.
    solutions : tuple of Solution
        All selections, each certified for the problem.
    within : float
        The share of the best value that each selection may lose.
    closest : Solution or None
        Of all other selections that were found on the way, the one that loses least.
    frequencies : array of float, one for each set
        The share of the selections that contain the set.
    """

    _picture = "plot_alternatives"

    solutions: tuple[Solution, ...]
    within: float
    closest: Solution | None

    @property
    def difference(self) -> float:
        """Mean number of sets of one selection that are not in another, over all pairs."""
        apart = [
            difference(one.selected, other.selected).size
            for one, other in permutations(self.solutions, 2)
        ]
        return float(np.mean(apart)) if apart else 0.0

    def __len__(self) -> int:
        return len(self.solutions)

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.solutions)

    def __repr__(self) -> str:
        return (
            f"Alternatives({len(self)} selections within {self.within:.2%}, {len(self.always)} "
            f"sets in all, {len(self.sometimes)} in some, {self.difference:.3g} sets apart)"
        )

    def _sentences(self) -> list[str]:
        best = self.solution
        names = listed(list(best)) or "no set"
        lines = [f"The best selection covers {number(best.value)}: {names}."]
        lines += [f"{self._loss(one)}." for one in self.solutions[1:]]
        if self.always:
            lines.append(f"In all of them: {listed(self.always)}.")
        if self.closest is not None and self.closest.value > max(
            (one.value for one in self.solutions[1:]), default=-1.0
        ):
            lines.append(f"These differ most. Closest to the best: {self._loss(self.closest)}.")
        return lines

    def _loss(self, other: Solution) -> str:
        """Return text: how much `other` loses against the best selection, and which sets change."""
        best = self.solution
        loss = percent(1 - other.value / best.value if best.value else 0.0)
        return f"{loss} less: {changes(self.problem, best.selected, other.selected)}"

    def _columns(self) -> dict[str, Any]:
        numbered = enumerate(self.solutions, start=1)
        return super()._columns() | {
            f"selection_{k}": np.isin(self.sets, one.selected) for k, one in numbered
        }

    def _facts(self) -> dict[str, Any]:
        return {
            "within": self.within,
            "solutions": [one.to_dict() for one in self.solutions],
            "closest": None if self.closest is None else self.closest.to_dict(),
        }


@checked
def alternatives(
    problem: CoverageProblem,
    solution: Solution | Any = None,
    *,
    within: Annotated[
        float, row.number("Share of the best value that an alternative may lose.", 0, 1)
    ] = 0.01,
    n: Annotated[int, row.whole("Number of selections, including the best one.", 1)] = 5,
    effort: EffortName = "fast",
    time_limit: float | None = 10.0,
    seed: int = 0,
) -> Alternatives:
    """Find selections that are nearly as good as the best one and differ much from each other.

    Parameters
    ----------
    problem : CoverageProblem
    solution : Solution, or labels or indices of sets, optional
        The best selection, if you have it; otherwise it is searched for.
    within : float
        The share of its value that another selection may lose.
    n : int
        How many selections to return, the best one included; fewer if no more are found.
    effort : {"fast", "normal", "thorough"}
        How hard each search tries. The best selection is searched for with "normal".
    time_limit : float, optional
        Seconds after which no further search begins: what was found is returned, and
        ``unfinished`` says so. None for no limit.
    seed : int

    Returns
    -------
    Alternatives
        Each selection is certified for the problem. ``closest`` is the selection found that loses
        least; it need not be among those returned. Each search rewards sets in proportion to their
        cost, and more if they have been in fewer selections; the reward is halved until the value
        is high enough. Up to 200 sets, forcing each set in or out adds further selections.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> sets = {"a": [1, 2, 3], "b": [3, 4], "c": [3, 4], "d": [1]}
    >>> found = alternatives(CoverageProblem.from_sets(sets, budget=2), n=3)
    >>> found.always, found.sometimes
    (('a',), ('b', 'c'))
    """
    until = Until.after(time_limit)
    best = solution_of(problem, solution, seed=seed, callback=until)
    found = [best]
    least = (1 - within) * best.value * (1 - 1e-12)
    forced: list[Int64s] = []
    seen: list[Int64s] = []
    if n > 1 and problem.n_sets <= SOLVED_SETS:
        left = max(0.0, until.left)
        others = explain(problem, best, effort=effort, time_limit=left, seed=seed).forced.values()
        forced = [one.selected for one in others if one.value >= least]
    while len(found) < n and until.left >= 0:
        old = [one.selected for one in found]
        used = _shares(problem, old)
        options: Any = {"effort": effort, "seed": seed + len(found)}
        near = [*forced, *_rewarded(problem, used, least, until=until, **options)]
        new = [_needed(problem, one) for one in near]
        new = [one for one in new if not any(np.array_equal(one, other) for other in old)]
        seen += new
        if not new:
            break
        chosen = min(new, key=lambda one: used[one].sum() - (1.0 - used[one]).sum())
        found.append(certify_other(best, chosen, "an alternative"))
    found.sort(key=lambda one: -one.value)
    seen = [one for one in seen if not np.array_equal(one, found[0].selected)]
    closest = max(seen, key=problem.value, default=None)
    return Alternatives(
        problem=problem,
        solution=found[0],
        solutions=tuple(found),
        within=float(within),
        closest=None if closest is None else certify_other(best, closest, "an alternative"),
        frequencies=frozen(_shares(problem, [one.selected for one in found])),
        unfinished=(
            f"The time limit ended the search with {len(found)} of {n} selections."
            if len(found) < n and until.left < 0
            else ""
        ),
    )


def _shares(problem: CoverageProblem, selections: list[Int64s]) -> Floats:
    """Return for each set the share of `selections` that contain it."""
    return np.bincount(np.concatenate(selections), minlength=problem.n_sets) / len(selections)


def _rewarded(
    problem: CoverageProblem,
    used: Floats,
    least: float,
    *,
    until: Until,
    **options: Any,
) -> Iterator[Int64s]:
    """Yield selections worth at least `least`, searched for with a reward for rarely used sets.

    Parameters
    ----------
    problem : CoverageProblem
    used : array of float
        The share of earlier selections that each set is in.
    least : float
        The smallest value of a selection, without the reward.
    until
        When it is over, no further search begins.
    options
        Options of each search.
    """
    costs = problem.costs if problem.costs.any() else np.ones(problem.n_sets)
    fresh = (1.0 - used) * costs
    sets = np.flatnonzero(problem.choosable & (fresh > 0))
    if not sets.size:
        return
    # Largest reward per unit of cost: the total weight divided by the cost of all used sets.
    high = float(problem.weights.sum()) / max(
        float(costs[used > 0].sum()), float(fresh[sets].min())
    )
    low = 0.0
    for _ in range(_SEARCHES):
        if until.left < 0:
            return
        tried = (low * high) ** 0.5 if low else high / 2
        other = problem.with_own_elements(sets, tried * fresh[sets])
        chosen = solve(other, bound="trivial", callback=until, **options).selected
        if problem.value(chosen) < least:
            high = tried
        else:
            low = tried
            yield chosen


def _needed(problem: CoverageProblem, selected: Int64s) -> Int64s:
    """Return `selected` without sets that add nothing, unless the problem has minima."""
    while not has_minima(problem):
        idle = np.flatnonzero(gains(problem, selected, selected) <= 0)
        idle = idle[~np.isin(selected[idle], problem.required)]
        if not idle.size:
            break
        selected = np.delete(selected, idle[-1])
    return selected
