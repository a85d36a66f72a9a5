"""Proofs by cases: saved, loaded and checked; forged ones are refused."""

import random

import numpy as np
import pytest

import maxcover as mc
from maxcover.engine.core import verify as checker
from maxcover.engine.core.io import plain_record
from tests import sweeps
from tests.instances import random_problem

N_FORGED = 2_000


@pytest.fixture(scope="module")
def dense():
    rng = np.random.default_rng(2)
    sets = [rng.choice(40, 6, replace=False).tolist() for _ in range(24)]
    return mc.CoverageProblem.from_sets(sets, budget=5)


@pytest.fixture(scope="module")
def proven(dense):
    found = mc.solve(dense, checkable=True)
    assert found.tree is not None
    assert found.status == "optimal"
    return found


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_a_saved_tree_proves_the_answer(dense, proven, tmp_path, ending):
    mc.save(proven, tmp_path / f"solution.{ending}")
    loaded = mc.load(tmp_path / f"solution.{ending}")
    assert loaded.standing == "unverified"
    report = mc.verify(dense, loaded, strict=True)
    assert (report.outcome, report.bound) == ("proven", proven.value)
    leaves = proven.tree.n_leaves
    assert leaves > 10
    assert f"optimal, {leaves} leaves" in repr(report.solution)
    assert f"bound by branch and bound, {leaves} leaves." in proven._repr_html_()
    assert not proven.witness
    assert "Proven best" in proven.certificate


def test_without_its_tree_the_dual_point_proves_less(dense, proven):
    record = plain_record(proven)
    bare = {name: held for name, held in record.items() if not name.startswith("tree_")}
    assert checker.check(plain_record(dense), bare).outcome == "trusted"
    assert checker.check(plain_record(dense), bare, strict=True).outcome == "refused"


def forged(record, rng):
    """Return a record with another tree: a leaf gone or twice, a decision or a point changed."""
    record = {**record, **{x: list(record[x]) for x in record if isinstance(record[x], list)}}
    nodes, kind = record["tree_nodes"], rng.choice(["gone", "twice", "turned", "set", "point"])
    k = rng.randrange(len(nodes))
    if kind == "gone":
        del nodes[k]
    elif kind == "twice":
        nodes.insert(k, nodes[k])
    elif kind == "turned":
        nodes[k] = nodes[k] ^ 1
    elif kind == "set":
        nodes[k] = rng.randrange(-len(record["tree_prices"]) - 1, 50)
    else:
        name = rng.choice(["tree_prices", "tree_shares", "tree_indptr", "tree_elements"])
        j = rng.randrange(len(record[name]))
        record[name][j] = rng.choice([0, 1, -1, record[name][j] + rng.choice([1, -1, 1000])])
    return record, kind


def test_forged_trees_do_not_prove_what_is_false(dense, proven):
    """The second best selection never passes for the best, whatever its tree says."""
    problem = plain_record(dense)
    worse = mc.certify(dense, proven.selected[1:])
    claim = {"status": "optimal", "upper_bound": worse.value, "gap": 0.0}
    tree = {x: held for x, held in plain_record(proven).items() if x.startswith("tree_")}
    record = {**plain_record(worse), **claim, **tree, "bound_by": "branch and bound"}
    assert checker.check(problem, record).outcome == "refused"
    for k in sweeps.cases(N_FORGED):
        other, kind = forged(record, random.Random(k))
        assert checker.check(problem, other).outcome == "refused", (k, kind)


def test_a_tree_that_lacks_a_leaf_proves_nothing(dense, proven):
    problem, record = plain_record(dense), plain_record(proven)
    for k in range(len(record["tree_nodes"])):
        nodes = [*record["tree_nodes"][:k], *record["tree_nodes"][k + 1 :]]
        if record["tree_nodes"][k] < 0 or k == 0:
            assert checker.check(problem, {**record, "tree_nodes": nodes}).outcome == "refused"


def test_small_problems_are_proven_by_the_file_alone():
    for k in sweeps.cases(3_000):
        problem = random_problem(np.random.default_rng(k), groups=False)
        found = mc.solve(problem, checkable=True)
        report = checker.check(plain_record(problem), plain_record(found), strict=True)
        assert (report.outcome, report.status) == ("proven", "optimal")
