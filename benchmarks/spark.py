"""Spark against a bare pool of processes: many clusters, Parquet to Parquet."""

import importlib.util
import shutil
import tempfile
import time
from pathlib import Path

from _report import arguments, clock, heading, table
from _synthetic_news import news, write_news
from batch import BUDGET, bare
from maxcover.batch import spark as mcs


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


def main() -> None:
    options = arguments(__doc__ or "", clusters=1000, memory=6)
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        print("Spark is not installed: nothing to measure")
        return
    heading("Spark against a bare pool", clusters=options.clusters, seed=options.seed)
    count = 60 if options.quick else options.clusters
    with tempfile.TemporaryDirectory() as name:
        session = start(name, "2g" if options.quick else f"{options.memory}g")
        ratio = clusters(session, Path(name), count, options.seed)
        if not options.quick:
            clock("Spark / bare pool", ratio, least=0.7)
        session.stop()


if __name__ == "__main__":
    main()
