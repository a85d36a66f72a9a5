"""`cover` before brute force in fractions, and on its own ground."""

import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from maxcover import CoverageProblem, cover, generate, load, save, solve, verify
from maxcover.errors import InfeasibleError, OptionError
from tests import sweeps
from tests.engine.core.judge import EXACT, draw, read

CASES = sweeps.cases(10_000)
BATCHES = sweeps.size(20)
METHODS = ("auto", "auto", "greedy", "auto", "auto", "greedy", "auto", "exact")


def cheapest(instance, goal):
    """Return the least cost of a selection worth at least `goal`, or None if there is none."""
    out = {*instance.required, *instance.forbidden}
    free = [i for i in range(len(instance.sets)) if i not in out]
    costs = [read(cost) for cost in instance.costs]
    found = []
    for bits in range(1 << len(free)):
        chosen = instance.required + [i for k, i in enumerate(free) if bits >> k & 1]
        if instance.value(instance.covered(chosen)) >= goal and (
            instance.groups is None or instance.allows(chosen, slack=True)
        ):
            found.append(sum((costs[i] for i in chosen), Fraction()))
    return min(found, default=None)


def drawn(k):
    """Return an instance without a budget, and a share or a weight."""
    rng = random.Random(k)
    instance = draw(rng, most_sets=rng.choice([3, 4, 5, 6, 6, 7]))
    instance.budget = 2.0**80
    within = [i for i in range(len(instance.sets)) if i not in instance.forbidden]
    total = instance.value(range(len(instance.weights)))
    most = instance.value(instance.covered(within))
    share = rng.choice([0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0])
    if rng.random() < 0.8 and most:  # of what can be covered, so that most targets can be met
        share = float(math.floor(Fraction(share) * most / total * 1000)) / 1000 or 0.001
    if rng.random() < 0.3:
        weight = float(rng.choice(instance.weights))
        return instance, {"weight": weight}, read(weight)
    return instance, {"target": share}, read(share) * total


def faults(instance, plan, goal, best):
    """Say what is wrong with a plan."""
    costs = [read(cost) for cost in instance.costs]
    cost = sum((costs[i] for i in plan.selected), Fraction())
    value = instance.value(instance.covered(plan.selected.tolist()))
    loose = Fraction(1, 10**9) if instance.cost_kind not in EXACT else Fraction()
    slack = Fraction(1, 2**50)
    d = max((instance.value(members) for members in instance.sets), default=Fraction())
    required = sum((costs[i] for i in instance.required), Fraction())
    wrong = {
        "misses the target": value < goal * (1 - slack),
        "breaks a limit": not instance.allows(plan.selected.tolist(), slack=True),
        "cost": abs(read(plan.cost) - cost) > cost * slack,
        "value": abs(read(plan.value) - value) > value * slack,
        "bound above the optimum": read(plan.lower_bound) > best * (1 + slack + loose),
        "cheaper than the optimum": cost < best * (1 - slack),
        "optimal, but cheaper is to be had": plan.status == "optimal"
        and cost > best * (1 + slack + 2 * loose),
    }
    if instance.groups is None and instance.weight_kind in ("integers", "ties"):
        harmonic = sum(Fraction(1, j) for j in range(1, int(d) + 1))
        wrong["guarantee"] = cost - required > max(harmonic, 1) * (best - required) * (1 + slack)
    return [name for name, is_so in wrong.items() if is_so]


@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_plan_is_wrong(batch):
    for k in CASES[batch::BATCHES]:
        instance, asked, goal = drawn(k)
        best = cheapest(instance, goal)
        problem = CoverageProblem.from_edges(
            **instance.arguments() | {"n_elements": len(instance.weights)}
        )
        method = METHODS[k // 20 % len(METHODS)]
        if best is None:
            with pytest.raises(InfeasibleError, match="can be reached"):
                cover(problem, **asked, method=method, seed=k)
            continue
        plan = cover(problem, **asked, method=method, seed=k)
        wrong = faults(instance, plan, goal, best)
        report = verify(problem, plan)
        wrong += report.refused
        plain = {instance.weight_kind, instance.cost_kind} <= {"integers", "ties", "decimals"}
        if method == "exact" and plain and plan.status != "optimal":
            wrong.append(f"exact, but {plan.status}: {plan.stopped}")
        assert not wrong, f"instance {k}, {method}: {wrong}\n{instance}\n{plan}, best {best}"


def small(**options):
    return CoverageProblem.from_sets(
        {"a": [1, 2, 3], "b": [3, 4], "c": [5], "d": [1, 2, 3, 4, 5]},
        costs={"a": 2, "b": 2, "c": 1, "d": 9},
        budget=9,
        **options,
    )


def test_the_budget_of_the_problem_is_ignored():
    plan = cover(small(), target=1.0)
    assert (plan.labels, plan.cost, plan.lower_bound, plan.status) == (
        ("a", "b", "c"), 5.0, 5.0, "optimal",
    )  # fmt: skip
    assert (plan.value, plan.target, plan.share, plan.gap) == (5.0, 5.0, 1.0, 0.0)


def test_a_weight_instead_of_a_share():
    plan = cover(small(), weight=2.5)
    assert (plan.labels, plan.target, plan.share) == (("a",), 2.5, None)
    assert cover(small(), weight=0).cost == 0


def test_required_forbidden_and_groups():
    assert cover(small(required=["d"]), target=0.2).labels == ("d",)
    assert cover(small(forbidden=["b"]), target=1.0).labels == ("d",)
    groups = {"a": "g", "b": "g", "c": "g"}
    assert cover(small(groups=groups, max_items=2), target=0.9).labels == ("d",)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "got neither"),
        ({"target": 0.5, "weight": 1}, "got both"),
        ({"target": 95}, "above 0 and up to 1, got 95; write 0.95"),
        ({"target": 0}, "above 0 and up to 1"),
        ({"target": float("nan")}, "above 0 and up to 1"),
        ({"weight": -1}, "at least 0"),
        ({"weight": float("inf")}, "at least 0"),
        ({"target": 0.5, "method": "magic"}, "one of auto, greedy, exact"),
        ({"target": 0.5, "time_limit": -1}, "time_limit"),
    ],
)
def test_what_cannot_be_asked(asked, message):
    with pytest.raises(OptionError, match=message):
        cover(small(), **asked)


def test_a_target_out_of_reach_says_what_can_be_reached():
    with pytest.raises(InfeasibleError, match=r"cover 5 \(100\.0000% of all\), got weight=6"):
        cover(small(), weight=6)
    with pytest.raises(InfeasibleError, match=r"cover 4 \(80\.0000% of all\), got target=0\.9"):
        cover(small(forbidden=["c", "d"]), target=0.9)
    groups = dict.fromkeys("abcd", "g")
    with pytest.raises(InfeasibleError, match="within the limits is 4 "):
        cover(small(forbidden=["d"], groups=groups, max_items=2), target=1.0)


def test_the_same_seed_gives_the_same_plan():
    problem = generate.biregular(100, 300, 9, 3, budget=1, seed=3)
    one, two = (cover(problem, target=0.9, seed=5) for _ in range(2))
    assert np.array_equal(one.selected, two.selected)
    assert one.lower_bound == two.lower_bound


def test_cheaper_than_greedy_and_never_below_the_bound():
    problem = generate.biregular(200, 600, 9, 3, budget=1, seed=4)
    greedy = cover(problem, target=0.9, method="greedy")
    auto = cover(problem, target=0.9)
    assert auto.cost < greedy.cost
    assert greedy.lower_bound <= auto.cost
    # the certificate of `solve` agrees: for less than the bound, less is covered
    less = solve(problem.with_budget(auto.lower_bound - 1))
    assert less.upper_bound < auto.target or auto.status != "optimal"


@pytest.mark.parametrize("limit", [0, 0.05])
def test_a_deadline_still_gives_a_plan(limit):
    problem = generate.biregular(3000, 9000, 9, 3, budget=1, seed=5)
    plan = cover(problem, target=0.95, time_limit=limit)
    assert plan.stopped == "time limit"
    assert plan.value >= plan.target
    assert verify(problem, plan).ok


def test_a_callback_hears_falling_costs_and_can_stop():
    problem = generate.biregular(100, 300, 9, 3, budget=1, seed=6)
    heard = []
    plan = cover(problem, target=0.95, callback=heard.append)
    costs, lows = [step.value for step in heard], [step.bound for step in heard]
    assert costs == sorted(costs, reverse=True)
    assert lows == sorted(lows)
    assert heard[-1].gap == plan.gap
    stopped = cover(problem, target=0.95, callback=lambda _: True)
    assert stopped.stopped == "stopped by the callback"


def test_a_target_gap_ends_the_search():
    problem = generate.biregular(200, 600, 9, 3, budget=1, seed=4)
    plan = cover(problem, target=0.8, target_gap=0.5)
    assert (plan.status, plan.stopped) == ("within gap", "the target gap is reached")


def test_checkable_rests_on_nobodys_word():
    problem = generate.biregular(40, 120, 9, 3, budget=1, seed=7)
    report = verify(problem, cover(problem, target=0.9, checkable=True))
    assert report.ok
    assert not report.trusted
    assert verify(problem, cover(problem, target=0.9)).ok


FORGERIES = {
    "cost": lambda plan: {"cost": plan.cost - 1},
    "value": lambda plan: {"value": plan.value + 1},
    "bound": lambda plan: {"lower_bound": plan.lower_bound + 1},
    "bound by nobody": lambda plan: {"lower_bound": plan.cost, "bound_by": "me"},
    "target": lambda plan: {"target": plan.target - 1},
    "share": lambda plan: {"share": plan.share / 2},
    "missing set": lambda plan: {"selected": plan.selected[1:]},
    "unknown set": lambda plan: {"selected": np.append(plan.selected, 10**6)},
    "status": lambda plan: {"status": "optimal"},
    "no dual point": lambda plan: {"dual": None},
    "price": lambda plan: {"dual": plan.dual._replace(price=plan.dual.price / 2)},
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_plan_is_refused(forgery):
    problem = generate.biregular(60, 180, 9, 3, budget=1, seed=8)
    plan = cover(problem, target=0.97, method="greedy")
    assert verify(problem, plan).ok
    forged = replace(plan, **FORGERIES[forgery](plan))
    report = verify(problem, forged)
    assert not report.ok
    assert report.solution.status == "unverified"


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_a_plan_to_disk_and_back(tmp_path, ending):
    problem = small()
    plan = cover(problem, target=0.8)
    save(plan, tmp_path / f"plan.{ending}")
    back = load(tmp_path / f"plan.{ending}")
    assert back.status == "unverified"
    assert verify(problem, back).solution.status == plan.status
    assert (back.cost, back.labels, back.share) == (plan.cost, plan.labels, plan.share)


def test_a_plan_shows_itself():
    plan = cover(small(), target=0.8)
    page = plan._repr_html_()
    assert plan.certificate in page
    assert "Solution(2 sets, " in page
    assert list(plan) == list(plan.labels)
    assert len(plan) == 2


def test_targets_of_many_real_weights_are_what_verify_takes_them_for():
    """More than 2,000 weights of many digits are not added up as they print."""
    rng = np.random.default_rng(0)
    sets = np.concatenate((np.repeat(np.arange(60), 100), rng.integers(60, size=2500)))
    elements = np.concatenate((rng.integers(2500, size=6000), np.arange(2500)))
    for weights in (rng.random(2500), np.full(2500, 1 / 3), rng.random(2500) * 1e-8):
        problem = CoverageProblem.from_edges(sets, elements, weights=weights, budget=1)
        for share in (1.0, 0.9, 1 / 3):
            plan = cover(problem, target=share, method="greedy")
            assert verify(problem, plan).ok
            assert verify(problem, cover(problem, weight=plan.value, method="greedy")).ok
