"""Slow, obvious twins: what the fast paths are tested against."""

import heapq
import itertools
import math

import numpy as np

from maxcover import CoverageProblem
from maxcover.engine.solvers.control import Control


def elements_of_each(problem: CoverageProblem) -> list[set[int]]:
    return [set(problem.elements_of(i).tolist()) for i in range(problem.n_sets)]


def value_of(problem: CoverageProblem, selected) -> float:
    members = elements_of_each(problem)
    covered = set().union(*(members[i] for i in selected)) if len(selected) else set()
    return math.fsum(problem.weights[a] for a in covered)


def is_allowed(problem: CoverageProblem, selected) -> bool:
    """Whether a selection keeps every limit, counted in exact ticks, one limit after the other."""
    chosen = {int(i) for i in selected}
    if not set(problem.required.tolist()) <= chosen or chosen & set(problem.forbidden.tolist()):
        return False
    rows = problem.rows
    for r in range(len(rows.high)):
        entries = range(rows.indptr[r], rows.indptr[r + 1])
        used = sum(int(rows.ticks[e]) for e in entries if int(rows.sets[e]) in chosen)
        if not rows.low[r] <= used <= rows.high[r]:
            return False
    return True


def brute_force(problem: CoverageProblem) -> tuple[float, int]:
    """Return the best value over all allowed selections, and how many allowed selections there are.

    Covered elements are kept as bits, so that fourteen sets are a matter of milliseconds.
    """
    n = problem.n_sets
    members = [sum(1 << int(a) for a in problem.elements_of(i)) for i in range(n)]
    rows = problem.rows
    ticks = [[0] * n for _ in rows.high]
    for r, own in enumerate(ticks):
        for e in range(rows.indptr[r], rows.indptr[r + 1]):
            own[int(rows.sets[e])] = int(rows.ticks[e])
    ends = [*zip(rows.low.tolist(), rows.high.tolist(), strict=True)]
    must = sum(1 << int(i) for i in problem.required)
    never = sum(1 << int(i) for i in problem.forbidden)
    used = [[0] * (1 << n) for _ in ticks]
    cover = [0] * (1 << n)
    worth: dict[int, float] = {}
    best, allowed = -1.0, 0
    for chosen in range(1 << n):
        if chosen:
            low = (chosen & -chosen).bit_length() - 1
            rest = chosen & (chosen - 1)
            for own, each in zip(used, ticks, strict=True):
                own[chosen] = own[rest] + each[low]
            cover[chosen] = cover[rest] | members[low]
        if chosen & must != must or chosen & never:
            continue
        if not all(
            least <= own[chosen] <= most for own, (least, most) in zip(used, ends, strict=True)
        ):
            continue
        allowed += 1
        bits = cover[chosen]
        if bits not in worth:
            worth[bits] = math.fsum(
                float(problem.weights[a]) for a in range(problem.n_elements) if bits >> a & 1
            )
        best = max(best, worth[bits])
    return best, allowed


def greedy_key(gain: float, cost: float) -> float:
    return gain / cost if cost else math.inf if gain else 0.0


def gain_beside(problem: CoverageProblem, i: int, covered: set[int]) -> float:
    """Weight that set i adds, summed up in index order as the kernels do."""
    gain = 0.0
    for a in problem.elements_of(i).tolist():
        if a not in covered:
            gain += problem.counted_weights[a]
    return gain


def naive_g_greedy(
    problem: CoverageProblem, *, by_cost: bool = True, useless: bool = True
) -> list[int]:
    """Transcribe the paper's Algorithm 1; our other limits are further conditions to add k."""
    members = [problem.elements_of(i).tolist() for i in range(problem.n_sets)]
    chosen = [int(i) for i in problem.required]
    covered = set(itertools.chain.from_iterable(members[i] for i in chosen))
    left = [i for i in range(problem.n_sets) if i not in chosen and i not in problem.forbidden]
    picks = []
    while left:
        keys = [gain_beside(problem, i, covered) for i in left]
        if by_cost:
            costs = problem.counted_costs[left]
            keys = [greedy_key(gain, cost) for gain, cost in zip(keys, costs, strict=True)]
        k = left[int(np.argmax(keys))]
        if not useless and max(keys) == 0.0:
            break
        if not problem.violation(np.array([*chosen, k])):
            chosen.append(k)
            picks.append(k)
            covered.update(members[k])
        left.remove(k)
    return picks


def heap_greedy(problem: CoverageProblem) -> list[int]:
    """Run g-greedy on one heap of old keys; a set is taken when its key is up to date."""
    covered: set[int] = set(np.flatnonzero(problem.covered(problem.required)).tolist())
    chosen = problem.required.tolist()
    picks = []
    heap = [
        (-greedy_key(gain_beside(problem, i, covered), problem.counted_costs[i]), i)
        for i in np.flatnonzero(problem.choosable).tolist()
    ]
    heapq.heapify(heap)
    while heap and heap[0][0] < 0:
        old, i = heapq.heappop(heap)
        key = -greedy_key(gain_beside(problem, i, covered), problem.counted_costs[i])
        if key > old:
            heapq.heappush(heap, (key, i))
        elif not problem.violation(np.array([*chosen, i])):
            chosen.append(i)
            picks.append(i)
            covered.update(problem.elements_of(i).tolist())
    return picks


def naive_plus_max(problem: CoverageProblem) -> tuple[list[int], list[int] | None]:
    """Try every set that fits on top of every prefix of the greedy picks."""
    picks = naive_g_greedy(problem, useless=False)
    chosen = problem.required.tolist()
    covered: set[int] = set(np.flatnonzero(problem.covered(problem.required)).tolist())
    values, additions = [0.0], []
    for length in range(len(picks) + 1):
        for i in np.flatnonzero(problem.choosable).tolist():
            if i not in picks[:length] and not problem.violation(np.array([*chosen, i])):
                gain = gain_beside(problem, i, covered)
                additions.append((values[-1] + gain, length, i))
        if length < len(picks):
            values.append(values[-1] + gain_beside(problem, picks[length], covered))
            chosen.append(picks[length])
            covered.update(problem.elements_of(picks[length]).tolist())
    best, length, i = max(additions, key=lambda a: a[0], default=(0.0, 0, 0))
    return picks, [*picks[:length], i] if best > values[-1] else None


def quiet_control(**options) -> Control:
    return Control(**options)
