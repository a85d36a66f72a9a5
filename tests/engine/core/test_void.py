"""A problem in which no choice can matter is told at once, with what to write instead."""

import json
import warnings

import pandas as pd
import pytest

import maxcover as mc
from maxcover.errors import InputWarning

SETS = {"a": [1, 2], "b": [2, 3], "c": [4]}
P = mc.CoverageProblem
VOID = {
    "no sets: is the table or the list empty": lambda: P.from_sets([], budget=3),
    "no sets: is the table": lambda: P.from_table(
        pd.DataFrame({"set": [], "element": []}), budget=3
    ),
    "no set covers an element": lambda: P.from_sets([[], []], budget=1),
    r"numbers above 0, as in numpy.exp\(-distances\)": lambda: P.from_similarity(
        [[-1, -2], [-3, -1]], budget=1
    ),
    "all sets are forbidden": lambda: P.from_sets(SETS, budget=2, forbidden=["a", "b", "c"]),
    "costs 1, and the budget is 0.5; for a share write budget='50%'": lambda: P.from_sets(
        SETS, budget=0.5
    ),
    "the cheapest set, 'b', costs 5": lambda: P.from_dict(
        {"sets": SETS, "costs": {"a": 6, "b": 5, "c": 9}, "budget": 4}
    ),
    "the cheapest set, 'a', costs 2": lambda: P.from_points(
        [{"name": "a", "x": 0, "y": 0, "cost": 2}, {"name": "b", "x": 9, "y": 0, "cost": 3}],
        [{"name": "z", "x": 1, "y": 0}],
        radius=3,
        budget=1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("said", VOID)
def test_a_problem_without_a_choice_is_told(said):
    with pytest.warns(InputWarning, match=said):
        VOID[said]()


def test_a_saved_problem_is_told_too(tmp_path):
    path = tmp_path / "problem.json"
    path.write_text(json.dumps({"sets": SETS, "budget": 0.25}))
    with pytest.warns(InputWarning, match="budget='25%'"):
        mc.load(path)


def test_what_is_meant_is_not_told():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        P.from_sets(SETS, budget=1)
        P.from_sets(SETS, costs=[9, 9, 9], budget=9, required=["a"])
        P.from_sets(SETS, budget=0)
        P.from_sets({"a": [], "b": []}, worth={"a": 1}, budget=1)
