"""Alternatives: each is within, certified and different; what is in all of them is said."""

import json

import pytest

import maxcover as mc
from tests.engine.decisions.test_explain import hubs


def test_the_hubs_have_others():
    found = mc.alternatives(hubs(), within=0.02)
    assert found.solution.labels == mc.solve(hubs()).labels
    chosen = [set(one.labels) for one in found]
    assert len({frozenset(one) for one in chosen}) == len(found) >= 4
    assert {"Rotterdam", "Bucharest", "Katowice", "Milan", "Valencia"} in chosen
    assert set(found.always) == set.intersection(*chosen)
    assert set(found.sometimes) == set.union(*chosen) - set(found.always)
    for one in found:
        assert one.value >= 0.98 * found.solution.value
        assert mc.verify(one.problem, one).solution.selected.tolist() == one.selected.tolist()


@pytest.mark.parametrize("seed", range(2))
def test_they_differ_more_than_other_seeds_do(seed):
    problem = mc.generate.biregular(100, 300, 9, 3, budget=100, seed=seed)
    found = mc.alternatives(problem)
    assert len(found) == 5
    runs = [set(mc.solve(problem, seed=k).selected.tolist()) for k in range(5)]
    apart = [len(one - other) for one in runs for other in runs if one is not other]
    assert found.difference >= 2 * sum(apart) / len(apart)
    assert found.difference >= 5
    assert min(one.value for one in found) >= 0.99 * found.solution.value


def test_limits_are_kept():
    sets = {k: [k, k + 1, k + 2] for k in range(20)}
    groups = {k: "odd" if k % 2 else "even" for k in range(20)}
    problem = mc.CoverageProblem.from_sets(
        sets, budget=4, groups=groups, max_items={"odd": 2}, min_items={"even": 2}
    )
    found = mc.alternatives(problem, within=0.1, n=3)
    assert len(found) == 3
    for one in found:
        assert not problem.violation(one.selected)


def test_one_selection_may_be_all_there_is():
    problem = mc.CoverageProblem.from_sets({"a": [1, 2, 3], "b": [4]}, budget=1)
    found = mc.alternatives(problem)
    assert [one.labels for one in found] == [("a",)]
    assert mc.alternatives(problem, n=1).always == ("a",)


def test_alternatives_are_a_table_and_json():
    found = mc.alternatives(hubs(), within=0.02, n=3)
    frame = found.to_pandas()
    assert frame.columns.tolist()[:4] == ["set", "label", "chosen", "frequency"]
    assert frame["frequency"].max() == 1
    shares = frame[["selection_1", "selection_2", "selection_3"]].mean(axis=1)
    assert shares.tolist() == pytest.approx(frame["frequency"].tolist())
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert len(again["solutions"]) == 3
    assert "Rotterdam" in found._repr_html_()
    assert "0\N{NARROW NO-BREAK SPACE}% less: Rotterdam enters and Amsterdam leaves." in str(found)
    assert len(found.plot().axes) == 1


def test_the_closest_one_is_there_though_others_differ_more():
    found = mc.alternatives(hubs(), within=0.05)
    assert {*found.closest} ^ {*found.solution} == {"Amsterdam", "Rotterdam"}
    assert found.closest.value == found.solution.value
    assert "Closest to the best: 0" in str(found)
    assert found.to_dict()["closest"]["labels"] == list(found.closest)
