"""Shards of sets and blocks of elements: how they are built, and their part in belief propagation.

An element belongs to block ``id % size``. A shard keeps the elements that it touches sorted by
block, so the letter to a block is a slice of its table, and a block keeps for each shard the
places of that slice. After the first superstep no ids travel, only numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.distributed.bsp import Place, Task, Work
from maxcover.errors import ProblemError
from maxcover.kernels.bp import field_sums, sweep
from maxcover.kernels.limits import TILE
from maxcover.kernels.propagate import HEAVY, prior_odds
from maxcover.kernels.run import aligned, first_messages, touching
from maxcover.kernels.shard import absorb, hear

if TYPE_CHECKING:
    from collections.abc import Callable

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
    `moves` are the largest changes in the sweeps since fields were given.
    """

    field: Floats
    r: Floats
    odds: Floats
    older: Floats
    log_odds: Floats
    moves: tuple[float, ...]


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
    return Work(None, slices(shard, shard.elements))


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


class Heard(NamedTuple):
    """A letter in a sweep: (rest, top) of some elements, and the largest change of any set's odds.

    Nothing about elements once that change is within the tolerance: everybody is at rest.
    """

    moved: float
    table: Floats


_NOTHING = np.empty((0, 2))


def restart_shard(fields: list[Floats], beta: float) -> Task:
    """Return the first part of a shard: take new fields, recompute odds, change no message."""

    def task(place: Place) -> Work:
        shard: Shard = place.fixed
        prior = prior_odds(beta * shard.weights, hard=True)
        r = first_messages(shard.indices, prior) if place.memory is None else place.memory.r
        ones = np.ones(shard.indptr.size - 1)
        log_odds = np.zeros(ones.size if (prior < 0.0).any() else 1)
        state = Messages(fields[place.number], r, ones, ones.copy(), log_odds, ())
        _, letters = _swept(shard, state, prior < 0.0, {}, damping=1.0)
        return Work(state, {b: Heard(np.inf, part) for b, part in letters.items()})

    return task


def sweep_shard(beta: float, damping: float, tol: float) -> Task:
    """Return the shard's part of a sweep; none once all shards are at rest."""

    def task(place: Place) -> Work:
        shard: Shard = place.fixed
        state: Messages = place.memory
        moved = _largest(place.mail)
        if moved <= tol:
            return Work(state, {b: Heard(moved, _NOTHING) for b in place.mail})
        moved, letters = _swept(shard, state, beta * shard.weights > HEAVY, place.mail, damping)
        state = state._replace(moves=(*state.moves, moved))
        return Work(state, {b: Heard(moved, part) for b, part in letters.items()})

    return task


def _largest(mail: dict[int, Heard]) -> float:
    return max(letter.moved for letter in mail.values())


def _swept(
    shard: Shard,
    state: Messages,
    heavy: NDArray[np.bool_],
    mail: dict[int, Heard],
    damping: float,
) -> tuple[float, dict[int, Floats]]:
    """Sweep in place; return the largest change, and what the blocks' elements heard of it."""
    far = touching(shard.indptr, shard.indices, heavy)
    table = aligned(1, heavy.size)[0]
    for b, first in enumerate(shard.cuts[:-1]):
        known = mail[b].table if mail else np.ones((shard.cuts[b + 1] - first, 2))
        hear(table, heavy, known, first)
    with np.errstate(over="ignore"):
        odds_before = np.exp(state.field)
    longest = int(np.diff(shard.indptr).max(initial=0))
    tile = np.empty((3, max(longest, TILE)))
    arrays = (shard.indptr, shard.indices, state.field, odds_before, far)
    changed = (state.r, state.odds, state.older, state.log_odds, table)
    moved, _ = sweep(*arrays, *changed, tile, 0, state.field.size, 0, damping)
    return moved, {b: part.copy() for b, part in slices(shard, table[:, 2:]).items()}


def restart_block(beta: float) -> Task:
    """Return the block's first part: remember the prior odds of its elements."""

    def task(place: Place) -> Work:
        prior = prior_odds(beta * place.fixed.weights, hard=True)
        return _combined(place._replace(memory=prior), np.inf)

    return task


def sweep_block(tol: float) -> Task:
    """Return the block's part of a sweep; none once all shards are at rest."""

    def task(place: Place) -> Work:
        moved = _largest(place.mail)
        if moved <= tol:
            letters = {sender: Heard(moved, _NOTHING) for sender in place.mail}
            return Work(place.memory, letters)
        return _combined(place, moved)

    return task


def _combined(place: Place, moved: float) -> Work:
    """Combine what the shards heard about elements, and tell all of them."""
    places = place.fixed.places
    table = np.empty((place.memory.size, 2))
    table[:, 0] = place.memory
    table[:, 1] = 0.0
    for sender in sorted(places):
        absorb(table, places[sender], place.mail[sender].table)
    letters = {s: Heard(moved, table[rows]) for s, rows in places.items()}
    return Work(place.memory, letters)


class Beliefs(NamedTuple):
    """What a shard answers: the largest change in every sweep, and once it is done, its sets.

    `support` is the sum of the messages to each set, `chosen` the probability that it is chosen.
    """

    moves: tuple[float, ...]
    support: Floats | None = None
    chosen: Floats | None = None


def read_out(sweeps: int, tol: float) -> Callable[[Place], Beliefs]:
    """Return the question how far sweeps have come, and what they led to if that was all."""

    def task(place: Place) -> Beliefs:
        shard: Shard = place.fixed
        state: Messages = place.memory
        if len(state.moves) < sweeps and _largest(place.mail) > tol:
            return Beliefs(state.moves)
        support = np.empty(shard.indptr.size - 1)
        field_sums(shard.indptr, state.r, support)
        return Beliefs(state.moves, support, state.odds / (1.0 + state.odds))

    return task


def read_messages(place: Place) -> tuple[Shard, Floats]:
    """Return a shard and the message of every edge: for tests, not for graphs that are large."""
    return place.fixed, place.memory.r
