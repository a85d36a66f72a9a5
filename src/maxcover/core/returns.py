"""What elements give: once, by how many chosen sets hold them, by the best one, or by chance.

An element of weight w gives w times a number that depends on the chosen sets that hold it:

- COUNT: the sum of the first k steps of its curve where k sets hold it. ``[1]`` is coverage,
  ``[0, 1]`` needs two sets, ``[1, 0.5]`` has diminishing returns.
- BEST: the largest strength among its chosen edges, as in facility location.
- CHANCE: ``1 - prod(1 - strength)``, the probability that one of its chosen edges works.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maxcover.core import validation
from maxcover.errors import ProblemError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from maxcover.core.problem import CoverageProblem

    Floats = NDArray[np.float64]
    Int32s = NDArray[np.int32]
    Int64s = NDArray[np.int64]
    Int8s = NDArray[np.int8]

COUNT, BEST, CHANCE = range(3)


@dataclass(frozen=True, eq=False, kw_only=True)
class Returns:
    """How each element gives.

    Attributes
    ----------
    of : array of int32, length n_elements, or empty
        The curve of each element; -1 for BEST and -2 for CHANCE. Empty where all give once.
    indptr : array of int64, length n_curves + 1
    steps : array of float64
        What one more set adds, for each curve; at least 0, and 0 after the last.
    strength : array of float64, one for each edge, or empty
        Similarities of BEST, at least 0, and probabilities of CHANCE.
    """

    of: Int32s
    indptr: Int64s
    steps: Floats
    strength: Floats

    def checked(self, n_elements: int, n_edges: int) -> Returns:
        """Return the same, checked against the size of the problem."""
        of = np.asarray(self.of)
        if not of.size:
            return ONCE
        if of.shape != (n_elements,) or of.dtype.kind not in "iu":
            raise ProblemError(f"expected a curve for each of {n_elements} elements, got {of.size}")
        indptr = np.asarray(self.indptr).astype(np.int64)
        steps = validation.numbers(self.steps, "steps")
        if (
            not indptr.size
            or indptr[0] != 0
            or indptr[-1] != len(steps)
            or bool((np.diff(indptr) < 1).any())
        ):
            raise ProblemError("expected at least one step in every curve of returns")
        if int(of.min()) < -2 or int(of.max()) >= len(indptr) - 1:
            raise ProblemError(
                f"expected curves between -2 and {len(indptr) - 2}, got {of.min()} to {of.max()}"
            )
        strength = validation.numbers(self.strength, "strength")
        if bool((of < 0).any()) and len(strength) != n_edges:
            raise ProblemError(f"expected a strength per edge, {n_edges}, got {len(strength)}")
        return Returns(
            of=validation.frozen(of.astype(np.int32)),
            indptr=validation.frozen(indptr),
            steps=steps,
            strength=strength,
        )


ONCE = Returns(
    of=validation.NO_GROUPS,
    indptr=validation.frozen(np.array([0, 1])),
    steps=validation.frozen(np.ones(1)),
    strength=validation.NO_NUMBERS,
)


def kinds(returns: Returns) -> Int8s:
    """Return COUNT, BEST or CHANCE for each element; empty where all give once."""
    found = np.zeros(returns.of.size, dtype=np.int8)
    found[returns.of == -1] = BEST
    found[returns.of == -2] = CHANCE
    return validation.frozen(found)


def steps_of(problem: CoverageProblem) -> tuple[Int64s, Floats]:
    """Return what one more set adds to each element of kind COUNT, in weight, row by row.

    No longer than as many sets as hold the element; of one step for other kinds, which is 0.
    """
    returns = problem.returns
    degrees = np.diff(problem.transpose[0])
    if not returns.of.size:
        lengths, starts = np.ones(problem.n_elements, np.int64), np.zeros(problem.n_elements, int)
    else:
        curve = np.maximum(returns.of, 0)
        lengths = np.minimum(np.diff(returns.indptr)[curve], np.maximum(degrees, 1))
        lengths = np.where(returns.of < 0, 1, lengths)
        starts = returns.indptr[curve]
    indptr = np.append(0, np.cumsum(lengths)).astype(np.int64)
    owner = np.repeat(np.arange(problem.n_elements), lengths)
    place = np.arange(int(indptr[-1])) - indptr[owner]
    steps = problem.weights[owner] * returns.steps[starts[owner] + place]
    if returns.of.size:
        steps[returns.of[owner] < 0] = 0.0
    return validation.frozen(indptr), validation.frozen(steps)


def needing(needs: Int32s) -> Returns:
    """Return the curves of elements that give nothing before as many sets as they need."""
    each, of = np.unique(needs, return_inverse=True)
    steps = np.zeros(int(each.sum()))
    steps[np.cumsum(each) - 1] = 1.0
    indptr = np.append(0, np.cumsum(each)).astype(np.int64)
    return Returns(
        of=of.astype(np.int32), indptr=indptr, steps=steps, strength=validation.NO_NUMBERS
    )


def given(problem: CoverageProblem, selected: ArrayLike, *, unweighted: bool = False) -> Floats:
    """Return what each element gives for a selection; `unweighted`, what its weight is times."""
    returns = problem.returns
    chosen = np.asarray(selected, dtype=np.int64)
    edges = validation.positions_of(problem.indptr, chosen)
    held = problem.indices[edges]
    counts = np.bincount(held, minlength=problem.n_elements)
    if not returns.of.size:
        return np.where(counts > 0, 1.0 if unweighted else problem.weights, 0.0)
    totals = np.zeros(len(returns.steps) + 1)
    curve = np.maximum(returns.of, 0)
    # sums within each curve, at the place of their last step
    for c in range(len(returns.indptr) - 1):
        inside = slice(returns.indptr[c], returns.indptr[c + 1])
        totals[inside] = np.cumsum(returns.steps[inside])
    lengths = np.diff(returns.indptr)[curve]
    last = returns.indptr[curve] + np.minimum(counts, lengths) - 1
    share = np.where(counts > 0, totals[last], 0.0)
    if returns.strength.size:
        strength = returns.strength[edges]
        best = np.zeros(problem.n_elements)
        np.maximum.at(best, held, strength)
        with np.errstate(divide="ignore"):
            fails = np.bincount(held, np.log1p(-np.minimum(strength, 1.0)), problem.n_elements)
        share = np.where(returns.of == -1, best, share)
        share = np.where(returns.of == -2, -np.expm1(fails), share)
    return share if unweighted else problem.weights * share
