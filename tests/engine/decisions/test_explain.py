"""Explanations: every interval holds the exact loss, by brute force; and what is said is so."""

import csv
import json
import math
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import maxcover as mc
from maxcover.engine.core.gains import gains
from maxcover.errors import InfeasibleError, OptionError, ProblemError
from tests import sweeps
from tests.engine.core.model_judge import LOOSE, allows, draw, selections, worth_of
from tests.engine.core.test_model_judge import built

HUBS = Path(__file__).parents[3] / "examples" / "hubs.csv"
PLAIN = ("sets", "elements", "n_sets", "n_elements", "weights", "required", "forbidden")


def hubs(**options):
    sets, weights = defaultdict(list), {}
    with HUBS.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            sets[row["set"]].append(row["element"])
            weights[row["element"]] = float(row["weight"])
    return mc.CoverageProblem.from_sets(dict(sets), weights=weights, **{"budget": 5, **options})


def case(k):
    """Draw a problem with limits and returns mixed; every third one is plain, under one budget."""
    given = draw(k)
    if k % 3 == 0:
        first = {
            name: next(iter(value.values())) if isinstance(value, dict) else value
            for name, value in given.items()
            if name in ("costs", "budget")
        }
        given = {name: given[name] for name in PLAIN} | first
    return given


def best_by_decision(given):
    """Return the best worth by set and whether it is in: within the limits, and to rounding."""
    strict, loose = {}, {}
    for one in selections(given):
        if allows(given, one, LOOSE):
            worth = worth_of(given, one)
            for best in (loose, strict) if allows(given, one, 1) else (loose,):
                for i in range(given["n_sets"]):
                    best[i, i in one] = max(best.get((i, i in one), worth), worth)
    return strict, loose


def wrong_intervals(given, explanation, strict, loose):
    """Return the sets whose loss, computed exactly, lies outside of the interval."""
    value = worth_of(given, explanation.solution.selected.tolist())
    near = Fraction(2, 10**9) * max(value, *loose.values())
    wrong = []
    for reason in explanation:
        other = reason.set, not reason.chosen
        least, most = reason.loss_at_least, reason.loss_at_most
        too_high = other in strict and (
            least == math.inf or Fraction(least) > value - strict[other] + near
        )
        too_low = most < math.inf and (
            other not in loose or Fraction(most) < value - loose[other] - near
        )
        if too_high or too_low or least > most:
            wrong.append((reason, [float(value - each.get(other, 0)) for each in (strict, loose)]))
    return wrong


@pytest.mark.parametrize("batch", range(4))
def test_every_interval_holds_the_exact_loss(batch):
    for k in sweeps.cases(2_000)[batch::4]:
        given = case(k)
        problem = built(given)
        if problem is None:
            continue
        try:
            solution = mc.solve(problem, effort=("fast", "normal")[k % 2])
        except InfeasibleError:
            continue
        best = best_by_decision(given)
        for tight in (False, True):
            explanation = mc.explain(problem, solution, tight=tight)
            assert not wrong_intervals(given, explanation, *best), (k, tight)


def test_gains_are_differences_of_values():
    for k in sweeps.cases(2_000):
        problem = built(case(k))
        if problem is None:
            continue
        chosen = np.flatnonzero(np.random.default_rng(k).random(problem.n_sets) < 0.5)
        found = gains(problem, chosen, np.arange(problem.n_sets))
        for i in range(problem.n_sets):
            others = np.setdiff1d(chosen, [i])
            exact = problem.value(np.union1d(others, [i])) - problem.value(others)
            assert found[i] == pytest.approx(exact, rel=1e-9, abs=1e-9 * problem.weights.max())


def test_a_hub_can_be_replaced_without_loss():
    problem = hubs()
    explanation = mc.solve(problem).explain("Amsterdam")
    reason = explanation["Amsterdam"]
    assert reason.chosen
    assert reason.loss_at_least == pytest.approx(0, abs=1e-9)
    assert reason.loss_at_most == pytest.approx(0, abs=1e-9)
    assert reason.sentence.startswith("Amsterdam can be left out without any loss. Then Rotterdam")
    assert "Rotterdam" in explanation.forced[reason.set].labels
    with pytest.raises(KeyError, match="not asked for"):
        explanation["Lyon"]


def test_all_losses_of_the_hubs_are_exact():
    explanation = mc.solve(hubs()).explain()
    assert (explanation.loss_at_least == explanation.loss_at_most).all()
    assert len(explanation) == 57
    assert explanation.better is None
    shown = str(explanation).splitlines()
    assert shown[0].startswith("Amsterdam")
    assert shown[-1] == "... and 45 more sets."


@pytest.mark.parametrize(
    ("limits", "label", "words"),
    [
        ({"required": ["a"]}, "a", "a is required."),
        ({"forbidden": ["c"]}, "c", "c is forbidden."),
        ({}, "d", "d cannot be chosen: 1 set costs 9, the budget is 3."),
        ({"required": ["a"]}, "e", "e cannot be chosen together with the required sets: 2 sets"),
        (
            {"groups": {"a": "g", "c": "g"}, "max_items": {"g": 1}},
            "c",
            "There is no room to add it: the items of group 'g' may be at most 1, it would be 2",
        ),
        ({}, "b", "Of what b covers, a already covers all."),
    ],
)
def test_what_keeps_a_set_out_is_said(limits, label, words):
    sets = {"a": [1, 2, 3], "b": [2, 3], "c": [3, 4], "d": [5], "e": [6]}
    costs = {"a": 1, "b": 1, "c": 1, "d": 9, "e": 3}
    problem = mc.CoverageProblem.from_sets(sets, costs=costs, budget=3, **limits)
    assert words in mc.solve(problem).explain(label)[label].sentence


def test_a_selection_of_ones_own_is_explained_and_the_better_one_is_held():
    problem = hubs()
    explanation = mc.explain(problem, ["London", "Madrid", "Paris", "Rome", "Berlin"])
    assert explanation.better is not None
    assert explanation.better.value > explanation.solution.value
    assert explanation.better.problem is problem
    assert "A better selection was found" in str(explanation)
    assert explanation.loss_at_most.min() < 0


def test_a_saved_solution_is_explained(tmp_path):
    problem = hubs()
    mc.save(mc.solve(problem), tmp_path / "solution.json")
    loaded = mc.load(tmp_path / "solution.json")
    with pytest.raises(OptionError, match=r"maxcover\.explain\(problem, solution, sets\)"):
        loaded.explain("Lyon")
    reason = mc.explain(problem, loaded, "Lyon")["Lyon"]
    assert reason.loss_at_least == reason.loss_at_most == pytest.approx(3.7)


def test_what_cannot_be_explained_is_refused():
    problem = hubs()
    with pytest.raises(OptionError, match="expected an answer of solve, got one of cover"):
        mc.explain(problem, mc.cover(problem, target=0.5))
    with pytest.raises(ProblemError, match="'Atlantis', which no set is called"):
        mc.solve(problem).explain("Atlantis")


def test_an_explanation_is_a_table_and_json():
    explanation = mc.solve(hubs()).explain(["Lyon", "Paris"])
    frame = explanation.to_pandas()
    assert frame.columns.tolist() == [
        "set", "label", "chosen", "loss_at_least", "loss_at_most", "gain", "covered_by", "limit",
        "sentence",
    ]  # fmt: skip
    assert frame["label"].tolist() == ["Lyon", "Paris"]
    found = json.loads(json.dumps(explanation.to_dict(), allow_nan=False))
    assert [one["label"] for one in found["sets"]] == ["Lyon", "Paris"]
    assert "With Lyon, the best selection" in explanation._repr_html_()
    assert [len(ax.patches) for ax in explanation.plot().axes] == [4]


def test_a_time_limit_leaves_wider_intervals():
    problem = mc.generate.biregular(100, 300, 9, 3, budget=100, seed=1)
    solution = mc.solve(problem)
    hasty, patient = (solution.explain(range(10), time_limit=limit) for limit in (0, None))
    assert not hasty.forced
    assert len(patient.forced) == 10
    assert (hasty.loss_at_least <= patient.loss_at_least + 1e-9).all()
    assert (hasty.loss_at_most >= patient.loss_at_most - 1e-9).all()


def test_who_covers_a_set_is_a_list_in_json():
    row = mc.explain(hubs(), sets="Lyon").to_dict()["sets"][0]
    assert [name for name, _ in row["covered_by"]] == ["Amsterdam", "Milan", "Valencia"]
    assert all(isinstance(share, float) for _, share in row["covered_by"])
