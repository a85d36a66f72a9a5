"""Facility location: `from_similarity` and `solve` beside greedy, and apricot if it is there.

Points are drawn around random centres in five dimensions, each point has its nearest neighbours as
similarities, and all programs get the same sparse matrix and choose as many points. Greedy is the
exact lazy greedy on similarities that apricot and submodlib run; neither has an upper bound.
"""

import heapq
import resource
import time

import numpy as np
from scipy.sparse import csr_matrix

import maxcover as mc
from _report import arguments, heading, hold, table
from maxcover.core.similarity import nearest


def clustered(n_points: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.random((max(n_points // 30, 2), 5))
    return centres[rng.integers(len(centres), size=n_points)] + rng.normal(0, 0.05, (n_points, 5))


def greedy(similarity: object, picks: int) -> float:
    """Return what the lazy greedy algorithm reaches."""
    rows = similarity.tocsr()
    best = np.zeros(rows.shape[1])
    sums = np.asarray(rows.sum(axis=1)).ravel()
    queue = [(-float(total), i) for i, total in enumerate(sums)]
    heapq.heapify(queue)
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
    return float(best.sum())


def apricot(similarity: object, picks: int) -> float | None:
    """Return what apricot's facility location reaches; None where it is not installed."""
    try:
        from apricot import FacilityLocationSelection
    except ImportError:
        return None
    rows = csr_matrix(similarity)
    rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    chooser = FacilityLocationSelection(picks, metric="precomputed").fit(rows)
    return float(rows[chooser.ranking].max(axis=0).sum())


def timed(call: object, *given: object) -> tuple[object, float]:
    begin = time.process_time()
    return call(*given), time.process_time() - begin


def main() -> None:
    options = arguments(__doc__, neighbours=15)
    rows = []
    for n_points, picks in ((1000, 40),) if options.quick else ((1000, 40), (10_000, 400)):
        similarity = nearest(clustered(n_points, options.seed), options.neighbours)
        simple, simple_seconds = timed(greedy, similarity, picks)
        other, other_seconds = timed(apricot, similarity, picks)
        for levels in (None, 8):
            begin = time.process_time()
            problem = mc.CoverageProblem.from_similarity(similarity, budget=picks, levels=levels)
            solution = mc.solve(problem)
            seconds = time.process_time() - begin
            true = float(similarity.tocsr()[solution.selected].max(axis=0).sum())
            most = solution.upper_bound + problem.rounding
            rows.append(
                (n_points, picks, levels or "all", problem.n_edges, true / simple - 1,
                 1 - true / most, problem.rounding / true, seconds, simple_seconds, other_seconds,
                 None if other is None else other / simple - 1)
            )  # fmt: skip
    heading("Facility location", neighbours=options.neighbours, seed=options.seed)
    table(
        ("points", "picks", "levels", "edges", "above greedy", "gap", "rounding", "s", "s, greedy",
         "s, apricot", "apricot above greedy"),
        [
            (*row[:4], *(f"{x:.3%}" for x in row[4:7]), *(f"{x:.2f}" for x in row[7:10]),
             "not installed" if row[10] is None else f"{row[10]:.3%}")
            for row in rows
        ],
    )  # fmt: skip
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")
    hold("value above greedy", min(row[4] for row in rows), least=-1e-3)
    hold("value above greedy, all levels, 1,000 points", rows[0][4], least=0.002)
    hold("gap, all levels, 1,000 points", rows[0][5], most=0.02)


if __name__ == "__main__":
    main()
