"""Many small problems on Spark with random kills: the rows of the local engine, or an error."""

import importlib.util
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

from _report import arguments, heading, hold, table
from _synthetic_news import write_news
from _tree import tree
from batch_kills import rows
from maxcover.batch import local
from maxcover.batch import spark as mcs
from maxcover.errors import MaxcoverError

BUDGET = 30
KINDS = ("Python worker", "executor", "host")


def victims(kind: str) -> list[int]:
    """Return processes of a kind among those that this one started, by their command lines."""
    wanted = {"Python worker": "pyspark.daemon", "executor": "CoarseGrainedExecutorBackend"}
    found = []
    for pid in tree():
        with suppress(OSError):
            line = (Path("/proc") / str(pid) / "cmdline").read_text()
            if wanted[kind] in line and pid != os.getpid():
                found.append(pid)
    return found


def kill_one(standalone, chance: random.Random) -> str:
    """Kill a Python worker, an executor, or a host with its disk, which is then replaced."""
    kind = chance.choice(KINDS)
    if kind == "host":
        standalone.kill_worker()
        standalone.workers.append(standalone.start_worker())
    elif found := victims(kind):
        with suppress(ProcessLookupError):
            os.kill(chance.choice(found), signal.SIGKILL)
    else:
        return ""
    return kind


def one_run(session, standalone, folder: Path, source: Path, chance, most: int, counts) -> str:
    """Run once with kills; return what became of it."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    ended: list[str] = []

    def work() -> None:
        try:
            mcs.batch(str(source), str(folder / "out"), spark=session, partitions=8, budget=BUDGET)
            ended.append("done")
        except MaxcoverError as error:
            ended.append(f"refused: {error}")
        except Exception as error:
            ended.append(f"raw error: {type(error).__name__}: {str(error)[:200]}")

    job = threading.Thread(target=work)
    job.start()
    while job.is_alive() and sum(counts.values()) < most:
        job.join(chance.uniform(1, 10))
        if job.is_alive() and (kind := kill_one(standalone, chance)):
            counts[kind] += 1
    job.join()
    return ended[0]


def main() -> None:
    options = arguments(__doc__ or "", kills=100, clusters=1000)
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        raise SystemExit("expected PySpark and Java 17: pip install 'maxcover[spark]'")
    sys.path.append(str(Path(__file__).parents[1]))
    from tests.spark.standalone import Standalone

    kills, clusters = (2, 300) if options.quick else (options.kills, options.clusters)
    size = f"{clusters} of 3 documents x 5 sentences"
    heading("Random kills on Spark, many small problems", clusters=size, seed=options.seed)
    chance = random.Random(options.seed)  # noqa: S311 - not for secrets
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "news.parquet"
        write_news(source, clusters, documents=3, sentences=5, seed=options.seed)
        local.batch(source, folder / "local", budget=BUDGET)
        wanted = {name: rows.sort_by("cluster") for name, rows in rows(folder / "local").items()}
        standalone = Standalone(folder)
        settings = {"spark.ui.enabled": "false", "spark.executor.memory": "700m"}
        session = mcs.session(
            standalone.address, **settings, **{"spark.ui.showConsoleProgress": "false"}
        )
        session.sparkContext.setLogLevel("OFF")
        counts = dict.fromkeys(KINDS, 0)
        outcomes = {"identical": 0, "refused": 0, "wrong": 0, "raw error": 0}
        try:
            while sum(counts.values()) < kills:
                ended = one_run(session, standalone, folder, source, chance, kills, counts)
                if ended == "done":
                    found = rows(folder / "out")
                    same = all(
                        sorted(found[name].to_pylist(), key=str)
                        == sorted(wanted[name].to_pylist(), key=str)
                        for name in wanted
                    )
                    outcomes["identical" if same else "wrong"] += 1
                else:
                    outcomes[ended.partition(":")[0]] += 1
                print(f"{counts}, {outcomes}, {ended[:200]}", flush=True)
        finally:
            session.stop()
            standalone.stop()
    table(
        ("killed: Python worker", "executor", "host", *outcomes),
        [(*counts.values(), *outcomes.values())],
    )
    hold("wrong tables", outcomes["wrong"], most=0)
    hold("raw errors", outcomes["raw error"], most=0)


if __name__ == "__main__":
    main()
