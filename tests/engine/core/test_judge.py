"""Every method before a judge that shares no code with the package, and counts in fractions."""

import random

import pytest

from maxcover import METHODS, CoverageProblem, solve, verify
from maxcover.engine.solvers import EFFORTS
from tests import sweeps
from tests.engine.core.judge import COSTS, WEIGHTS, Instance, draw, judge

CASES = sweeps.cases(20_000)
BATCHES = sweeps.size(40)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_solution_is_wrong(batch):
    for k in CASES[batch::BATCHES]:
        rng = random.Random(k)
        # most are small, so that many fit into the time
        instance = draw(rng, most_sets=rng.choice([4, 5, 6, 6, 7, 9]))
        method = list(METHODS)[k // 40 % len(METHODS)]
        row = METHODS[method]
        problem = CoverageProblem.from_edges(**instance.arguments())
        options = {"effort": list(EFFORTS)[k % len(EFFORTS)]} if method == "auto" else {}
        solution = solve(problem, method=method, seed=k, **options)
        wrong = judge(instance, solution, row.guarantee)
        proven = row.exact and solution.stopped == "HiGHS proved it"
        if proven and solution.status != "optimal" and instance.weight_kind != "subnormal":
            wrong.append(f"proven, but {solution.status}")
        report = verify(problem, solution)
        wrong += report.refused
        assert not wrong, f"instance {k}, {method}: {wrong}\n{instance}"


def test_every_kind_is_drawn():
    drawn = [draw(random.Random(k)) for k in range(1000)]
    assert {instance.cost_kind for instance in drawn} == set(COSTS)
    assert {instance.weight_kind for instance in drawn} == set(WEIGHTS)
    assert any(instance.budget >= 2**62 and instance.max_cost for instance in drawn)
    assert any(instance.required and instance.groups for instance in drawn)


class _Answer:
    """A solution as the judge sees it."""

    def __init__(self, selected, value, upper_bound, status="heuristic"):
        self.selected, self.value = selected, value
        self.upper_bound, self.status = upper_bound, status


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (_Answer([0, 1], 3.0, 9.0), "breaks a limit"),
        (_Answer([0], 2.5, 9.0), "value"),
        (_Answer([0], 1.0, 1.5), "below"),
        (_Answer([0], 1.0, 9.0), "less than"),
        (_Answer([0], 1.0, 1.0, "optimal"), "more is to be had"),
        (_Answer([1], 2.0, 2.0, "optimal"), None),
    ],
)
def test_the_judge_sees_what_is_wrong(answer, fault):
    instance = Instance([[0], [1]], [0.1, 0.2], [1, 2], 0.2, "decimals", "integers")
    wrong = judge(instance, answer, 0.9)
    assert any(fault in words for words in wrong) if fault else not wrong
