"""Drawing: places, reach and demand brought onto a flat sheet, for the picture and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.core.reach import EARTH

if TYPE_CHECKING:
    from maxcover.array_types import Floats, Int64s
    from maxcover.core.places import Places


#: Kilometres of a degree along a meridian.
DEGREE = np.pi * EARTH / 180.0
# Demand within a cell of this share of the sheet, covered as often, is drawn as one dot.
_CELLS = 250
# Latitude beyond which nothing is drawn apart: the sheet would have no end.
_LAST = 85.0
# Corners of the line that shows how far a site reaches.
_CORNERS = 72


class Dots(NamedTuple):
    """Demand as it is drawn: place, weight, and 0, 1 or 2 for none, one and several sites."""

    xy: Floats
    weight: Floats
    covered: Int64s


class Sheet:
    """A flat sheet for places: x and y as they are, degrees in Mercator's projection.

    Longitudes are cut where the widest gap between places is, so that neighbours across the date
    line stay neighbours. The scale is that of the middle latitude.
    """

    def __init__(self, places: Places) -> None:
        self.places, self.middle = places, 0.0
        #: Length of a unit of the sheet, in that of the radius.
        self.unit = 1.0
        if places.is_geographic and len(places.sites) + len(places.demand):
            lon, lat = np.concatenate((places.sites, places.demand)).T
            around = np.unique(lon % 360.0)
            gaps = np.diff(around, append=around[:1] + 360.0)
            cut = int(np.argmax(gaps))
            self.middle = float(around[cut] + gaps[cut] / 2.0 + 180.0) % 360.0
            self.unit = float(DEGREE * np.cos(np.radians((lat.min() + lat.max()) / 2.0)))

    def flat(self, xy: Floats) -> Floats:
        """Return where places are on the sheet."""
        if not self.places.is_geographic:
            return xy
        lon = (xy[:, 0] - self.middle + 180.0) % 360.0 - 180.0
        return np.column_stack((lon, _mercator(xy[:, 1])))

    def outline(self, site: int) -> Floats:
        """Return the line up to which a site reaches; none where it goes around a pole."""
        angle = np.linspace(0.0, 2.0 * np.pi, _CORNERS, endpoint=False)
        circle = np.column_stack((np.sin(angle), np.cos(angle)))
        radius, centre = float(self.places.radius[site]), self.places.sites[site]
        if not self.places.is_geographic:
            plain: Floats = centre + radius * circle
            return plain
        far, lat = radius / EARTH, np.radians(centre[1])
        if abs(centre[1]) + radius / DEGREE >= 90.0:
            return np.empty((0, 2))
        # the end of a way of this length, begun in each direction (spherical law of cosines)
        end = np.arcsin(np.sin(lat) * np.cos(far) + np.cos(lat) * np.sin(far) * circle[:, 1])
        turn = np.arctan2(
            circle[:, 0] * np.sin(far) * np.cos(lat), np.cos(far) - np.sin(lat) * np.sin(end)
        )
        start = self.flat(centre[None])[0, 0]
        return np.column_stack((start + np.degrees(turn), _mercator(np.degrees(end))))

    def dots(self, weights: Floats, times: Int64s, most: int) -> Dots:
        """Return demand, near points that are covered as often as one where there are many."""
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
    """Return how far north latitudes lie, in degrees of longitude."""
    angle = np.radians(np.clip(lat, -_LAST, _LAST))
    north: Floats = np.degrees(np.arctanh(np.sin(angle)))
    return north


def scale_bar(width: float) -> float:
    """Return a round length, 1, 2 or 5 times a power of ten, up to a quarter of a width.

    Examples
    --------
    >>> scale_bar(3000.0), scale_bar(90.0)
    (500.0, 20.0)
    """
    power = 10.0 ** np.floor(np.log10(max(width, 1e-300) / 4.0))
    return float(max(step * power for step in (1, 2, 5) if step * power <= width / 4.0))
