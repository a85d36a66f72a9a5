"""Bootstrap intervals: reproducible, of the right width, paired."""

import numpy as np
import pytest
from scipy.stats import norm

from maxcover.errors import OptionError
from maxcover.lab.evaluate.intervals import difference_interval, mean_interval


def test_same_seed_same_interval():
    scores = np.random.default_rng(1).random(30)
    assert mean_interval(scores, seed=5) == mean_interval(scores.tolist(), seed=5)
    assert mean_interval(scores, seed=5) != mean_interval(scores, seed=6)


def test_memory_blocks_do_not_change_the_draws(monkeypatch):
    scores = np.random.default_rng(1).random(30)
    whole = mean_interval(scores, resamples=1000)
    monkeypatch.setattr("maxcover.lab.evaluate.intervals._CELLS", 7 * 30)
    assert mean_interval(scores, resamples=1000) == whole


def test_width_is_that_of_the_normal_interval_for_many_scores():
    scores = np.random.default_rng(2).normal(size=2000)
    mean, low, high = mean_interval(scores, level=0.9)
    half = norm.ppf(0.95) * scores.std() / np.sqrt(scores.size)
    assert (low, high) == pytest.approx((mean - half, mean + half), abs=0.1 * half)


def test_coverage_of_the_true_mean():
    rng = np.random.default_rng(3)
    intervals = [mean_interval(rng.random(40), resamples=500, seed=k) for k in range(300)]
    held = np.mean([low <= 0.5 <= high for _, low, high in intervals])
    assert 0.90 <= held <= 0.98


def test_pairing_removes_what_clusters_share():
    rng = np.random.default_rng(4)
    hardness = rng.random(50)
    first, second = hardness + 0.02 + 0.01 * rng.random(50), hardness
    mean, low, high = difference_interval(first, second)
    assert 0 < low < mean < high
    assert mean_interval(first).low < mean_interval(second).high  # unpaired, they overlap
    mirrored = difference_interval(second, first)
    assert (mirrored.mean, mirrored.low) == pytest.approx((-mean, -high), abs=1e-3)


# Set a has mean 0 over three clusters, set b has mean 1 over one: the mean of the means is 1/2, and
# neither set can vary, so the interval is a point. Without sets the mean is 1/4.
def test_sets_weigh_the_same():
    scores, sets = [0, 0, 0, 1], ["a", "a", "a", "b"]
    assert mean_interval(scores, sets=sets) == (0.5, 0.5, 0.5)
    assert mean_interval(scores).mean == 0.25


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ([], {}, "non-empty"),
        ([0.1, float("nan")], {}, "finite"),
        ([[0.1], [0.2]], {}, "shape"),
        ([0.1], {"level": 95}, "between 0 and 1"),
        ([0.1], {"resamples": 0}, "at least 1"),
        ([0.1], {"sets": ["a", "b"]}, "one set per score"),
    ],
)
def test_wrong_input_is_named(scores, options, message):
    with pytest.raises(OptionError, match=message):
        mean_interval(scores, **options)


def test_pairs_must_match():
    with pytest.raises(OptionError, match="got 2 and 3"):
        difference_interval([1, 2], [1, 2, 3])
