"""The map of a solution: its tables, GeoJSON, picture and page."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import maxcover as mc
from maxcover.uses.sites import reach
from maxcover.uses.sites.drawing import Sheet
from maxcover.uses.sites.places import Places
from tests.uses.sites.test_places import DEGREES, FRAME, METRES


def solved(places=FRAME, budget=5, **options):
    given = {"radius": "500 km", "weights": "people", **options}
    return mc.solve(mc.CoverageProblem.from_points(places, places, budget=budget, **given))


@pytest.fixture(scope="module")
def hubs():
    return mc.SiteMap(solved())


def test_sites_as_a_table(hubs):
    table = hubs.to_pandas().set_index("site")
    assert table["chosen"].sum() == 5
    assert table.loc["Milan", ["lat", "lon"]].tolist() == [45.46, 9.19]
    problem = hubs.problem
    for name in table.index:
        assert table.loc[name, "covers"] == pytest.approx(problem.value([name]))
    chosen = [*hubs.solution.labels]
    for name in chosen:
        others = [one for one in chosen if one != name]
        alone = problem.value(chosen) - problem.value(others)
        assert table.loc[name, "alone"] == pytest.approx(alone)


def test_demand_as_a_table(hubs):
    table = hubs.demand_to_pandas()
    assert table.loc[table["times"] > 0, "weight"].sum() == pytest.approx(hubs.solution.value)
    reached = [
        sum(k in hubs.problem.elements_of(name) for name in hubs.solution.labels)
        for k in range(len(table))
    ]
    assert table["times"].tolist() == reached


def test_losses_and_phases_are_columns():
    solution = solved()
    explanation = mc.explain(solution.problem, solution, ["Lyon", "Milan"])
    plan = mc.plan(solution.problem, [2, 5])
    table = mc.SiteMap(solution, explanation=explanation, plan=plan).to_pandas()
    table = table.set_index("site")
    assert table["loss_at_least"].notna().sum() == 2
    assert table.loc["Lyon", "loss_at_most"] == explanation["Lyon"].loss_at_most
    assert (table["phase"] == 1).sum() == len(plan.selections[0])
    page = mc.SiteMap(solution, explanation=explanation, plan=plan).to_html()
    assert "loss at most" in page
    assert "phase" in page


@pytest.mark.parametrize("places", [FRAME, DEGREES, METRES], ids=["table", "degrees", "metres"])
def test_geojson_is_in_degrees(places):
    found = mc.SiteMap(solved(places)).to_geojson()
    features = json.loads(json.dumps(found))["features"]
    sites = [one for one in features if one["properties"]["kind"] == "site"]
    assert len(features) == 2 * len(sites) == 114
    milan = next(one for one in sites if one["properties"]["site"] == "Milan")
    assert milan["geometry"]["coordinates"] == pytest.approx([9.19, 45.46], abs=1e-5)
    assert milan["properties"]["chosen"] is True


def test_geopandas_keeps_the_coordinate_system():
    assert mc.SiteMap(solved(METRES)).to_geopandas().crs == METRES.crs
    assert mc.SiteMap(solved()).to_geopandas().crs == 4326


def test_a_problem_without_places_is_refused():
    solution = mc.solve(mc.CoverageProblem.from_sets([[1]], budget=1))
    with pytest.raises(mc.errors.OptionError, match="from_points"):
        mc.SiteMap(solution)


def test_geojson_of_a_plane_without_a_system_is_refused():
    solution = mc.solve(mc.CoverageProblem.from_points([[0, 0]], [[1, 1]], radius=5, budget=1))
    with pytest.raises(mc.errors.OptionError, match=r"\.csv"):
        mc.SiteMap(solution).to_geojson()


def test_files_by_their_ending(hubs, tmp_path):
    for ending in (".html", ".png", ".svg", ".pdf", ".geojson"):
        hubs.save(tmp_path / f"map{ending}")
        assert (tmp_path / f"map{ending}").stat().st_size > 1000
    hubs.save(tmp_path / "chosen.csv")
    chosen = pd.read_csv(tmp_path / "chosen.csv")
    assert chosen["site"].tolist() == list(hubs.solution)
    assert {"cost", "covers", "alone"} <= {*chosen.columns}
    assert len(hubs.to_pandas()) == 57
    with pytest.raises(mc.errors.OptionError, match=r"\.geojson"):
        hubs.save(tmp_path / "map.txt")


def test_the_page_needs_no_network_and_escapes(hubs):
    page = hubs.to_html()
    assert not re.search(r"(src|href)=|https?:|@import|url\(", page)
    assert page.count('class="site"') == 5
    assert "$" not in re.sub(r"<script>.*</script>", "", page, flags=re.S)
    evil = FRAME.assign(city="<b>" + FRAME["city"] + '"')
    page = mc.SiteMap(solved(evil)).to_html()
    assert "<b>Milan" not in page
    assert "&lt;b&gt;Milan" in page


def test_many_points_are_drawn_on_a_canvas():
    rng = np.random.default_rng(1)
    demand = rng.random((60_000, 2))
    problem = mc.CoverageProblem.from_points(demand[:50], demand, radius=0.1, budget=5)
    found = mc.SiteMap(mc.solve(problem))
    page = found.to_html()
    assert "<circle" not in page.split("<ul>")[0]
    assert len(page) < 3_000_000
    sheet = Sheet(problem.places)
    dots = sheet.dots(problem.weights, found.times, 20_000)
    assert len(dots.xy) < 60_000
    assert dots.weight.sum() == 60_000
    for k in range(3):
        expected = problem.weights[np.minimum(found.times, 2) == k].sum()
        assert dots.weight[dots.covered == k].sum() == expected


def sheet_of(points, radius=500.0):
    xy = np.array(points, dtype=float)
    places = Places(sites=xy, demand=xy, radius=np.full(len(xy), radius), is_geographic=True)
    return Sheet(places)


def test_neighbours_across_the_date_line_stay_neighbours():
    sheet = sheet_of([[179, 0], [-179, 0], [170, 5]])
    flat = sheet.flat(sheet.places.sites)
    assert flat[1, 0] - flat[0, 0] == pytest.approx(2)
    assert flat[0, 0] - flat[2, 0] == pytest.approx(9)


def test_the_outline_lies_at_the_radius():
    sheet = sheet_of([[10, 50], [12, 60]], radius=300.0)
    line = sheet.outline(1)
    lat = np.degrees(np.arcsin(np.tanh(np.radians(line[:, 1]))))
    lon = line[:, 0] + sheet.middle
    ends = np.column_stack((lon, lat))
    pairs = np.full(len(ends), 1), np.arange(len(ends))
    far = reach.distances(sheet.places.sites, ends, pairs, is_geographic=True)
    np.testing.assert_allclose(far, 300.0, rtol=1e-9)


def test_around_a_pole_there_is_no_outline():
    assert len(sheet_of([[0, 89], [90, 89]]).outline(0)) == 0


def test_nothing_to_choose_is_drawn_too():
    solution = mc.solve(mc.CoverageProblem.from_points([[0, 0]], [[1, 1]], radius=5, budget=0))
    assert "0 of 1 sites" in mc.SiteMap(solution).to_html()
    assert mc.SiteMap(solution).plot() is not None
