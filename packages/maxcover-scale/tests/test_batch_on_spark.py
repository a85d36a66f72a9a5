"""Many small problems on a real Spark cluster of two workers: the rows of the local engine."""

import json
import logging
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests import sweeps

import maxcover as mc
from graphs import PLAN, graph
from maxcover.errors import EngineError, FileFormatError, OptionError
from maxcover.texts.weigh.background import Background
from maxcover_scale.batch import local
from maxcover_scale.batch import spark as mcs
from maxcover_scale.batch.result_tables import TABLES
from maxcover_scale.batch.spark_files import SparkRun
from pieces import answer
from results import (
    BUDGET,
    LIMITS,
    check_quarantine,
    poisoned,
    rows_of,
    small_news,
    write_parquet,
)
from standalone import PLACES

pytestmark = [
    pytest.mark.xdist_group("spark"),  # one cluster for all
    pytest.mark.filterwarnings("ignore"),  # what PySpark warns of is not ours to mend
]

LOG = logging.getLogger(__name__)
CLUSTERS = sweeps.size(800)
# The full form says how often it killed: pytest --log-cli-level=INFO
KILLS = sweeps.size(40)


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


def test_rows_are_the_same_for_any_partitioning(spark, expected, tmp_path):
    """Seven tasks here; twelve where a worker is killed, and three on Spark Connect."""
    rows = run(spark, expected[0], tmp_path / "out", 7)
    check_quarantine(rows)
    assert rows == expected[1]


def test_rows_are_the_same_after_kills(cluster, spark, expected, tmp_path):
    """Where Spark gives up, that is an error of ours, and the next call has the same rows."""
    choose = Random(0)
    kinds = ["host", "process", "daemon", "executor"]
    kinds += choose.choices(kinds, k=KILLS - len(kinds))
    killed, runs, errors = 0, 0, []
    while killed < KILLS:
        runs += 1
        with ThreadPoolExecutor(1) as other:
            job = other.submit(run, spark, expected[0], tmp_path / f"out-{runs}", 12)
            for _ in range(4):
                time.sleep(choose.uniform(0.2, 2))
                if killed < KILLS and not job.done():
                    killed += cluster.kill_one(kinds[killed], choose)
        try:
            found = job.result()
        except EngineError as error:
            errors.append(error)
            found = run(spark, expected[0], tmp_path / f"out-{runs}", 12)
        assert found == expected[1]
        LOG.info("%d kills in %d runs, errors: %s", killed, runs, errors)


def test_where_spark_gives_up_the_next_call_goes_on(cluster, spark, expected, tmp_path):
    with ThreadPoolExecutor(1) as other:
        job = other.submit(run, spark, expected[0], tmp_path / "out", 12)
        while not job.done():
            time.sleep(0.1)
            cluster.kill_one("process", Random(0))
    with pytest.raises(EngineError, match="Spark cannot"):
        job.result()
    assert run(spark, expected[0], tmp_path / "out", 12) == expected[1]


def test_another_budget_input_or_version_is_refused_with_the_reason(spark, tmp_path, monkeypatch):
    source, out = write_parquet(tmp_path / "news.parquet", small_news(3)), tmp_path / "out"

    def again(source=source, budget=BUDGET):
        return mcs.batch(str(source), str(out), spark=spark, partitions=1, budget=budget)

    assert again().resumed == 0
    wanted = rows_of(out)
    os.utime(source, (1, 1))
    assert again().resumed == 3
    with pytest.raises(OptionError, match=r"options\.budget was 30, is 31; repeat"):
        again(budget=BUDGET + 1)
    with pytest.raises(OptionError, match=r"input\.digest was .*input\.rows was 9, is 6"):
        again(write_parquet(tmp_path / "other.parquet", small_news(2)))
    with monkeypatch.context() as patch:
        patch.setattr(metadata, "version", lambda _: "9.9")
        with pytest.raises(OptionError, match=r"is 9\.9"):
            again()
    assert rows_of(out) == wanted
    # a job that died while it wrote a table
    shutil.rmtree(out / "_done" / "clusters")
    (out / "clusters" / "part-junk.parquet").write_bytes(b"torn")
    assert again().resumed == 3
    assert rows_of(out) == wanted
    with pytest.raises(OptionError, match="to be new, empty or a run of the local engine"):
        local.batch(source, out, budget=BUDGET)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("not ours")
    with pytest.raises(OptionError, match="to be new, empty or a run of Spark"):
        mcs.batch(str(source), str(tmp_path / "full"), spark=spark, budget=BUDGET)


def test_tables_are_there_even_when_empty(spark, tmp_path):
    source = write_parquet(tmp_path / "news.parquet", [])
    mcs.batch(str(source), str(tmp_path / "out"), spark=spark, budget=BUDGET)
    for name, schema in TABLES.items():
        (file,) = (tmp_path / "out" / name).glob("*.parquet")
        assert pq.read_schema(file).names == schema.names


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("s3://bucket/news.parquet", "^s3://bucket/news.parquet: Spark cannot read it: .*scheme"),
        (__file__, "expected .parquet, or a directory or a glob of such files, found none"),
        ("/nothing/news.parquet", "^/nothing/news.parquet: Spark cannot read it: .*not exist"),
    ],
)
def test_what_spark_cannot_read_is_told_in_a_line(spark, tmp_path, source, said):
    with pytest.raises(FileFormatError, match=said) as caught:
        mcs.batch(source, str(tmp_path / "out"), spark=spark, budget=BUDGET)
    assert len(str(caught.value).splitlines()) == 1


def test_a_run_that_finds_another_one_gives_up(spark, tmp_path):
    first, second = (SparkRun(spark, str(tmp_path / "out"), "{}") for _ in range(2))
    with pytest.raises(OptionError, match="another run is at work in"):
        first.written("table", spark.range(1))
    assert second.written("table", spark.range(1)).count() == 1


def test_spark_connect_gives_the_same_rows_and_the_same_selection(cluster, expected, tmp_path):
    program = Path(__file__).with_name("on_connect.py")
    command = [sys.executable, program, cluster.start_connect(), expected[0], tmp_path / "out"]
    ended = subprocess.run(
        list(map(str, command)),
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": PLACES},
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    seen = json.loads(ended.stdout)
    assert seen["clusters"] == CLUSTERS + 6
    assert rows_of(tmp_path / "out") == expected[1]
    found = answer(graph(), 1, PLAN)
    assert seen["graph"] == [found.sets.tolist(), found.value, found.upper_bound]
    texts = [[row.text.decode() for row in cluster] for cluster in small_news(3)]
    background = Background.from_documents(text for cluster in texts for text in cluster)
    assert seen["counts"] == background.counts
    assert seen["values"] == {
        rows[0].cluster: mc.summarize(cluster, budget=BUDGET, background=background).value
        for rows, cluster in zip(small_news(3), texts, strict=True)
    }


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
    script = Path(__file__).parents[3] / "scripts" / "maxcover_batch.py"
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
