"""Spark against one bare process: one graph against `auto`, and many clusters against a pool."""

import importlib.util
import itertools
import shutil
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import maxcover as mc
from _graphs import GRAPHS
from _report import arguments, clock, heading, hold, table
from _synthetic_news import news, write_news
from _tree import Peak
from batch import BUDGET, bare
from maxcover_scale.batch import spark as mcs
from maxcover_scale.distributed.graph import solve
from maxcover_scale.distributed.plan import WorkPlan

COLUMNS = (
    "graph",
    "edges",
    "auto s",
    "Spark s",
    "value / auto",
    "bound / auto",
    "gap %",
    "rest edges %",
    "passes",
    "peak GB: driver",
    "Java",
    "Python workers",
    "all at once",
)
# What the selection has to be worth, relative to `auto` on one machine.
LEAST = 0.998


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


def graph(session, folder: Path, kind: str, edges: int, options) -> list:
    """Solve one graph on Spark and, if wanted, by `auto` before; return a row of the table."""
    problem = GRAPHS[kind](edges, options.seed)
    best, alone_seconds = (np.nan, np.nan), np.nan
    if options.alone:
        alone_seconds, alone = _seconds(partial(mc.solve, problem))
        best = alone.value, alone.upper_bound
        del alone
    tables = {
        "edges": {
            "set": np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr)),
            "element": problem.indices.astype(np.int64),
        },
        "costs": {"set": np.arange(problem.n_sets), "cost": problem.costs},
        "weights": {"element": np.arange(problem.n_elements), "weight": problem.weights},
    }
    for name, columns in tables.items():
        pq.write_table(pa.table(columns), folder / f"{name}.parquet", row_group_size=1 << 20)
    frames = [session.read.parquet(str(folder / f"{name}.parquet")) for name in tables]
    count, budget = problem.n_edges, problem.budget
    del problem, tables
    started = time.perf_counter()

    def tell(line: str) -> None:
        print(f"{time.perf_counter() - started:.0f} s: {line}", flush=True)

    with Peak(every=2.0) as peak:
        seconds, found = _seconds(
            lambda: solve(
                *frames,
                budget=budget,
                partitions=options.partitions,
                plan=WorkPlan(steps=options.steps or None),
                tell=tell,
            )
        )
    held = [peak.found[name] / 1e3 for name in ("driver", "java", "workers", "all")]
    shares = (found.value / best[0], found.upper_bound / best[1])
    rest = 100 * found.rest_edges / count
    times = (alone_seconds, seconds)
    return [kind, count, *times, *shares, 100 * found.gap, rest, found.passes, *held]


def _seconds(work):
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found


def main() -> None:
    sizes = {"clusters": 1000, "smallest": 6, "largest": 7, "steps": 0, "memory": 6}
    more = {"partitions": 2, "alone": 1}  # with `--alone 0` only on Spark
    options = arguments(__doc__ or "", parts=list(GRAPHS), **sizes, **more)
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        print("Spark is not installed: nothing to measure")
        return
    heading("Spark against one bare process", clusters=options.clusters, seed=options.seed)
    powers = [4] if options.quick else list(range(options.smallest, options.largest + 1))
    kinds = ["text-like"] if options.quick else options.parts or list(GRAPHS)
    with tempfile.TemporaryDirectory() as name:
        session = start(name, "2g" if options.quick else f"{options.memory}g")
        rows = []
        for power, kind in itertools.product(powers, kinds):
            row = graph(session, Path(name), kind, 10**power, options)
            rows.append([f"{each:.4g}" if isinstance(each, float) else each for each in row])
            print(*rows[-1], flush=True)
            if options.alone:
                least = 0.95 if options.quick else LEAST
                hold(f"value on Spark / auto, {kind}, 10^{power} edges", row[4], least=least)
        table(COLUMNS, rows)
        if options.clusters and not options.quick:
            ratio = clusters(session, Path(name), options.clusters, options.seed)
            clock("Spark / bare pool", ratio, least=0.7)
        session.stop()


if __name__ == "__main__":
    main()
