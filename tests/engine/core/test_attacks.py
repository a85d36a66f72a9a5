"""Where a certificate or a promise once broke; each was seen to fail before it was mended."""

import sys

import numpy as np
import pytest
from benchmarks._report import clock

from maxcover import CoverageProblem, certify, generate, load, save, solve, verify
from maxcover.errors import InfeasibleError, OptionError, ProblemError
from tests import sweeps

BIREGULAR = generate.biregular(100, 300, 9, 3, budget=100, seed=3)


@pytest.mark.parametrize(
    ("costs", "budget", "limit"),
    [
        ([11, 13, 7], sys.maxsize, 20),
        ([11.1, 13.2, 7.3], 1e15, 20),
        ([4e-6, 5e-6, 6.5e-6], 1e9, 1e-5),
        ([4e-6, 5e-6, 6.5e-6], 1e300, 1e-5),
    ],
)
@pytest.mark.parametrize("method", ["auto", "exact", "g-greedy"])
def test_an_unlimited_budget_does_not_lift_group_limits(costs, budget, limit, method):
    problem = CoverageProblem.from_edges(
        [0, 1, 2], [0, 1, 2], costs=costs, budget=budget, groups=["g"] * 3, max_cost={"g": limit}
    )
    assert solve(problem, method=method).cost <= limit
    with pytest.raises(InfeasibleError, match="the cost of group 'g' to be at most"):
        certify(problem, [0, 1, 2])


def test_a_group_limit_far_below_real_costs_is_kept_too():
    costs = [4e-6, 5e-6, 6.5e-6, 1e9 * 0.1**0.5]
    problem = CoverageProblem.from_edges(
        range(4), range(4), costs=costs, budget=1e9, groups=[*"ggg", None], max_cost={"g": 1e-5}
    )
    solution = solve(problem)
    assert sum(costs[i] for i in solution.selected if i < 3) <= 1e-5
    assert solution.value == 3.0


def heavy(seed: int, *, required: bool) -> CoverageProblem:
    """Weights 1 to 10, and one of 10^8 that a set of its own covers."""
    graph = generate.biregular(100, 300, 9, 3, budget=100, seed=seed)
    return CoverageProblem.from_edges(
        np.append(np.repeat(np.arange(100), 9), 100),
        np.append(graph.indices, 300),
        costs=np.append(graph.costs, 1.0),
        weights=np.append(graph.weights, 1e8),
        budget=101,
        required=[100] if required else [],
    )


@pytest.mark.parametrize("required", [True, False])
@pytest.mark.parametrize("seed", sweeps.cases(6))
def test_a_priority_weight_hides_nothing(seed, required):
    plain = solve(generate.biregular(100, 300, 9, 3, budget=100, seed=seed), method="exact")
    assert plain.status == "optimal"
    problem = heavy(seed, required=required)
    for method in ("auto", "exact"):
        solution = solve(problem, method=method)
        if solution.status == "optimal" or method == "exact":
            assert solution.value == 1e8 + plain.value
        assert solution.upper_bound >= 1e8 + plain.value
    assert solution.status == "optimal"


def test_a_target_gap_needs_no_time_limit():
    rng = np.random.default_rng(0)
    sets, elements = np.nonzero(rng.random((585, 600)) < 0.05)
    problem = CoverageProblem.from_edges(
        sets,
        elements,
        costs=rng.integers(1, 100, 585),
        weights=rng.integers(1, 1000, 600),
        budget=2000,
    )
    assert solve(problem, target_gap=0.05).gap <= 0.05


def hard() -> CoverageProblem:
    return generate.biregular(1000, 3000, 9, 3, budget=1000, seed=1)


@pytest.mark.clock
@pytest.mark.parametrize("method", ["exact", "auto", "bp-decimation"])
def test_a_callback_is_asked_all_the_time(method):
    asked = []

    def stop_after_a_while(progress) -> bool:
        asked.append(progress.seconds)
        return progress.seconds > 1.0

    solve(BIREGULAR, method=method)  # compiled
    solution = solve(hard(), method=method, time_limit=60, callback=stop_after_a_while)
    assert solution.stopped in {"stopped by the callback", "nothing that fits adds anything"}
    clock(f"{method}, s until a callback that says so after 1 s has ended it", asked[-1], most=2)
    clock(f"{method}, longest time between two calls, s", np.diff(asked).max(), most=1)


@pytest.mark.parametrize("method", ["exact", "auto"])
def test_an_exception_in_a_callback_is_the_callers(method):
    def fail(progress) -> None:
        if progress.seconds > 0.5:
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        solve(hard(), method=method, time_limit=30, callback=fail)


@pytest.mark.parametrize("ending", [".json", ".npz"])
def test_a_file_is_not_believed(tmp_path, ending):
    solution = solve(BIREGULAR)
    save(solution, tmp_path / f"s{ending}")
    assert load(tmp_path / f"s{ending}").status == "unverified"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("seed", None),
        ("seed", -1),
        ("seed", 1.5),
        ("seed", "a"),
        ("threads", -3),
        ("threads", 0),
        ("callback", 3),
        ("time_limit", "1"),
        ("time_limit", -1),
        ("time_limit", float("nan")),
        ("target_gap", None),
        ("bound", "best"),
        ("checkable", "yes"),
    ],
)
def test_wrong_options_are_named(option, value):
    with pytest.raises(OptionError, match=rf"expected {option} to be .*, got"):
        solve(BIREGULAR, **{option: value})


def test_a_misspelt_option_is_guessed():
    with pytest.raises(OptionError, match="did you mean 'threads'"):
        solve(BIREGULAR, thread=3)


@pytest.mark.parametrize("seed", [np.int64(2**62), 2**200, np.uint8(3)])
def test_any_whole_number_is_a_seed(seed):
    assert solve(BIREGULAR, seed=seed).value > 0


def test_weights_that_cannot_be_added_are_refused():
    with pytest.raises(ProblemError, match="weights with a sum below"):
        CoverageProblem.from_edges([0, 1], [0, 1], weights=[1.7e308, 1.7e308], budget=1)


@pytest.mark.parametrize("name", ["costs", "weights", "budget"])
def test_whole_numbers_that_floats_cannot_hold_are_refused(name):
    given = {"costs": [2**53, 2**53], "weights": [1, 1], "budget": 2**54}
    given[name] = 2**54 + 1 if name == "budget" else [2**53 + 1, 1]
    with pytest.raises(ProblemError, match="that a 64-bit float holds exactly"):
        CoverageProblem.from_edges([0, 1], [0, 1], **given)


@pytest.mark.parametrize("method", ["bp", "bp-decimation", "auto"])
def test_subnormal_weights(method):
    weights = np.arange(1, 5) * 5e-324
    problem = CoverageProblem.from_edges(range(4), range(4), weights=weights, budget=2)
    assert solve(problem, method=method).value == 7 * 5e-324


def test_whole_costs_beyond_64_bits_are_counted_alike_by_solver_and_checker():
    """Sums of 9e21 and 5e5 are rounded, so the budget is kept to rounding."""
    problem = CoverageProblem.from_sets([[0], [1]], costs=[5e5, 9e21], budget=9e21)
    for method in ("greedy", "auto"):
        assert verify(problem, solve(problem, method=method)).refused == ()
