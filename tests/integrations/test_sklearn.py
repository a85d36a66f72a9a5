"""The selector is an estimator like any other, and chooses what brute force chooses."""

import itertools

import numpy as np
import pytest

import maxcover as mc
from maxcover.errors import OptionError

pytest.importorskip("sklearn")
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from maxcover.integrations.sklearn import CoverageSelector


def rules():
    """All checks but that of arrays of other packages, which we do not claim to take."""
    for selector in (CoverageSelector(), CoverageSelector(metric="precomputed", budget=3)):
        for estimator, check in estimator_checks_generator(selector):
            if "array_api" not in check.func.__name__:
                name = f"{selector.metric}-{check.func.__name__}"
                yield pytest.param(estimator, check, id=name)


@pytest.mark.parametrize(("estimator", "check"), list(rules()))
def test_it_keeps_the_rules_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture
def points():
    return np.random.default_rng(4).normal(size=(12, 2))


def best_by_hand(similarity, count):
    return max(
        similarity[list(chosen)].max(axis=0).sum()
        for chosen in itertools.combinations(range(len(similarity)), count)
    )


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_it_chooses_the_best(points, metric):
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    similarity = 1 / (1 + distances)
    given = points if metric == "euclidean" else similarity
    selector = CoverageSelector(budget=3, metric=metric, n_neighbors=12).fit(given)
    assert selector.solution_.status == "optimal"
    assert selector.solution_.value == pytest.approx(best_by_hand(similarity, 3))
    assert np.allclose(selector.transform(given), similarity[:, selector.selected_])


def test_costs_are_kept(points):
    costs = np.arange(1, 13)
    selector = CoverageSelector(budget=10, n_neighbors=12).fit(points, costs=costs)
    assert costs[selector.selected_].sum() <= 10
    problem = mc.CoverageProblem.from_similarity(
        points=points, neighbours=12, costs=costs, budget=10
    )
    assert selector.solution_.value == mc.solve(problem).value


def test_it_selects_rows_and_labels(points):
    pd = pytest.importorskip("pandas")
    selector = CoverageSelector(budget=2).fit(points)
    assert np.array_equal(selector.select(points), selector.components_)
    labels = pd.Series(list("abcdefghijkl"))
    assert list(selector.select(labels)) == [labels[i] for i in selector.selected_]


def test_it_works_in_a_pipeline(points):
    pipeline = make_pipeline(StandardScaler(), CoverageSelector(budget=4))
    assert pipeline.fit_transform(points).shape == (12, 4)
    assert list(pipeline.get_feature_names_out()) == [f"coverageselector{k}" for k in range(4)]


def test_nothing_is_chosen_for_nothing(points):
    assert CoverageSelector(budget=0).fit(points).transform(points).shape == (12, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"metric": "manhattan"}, "metric"), ({"metric": "precomputed"}, "square matrix")],
)
def test_what_is_wrong_is_said(points, options, message):
    with pytest.raises(OptionError, match=message):
        CoverageSelector(**options).fit(points)
