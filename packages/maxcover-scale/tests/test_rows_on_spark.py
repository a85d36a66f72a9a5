"""Rows with embeddings on a real Spark cluster: the lists and the answer of one process."""

import numpy as np
import pyarrow as pa
import pytest

import maxcover as mc
from maxcover.errors import FileFormatError, OptionError, ProblemError
from maxcover_scale.distributed.chunks import nested_lists
from maxcover_scale.distributed.coreset import solve_pieces, status_at_first
from maxcover_scale.distributed.plan import WorkPlan
from maxcover_scale.distributed.spark_rows import RowSearch, select
from pieces import InProcess

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore"),
]

ROWS, K, PLAN = 400, 6, WorkPlan(steps=4, completions=1)
OPTIONS = {
    "cost": "tokens", "worth": "quality", "quota": {"source": 0.4}, "duplicates": 0.999,
    "budget": 300.0,
}  # fmt: skip


def table() -> dict:
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(12, 8))[rng.integers(0, 12, ROWS)] + 0.3 * rng.normal(size=(ROWS, 8))
    vectors[50:60] = vectors[40:50] + 0.01
    return {
        "id": np.arange(ROWS) * 3 + 7,
        "embedding": vectors.astype(np.float32),
        "tokens": rng.integers(1, 30, ROWS).astype(float),
        "quality": np.round(rng.random(ROWS) / 4, 3),
        "source": rng.choice(["a", "b", "c"], ROWS),
    }


def frame(spark, rows: dict):
    lists = pa.array([row.tolist() for row in rows["embedding"]], pa.list_(pa.float32()))
    return spark.createDataFrame(pa.table({**rows, "embedding": lists}))


def alone(rows: dict):
    """Return what one process chooses with the same lists, and without pieces."""
    whole = mc.select(rows, neighbours=K, search="cells", **OPTIONS)
    lists = whole.lists
    similar = np.rint(lists.similarity * 2**24) / 2**24
    sets = whole.problem.with_elements(
        np.zeros(ROWS + 1, np.int64), np.zeros(0, np.int32), weights=np.zeros(0)
    )
    status, own = status_at_first(sets), np.arange(ROWS)
    paid = np.flatnonzero(rows["quality"] > 0)
    worth = nested_lists(-1 - paid, paid[:, None].astype(np.int32), rows["quality"][paid, None],
                         status)  # fmt: skip
    pieces = InProcess([[*nested_lists(own, lists.rows, similar, status), *worth]])
    return whole, solve_pieces(pieces, sets, ids=rows["id"], nested=True, plan=PLAN)


@pytest.mark.parametrize("parts", [1, 5])
def test_the_answer_is_that_of_one_process(spark, parts):
    rows = table()
    whole, expected = alone(rows)
    shuffled = frame(spark, rows).orderBy("tokens")
    found = select(shuffled, neighbours=K, parts=parts, plan=PLAN, **OPTIONS)
    assert np.array_equal(found.sets, expected.sets)
    assert (found.value, found.upper_bound) == (expected.value, expected.upper_bound)
    assert whole.problem.violation((found.sets - 7) // 3) == ""
    assert found.value > 0.9 * whole.value  # after four steps
    assert found.upper_bound >= whole.value


def test_a_pass_has_a_task_for_each_core(spark):
    rows, name = table(), "spark.sql.shuffle.partitions"
    sets = mc.CoverageProblem.from_edges([], [], weights=[], costs=rows["tokens"], budget=300.0)
    before = spark.conf.get(name)
    spark.conf.set(name, "30")
    try:
        given = frame(spark, rows).select("id", "embedding")
        pieces = RowSearch(rows["id"], K, 5, 0).pieces(given, sets)
        assert pieces.cached.rdd.getNumPartitions() == 5
        assert pieces.chunks.rdd.getNumPartitions() == 2
        pieces.close()
        assert spark.conf.get(name) == "30"
    finally:
        spark.conf.set(name, before)


def test_what_is_refused(spark):
    rows = table()
    with pytest.raises(OptionError, match="expected a column 'token' in the rows"):
        select(frame(spark, rows), budget=5, cost="token")
    for change, error, message in (
        ({"id": np.zeros(ROWS, np.int64)}, ProblemError, "an id of its own"),
        ({"embedding": 0 * rows["embedding"]}, ProblemError, "not all zero"),
        ({"quality": -rows["quality"]}, ProblemError, "expected worth"),
    ):
        with pytest.raises(error, match=message):
            select(frame(spark, {**rows, **change}), budget=5, worth="quality", neighbours=K)
    ragged = spark.createDataFrame(pa.table({"id": [1, 2], "embedding": [[1.0], [1.0, 2.0]]}))
    with pytest.raises(FileFormatError, match="of one length"):
        select(ragged, budget=1)
