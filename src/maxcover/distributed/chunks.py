"""Chunks of a graph: some elements with all their edges, and what is computed on them.

A chunk never changes. Everything that is asked of it is a function of numbers that the driver
sends (one per set), and every sum that leaves it is exact: a whole multiple of one quantum, below
2**53 of them. So no answer depends on how elements are spread over chunks, partitions and hosts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.errors import ProblemError
from maxcover.kernels.dual import column_sums, row_sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Int32s = NDArray[np.int32]
    Int64s = NDArray[np.int64]
    Bytes = NDArray[np.uint8]
    Ask = Callable[[Iterable["Chunk"]], "Sums"]

# What is decided of a set.
OPEN, FIXED, DROPPED = 0, 1, 2
# A fractional selection travels in two bytes per set: multiples of this.
STEP = 2.0**-15
# Edges of a chunk: half a megabyte. Java handles larger arrays apart from all others.
CHUNK_EDGES = 1 << 17


class Chunk(NamedTuple):
    """Some elements: ids, weights, and the places of their sets, ascending for each element.

    `base` are numbers that add up to the weight of elements that fixed sets cover; such elements
    are not in the chunk.
    """

    ids: Int64s
    weights: Floats
    indptr: Int64s
    indices: Int32s
    base: Floats


class Sums(NamedTuple):
    """What a question adds up: a number, as parts that are exact together, and one per set."""

    total: tuple[float, ...]
    per_set: Floats


class Edges(NamedTuple):
    """Rows of a table of edges: ids of elements, and places of sets."""

    elements: Int64s
    sets: Int32s


def exact_parts(numbers: Floats) -> tuple[float, ...]:
    """Return few numbers whose sum is exactly that of many.

    Examples
    --------
    >>> exact_parts(np.array([1e20, 1.0, -1e20]))
    (1.0,)
    """
    rest = numbers.tolist()
    parts: list[float] = []
    while part := math.fsum((*rest, *(-x for x in parts))):
        parts.append(part)
    return tuple(parts)


def places_of(ids: Int64s, wanted: Int64s, complaint: str) -> Int64s:
    """Return where ids are in an ascending list of all; an unknown one is an error.

    Examples
    --------
    >>> places_of(np.array([3, 5, 9]), np.array([9, 3]), "expected a known id")
    array([2, 0])
    """
    places = np.searchsorted(ids, wanted)
    unknown = places == ids.size
    unknown[~unknown] = ids[places[~unknown]] != wanted[~unknown]
    if unknown.any():
        raise ProblemError(f"{complaint}, got {wanted[unknown][0]}")
    return places


def build(edges: Edges, ids: Int64s, weights: Floats, status: Bytes) -> Iterator[Chunk]:
    """Make chunks of edges and elements, in any order; repeated edges count once.

    Edges of dropped sets are left out, and so are elements that fixed sets cover, that no set
    covers, or that weigh nothing.
    """
    order = np.argsort(ids, kind="stable")
    ids, weights = ids[order], weights[order]
    if (np.diff(ids) == 0).any():
        raise ProblemError("expected every element once in weights, got one twice")
    if not (np.isfinite(weights) & (weights >= 0.0)).all():
        raise ProblemError("expected finite weights of at least 0")
    rows = places_of(ids, edges.elements, "expected elements of edges to have a weight")
    keys = np.sort(rows * np.int64(status.size) + edges.sets)
    del rows
    first = np.ones(keys.size, dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    rows, sets = np.divmod(keys[first], max(status.size, 1))
    indptr = np.searchsorted(rows, np.arange(ids.size + 1))
    whole = Chunk(ids, weights, indptr, sets.astype(np.int32), np.empty(0))
    return cut(without(whole, status))


def without(chunk: Chunk, status: Bytes) -> Chunk:
    """Return what fixed and dropped sets leave of a chunk."""
    decided = status[chunk.indices]
    rows = np.repeat(np.arange(chunk.weights.size), np.diff(chunk.indptr))
    covered = np.zeros(chunk.weights.size, dtype=np.bool_)
    covered[rows[decided == FIXED]] = True
    degrees = np.bincount(rows[decided == OPEN], minlength=chunk.weights.size)
    keep = ~covered & (degrees > 0) & (chunk.weights > 0.0)
    kept = (decided == OPEN) & keep[rows]
    base = exact_parts(np.concatenate((chunk.base, chunk.weights[covered])))
    indptr = np.concatenate(([0], np.cumsum(degrees[keep])))
    return Chunk(chunk.ids[keep], chunk.weights[keep], indptr, chunk.indices[kept], np.array(base))


def cut(chunk: Chunk) -> Iterator[Chunk]:
    """Cut a chunk into chunks of about `CHUNK_EDGES` edges."""
    if chunk.base.size:
        none = np.empty(0, np.int64)
        yield Chunk(none, np.empty(0), np.zeros(1, np.int64), np.empty(0, np.int32), chunk.base)
    first, count = 0, chunk.weights.size
    while first < count:
        reach = chunk.indptr[first] + CHUNK_EDGES
        last = max(first + 1, int(np.searchsorted(chunk.indptr, reach, side="right")) - 1)
        start, end = chunk.indptr[first], chunk.indptr[last]
        yield Chunk(
            chunk.ids[first:last],
            chunk.weights[first:last],
            chunk.indptr[first : last + 1] - start,
            chunk.indices[start:end],
            np.empty(0),
        )
        first = last


def shares(chunk: Chunk, x: Floats, sharpness: float, quantum: float) -> Floats:
    """Return what elements pay to their sets, in quanta, against a fractional selection.

    An element that the selection covers once pays each of its sets an equal share; it pays the
    more the less it is covered, and the more steeply the larger `sharpness`. Any answer is a dual
    point: at least 0, at most the weight.
    """
    cover = np.empty(chunk.weights.size)
    row_sums(chunk.indptr, chunk.indices, x, cover)
    equal = chunk.weights / np.diff(chunk.indptr)
    wanted = equal * (1.0 - sharpness * (cover - 1.0))
    paid: Floats = np.floor(np.clip(wanted, 0.0, chunk.weights) / quantum)
    return paid


def sum_shares(packed: NDArray[np.uint16], sharpness: float, quantum: float) -> Ask:
    """Return the question what sets are paid, and what elements keep, in quanta."""

    def ask(chunks: Iterable[Chunk]) -> Sums:
        x = packed.astype(np.float64) * STEP
        per_set, kept = np.zeros(x.size), 0.0
        for chunk in chunks:
            paid = shares(chunk, x, sharpness, quantum)
            column_sums(chunk.indptr, chunk.indices, paid, per_set)
            kept += float(np.sum(np.ceil(chunk.weights / quantum) - paid))
        return Sums((kept,), per_set)

    return ask


def sum_gains(selected: NDArray[np.bool_], quantum: float) -> Ask:
    """Return the question what a selection covers, and what each set would add, in quanta."""

    def ask(chunks: Iterable[Chunk]) -> Sums:
        inside = selected.astype(np.float64)
        per_set = np.zeros(inside.size)
        value: tuple[float, ...] = ()
        for chunk in chunks:
            chosen = np.empty(chunk.weights.size)
            row_sums(chunk.indptr, chunk.indices, inside, chosen)
            covered = chosen > 0.0
            gain = np.where(covered, 0.0, np.floor(chunk.weights / quantum))
            column_sums(chunk.indptr, chunk.indices, gain, per_set)
            value = exact_parts(np.concatenate((value, chunk.base, chunk.weights[covered])))
        return Sums(value, per_set)

    return ask


def sum_edges(status: Bytes) -> Ask:
    """Return the question how many edges fixed and dropped sets leave, of each set."""

    def ask(chunks: Iterable[Chunk]) -> Sums:
        per_set = np.zeros(status.size)
        for chunk in chunks:
            left = without(chunk, status)
            per_set += np.bincount(left.indices, minlength=status.size)
        return Sums((), per_set)

    return ask


def sum_weights(chunks: Iterable[Chunk]) -> Sums:
    """Add up the weights of all elements that are left to win."""
    total: tuple[float, ...] = ()
    for chunk in chunks:
        total = exact_parts(np.concatenate((total, chunk.weights)))
    return Sums(total, np.empty(0))
