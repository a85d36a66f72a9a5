"""Many small problems on a real Spark cluster of two workers: the rows of the local engine."""

import os
import subprocess
import threading
import time
from pathlib import Path

import pyarrow as pa
import pytest

import maxcover as mc
from maxcover.batch import local
from maxcover.batch import spark as mcs
from maxcover.text.background import Background
from tests.batch.results import (
    BUDGET,
    LIMITS,
    check_quarantine,
    poisoned,
    rows_of,
    small_news,
    write_lines,
    write_parquet,
)

pytestmark = [
    pytest.mark.xdist_group("spark"),  # one cluster for all
    pytest.mark.filterwarnings("ignore"),  # what PySpark warns of is not ours to mend
]

# The full form has 20,000: MAXCOVER_CLUSTERS=20000
CLUSTERS = int(os.environ.get("MAXCOVER_CLUSTERS", "300"))


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The rows of the local engine, poison among them."""
    folder = tmp_path_factory.mktemp("expected")
    news = small_news(CLUSTERS)
    source = write_parquet(folder / "news.parquet", [*news[:40], *poisoned(), *news[40:]])
    local.batch(source, folder / "out", budget=BUDGET, limits=LIMITS)
    return source, rows_of(folder / "out")


def run(spark, source, out: Path, partitions: int) -> dict:
    report = mcs.batch(
        str(source), str(out), spark=spark, partitions=partitions, budget=BUDGET, limits=LIMITS
    )
    assert report.clusters == CLUSTERS + 6
    return rows_of(out)


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_rows_are_the_same_for_any_partitioning(spark, expected, tmp_path, partitions):
    rows = run(spark, expected[0], tmp_path / "out", partitions)
    check_quarantine(rows)
    assert rows == expected[1]


def test_rows_are_the_same_after_a_worker_is_killed(cluster, spark, expected, tmp_path):
    found: dict = {}
    job = threading.Thread(
        target=lambda: found.update(run(spark, expected[0], tmp_path / "out", 12))
    )
    job.start()
    _wait_for_tasks(spark, 3)
    cluster.kill_worker()
    cluster.workers.append(cluster.start_worker())
    job.join()
    assert found == expected[1]


def test_json_lines_give_the_rows_of_the_local_engine(spark, tmp_path):
    source = write_lines(tmp_path / "news.jsonl", small_news(20))
    with source.open("ab") as file:
        file.write(b"no json\n")
    local.batch(source, tmp_path / "local", budget=BUDGET, workers=1)
    mcs.batch(str(source), str(tmp_path / "spark"), spark=spark, partitions=2, budget=BUDGET)
    assert rows_of(tmp_path / "spark") == rows_of(tmp_path / "local")


def test_document_frequencies_are_those_of_one_machine(spark):
    rows = [row for cluster in small_news(4) for row in cluster]
    ids = [f"{row.cluster}-{row.document}" for row in rows]
    texts = [row.text.decode() for row in rows]
    frame = spark.createDataFrame(pa.table({"doc_id": [*ids, ids[0]], "text": [*texts, texts[0]]}))
    counted = mcs.document_frequencies(frame)
    assert counted == Background.from_documents(texts)
    assert mc.summarize(texts[:3], budget=BUDGET, background=counted).value > 0


def test_spark_submit(cluster, tmp_path):
    source = write_parquet(tmp_path / "news.parquet", [*small_news(3), *poisoned()[:1]])
    script = Path(__file__).parents[2] / "scripts" / "maxcover_batch.py"
    submit = cluster.spark_class.with_name("spark-submit")
    command = [submit, "--master", "local[1]", "--conf", "spark.ui.enabled=false", script]
    command += [source, tmp_path / "out", "--budget", "30", "--partitions", "1"]
    ended = subprocess.run(
        list(map(str, command)),
        check=False,
        capture_output=True,
        text=True,
        env=cluster.environment,
    )
    assert "4 clusters: 3 summarised, 1 in quarantine" in ended.stdout, ended.stderr[-2000:]
    assert ended.returncode == 3


def _wait_for_tasks(spark, wanted: int) -> None:
    """Wait until some tasks of the running job are done."""
    tracker = spark.sparkContext.statusTracker()
    for _ in range(6000):
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        if any(
            stage and stage.numTasks == 12 and stage.numCompletedTasks >= wanted for stage in stages
        ):
            return
        time.sleep(0.02)
    raise TimeoutError("no task was done")
