"""One graph on a real Spark cluster: the answers of one machine, also after a loss."""

import os
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import maxcover as mc
from maxcover.distributed import solve as graph_solve
from maxcover.distributed import spark as spark_graph
from maxcover.distributed.partition import sweep_shard
from maxcover.distributed.solve import Graph, Plan, solve_graph
from maxcover.distributed.spark import in_pieces
from maxcover.distributed.spark_bsp import OnSpark
from maxcover.errors import EngineError, ProblemError
from maxcover.kernels.propagate import propagate
from tests.distributed.pieces import in_process, messages

pytestmark = [
    pytest.mark.xdist_group("spark"),  # one cluster for all
    pytest.mark.filterwarnings("ignore"),  # what PySpark warns of is not ours to mend
]


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
    assert graph.machines.repeats == 1
    check_messages(problem, graph, field, 6, support, chosen)


def test_supersteps_are_repeated_from_the_last_checkpoint(problem, graph, monkeypatch, tmp_path):
    field = -4.0 * 1.5 * problem.costs
    graph.believe(field, beta=4.0, sweeps=10, tol=0.0)
    dies = interrupted(partial(os._exit, 1), tmp_path / "marker", sweep=3)
    monkeypatch.setattr(graph_solve, "sweep_shard", dies)
    graph.believe(field, beta=4.0, sweeps=4, tol=0.0)
    assert graph.machines.repeats == 1
    assert graph.machines.saved is not None
    assert len(graph.machines.log) == 1 + 4
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
    found = spark_graph.solve(*frames(spark, problem), budget=problem.budget, shards=2, plan=plan)
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
        spark_graph.solve(edges, costs, weights.filter("element != 7"), budget=10, shards=2)
    holed = edges.selectExpr("set", "nullif(element, 7) as element")
    with pytest.raises(ProblemError, match="expected no null in edges"):
        spark_graph.solve(holed, costs, weights, budget=10, shards=2)


def _written(marker: Path) -> str:
    """Wait for a file and return what it says."""
    for _ in range(6000):
        if marker.exists() and marker.read_text():
            return marker.read_text()
        time.sleep(0.02)
    raise TimeoutError(f"no {marker}")
