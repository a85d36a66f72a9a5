"""The fast sweep against the slow twin, the enumeration, and the edges of floating point."""

from types import SimpleNamespace

import numpy as np
import pytest

from maxcover.engine.core.validation import transposed
from maxcover.engine.kernels import crew
from maxcover.engine.kernels.arrays import CompressedRows
from maxcover.engine.kernels.propagate import DAMPING, Propagation
from tests.slow_bp import SlowBP, enumerate_exactly
from tests.small_graphs import biregular, random_forest, random_sets, to_csr

VARIANTS = [pytest.param(True, id="hard"), pytest.param(False, id="soft")]


def propagate(indptr, indices, gains, *, field, hard=True, r=None, **options):
    """Run belief propagation on the rows of a graph, perhaps from messages; return these too."""
    columns = CompressedRows(*transposed(indptr, indices, gains.size))
    propagation = Propagation(columns, field.size, gains, hard=hard)
    if r is not None:
        propagation.send(r)
    usual = {"damping": DAMPING, "max_sweeps": 200, "tol": 1e-3, "threads": 1}
    found = propagation.at(field, **usual | options)
    element_field = propagation.element_field
    return SimpleNamespace(**found._asdict(), r=propagation.sent, element_field=element_field)


def sigmoid(x):
    return np.exp(-np.logaddexp(0.0, -x))


@pytest.mark.parametrize("hard", VARIANTS)
@pytest.mark.parametrize("beta", [0.01, 0.3, 3.0, 100.0])
def test_exact_on_forests(rng, beta, hard):
    for mu in (-1.0, 0.0, 2.0, 5.0, 1e6):
        sets = random_forest(rng, 7, 8)
        gains = beta * rng.integers(0, 11, 8)
        field = -beta * mu * rng.integers(1, 11, 7)
        exact = enumerate_exactly(sets, 8, field=field, beta_w=gains, hard=hard)
        found = propagate(
            *to_csr(sets), gains, field=field, hard=hard, damping=0.0, tol=1e-14, max_sweeps=40
        )
        assert found.converged
        np.testing.assert_allclose(found.chosen, exact.chosen, atol=1e-9)
        np.testing.assert_allclose(sigmoid(found.element_field), exact.element, atol=1e-9)


@pytest.mark.parametrize("hard", VARIANTS)
def test_fixed_sets_condition_the_distribution(rng, hard):
    sets = random_forest(rng, 7, 8)
    gains = rng.uniform(0.0, 5.0, 8)
    field = -rng.uniform(0.0, 9.0, 7)
    found_field, exact_field = field.copy(), field.copy()
    found_field[[0, 3]] = np.inf, -np.inf
    exact_field[[0, 3]] = 2e3, -2e3  # as certain as enumeration in doubles can tell
    exact = enumerate_exactly(sets, 8, field=exact_field, beta_w=gains, hard=hard)
    found = propagate(*to_csr(sets), gains, field=found_field, hard=hard, damping=0.0, tol=1e-14)
    np.testing.assert_allclose(found.chosen, exact.chosen, atol=1e-9)
    np.testing.assert_allclose(sigmoid(found.element_field), exact.element, atol=1e-9)
    assert found.chosen[0] == 1.0
    assert found.chosen[3] == 0.0


@pytest.mark.parametrize("hard", VARIANTS)
@pytest.mark.parametrize("mu", [-1e6, -1000.0, -30.0, 50.0, 1000.0, 1e6])
@pytest.mark.parametrize("heaviest", [10, 1000])
def test_converged_says_so_only_where_the_messages_rest(rng, hard, mu, heaviest):
    """Where the odds of a set have reached their cap, its messages may still move."""
    sets = random_sets(rng, 24, 30, 9)
    gains = 3.0 * rng.integers(1, heaviest, 30)
    field = -3.0 * mu * rng.integers(1, 11, 24)
    found = propagate(*to_csr(sets), gains, field=field, hard=hard, tol=1e-6, max_sweeps=500)
    longer = propagate(*to_csr(sets), gains, field=field, hard=hard, tol=-1.0, max_sweeps=500)
    assert found.converged or heaviest == 1000  # frozen: damping alone takes thousands of sweeps
    if found.converged:
        np.testing.assert_allclose(found.support, longer.support, rtol=1e-5, atol=1e-5)


# Hot, the best regime, the paper's, frozen; and two where e^{-beta w} leaves the range of a double.
@pytest.mark.parametrize("beta", [0.01, 0.5, 3.0, 30.0, 200.0, 1e4])
@pytest.mark.parametrize("hard", VARIANTS)
@pytest.mark.parametrize("damping", [0.0, 0.3, 0.5])
def test_equals_slow_twin_sweep_by_sweep(rng, beta, hard, damping):
    sets = random_sets(rng, 24, 30, 9)
    gains = beta * rng.integers(0, 11, 30) * rng.uniform(0.5, 1.5, 30)
    costs = rng.integers(1, 11, 24)
    for mu in (-1.0, 2.0, 5.0, 100.0):
        field = -beta * mu * costs
        twin = SlowBP(sets, 30, field=field, beta_w=gains, hard=hard)
        for _ in range(8):
            twin.sweep(damping)
        fast = propagate(
            *to_csr(sets), gains, field=field, hard=hard, damping=damping, tol=-1.0, max_sweeps=8
        )
        scale = np.maximum(np.abs(twin.fields()), 1e-3)
        assert np.max(np.abs(field + fast.support - twin.fields()) / scale) <= 1e-8
        np.testing.assert_allclose(fast.chosen, twin.chosen(), atol=1e-12)
        np.testing.assert_allclose(
            sigmoid(fast.element_field), sigmoid(twin.element_field()), atol=1e-9
        )


@pytest.mark.parametrize("beta", [0.5, 3.0, 200.0])
@pytest.mark.parametrize("hard", VARIANTS)
@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_serial_sweeps_equal_the_slow_twin(rng, beta, hard, damping):
    sets = random_sets(rng, 12, 15, 6)
    gains = beta * rng.integers(0, 11, 15) * rng.uniform(0.5, 1.5, 15)
    field = -beta * 3.0 * rng.integers(1, 11, 12)
    twin = SlowBP(sets, 15, field=field, beta_w=gains, hard=hard)
    for _ in range(5):
        twin.sweep_serially(damping)
    usual = {"hard": hard, "damping": damping, "tol": -1.0, "max_sweeps": 5}
    fast = propagate(*to_csr(sets), gains, field=field, schedule="serial", threads=2, **usual)
    scale = np.maximum(np.abs(twin.fields()), 1e-3)
    assert np.max(np.abs(field + fast.support - twin.fields()) / scale) <= 1e-8


def test_threads_do_not_change_a_bit(rng):
    n_sets = 24_000
    indptr, indices = biregular(rng, n_sets)
    assert indices.size > crew.LARGE
    gains = rng.uniform(0.0, 5.0, 3 * n_sets)
    field = -rng.uniform(0.0, 30.0, n_sets)
    one, *others = (
        propagate(indptr, indices, gains, field=field, max_sweeps=4, threads=t)
        for t in (1, 2, 3, 8)
    )
    for other in others:
        for name in ("r", "support", "chosen", "element_field", "residuals"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def check_sane(beliefs):
    assert np.all((beliefs.chosen >= 0.0) & (beliefs.chosen <= 1.0))
    assert np.all(np.isfinite(beliefs.support))
    assert np.all(beliefs.support >= -1e-9)
    assert not np.any(np.isnan(beliefs.element_field))
    assert not np.any(np.isnan(beliefs.r))


@pytest.mark.parametrize("hard", VARIANTS)
@pytest.mark.parametrize("beta", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("mu", [-1e6, -1.0, 0.0, 1.0, 1e6])
def test_extreme_weights_stay_finite(rng, beta, mu, hard):
    sets = random_sets(rng, 30, 40, 12)
    weights = 10.0 ** rng.uniform(-12, 12, 40)
    weights[:5] = 0.0
    field = -beta * mu * rng.uniform(0.0, 10.0, 30)
    for damping in (0.0, 0.3):
        found = propagate(
            *to_csr(sets), beta * weights, field=field, hard=hard, damping=damping, max_sweeps=15
        )
        check_sane(found)
        bound = np.array([np.logaddexp(0.0, beta * weights[s]).sum() for s in sets])
        assert np.all(found.support <= bound * (1 + 1e-9) + 1e-9)


@pytest.mark.parametrize("beta", [0.01, 3.0, 1e3])
def test_hub_and_long_row(rng, beta):
    n = 100_000
    # Element 0 is in every set; the last set holds every element.
    rows = [[0, 1 + i] for i in range(n)] + [list(range(n + 1))]
    indptr, indices = to_csr(rows)
    gains = beta * rng.uniform(0.0, 10.0, n + 1)
    for mu in (-1.0, 3.0, 1e3):
        found = propagate(indptr, indices, gains, field=np.full(n + 1, -beta * mu), max_sweeps=12)
        check_sane(found)


def test_empty_graphs():
    nothing = propagate(
        np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), field=np.zeros(0)
    )
    assert nothing.converged
    bare = propagate(
        np.zeros(3, np.int64), np.zeros(0, np.int32), np.ones(2), field=np.array([0.0, -1.0])
    )
    np.testing.assert_allclose(bare.chosen, sigmoid(np.array([0.0, -1.0])))
    np.testing.assert_array_equal(bare.element_field, [-np.inf, -np.inf])


def test_large_mu_reports_weights_exactly(rng):
    sets = random_sets(rng, 20, 30, 9)
    weights = rng.integers(1, 11, 30).astype(float)
    expected = np.array([weights[s].sum() for s in sets])
    for beta in (0.1, 3.0, 500.0):
        found = propagate(*to_csr(sets), beta * weights, field=-1e6 * beta * np.ones(20))
        np.testing.assert_allclose(found.support / beta, expected, rtol=1e-12)


def test_warm_start_continues(rng):
    indptr, indices = biregular(rng, 200)
    n_sets = indptr.size - 1
    gains = 0.5 * rng.integers(1, 11, 3 * n_sets)
    costs = rng.integers(1, 11, n_sets)
    cold = propagate(indptr, indices, gains, field=-2.5 * costs, tol=1e-9, max_sweeps=400)
    assert cold.converged
    same = propagate(indptr, indices, gains, field=-2.5 * costs, tol=1e-8, r=cold.r)
    assert same.sweeps == 1
    kept = cold.r.copy()
    near = propagate(indptr, indices, gains, field=-2.52 * costs, tol=1e-6, r=cold.r)
    far = propagate(indptr, indices, gains, field=-2.52 * costs, tol=1e-6)
    assert near.sweeps < far.sweeps
    np.testing.assert_allclose(near.support, far.support, rtol=1e-4)
    np.testing.assert_array_equal(cold.r, kept)


def test_warm_start_across_temperatures(rng):
    sets = random_sets(rng, 20, 30, 9)
    weights = rng.integers(1, 11, 30).astype(float)
    cold = propagate(*to_csr(sets), 1e3 * weights, field=np.full(20, -5e3))
    assert np.any(cold.r < 0.0)  # messages beyond the range of a double were stored as logarithms
    for beta in (0.5, 2e3):
        check_sane(propagate(*to_csr(sets), beta * weights, field=np.full(20, -5 * beta), r=cold.r))


def test_oscillation_is_reported(rng):
    indptr, indices = biregular(rng, 100)
    n_sets = indptr.size - 1
    gains = 3.0 * rng.integers(1, 11, 3 * n_sets)
    field = -3.0 * 3.0 * rng.integers(1, 11, n_sets)
    bare = propagate(indptr, indices, gains, field=field, damping=0.0, max_sweeps=150)
    assert bare.oscillating
    assert not bare.converged
    assert bare.sweeps < 150  # a perfect cycle is not run to the end
    damped = propagate(indptr, indices, gains, field=field, damping=0.5, max_sweeps=400)
    assert not damped.oscillating
    assert len(damped.residuals) == damped.sweeps
    if damped.converged:
        assert damped.residuals[-1] <= 1e-3


def test_inputs_are_not_modified(rng):
    sets = random_sets(rng, 10, 12, 5)
    arrays = [*to_csr(sets), rng.uniform(0, 3, 12)]
    field, r = -rng.uniform(0, 3, 10), rng.uniform(0.1, 1.0, arrays[1].size)
    before = [a.copy() for a in (*arrays, field, r)]
    propagate(*arrays, field=field, r=r)
    for now, then in zip((*arrays, field, r), before, strict=True):
        np.testing.assert_array_equal(now, then)
