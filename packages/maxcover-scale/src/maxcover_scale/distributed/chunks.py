"""Chunks of a graph: some elements with all their edges, and what is computed on them.

A chunk never changes. Everything that is asked of it is a function of numbers that the driver
sends (one per set), and every sum that leaves it is exact: a whole multiple of one quantum, below
2**53 of them. So no answer depends on how elements are spread over chunks, partitions and hosts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.engine.kernels.dual import column_sums, row_sums
from maxcover.errors import ProblemError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from maxcover.ground.array_types import AnyArray, Floats, Int32s, Int64s, Mask

    Bytes = NDArray[np.uint8]
    Ask = Callable[[Iterable["Chunk"]], "Sums"]

# Status of a set: undecided, chosen, or left out.
OPEN, FIXED, DROPPED = 0, 1, 2
# An LP value is sent in two bytes, as a multiple of this.
STEP = 2.0**-15
# Shares are sent in two bytes per element: 0 is nothing, and this number is the whole weight.
FULL = (1 << 16) - 1
# Edges per chunk: half a megabyte of indices. The JVM treats larger arrays differently.
CHUNK_EDGES = 1 << 17


class Chunk(NamedTuple):
    """Some elements of a graph: ids, weights and, as CSR arrays, the indices of their sets.

    A `nested` element also has all sets of the element before it. So an element that gives what the
    best of its k sets gives is k elements with k edges in all: what the best set gives beyond the
    second, what the second gives beyond the third, and so on (`nested_lists`). `base` are numbers
    that add up to the weight of elements that fixed sets cover; such elements are not in the chunk.
    """

    ids: Int64s
    weights: Floats
    indptr: Int64s
    indices: Int32s
    nested: Mask
    base: Floats


class Sums(NamedTuple):
    """Sums over chunks: a total, as floats whose sum is exact, and one number per set."""

    total: tuple[float, ...]
    per_set: Floats


class Given(NamedTuple):
    """The shares of elements by id, as fractions of their weight in units of 1 / `FULL`.

    Elements that are not listed pay their whole weight to each set. ``ids`` are ascending, or a
    range if nearly all numbers in it are ids of elements.
    """

    ids: Int64s | range
    parts: NDArray[np.uint16]

    @classmethod
    def of(cls, ids: Int64s, parts: NDArray[np.uint16]) -> Given:
        """Return shares in the form that is smaller to send: a range if the ids are dense.

        Examples
        --------
        >>> Given.of(np.array([3, 5]), np.array([7, 8], np.uint16))
        Given(ids=range(3, 6), parts=array([    7, 65535,     8], dtype=uint16))
        """
        first, last = (int(ids[0]), int(ids[-1])) if ids.size else (0, -1)
        if last - first >= 4 * ids.size:
            return cls(ids, parts)
        table = np.full(last - first + 1, FULL, np.uint16)
        table[ids - first] = parts
        return cls(range(first, last + 1), table)

    def find(self, ids: Int64s) -> Floats:
        """Return the fraction of its weight that each element of `ids` pays to its sets."""
        found = np.ones(ids.size)
        if isinstance(self.ids, range):
            places = ids - self.ids.start
            known = (places >= 0) & (places < len(self.ids))
        else:
            places = np.searchsorted(self.ids, ids)
            known = places < self.ids.size
            known[known] = self.ids[places[known]] == ids[known]
        found[known] = self.parts[places[known]] / FULL
        return found


class Edges(NamedTuple):
    """Edges as two arrays: the id of the element, and the index of the set."""

    elements: Int64s
    sets: Int32s


def exact_parts(numbers: Floats) -> tuple[float, ...]:
    """Return a few floats whose sum is exactly the sum of `numbers`.

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
    """Return the index of each of `wanted` in the ascending `ids`; raise for an unknown id.

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
    """Make chunks from edges and weights in any order; repeated edges count once.

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
    nested = np.zeros(ids.size, dtype=np.bool_)
    whole = Chunk(ids, weights, indptr, sets.astype(np.int32), nested, np.empty(0))
    return cut(without(whole, status))


def nested_lists(ids: Int64s, places: Int32s, similarity: Floats, status: Bytes) -> Iterator[Chunk]:
    """Make chunks of elements that give the similarity of the best of their chosen sets.

    Parameters
    ----------
    ids : array, length n
    places, similarity : array, shape (n, k)
        Sets of each element, and how similar they are, the most similar first.
    status : array of uint8
        Status of each set: OPEN, FIXED or DROPPED.

    Examples
    --------
    >>> chunk, = nested_lists(np.array([7]), np.array([[2, 0, 1]]), np.array([[0.75, 0.5, 0.5]]),
    ...                       np.zeros(3, np.uint8))
    >>> chunk.weights, chunk.indices, chunk.indptr, chunk.nested
    (array([0.25, 0.5 ]), array([2, 0, 1]), array([0, 1, 3]), array([False,  True]))
    """
    n, k = similarity.shape
    added = np.append(similarity, np.zeros((n, 1)), axis=1)
    added = added[:, :-1] - added[:, 1:]
    counts, used = similarity.ravel() > 0.0, added.ravel() > 0.0
    ends = np.cumsum(counts)[used]
    owner = np.repeat(np.arange(n), k)[used]
    nested = np.append(False, owner[1:] == owner[:-1])[: owner.size]
    indptr = np.append(0, ends)
    indices = places.ravel()[counts]
    whole = Chunk(ids[owner], added.ravel()[used], indptr, indices, nested, np.empty(0))
    return cut(without(whole, status))


def without(chunk: Chunk, status: Bytes) -> Chunk:
    """Return a chunk without fixed and dropped sets, and without elements that fixed sets cover."""
    decided = status[chunk.indices]
    rows = np.repeat(np.arange(chunk.weights.size), np.diff(chunk.indptr))
    fixed = np.bincount(rows[decided == FIXED], minlength=chunk.weights.size)
    degrees = np.bincount(rows[decided == OPEN], minlength=chunk.weights.size)
    covered = so_far(fixed, chunk.nested) > 0
    # A nested element has the sets of all elements before it in its run, so counts of sets are
    # added up along the run.
    keep = ~covered & (so_far(degrees, chunk.nested) > 0) & (chunk.weights > 0.0)
    kept = (decided == OPEN) & keep[rows]
    base = exact_parts(np.concatenate((chunk.base, chunk.weights[covered])))
    indptr = np.concatenate(([0], np.cumsum(degrees[keep])))
    nested = chunk.nested & np.append(False, keep[:-1])[: keep.size]
    return Chunk(
        chunk.ids[keep], chunk.weights[keep], indptr, chunk.indices[kept], nested[keep],
        np.array(base),
    )  # fmt: skip


def cut(chunk: Chunk) -> Iterator[Chunk]:
    """Cut a chunk into chunks of about `CHUNK_EDGES` edges; nested elements stay together."""
    if chunk.base.size:
        none = np.empty(0, np.int64)
        start = np.zeros(1, np.int64)
        no_sets, no_bools = np.empty(0, np.int32), np.empty(0, np.bool_)
        yield Chunk(none, np.empty(0), start, no_sets, no_bools, chunk.base)
    heads = np.append(np.flatnonzero(~chunk.nested), chunk.weights.size)
    edges = chunk.indptr[heads]
    at = 0
    while at < heads.size - 1:
        reach = int(np.searchsorted(edges, edges[at] + CHUNK_EDGES, side="right")) - 1
        first, last = heads[at], heads[max(at + 1, reach)]
        start, end = chunk.indptr[first], chunk.indptr[last]
        yield Chunk(
            chunk.ids[first:last],
            chunk.weights[first:last],
            chunk.indptr[first : last + 1] - start,
            chunk.indices[start:end],
            chunk.nested[first:last],
            np.empty(0),
        )
        at = max(at + 1, reach)


def so_far(values: AnyArray, nested: Mask) -> AnyArray:
    """Return for each element the sum of `values` from the start of its nested run up to it.

    Exact for whole numbers.

    Examples
    --------
    >>> so_far(np.array([1, 2, 4, 8]), np.array([False, True, False, True]))
    array([ 1,  3,  4, 12])
    """
    if not nested.any():
        return values
    sums = np.append(np.zeros(1, values.dtype), np.cumsum(values))
    head = np.maximum.accumulate(np.where(nested, 0, np.arange(values.size)))
    return np.asarray(sums[1:] - sums[head])


def from_here(values: Floats, nested: Mask) -> Floats:
    """Return for each element the sum of `values` from it to the end of its nested run.

    Exact for whole numbers.
    """
    if not nested.any():
        return values
    # In reversed order, an element continues a run if the element that now precedes it is nested.
    return so_far(values[::-1], np.append(False, nested[:0:-1]))[::-1].copy()


def cover_of(chunk: Chunk, x: Floats) -> Floats:
    """Return for each element the sum of the LP values `x` of its sets."""
    cover = np.empty(chunk.weights.size)
    row_sums(chunk.indptr, chunk.indices, x, cover)
    return so_far(cover, chunk.nested)


def shares(chunk: Chunk, x: Floats, sharpness: float, quantum: float) -> Floats:
    """Return the share, in quanta, that each element pays to each of its sets at LP values `x`.

    An element that `x` covers exactly once pays its weight divided by its number of sets. It pays
    more if it is covered less, and `sharpness` says how steeply. Any answer is a dual point: at
    least 0, at most the weight.
    """
    equal = chunk.weights / so_far(np.diff(chunk.indptr), chunk.nested)
    wanted = equal * (1.0 - sharpness * (cover_of(chunk, x) - 1.0))
    paid: Floats = np.floor(np.clip(wanted, 0.0, chunk.weights) / quantum)
    return paid


def given_shares(chunk: Chunk, given: Given, quantum: float) -> Floats:
    """Return the share, in quanta, that each element pays to each of its sets, looked up by id."""
    paid: Floats = np.floor(given.find(chunk.ids) * chunk.weights / quantum)
    return paid


def _pay(chunk: Chunk, paid: Floats, per_set: Floats) -> None:
    """Add the share that each element pays to the sums of all its sets, in `per_set`."""
    column_sums(chunk.indptr, chunk.indices, from_here(paid, chunk.nested), per_set)


def _sum_paid(
    chunks: Iterable[Chunk], share: Callable[[Chunk], Floats], quantum: float, n_sets: int
) -> Sums:
    """Return what each set is paid, and what elements keep, in quanta; elements pay `share`."""
    per_set, kept = np.zeros(n_sets), 0.0
    for chunk in chunks:
        paid = share(chunk)
        _pay(chunk, paid, per_set)
        kept += float(np.sum(np.ceil(chunk.weights / quantum) - paid))
    return Sums((kept,), per_set)


def sum_shares(packed: NDArray[np.uint16], sharpness: float, quantum: float) -> Ask:
    """Return a function of chunks: what each set is paid, and what elements keep, in quanta."""

    def ask(chunks: Iterable[Chunk]) -> Sums:
        x = packed.astype(np.float64) * STEP
        return _sum_paid(chunks, lambda one: shares(one, x, sharpness, quantum), quantum, x.size)

    return ask


def sum_given(given: Given, quantum: float, n_sets: int) -> Ask:
    """Return a function of chunks like that of `sum_shares`, for shares given by element id."""

    def ask(chunks: Iterable[Chunk]) -> Sums:
        return _sum_paid(chunks, lambda one: given_shares(one, given, quantum), quantum, n_sets)

    return ask


def sum_gains(selected: Mask, quantum: float) -> Ask:
    """Return a function of chunks: the value of a selection, and the gain of each set in quanta."""

    def ask(chunks: Iterable[Chunk]) -> Sums:
        inside = selected.astype(np.float64)
        per_set = np.zeros(inside.size)
        value: tuple[float, ...] = ()
        for chunk in chunks:
            covered = cover_of(chunk, inside) > 0.0
            _pay(chunk, np.where(covered, 0.0, np.floor(chunk.weights / quantum)), per_set)
            value = exact_parts(np.concatenate((value, chunk.base, chunk.weights[covered])))
        return Sums(value, per_set)

    return ask


def sum_edges(status: Bytes) -> Ask:
    """Return a function of chunks: how many edges each open set has left."""

    def ask(chunks: Iterable[Chunk]) -> Sums:
        per_set = np.zeros(status.size)
        for chunk in chunks:
            left = without(chunk, status)
            per_set += np.bincount(left.indices, minlength=status.size)
        return Sums((), per_set)

    return ask


def sum_weights(chunks: Iterable[Chunk]) -> Sums:
    """Add up the weights of all elements of the chunks."""
    total: tuple[float, ...] = ()
    for chunk in chunks:
        total = exact_parts(np.concatenate((total, chunk.weights)))
    return Sums(total, np.empty(0))
