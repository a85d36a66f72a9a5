"""Places in every form give the same problem; mistakes stand in tests/mistakes/sites.toml."""

from pathlib import Path

import geopandas
import numpy as np
import pandas as pd
import polars as pl
import pytest

from maxcover import CoverageProblem, solve
from maxcover.core import reach
from maxcover.errors import MaxcoverError

FRAME = pd.read_csv(Path(__file__).parents[2] / "examples" / "cities.csv")
LONLAT = FRAME[["longitude", "latitude"]].to_numpy()
DEGREES = geopandas.GeoDataFrame(
    FRAME, geometry=geopandas.points_from_xy(*LONLAT.T), crs="EPSG:4326"
)
METRES = DEGREES.to_crs(3035)
FEET = DEGREES.to_crs(2263)  # survey feet of New York, 1200 / 3937 m


def of(places, **options):
    given = {"radius": "500 km", "budget": 5, **options}
    return CoverageProblem.from_points(places, places, **given)


def test_the_hubs_of_europe():
    solution = solve(of(FRAME, weights="people"))
    assert solution.labels == ("Amsterdam", "Bucharest", "Katowice", "Milan", "Valencia")
    assert solution.status == "optimal"
    assert solution.value == pytest.approx(102.3)
    by_hand = Path(__file__).parents[2] / "examples" / "hubs.csv"
    edges = pd.read_csv(by_hand)
    problem = of(FRAME, weights="people")
    made = problem.to_pandas()
    assert {*zip(edges["set"], edges["element"], strict=True)} == {
        *zip(made["set"], made["element"], strict=True)
    }


FORMS = {
    "pandas": (FRAME, {"weights": "people"}),
    "polars": (pl.from_pandas(FRAME), {"weights": "people"}),
    "records": (FRAME.to_dict("records"), {"weights": "people"}),
    "columns": (FRAME.to_dict("list"), {"weights": "people"}),
    "array": (LONLAT, {"coordinates": "lonlat", "weights": FRAME["people"].to_numpy()}),
    "pairs": (LONLAT[:, ::-1].tolist(), {"coordinates": "latlon", "weights": FRAME["people"]}),
    "geopandas": (DEGREES, {"weights": "people"}),
    "geoseries": (DEGREES.geometry, {"weights": FRAME["people"].to_numpy()}),
    "geojson": (DEGREES.__geo_interface__, {"weights": "people"}),
    "shapely": (
        list(DEGREES.geometry),
        {"coordinates": "lonlat", "weights": FRAME["people"].to_numpy()},
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read_alike(form):
    places, options = FORMS[form]
    made, expected = of(places, **options), of(FRAME, weights="people")
    np.testing.assert_array_equal(made.indices, expected.indices)
    np.testing.assert_array_equal(made.indptr, expected.indptr)
    np.testing.assert_array_equal(made.weights, expected.weights)
    np.testing.assert_array_equal(made.places.demand, expected.places.demand)
    assert made.places.unit == "km"


@pytest.mark.parametrize("frame", [METRES, FEET], ids=["metres", "feet"])
def test_a_plane_has_the_unit_of_its_coordinate_system(frame):
    made = of(frame, radius="300 km", weights="people")
    by_number = of(frame, radius=300, unit="km", weights="people")
    np.testing.assert_array_equal(made.indices, by_number.indices)
    assert made.places.radius[0] == pytest.approx(
        300_000 if frame is METRES else 300_000 * 3937 / 1200
    )


def test_radius_by_site():
    each = np.where(FRAME["city"] == "Lyon", 900.0, 0.0)
    labels = dict(zip(FRAME["city"], each, strict=True))
    made = [
        of(FRAME, weights="people", radius=each, unit="km"),
        of(FRAME, weights="people", radius=labels, unit="km"),
        of(FRAME.assign(reach=each), weights="people", radius="reach", unit="km"),
    ]
    for problem in made:
        counts = np.diff(problem.indptr)
        assert counts[each > 0] > 5
        assert (counts[each == 0] == 1).all()


def test_columns_of_either_side_are_read():
    sites = FRAME.assign(cost=2.0, there=FRAME["city"] == "Lyon", kind=FRAME["city"].str[0])
    demand = FRAME.assign(weight=FRAME["people"], region=FRAME["city"].str[0])
    problem = CoverageProblem.from_points(
        sites, demand, radius="500 km", budget=10, required="there", groups="kind", max_items=1,
        min_coverage={"L": 0.5},
    )  # fmt: skip
    assert (problem.costs == 2).all()
    assert problem.weights.sum() == pytest.approx(130)
    solution = solve(problem)
    assert "Lyon" in solution.labels
    assert len({label[0] for label in solution.labels}) == len(solution.labels)


def test_decay_counts_the_nearest_chosen_site():
    sites, demand = [[0.0, 0.0], [10.0, 0.0]], [[2.0, 0.0], [7.0, 0.0], [5.0, 0.0]]
    problem = CoverageProblem.from_points(sites, demand, radius=8, decay="linear", budget=2)
    assert problem.value([0, 1]) == pytest.approx(0.75 + (1 - 3 / 8) + (1 - 5 / 8))
    stepwise = CoverageProblem.from_points(
        sites, demand, radius=8, budget=2, decay=lambda far: np.where(far <= 3, 1.0, 0.5)
    )
    assert stepwise.value([0, 1]) == pytest.approx(2.5)


def test_a_problem_keeps_its_places():
    problem = of(FRAME, weights="people")
    assert problem.replace(required=["Lyon"]).places is problem.places
    assert problem.replace(budget=3).places is problem.places


def test_travel_times_of_every_form():
    rows = pd.DataFrame(
        {"from_id": list("aabbc"), "to_id": list("xyyzx"), "travel_time": [3, 9, 4, np.nan, 12]}
    )
    renamed = rows.set_axis(["site", "demand", "minutes"], axis=1)
    for times in (rows, renamed, pl.from_pandas(renamed), renamed.to_dict("records")):
        problem = CoverageProblem.from_travel_times(times, limit=9, budget=1)
        assert (problem.n_sets, problem.n_elements, problem.n_edges) == (3, 3, 3)
        assert problem.set_labels == ("a", "b", "c")
    matrix = np.array([[3, 9, 99], [99, 4, np.nan], [12, 99, 99]])
    problem = CoverageProblem.from_travel_times(matrix, limit=9, budget=1, decay="linear")
    assert (problem.n_sets, problem.n_elements, problem.n_edges) == (3, 3, 3)
    assert problem.value([0]) == pytest.approx(1 - 3 / 9)


def test_travel_times_beside_tables():
    times = pd.DataFrame({"site": ["a", "b"], "demand": ["x", "y"], "minutes": [3, 4]})
    people = pd.DataFrame({"demand": ["x", "y", "z"], "weight": [1.0, 5.0, 2.0]})
    problem = CoverageProblem.from_travel_times(times, limit=9, budget=1, demand=people)
    assert solve(problem).labels == ("b",)
    assert problem.weights.sum() == 8.0


def test_two_systems_are_refused():
    for sites, demand, words in (
        (DEGREES, METRES, "demand.to_crs(sites.crs)"),
        (METRES, FRAME, "sites.to_crs(4326)"),
        (METRES, FEET, "demand.to_crs(sites.crs)"),
        (FRAME, LONLAT, "coordinates='lonlat'"),
    ):
        with pytest.raises(MaxcoverError, match="same coordinate") as error:
            CoverageProblem.from_points(sites, demand, radius="5 km", budget=1)
        assert words in str(error.value)


def test_distances_are_those_that_decide():
    problem = of(FRAME, weights="people")
    sets = np.repeat(np.arange(57), np.diff(problem.indptr))
    far = reach.distances(LONLAT, LONLAT, (sets, problem.indices), is_geographic=True)
    assert far.max() <= 500 * (1 + 1e-8)
