"""Returns: the value that an element gives, depending on which chosen sets hold it.

An element of weight w gives w times a number that depends on the chosen sets that hold it:

- COUNT: the sum of the first k steps of its curve where k sets hold it. ``[1]`` is coverage,
  ``[0, 1]`` needs two sets, ``[1, 0.5]`` has diminishing returns.
- BEST: the largest strength among its chosen edges, as in facility location.
- CHANCE: ``1 - prod(1 - strength)``, the probability that one of its chosen edges works.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core import tables, validation
from maxcover.engine.core.ascending import is_new
from maxcover.engine.core.ticks import common_unit
from maxcover.engine.core.validation import some
from maxcover.errors import ProblemError
from maxcover.ground.options.row import is_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maxcover.engine.core.labels import Labels
    from maxcover.ground.array_types import AnyArray, Floats, Int32s, Int64s, Mask

    Int8s = NDArray[np.int8]
    # The sets and the elements of all edges; the labels of all sets and of all elements.
    Edges = tuple[AnyArray, AnyArray]
    Sides = tuple[Labels, Labels]

COUNT, BEST, CHANCE = range(3)
# Named curves: value of an element by its number of chosen sets, as a multiple of its weight.
CURVES: dict[str, Callable[[Any], Any]] = {"sqrt": np.sqrt, "log": lambda sets: np.log2(1.0 + sets)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Returns:
    """How the value of each element depends on the chosen sets that hold it.

    Attributes
    ----------
    of : array of int32, length n_elements, or empty
        The curve of each element; -1 for BEST and -2 for CHANCE. Empty for plain coverage.
    indptr : array of int64, length n_curves + 1
    steps : array of float64
        What one more set adds, for each curve; at least 0. Sets after the last step add 0.
    strength : array of float64, one for each edge, or empty
        Similarities of BEST, at least 0, and probabilities of CHANCE.
    """

    of: Int32s = field(default_factory=lambda: validation.NO_GROUPS)
    indptr: Int64s = field(default_factory=lambda: np.array([0, 1]))
    steps: Floats = field(default_factory=lambda: np.ones(1))
    strength: Floats = field(default_factory=lambda: validation.NO_NUMBERS)

    def __post_init__(self) -> None:
        validation.freeze(self, of=np.int32, indptr=np.int64, steps=np.float64, strength=np.float64)

    @cached_property
    def most(self) -> float:
        """The largest value that any element can give, as a multiple of its weight."""
        curves = np.add.reduceat(self.steps, self.indptr[:-1])
        return float(max(curves.max(initial=1.0), self.strength.max(initial=1.0)))

    @cached_property
    def kind(self) -> Int8s:
        """COUNT, BEST or CHANCE for each element; empty for plain coverage."""
        found = np.zeros(self.of.size, dtype=np.int8)
        found[self.of == -1] = BEST
        found[self.of == -2] = CHANCE
        return validation.frozen(found)

    def unit(self, weight_unit: float | None) -> float | None:
        """Return the unit of all values, given the unit of weights; None if there is none."""
        if weight_unit is None or bool((self.of == -2).any()):
            return None
        factors = self.steps
        if bool((self.of == -1).any()):
            factors = np.concatenate((factors, self.strength))
        unit = common_unit(factors)
        return None if unit is None else unit * weight_unit

    def steps_of(self, weights: Floats, degrees: Int64s) -> tuple[Int64s, Floats]:
        """Return the weight that each further set adds to an element, as CSR (indptr, steps).

        An element has at most as many steps as sets hold it. Other kinds than COUNT have one step
        of 0.
        """
        if not self.of.size:
            return validation.frozen(np.arange(weights.size + 1)), weights
        curve = np.maximum(self.of, 0)
        lengths = np.minimum(np.diff(self.indptr)[curve], np.maximum(degrees, 1))
        lengths = np.where(self.of < 0, 1, lengths)
        indptr = np.append(0, np.cumsum(lengths)).astype(np.int64)
        places = np.arange(int(indptr[-1])) + np.repeat(self.indptr[curve] - indptr[:-1], lengths)
        steps = np.repeat(np.where(self.of < 0, 0.0, weights), lengths) * self.steps[places]
        return validation.frozen(indptr), validation.frozen(steps)

    def shares(self, held: Int32s, edges: Int64s, n_elements: int) -> Floats:
        """Return the value of each element, as a multiple of its weight, for the chosen edges.

        Parameters
        ----------
        held, edges : array
            The element of each chosen edge, and the index of that edge among all edges.
        n_elements : int
        """
        counts = np.bincount(held, minlength=n_elements)
        if not self.of.size:
            return np.where(counts > 0, 1.0, 0.0)
        curve = np.maximum(self.of, 0)
        # ``totals[j]`` is the sum of the steps of a curve up to and including step j
        totals = np.concatenate([np.cumsum(own) for own in np.split(self.steps, self.indptr[1:-1])])
        lengths = np.diff(self.indptr)[curve]
        last = self.indptr[curve] + np.minimum(counts, lengths) - 1
        share = np.where(counts > 0, totals[last], 0.0)
        if bool((self.of == -1).any()):
            best = np.zeros(n_elements)
            np.maximum.at(best, held, self.strength[edges])
            share = np.where(self.of == -1, best, share)
        if bool((self.of == -2).any()):
            with np.errstate(divide="ignore"):
                missed = np.log1p(-np.minimum(self.strength[edges], 1.0))
            fails = np.bincount(held, missed, n_elements)
            share = np.where(self.of == -2, -np.expm1(fails), share)
        return share

    def arguments(self, n_elements: int, edges: Mask) -> dict[str, Any]:
        """Return constructor arguments for these returns, for the first `n_elements` elements.

        `edges` is a mask of the edges of those elements.
        """
        of, strength = self.of[:n_elements], self.strength
        if not of.size:
            return {}
        strength = strength[edges] if strength.size else strength
        kinds = {*of.tolist()}
        if kinds == {-1}:
            return {"best": strength}
        if kinds == {-2}:
            return {"chance": strength}
        curves = [own.tolist() for own in np.split(self.steps, self.indptr[1:-1])]
        if len(kinds) == 1 and _is_returns(curves[(own := next(iter(kinds)))]):
            return {"returns": curves[own]}
        if min(kinds) < 0 or any(any(own[:-1]) or own[-1] != 1 for own in curves):
            raise ProblemError("expected returns of one kind, as a constructor makes them")
        return {"need": np.diff(self.indptr)[of]}


ONCE = Returns()


def _is_returns(steps: list[float]) -> bool:
    """Whether a curve was given as `returns`, which do not rise; that of a need ends with 1."""
    return steps[0] > 0 or not any(steps)


def _needing(needs: Int32s) -> Returns:
    """Return curves: element ``a`` gives its weight if ``needs[a]`` chosen sets hold it."""
    each, of = np.unique(needs, return_inverse=True)
    steps = np.zeros(int(each.sum()))
    steps[np.cumsum(each) - 1] = 1.0
    indptr = np.append(0, np.cumsum(each))
    return Returns(of=of.astype(np.int32), indptr=indptr, steps=steps)


def with_once(returns: Returns, places: Int64s, n_more: int) -> Returns:
    """Add `n_more` elements that give their weight once; edges are inserted before `places`."""
    if not returns.of.size or not n_more:
        return returns
    strength = returns.strength
    return Returns(
        of=np.append(returns.of, np.full(n_more, len(returns.indptr) - 1)),
        indptr=np.append(returns.indptr, returns.indptr[-1] + 1),
        steps=np.append(returns.steps, 1.0),
        strength=np.insert(strength, places, 1.0) if bool((returns.of < 0).any()) else strength,
    )


def returns_of(edges: Edges, graph: tuple[Int64s, Int32s], labels: Sides, **asked: Any) -> Returns:
    """Read the returns from the constructor options need, returns, chance and best: one of them."""
    said = [name for name, value in asked.items() if value is not None]
    if len(said) > 1:
        raise ProblemError(f"expected one of {', '.join(asked)}, got {' and '.join(said)}")
    if not said or not labels[1].count:  # without elements nothing gives returns
        return ONCE
    name, value, n_elements = said[0], asked[said[0]], labels[1].count
    degrees = np.bincount(graph[1], minlength=n_elements)
    if name == "need":
        needs = _needs(labels[1].align(value, "need", default=1), degrees)
        return _needing(needs) if needs.size else ONCE
    longest = int(degrees.max(initial=1))
    if name == "chance" and is_number(value) and 0 <= value <= 1:
        # If all edges have the same chance, the k-th set counts only if all earlier ones failed.
        name, value = "returns", float(value) * (1.0 - float(value)) ** np.arange(longest)
    if name == "returns":
        steps = _curve(value, longest)
        of, indptr = np.zeros(n_elements, dtype=np.int32), np.array([0, len(steps)])
        return Returns(of=of, indptr=indptr, steps=steps)
    of = np.full(n_elements, -1 if name == "best" else -2, dtype=np.int32)
    return Returns(of=of, strength=_strength(name, value, edges, labels))


def _strength(name: str, values: Any, edges: Edges, labels: Sides) -> Floats:
    """Return the strength of each edge of the graph; for duplicate edges, the largest."""
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
        most = float(strength.max())
        raise ProblemError(
            f"expected chance between 0 and 1, got {most:g}; for {most:g} % write {most / 100:g}"
        )
    pairs = edges[0].astype(np.int64) * max(labels[1].count, 1) + edges[1]
    order = np.argsort(pairs, kind="stable")
    starts = np.flatnonzero(is_new(pairs[order]))
    return np.maximum.reduceat(strength[order], starts) if starts.size else strength


def _of_edges(name: str, values: Any, edges: Edges, labels: Sides) -> Any:
    """Return one number per edge, from numbers given by set, by element or by both."""
    given = tables.named_values(values)
    if given is None:
        nested = isinstance(values, list) and any(isinstance(one, list | tuple) for one in values)
        return [one for own in values for one in own] if nested else values
    keys, held = given
    n_of_sets, n_of_elements = (sum(key in side.positions for key in keys) for side in labels)
    by_set, by_element = n_of_sets == len(keys), n_of_elements == len(keys)
    if not (by_set or by_element) and n_of_sets != n_of_elements:  # a label is misspelt: raise
        labels[0 if n_of_sets > n_of_elements else 1].align(values, name)
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
    """Check and return how many sets each element needs; empty if all need one.

    If an element needs more sets than hold it, the need is lowered to their number plus one,
    because a curve has one step per set and takes memory.
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


def _curve(returns: Any, longest: int) -> Floats:
    """Return the steps of a curve, given by name or as numbers; steps must not increase."""
    sets = np.arange(longest + 1.0)
    if isinstance(returns, str):
        if returns not in CURVES:
            raise ProblemError(
                f"expected returns to be {', '.join(CURVES)} or a decreasing sequence, got "
                f"{returns!r}"
            )
        return np.diff(CURVES[returns](sets))
    steps = validation.numbers(returns, "returns")
    if not steps.size or bool((np.diff(steps) > 0).any()):
        raise ProblemError(
            "expected returns to be a sequence that does not rise, such as [1, 0.5], got "
            f"{steps[:8].tolist()}"
        )
    return steps[: max(longest, 1)]
