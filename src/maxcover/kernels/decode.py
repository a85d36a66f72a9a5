"""From a ranking of sets to a selection: walk down and take what fits."""

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels.greedy import fits
from maxcover.kernels.jit import kernel


@kernel
def fill(
    ranking: NDArray[np.int64],
    ticks: NDArray[np.int64],
    limit: int,
    group: NDArray[np.int32],
    group_counts: NDArray[np.int64],
    group_ticks: NDArray[np.int64],
    start: NDArray[np.int64],
    quota: int,
) -> NDArray[np.int64]:
    """Take the sets of a ranking that fit beside those in `start`, until `quota` ticks are used.

    The second half of the paper's Algorithm 2. Returns what was taken, in order, without `start`.
    """
    items = np.zeros(group_counts.size, dtype=np.int64)
    spent = np.zeros(group_counts.size, dtype=np.int64)
    used = np.int64(0)
    for i in start:
        used += ticks[i]
        if group[i] >= 0:
            items[group[i]] += 1
            spent[group[i]] += ticks[i]
    taken = np.empty(ranking.size, dtype=np.int64)
    n_taken = 0
    for i in ranking:
        if used >= quota:
            break
        if fits(i, ticks, limit, used, group, group_counts, group_ticks, items, spent):
            used += ticks[i]
            if group[i] >= 0:
                items[group[i]] += 1
                spent[group[i]] += ticks[i]
            taken[n_taken] = i
            n_taken += 1
    return taken[:n_taken].copy()
