"""Every method and `cover`, with all limits and returns mixed, before the judge of the model."""

import random
import re
from fractions import Fraction

import pytest

from maxcover import METHODS, CoverageProblem, cover, solve, verify
from maxcover.engine.solvers import EFFORTS
from maxcover.errors import InfeasibleError, ProblemError
from tests import sweeps
from tests.engine.core.judge import read
from tests.engine.core.model_judge import (
    LOOSE,
    allows,
    best_of,
    budgets,
    cheapest_of,
    draw,
    judge,
    judge_cover,
    selections,
    stretched,
    worth_of,
)

# An ordinary run takes a hundredth: solving under limits takes some milliseconds each.
CASES = sweeps.cases(20_000)[:: 1 if sweeps.WHOLE else 10]
STRETCHED = sweeps.cases(20_000)[:: 1 if sweeps.WHOLE else 10]
SMALL = sweeps.cases(10_000)[:: 1 if sweeps.WHOLE else 5]
BATCHES = 40 if sweeps.WHOLE else 4


def built(given):
    """Return the problem, or None where what is required is refused."""
    try:
        return CoverageProblem.from_edges(**given)
    except InfeasibleError:
        assert not allows(given, given["required"], 1) or "groups" in given
        return None
    except ProblemError as error:
        # only these may be refused, and a number that is too small or too large is named
        assert "no less than the minimum" in str(error) or re.search(  # noqa: PT017
            r"between 1e-85 and 1e\+85, got [\w ]+\[\d+\] = ", str(error)
        )
        return None


def ways(k, problem):
    """Return the options of the case: every method that can, every effort, proofs, a deadline."""
    able = [
        {"method": name}
        for name, row in METHODS.items()
        if (row.minima or not (len(problem.floors) or (problem.limits.low > 0).any()))
        and (row.returns or not problem.returns.of.size)
    ]
    able += [{"effort": name} for name in EFFORTS] + [{"checkable": True}, {"time_limit": 0.0}]
    return able[k % len(able)]


def solved(k, given):
    """Return what is wrong with the answer to a case, and its status; None if it has no answer."""
    problem = built(given)
    if problem is None:
        return [], None
    best, way = best_of(given), ways(k, problem)
    try:
        solution = solve(problem, seed=k, **way)
    except InfeasibleError:
        return (
            [] if best is None else [f"{way}: infeasible, but {float(best)} is to be had"]
        ), None
    if best is None:  # to rounding there may be one
        loose = any(allows(given, one, LOOSE) for one in selections(given))
        return ([] if loose else [f"{way}: a selection where there is none"]), None
    wrong = judge(given, solution, best) + list(verify(problem, solution).refused)
    return [f"{way}: {words}" for words in wrong], solution.status


def planned(k, given):
    """Return what is wrong with the answer of `cover` to a case."""
    rng, problem = random.Random(k), built(given)
    if problem is None:
        return []
    total = sum(map(read, [*given["weights"], *given.get("worth", [])]), Fraction())
    share = rng.choice([0.1, 0.3, 0.5, 0.8, 1.0])
    target = read(share) * total
    least = cheapest_of(given, target)
    method = rng.choice(["auto", "greedy", "exact"])
    try:
        plan = cover(problem, target=share, method=method, seed=k)
    except InfeasibleError:
        return [] if least is None else [f"{method}: infeasible, but {float(least)} is enough"]
    if least is None:
        near = any(
            worth_of(given, one) * LOOSE >= target and allows(given, one, LOOSE, budget=False)
            for one in selections(given)
        )
        return [] if near else [f"{method}: a plan where there is none"]
    wrong = judge_cover(given, plan, target, least) + list(verify(problem, plan).refused)
    return [f"{method}, target {share}: {words}" for words in wrong]


# 437: an unreachable weight of 6e299 made the best one vanish. 15426: a cost of 2e66 made a minimum
# of 0.36 vanish in its row.
@pytest.mark.parametrize("k", [437, 15426])
def test_extreme_numbers_that_were_answered_wrongly(k):
    given = stretched(k)
    assert not solved(k, given)[0]
    assert not planned(k, given)


def test_a_target_of_everything_is_met_by_all_sets():
    """The rounded sum of the weights was below 11.71, so that 100 % of 11.71 were too little."""
    assert not planned(19958, draw(19958))


@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_answer_is_wrong(batch):
    for k in CASES[batch::BATCHES]:
        given = draw(k)
        wrong = planned(k, given) if k % 4 == 0 else solved(k, given)[0]
        assert not wrong, f"case {k}: {wrong}\n{given}"


@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_answer_is_wrong_from_one_end_of_the_range_to_the_other(batch):
    taken = 0
    for k in STRETCHED[batch::BATCHES]:
        given = stretched(k)
        wrong, status = solved(k, given)
        taken += status is not None
        wrong = wrong + planned(k, given)
        assert not wrong, f"case {k}: {wrong}\n{given}"
    assert taken > 5


def proven(cases):
    """Solve cases with needs or minima; return for each whether it is proven, and what is wrong."""
    sure, wrong = [], []
    for k in cases:
        given = draw(k, most_sets=9)
        if not ("need" in given or any(name.startswith("min_") for name in given)):
            continue
        problem, best = built(given), best_of(given)
        if problem is None or best is None:
            continue
        solution = solve(problem, seed=k)
        sure.append(solution.status == "optimal")
        wrong += [f"case {k}: {words}" for words in judge(given, solution, best)]
    return sure, wrong


def test_small_problems_are_proven():
    sure, wrong = proven(SMALL)
    assert not wrong
    assert sum(sure) >= 0.95 * len(sure)  # 99.6 % of 900


def test_the_judge_sees_what_is_wrong():
    given = draw(3)
    assert budgets(given)
    problem = built(given)
    solution = solve(problem)
    best = best_of(given)
    assert not judge(given, solution, best)
    assert judge(given, solution, best * 2)
