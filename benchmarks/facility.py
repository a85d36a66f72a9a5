"""Facility location: `from_similarity` and `solve` beside greedy, apricot and submodlib.

Points are drawn around random centres in five dimensions, each point has its nearest neighbours as
similarities, and all programs get the same sparse matrix and choose as many points. Greedy is the
exact lazy greedy on similarities; neither library has an upper bound. "apricot, dense" gets the
points and makes the whole matrix, as its documentation shows first; it optimizes another sum, so
only its time and memory count. Each program runs in a process of its own, which may take
``--seconds`` of CPU time and ``--gigabytes``; memory is what it takes above what it has with the
matrix read and all libraries loaded. Libraries that are not installed are named.
"""

import heapq
import os
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib.util import find_spec
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

import maxcover as mc
from _report import arguments, heading, hold, table


class Limits(NamedTuple):
    """What a program may take."""

    seconds: int
    gigabytes: int


def clustered(n_points: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.random((max(n_points // 30, 2), 5))
    return centres[rng.integers(len(centres), size=n_points)] + rng.normal(0, 0.05, (n_points, 5))


def nearest(points: np.ndarray, neighbours: int) -> csr_matrix:
    """Return the similarities 1 / (1 + distance) of points to their nearest points."""
    distances, found = cKDTree(points).query(points, k=range(1, neighbours + 1))
    columns = np.repeat(np.arange(len(points)), neighbours)
    values = 1.0 / (1.0 + np.ravel(distances))
    return csr_matrix((values, (np.ravel(found), columns)), shape=(len(points), len(points)))


class Found(NamedTuple):
    """What a program chose, and an upper bound and its edges, if it has them."""

    chosen: list[int]
    most: float = np.nan
    edges: int = 0


def greedy(similarity: csr_matrix, picks: int) -> Found:
    """Choose by the lazy greedy algorithm."""
    rows = similarity.tocsr()
    best = np.zeros(rows.shape[1])
    sums = np.asarray(rows.sum(axis=1)).ravel()
    queue = [(-float(total), i) for i, total in enumerate(sums)]
    heapq.heapify(queue)
    chosen = []
    for _ in range(picks):
        while True:
            _, i = heapq.heappop(queue)
            part = slice(rows.indptr[i], rows.indptr[i + 1])
            columns, values = rows.indices[part], rows.data[part]
            gain = float(np.maximum(values - best[columns], 0.0).sum())
            if not queue or -gain <= queue[0][0]:
                break
            heapq.heappush(queue, (-gain, i))
        best[columns] = np.maximum(best[columns], values)
        chosen.append(i)
    return Found(chosen)


def apricot(similarity: csr_matrix, picks: int) -> Found:
    """Choose by apricot, from the sparse matrix."""
    from apricot import FacilityLocationSelection

    chooser = FacilityLocationSelection(picks, metric="precomputed").fit(similarity)
    return Found(chooser.ranking.tolist())


def apricot_dense(points: np.ndarray, picks: int) -> Found:
    """Choose by apricot, from points."""
    from apricot import FacilityLocationSelection

    return Found(FacilityLocationSelection(picks, metric="euclidean").fit(points).ranking.tolist())


def submodlib(similarity: csr_matrix, picks: int) -> Found:
    """Choose by submodlib, from the sparse matrix."""
    from submodlib import FacilityLocationFunction

    n_points = similarity.shape[0]
    function = FacilityLocationFunction(
        n=n_points, mode="sparse", sijs=similarity, num_neighbors=int(similarity.getnnz(1).max())
    )
    found = function.maximize(budget=picks, optimizer="LazyGreedy", show_progress=False)
    return Found([int(i) for i, _ in found])


def ours(similarity: csr_matrix, picks: int, effort: str = "normal") -> Found:
    """Choose by `from_similarity` and `solve`."""
    problem = mc.CoverageProblem.from_similarity(similarity, budget=picks)
    solution = mc.solve(problem, effort=effort)
    return Found(solution.selected.tolist(), solution.upper_bound, problem.n_edges)


def ours_fast(similarity: csr_matrix, picks: int) -> Found:
    """Choose by `from_similarity`, and `solve` with little effort."""
    return ours(similarity, picks, "fast")


def ours_from_points(points: np.ndarray, picks: int) -> Found:
    """Find the neighbours too."""
    found = mc.select(points, neighbours=20, budget=picks, metric="euclidean", target_gap=0.0)
    return Found(found.indices.tolist(), found.solution.upper_bound, found.problem.n_edges)


PROGRAMS = {
    "lazy greedy": (greedy, None),
    "apricot": (apricot, "apricot"),
    "apricot, dense": (apricot_dense, "apricot"),
    "submodlib": (submodlib, "submodlib"),
    "maxcover": (ours, None),
    "maxcover, fast": (ours_fast, None),
    "maxcover, fast, from points": (ours_from_points, None),
}


def limited(
    call: Callable[..., Found], data: object, picks: int, small: object, most: Limits
) -> tuple[Found, float, float]:
    """Return what a program finds, its CPU seconds, and gigabytes above those at the start."""
    resource.setrlimit(resource.RLIMIT_CPU, (most.seconds, most.seconds))
    resource.setrlimit(resource.RLIMIT_DATA, (most.gigabytes * 2**30,) * 2)
    # what libraries print is not part of the report
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    call(small, 2)  # loads and compiles
    before, begin = _peak(), time.process_time()
    found = call(data, picks)
    return found, time.process_time() - begin, _peak() - before


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def measure(
    n_points: int, picks: int, neighbours: int, *, names: list[str], seed: int, most: Limits
) -> list[tuple[object, ...]]:
    """Return rows of the table for one size; the figures of `maxcover` are the last columns."""
    points = clustered(n_points, seed)
    similarity, small = (_sparse(part, neighbours) for part in (points, points[:100]))
    rows, base = [], 0.0
    for name in names:
        call, library = PROGRAMS[name]
        if library is not None and find_spec(library) is None:
            rows.append((n_points, name, "not installed", *[np.nan] * 5))
            continue
        is_dense = call is apricot_dense
        of_points = is_dense or call is ours_from_points
        given = (points, points[:100]) if of_points else (similarity, small)
        pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        try:
            job = pool.submit(limited, call, given[0], picks, given[1], most)
            found, seconds, memory = job.result()
        except (BrokenProcessPool, MemoryError) as error:
            rows.append((n_points, name, f"gave up: {type(error).__name__}", *[np.nan] * 5))
            continue
        finally:
            pool.shutdown()
        value = float(similarity[found.chosen].max(axis=0).sum())
        base = base or value
        rows.append(
            (n_points, name, "", np.nan if is_dense else value / base - 1, 1 - value / found.most,
             seconds, memory, found.edges)
        )  # fmt: skip
    return rows


def _sparse(points: np.ndarray, neighbours: int) -> csr_matrix:
    """Return similarities as the libraries want them."""
    rows = csr_matrix(nearest(points, neighbours))
    rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return rows


def main() -> None:
    options = arguments(
        __doc__, parts=tuple(PROGRAMS), largest=100_000, smallest=1000, seconds=300, gigabytes=4
    )
    # from points: 20 neighbours, whatever the others have
    names = options.parts or [*PROGRAMS][:-1]
    sizes = ((1000, 40, 15), (10_000, 400, 15), (100_000, 4000, 20))
    largest = 1000 if options.quick else options.largest
    kept = [size for size in sizes if options.smallest <= size[0] <= largest]
    most = Limits(options.seconds, options.gigabytes)
    rows = [
        row for size in kept for row in measure(*size, names=names, seed=options.seed, most=most)
    ]
    heading("Facility location", sizes=kept, seed=options.seed)
    table(
        ("points", "program", "value above greedy", "gap", "CPU s", "GB", "edges"),
        [
            (row[0], row[1], row[2] or _percent(row[3]), _percent(row[4]),
             *("" if np.isnan(x) else f"{x:.2f}" for x in row[5:7]), row[7] or "")
            for row in rows
        ],
    )  # fmt: skip
    mine = [row for row in rows if str(row[1]).startswith("maxcover")]
    others = {(row[0], row[1]): row for row in rows}
    hold("value above greedy", float(np.nanmin([row[3] for row in mine])), least=-1e-3)
    if options.smallest > 1000 or options.parts:
        return
    hold("value above greedy, 1,000 points", mine[0][3], least=0.002)
    hold("gap, 1,000 points", mine[0][4], most=0.02)
    for name in ("apricot", "submodlib"):
        if not others[1000, name][2]:
            above = mine[0][3] - others[1000, name][3]
            hold(f"value above {name}, 1,000 points", above, least=0.002)


def _percent(figure: float) -> str:
    return "" if np.isnan(figure) else f"{figure:.3%}"


if __name__ == "__main__":
    main()
