"""Near: points within reach of sites, found cell by cell of a grid."""

import cython
from cython.cimports.libc.math import floor
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.maxcover.engine.kernels.arrays import Floats, Indices, IndicesOut, Offsets


def cell_at(at, low, size, count):
    """Return the grid cell of coordinate `at` along one axis, from 0 to `count` - 1.

    A coordinate outside the grid gets the nearest cell.
    """
    cell = floor((at - low) / size)
    if cell < 0.0:
        return 0
    if cell >= count:
        return count - 1
    return cython.cast(int64_t, cell)


def near_points(
    points: Floats,
    order: Indices,
    starts: Offsets,
    grid: Floats,
    sites: Floats,
    reach: Floats,
    first: int64_t,
    sets: IndicesOut,
    elements: IndicesOut,
) -> tuple[int, int]:
    """Write an edge (site, point) for each point within the reach of a site, site by site.

    Parameters
    ----------
    points, sites : x, y and z of each, one triple after the other
        Points in the order of their cells.
    order : the index of each point
    starts : where each cell begins among the points, x running fastest, and their end
    grid : along each axis the lower end (3), the size of a cell (3) and the number of cells (3)
    reach : the largest distance, and its square, for each site, one pair after the other
        The distance only selects the cells to look at: it is a little larger, for rounding.
    first : the site to begin with
    sets, elements : the edges are written here, from the beginning

    Returns
    -------
    site, edges
        The first site whose edges may not fit, or the number of sites; the number of edges written.
    """
    n_points: int64_t = order.shape[0]
    n_sites: int64_t = reach.shape[0] // 2
    room: int64_t = elements.shape[0]
    nx: int64_t = cython.cast(int64_t, grid[6])
    ny: int64_t = cython.cast(int64_t, grid[7])
    nz: int64_t = cython.cast(int64_t, grid[8])
    s: int64_t = first
    filled: int64_t = 0
    row: int64_t
    begin: int64_t
    with cython.nogil:
        while s < n_sites and filled + n_points <= room:
            begin = filled
            x = sites[3 * s]
            y = sites[3 * s + 1]
            z = sites[3 * s + 2]
            r = reach[2 * s]
            most = reach[2 * s + 1]
            left = cell_at(x - r, grid[0], grid[3], nx)
            right = cell_at(x + r, grid[0], grid[3], nx)
            for c in range(
                cell_at(z - r, grid[2], grid[5], nz), cell_at(z + r, grid[2], grid[5], nz) + 1
            ):
                for b in range(
                    cell_at(y - r, grid[1], grid[4], ny), cell_at(y + r, grid[1], grid[4], ny) + 1
                ):
                    row = (c * ny + b) * nx
                    for j in range(starts[row + left], starts[row + right + 1]):
                        dx = points[3 * j] - x
                        dy = points[3 * j + 1] - y
                        dz = points[3 * j + 2] - z
                        # No branch, for speed: the next point overwrites one that is too far.
                        elements[filled] = order[j]
                        filled += dx * dx + dy * dy + dz * dz <= most
            for e in range(begin, filled):
                sets[e] = cython.cast(int32_t, s)
            s += 1
    return s, filled
