"""Spark against the same kernels in one bare process: many clusters, and sweeps of one graph."""

import importlib.util
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

from _report import arguments, heading, hold, table
from batch import BUDGET, bare
from maxcover.engines import spark as mcs
from maxcover.engines.graph_solve import Graph
from maxcover.engines.spark_graph import in_pieces
from maxcover.engines.synthetic import news, write_news
from maxcover.kernels.propagate import prior_odds
from maxcover.kernels.run import Run

DEGREE = 10  # edges of a set
SHARE = 10  # edges of an element


def start(folder: str, memory: str):
    session = mcs.session(
        "local[2]",
        **{
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.memory": memory,
            "spark.local.dir": folder,
        },
    )
    session.sparkContext.setLogLevel("OFF")
    session.sparkContext.setCheckpointDir(f"{folder}/checkpoints")
    return session


def clusters(session, folder: Path, count: int, seed: int) -> float:
    """Return the throughput of Spark, start-up excluded, relative to a bare pool."""
    source = folder / "news.parquet"
    write_news(source, count, seed=seed)
    texts = [[row.text.decode() for row in rows] for rows in news(count, seed=seed)]
    warm = folder / "warm.parquet"
    write_news(warm, 4, seed=seed)
    mcs.batch(str(warm), str(folder / "warm"), spark=session, partitions=2, budget=BUDGET)
    plain = bare(texts, 2)
    started = time.perf_counter()
    mcs.batch(str(source), str(folder / "out"), spark=session, partitions=8, budget=BUDGET)
    ours = count / (time.perf_counter() - started)
    row = (count, f"{plain:.1f}", f"{ours:.1f}", f"{ours / plain:.2f}")
    table(("clusters", "bare pool, clusters/s", "Spark local[2], clusters/s", "ratio"), [row])
    return ours / plain


def bare_sweep(n_sets: int, n_elements: int, sweeps: int, seed: int) -> float:
    """Return the seconds of a sweep of the kernel in this process, in one block and thread."""
    indices = np.random.default_rng(seed).integers(0, n_elements, n_sets * DEGREE)
    indptr = np.arange(n_sets + 1, dtype=np.int64) * DEGREE
    prior = prior_odds(np.full(n_elements, 8.0), hard=True)
    field = np.full(n_sets, -8.0)
    run = Run(indptr, indices.astype(np.int32), field=field, prior=prior, r=None, pool=None)
    run.tables, run.tiles = run.tables[:1], run.tiles[:1]
    run.rows, run.cuts = np.array([0, n_sets]), np.array([0, n_elements])
    run.restart(prior)
    return min(_timed(lambda: run.step(0.3, prior)) for _ in range(sweeps))


def graph(session, edges: int, sweeps: int, seed: int) -> tuple[float, float]:
    """Return seconds a sweep in one bare process and on Spark with two shards."""
    n_sets, n_elements = edges // DEGREE, edges // SHARE
    plain = bare_sweep(n_sets, n_elements, sweeps, seed)
    from pyspark.sql import functions as F  # noqa: N812 - what everybody calls it

    ids = session.range(0, edges, 1, 8)
    frame = ids.select(
        F.floor(F.col("id") / DEGREE).alias("set"),
        F.pmod(F.xxhash64("id"), F.lit(n_elements)).alias("element"),
    )
    weights = session.range(n_elements).select(
        F.col("id").alias("element"), F.lit(1.0).alias("weight")
    )
    seconds: list[float] = []
    pieces = in_pieces(frame, weights, 2)
    step = pieces.step

    def timed_step(*tasks):
        started = time.perf_counter()
        reports = step(*tasks)
        seconds.append(time.perf_counter() - started)
        return reports

    pieces.step = timed_step
    found = Graph(pieces, np.arange(n_sets))
    seconds.clear()
    found.believe(np.full(n_sets, -8.0), beta=8.0, sweeps=sweeps, tol=0.0)
    return plain, float(np.median(seconds[2:] or seconds))


def _timed(task) -> float:
    started = time.perf_counter()
    task()
    return time.perf_counter() - started


def main() -> None:
    options = arguments(__doc__ or "", clusters=1000, largest=7, sweeps=6)
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        print("Spark is not installed: nothing to measure")
        return
    heading("Spark against one bare process", clusters=options.clusters, seed=options.seed)
    powers = [4] if options.quick else list(range(6, options.largest + 1))
    with tempfile.TemporaryDirectory() as name:
        session = start(name, "2g" if options.quick else "6g")
        rows = []
        for power in powers:
            plain, ours = graph(
                session, 10**power, 3 if options.quick else options.sweeps, options.seed
            )
            rows.append((f"10^{power}", f"{plain:.3f}", f"{ours:.3f}", f"{ours / plain:.1f}"))
        table(("edges", "bare s/sweep", "Spark s/sweep, two shards", "ratio"), rows)
        if not options.quick:
            hold("Spark / bare sweep at the largest", ours / plain, most=3.0)
            ratio = clusters(session, Path(name), options.clusters, options.seed)
            hold("Spark / bare pool", ratio, least=0.7)
        session.stop()


if __name__ == "__main__":
    main()
