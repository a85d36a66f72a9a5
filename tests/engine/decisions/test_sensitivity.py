"""Sensitivity: losses hold what brute force finds in every draw."""

import json
from itertools import combinations

import numpy as np
import pytest

import maxcover as mc
from maxcover.errors import OptionError
from tests.engine.decisions.test_explain import hubs

SETS = {"a": [1, 2, 3], "b": [3, 4], "c": [4, 5], "d": [1, 5], "e": [2, 6]}


def test_losses_hold_the_exact_ones():
    problem = mc.CoverageProblem.from_sets(SETS, budget=2)
    samples = np.random.default_rng(1).uniform(0, 5, (30, problem.n_elements))
    found = mc.sensitivity(problem, ["a", "c"], samples=samples)
    pairs = list(combinations(range(5), 2))
    for k, weights in enumerate(samples):
        values = {pair: weights[problem.covered(pair)].sum() for pair in pairs}
        best, own = max(values.values()), values[0, 2]
        loss = (best - own) / best
        assert found.losses_at_least[k] - 1e-9 <= loss <= found.losses_at_most[k] + 1e-9
    total = {pair: samples.sum(axis=0)[problem.covered(pair)].sum() for pair in pairs}
    steadiest = tuple(found.steadiest.selected.tolist())
    assert total[steadiest] == pytest.approx(max(total.values()))
    assert found.steadiest.status == "optimal"


def test_the_hubs_are_steady():
    found = mc.sensitivity(hubs(), spread=0.3, n=20)
    shares = dict(found)
    assert shares["Bucharest"] == shares["Milan"] == shares["Valencia"] == 1
    assert found.losses_at_most.max() < 0.05
    again = mc.sensitivity(hubs(), spread=0.3, n=20)
    assert again.to_dict() | {"steadiest": 0} == found.to_dict() | {"steadiest": 0}


def test_no_spread_no_loss():
    found = mc.sensitivity(hubs(), spread=0, n=3)
    assert found.losses_at_least.tolist() == [0, 0, 0]
    assert "by this selection" in str(found)


def test_sensitivity_is_a_table_and_json():
    found = mc.sensitivity(hubs(), n=10)
    frame = found.to_pandas()
    assert frame.columns.tolist() == ["set", "label", "chosen", "frequency"]
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["draws"] == 10
    assert "10 draws" in found._repr_html_()
    assert len(found.plot().axes) == 1


def test_samples_of_another_shape_are_refused():
    with pytest.raises(OptionError, match="57 columns"):
        mc.sensitivity(hubs(), samples=[[1, 2, 3]])


def test_the_time_limit_ends_the_draws_and_the_answer_says_so():
    problem = mc.CoverageProblem.from_sets(SETS, budget=2)
    found = mc.sensitivity(problem, n=50, time_limit=0)
    assert (len(found), found.asked) == (1, 50)
    assert "The time limit left 49 of 50 draws undone." in str(found)
    whole = mc.sensitivity(problem, n=5, time_limit=None)
    assert (len(whole), whole.asked, whole.to_dict()["asked"]) == (5, 5, 5)
