"""Shards of sets and blocks of elements: how they are built, and their part in belief propagation.

An element belongs to block ``id % size``. A shard keeps the elements that it touches sorted by
block, so the letter to a block is a slice of its table, and a block keeps for each shard the
places of that slice. After the first superstep no ids travel, only numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.engines.supersteps import Place, Task, Work
from maxcover.errors import ProblemError
from maxcover.kernels.bp import TILE, field_sums, sweep
from maxcover.kernels.propagate import prior_odds
from maxcover.kernels.shard import absorb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Int32s = NDArray[np.int32]
    Int64s = NDArray[np.int64]


class Shard(NamedTuple):
    """Some sets and all their edges: 4 bytes an edge, 16 a set, 16 an element that it touches."""

    sets: Int64s
    indptr: Int64s
    indices: Int32s
    elements: Int64s
    cuts: Int64s
    weights: Floats


@dataclass(frozen=True, kw_only=True)
class Block:
    """Some elements: ids, weights, and where those that a shard touches are."""

    ids: Int64s
    weights: Floats
    places: dict[int, Int32s] = field(default_factory=dict)
    share: Floats | None = None
    best_share: Floats | None = None
    step: Floats | None = None


class Messages(NamedTuple):
    """State of belief propagation in a shard: 8 bytes an edge, 16 a set."""

    r: Floats
    odds: Floats
    older: Floats
    log_odds: Floats


def build_shard(sets: Int64s, elements: Int64s, size: int) -> Shard:
    """Build a shard from its edges, in any order; repeated edges count once."""
    touched = np.unique(elements)
    touched = touched[np.argsort(touched % size, kind="stable")]
    cuts = np.searchsorted(touched % size, np.arange(size + 1))
    order = np.argsort(touched)
    local = order[np.searchsorted(touched[order], elements)]
    rows, row = np.unique(sets, return_inverse=True)
    keys = np.unique(row * np.int64(max(touched.size, 1)) + local)
    row, local = np.divmod(keys, max(touched.size, 1))
    indptr = np.searchsorted(row, np.arange(rows.size + 1))
    return Shard(rows, indptr, local.astype(np.int32), touched, cuts, np.empty(0))


def build_block(ids: Int64s, weights: Floats) -> Block:
    """Build a block from its elements, in any order."""
    order = np.argsort(ids)
    if (np.diff(ids[order]) == 0).any():
        raise ProblemError("expected every element once in weights, got one twice")
    return Block(ids=ids[order], weights=weights[order].astype(np.float64))


def introduce(place: Place) -> Work:
    """Let a shard tell the blocks which elements it touches, and report its sets."""
    shard: Shard = place.fixed
    letters = {b: ids for b, ids in slices(shard, shard.elements).items() if ids.size}
    return Work(None, letters, shard.sets)


def welcome(place: Place) -> Work:
    """Let a block note where a shard's elements are, and answer with their weights."""
    block: Block = place.memory
    places, letters = {}, {}
    for sender, ids in place.mail.items():
        found = np.searchsorted(block.ids, ids)
        if (found == block.ids.size).any() or (block.ids[found] != ids).any():
            unknown = ids[(np.append(block.ids, -1)[found]) != ids][0]
            raise ProblemError(f"expected a weight for every element, got none for {unknown}")
        places[sender] = found.astype(np.int32)
        letters[sender] = block.weights[found]
    return Work(replace(block, places=places), letters, place.news)


def settled(place: Place) -> Shard:
    """Return the shard with the weights of its elements."""
    shard: Shard = place.fixed
    return shard._replace(weights=gathered(shard, place.mail))


def slices(shard: Shard, values: NDArray[Any]) -> dict[int, NDArray[Any]]:
    """Cut values of a shard's elements into one letter a block."""
    cuts = shard.cuts
    return {b: values[cuts[b] : cuts[b + 1]] for b in range(cuts.size - 1)}


def gathered(shard: Shard, mail: dict[int, Any]) -> NDArray[Any]:
    """Join the letters of the blocks into values of a shard's elements."""
    parts = [mail[b] for b in sorted(mail)]
    return np.concatenate(parts) if parts else np.empty(0)


def sweep_shard(fields: list[Floats], beta: float, damping: float, *, restart: bool) -> Task:
    """Return the shard's part of a sweep; a restart recomputes odds and changes no message."""

    def task(place: Place) -> Work:
        shard: Shard = place.fixed
        log_prior = fields[place.number]
        prior = prior_odds(beta * shard.weights, hard=True)
        heavy = prior < 0.0
        far = np.zeros(shard.sets.size, dtype=np.bool_)
        if heavy.any():
            edges = np.flatnonzero(heavy[shard.indices])
            far[np.searchsorted(shard.indptr, edges, side="right") - 1] = True
        state = _first_messages(shard, prior) if place.memory is None else place.memory
        table = np.ones((shard.elements.size, 4))
        if restart:
            ones = np.ones(shard.sets.size)
            state = Messages(state.r.copy(), ones, ones.copy(), np.zeros(shard.sets.size))
        else:
            state = Messages(*(np.array(values) for values in state))
            table[:, :2] = gathered(shard, place.mail).reshape(-1, 2)
        table[:, 2] = np.where(heavy, -np.inf, 0.0)
        table[:, 3] = 0.0
        longest = int(np.diff(shard.indptr).max(initial=0))
        with np.errstate(over="ignore"):
            odds_before = np.exp(log_prior)
        arrays = (shard.indptr, shard.indices, log_prior, odds_before, far, *state, table)
        tile = np.empty((3, max(longest, TILE)))
        keep = 1.0 if restart else damping
        moved = sweep(*arrays, tile, 0, shard.sets.size, 0, keep)
        return Work(state, slices(shard, table[:, 2:].copy()), moved)

    return task


def _first_messages(shard: Shard, prior: Floats) -> Messages:
    empty = np.where(prior < 0.0, prior, prior / (1.0 + np.maximum(prior, 0.0)))
    ones = np.ones(shard.sets.size)
    return Messages(empty[shard.indices], ones, ones, ones)


def sweep_block(beta: float) -> Task:
    """Return the block's part of a sweep: combine what the shards heard, tell all of them."""

    def task(place: Place) -> Work:
        block: Block = place.memory
        table = np.zeros((block.ids.size, 2))
        table[:, 0] = prior_odds(beta * block.weights, hard=True)
        for sender in sorted(block.places):
            absorb(table, block.places[sender], np.ascontiguousarray(place.mail[sender]))
        letters = {s: table[places] for s, places in block.places.items()}
        return Work(block, letters, place.news)

    return task


def read_out(place: Place) -> tuple[Floats, Floats]:
    """Return the sum of the messages to each set, and the probability that it is chosen."""
    shard: Shard = place.fixed
    support = np.empty(shard.sets.size)
    field_sums(shard.indptr, np.array(place.memory.r), support)
    odds = np.asarray(place.memory.odds)
    return support, odds / (1.0 + odds)


def read_messages(place: Place) -> tuple[Int64s, Int64s, Floats]:
    """Return set, element and message of every edge: for tests, not for graphs that are large."""
    shard: Shard = place.fixed
    rows = np.repeat(shard.sets, np.diff(shard.indptr))
    return rows, shard.elements[shard.indices], np.asarray(place.memory.r)
