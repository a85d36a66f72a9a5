"""Points within reach of sites: against all pairs, and against the ellipsoid."""

import numpy as np
import pyproj
import pytest

from maxcover.uses.sites import reach


def all_pairs(sites, demand, radius, *, is_geographic):
    """Return the same edges by looking at every pair."""
    most = (reach.chords(radius) if is_geographic else radius) * (1.0 + reach.ROUNDING)
    ways = {"is_geographic": is_geographic, "is_round": (radius > reach.FAR).any()}
    ends = [reach.in_space(xy, **ways) for xy in (sites, demand)]
    x, y, z = (ends[1][None, :, k] - ends[0][:, None, k] for k in range(3))
    return np.nonzero(x * x + y * y + z * z <= (most**2)[:, None])


def compare(sites, demand, radius, *, is_geographic):
    found = reach.edges_within(sites, demand, radius, is_geographic=is_geographic)
    order = np.lexsort((found[1], found[0]))
    expected = all_pairs(sites, demand, radius, is_geographic=is_geographic)
    for column, right in zip(found, expected, strict=True):
        np.testing.assert_array_equal(column[order], right)
    return len(order)


@pytest.mark.parametrize("seed", range(30))
def test_a_plane(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(reach, "BLOCK", 64)
    monkeypatch.setattr(reach, "CELL_BLOCK", 500)
    monkeypatch.setattr(reach, "EDGES", 100)
    sites = rng.integers(0, 20, (rng.integers(1, 40), 2)).astype(float)
    demand = rng.integers(0, 20 * rng.integers(1, 5), (rng.integers(1, 2000), 2)).astype(float)
    radius = 10 ** rng.uniform(-1, 1.5, len(sites))
    if seed % 2:  # many points lie at the radius itself
        radius[:] = rng.integers(1, 8)
    compare(sites, demand, radius, is_geographic=False)


@pytest.mark.parametrize("seed", range(30))
def test_the_earth(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(reach, "CELL_BLOCK", 700)
    n_sites, n_points = rng.integers(1, 40), rng.integers(1, 2000)
    sites = np.column_stack((rng.uniform(-180, 360, n_sites), rng.uniform(-90, 90, n_sites)))
    demand = np.column_stack((rng.uniform(-180, 180, n_points), rng.uniform(-90, 90, n_points)))
    sites[0], demand[0] = (180, 90), (-180, -90)
    radius = 10 ** rng.uniform(1, 4.4, n_sites)
    if seed % 2:
        radius[:] = 10 ** rng.uniform(0, 3)
    compare(sites, demand, radius, is_geographic=True)


@pytest.mark.parametrize("is_geographic", [False, True])
def test_cells_are_used_and_lose_nothing(is_geographic):
    rng = np.random.default_rng(1)
    sites, demand = rng.random((300, 2)) * 10, rng.random((5000, 2)) * 10
    radius = np.full(300, 20.0 if is_geographic else 0.2)
    places = reach.in_space(demand, is_geographic=is_geographic)
    grid = reach._grid(places, reach.chords(radius) if is_geographic else radius)
    assert grid.n_cells > 100
    assert compare(sites, demand, radius, is_geographic=is_geographic) > 1000


def test_decimals_at_the_radius_are_reached():
    sites, demand = np.array([[0.1, 0.0]]), np.array([[0.4, 0.0]])
    assert 0.4 - 0.1 > 0.3  # by a rounding
    assert len(reach.edges_within(sites, demand, np.array([0.3]), is_geographic=False)[0]) == 1


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_nothing_at_all(shape):
    found = reach.edges_within(
        np.zeros((shape[0], 2)), np.zeros((shape[1], 2)), np.zeros(shape[0]), is_geographic=True
    )
    assert [column.size for column in found] == [0, 0]


def test_a_radius_around_the_earth_reaches_everything():
    rng = np.random.default_rng(2)
    demand = np.column_stack((rng.uniform(-180, 180, 500), rng.uniform(-90, 90, 500)))
    found = reach.edges_within(demand[:1], demand, np.array([20_100.0]), is_geographic=True)
    assert len(found[0]) == 500


def test_the_ellipsoid():
    """Distances are as near to the geodesic as `reach` says, and so are the sides of the radius.

    A third of the pairs lie across the date line, a third around a pole.
    """
    geod = pyproj.Geod(ellps="WGS84")
    rng = np.random.default_rng(3)
    n = 9000
    lon, lat = rng.uniform(-180, 180, (2, n)), rng.uniform(-90, 90, (2, n))
    lon[0, : n // 3], lon[1, : n // 3] = 179.5, rng.uniform(-182, -178, n // 3)
    lat[:, n // 3 : 2 * n // 3] = 90 - rng.exponential(3, (2, n // 3)).clip(0, 90)
    lat[:, n // 3 : n // 2] *= -1
    true = geod.inv(lon[0], lat[0], lon[1], lat[1])[2] / 1000
    sites, demand = np.column_stack((lon[0], lat[0])), np.column_stack((lon[1], lat[1]))
    pairs = np.arange(n), np.arange(n)
    ours = reach.distances(sites, demand, pairs, is_geographic=True)
    error = np.abs(ours - true) / np.maximum(true, 1e-6)
    assert error[ours > reach.FAR].max() < 0.0057
    for most, right in ((1000, 1.2e-5), (5000, 3e-4), (reach.FAR, 1.3e-3)):
        assert error[ours <= most].max() < right
    demand[:, 0] = (demand[:, 0] + 180.0) % 360.0 - 180.0
    for radius in (50.0, 500.0, 5000.0):
        for k in range(0, n, 100):
            found = reach.edges_within(
                sites[k : k + 1], demand, np.array([radius]), is_geographic=True
            )[1]
            far = geod.inv(*np.repeat(sites[k : k + 1], n, axis=0).T, *demand.T)[2] / 1000
            inside = np.zeros(n, dtype=bool)
            inside[found] = True
            assert not inside[far > radius * 1.0003].any()
            assert inside[far < radius / 1.0003].all()
