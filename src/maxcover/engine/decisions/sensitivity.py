"""Sensitivity: what a selection loses if the weights are wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from maxcover.engine.core import validation
from maxcover.engine.core.limits import NO_LIMITS
from maxcover.engine.core.solution import exact_value, relative_gap
from maxcover.engine.core.wording import percent
from maxcover.engine.decisions.decision import (
    SOLVED_SETS,
    Frequencies,
    changes,
    listed,
    solution_of,
)
from maxcover.engine.solvers.control import Until
from maxcover.engine.solvers.solve import solve
from maxcover.errors import OptionError
from maxcover.ground.options import checked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Solution
    from maxcover.engine.solvers.effort import EffortName
    from maxcover.ground.array_types import Floats
    from maxcover.ground.options import row


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Sensitivity(Frequencies):
    """How much a selection loses when the weights change at random, over many draws.

    Attributes
    ----------
    problem : CoverageProblem
    solution : Solution
        The selection that was tested.
    losses_at_least, losses_at_most : array of float, one for each draw
        The share of the best value that the selection loses: compared with the best selection
        found for the drawn weights, and compared with the upper bound for them.
    frequencies : array of float, one for each set
        The share of draws in which the set is in the best selection that was found.
    steadiest : Solution
        The selection with the largest mean value over all draws, and so the least mean loss,
        certified for the mean of the drawn weights.
    asked : int
        Number of draws asked for; more than ``len(found)`` if the time limit ended them.
    """

    _picture = "plot_sensitivity"

    losses_at_least: Floats
    losses_at_most: Floats
    steadiest: Solution
    asked: int

    def __len__(self) -> int:
        return len(self.losses_at_most)

    def __iter__(self) -> Iterator[tuple[Any, float]]:
        """Yield (set, share of draws that choose it), the most frequent first."""
        sets = self.sets
        return zip(self._labels(sets), self.frequencies[sets].tolist(), strict=True)

    def __repr__(self) -> str:
        return (
            f"Sensitivity({len(self)} draws, loss at most {self.losses_at_most.max():.2%}, on "
            f"average at most {self.losses_at_most.mean():.2%})"
        )

    def _sentences(self) -> list[str]:
        most, mean = percent(self.losses_at_most.max()), percent(self.losses_at_most.mean())
        kept = int((self.losses_at_least <= 0).sum())
        lines = [
            f"Over {len(self)} draws of the weights the selection loses at most {most}, "
            f"and at most {mean} on average. In {kept} draws no better selection was found."
        ]
        if self.always:
            lines.append(f"Chosen in every draw: {listed(self.always)}.")
        some = [f"{label} ({percent(share)})" for label, share in self if share < 1]
        if some:
            lines.append(f"Chosen in some draws: {listed(some)}.")
        other = changes(self.problem, self.solution.selected, self.steadiest.selected)
        steadiest = f"if {other}" if other else "by this selection"
        lines.append(f"Least is lost over all draws {steadiest}.")
        return lines

    def _facts(self) -> dict[str, Any]:
        return {
            "draws": len(self),
            "asked": self.asked,
            "loss_at_most": float(self.losses_at_most.max()),
            "mean_loss_at_most": float(self.losses_at_most.mean()),
            "steadiest": self.steadiest.to_dict(),
        }


@checked
def sensitivity(
    problem: CoverageProblem,
    solution: Solution | Any = None,
    *,
    spread: Annotated[float, row.number("Each weight varies by up to this share.", 0, 1)] = 0.1,
    n: Annotated[int, row.whole("Number of random draws of the weights.", 1)] = 100,
    samples: Annotated[
        ArrayLike | None,
        row.data("Your own weights instead of random ones, one row per draw.", list[list[float]]),
    ] = None,
    effort: EffortName | None = None,
    time_limit: float | None = 10.0,
    seed: int = 0,
) -> Sensitivity:
    """Draw the weights many times; return how much a selection loses and how often sets are chosen.

    Parameters
    ----------
    problem : CoverageProblem
        Minima of value are ignored in the draws, because they depend on the weights.
    solution : Solution, or labels or indices of sets, optional
        The selection to test; the best one by default.
    spread : float
        Each weight is multiplied by a random number between 1 - spread and 1 + spread.
    n : int
        Number of draws.
    samples : array of float, shape (n, n_elements), optional
        Weights of each draw, instead of random ones.
    effort : {"fast", "normal", "thorough"}, optional
        How hard the search for the best selection of a draw tries. By default "normal" for up to
        200 sets, which proves most draws, else "fast".
    time_limit : float, optional
        Seconds after which no further draw is made: the answer is about the draws made so far, of
        which there is at least one, and says how many were asked for. None for no limit.
    seed : int

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> sets = {"a": [1, 2, 3], "b": [4, 5], "c": [5, 6], "d": [1]}
    >>> found = sensitivity(CoverageProblem.from_sets(sets, budget=2), n=20)
    >>> dict(found)["a"], bool(found.losses_at_most.max() < 0.1)
    (1.0, True)
    """
    until = Until.after(time_limit)
    chosen = solution_of(problem, solution, seed=seed, callback=until)
    if samples is None:
        size = (n, problem.n_elements)
        factors = np.random.default_rng(seed).uniform(1 - spread, 1 + spread, size)
        samples = factors * problem.weights
    weights = np.asarray(samples, dtype=np.float64)
    if weights.ndim != 2 or weights.shape[1] != problem.n_elements or not len(weights):
        raise OptionError(
            f"expected samples to have one row per draw and {problem.n_elements} columns, one per "
            f"element, got an array of shape {weights.shape}"
        )
    effort = effort or ("normal" if problem.n_sets <= SOLVED_SETS else "fast")
    free = replace(problem, floors=NO_LIMITS)
    counts = np.zeros(problem.n_sets)
    losses = np.empty((2, len(weights)))
    for k, row in enumerate(weights):
        drawn = replace(free, weights=row)
        best = solve(drawn, start=chosen.selected, effort=effort, seed=seed, callback=until)
        counts[best.selected] += 1
        value = exact_value(drawn, chosen.selected)
        losses[:, k] = [relative_gap(value, most) for most in (best.value, best.upper_bound)]
        if until.left < 0:
            break
    asked, weights, losses = len(weights), weights[: k + 1], losses[:, : k + 1]
    return Sensitivity(
        problem=problem,
        solution=chosen,
        losses_at_least=validation.frozen(losses[0]),
        losses_at_most=validation.frozen(losses[1]),
        frequencies=validation.frozen(counts / len(weights)),
        steadiest=solve(
            replace(free, weights=weights.mean(axis=0)),
            start=chosen.selected,
            seed=seed,
            callback=until,
        ),
        asked=asked,
        unfinished=(
            f"The time limit left {asked - len(weights)} of {asked} draws undone."
            if len(weights) < asked
            else ""
        ),
    )
