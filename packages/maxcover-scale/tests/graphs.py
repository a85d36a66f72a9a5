"""A small graph as DataFrames."""

import numpy as np
import pyarrow as pa

import maxcover as mc
from maxcover_scale.distributed.plan import WorkPlan

PLAN = WorkPlan(steps=3, completions=1)
LIMITS = {"required": [3, 17], "forbidden": [0], "max_items": {"a": 4}}


def graph() -> mc.CoverageProblem:
    """Return 300 sets of one element in nine, some of them in a group."""
    plain = mc.generate.biregular(300, 900, 9, 3, budget=60, seed=1)
    return mc.CoverageProblem.from_edges(
        np.repeat(np.arange(plain.n_sets), np.diff(plain.indptr)),
        plain.indices,
        costs=plain.costs,
        weights=plain.weights,
        groups=_groups(plain.n_sets),
        budget=60,
        **LIMITS,
    )


def frames_of(spark, problem: mc.CoverageProblem) -> list:
    """Return edges, costs and weights."""
    rows = np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr))
    names, sets = _groups(problem.n_sets), np.arange(problem.n_sets)
    tables = (
        {"set": rows, "element": problem.indices.astype(np.int64)},
        {"set": sets, "cost": problem.costs, "group": pa.array(names, pa.string())},
        {"element": np.arange(problem.n_elements), "weight": problem.weights},
    )
    return [spark.createDataFrame(pa.table(table)) for table in tables]


def _groups(count: int) -> list[str | None]:
    return ["a" if k % 5 == 0 else None for k in range(count)]
