"""Reach: which points lie within a distance of which sites, on a plane or on the Earth.

Points of the Earth are taken as points in space, on the ellipsoid WGS 84. Two points are within a
distance along the surface if their straight distance is within the corresponding chord. So the date
line and the poles need no special case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.engine.kernels.near import near_points
from maxcover.engine.kernels.rows import group_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maxcover.ground.array_types import Floats, Int32s, Int64s


#: Mean radius of the Earth in kilometres (IUGG), and that of the equator of WGS 84.
EARTH, EQUATOR = 6371.0088, 6378.137
#: Squared eccentricity of WGS 84. The chord of a distance is that of the mean sphere, so distances
#: up to 1,000 km are right within 0.0012 %, up to 5,000 km within 0.03 %.
ECCENTRICITY = 0.00669437999014
#: Farther than this many kilometres the Earth is taken as a sphere, which is right within 0.56 %,
#: because distances of the same chord then differ by more.
FAR = 10_000.0
# Relative increase of each radius, so that rounding cannot exclude a point exactly at the radius.
ROUNDING = 1e-9
# Demand points processed together. BLOCK, without a grid: few enough to stay in the cache of a core
# while all sites are tested. CELL_BLOCK, with a grid: enough to make the grid worth its cost.
BLOCK, CELL_BLOCK = 2**15, 2**20
# A grid is made if a site then tests less than this share of the points.
WORTH_CELLS = 0.25
# A buffer has room for this many edges, plus one edge per point of the block.
EDGES = 2**22


def in_space(coordinates: Floats, *, is_geographic: bool, is_round: bool = False) -> Floats:
    """Return x, y, z: x and y get z = 0; longitude and latitude become points of the Earth.

    The unit is the mean radius of the Earth, an ellipsoid unless `is_round`.
    """
    space = np.zeros((len(coordinates), 3))
    if is_geographic:
        angles = np.radians(coordinates)
        north = np.sin(angles[:, 1])
        square = 0.0 if is_round else ECCENTRICITY
        normal = (1.0 if is_round else EQUATOR / EARTH) / np.sqrt(1.0 - square * north**2)
        flat = normal * np.cos(angles[:, 1])
        space[:, 0] = flat * np.cos(angles[:, 0])
        space[:, 1] = flat * np.sin(angles[:, 0])
        space[:, 2] = normal * (1.0 - square) * north
    else:
        space[:, :2] = coordinates
    return space


def chords(kilometres: Floats) -> Floats:
    """Return distances along the surface of the Earth as straight distances, in mean radii."""
    chord: Floats = 2.0 * np.sin(np.minimum(kilometres / (2.0 * EARTH), np.pi / 2.0))
    return chord


def edges_within(
    sites: Floats, demand: Floats, radius: Floats, *, is_geographic: bool
) -> tuple[Int32s, Int32s]:
    """Return all pairs of a site and a demand point within the radius of that site.

    Parameters
    ----------
    sites, demand : array, shape (n, 2)
        x and y, or longitude and latitude in degrees.
    radius : array, one for each site
        In the unit of x and y, or in kilometres.
    is_geographic : bool
        Whether coordinates are degrees.

    Returns
    -------
    sets, elements : arrays of int32
        Each pair once. Memory is that of the edges, and of a block of points.

    Examples
    --------
    >>> ends = np.array([[179.9, 0.0]]), np.array([[-179.9, 0.0], [179.0, 0.0]])
    >>> edges_within(*ends, np.array([30.0]), is_geographic=True)
    (array([0], dtype=int32), array([0], dtype=int32))
    """
    reach = (chords(radius) if is_geographic else radius) * (1.0 + ROUNDING)
    ways = {"is_geographic": is_geographic, "is_round": bool((radius > FAR).any())}
    places = in_space(sites, **ways)
    found = [
        edges
        for begin, points, grid in _blocks(demand, reach, **ways)
        for edges in _edges_of_block(begin, points, grid, places, reach)
    ]
    none = np.empty(0, dtype=np.int32)
    sets = np.concatenate([none, *(one[0] for one in found)])
    return sets, np.concatenate([none, *(one[1] for one in found)])


class _Grid(NamedTuple):
    """A grid in space: lower end, cell size and number of cells along each axis."""

    low: Floats
    size: Floats
    cells: Int64s

    @property
    def n_cells(self) -> int:
        """Number of cells in the grid."""
        return int(self.cells.prod())


ONE_CELL = _Grid(np.zeros(3), np.ones(3), np.ones(3, dtype=np.int64))


def _blocks(demand: Floats, reach: Floats, **ways: bool) -> Iterator[tuple[int, Floats, _Grid]]:
    """Yield blocks of demand points: (index of the first, coordinates in space, grid)."""
    for begin in range(0, len(demand) if len(reach) else 0, CELL_BLOCK):
        points = in_space(demand[begin : begin + CELL_BLOCK], **ways)
        grid = _grid(points, reach)
        step = BLOCK if grid is ONE_CELL else CELL_BLOCK
        for k in range(0, len(points), step):
            yield begin + k, points[k : k + step], grid


def _grid(points: Floats, reach: Floats) -> _Grid:
    """Return a grid of cells about as wide as the median reach, or ONE_CELL if it saves little."""
    low = np.array([column.min() for column in points.T])
    extent = np.array([column.max() for column in points.T]) - low
    typical = max(float(np.median(reach)), float(extent.max()) * 1e-6, 1e-300)
    wanted = np.maximum(extent / typical, 1.0)
    axes = max(int((wanted > 1.0).sum()), 1)
    shrink = min((len(points) / wanted.prod()) ** (1.0 / axes), 1.0)
    cells = np.maximum(wanted * shrink, 1.0).astype(np.int64)
    looked_at = (2.0 * typical + extent / cells) / np.maximum(extent, 1e-300)
    if np.minimum(looked_at, 1.0).prod() > WORTH_CELLS:
        return ONE_CELL
    return _Grid(low, np.where(extent > 0, extent / cells, 1.0), cells)


def _edges_of_block(
    begin: int, points: Floats, grid: _Grid, sites: Floats, reach: Floats
) -> Iterator[tuple[Int32s, Int32s]]:
    order = np.arange(len(points), dtype=np.int32)
    starts = np.array([0, len(points)])
    if grid is not ONE_CELL:
        x, y, z = (
            np.minimum(((points[:, k] - grid.low[k]) / grid.size[k]), grid.cells[k] - 1)
            .astype(np.int32)
            for k in range(3)
        )  # fmt: skip
        cell = (z * grid.cells[1] + y) * grid.cells[0] + x
        starts, grouped = np.zeros(grid.n_cells + 1, dtype=np.int64), np.empty_like(order)
        group_columns(cell.astype(np.int32), order, starts, grouped)
        order, points = grouped, points[grouped]
    # Search cells slightly beyond the reach too, because rounding may put a point there.
    beyond = reach * (1.0 + ROUNDING) + 1e-12 * (np.abs(sites).max(initial=1.0) + grid.size.max())
    limits = np.column_stack((beyond, reach**2)).ravel()
    corners, places = np.concatenate(grid), sites.ravel()
    points, order = points.ravel(), order + np.int32(begin)
    room = len(order) + EDGES
    sets, elements = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
    site = 0
    while site < len(reach):
        site, edges = near_points(
            points, order, starts, corners, places, limits, site, sets, elements
        )
        yield sets[:edges].copy(), elements[:edges].copy()


def distances(
    sites: Floats, demand: Floats, edges: tuple[Int32s, Int32s], *, is_geographic: bool
) -> Floats:
    """Return the distance of each pair, in kilometres along the Earth or in the unit of x and y."""
    lengths = np.empty(len(edges[0]))
    for begin in range(0, len(lengths), EDGES):
        some = slice(begin, begin + EDGES)
        ends = [points[index[some]] for points, index in ((sites, edges[0]), (demand, edges[1]))]
        lengths[some] = _apart(ends, is_geographic=is_geographic)
        if is_geographic and (lengths[some] > FAR).any():
            round_ = _apart(ends, is_geographic=True, is_round=True)
            lengths[some] = np.where(lengths[some] > FAR, round_, lengths[some])
    return lengths


def _apart(ends: list[Floats], **ways: bool) -> Floats:
    one, other = (in_space(points, **ways) for points in ends)
    straight: Floats = np.sqrt(((one - other) ** 2).sum(axis=1))
    if ways["is_geographic"]:
        straight = 2.0 * EARTH * np.arcsin(np.minimum(straight / 2.0, 1.0))
    return straight
