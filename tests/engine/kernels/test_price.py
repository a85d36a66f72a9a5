"""The two searches for a price, against a grid of all candidates."""

import numpy as np
import pytest

from maxcover.engine.kernels.price import best_price, clearing_price


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_prices_against_a_grid(seed, free):
    rng = np.random.default_rng(seed)
    sums, costs = rng.uniform(0, 5, 20), rng.uniform(0.1, 3, 20)
    costs[:3] *= not free
    budget = rng.uniform(0, 1.2) * costs.sum()
    allowed = rng.random(20) < 0.8
    grid = np.append(0.0, (sums / np.maximum(costs, 1e-9))[allowed & (costs > 0)])
    gains = np.maximum(sums - grid[:, None] * costs, 0.0) @ allowed
    value, price = best_price(sums, costs, allowed, budget, rng.choice([0.0, 1.0, 9.0]))
    assert value == pytest.approx(np.min(grid * budget + gains), rel=1e-12)
    assert price >= 0.0

    pull = costs * rng.uniform(0.1, 2.0, 20)
    mu = clearing_price(sums, pull, costs, budget, rng.choice([0.0, 1.0, 9.0]))
    spent = costs @ np.clip(sums - mu * pull, 0.0, 1.0)
    assert spent <= budget * (1 + 1e-8)
    assert mu == 0.0 or spent == pytest.approx(budget, rel=1e-8)
