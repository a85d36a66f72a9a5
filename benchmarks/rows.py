"""Rows by embedding: neighbours, value beside lazy greedy, gaps; a million rows of Parquet; Spark.

    python benchmarks/rows.py lists value [--rows 10000] [--seed 0]
    python benchmarks/rows.py value --vectors FILE.npz     # X, tok: own vectors and costs
    python benchmarks/rows.py parquet --rows 1000000 --neighbours 10 [--work DIR]
    python benchmarks/rows.py spark --rows 100000 --pieces 20 --neighbours 10 [--work DIR]

Vectors are mixtures with power-law clusters, 384 numbers each, 5 % of them near-duplicates; costs
are log-normal, the budget is 5 % of them. CPU seconds.
"""

import heapq
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

import maxcover as mc
from _report import arguments, heading, hold, table
from maxcover.uses.rows import bytes_needed, find_neighbours


def mixture(n, seed, d=384, block=50_000):
    """Yield blocks of unit vectors around C centres in T topics."""
    rng = np.random.default_rng(seed)
    topics, clusters = max(8, int(n**0.5 / 4)), max(n // 60, 2)
    topic = rng.standard_normal((topics, d)).astype(np.float32) / d**0.5
    spread = 0.8 * rng.standard_normal((clusters, d)).astype(np.float32) / d**0.5
    centre = topic[rng.integers(0, topics, clusters)] + spread
    often = 1 / np.arange(1, clusters + 1) ** 0.9
    basis = rng.standard_normal((64, 24, d)).astype(np.float32) / d**0.5
    width = (0.25 + 0.6 * rng.random(clusters)).astype(np.float32)
    for a in range(0, n, block):
        size = min(block, n - a)
        own = rng.choice(clusters, size, p=often / often.sum())
        inner = rng.standard_normal((size, 24)).astype(np.float32) / 24**0.5
        vectors = centre[own] + 0.25 * rng.standard_normal((size, d)).astype(np.float32) / d**0.5
        for k in range(64):
            here = own % 64 == k
            vectors[here] += width[own[here], None] * (inner[here] @ basis[k])
        twin = np.flatnonzero(rng.random(size) < 0.05)
        noise = 0.05 * rng.standard_normal((twin.size, d)).astype(np.float32) / d**0.5
        vectors[twin] = vectors[rng.integers(0, size, twin.size)] + noise
        yield vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def costs_of(n, seed):
    rng = np.random.default_rng([seed, 1])
    return np.maximum(8, rng.lognormal(5, 0.8, n)).astype(np.int64)


def lazy_greedy(lists, costs, budget):
    """Choose as the fifteen lines do that people write."""
    n, k = lists.rows.shape
    order = np.argsort(lists.rows.ravel(), kind="stable")
    starts = np.searchsorted(lists.rows.ravel()[order], np.arange(n + 1))
    point, similar = order // k, lists.similarity.ravel()[order]
    best, taken, left = np.zeros(n), [], budget
    total = np.bincount(lists.rows.ravel(), lists.similarity.ravel(), n)
    heap = [(-total[i] / costs[i], i) for i in range(n)]
    heapq.heapify(heap)
    while heap:
        _, i = heapq.heappop(heap)
        if costs[i] > left:
            continue
        own = slice(starts[i], starts[i + 1])
        rate = np.maximum(similar[own] - best[point[own]], 0).sum() / costs[i]
        if heap and rate < -heap[0][0] - 1e-15:
            heapq.heappush(heap, (-rate, i))
            continue
        if rate <= 0:
            break
        taken.append(i)
        left -= costs[i]
        best[point[own]] = np.maximum(best[point[own]], similar[own])
    return best.sum()


def clocked(function, *given, **options):
    start = time.process_time()
    found = function(*given, **options)
    return found, time.process_time() - start


def lists_of(vectors, k, seed):
    rows, found = [], None
    sample = np.random.default_rng(5).choice(len(vectors), min(400, len(vectors)), replace=False)
    last = -np.sort(-(vectors[sample] @ vectors.T), axis=1)[:, k - 1]
    for search in ("exact", "cells"):
        if search == "exact" and len(vectors) > 30_000:
            continue
        found, seconds = clocked(find_neighbours, vectors, k, search=search, seed=seed)
        recall = float((found.similarity[sample] >= last[:, None] - 1e-5).mean())
        rows.append((search, f"{seconds:.1f}", f"{recall:.4f}"))
        hold(f"recall of {search}", recall, least=0.97)
    table(["search", "s", "recall"], rows)


def value_of(vectors, costs, k, seed, full):
    budget = int(0.05 * costs.sum())
    lists = find_neighbours(vectors, k, seed=seed, search="exact" if full else "auto")
    greedy, slow = clocked(lazy_greedy, lists, costs, budget)
    given = (lists.rows, lists.similarity)
    chosen, seconds = clocked(mc.select, vectors, cost=costs, budget=budget, neighbours=given)
    rows = [("lazy greedy", f"{greedy:.1f}", "", f"{slow:.1f}"),
            ("select", f"{chosen.value:.1f}", f"{chosen.gap:.2%}", f"{seconds:.1f}")]  # fmt: skip
    hold("select beside lazy greedy", chosen.value / greedy, least=1 - 1e-9)
    if full:
        chosen = mc.select(vectors, cost=costs, budget=budget, neighbours=k, search="exact")
        gap, seconds = clocked(lambda: chosen.full_gap)
        rows.append(("full gap", f"{chosen.full_value:.1f}", f"{gap:.2%}", f"{seconds:.1f}"))
    table(["", "value", "gap", "s"], rows)


def written(path, n, seed):
    """Write rows to Parquet, unless they are there, and return their costs."""
    import pyarrow as pa
    from pyarrow import parquet as pq

    costs, rng = costs_of(n, seed), np.random.default_rng([seed, 2])
    if not path.exists():
        writer, done = None, 0
        for block in mixture(n, seed):
            size = len(block)
            part = pa.table({
                "id": np.arange(done, done + size),
                "embedding": pa.FixedSizeListArray.from_arrays(pa.array(block.ravel()), 384),
                "tokens": costs[done : done + size],
                "quality": 0.1 * rng.beta(2, 2, size),
                "source": rng.choice(list("abcde"), size, p=[0.5, 0.2, 0.15, 0.1, 0.05]),
            })  # fmt: skip
            writer = writer or pq.ParquetWriter(path, part.schema)
            writer.write_table(part)
            done += size
        writer.close()
    return costs


def parquet_of(n, k, seed, work):
    path, out = work / f"rows-{n}-{seed}.parquet", work / "chosen.parquet"
    costs = written(path, n, seed)
    chosen, seconds = clocked(
        mc.select, path, cost="tokens", budget=0.05 * float(costs.sum()), worth="quality",
        quota={"source": 0.3}, duplicates=0.95, neighbours=k, seed=seed,
    )  # fmt: skip
    chosen.to_parquet(out)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    row = (n, chosen.indices.size, f"{chosen.value:.0f}", f"{chosen.gap:.2%}", f"{seconds:.0f}",
           f"{peak:.1f}", f"{bytes_needed(n, 384, k) / 1e9:.1f}")  # fmt: skip
    table(["rows", "chosen", "value", "gap", "s", "GB at most", "GB stated"], [row])


def spark_of(n, k, seed, work, parts):
    """Choose on Spark, and on one machine with the same lists; seconds of the wall clock."""
    from _tree import Peak
    from maxcover.uses.rows.select import LARGE_GAP
    from maxcover_scale.distributed.coreset import solve_pieces, status_at_first
    from maxcover_scale.distributed.rest import gather
    from maxcover_scale.distributed.spark_rows import RowSearch
    from spark import start

    path = work / f"rows-{n}-{seed}.parquet"
    costs, ids = written(path, n, seed), np.arange(n)
    limits = {"costs": costs.astype(float), "budget": int(0.05 * costs.sum())}
    sets = mc.CoverageProblem.from_edges([], [], weights=[], **limits)
    session = start(str(work), "4g")
    began = time.perf_counter()

    def tell(line):
        print(f"{time.perf_counter() - began:7.1f} s  {line}", flush=True)

    with Peak(every=2.0) as peak:
        rows = session.read.parquet(str(path)).select("id", "embedding")
        pieces = RowSearch(ids, k, parts, seed).pieces(rows, sets)
        tell("neighbours found")
        found = solve_pieces(pieces, sets, ids=ids, nested=True, tell=tell, effort="fast")
        tell(f"{found.passes} passes, {found.rest_edges} edges for the driver")
    seconds = time.perf_counter() - began
    status = status_at_first(sets)
    whole = gather(sets, status, pieces.rest(status)).problem
    session.stop()
    alone, slow = clocked(mc.solve, whole, effort="fast", target_gap=LARGE_GAP)
    table(["", "chosen", "value", "gap", "s", "GB"], [
        ("Spark", found.sets.size, f"{found.value:.1f}", f"{found.gap:.2%}", f"{seconds:.0f}",
         f"{peak.found['all'] / 1e3:.1f}"),
        ("one stage", len(alone), f"{alone.value:.1f}", f"{alone.gap:.2%}", f"{slow:.0f}", ""),
    ])  # fmt: skip
    hold("Spark beside one stage", found.value / alone.value, least=0.995)
    hold("gap on Spark", found.gap, most=0.015)


def main() -> None:
    asked = arguments(
        __doc__, parts=("lists", "value", "parquet", "spark"), rows=10_000, neighbours=20,
        vectors="", work="", pieces=20,
    )  # fmt: skip
    n, k, seed = (2000 if asked.quick else asked.rows), asked.neighbours, asked.seed
    heading("Rows by embedding", rows=n, neighbours=k, seed=seed, data=asked.vectors or "mixture")
    parts = asked.parts or ["lists", "value"]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(asked.work or folder)
        if "parquet" in parts:
            parquet_of(n, k, seed, work)
        if "spark" in parts:
            spark_of(n, k, seed, work, asked.pieces)
    if {"lists", "value"} & {*parts}:
        if asked.vectors:
            given = np.load(asked.vectors)
            vectors, costs = given["X"], given["tok"]
        else:
            vectors, costs = np.concatenate([*mixture(n, seed)]), costs_of(n, seed)
        if "lists" in parts:
            lists_of(vectors, k, seed)
        if "value" in parts:
            value_of(vectors, costs, k, seed, full=len(vectors) <= 30_000)


if __name__ == "__main__":
    main()
