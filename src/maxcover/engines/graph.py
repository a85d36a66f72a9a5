"""Shards of sets and blocks of elements: how they are built, and their part in belief propagation.

An element belongs to block ``id % size``. A shard keeps the elements that it touches sorted by
block, so the letter to a block is a slice of its table, and a block keeps for each shard the
places of that slice. After the first superstep no ids travel, only numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.engines.supersteps import Place, Task, Work
from maxcover.errors import ProblemError
from maxcover.kernels.bp import TILE, field_sums, sweep
from maxcover.kernels.propagate import prior_odds
from maxcover.kernels.run import aligned_ones
from maxcover.kernels.shard import absorb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Int32s = NDArray[np.int32]
    Int64s = NDArray[np.int64]


class Shard(NamedTuple):
    """Some sets and all their edges: 4 bytes an edge, 8 a set, 8 an element that it touches.

    The ids of sets and elements are dropped when all pieces have been introduced to each other.
    """

    sets: Int64s
    indptr: Int64s
    indices: Int32s
    elements: Int64s
    cuts: Int64s
    weights: Floats


class Block(NamedTuple):
    """Some elements: ids until all are found, weights, and where those that a shard touches are."""

    ids: Int64s
    weights: Floats
    places: dict[int, Int32s]


class Messages(NamedTuple):
    """State of belief propagation in a shard: 8 bytes an edge, 24 a set.

    8 more a set where weights are too heavy for plain odds; elsewhere `log_odds` is one number.
    """

    field: Floats
    r: Floats
    odds: Floats
    older: Floats
    log_odds: Floats


def build_shard(sets: Int64s, elements: Int64s, size: int) -> Shard:
    """Build a shard from its edges, in any order; repeated edges count once."""
    touched, local = _ranked(elements)
    by_block = np.argsort(touched % size, kind="stable")
    place = np.empty_like(by_block)
    place[by_block] = np.arange(by_block.size)
    touched = touched[by_block]
    cuts = np.searchsorted(touched % size, np.arange(size + 1))
    rows, row = _ranked(sets)
    keys = np.sort(row * np.int64(max(touched.size, 1)) + place[local])
    row, local = np.divmod(keys[_first_of_equals(keys)], max(touched.size, 1))
    indptr = np.searchsorted(row, np.arange(rows.size + 1))
    return Shard(rows, indptr, local.astype(np.int32), touched, cuts, np.empty(0))


def _ranked(values: Int64s) -> tuple[Int64s, Int64s]:
    """Return the distinct values, ascending, and the place of every value among them.

    What `numpy.unique` does; its table of hashes is many times slower where most values differ.
    """
    order = np.argsort(values)
    ascending = values[order]
    first = _first_of_equals(ascending)
    ranks = np.empty_like(order)
    ranks[order] = np.cumsum(first) - 1
    return ascending[first], ranks


def _first_of_equals(ascending: Int64s) -> NDArray[np.bool_]:
    first = np.ones(ascending.size, dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return first


def build_block(ids: Int64s, weights: Floats) -> Block:
    """Build a block from its elements, in any order."""
    order = np.argsort(ids)
    if (np.diff(ids[order]) == 0).any():
        raise ProblemError("expected every element once in weights, got one twice")
    return Block(ids[order], weights[order].astype(np.float64), {})


def introduce(place: Place) -> Work:
    """Let a shard tell the blocks which elements it touches."""
    shard: Shard = place.fixed
    letters = {b: ids for b, ids in slices(shard, shard.elements).items() if ids.size}
    return Work(None, letters)


def sets_of(place: Place) -> Int64s:
    """Return the ids of the sets of a shard."""
    sets: Int64s = place.fixed.sets
    return sets


def welcome(place: Place) -> Work:
    """Let a block note where a shard's elements are, and answer with their weights."""
    block: Block = place.fixed
    places, letters = {}, {}
    for sender, ids in place.mail.items():
        found = np.searchsorted(block.ids, ids)
        if (found == block.ids.size).any() or (block.ids[found] != ids).any():
            unknown = ids[(np.append(block.ids, -1)[found]) != ids][0]
            raise ProblemError(f"expected a weight for every element, got none for {unknown}")
        places[sender] = found.astype(np.int32)
        letters[sender] = block.weights[found]
    return Work(places, letters)


def settled(place: Place) -> Shard:
    """Return the shard with the weights of its elements, which nobody calls by name any more."""
    shard: Shard = place.fixed
    nobody = np.empty(0, np.int64)
    return shard._replace(sets=nobody, elements=nobody, weights=gathered(shard, place.mail))


def settled_block(place: Place) -> Block:
    """Return the block with the places of the shards' elements, which make ids needless."""
    block: Block = place.fixed
    return block._replace(ids=np.empty(0, np.int64), places=place.memory)


def slices(shard: Shard, values: NDArray[Any]) -> dict[int, NDArray[Any]]:
    """Cut values of a shard's elements into one letter a block."""
    cuts = shard.cuts
    return {b: values[cuts[b] : cuts[b + 1]] for b in range(cuts.size - 1)}


def gathered(shard: Shard, mail: dict[int, Any]) -> NDArray[Any]:
    """Join the letters of the blocks into values of a shard's elements."""
    parts = [mail[b] for b in sorted(mail)]
    return np.concatenate(parts) if parts else np.empty(0)


def restart_shard(fields: list[Floats], beta: float) -> Task:
    """Return the first part of a shard: take new fields, recompute odds, change no message."""

    def task(place: Place) -> Work:
        shard: Shard = place.fixed
        prior = prior_odds(beta * shard.weights, hard=True)
        ones = np.ones(shard.indptr.size - 1)
        far = _far(shard, prior < 0.0)
        log_odds = np.zeros(ones.size if far.any() else 1)
        r = _first_messages(shard, prior) if place.memory is None else place.memory.r.copy()
        state = Messages(fields[place.number], r, ones, ones.copy(), log_odds)
        return _swept(shard, state, prior, far, before=None, damping=1.0)

    return task


def sweep_shard(beta: float, damping: float) -> Task:
    """Return the shard's part of a sweep."""

    def task(place: Place) -> Work:
        shard: Shard = place.fixed
        prior = prior_odds(beta * shard.weights, hard=True)
        state = Messages(place.memory.field, *(np.array(part) for part in place.memory[1:]))
        before = gathered(shard, place.mail).reshape(-1, 2)
        return _swept(shard, state, prior, _far(shard, prior < 0.0), before, damping)

    return task


def _swept(
    shard: Shard,
    state: Messages,
    prior: Floats,
    far: NDArray[np.bool_],
    before: Floats | None,
    damping: float,
) -> Work:
    """Sweep in place; `before` is (rest, top) of every element after the last sweep, if any."""
    table = aligned_ones(1, prior.size)[0]
    if before is not None:
        table[:, :2] = before
    table[:, 2] = np.where(prior < 0.0, -np.inf, 0.0)
    table[:, 3] = 0.0
    with np.errstate(over="ignore"):
        odds_before = np.exp(state.field)
    longest = int(np.diff(shard.indptr).max(initial=0))
    tile = np.empty((3, max(longest, TILE)))
    arrays = (shard.indptr, shard.indices, state.field, odds_before, far, *state[1:], table)
    moved = sweep(*arrays, tile, 0, state.field.size, 0, damping)
    return Work(state, slices(shard, table[:, 2:].copy()), moved)


def _far(shard: Shard, heavy: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which sets touch an element whose odds are no plain number."""
    far = np.zeros(shard.indptr.size - 1, dtype=np.bool_)
    if heavy.any():
        edges = np.flatnonzero(heavy[shard.indices])
        far[np.searchsorted(shard.indptr, edges, side="right") - 1] = True
    return far


def _first_messages(shard: Shard, prior: Floats) -> Floats:
    empty = np.where(prior < 0.0, prior, prior / (1.0 + np.maximum(prior, 0.0)))
    first: Floats = empty[shard.indices]
    return first


def sweep_block(beta: float) -> Task:
    """Return the block's part of a sweep: combine what the shards heard, tell all of them."""

    def task(place: Place) -> Work:
        block: Block = place.fixed
        table = np.zeros((block.weights.size, 2))
        table[:, 0] = prior_odds(beta * block.weights, hard=True)
        for sender in sorted(block.places):
            absorb(table, block.places[sender], np.ascontiguousarray(place.mail[sender]))
        letters = {s: table[places] for s, places in block.places.items()}
        return Work(None, letters)

    return task


def read_out(place: Place) -> tuple[Floats, Floats]:
    """Return the sum of the messages to each set, and the probability that it is chosen."""
    shard: Shard = place.fixed
    support = np.empty(shard.indptr.size - 1)
    field_sums(shard.indptr, np.array(place.memory.r), support)
    odds = np.asarray(place.memory.odds)
    return support, odds / (1.0 + odds)


def read_messages(place: Place) -> tuple[Shard, Floats]:
    """Return a shard and the message of every edge: for tests, not for graphs that are large."""
    return place.fixed, place.memory.r
