"""A graph in pieces in one process: the same messages and answers as the graph in one."""

from itertools import pairwise

import numpy as np
import pytest

import maxcover as mc
from maxcover.distributed.bsp import InProcess
from maxcover.distributed.parcels import Parcel, pack
from maxcover.distributed.partition import build_block, build_shard
from maxcover.distributed.solve import Graph, Plan, solve_graph
from maxcover.distributed.spark import solve
from maxcover.errors import OptionError, ProblemError
from maxcover.kernels.propagate import propagate
from tests.distributed.pieces import in_process, messages


def random_problem(seed: int, *, heavy: bool = False) -> mc.CoverageProblem:
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 9, 150).astype(float)
    if heavy:
        weights[::10] *= 1000  # beyond plain numbers at any useful temperature
    return mc.CoverageProblem.from_edges(
        rng.integers(0, 200, 1500),
        rng.integers(0, 150, 1500),
        costs=rng.integers(1, 20, 200).astype(float),
        weights=weights,
        n_sets=200,
        n_elements=150,
        budget=100,
    )


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("heavy", [False, True])
def test_messages_are_those_of_one_graph(size, heavy):
    problem = random_problem(3, heavy=heavy)
    beta, field = 2.0, -1.2 * problem.costs
    pieces = in_process(problem, size)
    graph = Graph(pieces, np.arange(problem.n_sets))
    for sweeps in (4, 9):  # the second run goes on from the messages of the first
        support, chosen = graph.believe(field, beta=beta, sweeps=sweeps, tol=0.0)
    options = {"field": field, "tol": 0.0, "max_sweeps": 9}
    arrays = (problem.indptr, problem.indices, beta * problem.weights)
    first = propagate(*arrays, **{**options, "max_sweeps": 4})
    alone = propagate(*arrays, **options, r=first.r)
    np.testing.assert_allclose(messages(problem, graph), alone.r, rtol=1e-9)
    np.testing.assert_allclose(support, alone.support, rtol=1e-9)
    held = np.diff(problem.indptr) > 0  # no shard holds a set without an edge
    np.testing.assert_allclose(chosen[held], alone.chosen[held], rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_any_number_of_pieces_gives_the_same_certified_answer(seed):
    problem = random_problem(seed)
    found = [
        solve_graph(
            in_process(problem, size),
            np.arange(problem.n_sets),
            problem.costs,
            budget=problem.budget,
            mean_weight=float(problem.weights.mean()),
            plan=Plan(dual_steps=60),
        )
        for size in (1, 4)
    ]
    best = mc.solve(problem, method="exact")
    assert found[0].value == pytest.approx(found[1].value, rel=1e-6)
    assert found[0].upper_bound == pytest.approx(found[1].upper_bound, rel=1e-6)
    for selection in found:
        certified = mc.certify(problem, selection.sets, bound="quick")
        assert selection.value == pytest.approx(certified.value, rel=1e-12)
        assert selection.cost == certified.cost <= problem.budget
        assert 0.95 * best.value <= selection.value <= best.value <= selection.upper_bound
        assert selection.upper_bound <= 1.03 * best.upper_bound


def test_the_bound_holds_however_few_steps():
    problem = random_problem(1)
    best = mc.solve(problem, method="exact").value
    for steps in (0, 1, 5):
        found = solve_graph(
            in_process(problem, 2),
            np.arange(problem.n_sets),
            problem.costs,
            budget=problem.budget,
            mean_weight=1.0,
            plan=Plan(dual_steps=steps, rounds=1, tries=1),
        )
        assert found.upper_bound >= best


def test_edges_without_a_cost_or_weight_are_refused():
    shard = build_shard(np.array([5, 5]), np.array([1, 9]), 1)
    block = build_block(np.array([1, 2]), np.ones(2))
    with pytest.raises(ProblemError, match="none for 9"):
        Graph(InProcess([shard], [block]), np.array([5]))
    block = build_block(np.array([9, 1]), np.ones(2))
    with pytest.raises(ProblemError, match="none for 5"):
        Graph(InProcess([shard], [block]), np.array([4]))
    with pytest.raises(ProblemError, match="twice"):
        build_block(np.array([1, 1]), np.ones(2))


def test_a_shard_keeps_every_edge_once():
    shard = build_shard(np.array([7, 3, 7, 7]), np.array([4, 5, 4, 0]), 2)
    assert shard.sets.tolist() == [3, 7]
    assert shard.elements.tolist() == [0, 4, 5]
    assert shard.cuts.tolist() == [0, 2, 3]
    rows = [shard.elements[shard.indices[a:b]].tolist() for a, b in pairwise(shard.indptr)]
    assert rows == [[5], [0, 4]]


def test_parcels_come_whole_in_any_order():
    content = {"large": np.arange(2_000_000.0), "small": np.arange(3), "none": np.empty(0)}
    parts = list(pack(content))
    assert len(parts) == 1 + 31
    parcel = Parcel()
    for part in reversed(parts):  # PySpark turns the pieces into bytes
        parcel.add(part if isinstance(part, bytes) else (*part[:3], bytes(part[3])))
    found = parcel.content()
    for name, array in content.items():
        np.testing.assert_array_equal(found[name], array)
    found["large"][0] = 1.0  # a task works in place


def test_spark_refuses_limits_that_it_does_not_know():
    with pytest.raises(OptionError, match="got groups, required; leave out the rows"):
        solve(None, None, None, budget=1.0, groups=[0], required=[1])
