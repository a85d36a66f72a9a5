"""What happens if the weights are wrong: `sensitivity`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core import validation
from maxcover.core.limits import NO_FLOORS
from maxcover.core.solution import exact_value
from maxcover.core.wording import percent
from maxcover.decisions.asked import solution_of
from maxcover.decisions.decision import Decision, changes, listed
from maxcover.errors import OptionError
from maxcover.options import checked
from maxcover.solvers.solve import solve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.core.solution import Solution
    from maxcover.solvers.effort import EffortName

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Sensitivity(Decision):
    """How a selection fares when the weights are drawn again and again.

    Attributes
    ----------
    problem : CoverageProblem
    solution : Solution
        The selection that was looked at.
    values, best, upper_bounds : array of float, one for each draw
        What the selection is worth; what the best selection is worth that was found for these
        weights; and what none is worth more than.
    frequencies : array of float, one for each set
        The share of draws in which the set is in the best selection that was found.
    steadiest : Solution
        The selection with the largest mean value over all draws, and so the least mean loss,
        certified for the mean of the drawn weights.
    """

    _picture = "plot_sensitivity"

    problem: CoverageProblem
    solution: Solution
    values: Floats
    best: Floats
    upper_bounds: Floats
    frequencies: Floats
    steadiest: Solution

    @property
    def losses_at_most(self) -> Floats:
        """The share of the best value that the selection loses at most, in each draw."""
        return _lost(self.values, self.upper_bounds)

    @property
    def losses_at_least(self) -> Floats:
        """The share that it loses at least, in each draw."""
        return _lost(self.values, self.best)

    @property
    def _order(self) -> list[int]:
        """The sets that are chosen in some draw, or in the solution; the most frequent first."""
        held = self.frequencies > 0
        held[self.solution.selected] = True
        sets = np.flatnonzero(held)
        found: list[int] = sets[np.argsort(-self.frequencies[sets], kind="stable")].tolist()
        return found

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[tuple[Any, float]]:
        """Give sets and how often they are chosen, the most frequent first."""
        return ((self.problem.label(i), float(self.frequencies[i])) for i in self._order)

    def __repr__(self) -> str:
        return (
            f"Sensitivity({len(self)} draws, loss at most {self.losses_at_most.max():.2%}, on "
            f"average at most {self.losses_at_most.mean():.2%})"
        )

    def _sentences(self) -> list[str]:
        most, mean = percent(self.losses_at_most.max()), percent(self.losses_at_most.mean())
        kept = int((self.losses_at_least <= 0).sum())
        lines = [
            f"Over {len(self)} draws of the weights the selection loses at most {most}, and at "
            f"most {mean} on average. In {kept} draws no better selection was found."
        ]
        always = [label for label, share in self if share == 1]
        if always:
            lines.append(f"Chosen in every draw: {listed(always)}.")
        some = [f"{label} ({percent(share)})" for label, share in self if share < 1]
        if some:
            lines.append(f"Chosen in some draws: {listed(some)}.")
        other = changes(self.problem, self.solution.selected, self.steadiest.selected)
        lines.append(f"Least is lost over all draws {other or 'by this selection'}.")
        return lines

    def _columns(self) -> dict[str, Any]:
        sets = np.array(self._order, dtype=np.int64)
        chosen = np.isin(sets, self.solution.selected)
        return self._named(sets) | {"chosen": chosen, "frequency": self.frequencies[sets]}

    def _facts(self) -> dict[str, Any]:
        losses = self.losses_at_most
        return {
            "draws": len(self),
            "loss_at_most": float(losses.max()),
            "mean_loss_at_most": float(losses.mean()),
            "steadiest": self.steadiest.to_dict(),
        }


@checked
def sensitivity(
    problem: CoverageProblem,
    solution: Solution | Any = None,
    *,
    spread: float = 0.1,
    n: int = 100,
    samples: ArrayLike | None = None,
    effort: EffortName = "fast",
    seed: int = 0,
) -> Sensitivity:
    """Draw the weights again and again, and see what a selection loses and which sets stay.

    Parameters
    ----------
    problem : CoverageProblem
        Minima of value are left out of the draws: they are about weights that vary here.
    solution : Solution, or labels or indices of sets, optional
        The selection to look at; the best one by default.
    spread : float
        Each weight is drawn between 1 - spread and 1 + spread times what it is.
    n : int
        How many draws.
    samples : array of float, shape (n, n_elements), optional
        Weights of each draw, instead of random ones.
    effort : {"fast", "normal", "thorough"}
        How hard the search for the best selection of a draw tries.
    seed : int

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> sets = {"a": [1, 2, 3], "b": [4, 5], "c": [5, 6], "d": [1]}
    >>> found = sensitivity(CoverageProblem.from_sets(sets, budget=2), n=20)
    >>> dict(found)["a"], bool(found.losses_at_most.max() < 0.1)
    (1.0, True)
    """
    chosen = solve(problem, seed=seed) if solution is None else solution_of(problem, solution)
    weights = _drawn(problem, spread, n, seed) if samples is None else _given(problem, samples)
    counts = np.zeros(problem.n_sets, dtype=np.int64)
    free = replace(problem, floors=NO_FLOORS)
    found = []
    for row in weights:
        drawn = replace(free, weights=row)
        one = solve(drawn, start=chosen.selected, effort=effort, seed=seed)
        counts[one.selected] += 1
        value = exact_value(drawn, chosen.selected)
        found.append((value, max(one.value, value), max(one.upper_bound, value)))
    values, best, limits = (
        validation.frozen(np.array(column)) for column in zip(*found, strict=True)
    )
    mean = replace(free, weights=weights.mean(axis=0))
    return Sensitivity(
        problem=problem,
        solution=chosen,
        values=values,
        best=best,
        upper_bounds=limits,
        frequencies=validation.frozen(counts / len(weights)),
        steadiest=solve(mean, start=chosen.selected, seed=seed),
    )


def _drawn(problem: CoverageProblem, spread: float, n: int, seed: int) -> Floats:
    factors = np.random.default_rng(seed).uniform(1 - spread, 1 + spread, (n, problem.n_elements))
    return factors * problem.weights


def _given(problem: CoverageProblem, samples: ArrayLike) -> Floats:
    rows = np.asarray(samples, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != problem.n_elements or not len(rows):
        raise OptionError(
            f"expected samples to have one row per draw and {problem.n_elements} columns, one per "
            f"element, got an array of shape {rows.shape}"
        )
    return rows


def _lost(values: Floats, best: Floats) -> Floats:
    return np.where(best > 0, (best - values) / np.maximum(best, 1e-300), 0.0)
