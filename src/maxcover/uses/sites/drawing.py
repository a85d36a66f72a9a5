"""Drawing: projects places, reach and demand onto a flat sheet, for the plot and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.uses.sites.reach import EARTH, distances

if TYPE_CHECKING:
    from maxcover.ground.array_types import Floats, Int64s
    from maxcover.uses.sites.places import Places


#: Length of a degree along a meridian, in kilometres.
DEGREE = np.pi * EARTH / 180.0
# The longer side of the sheet has this many cells; demand of one cell may be drawn as one dot.
_CELLS = 250
# Larger latitudes are drawn at this one, because the projection is infinite at the poles.
_LAST = 85.0
# Number of corners of the polygon that shows how far a site reaches.
_CORNERS = 72


class Dots(NamedTuple):
    """Demand to draw: position, weight, and 0, 1 or 2 if none, one or several sites reach it."""

    xy: Floats
    weight: Floats
    covered: Int64s


class Sheet:
    """A flat sheet for places: x and y unchanged, degrees in Mercator's projection.

    The sheet is cut at the widest gap between longitudes, so that neighbours across the date line
    stay neighbours. The scale is that of the middle latitude.
    """

    def __init__(self, places: Places) -> None:
        self.places, self.middle = places, 0.0
        #: Length of a unit of the sheet, in the unit of the radius.
        self.unit = 1.0
        if places.is_geographic and len(places.sites) + len(places.demand):
            lon, lat = np.concatenate((places.sites, places.demand)).T
            around = np.unique(lon % 360.0)
            gaps = np.diff(around, append=around[:1] + 360.0)
            cut = int(np.argmax(gaps))
            self.middle = float(around[cut] + gaps[cut] / 2.0 + 180.0) % 360.0
            self.unit = float(DEGREE * np.cos(np.radians((lat.min() + lat.max()) / 2.0)))

    def flat(self, xy: Floats) -> Floats:
        """Return the coordinates of places on the sheet."""
        if not self.places.is_geographic:
            return xy
        lon = (xy[:, 0] - self.middle + 180.0) % 360.0 - 180.0
        return np.column_stack((lon, _mercator(xy[:, 1])))

    def outline(self, site: int) -> Floats:
        """Return the polygon that site number `site` reaches; empty if it contains a pole."""
        angle = np.linspace(0.0, 2.0 * np.pi, _CORNERS, endpoint=False)
        circle = np.column_stack((np.sin(angle), np.cos(angle)))
        radius, centre = float(self.places.radius[site]), self.places.sites[site]
        if not self.places.is_geographic:
            plain: Floats = centre + radius * circle
            return plain
        if abs(centre[1]) + radius / DEGREE >= 90.0:
            return np.empty((0, 2))
        corners = np.arange(_CORNERS, dtype=np.int32)
        far, lat = np.full(_CORNERS, radius / EARTH), np.radians(centre[1])
        for _ in range(3):
            # End points of paths of length `far` on a sphere (spherical law of cosines), longer by
            # what they lack on the ellipsoid.
            end = np.arcsin(np.sin(lat) * np.cos(far) + np.cos(lat) * np.sin(far) * circle[:, 1])
            turn = np.arctan2(
                circle[:, 0] * np.sin(far) * np.cos(lat), np.cos(far) - np.sin(lat) * np.sin(end)
            )
            ends = np.degrees(np.column_stack((turn, end)))
            own = distances(
                np.array([[0.0, centre[1]]]), ends, (corners * 0, corners), is_geographic=True
            )
            far *= radius / np.maximum(own, 1e-300)
        start = self.flat(centre[None])[0, 0]
        return np.column_stack((start + ends[:, 0], _mercator(ends[:, 1])))

    def dots(self, weights: Floats, times: Int64s, most: int) -> Dots:
        """Return the demand to draw; beyond `most` points, nearby points share a dot."""
        xy, covered = self.flat(self.places.demand), np.minimum(times, 2)
        if len(xy) <= most:
            return Dots(xy, weights, covered)
        low, extent = xy.min(axis=0), max(float(np.ptp(xy, axis=0).max()), 1e-300)
        cell = ((xy - low) / extent * (_CELLS - 1)).astype(np.int64)
        key, where, counts = np.unique(
            (cell[:, 1] * _CELLS + cell[:, 0]) * 3 + covered, return_inverse=True,
            return_counts=True,
        )  # fmt: skip
        middle = [np.bincount(where, weights=xy[:, k]) / counts for k in (0, 1)]
        together = np.bincount(where, weights=weights).astype(np.float64)
        return Dots(np.column_stack(middle), together, key % 3)


def _mercator(lat: Floats) -> Floats:
    """Return the y coordinates of latitudes in Mercator's projection, in degrees of longitude."""
    angle = np.radians(np.clip(lat, -_LAST, _LAST))
    north: Floats = np.degrees(np.arctanh(np.sin(angle)))
    return north


def scale_bar(width: float) -> float:
    """Return the largest 1, 2 or 5 times a power of ten up to a quarter of `width`.

    Examples
    --------
    >>> scale_bar(3000.0), scale_bar(90.0)
    (500.0, 20.0)
    """
    power = 10.0 ** np.floor(np.log10(max(width, 1e-300) / 4.0))
    return float(max(step * power for step in (1, 2, 5) if step * power <= width / 4.0))
