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

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels.arrays import Bools, Floats, Indices, Offsets, Whole
from maxcover.kernels.greedy import Greedy, can_join, gain_of, restart, select, sift_down
from maxcover.kernels.jit import kernel

REPLAY, GAINS, HEAP, AUGMENT, DONE = range(5)

DESK = np.dtype(
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


def open_augmentation(run: Greedy) -> Augmentation:
    """Prepare the search beside a run, which is used up: take its picks before."""
    gains = run.gains[: run.desk["n_picks"][0]]
    values = np.concatenate(([0.0], np.cumsum(gains)))
    matters = values + run.desk["largest"] > values[-1]
    desk = np.zeros(1, DESK)
    desk["skipped"] = np.argmax(matters) if matters.any() else len(matters)
    desk["best"], desk["extra"] = values[-1], -1
    found = Augmentation(run, desk)
    replay(found)
    return found


def replay(found: Augmentation) -> None:
    """Set the run back before its first pick and keep the picks."""
    n_picks = found.run.desk["n_picks"][0]
    restart(found.run, found.run.desk["n_start"][0])
    found.run.desk["n_picks"] = n_picks


@kernel
def augment(found: Augmentation, work: Whole) -> bool:
    """Take the search further by about `work` edges looked at; return whether it is finished."""
    run, desk = found.run, found.desk[0]
    if desk["phase"] == REPLAY:
        work = walk_to_prefix(found, work)
    if desk["phase"] == GAINS:
        work = first_gains(found, work)
    while work > 0 and desk["phase"] == HEAP:
        if desk["cursor"] == 0:
            desk["phase"], desk["cursor"] = AUGMENT, desk["skipped"]
        else:
            desk["cursor"] -= 1
            work -= 1
            sift_down(run.keys, run.nodes, desk["cursor"], desk["size"])
    if desk["phase"] == AUGMENT:
        try_prefixes(found, work)
    return bool(desk["phase"] == DONE)


@kernel
def walk_to_prefix(found: Augmentation, work: Whole) -> Whole:
    """Select the start and the picks before the first prefix that matters."""
    run, desk = found.run, found.desk[0]
    n_start = run.desk[0]["n_start"]
    cursor = desk["cursor"]
    end = n_start + desk["skipped"]
    if desk["skipped"] > run.desk[0]["n_picks"]:
        desk["phase"] = DONE
        return work
    while work > 0 and cursor < end:
        if cursor < n_start:
            work -= 1 + select(run, run.start[cursor])
        else:
            work -= 1 + select(run, run.picks[cursor - n_start])
            desk["value"] += run.gains[cursor - n_start]
        cursor += 1
    desk["cursor"] = cursor
    if cursor == end:
        desk["phase"], desk["cursor"] = GAINS, 0
    return work


@kernel
def first_gains(found: Augmentation, work: Whole) -> Whole:
    """Compute the gains of the candidates that fit beside the prefix."""
    run, desk = found.run, found.desk[0]
    i, size = desk["cursor"], desk["size"]
    while work > 0 and i < run.candidates.size:
        work -= 1
        if run.candidates[i] and can_join(run, i):
            gain = gain_of(run.indptr, run.indices, run.left, i)
            work -= np.int64(run.indptr[i + 1] - run.indptr[i])
            if gain > 0.0:
                run.keys[size], run.nodes[size] = gain, i
                size += 1
        i += 1
    desk["cursor"], desk["size"] = i, size
    if i == run.candidates.size:
        desk["phase"], desk["cursor"] = HEAP, size // 2
    return work


@kernel
def try_prefixes(found: Augmentation, work: Whole) -> None:
    """Find the best addition to one prefix after the other."""
    run, desk = found.run, found.desk[0]
    root = np.int64(0)
    while work > 0:
        best_here = desk["size"] == 0 or desk["value"] + run.keys[0] <= desk["best"]
        if not best_here:
            i = np.int64(run.nodes[0])
            work -= 1 + np.int64(run.indptr[i + 1] - run.indptr[i])
            if can_join(run, i):
                gain = gain_of(run.indptr, run.indices, run.left, i)
                if gain == run.keys[0]:
                    desk["best"], desk["extra"] = desk["value"] + gain, i
                    desk["length"] = desk["cursor"]
                run.keys[0] = gain
            else:
                desk["size"] -= 1
                run.keys[0], run.nodes[0] = run.keys[desk["size"]], run.nodes[desk["size"]]
            sift_down(run.keys, run.nodes, root, desk["size"])
        elif desk["cursor"] < run.desk[0]["n_picks"]:
            work -= 1 + select(run, run.picks[desk["cursor"]])
            desk["value"] += run.gains[desk["cursor"]]
            desk["cursor"] += 1
        else:
            desk["phase"] = DONE
            break


@kernel
def best_single(
    indptr: Offsets, indices: Indices, weights: Floats, candidates: Bools, start: Offsets
) -> Whole:
    """Return the candidate that gains the most beside `start`, or -1 if none gains anything."""
    left = weights.copy()
    for i in start:
        for e in range(indptr[i], indptr[i + 1]):
            left[indices[e]] = 0.0
    best, best_gain = -1, 0.0
    for i in range(candidates.size):
        if candidates[i]:
            gain = 0.0
            for e in range(indptr[i], indptr[i + 1]):
                gain += left[indices[e]]
            if gain > best_gain:
                best, best_gain = i, gain
    return best
