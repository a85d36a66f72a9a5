"""Every bad input has an error that says what was expected, what came and what to do."""

import re
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse

from maxcover import CoverageProblem
from maxcover.engine.core.validation import positions_of
from maxcover.errors import InfeasibleError, MaxcoverError, OptionError, ProblemError

GOOD = {"sets": [0, 0, 1], "elements": [0, 1, 1], "budget": 1}

# name: (what differs from GOOD, words that the message must contain)
BAD_EDGES = {
    "NaN cost": ({"costs": [1, np.nan]}, "finite and at least 0|costs[1] = nan|clean or drop"),
    "infinite cost": ({"costs": [np.inf, 1]}, "finite and at least 0|costs[0] = inf|clean or drop"),
    "negative cost": ({"costs": [1, -2]}, "at least 0|costs[1] = -2.0|1 such in 2"),
    "NaN weight": ({"weights": [np.nan, np.nan]}, "weights[0] = nan|2 such in 2"),
    "infinite weight": ({"weights": [1, np.inf]}, "weights[1] = inf"),
    "negative weight": ({"weights": [-0.5, 1]}, "weights[0] = -0.5"),
    "too few costs": ({"costs": [1]}, "sets below 1|got 1|give costs for every one"),
    "too few weights": ({"weights": [1]}, "elements below 1|got 1|give weights for every one"),
    "costs and n_sets disagree": (
        {"costs": [1, 1, 1], "n_sets": 2},
        "costs needs 2 entries, one per set|has 3",
    ),
    "n_sets too small": ({"n_sets": 1}, "sets below 1|got 1"),
    "n_sets not whole": ({"n_sets": 2.5}, "n_sets to be a whole number|2.5"),
    "n_elements negative": ({"n_elements": -1}, "n_elements to be a whole number|-1"),
    "columns of different length": ({"sets": [0, 1]}, "same length|got 2 and 3"),
    "negative set": ({"sets": [0, -1, 1]}, "sets between 0 and|got -1|number them from 0"),
    "negative element": ({"elements": [0, 1, -7]}, "elements between 0 and|got -7"),
    "huge set": ({"sets": [0, 1, 2**40]}, f"sets between 0 and|got {2**40}"),
    "huge element": ({"elements": [0, 1, 2**31]}, f"elements between 0 and|got {2**31}"),
    "unsigned beyond int64": (
        {"elements": np.array([0, 1, 2**63 + 1], dtype=np.uint64)},
        "elements between 0 and",
    ),
    "fractions as indices": ({"sets": [0, 0.5, 1]}, "whole numbers from 0|sets[1] = 0.5"),
    "NaN as index": ({"elements": [0, 1, np.nan]}, "whole numbers from 0|elements[2] = nan"),
    "infinite index": ({"elements": [0, 1, np.inf]}, "whole numbers from 0|elements[2] = inf"),
    "strings as indices": ({"sets": ["a", "a", "b"]}, "sets to be whole numbers|'a'|from_sets"),
    "strings as costs": ({"costs": ["cheap", "dear"]}, "costs to be numbers|cheap|write numbers"),
    "dates as costs": ({"costs": np.array(["2026-01-01"] * 2, "M8[D]")}, "costs to be numbers"),
    "objects as costs": ({"costs": [object(), object()]}, "costs to be numbers|object"),
    "None as a cost": ({"costs": [1, None]}, "costs to be numbers|None|clean"),
    "complex costs": ({"costs": [1j, 2]}, "costs to be numbers|1j"),
    "nested costs": ({"costs": [[1], [1]]}, "flat list of numbers|shape (2, 1)|flatten it"),
    "ragged costs": ({"costs": [[1], [1, 2]]}, "flat list of numbers|nested lists"),
    "a scalar for sets": ({"sets": 0}, "flat list of whole numbers|got 0; write one for each"),
    "nested sets": ({"sets": [[0, 0, 1]]}, "flat list of whole numbers|shape (1, 3)"),
    "NaN budget": ({"budget": np.nan}, "budget to be finite and at least 0|nan"),
    "infinite budget": ({"budget": np.inf}, "budget to be finite|inf|pass the sum of the costs"),
    "negative budget": ({"budget": -1}, "budget to be finite and at least 0|-1|pass 0 or more"),
    "no budget": ({"budget": None}, "budget to be a number|None"),
    "budget as a flag": ({"budget": True}, "budget to be a number|True"),
    "budget as a text": ({"budget": "3"}, "budget to be a number|write 3"),
    "half an item": ({"groups": ["a", "b"], "max_items": 1.5}, "max_items to be a whole|1.5"),
    "budget in words": ({"budget": "ten"}, "budget to be a number|'ten'"),
    "budget as a list": ({"budget": [1, 2]}, "budget to be a number|[1, 2]"),
    "required out of range": ({"required": [2]}, "required to be sets|from 0 to 1|got 2"),
    "required negative": ({"required": [-1]}, "required to be sets|from 0 to 1|got -1"),
    "required fraction": ({"required": [0.5]}, "required to be sets as whole numbers|0.5"),
    "required as a mask": (
        {"required": [True, False]},
        "required to be sets|2 booleans|flatnonzero",
    ),
    "required nested": ({"required": [[0]]}, "required to be sets as whole numbers|[0]"),
    "required by label": ({"required": ["a"]}, "no labels|got 'a'|set_labels="),
    "forbidden out of range": ({"forbidden": [9]}, "forbidden to be sets|from 0 to 1|got 9"),
    "groups without limits": (
        {"groups": [0, 0]},
        "max_items, max_cost, min_items, min_cost or min_share|groups alone",
    ),
    "limits without groups": ({"max_items": 1}, "groups together with max_items|limits alone"),
    "too few groups": (
        {"groups": [0], "max_items": 1},
        "groups needs 2 entries, one per set|has 1",
    ),
    "limit of no group": (
        {"groups": ["a", "b"], "max_items": {"c": 1}},
        "max_items has 'c'|no sets belong to|'a', 'b'",
    ),
    "negative limit": ({"groups": ["a", "b"], "max_items": -1}, "max_items to be finite|-1"),
    "NaN limit": (
        {"groups": ["a", "b"], "max_cost": {"a": np.nan}},
        "max_cost of 'a' to be finite and at least 0|nan",
    ),
    "too few set labels": ({"set_labels": ["x"]}, "sets below 1|1 set_labels|got 1"),
}


def test_one_text_is_no_list_of_labels():
    with pytest.raises(OptionError, match=r"element_labels to be a list .* got 'xyz'"):
        CoverageProblem.from_edges(**GOOD, element_labels="xyz")


@pytest.mark.parametrize("name", BAD_EDGES)
def test_from_edges_refuses(name):
    change, words = BAD_EDGES[name]
    with pytest.raises(ProblemError) as caught:
        CoverageProblem.from_edges(**{**GOOD, **change})
    message = str(caught.value)
    assert message.startswith("expected ") or " needs " in message or " has " in message
    for part in words.split("|"):
        assert part in message


INFEASIBLE = {
    "required and forbidden": ({"required": [1], "forbidden": [1]}, "both required and forbidden"),
    "required above the budget": ({"required": [0, 1]}, "break a limit|cost 2|budget is 1"),
    "required above a group limit": (
        {"required": [0, 1], "budget": 9, "groups": ["g", "g"], "max_items": 1},
        "break a limit|the items of group 'g' to be at most 1|2 sets",
    ),
    "required above a group's cost": (
        {"required": [0, 1], "budget": 9, "groups": ["g", "g"], "max_cost": 1.5},
        "break a limit|the cost of group 'g'|at most 1.5",
    ),
}


@pytest.mark.parametrize("name", INFEASIBLE)
def test_requirements_that_nothing_meets(name):
    change, words = INFEASIBLE[name]
    with pytest.raises(InfeasibleError) as caught:
        CoverageProblem.from_edges(**{**GOOD, **change})
    for part in words.split("|"):
        assert part in str(caught.value)


BAD_SETS = {
    "a string for all sets": ("abc", {}, "mapping or a list of sets|'abc'"),
    "a string for a set": (["abc", [1]], {}, "list of elements|'abc'|wrap it in a list"),
    "a number for a set": ([[1], 2], {}, "sets[1] to be a list of hashable elements"),
    "an element that cannot be hashed": ([[[1]]], {}, "hashable"),
    "a cost missing": (
        {"a": [1], "b": [2]},
        {"costs": {"a": 1}},
        "costs has nothing for 'b'|1 missing|add",
    ),
    "a weight missing": ({"a": [1, 2]}, {"weights": {1: 1}}, "weights has nothing for 2"),
    "required nobody": ({"a": [1]}, {"required": ["z"]}, "'z', which no set is called|'a'"),
    "required a string": (
        {"ab": [1]},
        {"required": "ab"},
        "required to be a list of sets|write required=['ab']",
    ),
    "forbidden nobody": ({"a": [1]}, {"forbidden": ["z"]}, "'z', which no set is called"),
    "cost in words": ({"a": [1]}, {"costs": {"a": "x"}}, "costs to be numbers"),
}


@pytest.mark.parametrize("name", BAD_SETS)
def test_from_sets_refuses(name):
    sets, options, words = BAD_SETS[name]
    with pytest.raises(ProblemError) as caught:
        CoverageProblem.from_sets(sets, budget=1, **options)
    for part in words.split("|"):
        assert part in str(caught.value)


CSR = {"indptr": [0, 2, 3], "indices": [0, 1, 1], "costs": [1, 1], "weights": [1, 1], "budget": 1}
BAD_CSR = {
    "indptr too short": ({"indptr": [0, 3]}, "3 whole numbers"),
    "indptr of floats": ({"indptr": [0.0, 2.0, 3.0]}, "whole numbers"),
    "indptr does not start at 0": ({"indptr": [1, 2, 3]}, "rise from 0"),
    "indptr falls": ({"indptr": [0, 3, 2]}, "rise from 0"),
    "indptr ends elsewhere": ({"indptr": [0, 2, 4]}, "rise from 0"),
    "indptr beyond, then back": ({"indptr": [0, 99, 3]}, "rise from 0"),
    "indices of floats": ({"indices": [0.0, 1.0, 1.0]}, "indices to be whole numbers"),
    "indices of text": ({"indices": ["0", "1", "1"]}, "indices to be whole numbers"),
    "indices nested": ({"indices": [[0, 1, 1]]}, "indices to be whole numbers"),
    "index out of range": ({"indices": [0, 1, 2]}, "between 0 and 1, got 2"),
    "index negative": ({"indices": [-1, 1, 1]}, "between 0 and 1, got -1"),
    "a row unsorted": ({"indices": [1, 0, 1]}, "ascending order|from_edges"),
    "a row with a double": ({"indices": [1, 1, 1]}, "without repetition|from_edges"),
}


@pytest.mark.parametrize("name", BAD_CSR)
def test_the_constructor_checks_too(name):
    change, words = BAD_CSR[name]
    with pytest.raises(ProblemError) as caught:
        CoverageProblem(**{**CSR, **change})
    for part in words.split("|"):
        assert part in str(caught.value)


def test_a_warning_names_the_line_of_the_caller():
    lonely = [[0.0, 0.0]], [[9.0, 9.0]]
    for call in (
        lambda: CoverageProblem.from_edges([1, 2], [0, 1], budget=1),
        lambda: CoverageProblem.from_table({"set": ["a"], "element": ["b"], "x": [1]}, budget=1),
        lambda: CoverageProblem.from_points(*lonely, radius=1, budget=1),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert [one.filename for one in caught] == [__file__]


def test_other_sources_are_refused_with_advice():
    with pytest.raises(ProblemError, match=r"entries as a matrix of numbers.*got shape \(\)"):
        CoverageProblem.from_sparse("eye", budget=1)
    with pytest.raises(ProblemError, match=r"sets by elements, got shape \(3,\)"):
        CoverageProblem.from_sparse(scipy.sparse.coo_array([1, 0, 2]), budget=1)
    with pytest.raises(ProblemError, match=r"got NaN; clean it"):
        CoverageProblem.from_sparse(scipy.sparse.csr_array([[1.0, np.nan]]), budget=1)
    with pytest.raises(ProblemError, match=r"column 'set' in the table, got no columns"):
        CoverageProblem.from_table([], budget=1)


# what is odd but allowed


def test_duplicate_edges_are_merged():
    problem = CoverageProblem.from_edges([0, 0, 0, 1], [1, 1, 0, 1], budget=1)
    assert problem.n_edges == 3
    assert problem.indices.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("options", "selected_cost"),
    [
        ({"costs": [0, 0]}, 0),
        ({"costs": [0.25, 1.5]}, 0.25),
        ({"weights": [0, 0]}, 0),
        ({"costs": [7, 8]}, 0),
        ({"n_sets": 5, "n_elements": 9}, 1),
        ({"costs": [True, True]}, 1),
        ({"costs": np.array([1, 1], dtype=np.uint8)}, 1),
        ({"sets": np.array([False, False, True])}, 1),
        ({"elements": np.array([0.0, 1.0, 1.0])}, 1),
        ({"sets": np.array([0, 0, 1], dtype=np.uint16)}, 1),
        ({"budget": np.float32(1)}, 1),
    ],
)
def test_odd_but_allowed(options, selected_cost):
    from maxcover import solve

    problem = CoverageProblem.from_edges(**{**GOOD, **options})
    assert solve(problem).cost == selected_cost


def test_sorting_out_a_large_shuffled_edge_list():
    rng = np.random.default_rng(0)
    sets, elements = rng.integers(0, 50, 5000), rng.integers(0, 70, 5000)
    problem = CoverageProblem.from_edges(sets, elements, budget=1, n_sets=50, n_elements=70)
    expected = sorted(set(zip(sets.tolist(), elements.tolist(), strict=True)))
    rows = np.repeat(np.arange(50), np.diff(problem.indptr))
    assert list(zip(rows.tolist(), problem.indices.tolist(), strict=True)) == expected


def test_positions_of_rows():
    indptr = np.array([0, 2, 2, 5, 6])
    assert positions_of(indptr, np.array([2, 1, 0, 2])).tolist() == [2, 3, 4, 0, 1, 2, 3, 4]
    assert positions_of(indptr, np.array([], dtype=np.int64)).tolist() == []


GARBAGE = [None, {}, {1, 2}, b"ab", 3, np.array(None), [[]], [{}], [{}, {}], [[], [1]]]


def refused(build, *args, **options) -> str:
    """Return our own message, or nothing when the input is accepted; any other error is a bug."""
    try:
        build(*args, **options)
    except MaxcoverError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("garbage", GARBAGE)
@pytest.mark.parametrize("name", ["sets", "elements", "costs", "weights", "required", "groups"])
def test_garbage_never_gives_a_foreign_error(garbage, name):
    options = {**GOOD, name: garbage}
    if name == "groups":
        options["max_items"] = 1
    message = refused(CoverageProblem.from_edges, **options)
    assert not message or re.search(r"expected| needs | has ", message)


@pytest.mark.filterwarnings("ignore::maxcover.errors.InputWarning")
@pytest.mark.parametrize("garbage", GARBAGE)
@pytest.mark.parametrize("name", ["sets", "costs", "weights", "required", "forbidden", "groups"])
def test_garbage_among_labels_never_gives_a_foreign_error(garbage, name):
    options = {"sets": {"a": [1, 2], "b": [2]}, "budget": 1, name: garbage}
    if name == "groups":
        options["max_items"] = 1
    message = refused(CoverageProblem.from_sets, **options)
    assert not message or re.search(r"expected| needs | has ", message)


EDGES = {"sets": [0, 1, 1], "elements": [0, 0, 1]}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"costs": [1e296, 1], "budget": 1}, r"costs\[0\] = 1e\+296"),
        ({"costs": [1, 1e-300], "budget": 1}, r"costs\[1\] = 1e-300"),
        (
            {"costs": {"a": [1, 1], "b": [1, 1e301]}, "budget": {"a": 1, "b": 1e305}},
            r"amounts of limits\[1\] = 1e\+301",
        ),
        ({"weights": [5e-324, 1], "budget": 1, "returns": "sqrt"}, r"weights\[0\]"),
        (
            {"weights": [2.0**301, 1], "budget": 1, "groups": ["g", "g"], "min_share": {"g": 0.5}},
            r"weights\[0\]",
        ),
    ],
)
def test_numbers_whose_products_no_float_holds_are_named(given, named):
    with pytest.raises(ProblemError, match=f"0 or between 1e-85 and 1e\\+85, got {named}"):
        CoverageProblem.from_edges(**EDGES, **given)


def test_fractions_and_decimals_are_taken_exactly():
    problem = CoverageProblem.from_sets(
        {"a": [1], "b": [2], "c": [3]},
        costs={"a": Decimal("0.1"), "b": Decimal("0.2"), "c": Fraction(1, 8)},
        weights={1: Fraction(1, 2), 2: Decimal("0.3"), 3: 2**70},
        budget=Decimal("0.3"),
    )
    assert problem.costs.tolist() == [0.1, 0.2, 0.125]
    assert problem.weights.tolist() == [0.5, 0.3, 2.0**70]
    assert problem.budget == 0.3
    assert not problem.violation(np.array([0, 1]))


@pytest.mark.parametrize(
    ("weight", "advice"),
    [
        (Fraction(1, 3), "multiply weights by 3"),
        (Decimal("0.12345678901234567891"), "divide by a common unit"),
        (10**30, "divide by a common unit"),
        (10**400, "divide by a common unit"),
    ],
)
def test_numbers_that_no_float_stands_for_are_refused_with_the_reason(weight, advice):
    with pytest.raises(ProblemError, match=f"a 64-bit float holds exactly, got .*; {advice}"):
        CoverageProblem.from_edges(**EDGES, weights=[weight, 1], budget=1)
    with pytest.raises(ProblemError, match="at least 0, got weights"):
        CoverageProblem.from_edges(**EDGES, weights=[Decimal("NaN"), 1], budget=1)
