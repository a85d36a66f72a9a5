"""Spark on a real cluster of two workers: the same rows as the local engine, also after a loss."""

import os
import shutil
import subprocess
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

import pyarrow as pa

import maxcover as mc
from maxcover.engines import graph_solve, local, spark_graph
from maxcover.engines import spark as mcs
from maxcover.engines.graph import sweep_shard
from maxcover.engines.graph_solve import Graph, Plan, solve_graph
from maxcover.engines.spark_graph import in_pieces
from maxcover.engines.spark_steps import OnSpark
from maxcover.errors import EngineError, ProblemError
from maxcover.kernels.propagate import propagate
from maxcover.text.background import Background
from tests.engines.pieces import in_process, messages
from tests.engines.results import (
    BUDGET,
    LIMITS,
    check_quarantine,
    poisoned,
    rows_of,
    small_news,
    write_lines,
    write_parquet,
)
from tests.engines.standalone import Standalone

pytestmark = [
    pytest.mark.xdist_group("spark"),  # one cluster for all
    pytest.mark.filterwarnings("ignore"),  # what PySpark warns of is not ours to mend
]

# The full form has 20,000: MAXCOVER_CLUSTERS=20000
CLUSTERS = int(os.environ.get("MAXCOVER_CLUSTERS", "300"))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        running = Standalone(tmp_path_factory.mktemp("cluster"))
        patch.setenv("PYSPARK_PYTHON", running.environment["PYSPARK_PYTHON"])
        yield running
        running.stop()


@pytest.fixture(scope="module")
def spark(cluster, tmp_path_factory):
    session = mcs.session(
        cluster.address,
        **{
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.executor.memory": "700m",
            "spark.driver.host": "127.0.0.1",
            "spark.network.timeout": "60s",
        },
    )
    session.sparkContext.setLogLevel("OFF")
    session.sparkContext.setCheckpointDir(str(tmp_path_factory.mktemp("checkpoints")))
    yield session
    session.stop()


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


@pytest.fixture(scope="module")
def problem():
    return mc.generate.biregular(300, 900, 9, 3, budget=100, seed=1)


def frames(spark, problem):
    rows = np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr))
    tables = (
        {"set": rows, "element": problem.indices.astype(np.int64)},
        {"set": np.arange(problem.n_sets), "cost": problem.costs},
        {"element": np.arange(problem.n_elements), "weight": problem.weights},
    )
    return [spark.createDataFrame(pa.table(table)) for table in tables]


class Counted(OnSpark):
    """Counts how often supersteps had to be repeated."""

    repeats = 0

    def _repeat(self):
        self.repeats += 1
        super()._repeat()


@pytest.fixture
def graph(spark, problem, monkeypatch):
    monkeypatch.setattr(spark_graph, "OnSpark", Counted)
    edges, _, weights = frames(spark, problem)
    pieces = in_pieces(edges, weights, 2)
    yield Graph(pieces, np.arange(problem.n_sets))
    pieces.close()


def check_messages(problem, graph, field, sweeps, support, chosen):
    alone = propagate(
        problem.indptr,
        problem.indices,
        4.0 * problem.weights,
        field=field,
        max_sweeps=sweeps,
        tol=0.0,
    )
    np.testing.assert_allclose(support, alone.support, atol=1e-9)
    np.testing.assert_allclose(chosen, alone.chosen, atol=1e-9)
    np.testing.assert_allclose(messages(problem, graph), alone.r, atol=1e-9)
    assert graph.residuals == pytest.approx(alone.residuals, abs=1e-9)


def interrupted(happen, marker: Path, *, sweep: int):
    """Return sweeps in which something happens once, after the messages of a shard were changed."""

    def sweeps(*options):
        task = sweep_shard(*options)

        def once(place):
            work = task(place)
            if place.number == 1 and len(work.memory.moves) == sweep and not marker.exists():
                marker.write_text(os.environ["SPARK_LOCAL_DIRS"])
                happen()
            return work

        return once

    return sweeps


def test_messages_are_those_of_one_machine_also_after_a_kill(
    cluster, problem, graph, monkeypatch, tmp_path
):
    marker = tmp_path / "marker"
    doomed = partial(time.sleep, 600)  # until the worker is killed, which takes the task with it
    monkeypatch.setattr(graph_solve, "sweep_shard", interrupted(doomed, marker, sweep=7))
    killer = threading.Thread(target=lambda: cluster.kill_worker(_written(marker)))
    killer.start()
    field = -4.0 * 1.5 * problem.costs
    support, chosen = graph.believe(field, beta=4.0, sweeps=12, tol=0.0)
    killer.join()
    cluster.workers.append(cluster.start_worker())
    check_messages(problem, graph, field, 12, support, chosen)


def test_a_process_that_dies_in_a_sweep_changes_no_message(problem, graph, monkeypatch, tmp_path):
    dies = interrupted(partial(os._exit, 1), tmp_path / "marker", sweep=3)
    monkeypatch.setattr(graph_solve, "sweep_shard", dies)
    field = -4.0 * 1.5 * problem.costs
    support, chosen = graph.believe(field, beta=4.0, sweeps=6, tol=0.0)
    assert graph.cluster.repeats == 1
    check_messages(problem, graph, field, 6, support, chosen)


def test_supersteps_are_repeated_from_the_last_checkpoint(problem, graph, monkeypatch, tmp_path):
    field = -4.0 * 1.5 * problem.costs
    graph.believe(field, beta=4.0, sweeps=10, tol=0.0)
    dies = interrupted(partial(os._exit, 1), tmp_path / "marker", sweep=3)
    monkeypatch.setattr(graph_solve, "sweep_shard", dies)
    graph.believe(field, beta=4.0, sweeps=4, tol=0.0)
    assert graph.cluster.repeats == 1
    assert graph.cluster.saved is not None
    assert len(graph.cluster.log) == 1 + 4
    alone = [None]
    for sweeps in (10, 4):
        alone.append(
            propagate(
                problem.indptr,
                problem.indices,
                4.0 * problem.weights,
                field=field,
                max_sweeps=sweeps,
                tol=0.0,
                r=None if alone[-1] is None else alone[-1].r,
            )
        )
    np.testing.assert_allclose(messages(problem, graph), alone[-1].r, atol=1e-9)


def test_what_goes_wrong_in_a_sweep_is_told(graph, problem, monkeypatch):
    def broken(*_):
        def task(_):
            raise MemoryError("no room")

        return task

    monkeypatch.setattr(graph_solve, "sweep_shard", broken)
    with pytest.raises(EngineError, match=r"shard [01], MemoryError: no room"):
        graph.believe(-problem.costs, beta=4.0, sweeps=2, tol=0.0)


def test_nothing_is_left_behind(spark, problem, tmp_path):
    before = set(Path(spark.sparkContext.getCheckpointDir()).glob("*/rdd-*"))
    edges, _, weights = frames(spark, problem)
    pieces = in_pieces(edges, weights, 2)
    graph = Graph(pieces, np.arange(problem.n_sets))
    for _ in range(2):
        graph.believe(-problem.costs, beta=4.0, sweeps=12, tol=0.0)
    folders = pieces.anchor.mapPartitions(lambda _: [os.environ["SPARK_LOCAL_DIRS"]]).collect()
    run = f"maxcover-{pieces.names.run}"
    kept = [path for folder in folders for path in Path(folder, run).glob("*/*")]
    assert len(kept) >= 2 * 2 * 2  # of each piece what never changes, and what it remembers
    pieces.close()
    assert not [path for folder in folders for path in Path(folder, run).glob("*/*")]
    assert set(Path(spark.sparkContext.getCheckpointDir()).glob("*/rdd-*")) == before


def test_the_selection_is_that_of_one_machine(spark, problem):
    plan = Plan(dual_steps=4, rounds=1, sweeps=3, tries=1, completions=2)
    found = mcs.solve(*frames(spark, problem), budget=problem.budget, shards=2, plan=plan)
    alone = solve_graph(
        in_process(problem, 1),
        np.arange(problem.n_sets),
        problem.costs,
        budget=problem.budget,
        mean_weight=float(problem.weights.mean()),
        plan=plan,
    )
    assert found.value == pytest.approx(alone.value, rel=1e-6)
    assert found.upper_bound == pytest.approx(alone.upper_bound, rel=1e-6)
    certified = mc.certify(problem, found.sets, bound="quick")
    assert found.value == pytest.approx(certified.value, rel=1e-12)
    assert found.cost == certified.cost


def test_what_is_wrong_with_the_graph_is_told_as_on_one_machine(spark, problem):
    edges, costs, weights = frames(spark, problem)
    with pytest.raises(ProblemError, match="expected a weight for every element, got none for"):
        mcs.solve(edges, costs, weights.filter("element != 7"), budget=10, shards=2)
    holed = edges.selectExpr("set", "nullif(element, 7) as element")
    with pytest.raises(ProblemError, match="expected no null in edges"):
        mcs.solve(holed, costs, weights, budget=10, shards=2)


def _written(marker: Path) -> str:
    """Wait for a file and return what it says."""
    for _ in range(6000):
        if marker.exists() and marker.read_text():
            return marker.read_text()
        time.sleep(0.02)
    raise TimeoutError(f"no {marker}")


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
