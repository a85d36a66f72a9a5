"""Greedy+Max: the best single set on top of each prefix of a greedy run.

The greedy order by gain per cost passes by large sets that would be worth more than all that it
takes later. Greedy+Max looks, before each pick, at the set that fits and gains the most, and
returns the best of all these selections: at least half of the optimum under a budget.

A prefix does not matter if its value plus the largest gain of any set stays below the value of the
whole run. So the run comes first, then the few prefixes at its end that matter, with old gains as
upper bounds.

References
----------
Yaroslavtsev, Zhou and Avdiukhin (2020). "Bring Your Own Greedy"+Max: Near-Optimal
1/2-Approximations for Submodular Knapsack. AISTATS.
"""

from typing import NamedTuple

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.arrays import (
    Bools,
    BoolsOut,
    Floats,
    FloatsOut,
    Indices,
    IndicesOut,
    Offsets,
)
from cython.cimports.maxcover.kernels.lazy_greedy import Desk, sift_down
from cython.cimports.maxcover.kernels.selection import fits, gain_of, select
from numpy.typing import NDArray

from maxcover.kernels.greedy_state import Greedy
from maxcover.kernels.lazy_greedy import restart

FOUND = np.dtype(
    [
        ("phase", np.int64),
        ("cursor", np.int64),  # how far the phase has come
        ("skipped", np.int64),  # prefixes, from the empty one, that cannot matter
        ("size", np.int64),  # of the heap
        ("value", np.float64),  # of the prefix, beside the start
        ("best", np.float64),  # value
        ("length", np.int64),  # picks of the best prefix
        ("extra", np.int64),  # the set on top of it, or -1 if the run itself is best
    ],
    align=True,
)


class Augmentation(NamedTuple):
    """A greedy run that came to its end, and what was found beside it."""

    run: Greedy
    desk: NDArray[np.void]  # one record of numbers


def open_augmentation(run: "Greedy") -> Augmentation:
    """Prepare the search beside a run, which is used up: take its picks before."""
    n_picks = run.desk["n_picks"][0]
    values = np.concatenate(([0.0], np.cumsum(run.gains[:n_picks])))
    matters = values + run.desk["largest"] > values[n_picks]
    found = np.zeros(1, FOUND)
    found["skipped"] = np.argmax(matters) if matters.any() else len(matters)
    found["best"], found["extra"] = values[n_picks], -1
    restart(run, run.desk["n_start"][0])
    run.desk["n_picks"] = n_picks
    return Augmentation(run, found)


def augment(found: Augmentation, work: int64_t) -> bool:
    """Take the search further by about `work` edges looked at; return whether it is finished."""
    run = found.run
    indptr: Offsets = run.indptr
    indices: Indices = run.indices
    ticks: Offsets = run.ticks
    candidates: Bools = run.candidates
    start: Offsets = run.start
    picks: Indices = run.picks
    gains: Floats = run.gains
    keys: FloatsOut = run.keys
    nodes: IndicesOut = run.nodes
    runs: Desk[::1] = run.desk
    desks: Found[::1] = found.desk
    small: BoolsOut
    left: FloatsOut
    finished: cython.bint
    if run.left.itemsize == 1:
        small = run.left
        with cython.nogil:
            finished = steps(
                indptr, indices, ticks, candidates, start, small,
                picks, gains, keys, nodes, cython.address(runs[0]),
                cython.address(desks[0]), work,
            )  # fmt: skip
    else:
        left = run.left
        with cython.nogil:
            finished = steps(
                indptr, indices, ticks, candidates, start, left,
                picks, gains, keys, nodes, cython.address(runs[0]),
                cython.address(desks[0]), work,
            )  # fmt: skip
    return finished


def steps(
    indptr, indices, ticks, candidates, start, left, picks, gains, keys, nodes, run, found, work,
):  # fmt: skip
    """Take the search further; see `augment`."""
    if found.phase == REPLAY:
        work = walk_to_prefix(
            indptr, indices, ticks, start, left, picks, gains, run, found, work
        )  # fmt: skip
    if found.phase == GAINS:
        work = first_gains(
            indptr, indices, ticks, candidates, left, keys, nodes, run, found, work,
        )  # fmt: skip
    while work > 0 and found.phase == HEAP:
        if found.cursor == 0:
            found.phase = AUGMENT
            found.cursor = found.skipped
        else:
            found.cursor -= 1
            work -= 1
            sift_down(keys, nodes, found.cursor, found.size)
    if found.phase == AUGMENT:
        try_prefixes(
            indptr, indices, ticks, left, picks,
            gains, keys, nodes, run, found, work,
        )  # fmt: skip
    return found.phase == DONE


def walk_to_prefix(
    indptr, indices, ticks, start, left, picks, gains, run, found, work
):  # fmt: skip
    """Select the start and the picks before the first prefix that matters."""
    if found.skipped > run.n_picks:
        found.phase = DONE
        return work
    cursor = found.cursor
    end = run.n_start + found.skipped
    while work > 0 and cursor < end:
        if cursor < run.n_start:
            i = start[cursor]
        else:
            i = picks[cursor - run.n_start]
            found.value += gains[cursor - run.n_start]
        work -= 1 + select(i, indptr, indices, left)
        run.used += ticks[i]
        cursor += 1
    found.cursor = cursor
    if cursor == end:
        found.phase = GAINS
        found.cursor = 0
    return work


def first_gains(
    indptr, indices, ticks, candidates, left, keys, nodes, run, found, work,
):  # fmt: skip
    """Compute the gains of the candidates that fit beside the prefix."""
    i = found.cursor
    size = found.size
    while work > 0 and i < candidates.shape[0]:
        work -= 1
        if candidates[i] and fits(i, ticks, run.limit, run.used):
            gain = gain_of(indptr, indices, left, i)
            work -= indptr[i + 1] - indptr[i]
            if gain > 0.0:
                keys[size] = gain
                nodes[size] = i
                size += 1
        i += 1
    found.cursor = i
    found.size = size
    if i == candidates.shape[0]:
        found.phase = HEAP
        found.cursor = size // 2
    return work


def try_prefixes(
    indptr, indices, ticks, left, picks,
    gains, keys, nodes, run, found, work,
):  # fmt: skip
    """Find the best addition to one prefix after the other."""
    while work > 0:
        if found.size > 0 and found.value + keys[0] > found.best:
            i = nodes[0]
            work -= 1 + indptr[i + 1] - indptr[i]
            if fits(i, ticks, run.limit, run.used):
                gain = gain_of(indptr, indices, left, i)
                if gain == keys[0]:
                    found.best = found.value + gain
                    found.extra = i
                    found.length = found.cursor
                keys[0] = gain
            else:
                found.size -= 1
                keys[0] = keys[found.size]
                nodes[0] = nodes[found.size]
            sift_down(keys, nodes, 0, found.size)
        elif found.cursor < run.n_picks:
            i = picks[found.cursor]
            work -= 1 + select(i, indptr, indices, left)
            run.used += ticks[i]
            found.value += gains[found.cursor]
            found.cursor += 1
        else:
            found.phase = DONE
            break


def best_single(
    indptr: Offsets, indices: Indices, weights: Floats, candidates: Bools, start: Offsets
) -> int:
    """Return the candidate that gains the most beside `start`, or -1 if none gains anything."""
    left: FloatsOut = np.array(weights)
    best: int64_t = -1
    best_gain: cython.double = 0.0
    gain: cython.double
    i: int64_t
    with cython.nogil:
        for k in range(start.shape[0]):
            for e in range(indptr[start[k]], indptr[start[k] + 1]):
                left[indices[e]] = 0.0
        for i in range(candidates.shape[0]):
            if candidates[i]:
                gain = gain_of(indptr, indices, left, i)
                if gain > best_gain:
                    best = i
                    best_gain = gain
    return best
