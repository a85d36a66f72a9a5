"""Intervals: confidence intervals of means, by a seeded bootstrap over clusters."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxcover.errors import OptionError

_CELLS = 4_000_000  # most random draws that are in memory at once


class Interval(NamedTuple):
    """A mean and the two ends of its confidence interval."""

    mean: float
    low: float
    high: float


def mean_interval(
    scores: ArrayLike,
    *,
    sets: Sequence[object] | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Return the mean of the scores with a percentile bootstrap interval.

    Parameters
    ----------
    scores
        One number per cluster.
    sets
        The data set that each cluster belongs to. When given, the mean is the mean of the sets'
        means (each set weighs the same, however many clusters it has) and clusters are drawn within
        their set.
    level
        Confidence level of the interval.
    resamples
        Number of bootstrap samples; each costs one pass over the scores.
    seed
        Same scores, same seed, same interval.

    Returns
    -------
    Interval
        The percentile interval; its true coverage falls short of ``level`` below about 20 clusters.

    Examples
    --------
    >>> mean, low, high = mean_interval([0.2, 0.4, 0.4, 0.6])
    >>> round(mean, 3), round(low, 3), round(high, 3)
    (0.4, 0.25, 0.55)
    """
    values = _checked(scores)
    if not 0 < level < 1:
        raise OptionError(f"level must lie between 0 and 1, got {level}")
    if resamples < 1:
        raise OptionError(f"resamples must be at least 1, got {resamples}")
    strata = _strata(values, sets)
    rng = np.random.default_rng(seed)
    draws = np.mean([_bootstrap_means(part, resamples, rng) for part in strata], axis=0)
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    mean = np.mean([part.mean() for part in strata])
    return Interval(float(mean), float(low), float(high))


def difference_interval(
    first: ArrayLike,
    second: ArrayLike,
    *,
    sets: Sequence[object] | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Return the mean of ``first - second`` with a *paired* bootstrap interval.

    Both methods are scored on the same clusters in the same order, and a cluster is drawn with both
    of its scores. What makes a cluster hard for both cancels, so the interval is far narrower than
    the two intervals of the means suggest. The options are those of ``mean_interval``.

    Examples
    --------
    >>> difference_interval([0.5, 0.7, 0.9], [0.4, 0.6, 0.8]).low > 0
    True
    """
    one, two = _checked(first), _checked(second)
    if one.shape != two.shape:
        raise OptionError(
            f"paired scores must be of the same clusters: got {one.size} and {two.size} scores"
        )
    return mean_interval(one - two, sets=sets, level=level, resamples=resamples, seed=seed)


def _checked(scores: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise OptionError(
            f"scores must be a non-empty list of finite numbers; got shape {values.shape}"
        )
    return values


def _strata(
    values: NDArray[np.float64], sets: Sequence[object] | None
) -> list[NDArray[np.float64]]:
    if sets is None:
        return [values]
    if len(sets) != values.size:
        raise OptionError(f"sets must name one set per score: got {len(sets)} for {values.size}")
    members: dict[object, list[int]] = {}
    for index, name in enumerate(sets):
        members.setdefault(name, []).append(index)
    return [values[indices] for indices in members.values()]


def _bootstrap_means(
    values: NDArray[np.float64], resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the means of samples drawn with replacement; draw in blocks to bound the memory."""
    rows = max(1, _CELLS // values.size)
    sizes = [min(rows, resamples - start) for start in range(0, resamples, rows)]
    draws = (rng.integers(values.size, size=(size, values.size)) for size in sizes)
    return np.concatenate([values[draw].mean(axis=1) for draw in draws])
