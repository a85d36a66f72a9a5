"""Spark against the same kernels in one bare process: many clusters, and sweeps of one graph."""

import importlib.util
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

from _report import arguments, heading, hold, table
from _synthetic_news import news, write_news
from _tree import Peak, timed
from batch import BUDGET, bare
from maxcover.batch import spark as mcs
from maxcover.distributed.solve import Graph
from maxcover.distributed.spark import in_pieces
from maxcover.kernels.propagate import prior_odds
from maxcover.kernels.run import Run

DEGREE = 10  # edges of a set
SHARE = 10  # edges of an element
COLUMNS = (
    "edges",
    "bare s/sweep",
    "Spark s/sweep",
    "Spark CPU-s/sweep",
    "ratio",
    "cut into shards s",
    "peak GB: driver",
    "Java",
    "Python workers",
    "all at once",
)
# Times of a bare sweep that a sweep on Spark may take, by the power of ten of the edges. The aim at
# 10^7 is 3, which the median of several runs meets; single ones scatter with the bare sweep.
MOST = {7: 3.5, 8: 2.0}


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
    """Return the throughput of Spark, start-up excluded, relative to a bare pool; best of two."""
    source = folder / "news.parquet"
    write_news(source, count, seed=seed)
    texts = [[row.text.decode() for row in rows] for rows in news(count, seed=seed)]
    warm = folder / "warm.parquet"
    write_news(warm, 4, seed=seed)
    mcs.batch(str(warm), str(folder / "warm"), spark=session, partitions=2, budget=BUDGET)
    rows = []
    for turn in range(2):
        plain = bare(texts, 2)
        started = time.perf_counter()
        out = str(folder / f"out-{turn}")
        mcs.batch(str(source), out, spark=session, partitions=16, budget=BUDGET)
        ours = count / (time.perf_counter() - started)
        rows.append((count, f"{plain:.1f}", f"{ours:.1f}", f"{ours / plain:.2f}"))
    table(("clusters", "bare pool, clusters/s", "Spark local[2], clusters/s", "ratio"), rows)
    return max(float(row[-1]) for row in rows)


def bare_sweeps(n_sets: int, n_elements: int, sweeps: int, seed: int) -> list[float]:
    """Return the seconds of sweeps of the kernel in this process, in one block and thread."""
    indices = np.random.default_rng(seed).integers(0, n_elements, n_sets * DEGREE, dtype=np.int32)
    indptr = np.arange(n_sets + 1, dtype=np.int64) * DEGREE
    prior = prior_odds(np.full(n_elements, 8.0), hard=True)
    field = np.full(n_sets, -8.0)
    run = Run(indptr, indices, field=field, prior=prior, r=None, pool=None)
    run.tables, run.tiles = run.tables[:1], run.tiles[:1]
    run.rows, run.cuts = np.array([0, n_sets]), np.array([0, n_elements])
    run.restart(prior)
    return [timed(lambda: run.step(0.3, prior))[0] for _ in range(sweeps)]


def graph(session, edges: int, sweeps: int, looks: int, seed: int) -> tuple[float, ...]:
    """Return seconds a sweep of one bare process, seconds and processor seconds a sweep of Spark.

    Spark has two shards. Its figure is that of all there is to a look at the beliefs (checkpoint,
    restart, sweeps, answers to the driver) over the number of sweeps: the median of some looks,
    after as many in which Java compiles itself. Bare sweeps are timed before and after; their
    median.
    """
    n_sets, n_elements = edges // DEGREE, edges // SHARE
    plain = bare_sweeps(n_sets, n_elements, 6, seed)
    from pyspark.sql import functions as F  # noqa: N812 - what everybody calls it

    ids = session.range(0, edges, 1, 8)
    frame = ids.select(
        F.floor(F.col("id") / DEGREE).alias("set"),
        F.pmod(F.xxhash64("id"), F.lit(n_elements)).alias("element"),
    )
    weights = session.range(n_elements).select(
        F.col("id").alias("element"), F.lit(1.0).alias("weight")
    )
    started = time.perf_counter()
    with Peak(every=2.0) as peak:
        pieces = in_pieces(frame, weights, 2)
        found = Graph(pieces, np.arange(n_sets))
        built = time.perf_counter() - started

        def look(count: int) -> tuple[float, float]:
            field = np.full(n_sets, -8.0)
            return timed(lambda: found.believe(field, beta=8.0, sweeps=count, tol=0.0))

        taken = [look(sweeps) for _ in range(2 * looks)]
        wall, processor = np.median(taken[looks:], axis=0)
        pieces.close()
    plain += bare_sweeps(n_sets, n_elements, 6, seed)
    held = [peak.found[name] / 1e3 for name in ("driver", "java", "workers", "all")]
    return float(np.median(plain)), wall / sweeps, processor / sweeps, built, *held


def main() -> None:
    sizes = {"clusters": 1000, "smallest": 6, "largest": 7, "sweeps": 20, "looks": 3, "memory": 6}
    options = arguments(__doc__ or "", **sizes)
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        print("Spark is not installed: nothing to measure")
        return
    heading("Spark against one bare process", clusters=options.clusters, seed=options.seed)
    powers = [4] if options.quick else list(range(options.smallest, options.largest + 1))
    with tempfile.TemporaryDirectory() as name:
        session = start(name, "2g" if options.quick else f"{options.memory}g")
        rows, ratios = [], {}
        for power in powers:
            sweeps, looks = (3, 1) if options.quick else (options.sweeps, options.looks)
            plain, ours, processor, *rest = graph(session, 10**power, sweeps, looks, options.seed)
            ratios[power] = ours / plain
            figures = (plain, ours, processor, ratios[power], *rest)
            rows.append((f"10^{power}", *(f"{figure:.3g}" for figure in figures)))
            print(*rows[-1], flush=True)
        table(COLUMNS, rows)
        if options.clusters and not options.quick:
            ratio = clusters(session, Path(name), options.clusters, options.seed)
            hold("Spark / bare pool", ratio, least=0.7)
        for power in MOST.keys() & ratios.keys():
            hold(f"Spark / bare sweep at 10^{power} edges", ratios[power], most=MOST[power])
        session.stop()


if __name__ == "__main__":
    main()
