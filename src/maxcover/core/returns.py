"""What elements give: once, by how many chosen sets hold them, by the best one, or by chance.

An element of weight w gives w times a number that depends on the chosen sets that hold it:

- COUNT: the sum of the first k steps of its curve where k sets hold it. ``[1]`` is coverage,
  ``[0, 1]`` needs two sets, ``[1, 0.5]`` has diminishing returns.
- BEST: the largest strength among its chosen edges, as in facility location.
- CHANCE: ``1 - prod(1 - strength)``, the probability that one of its chosen edges works.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core import tables, validation
from maxcover.core.ascending import is_new
from maxcover.core.ticks import common_unit
from maxcover.core.validation import some
from maxcover.errors import ProblemError
from maxcover.kernels.dual import row_sums as set_sums

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from maxcover.core.labels import Labels
    from maxcover.core.problem import CoverageProblem

    Floats = NDArray[np.float64]
    Int32s = NDArray[np.int32]
    Int64s = NDArray[np.int64]
    Int8s = NDArray[np.int8]
    Mask = NDArray[np.bool_]

COUNT, BEST, CHANCE = range(3)
# What an element gives by the number of sets, as a multiple of its weight; 1 for the first set.
CURVES: dict[str, Callable[[Any], Any]] = {"sqrt": np.sqrt, "log": lambda sets: np.log2(1.0 + sets)}


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
        for c in range(len(indptr) - 1):
            own = steps[indptr[c] : indptr[c + 1]]
            if bool((np.diff(own) > 0).any()) and bool(own[:-1].any()):
                raise ProblemError(
                    "expected steps that do not rise, or zeros and one last step, got "
                    f"{own[:8].tolist()}"
                )
        strength = validation.numbers(self.strength, "strength")
        if (
            strength.size
            and bool((of == -2).any())
            and strength.max() > 1
            and bool((of != -1).all())
        ):
            raise ProblemError(f"expected probabilities up to 1, got {strength.max():g}")
        if bool((of < 0).any()) and len(strength) != n_edges:
            raise ProblemError(f"expected a strength per edge, {n_edges}, got {len(strength)}")
        return Returns(
            of=validation.frozen(of.astype(np.int32)),
            indptr=validation.frozen(indptr),
            steps=steps,
            strength=strength,
        )

    @cached_property
    def most(self) -> float:
        """No element gives more than this many times its weight."""
        curves = np.add.reduceat(self.steps, self.indptr[:-1])
        return float(max(curves.max(initial=1.0), self.strength.max(initial=1.0)))


def unit_of(returns: Returns, weight_unit: float | None) -> float | None:
    """Return the unit of what elements give where weights are multiples of one; None without."""
    if weight_unit is None or bool((returns.of == -2).any()):
        return None
    factors = returns.steps
    if bool((returns.of == -1).any()):
        factors = np.concatenate((factors, returns.strength))
    unit = common_unit(factors)
    return None if unit is None else unit * weight_unit


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
    if not returns.of.size:
        lengths, starts = np.ones(problem.n_elements, np.int64), np.zeros(problem.n_elements, int)
    else:
        curve = np.maximum(returns.of, 0)
        lengths = np.minimum(np.diff(returns.indptr)[curve], np.maximum(problem.degrees, 1))
        lengths = np.where(returns.of < 0, 1, lengths)
        starts = returns.indptr[curve]
    indptr = np.append(0, np.cumsum(lengths)).astype(np.int64)
    places = np.arange(int(indptr[-1])) + np.repeat(starts - indptr[:-1], lengths)
    weights = np.where(returns.of < 0, 0.0, problem.weights) if returns.of.size else problem.weights
    steps = np.repeat(weights, lengths) * returns.steps[places]
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


def with_once(returns: Returns, places: Int64s, n_more: int) -> Returns:
    """Return what it is with elements more that give once, at new edges before `places`."""
    if not returns.of.size:
        return returns
    strength = returns.strength
    return Returns(
        of=np.append(returns.of, np.full(n_more, len(returns.indptr) - 1)).astype(np.int32),
        indptr=np.append(returns.indptr, returns.indptr[-1] + 1),
        steps=np.append(returns.steps, 1.0),
        strength=np.insert(strength, places, 1.0) if bool((returns.of < 0).any()) else strength,
    )


def returns_of(
    edges: tuple[NDArray[Any], NDArray[Any]],
    graph: tuple[Int64s, Int32s],
    labels: tuple[Labels, Labels],
    **asked: Any,
) -> Returns:
    """Read what elements give from the options of a constructor, of which one may be given.

    They are ``need``, ``returns``, ``chance`` and ``best``; the last two may go with returns by
    element, which say for which elements they count.
    """
    said = [name for name, value in asked.items() if value is not None]
    n_elements = labels[1].count
    returns = _by_element(asked["returns"], labels[1])
    if len(said) > 1 and not (len(said) == 2 and returns is not None and "need" not in said):
        raise ProblemError(f"expected one of {', '.join(asked)}, got {' and '.join(said)}")
    if not said:
        return ONCE
    degrees = np.bincount(graph[1], minlength=n_elements)
    if asked["need"] is not None:
        needs = _needs(labels[1].align(asked["need"], "need", default=1), degrees)
        return needing(needs) if needs.size else ONCE
    longest = int(degrees.max(initial=1))
    chance = asked["chance"]
    if returns is None and _is_one(chance) and 0 <= chance <= 1:
        # one chance for all: the k-th set adds what the others have missed
        curve = chance * (1.0 - chance) ** np.arange(longest)
        asked = {**asked, "returns": curve, "chance": None}
    edge = next((name for name in ("chance", "best") if asked[name] is not None), "")
    strength = _strength(edge, asked[edge], edges, labels) if edge else validation.NO_NUMBERS
    if returns is not None:
        return _mixed(returns, longest, strength)
    if edge:
        of = np.full(n_elements, -1 if edge == "best" else -2, dtype=np.int32)
        return Returns(of=of, indptr=ONCE.indptr, steps=ONCE.steps, strength=strength)
    steps = _curve(asked["returns"], longest)
    of = np.zeros(n_elements, dtype=np.int32)
    return Returns(of=of, indptr=np.array([0, len(steps)]), steps=steps, strength=strength)


def _is_one(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _by_element(returns: Any, elements: Labels) -> list[Any] | None:
    """Return what is said of each element; None where one thing is said of all."""
    if isinstance(returns, Mapping):
        return list(elements.align(returns, "returns", default=None))
    if not isinstance(returns, list) or not any(
        one is None or isinstance(one, str | list | tuple) for one in returns
    ):
        return None
    if len(returns) != elements.count:
        raise ProblemError(
            f"returns needs {elements.count} entries, one per element; it has {len(returns)}"
        )
    return returns


def _mixed(each: list[Any], longest: int, strength: Floats) -> Returns:
    """Return the curves of elements that give in different ways."""
    kinds = {"best": -1, "chance": -2}
    numbers: dict[tuple[float, ...], int] = {}
    of = []
    for one in each:
        if isinstance(one, str) and one in kinds:
            of.append(kinds[one])
            continue
        steps = (1.0,) if one is None else tuple(_curve(one, longest, rising=True).tolist())
        of.append(numbers.setdefault(steps, len(numbers)))
    if not strength.size and min(of, default=0) < 0:
        raise ProblemError("expected best or chance together with returns that ask for them")
    curves = list(numbers) or [(1.0,)]
    return Returns(
        of=np.array(of, dtype=np.int32),
        indptr=np.append(0, np.cumsum([len(steps) for steps in curves])),
        steps=np.concatenate([np.array(steps) for steps in curves]),
        strength=strength,
    )


def _strength(
    name: str,
    values: Any,
    edges: tuple[NDArray[Any], NDArray[Any]],
    labels: tuple[Labels, Labels],
) -> Floats:
    """Return the strength of each edge of the graph; of edges that are there twice the larger."""
    if isinstance(values, str):
        raise ProblemError(
            f"expected {name} to be a number from 0 to 1, got the text {values!r}; for 80 % write "
            "0.8, and name a column in from_table"
        )
    given = _of_edges(name, values, edges, labels)
    array = np.full(len(edges[0]), given) if np.ndim(given) == 0 else np.asarray(given)
    strength = validation.numbers(array, name)
    if len(strength) != len(edges[0]):
        raise ProblemError(
            f"{name} needs {len(edges[0])} numbers, one per edge; it has {len(strength)}; for one "
            f"per set, pass {name}={{set: number, ...}}"
        )
    if name == "chance" and strength.size and strength.max() > 1:
        raise ProblemError(f"expected chance between 0 and 1, got {strength.max():g}")
    pairs = edges[0].astype(np.int64) * max(labels[1].count, 1) + edges[1]
    order = np.argsort(pairs, kind="stable")
    starts = np.flatnonzero(is_new(pairs[order]))
    return np.maximum.reduceat(strength[order], starts) if starts.size else strength


def _of_edges(
    name: str,
    values: Any,
    edges: tuple[NDArray[Any], NDArray[Any]],
    labels: tuple[Labels, Labels],
) -> Any:
    """Return the number of each edge, from one by set, by element or by both."""
    given = tables.named_values(values)
    if given is None:
        nested = isinstance(values, list) and any(isinstance(one, list | tuple) for one in values)
        return [one for own in values for one in own] if nested else values
    keys, held = given
    by_set, by_element = (all(key in side.positions for key in keys) for side in labels)
    rows, columns = (side.tolist() for side in edges)
    if by_set and any(isinstance(own, Mapping | list | tuple) for own in held):
        own = labels[0].align(values, name, default={})
        if not any(isinstance(one, Mapping) for one in own):
            return [one for numbers in own for one in numbers]
        called = labels[1].names or range(labels[1].count)
        return [own[i].get(called[a], 0.0) for i, a in zip(rows, columns, strict=True)]
    if by_set == by_element:
        raise ProblemError(
            f"expected {name} by set or by element, got labels of "
            f"{'both' if by_set else 'neither'}: {some(keys)}; write {{set: {{element: number}}}}"
        )
    each = labels[0 if by_set else 1].align(values, name)
    return [each[k] for k in (rows if by_set else columns)]


def _needs(need: Any, degrees: Int64s) -> Int32s:
    """Check how many sets each element needs; empty where one is enough for all.

    A need of more sets than hold the element is of one set more than those: a curve has a step for
    each set, and takes memory.
    """
    column = np.full(degrees.size, need) if np.ndim(need) == 0 else np.asarray(need)
    array = validation.edge_column(column, "need")
    if array.size != degrees.size:
        raise ProblemError(
            f"need needs {degrees.size} numbers, one per element; it has {array.size}"
        )
    if array.size and int(array.min()) < 1:
        raise ProblemError(
            f"expected need to be at least 1 for every element, got {int(array.min())}"
        )
    least = np.minimum(array, degrees + 1).astype(np.int32)
    return validation.NO_GROUPS if bool((least == 1).all()) else least


def _curve(returns: Any, longest: int, *, rising: bool = False) -> Floats:
    """Return the steps of a curve that a caller named or listed; zeros and one step may rise."""
    sets = np.arange(longest + 1.0)
    if isinstance(returns, str):
        if returns not in CURVES:
            raise ProblemError(
                f"expected returns to be {', '.join(CURVES)} or a decreasing sequence, got "
                f"{returns!r}"
            )
        return np.diff(CURVES[returns](sets))
    steps = validation.numbers(returns, "returns")
    if rising and steps.size and not steps[:-1].any():
        return steps
    if not steps.size or bool((np.diff(steps) > 0).any()):
        raise ProblemError(
            "expected returns to be a sequence that does not rise, such as [1, 0.5], got "
            f"{steps[:8].tolist()}"
        )
    return steps[: max(longest, 1)]


def given(problem: CoverageProblem, selected: ArrayLike, *, unweighted: bool = False) -> Floats:
    """Return what each element gives for a selection; `unweighted`, what its weight is times."""
    returns = problem.returns
    chosen = np.asarray(selected, dtype=np.int64)
    if not chosen.size:
        return np.zeros(problem.n_elements)
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
    if bool((returns.of == -1).any()):
        best = np.zeros(problem.n_elements)
        np.maximum.at(best, held, returns.strength[edges])
        share = np.where(returns.of == -1, best, share)
    if bool((returns.of == -2).any()):
        with np.errstate(divide="ignore"):
            missed = np.log1p(-np.minimum(returns.strength[edges], 1.0))
        fails = np.bincount(held, missed, problem.n_elements)
        share = np.where(returns.of == -2, -np.expm1(fails), share)
    return share if unweighted else problem.weights * share


def gains(problem: CoverageProblem, selected: ArrayLike, sets: ArrayLike) -> Floats:
    """Return what each of `sets` adds to the selected sets other than itself.

    For a selected set this is what would be lost without it.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> gains(CoverageProblem.from_sets([[1, 2], [2, 3, 4], [4, 5]], budget=2), [0, 1], [0, 1, 2])
    array([1., 2., 1.])
    """
    chosen, asked = (np.asarray(given, dtype=np.int64) for given in (selected, sets))
    held, n = validation.positions_of(problem.indptr, chosen), problem.n_elements
    is_chosen = np.zeros(problem.n_sets, dtype=bool)
    is_chosen[chosen] = True
    counts = np.bincount(problem.indices[held], minlength=n)
    indptr, steps = problem.steps
    last = np.diff(indptr) - 1
    # what one more set adds to each element, and what the last of its sets added
    further, latest = (
        np.where((k >= 0) & (k <= last), steps[indptr[:-1] + np.clip(k, 0, last)], 0.0)
        for k in (counts, counts - 1)
    )
    if not problem.strength.size:
        sums = np.zeros((2, problem.n_sets))
        for each, total in zip((further, latest), sums, strict=True):
            set_sums(problem.indptr, problem.indices, each, total)
        summed: Floats = np.where(is_chosen, sums[1], sums[0])[asked]
        return summed
    edges = validation.positions_of(problem.indptr, asked)
    at, strength = problem.indices[edges], problem.strength[edges]
    owners = np.repeat(np.arange(asked.size), np.diff(problem.indptr)[asked])
    own, kind = is_chosen[asked][owners], problem.kind[at]
    chosen_edges, asked_edges = (problem.indices[held], problem.strength[held]), (at, strength)
    best = strength - _best_of_others(chosen_edges, asked_edges, own, n)
    first = strength * _others_fail(chosen_edges, asked_edges, own, n)
    rise = problem.weights[at] * np.where(kind == BEST, np.maximum(best, 0.0), first)
    gain = np.where(kind == COUNT, np.where(own, latest[at], further[at]), rise)
    # of nothing, a bincount is whole numbers
    return np.bincount(owners, gain, asked.size).astype(np.float64, copy=False)


def _best_of_others(
    chosen: tuple[Int32s, Floats], asked: tuple[Int32s, Floats], own: Mask, n_elements: int
) -> Floats:
    """Return the largest strength of chosen edges at each asked edge's element but its own.

    Edges are given by element and strength; `own` says which asked ones are chosen.
    """
    (held, strengths), (at, strength) = chosen, asked
    best, second = np.zeros(n_elements), np.zeros(n_elements)
    order = np.lexsort((-strengths, held))
    held, strengths = held[order], strengths[order]
    is_first = is_new(held)
    is_second = np.append(False, is_first[:-1])[: held.size] & ~is_first
    best[held[is_first]], second[held[is_second]] = strengths[is_first], strengths[is_second]
    return np.where(own & (strength >= best[at]), second[at], best[at])


def _others_fail(
    chosen: tuple[Int32s, Floats], asked: tuple[Int32s, Floats], own: Mask, n_elements: int
) -> Floats:
    """Return the chance that all chosen edges at each asked edge's element but its own fail."""
    (held, strengths), (at, strength) = chosen, asked

    def parts(values: Floats) -> tuple[Mask, Floats]:
        sure = values >= 1.0
        return sure, np.log1p(-np.where(sure, 0.0, values))

    sure, missed = parts(strengths)
    own_sure, own_missed = parts(strength)
    total = np.bincount(held, missed, n_elements)[at] - own * own_missed
    n_sure = np.bincount(held, sure, n_elements)[at] - (own & own_sure)
    return np.where(n_sure > 0, 0.0, np.exp(np.minimum(total, 0.0)))
