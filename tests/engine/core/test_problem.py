"""CoverageProblem: the same problem whatever it is built from, frozen, and small."""

import dataclasses

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse

from maxcover import CoverageProblem, generate, solve
from maxcover.errors import InfeasibleError, ProblemError

SETS = [0, 0, 1, 1, 1, 2, 4]
ELEMENTS = [0, 2, 1, 2, 3, 3, 0]
COSTS = [2.0, 3.0, 1.0, 4.0, 1.5]
WEIGHTS = [5.0, 1.0, 2.0, 0.5, 7.0]
MATRIX = np.zeros((5, 5))
MATRIX[SETS, ELEMENTS] = 1
FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
LIMITS = {"required": [4], "forbidden": [2], "groups": ["a", "a", "b", "b", None], "max_items": 1}


def reference(**options) -> CoverageProblem:
    return CoverageProblem.from_edges(
        SETS, ELEMENTS, costs=COSTS, weights=WEIGHTS, budget=6, **options
    )


def same_graph(one: CoverageProblem, other: CoverageProblem) -> bool:
    arrays = ("indptr", "indices", "costs", "weights", "required", "forbidden")
    limits = ("indptr", "members", "amounts", "low", "high")
    return (
        one.budget == other.budget
        and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
        and all(np.array_equal(getattr(one.limits, x), getattr(other.limits, x)) for x in limits)
    )


def by_label(problem: CoverageProblem) -> tuple:
    """Describe a labelled problem without the order of sets and elements."""
    elements, sets = problem.element_labels, problem.set_labels
    members = {
        sets[i]: (problem.costs[i], frozenset(elements[a] for a in problem.elements_of(i)))
        for i in range(problem.n_sets)
    }
    return members, dict(zip(elements, problem.weights.tolist(), strict=True)), problem.budget


@pytest.mark.parametrize("container", [list, tuple, np.array, pd.Series, pa.array])
def test_columns_of_any_kind(container):
    problem = CoverageProblem.from_edges(
        container(SETS),
        container(ELEMENTS),
        costs=container(COSTS),
        weights=container(WEIGHTS),
        budget=6,
    )
    assert same_graph(problem, reference())


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_every_sparse_format(name, kind):
    matrix = getattr(scipy.sparse, f"{name}_{kind}")(MATRIX)
    before = matrix.copy()
    problem = CoverageProblem.from_sparse(matrix, costs=COSTS, weights=WEIGHTS, budget=6, **LIMITS)
    assert same_graph(problem, reference(**LIMITS))
    assert (matrix != before).nnz == 0


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32, complex])
def test_sparse_entries_of_any_type(dtype):
    dense = MATRIX.astype(dtype)
    for matrix in (dense, dense.tolist(), scipy.sparse.csr_array(dense)):
        assert CoverageProblem.from_sparse(matrix, budget=1).n_edges == len(SETS)


def test_explicit_zeros_and_doubles_of_a_sparse_matrix():
    rows, columns, data = [0, 0, 1, 1], [0, 1, 1, 1], [1.0, 0.0, 1.0, 1.0]
    problem = CoverageProblem.from_sparse(
        scipy.sparse.coo_array((data, (rows, columns)), shape=(2, 3)), budget=1
    )
    assert problem.indices.tolist() == [0, 1]
    assert (problem.n_sets, problem.n_elements) == (2, 3)


def labelled() -> CoverageProblem:
    return CoverageProblem.from_sets(
        {"a": ["x", "y"], "b": ["y", ("z", 1)], "c": []},
        costs={"a": 2, "b": 1, "c": 5},
        weights={"x": 3, "y": 4, ("z", 1): 0.5},
        budget=3,
    )


def test_from_sets_keeps_labels_and_gives_them_back():
    problem = labelled()
    assert problem.set_labels == ("a", "b", "c")
    assert problem.element_labels == ("x", "y", ("z", 1))
    solution = solve(problem)
    assert solution.labels == tuple(problem.set_labels[i] for i in solution.selected)
    assert solution.labels == ("a", "b")
    assert problem.label(1) == "b"


@pytest.mark.parametrize("name", ["costs", "weights", "groups"])
def test_labels_that_there_are_not_are_refused_with_the_nearest(name):
    given = {"costs": {"left": 1, "right": 2}, "weights": {"lamp": 1, "chair": 1}}
    given["groups"] = {"left": "west"}
    near = {"costs": "lefft", "weights": "lamps", "groups": "rigth"}[name]
    given[name] = {**given[name], near: 3}
    if name == "weights":
        del given[name]["lamp"]
    with pytest.raises(ProblemError, match=rf"{name} has '{near}', which .*; did you mean"):
        CoverageProblem.from_sets(
            {"left": ["lamp"], "right": ["chair"]}, budget=1, max_items=1, **given
        )


@pytest.mark.parametrize(
    ("sets", "advice"),
    [
        (np.eye(3), "from_sparse"),
        (np.eye(3).tolist(), "from_sparse"),
        (scipy.sparse.eye_array(3), "from_sparse"),
        (nx.path_graph(3), "from_sets"),
        (pa.table({"set": [1]}), "from_table"),
        (pd.DataFrame({"set": [1]}), "from_table"),
    ],
)
def test_what_has_a_constructor_of_its_own_is_sent_there(sets, advice):
    with pytest.raises(ProblemError, match=advice):
        CoverageProblem.from_sets(sets, budget=1)


def test_from_sets_of_a_list_numbers_the_sets():
    problem = CoverageProblem.from_sets(({1, 2}, (2, 2, 2), iter([3])), costs=[1, 2, 3], budget=1)
    assert problem.set_labels == (0, 1, 2)
    assert problem.n_edges == 4
    assert problem.costs.tolist() == [1, 2, 3]


def test_from_sets_with_limits_by_label():
    problem = CoverageProblem.from_sets(
        {"a": [1], "b": [2], "c": [3], "d": [4]},
        budget=9,
        required=["c"],
        forbidden={"b"},
        groups={"a": "left", "b": "left", "d": "right"},
        max_items={"left": 1},
        max_cost={"right": 0},
    )
    assert problem.required.tolist() == [2]
    assert problem.forbidden.tolist() == [1]
    assert problem.limits.names == ("the items of group 'left'", "the cost of group 'right'")
    assert problem.limits.indptr.tolist() == [0, 2, 3]
    assert problem.limits.members.tolist() == [0, 1, 3]
    assert problem.limits.high.tolist() == [1, 0]
    assert solve(problem, method="exact").labels == ("a", "c")


COLUMNS = {
    "set": ["a", "a", "b", "b"],
    "element": ["x", "y", "y", "z"],
    "cost": [2, 2, 1, 1],
    "weight": [3, 4, 4, 0.5],
}


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame])
def test_from_table(make):
    from_columns = CoverageProblem.from_table(
        make(COLUMNS), costs="cost", weights="weight", budget=3
    )
    from_mappings = CoverageProblem.from_table(
        make(COLUMNS), costs={"a": 2, "b": 1}, weights={"x": 3, "y": 4, "z": 0.5}, budget=3
    )
    from_sets = CoverageProblem.from_sets(
        {"a": ["x", "y"], "b": ["y", "z"]},
        costs={"a": 2, "b": 1},
        weights={"x": 3, "y": 4, "z": 0.5},
        budget=3,
    )
    assert by_label(from_columns) == by_label(from_mappings) == by_label(from_sets)


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame])
def test_from_table_refuses(make):
    build = CoverageProblem.from_table
    with pytest.raises(
        ProblemError, match=r"column 'word' in the table, got the columns 'set', 'element'"
    ):
        build(make(COLUMNS), element="word", budget=1)
    with pytest.raises(
        ProblemError, match=r"same value of 'cost' in every row of 'a', got 2(.0)? and 9"
    ):
        build(make({**COLUMNS, "cost": [2, 9, 1, 1]}), costs="cost", budget=1)
    with pytest.raises(ProblemError, match=r"label in every row of column 'set', got 1 missing"):
        build(make({**COLUMNS, "set": ["a", None, "b", "b"]}), budget=1)
    with pytest.raises(ProblemError, match=r"cost\[1\] = nan"):
        build(make({**COLUMNS, "cost": [2.0, None, 1.0, 1.0]}), costs="cost", budget=1)


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame])
def test_from_table_with_categories_chunks_and_numbers(make):
    table = make({"set": [10, 10, 30], "element": [2.5, 7.5, 2.5]})
    problem = CoverageProblem.from_table(table, required=[30], budget=2)
    assert problem.set_labels == (10, 30)
    assert problem.element_labels == (2.5, 7.5)
    assert problem.required.tolist() == [1]


def test_from_table_of_dictionary_columns_and_chunks():
    frame = pd.DataFrame(COLUMNS).astype({"set": "category", "element": "category"})
    chunked = pa.concat_tables([pa.table(COLUMNS).slice(0, 1), pa.table(COLUMNS).slice(1)])
    encoded = pa.table(COLUMNS)
    encoded = encoded.set_column(0, "set", encoded["set"].dictionary_encode())
    plain = CoverageProblem.from_table(pa.table(COLUMNS), budget=1)
    for table in (frame, chunked, encoded):
        problem = CoverageProblem.from_table(table, budget=1)
        assert by_label(problem) == by_label(plain)


def test_all_constructors_give_the_same_answer():
    """Brute equality: one random graph, five ways in, one value and one cost out."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        matrix = rng.random((12, 15)) < 0.25
        sets, elements = np.nonzero(matrix)
        costs = {i: float(c) for i, c in enumerate(rng.integers(1, 9, 12))}
        weights = {a: float(w) for a, w in enumerate(rng.integers(1, 9, 15))}
        table = pa.table({"set": sets, "element": elements})
        common = {"budget": 15}
        arrays = {"costs": list(costs.values()), "weights": list(weights.values()), **common}
        used = {i: costs[i] for i in costs if matrix[i].any()}
        held = {a: weights[a] for a in weights if matrix[:, a].any()}
        members = {i: np.flatnonzero(matrix[i]).tolist() for i in range(12)}
        problems = [
            CoverageProblem.from_edges(sets, elements, **arrays),
            CoverageProblem.from_sparse(scipy.sparse.csr_array(matrix), **arrays),
            CoverageProblem.from_sets(members, costs=costs, weights=held, **common),
            CoverageProblem.from_table(table, costs=used, weights=held, **common),
        ]
        answers = {solve(p, method="exact").value for p in problems}
        assert len(answers) == 1


def test_arrays_are_read_only_and_inputs_are_copied_or_left_alone():
    columns = [np.array(SETS), np.array(ELEMENTS)]
    costs, weights = np.array(COSTS), np.array(WEIGHTS)
    kept = [array.copy() for array in (*columns, costs, weights)]
    problem = CoverageProblem.from_edges(*columns, costs=costs, weights=weights, budget=6, **LIMITS)
    for field in dataclasses.fields(problem):
        value = getattr(problem, field.name)
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable, field.name
    for array in (*problem.transpose, problem.ticks.ticks, problem.choosable):
        assert not array.flags.writeable
    with pytest.raises(dataclasses.FrozenInstanceError):
        problem.budget = 7
    assert all(array.flags.writeable for array in (*columns, costs, weights))
    assert all(np.array_equal(a, b) for a, b in zip(kept, (*columns, costs, weights), strict=True))
    costs[:] = 99
    assert problem.costs.tolist() == COSTS


def test_indices_are_int32_and_an_edge_takes_at_most_twelve_bytes():
    problem = generate.biregular(3000, 9000, 9, 3, budget=10)
    assert problem.indices.dtype == np.int32
    assert problem.indptr.dtype == np.int64
    arrays = (problem.indptr, problem.indices, problem.costs, problem.weights)
    held = sum(array.nbytes for array in arrays)
    assert held <= 12 * problem.n_edges
    transpose = sum(array.nbytes for array in problem.transpose)
    assert held + transpose <= 16 * problem.n_edges


def test_transpose():
    indptr, indices = reference().transpose
    assert indptr.tolist() == [0, 2, 3, 5, 7, 7]
    assert indices.tolist() == [0, 4, 1, 0, 1, 1, 2]


def test_with_budget_shares_the_arrays():
    problem = reference(**LIMITS)
    turned = problem.transpose
    other = problem.with_budget(9)
    assert other.budget == 9
    assert problem.budget == 6
    assert other.ticks.limit == 18
    assert np.shares_memory(other.indices, problem.indices)
    assert other.transpose is turned
    assert other.required.tolist() == [4]
    with pytest.raises(ProblemError, match="budget"):
        problem.with_budget(-1)


def test_views():
    problem = reference(**LIMITS)
    assert problem.elements_of(1).tolist() == [1, 2, 3]
    assert problem.covered([0, 2]).tolist() == [True, False, True, True, False]
    assert problem.covered([]).tolist() == [False] * 5
    assert problem.choosable.tolist() == [True, True, False, True, False]
    assert problem.label(3) == 3
    text = repr(problem)
    assert text == (
        "CoverageProblem(5 sets, 5 elements, 7 edges, budget 6, 1 required, 1 forbidden, 2 limits)"
    )


@pytest.mark.parametrize(
    ("selected", "words"),
    [
        ([0, 1], "the items of group 'a' to be at most 1, got 2"),
        ([0, 3, 4], "3 sets cost 7.5 together, the budget is 6"),
        ([0, 2], ""),
        ([], ""),
    ],
)
def test_violation(selected, words):
    broken = reference(**{**LIMITS, "required": []}).violation(np.array(selected, dtype=np.int64))
    assert words in broken
    assert bool(words) == bool(broken)


def test_another_choice_of_required_and_forbidden_sets():
    problem = reference(**LIMITS)
    assert problem.choosable.tolist() == [True, True, False, True, False]
    required, forbidden = np.array([0, 4]), np.array([1])
    other = problem.with_choice(required, forbidden)
    made = dataclasses.replace(problem, required=[0, 4], forbidden=[1])
    for name in ("required", "forbidden", "choosable", "coverable"):
        np.testing.assert_array_equal(getattr(other, name), getattr(made, name))
    assert problem.required.tolist() == [4]
    assert problem.choosable[0]
    with pytest.raises(InfeasibleError, match="both required and forbidden"):
        problem.with_choice(required, required)


def test_one_chance_for_all_edges_is_a_curve():
    rng = np.random.default_rng(2)
    sets, elements = np.nonzero(rng.random((20, 40)) < 0.3)
    given = {"weights": rng.integers(1, 9, 40), "budget": 5}
    one = CoverageProblem.from_edges(sets, elements, chance=0.4, **given)
    each = CoverageProblem.from_edges(sets, elements, chance=np.full(sets.size, 0.4), **given)
    for chosen in ([], [3], [0, 5, 9], range(20)):
        assert one.value(chosen) == pytest.approx(each.value(chosen), rel=1e-12)
    assert one.kind.max() == 0
    for wrong in (1.5, -0.1):
        with pytest.raises(ProblemError, match="chance"):
            CoverageProblem.from_edges(sets, elements, chance=wrong, **given)
