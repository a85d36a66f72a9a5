"""Places in every form give the same problem; mistakes stand in tests/mistakes/sites.toml."""

import inspect
from pathlib import Path

import geopandas
import numpy as np
import pandas as pd
import polars as pl
import pyproj
import pytest

from maxcover import CoverageProblem, SiteMap, solve
from maxcover.errors import InputWarning, MaxcoverError
from maxcover.uses import sites as room
from maxcover.uses.sites import reach

FRAME = pd.read_csv(Path(__file__).parents[3] / "examples" / "cities.csv")
LONLAT = FRAME[["longitude", "latitude"]].to_numpy()
DEGREES = geopandas.GeoDataFrame(
    FRAME, geometry=geopandas.points_from_xy(*LONLAT.T), crs="EPSG:4326"
)
METRES = DEGREES.to_crs(3035)
# the same map, a hundredth as large, around New York, in its survey feet of 1200 / 3937 m
FEET = DEGREES.set_geometry(
    geopandas.points_from_xy(*(LONLAT / 100 + [-74, 40.2]).T, crs=4326)
).to_crs(2263)


def of(places, **options):
    given = {"radius": "500 km", "budget": 5, **options}
    return CoverageProblem.from_points(places, places, **given)


def test_the_hubs_of_europe():
    solution = solve(of(FRAME, weights="people"))
    assert solution.labels == ("Amsterdam", "Bucharest", "Katowice", "Milan", "Valencia")
    assert solution.status == "optimal"
    assert solution.value == pytest.approx(102.3)
    by_hand = Path(__file__).parents[3] / "examples" / "hubs.csv"
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
    far, units = (300, 300_000) if frame is METRES else (3, 3000 * 3937 / 1200)
    made = of(frame, radius=f"{far} km", weights="people")
    by_number = of(frame, radius=far, unit="km", weights="people")
    np.testing.assert_array_equal(made.indices, by_number.indices)
    assert made.places.radius[0] == pytest.approx(units)


SYSTEMS = (4326, 3857, 3395, 25833, 2263)
CITIES = {"Berlin": (13.4, 52.5), "New York": (-73.97, 40.75)}


def invented(city, seed):
    """Return a GeoDataFrame of 40 sites and one of 8,000 places of people around a city."""
    rng = np.random.default_rng(seed)
    around = np.array(CITIES[city]) + rng.normal(0, [0.12, 0.08], (8_040, 2))
    people = rng.integers(30, 70, 8_040)
    frame = geopandas.GeoDataFrame(
        {"people": people}, geometry=geopandas.points_from_xy(*around.T, crs=4326)
    )
    return frame[:40].drop(columns="people").reset_index(drop=True), frame[40:]


@pytest.mark.parametrize(
    ("city", "decay"),
    [*((city, None) for city in CITIES), ("Berlin", "linear"), ("Berlin", lambda far: far < 2000)],
    ids=["Berlin", "New York", "linear", "function"],
)
def test_every_coordinate_system_reaches_the_same_people(city, decay):
    """Web Mercator's metres are 1.64 times too long at Berlin; the zones end far from New York."""
    sites, demand = invented(city, 1)
    lonlat = [frame.get_coordinates().to_numpy() for frame in (sites, demand)]
    k, a = np.indices((40, 8_000)).reshape(2, -1)
    true = pyproj.Geod(ellps="WGS84").inv(*lonlat[0][k].T, *lonlat[1][a].T)[2].reshape(40, -1)
    expected = np.array([demand["people"][far <= 3000].sum() for far in true])
    values = []
    for system in SYSTEMS:
        frames, given = [frame.to_crs(system) for frame in (sites, demand)], {}
        if callable(decay):  # it gets kilometres for degrees, otherwise the unit of the system
            unit = {4326: 1000.0, 2263: 1200 / 3937}.get(system, 1.0)
            given["decay"] = lambda far, unit=unit: decay(far * unit) * 1.0
        elif decay:
            given["decay"] = decay
        problem = CoverageProblem.from_points(
            *frames, radius="3 km", budget=5, weights="people", **given
        )
        if decay is None:
            ours = [problem.value([i]) for i in range(40)]
            np.testing.assert_allclose(ours, expected, rtol=0.001, atol=200)
        values.append(solve(problem, method="greedy").value)
    np.testing.assert_allclose(values, values[0], rtol=0.002)


def test_a_number_is_in_the_unit_of_a_distorted_system():
    sites, demand = invented("Berlin", 2)
    for system, radius in ((3857, 3000), (2263, 3000 * 3937 / 1200)):
        frames = sites.to_crs(system), demand.to_crs(system)
        problem = CoverageProblem.from_points(*frames, radius=radius, budget=5, weights="people")
        expected = CoverageProblem.from_points(
            sites, demand, radius="3 km", budget=5, weights="people"
        )
        assert problem.n_edges == pytest.approx(expected.n_edges, rel=0.002)
        table = SiteMap(solve(problem)).to_geopandas()
        assert table.crs == frames[0].crs
        assert table.geometry.distance(frames[0].geometry).max() < 0.01


def test_an_array_beside_a_distorted_frame_is_in_its_system():
    sites, demand = (frame.to_crs(3857) for frame in invented("Berlin", 3))
    given = {"radius": "3 km", "budget": 5}
    plain = CoverageProblem.from_points(sites, demand.get_coordinates().to_numpy(), **given)
    assert (
        plain.n_edges == CoverageProblem.from_points(sites, demand, weights=None, **given).n_edges
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


@pytest.mark.parametrize("name", ["from_points", "from_travel_times"])
def test_the_constructor_has_the_signature_of_the_function_that_does_its_work(name):
    made = inspect.signature(getattr(CoverageProblem, name)).parameters
    done = [*inspect.signature(getattr(room, name)).parameters.items()][1:]
    assert [(key, one.kind, one.default) for key, one in made.items()] == [
        (key, one.kind, one.default) for key, one in done
    ]


def test_a_price_that_is_not_read_is_told():
    sites = FRAME[["city", "latitude", "longitude"]].assign(rent=700)
    with pytest.warns(InputWarning, match="every site costs 1, and the column 'rent' is not read"):
        CoverageProblem.from_points(sites, LONLAT, radius="900 km", coordinates="lonlat", budget=9)
    dear = sites.rename(columns={"rent": "Miete"})
    with pytest.warns(InputWarning, match=r"pays for all 57 sites, as each costs 1; .*'Miete'"):
        CoverageProblem.from_points(dear, LONLAT, radius="900 km", coordinates="lonlat", budget=9e3)


def test_names_of_places_are_found_in_any_case():
    sites = FRAME.rename(columns={"city": "City"})
    assert of(sites, weights="people").set_labels == tuple(FRAME["city"])
