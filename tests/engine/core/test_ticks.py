"""Units and ticks: exact where numbers are multiples of something, honest where they are not."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxcover.engine.core.ticks import common_unit, to_ticks


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        ([4, 6, 10], 2.0),
        ([7], 7.0),
        ([0, 0, 3], 3.0),
        ([1e15, 3e15], 1e15),
        ([0.1, 0.2, 0.7], 0.1),
        ([0.1, 0.25], 0.05),
        ([1 / 3, 2 / 3, 1.0], 1 / 3),
        ([19.99, 5.00, 0.01], 0.01),
        ([1e-9, 3e-9], 1e-9),
        ([1e9 * 0.3, 1e9 * 0.9], 1e9 * 0.3),
    ],
)
def test_common_unit(values, unit):
    assert common_unit(np.array(values, dtype=float)) == pytest.approx(unit, rel=1e-12)


@pytest.mark.parametrize("values", [[], [0.0], [1.0, 2**0.5], [np.pi, np.e, 1.0], [1.0, 1e-12]])
def test_no_common_unit(values):
    assert common_unit(np.array(values, dtype=float)) is None


@given(
    st.lists(st.integers(1, 10**7), min_size=1, max_size=30),
    st.sampled_from([0.1, 0.01, 0.001, 0.05, 0.25, 2.0]),
)
def test_decimals_are_found(multiples, unit):
    values = np.array([float(Fraction(str(unit)) * k) for k in multiples])
    expected = unit * np.gcd.reduce(np.array(multiples))
    assert common_unit(values) == pytest.approx(float(expected), rel=1e-12)


@given(
    st.lists(st.integers(1, 300), min_size=1, max_size=30),
    st.floats(1e-9, 1e9),
    st.randoms(use_true_random=False),
)
def test_multiples_of_anything_are_found_in_any_order(multiples, unit, random):
    values = np.array(multiples) * unit
    found = common_unit(values)
    assert found is not None
    counts = values / found
    assert counts == pytest.approx(np.rint(counts), rel=1e-9)
    assert np.gcd.reduce(np.rint(counts).astype(np.int64)) == 1
    shuffled = list(values)
    random.shuffle(shuffled)
    assert common_unit(np.array(shuffled)) == found


def test_random_reals_have_no_unit():
    rng = np.random.default_rng(0)
    assert all(common_unit(rng.random(rng.integers(8, 40))) is None for _ in range(2000))


@given(st.lists(st.integers(0, 300), min_size=1, max_size=12), st.integers(0, 1000))
def test_cents_add_up_exactly(cents, budget):
    """What fits in cents fits in ticks, and nothing else does, whatever floating point says."""
    made = to_ticks(np.array(cents) / 100, budget / 100)
    assert made.exact
    for chosen in range(min(2 ** len(cents), 256)):
        inside = [i for i in range(len(cents)) if chosen >> i & 1]
        fits = sum(int(made.ticks[i]) for i in inside) <= made.limit
        assert fits == (sum(cents[i] for i in inside) <= budget)


def test_three_tenths_fit():
    made = to_ticks(np.full(3, 0.1), 0.3)
    assert made.ticks.tolist() == [1, 1, 1]
    assert made.limit == 3


def test_a_cost_above_the_budget_never_fits():
    made = to_ticks(np.array([1.0, 1e300, 5.0]), 4.0)
    assert (made.ticks > made.limit).tolist() == [False, True, True]


@pytest.mark.parametrize("budget", [0.0, 1.0])
def test_nothing_costs_anything(budget):
    made = to_ticks(np.zeros(4), budget)
    assert made.exact
    assert made.ticks.tolist() == [0, 0, 0, 0]
    assert made.limit >= 0


def test_budget_between_two_multiples_is_rounded_down():
    assert to_ticks(np.array([2.0, 4.0]), 7.0).limit == 3


def test_real_numbers_break_the_budget_by_less_than_rounding():
    rng = np.random.default_rng(1)
    for _ in range(500):
        costs = rng.random(20)
        budget = float(costs.sum() * rng.random())
        made = to_ticks(costs, budget)
        chosen = rng.permutation(20)
        kept = [i for k, i in enumerate(chosen) if made.ticks[chosen[: k + 1]].sum() <= made.limit]
        total = sum((Fraction(float(costs[i])) for i in kept), Fraction())
        assert total <= Fraction(budget) * (1 + 24 * Fraction(1, 2**51))


def test_a_budget_that_is_the_sum_of_some_costs_pays_for_them():
    rng = np.random.default_rng(2)
    for _ in range(500):
        costs = rng.random(50) * 10.0 ** rng.uniform(-5, 5)
        chosen = rng.permutation(50)[: rng.integers(1, 50)]
        made = to_ticks(costs, float(costs[chosen].sum()))
        assert made.ticks[chosen].sum() <= made.limit


def test_an_unlimited_budget_is_what_all_sets_cost():
    made = to_ticks(np.array([1.0, 3.0]), 2.0**60)
    assert made.ticks.tolist() == [1, 3]
    assert made.limit == 4


def test_whole_numbers_above_two_to_the_53_are_counted_exactly():
    made = to_ticks(np.array([2.0**53 + 2, 2.0**53 + 2, 2.0**54]), 2.0**54)
    assert made.exact
    assert made.ticks[0] + made.ticks[1] > made.limit >= made.ticks[2]


def test_huge_ratios_fall_back_to_real_ticks():
    made = to_ticks(np.array([1.0, 2.0**62]), 2.0**62)
    assert not made.exact
    assert made.limit >= 2**56
