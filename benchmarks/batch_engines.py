"""Rows of the local engine, of Spark and of Spark Connect, held against each other."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pyarrow as pa

from _kills import batch_command
from _report import arguments, heading, hold, table
from _synthetic_news import write_news
from batch_kills import rows

ENGINES: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "local": ((), {}),
    "Spark classic": (("--engine", "spark", "--master", "local[2]"), {}),
    # a server of Spark Connect on this machine, which PySpark starts
    "Spark Connect": (("--engine", "spark"), {"SPARK_REMOTE": "local[2]"}),
}


def in_order(found: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """Return tables in an order that does not depend on the engine."""
    keys = {"sentences": [("cluster", "ascending"), ("rank", "ascending")]}
    return {
        name: each.sort_by(keys.get(name, "cluster")).combine_chunks()
        for name, each in found.items()
    }


def main() -> None:
    options = arguments(__doc__ or "", clusters=20_000, documents=3, sentences=5)
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        raise SystemExit("expected PySpark and Java 17: pip install 'maxcover[spark]'")
    clusters = 200 if options.quick else options.clusters
    size = f"{clusters} of {options.documents} documents x {options.sentences} sentences"
    heading("Rows of `maxcover batch` by engine", clusters=size, seed=options.seed)
    found, lines = {}, []
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "news.parquet"
        shape = {"documents": options.documents, "sentences": options.sentences}
        write_news(source, clusters, seed=options.seed, **shape)
        for engine, (extra, environment) in ENGINES.items():
            out = Path(name) / engine
            started = time.perf_counter()
            ended = subprocess.run(  # noqa: S603 - our own command
                batch_command(source, out, "--budget", "30", *extra),
                check=False,
                env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", **environment},
                capture_output=True,
                text=True,
            )
            if ended.returncode:
                raise SystemExit(f"{engine} ended with {ended.returncode}: {ended.stderr[-2000:]}")
            found[engine] = in_order(rows(out))
            same = all(found[engine][name].equals(each) for name, each in found["local"].items())
            counts = [each.num_rows for each in found[engine].values()]
            seconds = f"{time.perf_counter() - started:.0f}"
            lines.append((engine, *counts, "yes" if same else "NO", seconds))
            print(lines[-1], flush=True)
    table(("engine", *found["local"], "identical", "seconds"), lines)
    hold("engines that differ", sum(line[-2] != "yes" for line in lines), most=0)


if __name__ == "__main__":
    main()
