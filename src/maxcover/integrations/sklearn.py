"""Sklearn: choose the rows of a data set that stand for all of it. Needs ``[sklearn]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from maxcover.core.problem import CoverageProblem
from maxcover.errors import MissingExtraError, OptionError
from maxcover.rows.select import select
from maxcover.solvers.solve import solve

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from maxcover.rows.neighbours import MetricName
    from maxcover.solvers.effort import EffortName

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.metrics import pairwise_distances
    from sklearn.metrics.pairwise import cosine_similarity
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise MissingExtraError(
        "CoverageSelector needs scikit-learn: pip install 'maxcover[sklearn]'"
    ) from error

METRICS = ("euclidean", "cosine", "precomputed")


class CoverageSelector(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """Choose the samples to which all others are most similar, with a certificate.

    Facility location: each sample counts its similarity to the nearest chosen sample, and the sum
    is maximised. Unlike with plain greedy selection, the answer says how much better another choice
    could be.

    scikit-learn asks that a transformer keeps all rows, so `transform` gives the similarity of
    each row to each chosen sample, as `KMeans.transform` gives distances. The chosen rows
    themselves are ``X[selector.selected_]``, or `select`.

    Parameters
    ----------
    budget : float
        How many samples to choose; with `costs` in `fit`, their maximum total cost.
    metric : {"euclidean", "cosine", "precomputed"}
        "euclidean": the similarity is 1 / (1 + distance), of the nearest rows only. "cosine": it is
        the cosine, as in `maxcover.select`, or 0 if that is less.
        "precomputed": `fit` takes a square matrix of similarities; those above 0 count.
    n_neighbors : int
        How many nearest rows of each row count, the row itself included.
    effort : {"fast", "normal", "thorough"}
        How hard to try.
    time_limit : float, optional
        Seconds; then the search stops with the best choice so far.
    random_state : int
        Random seed; the same seed gives the same samples.

    Attributes
    ----------
    selected_ : array of int64
        The chosen samples, ascending.
    solution_ : Solution
        Value, upper bound and gap.
    components_ : array
        The chosen rows; not set if `metric` is "precomputed".

    Examples
    --------
    >>> from maxcover.integrations.sklearn import CoverageSelector
    >>> X = [[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [5.0, 5.0], [5.1, 5.0]]
    >>> selector = CoverageSelector(budget=2).fit(X)
    >>> selector.selected_, selector.solution_.status
    (array([0, 3]), 'optimal')
    >>> selector.transform(X).shape
    (5, 2)
    """

    def __init__(
        self,
        budget: float = 10,
        *,
        metric: str = "euclidean",
        n_neighbors: int = 20,
        effort: EffortName = "normal",
        time_limit: float | None = None,
        random_state: int = 0,
    ) -> None:
        self.budget = budget
        self.metric = metric
        self.n_neighbors = n_neighbors
        self.effort = effort
        self.time_limit = time_limit
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None, *, costs: ArrayLike | None = None) -> Self:
        """Choose samples. `y` is ignored.

        Parameters
        ----------
        X : array, shape (n_samples, n_features), or (n_samples, n_samples) if precomputed
        y : object
            Ignored; pipelines pass it.
        costs : array, shape (n_samples,), optional
            Cost of each sample, for example of labelling it; 1 by default.
        """
        if self.metric not in METRICS:
            raise OptionError(f"expected metric to be one of {METRICS}, got {self.metric!r}")
        rows = validate_data(self, X, dtype=np.float64)
        options: dict[str, Any] = {
            "effort": self.effort, "time_limit": self.time_limit, "seed": self.random_state,
        }  # fmt: skip
        if self.metric == "precomputed":
            if rows.shape[0] != rows.shape[1]:
                raise OptionError(f"expected a square matrix of similarities, got {rows.shape}")
            problem = CoverageProblem.from_similarity(rows, budget=self.budget, costs=costs)
            self.solution_ = solve(problem, **options)
        else:
            self.solution_ = select(
                rows, budget=self.budget, cost=costs, neighbours=self.n_neighbors,
                metric=cast("MetricName", self.metric), target_gap=0.0, **options,
            ).solution  # fmt: skip
        self.selected_ = self.solution_.selected
        self._n_features_out = len(self.selected_)
        if self.metric != "precomputed":
            self.components_ = rows[self.selected_]
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the similarity of each row to each chosen sample."""
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        if self.metric == "precomputed":
            return np.asarray(rows[:, self.selected_])
        if not len(self.components_):
            return np.empty((len(rows), 0))
        if self.metric == "cosine":
            return np.asarray(np.clip(cosine_similarity(rows, self.components_), 0.0, None))
        return np.asarray(1.0 / (1.0 + pairwise_distances(rows, self.components_)))

    def select(self, X: Any) -> Any:
        """Return the chosen rows of `X`: the data that `fit` was given, or its labels."""
        check_is_fitted(self)
        return X.iloc[self.selected_] if hasattr(X, "iloc") else np.asarray(X)[self.selected_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags
