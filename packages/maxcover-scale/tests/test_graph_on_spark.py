"""One graph on a real Spark cluster: the answer of one process to the last bit, also after kills.

The session of these tests speculates and allocates executors dynamically.
"""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from tests import sweeps

import maxcover as mc
from graphs import LIMITS, PLAN, frames_of, graph
from maxcover.errors import ProblemError
from maxcover_scale.distributed import ascent
from maxcover_scale.distributed import dataframes as frames
from maxcover_scale.distributed import graph as spark_graph
from maxcover_scale.distributed.chunks import sum_shares
from maxcover_scale.distributed.plan import WorkPlan
from pieces import answer

pytestmark = [
    pytest.mark.xdist_group("spark"),  # one cluster for all
    pytest.mark.filterwarnings("ignore"),  # what PySpark warns of is not ours to mend
]

KILLS = sweeps.size(30)


def same(found, expected):
    assert np.array_equal(found.sets, expected.sets)
    for name in ("value", "cost", "upper_bound", "passes", "rounds", "rest_edges"):
        assert getattr(found, name) == getattr(expected, name), name


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_the_answer_is_that_of_one_process(spark, monkeypatch, partitions):
    if partitions == 7:  # Spark adds up, slice by slice, before the driver does
        monkeypatch.setattr(frames, "_FEW", 3)
        monkeypatch.setattr(frames, "_SLICE", 100)
    problem = graph()
    found = spark_graph.solve(
        *frames_of(spark, problem), budget=60, partitions=partitions, plan=PLAN, **LIMITS
    )
    same(found, answer(problem, 2, PLAN))


def test_a_graph_that_fits_the_driver_is_solved_there(spark):
    problem = graph()
    found = spark_graph.solve(*frames_of(spark, problem), budget=60, **LIMITS)
    alone = mc.solve(problem)
    assert (found.value, found.upper_bound) == (alone.value, alone.upper_bound)
    assert np.array_equal(found.sets, alone.selected)
    assert mc.verify(problem, found.solution).ok


def test_rounds_where_the_driver_holds_little(spark):
    problem = graph()
    plan = WorkPlan(steps=2, most_edges=50, rounds=2, completions=1)
    found = spark_graph.solve(*frames_of(spark, problem), budget=60, plan=plan, **LIMITS)
    assert found.rounds == 2
    same(found, answer(problem, 1, plan))


def deadly(folder: Path, kinds: list[str]):
    """Return steps, in each of which a process dies once, before it has answered."""

    def steps(selection, sharpness, quantum):
        ask = sum_shares(selection, sharpness, quantum)
        step = round(sharpness * ascent.SMOOTH)
        kind = kinds[step] if step < len(kinds) else ""

        def once(chunks):
            found = ask(chunks)
            try:
                (folder / f"{step}").open("x").close()
            except FileExistsError:
                return found
            daemon = os.getppid()
            java = int(Path(f"/proc/{daemon}/stat").read_text().rsplit(")", 1)[1].split()[1])
            victims = {"process": os.getpid(), "daemon": daemon, "executor": java}
            if kind:
                os.kill(victims[kind], signal.SIGKILL)
            return found

        return once

    return steps


def test_the_answer_is_the_same_after_kills(spark, monkeypatch, tmp_path):
    problem = graph()
    tables = frames_of(spark, problem)
    kinds = np.random.default_rng(0).choice(["process", "daemon", "executor"], KILLS).tolist()
    kinds[:3] = "process", "daemon", "executor"
    for first in range(0, KILLS, 5):
        part = kinds[first : first + 5]
        plan = WorkPlan(steps=max(len(part), 3), completions=1)
        folder = tmp_path / str(first)
        folder.mkdir()
        with monkeypatch.context() as patch:
            patch.setattr(ascent, "sum_shares", deadly(folder, part))
            found = spark_graph.solve(*tables, budget=60, partitions=3, plan=plan, **LIMITS)
        assert len(list(folder.iterdir())) == plan.steps + 1
        same(found, answer(problem, 2, plan))


def test_what_is_wrong_with_the_graph_is_told_as_on_one_machine(spark):
    edges, costs, weights = frames_of(spark, graph())

    def refused(said, edges=edges, costs=costs, weights=weights, **options):
        for partitions in (2, None):
            with pytest.raises(ProblemError, match=said):
                spark_graph.solve(
                    edges, costs, weights, budget=60, partitions=partitions, **options
                )

    refused(
        "expected elements of edges to have a weight, got 7", weights=weights.filter("element != 7")
    )
    refused("expected sets of edges to have a cost, got 7", costs=costs.filter("set != 7"))
    refused("no null in edges", edges=edges.selectExpr("set", "nullif(element, 7) AS element"))
    refused("every set once", costs=costs.unionAll(costs))
    refused("expected required to name sets in costs, got 1000", required=[1000])
