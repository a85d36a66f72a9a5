"""The arrays of one run of belief propagation, swept in blocks of rows that threads may share."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from maxcover.kernels.arrays import Bools, Floats, Indices, Offsets
from maxcover.kernels.bp import MOVING, TILE, merge, reset, sweep, sweeps, verdict
from maxcover.kernels.extended import TINY

# Below this many edges a second block costs more than a second thread gains.
EDGES_PER_BLOCK = 1 << 20

# Edges that are swept between two looks at the keyboard, about ten milliseconds.
EDGES_AT_ONCE = 1_000_000

T = TypeVar("T")


def count_blocks(n_edges: int, n_elements: int) -> int:
    """Return the number of row blocks: by the problem alone, so that threads change no result."""
    by_size = n_edges // EDGES_PER_BLOCK
    by_memory = 3 * n_edges // (4 * max(n_elements, 1))  # 32 bytes an element and block, 24 an edge
    blocks = 1
    while 2 * blocks <= min(8, by_size, by_memory):
        blocks *= 2
    return blocks


def touching(indptr: Offsets, indices: Indices, heavy: Bools) -> Bools:
    """Return which sets touch an element whose odds are no plain number."""
    far = np.zeros(indptr.size - 1, dtype=np.bool_)
    if heavy.any():
        far[np.searchsorted(indptr, np.flatnonzero(heavy[indices]), side="right") - 1] = True
    return far


def first_messages(indices: Indices, prior: Floats) -> Floats:
    """Return what elements with these prior odds tell their sets before they hear anything."""
    first: Floats = np.where(prior < 0.0, prior, prior / (1.0 + np.maximum(prior, 0.0)))[indices]
    return first


def admit(r: Floats, heavy: Bools) -> Floats:
    """Return a copy of earlier messages, plain numbers wherever the element is not heavy."""
    plain = np.where(r < 0.0, np.exp(np.minimum(r, 0.0)), r)
    return np.where(heavy & (r != 0.0), r, np.clip(plain, TINY, 1.0))


def aligned(blocks: int, n_elements: int) -> Floats:
    """Return an empty table (blocks, n_elements, 4); no element straddles two cache lines."""
    flat = np.empty(blocks * n_elements * 4 + 8)
    offset = (-flat.ctypes.data % 64) // flat.itemsize
    return flat[offset : offset + blocks * n_elements * 4].reshape(blocks, n_elements, 4)


class Run:
    """The arrays of one run, and its steps over blocks of rows."""

    def __init__(
        self,
        indptr: Offsets,
        indices: Indices,
        *,
        field: Floats,
        prior: Floats,
        r: Floats | None,
        pool: ThreadPoolExecutor | None,
    ) -> None:
        n_sets, n_elements, n_edges = field.size, prior.size, indices.size
        heavy = prior < 0.0
        far = touching(indptr, indices, heavy)
        self.r = first_messages(indices, prior) if r is None else admit(r, heavy[indices])
        self.odds = np.ones(n_sets)
        blocks = count_blocks(n_edges, n_elements)
        inner = np.searchsorted(indptr, np.linspace(0, n_edges, blocks + 1)[1:-1])
        self.rows = np.concatenate(([0], inner, [n_sets]))
        self.cuts = np.linspace(0, n_elements, blocks + 1).astype(np.int64)
        self.tables = aligned(blocks, n_elements)
        self.tables.fill(1.0)
        self.tiles = np.empty((blocks, 3, max(int(np.diff(indptr).max(initial=0)), TILE)))
        self.old = 0
        self.pool = pool
        with np.errstate(over="ignore"):
            odds_before = np.exp(field)
        older = np.ones(n_sets)
        log_odds = np.zeros(n_sets if far.any() else 1)
        self.fixed = (indptr, indices, field, odds_before, far, self.r, self.odds, older, log_odds)

    def on_blocks(self, task: Callable[[int], T]) -> list[T]:
        """Run a task for every block; the kernels release the interpreter lock."""
        blocks = range(len(self.tables))
        if self.pool is None or len(blocks) == 1:
            return [task(b) for b in blocks]
        return list(self.pool.map(task, blocks))

    def step(self, damping: float, start: Floats) -> tuple[float, float]:
        """Sweep once, let the elements `start` the next sweep; return the largest changes."""

        def rows(b: int) -> tuple[float, float]:
            block = (self.tables[b], self.tiles[b], self.rows[b], self.rows[b + 1])
            return sweep(*self.fixed, *block, self.old, damping)

        def columns(b: int) -> None:
            first, last = self.cuts[b], self.cuts[b + 1]
            if len(self.tables) > 1:
                merge(self.tables, first, last, self.old)
            reset(self.tables, start, first, last, 2 - self.old)

        moves = self.on_blocks(rows)
        self.old = 2 - self.old
        self.on_blocks(columns)
        return max(m[0] for m in moves), max(m[1] for m in moves)

    def until_rest(
        self, damping: float, start: Floats, max_sweeps: int, tol: float
    ) -> tuple[Floats, int]:
        """Sweep until the odds rest or circle; return each sweep's change, and the verdict."""
        residuals = np.empty(max_sweeps)
        at_once = max(1, EDGES_AT_ONCE // max(1, self.r.size))
        made, state, repeats = 0, MOVING, 0
        while made < max_sweeps and state == MOVING:
            if len(self.tables) > 1:
                residuals[made], moved_twice = self.step(damping, start)
                state, repeats = verdict(residuals[made], moved_twice, tol, repeats)
                made += 1
                continue
            part = residuals[made : made + at_once]
            block = (self.tables, self.tiles[0], start, self.old)
            count, state, repeats = sweeps(*self.fixed, *block, damping, tol, repeats, part)
            self.old = 2 - self.old if count % 2 else self.old
            made += count
        return residuals[:made], state

    def restart(self, start: Floats) -> None:
        """Begin again from the messages, with these prior odds of the elements."""
        reset(self.tables, start, 0, start.size, 2 - self.old)
        self.step(1.0, start)
