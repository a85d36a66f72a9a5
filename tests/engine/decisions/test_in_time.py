"""Questions about a solution give what they have when their time is over, and say so."""

import inspect
import time

import numpy as np
import pytest

import maxcover as mc

# Seconds of CPU that a call may use beyond its time limit: the last step of a search.
LATE = 2.5


@pytest.fixture(scope="module")
def hard():
    rng = np.random.default_rng(1)
    sets = [rng.choice(200, 10, replace=False).tolist() for _ in range(160)]
    return mc.CoverageProblem.from_sets(sets, budget=15)


CALLS = {
    "explain": lambda problem, limit: mc.explain(problem, time_limit=limit),
    "alternatives": lambda problem, limit: mc.alternatives(problem, n=9, time_limit=limit),
    "plan": lambda problem, limit: mc.plan(problem, phases=12, time_limit=limit),
    "every": lambda problem, limit: mc.plan(problem, phases="every", time_limit=limit),
    "sensitivity": lambda problem, limit: mc.sensitivity(problem, time_limit=limit),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_is_out_of_time_gives_what_it_has_and_says_so(name, hard):
    before = time.process_time()
    found = CALLS[name](hard, 0.5)
    assert time.process_time() - before < 0.5 + LATE
    assert "time limit" in found.unfinished
    assert str(found).endswith(found.unfinished)
    assert found.to_dict()["unfinished"] == found.unfinished


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_is_through_in_time_says_nothing(name):
    problem = mc.CoverageProblem.from_sets([[1, 2], [2, 3], [4], [1, 4]], budget=2)
    found = CALLS[name](problem, None)
    assert not found.unfinished
    assert "time limit" not in str(found)
    assert str(CALLS[name](problem, 10)) == str(found)


def test_a_curve_names_the_budgets_that_it_left_out(hard):
    curve = mc.budget_curve(hard, np.arange(1, 40).tolist(), time_limit=0)
    assert curve.budgets.tolist() == [39]
    assert curve.missing == tuple(range(1, 39))
    assert "38 left out by the time limit" in repr(curve)


@pytest.mark.parametrize(
    "call", [mc.explain, mc.alternatives, mc.plan, mc.sensitivity, mc.budget_curve]
)
def test_ten_seconds_are_the_default(call):
    assert inspect.signature(call).parameters["time_limit"].default == 10
