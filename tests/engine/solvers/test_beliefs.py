"""`beliefs` against the enumerated partition function, where both must agree: on trees."""

from itertools import product

import numpy as np
import pytest

import maxcover as mc
from maxcover import CoverageProblem, beliefs, generate
from maxcover.errors import OptionError
from tests.slow_bp import SlowBP, enumerate_exactly
from tests.small_graphs import random_forest

BETAS = (0.01, 0.1, 1.0, 10.0, 100.0)
CERTAIN = 1e5  # a field that stands for infinity in the enumeration


def problem_of(sets, costs, weights, **limits) -> CoverageProblem:
    return CoverageProblem.from_edges(
        [i for i, s in enumerate(sets) for _ in s],
        [a for s in sets for a in s],
        costs=costs,
        weights=weights,
        budget=1e9,
        **limits,
    )


def random_tree_problem(rng: np.random.Generator, **limits):
    n_sets, n_elements = int(rng.integers(1, 9)), int(rng.integers(1, 10))
    sets = random_forest(rng, n_sets, n_elements)
    problem = problem_of(
        sets,
        costs=rng.uniform(0.2, 3.0, n_sets),
        weights=rng.uniform(0.0, 2.0, n_elements),
        **limits,
    )
    return sets, problem


def enumerated(sets, problem, *, beta, mu, hard):
    field = -beta * mu * problem.costs
    field[problem.required] = CERTAIN
    field[problem.forbidden] = -CERTAIN
    return enumerate_exactly(
        sets, problem.n_elements, field=field, beta_w=beta * problem.weights, hard=hard
    )


@pytest.mark.parametrize("coverage", ["soft", "hard"])
@pytest.mark.parametrize("beta", BETAS)
def test_exact_on_trees_and_forests(beta, coverage):
    rng = np.random.default_rng(int(beta * 100))
    for _ in range(60):
        sets, problem = random_tree_problem(rng)
        mu = float(rng.choice([-0.5, 0.1, 0.7, 3.0]))
        found = beliefs(problem, beta=beta, mu=mu, coverage=coverage, tol=1e-14, max_sweeps=1000)
        exact = enumerated(sets, problem, beta=beta, mu=mu, hard=coverage == "hard")
        np.testing.assert_allclose(found.sets, exact.chosen, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.elements, exact.element, rtol=0, atol=1e-9)


@pytest.mark.parametrize("coverage", ["soft", "hard"])
def test_required_and_forbidden_sets_are_certain(coverage):
    rng = np.random.default_rng(1)
    tried = 0
    while tried < 60:
        sets, problem = random_tree_problem(rng)
        if problem.n_sets < 3:
            continue
        required, forbidden = rng.permutation(problem.n_sets)[:2]
        limited = problem_of(
            sets, problem.costs, problem.weights, required=[required], forbidden=[forbidden]
        )
        found = beliefs(limited, beta=2.0, mu=0.5, coverage=coverage, tol=1e-14, max_sweeps=1000)
        exact = enumerated(sets, limited, beta=2.0, mu=0.5, hard=coverage == "hard")
        assert found.sets[required] == 1.0
        assert found.sets[forbidden] == 0.0
        np.testing.assert_allclose(found.sets, exact.chosen, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.elements, exact.element, rtol=0, atol=1e-9)
        tried += 1


def largest(sets, problem, mu):
    """Return minus the largest value less mu times the cost, by enumeration."""
    best = -np.inf
    for chosen in product([0, 1], repeat=len(sets)):
        inside = np.flatnonzero(chosen)
        if {*problem.required} <= {*inside} and not {*problem.forbidden} & {*inside}:
            best = max(best, problem.value(inside) - mu * problem.costs[inside].sum())
    return -best


@pytest.mark.parametrize("coverage", ["soft", "hard"])
@pytest.mark.parametrize("beta", [0.3, 2.0, 20.0])
def test_the_free_energy_is_exact_on_forests(beta, coverage):
    rng = np.random.default_rng(7)
    for _ in range(40):
        sets, problem = random_tree_problem(rng)
        if problem.n_sets > 2:
            required, forbidden = rng.permutation(problem.n_sets)[:2]
            problem = problem_of(
                sets, problem.costs, problem.weights, required=[required], forbidden=[forbidden]
            )
        mu = float(rng.choice([-0.5, 0.1, 0.7, 3.0]))
        found = beliefs(problem, beta=beta, mu=mu, coverage=coverage, tol=1e-14, max_sweeps=3000)
        wanted = -log_partition(sets, problem, beta, mu, hard=coverage == "hard") / beta
        assert found.free_energy == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        step = 1e-4 * beta
        above, below = (
            log_partition(sets, problem, beta + d, mu, hard=coverage == "hard")
            for d in (step, -step)
        )
        energy = (below - above) / (2 * step)  # of the enumeration
        assert found.energy == pytest.approx(energy, rel=1e-5, abs=1e-5)
        assert found.entropy == pytest.approx(beta * (energy - wanted), rel=1e-4, abs=1e-4 * beta)


def log_partition(sets, problem, beta, mu, *, hard):
    terms = []
    for chosen in product([0, 1], repeat=len(sets)):
        inside = np.flatnonzero(chosen)
        if {*problem.required} <= {*inside} and not {*problem.forbidden} & {*inside}:
            gains = beta * problem.weights[problem.covered(inside)]
            each = gains if hard else np.logaddexp(0.0, gains)
            terms.append(each.sum() - beta * mu * problem.costs[inside].sum())
    return np.logaddexp.reduce(terms)


def test_at_low_temperatures_fields_are_differences_of_the_best_values():
    rng = np.random.default_rng(8)
    decided = 0
    for _ in range(60):
        sets, problem = random_tree_problem(rng)
        cold = beliefs(problem, beta=2000.0, mu=0.7, tol=1e-14, max_sweeps=3000)
        assert cold.free_energy == pytest.approx(largest(sets, problem, 0.7), abs=0.02)
        sure = np.abs(cold.fields) > 0.05
        decided += sure.sum()
        if sure.all():
            best = np.flatnonzero(cold.sets > 0.5)
            cost = float(problem.costs[best].sum())
            assert 0.7 * cost - problem.value(best) == pytest.approx(
                largest(sets, problem, 0.7), abs=1e-9
            )
    assert decided > 100


@pytest.mark.parametrize("beta", [0.5, 1.0, 3.0])
def test_without_a_price_the_expected_cost_meets_the_budget(beta):
    problem = generate.biregular(100, 300, 9, 3, budget=100, seed=3)
    found = beliefs(problem, beta=beta)
    assert found.expected_cost == pytest.approx(100, rel=1e-3)
    assert found.expected_cost == pytest.approx(problem.costs @ found.sets)
    assert found.mu > 0
    loose = beliefs(problem.with_budget(1e6), beta=beta)
    assert loose.mu == 0.0


@pytest.mark.parametrize("beta", [1.0, 20.0])
def test_warm_messages_are_at_rest_at_once(beta):
    problem = generate.biregular(100, 300, 9, 3, budget=100, seed=4)
    cold = beliefs(problem, beta=beta, mu=5.0, max_sweeps=1000, messages=True)
    warm = beliefs(problem, beta=beta, mu=5.0, max_sweeps=1000, start=cold)
    assert cold.converged
    assert warm.sweeps < cold.sweeps / 5
    np.testing.assert_allclose(warm.fields, cold.fields, atol=1e-3)
    with pytest.raises(OptionError, match="messages=True"):
        beliefs(problem, beta=beta, mu=5.0, start=warm)


@pytest.mark.parametrize("beta", [1.0, 20.0])
def test_a_callback_hears_of_every_sweep_and_ends_the_run(beta):
    problem = generate.biregular(100, 300, 9, 3, budget=100, seed=4)
    heard = []
    found = beliefs(problem, beta=beta, mu=5.0, callback=heard.append)
    assert [one.number for one in heard] == [*range(1, found.sweeps + 1)]
    np.testing.assert_allclose([one.residual for one in heard], found.residuals)
    assert {one.mu for one in heard} == {5.0}
    assert beliefs(problem, beta=beta, mu=5.0, callback=lambda one: one.number == 3).sweeps == 3
    heard = []
    beliefs(problem, beta=beta, callback=lambda one: bool(heard.append(one)) or len(heard) == 7)
    assert len(heard) == 7


def test_the_printed_element_field_is_not_the_marginal():
    """Erratum: Eq. BP4 misses the enumeration by far; see docs/lab/paper.md."""
    sets = [[0, 1], [1, 2], [2]]
    problem = problem_of(sets, costs=[1.0, 1.5, 0.8], weights=[1.0, 0.7, 1.4])
    found = beliefs(problem, beta=1.0, mu=0.6, tol=1e-14, max_sweeps=1000)
    exact = enumerated(sets, problem, beta=1.0, mu=0.6, hard=False)
    # prod_j (1 + e^{beta h_ja}), recovered from the field that is right
    product = 1 / (1 - np.exp(found.element_fields - problem.weights))
    printed = -np.log(1 - 1 / (1 + np.exp(-problem.weights)) / product)
    assert abs(1 / (1 + np.exp(-printed)) - exact.element).max() > 0.01
    np.testing.assert_allclose(found.elements, exact.element, atol=1e-9)


def test_fields_support_and_messages_say_the_same():
    problem = generate.biregular(30, 90, 9, 3, budget=30, seed=2)
    found = beliefs(problem, beta=0.3, mu=5.0, messages=True, tol=1e-10, max_sweeps=500)
    assert found.converged
    assert found.messages is not None
    rows = np.repeat(np.arange(30), 9)
    sums = np.bincount(rows, weights=found.messages, minlength=30)
    np.testing.assert_allclose(found.support, sums, rtol=1e-12)
    np.testing.assert_allclose(found.fields, sums - 5.0 * problem.costs, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.sets, 1 / (1 + np.exp(-0.3 * found.fields)), rtol=1e-9)
    np.testing.assert_allclose(
        found.elements, 1 / (1 + np.exp(-0.3 * found.element_fields)), rtol=1e-9
    )
    assert len(found.residuals) == found.sweeps
    assert beliefs(problem, beta=0.3, mu=5.0).messages is None


@pytest.mark.parametrize("coverage", ["soft", "hard"])
def test_the_fixed_point_is_the_papers_on_a_graph_with_loops(coverage):
    """A sweep of the slow twin moves nothing that has converged."""
    problem = generate.biregular(30, 90, 9, 3, budget=30, seed=3)
    beta, mu = 0.5, 5.0
    found = beliefs(
        problem, beta=beta, mu=mu, coverage=coverage, messages=True, tol=1e-13, max_sweeps=2000
    )
    sets = [problem.elements_of(i).tolist() for i in range(30)]
    twin = SlowBP(
        sets,
        90,
        field=-beta * mu * problem.costs,
        beta_w=beta * problem.weights,
        hard=coverage == "hard",
        log_r=-beta * found.messages,
    )
    twin.sweep(0.0)
    np.testing.assert_allclose(-twin.log_r / beta, found.messages, rtol=1e-8, atol=1e-10)


def test_without_damping_it_oscillates_and_says_so():
    problem = generate.biregular(100, 300, 9, 3, budget=100, seed=0)
    loose = beliefs(problem, beta=3.0, mu=5.0, damping=0.0)
    damped = beliefs(problem, beta=3.0, mu=5.0)
    assert not loose.converged
    assert loose.oscillating
    assert "oscillating" in repr(loose)
    assert damped.converged
    assert not damped.oscillating
    assert damped.sweeps < 150


def test_a_large_graph_that_only_takes_longer_is_not_called_oscillating():
    problem = generate.biregular(1000, 3000, 9, 3, budget=1000, seed=0)
    short = beliefs(problem, beta=3.0, mu=5.0, max_sweeps=60)
    assert not short.converged
    assert not short.oscillating
    assert "not converged" in repr(short)
    assert beliefs(problem, beta=3.0, mu=5.0, max_sweeps=1000).converged


def test_serial_sweeps_converge_more_often_without_damping():
    converged = {"parallel": 0, "serial": 0}
    for seed in range(20):
        problem = generate.biregular(100, 300, 9, 3, budget=100, seed=seed)
        for schedule in converged:
            found = beliefs(problem, beta=3.0, mu=5.0, damping=0.0, schedule=schedule)
            converged[schedule] += found.converged
    assert converged["parallel"] < 5
    assert converged["serial"] > 10


def test_random_first_messages_end_where_the_offers_do_on_a_tree():
    rng = np.random.default_rng(5)
    _, problem = random_tree_problem(rng)
    how = {"beta": 1.0, "mu": 0.7, "tol": 1e-13, "max_sweeps": 1000}
    usual = beliefs(problem, **how)
    for seed in range(5):
        other = beliefs(problem, **how, init="random", seed=seed)
        np.testing.assert_allclose(other.sets, usual.sets, atol=1e-9)


def test_expected_cost_meets_the_budget_at_the_papers_peak():
    costs = []
    for seed in range(10):
        problem = generate.biregular(100, 300, 9, 3, budget=100, seed=seed)
        costs.append(problem.costs @ beliefs(problem, beta=3.0, mu=5.0).sets)
    assert np.mean(costs) == pytest.approx(100, rel=0.1)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads):
    problem = generate.biregular(100, 300, 9, 3, budget=100, seed=4)
    one = beliefs(problem, beta=1.0, mu=5.0)
    more = beliefs(problem, beta=1.0, mu=5.0, threads=threads)
    assert one.fields.tobytes() == more.fields.tobytes()


def test_no_sets_and_no_elements():
    nothing = CoverageProblem.from_edges([], [], budget=0)
    assert beliefs(nothing, beta=1.0, mu=1.0).sets.size == 0
    lonely = CoverageProblem.from_edges([], [], budget=1, costs=[1.0, 2.0], weights=[1.0])
    found = beliefs(lonely, beta=1.0, mu=1.0)
    np.testing.assert_allclose(found.sets, 1 / (1 + np.exp([1.0, 2.0])))
    np.testing.assert_allclose(found.elements, 0.0, atol=1e-300)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beta": 0.0, "mu": 1.0}, "expected beta to be a finite number above 0"),
        ({"beta": np.nan, "mu": 1.0}, "expected beta to be a finite number above 0"),
        ({"beta": 1.0, "mu": np.inf}, "mu to be a finite number"),
        (
            {"beta": 1.0, "mu": 1.0, "damping": 1.0},
            "expected damping to be a number of at least 0 and below 1",
        ),
        ({"beta": 1.0, "mu": 1.0, "coverage": "warm"}, "one of soft, hard, got 'warm'"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(OptionError, match=message):
        beliefs(generate.greedy_trap(), **options)


def test_the_function_is_not_hidden_by_a_module():
    """A module `maxcover.beliefs` would replace the function as soon as a solver imported it."""
    mc.solve(generate.greedy_trap(), method="bp")
    assert callable(mc.beliefs)
