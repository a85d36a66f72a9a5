"""Plans: they grow, keep every limit, are never behind simpler ones, and their bound holds."""

import json
from itertools import pairwise, product

import numpy as np
import pytest

import maxcover as mc
from maxcover.engine.decisions.phases import in_phases
from maxcover.errors import InfeasibleError, OptionError
from tests import sweeps
from tests.engine.core.model_judge import draw
from tests.engine.core.test_model_judge import built
from tests.engine.decisions.test_explain import hubs


def check(problem, plan):
    """Hold a plan against its problem: it grows, fits, and meets the minima at the end."""
    for before, after in pairwise(plan.selections):
        assert np.isin(before, after).all()
    for budget, chosen, value, bound in zip(
        plan.budgets, plan.selections, plan.values, plan.upper_bounds, strict=True
    ):
        assert not problem.with_budget(budget).excess(chosen)
        assert value == pytest.approx(problem.value(chosen), rel=1e-12)
        assert value <= bound
        assert np.isin(problem.required, chosen).all()
        assert not np.isin(problem.forbidden, chosen).any()
    assert not problem.with_budget(plan.budgets[-1]).violation(plan.selections[-1])
    assert plan.worst <= plan.mean <= plan.mean_bound <= 1


def test_the_hubs_in_five_phases():
    plan = mc.plan(hubs(), budgets=[1, 2, 3, 4, 5])
    check(hubs(), plan)
    assert plan.worst == pytest.approx(0.97035, abs=1e-5)
    assert plan.mean == pytest.approx(plan.mean_bound, rel=1e-9)
    assert next(iter(plan)) == ("Rotterdam",)
    same = mc.plan(hubs(), phases=5)
    assert [x.tolist() for x in same.selections] == [x.tolist() for x in plan.selections]


def best_mean(problem, budgets, bounds):
    """Try every way of entering: no phase, or one of them, for each set."""
    best = -1.0
    for entry in product(range(len(budgets) + 1), repeat=problem.n_sets):
        held = [np.flatnonzero(np.array(entry) <= k) for k in range(len(budgets))]
        if all(
            not problem.with_budget(b).excess(s) and np.isin(problem.required, s).all()
            for b, s in zip(budgets, held, strict=True)
        ) and not problem.with_budget(budgets[-1]).violation(held[-1]):
            values = [problem.value(s) for s in held]
            shares = [v / b if b > 0 else 1 for v, b in zip(values, bounds, strict=True)]
            best = max(best, float(np.mean(shares)))
    return best


def test_no_plan_beats_the_bound_by_brute_force():
    tried = 0
    for k in sweeps.cases(100):
        given = draw(k, most_sets=5) | {"forbidden": []}
        problem = built(given)
        if problem is None:
            continue
        budgets = [0.6 * problem.budget, problem.budget]
        try:
            plan = mc.plan(problem, budgets)
        except (InfeasibleError, OptionError):  # nothing meets the minima, or nothing fits
            continue
        check(problem, plan)
        best = best_mean(problem, plan.budgets, plan.upper_bounds)
        assert plan.mean <= best * (1 + 1e-9), k
        assert best <= plan.mean_bound * (1 + 1e-9), k
        tried += 1
    assert tried > 2


def greedy_chain(problem, budgets):
    held, values = problem.required, []
    for budget in budgets:
        stage = problem.with_budget(budget).with_choice(held, problem.forbidden)
        held = mc.solve(stage, method="g-greedy", bound="trivial").selected
        values.append(problem.value(held))
    return np.array(values)


@pytest.mark.parametrize("seed", range(3))
def test_never_behind_greedy(seed):
    problem = mc.generate.biregular(60, 180, 9, 3, budget=60, seed=seed)
    plan = mc.plan(problem, phases=4)
    check(problem, plan)
    shares = greedy_chain(problem, plan.budgets.tolist()) / plan.upper_bounds
    assert plan.worst >= shares.min() * (1 - 1e-9)


def test_an_order_has_one_set_per_phase():
    problem = mc.generate.biregular(40, 120, 9, 3, budget=60, seed=2)
    plan = mc.plan(problem, phases="every")
    check(problem, plan)
    assert all(len(one) == 1 for one in plan)
    assert plan.worst > 0.9
    again = mc.plan(problem, phases="every")
    assert again.to_dict() == plan.to_dict()


def test_decimal_costs_fit_their_own_sums():
    sets = {k: [k] for k in range(8)}
    problem = mc.CoverageProblem.from_sets(sets, costs=[0.1, 0.7] * 4, budget=3.2)
    plan = mc.plan(problem, phases="every")
    check(problem, plan)
    assert len(plan) == 8


def test_limits_and_returns_are_carried_over():
    problem = mc.CoverageProblem.from_edges(
        [0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 0, 1, 2, 3, 2, 3], need=[2, 2, 1, 1], budget=4
    )
    joint = in_phases(problem, np.array([2.0, 4.0]), np.ones(2), np.arange(4))
    for first, second in ((np.array([0, 1]), np.arange(4)), (np.array([2]), np.array([2, 3]))):
        chosen = joint.numbered([first, second])
        assert not joint.problem.violation(chosen)
        value = problem.value(first) + problem.value(second)
        assert joint.problem.value(chosen) == pytest.approx(value)
        for one, other in zip(joint.selections(chosen, 2), (first, second), strict=True):
            assert one.tolist() == other.tolist()
    # the same set in both phases would count twice
    assert joint.problem.violation(np.array([0, 4]))


def test_a_plan_is_a_table_and_json():
    plan = mc.plan(hubs(), phases=5)
    frame = plan.to_pandas()
    assert frame["phase"].tolist() == [1, 2, 3, 4, 5]
    assert frame["label"].tolist()[0] == "Rotterdam"
    found = json.loads(json.dumps(plan.to_dict(), allow_nan=False))
    assert [one["label"] for one in found["sets"]][1] == "Bucharest"
    assert "Rotterdam" in plan._repr_html_()
    assert str(plan).splitlines()[0].startswith("Phase 1, budget 1: Rotterdam (36 covered")
    assert len(plan.plot().axes) == 1


def test_budgets_or_phases():
    with pytest.raises(OptionError, match="either budgets"):
        mc.plan(hubs())
    with pytest.raises(OptionError, match="at least one"):
        mc.plan(hubs(), budgets=[])
