"""A label is a label wherever it comes from, and wherever an index may stand a label may stand."""

import copy
import json
import sys

import duckdb
import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from maxcover import CoverageProblem, certify, cover, solve
from maxcover.errors import InputWarning, MaxcoverError, OptionError, ProblemError
from maxcover.ground.calls import PROBLEM
from maxcover.ground.options import problem_schema
from tests.engine.core.model_judge import draw
from tests.engine.core.test_io import labelled
from tests.instances import edge_cases

SETS = {"a": ["x", "y"], "b": ["y", "z"], "c": ["z"]}
COSTS = {"a": 2, "b": 1, "c": 3}
BACKWARDS = dict(reversed(COSTS.items()))


def made(**options):
    return CoverageProblem.from_sets(SETS, **{"budget": 3, **options})


@pytest.mark.parametrize(
    "costs",
    [
        COSTS,
        BACKWARDS,
        [2, 1, 3],
        np.array([2, 1, 3]),
        pd.Series(BACKWARDS),
        pd.Series([2, 1, 3]),
        pl.Series([2, 1, 3]),
        pa.array([2, 1, 3]),
        pa.chunked_array([[2, 1], [3]]),
        pl.DataFrame({"name": ["c", "a", "b"], "cost": [3, 2, 1]}),
        pa.table({"name": ["c", "a", "b"], "cost": [3, 2, 1]}),
        pd.DataFrame({"name": ["c", "a", "b"], "cost": [3, 2, 1]}),
    ],
)
def test_what_has_labels_is_read_by_label(costs):
    assert made(costs=costs).costs.tolist() == [2, 1, 3]
    assert made(worth=costs).weights.tolist()[-3:] == [2, 1, 3]


def test_weights_groups_needs_and_chances_are_read_by_label():
    weights = pd.Series({"z": 3, "x": 1, "y": 2})
    assert made(weights=weights).weights.tolist() == [1, 2, 3]
    grouped = made(groups=pd.Series({"b": "g", "a": "g"}), max_items=1)
    assert grouped.limits.members.tolist() == [0, 1]
    assert made(need=pd.Series({"z": 2})).steps[1].tolist() == [1, 1, 0, 1]
    chances = made(chance=pd.Series({"c": 0.3, "b": 0.2, "a": 0.1}))
    assert chances.strength.tolist() == [0.1, 0.1, 0.2, 0.2, 0.3]


def test_an_index_with_gaps_is_refused_and_both_are_shown():
    frame = pd.DataFrame({"open": [True, False, True, True], "price": [2, 9, 1, 3]})
    with pytest.raises(ProblemError, match=r"costs has 0, which no set is called .*'a', 'b', 'c'"):
        made(costs=frame.query("open").price)
    with pytest.raises(ProblemError, match="costs has 'a' twice"):
        made(costs=pd.Series([1, 2, 3, 4], index=["a", "a", "b", "c"]))
    with pytest.raises(ProblemError, match=r"no labels|none here to look them up"):
        CoverageProblem.from_edges([0, 1], [0, 0], costs=pd.Series({"a": 1, "b": 2}), budget=1)
    turned = pd.Series([20.0, 10.0], index=[1, 0])
    problem = CoverageProblem.from_edges([0, 1], [0, 0], costs=turned, budget=1)
    assert problem.costs.tolist() == [10, 20]


def test_whole_numbers_may_be_labels():
    problem = CoverageProblem.from_sets({1: ["x"], 2: ["y"], 0: ["x", "z"]}, budget=1)
    assert problem.value([1]) == 1
    assert problem.value([0]) == 2
    assert problem.value(np.array([0])) == 1  # an index, as solution.selected holds them
    with pytest.raises(ProblemError, match=r"for indices write numpy.array\(\[7\]\)"):
        problem.value([7])


@pytest.mark.parametrize(
    "sets", [["b", "a"], [1, 0], np.array([0, 1]), ("a", 1), pd.Series(["a", "b"])]
)
def test_labels_stand_wherever_an_index_may(sets):
    problem = made()
    assert problem.value(sets) == 3
    assert problem.covered(sets).all()
    assert problem.given(sets).tolist() == [1, 1, 1]
    assert certify(problem, sets).labels == ("a", "b")
    assert solve(problem, start=sets).value == 3
    assert cover(problem, target=1.0, start=sets).cost == 2
    assert problem.replace(required=sets).required.tolist() == [0, 1]
    assert problem.replace(forbidden=sets).forbidden.tolist() == [0, 1]
    assert problem.replace(conflicts=[sets]).limits.members.tolist() == [0, 1]


def test_a_solution_stands_for_its_sets():
    problem = made(costs=COSTS)
    answer = solve(problem)
    assert problem.value(answer) == answer.value == 3
    assert certify(problem, answer).labels == answer.labels
    turned = CoverageProblem.from_sets(dict(reversed(SETS.items())), budget=3)
    assert certify(turned, answer).labels == ("b", "a")
    assert problem.replace(required=answer).required.tolist() == answer.selected.tolist()


def test_one_set_by_label_or_index():
    problem = made()
    assert problem.elements_of("b").tolist() == problem.elements_of(1).tolist() == [1, 2]
    with pytest.raises(ProblemError, match="'d', which no set is called"):
        problem.elements_of("d")
    with pytest.raises(ProblemError, match=r"write selected=\['a'\]"):
        problem.value("a")
    for wrong in ([3], [-1], np.array([3])):
        with pytest.raises(ProblemError, match=r"from 0 to 2|no set is called"):
            problem.value(wrong)


def test_replace_changes_one_thing():
    problem = made(costs=COSTS, groups={"a": "g", "b": "g"}, max_items=2, max_cost={"g": 3})
    assert problem.replace(budget="50%").budget == 3
    assert problem.replace(max_items=1).limits.high.tolist() == [1, 3]
    assert problem.replace(max_items=None, max_cost=None).is_plain
    dearer = problem.replace(costs={"a": 4, "b": 1, "c": 1}, max_cost=4)
    assert dearer.limits.amounts.tolist()[-2:] == [4, 1]
    ample = made(costs=COSTS, groups={"a": "g", "b": "g", "c": "h"}, max_cost={"g": 9})
    assert ample.is_plain
    tight = ample.replace(costs={"a": 8, "b": 8, "c": 1})  # the maximum of 9 counts now
    assert (tight.limits.names, tight.limits.high.tolist()) == (("the cost of group 'g'",), [9])
    assert len(ample.replace(max_cost=None, max_items=1).limits) == 2
    assert problem.replace(weights={"x": 5, "y": 1, "z": 1}).value(["a"]) == 6
    with pytest.raises(OptionError, match=r"'requierd' of replace; did you mean 'required'"):
        problem.replace(requierd=["a"])
    if sys.version_info >= (3, 13):
        assert copy.replace(problem, budget=5).budget == 5
    assert problem.__replace__(budget=5).budget == 5


def test_one_of_several_budgets_changes():
    costs = {"money": COSTS, "hours": [1, 2, 3]}
    problem = made(costs=costs, budget={"money": 9, "hours": "50%"})
    assert problem.limits.high.tolist() == [3]
    less = problem.replace(budget={"hours": 2})
    assert (less.budget, less.limits.high.tolist()) == (9, [2])
    assert problem.replace(budget=4).budget == 4
    assert solve(less).budgets[0][0] == "money"


def test_regions_have_minima_and_what_nobody_reaches_counts():
    problem = CoverageProblem.from_sets(
        {"a": ["x1", "x2"], "b": ["y1"], "c": ["y2"]},
        weights={"x1": 5, "x2": 5, "y1": 1, "y2": 1, "far": 8},
        regions={"x1": "x", "x2": "x", "y1": "y", "y2": "y"},
        min_coverage={"y": 0.5},
        budget=1,
    )
    assert problem.n_elements == 5
    assert problem.weights.sum() == 20
    assert solve(problem).labels in (("b",), ("c",))
    assert solve(problem.replace(min_coverage=None)).labels == ("a",)


FRAME = pd.DataFrame(
    {
        "set": ["a", "a", "b", "b", "c"],
        "element": ["x", "y", "y", "z", "z"],
        "cost": [2, 2, 1, 1, 3],
        "weight": [1, 5, 5, 2, 2],
        "group": ["g", "g", "g", "g", None],
    }
)
TABLES = {
    "pandas": FRAME,
    "Polars": pl.from_pandas(FRAME),
    "a lazy frame": pl.from_pandas(FRAME).lazy(),
    "Arrow": pa.Table.from_pandas(FRAME),
    "records": FRAME.to_dict("records"),
    "columns": FRAME.to_dict("list"),
}


@pytest.mark.parametrize("name", [*TABLES, "DuckDB"])
def test_every_table_is_read_by_one_convention(name):
    table = duckdb.sql("select * from FRAME") if name == "DuckDB" else TABLES[name]
    problem = CoverageProblem.from_table(table, budget=3, max_items=1)
    assert problem.set_labels == ("a", "b", "c")
    assert problem.costs.tolist() == [2, 1, 3]
    assert problem.weights.tolist() == [1, 5, 2]
    assert problem.limits.members.tolist() == [0, 1]
    assert problem.element_labels == ("x", "y", "z")


def test_tables_of_sets_and_of_elements():
    edges = FRAME[["set", "element"]]
    sets = pd.DataFrame(
        {"set": ["c", "d", "b", "a"], "cost:h": [3, 9, 1, 2], "cost:m": [1, 1, 1, 1]}
    )
    elements = pl.DataFrame({"element": ["far", "z", "y", "x"], "weight": [9, 3, 2, 1]})
    problem = CoverageProblem.from_table(
        edges, sets=sets, elements=elements, budget={"h": 3, "m": 2}
    )
    assert problem.set_labels == ("a", "b", "c", "d")
    assert problem.costs.tolist() == [2, 1, 3, 9]
    assert problem.limits.names == ("m",)
    assert problem.element_labels == ("x", "y", "z", "far")
    assert problem.weights.tolist() == [1, 2, 3, 9]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_a_cell_may_hold_several_elements(make):
    columns = {"name": ["a", "b"], "covers": [["x", "y"], ["y"]], "cost": [2, 1]}
    problem = CoverageProblem.from_table(make(columns), set="name", element="covers", budget=2)
    assert (problem.n_edges, problem.costs.tolist()) == (3, [2, 1])
    columns["covers"] = ["x; y", "y"]
    table = make(columns)
    split = CoverageProblem.from_table(table, set="name", element="covers", sep=";", budget=2)
    assert split.to_dict() == problem.to_dict()
    columns["covers"] = ["x;y", "z;y"]
    with pytest.warns(InputWarning, match="write sep=';'"):
        CoverageProblem.from_table(make(columns), set="name", element="covers", budget=2)


def test_a_column_that_nobody_reads_is_named():
    with pytest.warns(InputWarning, match="not read: 'colour' of the table.*costs='price'"):
        CoverageProblem.from_table(FRAME.assign(colour=1).drop(columns="group"), budget=3)
    with pytest.warns(InputWarning, match="'group' of the table.*a group needs max_items"):
        CoverageProblem.from_table(FRAME, budget=3)
    with pytest.raises(ProblemError, match=r"'costs' .* did you mean 'cost'"):
        CoverageProblem.from_table(FRAME.rename(columns={"cost": "costs"}), budget=3, max_items=1)


def test_edges_numbered_from_one_are_told():
    with pytest.warns(InputWarning, match="sets are numbered from 1"):
        CoverageProblem.from_edges([1, 2], [0, 1], budget=1)
    with pytest.warns(InputWarning, match="elements are numbered from 1"):
        CoverageProblem.from_edges([0, 1], [1, 2], budget=1)
    CoverageProblem.from_edges([1, 2], [1, 2], budget=1, n_sets=3, n_elements=3)


@pytest.mark.filterwarnings("ignore::maxcover.errors.InputWarning")
def test_an_answer_that_is_empty_says_why():
    assert (
        "nothing fits: the cheapest set, 'b', costs 1"
        in solve(made(costs=COSTS, budget=0.5)).stopped
    )
    assert "write budget='50%'" in solve(made(budget=0.5)).stopped


SCHEMA = jsonschema.Draft202012Validator(problem_schema())


def survives(problem: CoverageProblem, *, odd_labels: bool = False) -> None:
    plain = json.loads(json.dumps(problem.to_dict()))
    assert odd_labels or not [error.message for error in SCHEMA.iter_errors(plain)]
    again = CoverageProblem.from_dict(plain)
    assert again.to_dict() == problem.to_dict()
    for name in ("indptr", "indices", "costs", "weights", "required", "forbidden"):
        assert getattr(again, name).tolist() == getattr(problem, name).tolist(), name
    rng = np.random.default_rng(0)
    for _ in range(8):
        some = np.flatnonzero(rng.random(problem.n_sets) < 0.5)
        assert again.value(some) == problem.value(some)
        assert bool(again.violation(some)) == bool(problem.violation(some))


@pytest.mark.filterwarnings("ignore::maxcover.errors.InputWarning")
@pytest.mark.parametrize("k", range(200))
def test_every_problem_survives_plain_data(k):
    try:
        problem = CoverageProblem.from_edges(**draw(k))
    except MaxcoverError:  # limits that nothing meets
        return
    survives(problem)
    n = problem.n_sets
    named = {f"s{i}": problem.elements_at(i).tolist() for i in range(n)}
    survives(CoverageProblem.from_sets(named, worth=np.arange(n), budget=2, need=1))


@pytest.mark.filterwarnings("ignore::maxcover.errors.InputWarning")
def test_edge_cases_survive_plain_data():
    for problem in edge_cases().values():
        survives(problem)
    # the schema knows labels that are texts or whole numbers
    survives(labelled(), odd_labels=True)


def test_the_schema_has_the_keys_of_the_model():
    jsonschema.Draft202012Validator.check_schema(problem_schema())
    assert {*problem_schema()["properties"]} == {*PROBLEM}
    for wrong in ({"sets": {}}, {"sets": {}, "budget": 1, "cost": 1}, {"sets": 5, "budget": 1}):
        assert [*SCHEMA.iter_errors(wrong)]


def test_what_sets_are_worth_and_minima_of_groups_survive_a_change():
    """They are the arguments again, not the elements and regions that stand for them."""
    problem = made(
        worth={"a": 5, "c": 1}, groups={"a": "g", "b": "g", "c": "h"}, min_share={"g": 0.5}
    )
    assert problem.to_dict()["worth"] == {"a": 5.0, "b": 0.0, "c": 1.0}
    assert problem.to_dict()["min_share"] == {"g": 0.5}
    survives(problem)
    assert problem.replace(required=["a"]).weights.tolist() == problem.weights.tolist()
    assert problem.replace(worth=None).n_elements == 3
    assert problem.replace(worth={"a": 7}).weights.tolist() == [1, 1, 1, 7]
    assert len(problem.replace(min_share=None, max_items=1).floors) == 0
