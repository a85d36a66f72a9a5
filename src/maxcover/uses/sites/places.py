"""Places: coordinates of sites and demand, read from arrays, tables and objects of GIS packages.

None of these packages is imported, except pyproj where GeoPandas gave a projection: their objects
are recognised by their attributes. Whether coordinates are degrees is read from the data; degrees
are never taken for metres, and the metres of a projection only where they are true.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from maxcover.engine.core.labels import Labels
from maxcover.engine.core.tables import Table
from maxcover.engine.core.validation import frozen, some
from maxcover.errors import ProblemError

if TYPE_CHECKING:
    from maxcover.ground.array_types import Floats


#: Meaning of a pair of coordinates without column names.
Coordinates = Literal["xy", "lonlat", "latlon"]

#: Length of each unit in metres.
UNITS = {
    "m": 1.0, "metre": 1.0, "meter": 1.0, "km": 1000.0, "kilometre": 1000.0, "kilometer": 1000.0,
    "mi": 1609.344, "mile": 1609.344, "nmi": 1852.0, "ft": 0.3048, "foot": 0.3048, "feet": 0.3048,
    "yd": 0.9144, "yard": 0.9144,
}  # fmt: skip
_LENGTH = re.compile(r"\s*([0-9.]+(?:e[+-]?[0-9]+)?)\s*([a-z]*)\s*", re.IGNORECASE)
# Names of coordinate columns, in lower case; columns of degrees come first.
_LONGITUDES, _LATITUDES = ("lon", "lng", "long", "longitude"), ("lat", "latitude")
_COLUMNS = ((_LONGITUDES, _LATITUDES), (("x", "easting"), ("y", "northing")))
#: Share by which lengths on the plane of a projection may differ from those on the Earth. Beyond
#: it, longitude and latitude are used. Steps of a kilometre are compared at so many places.
DISTORTION, COMPARED = 0.01, 1000
#: Columns that may hold the names of places; the first that exists is used.
NAMES = ("site", "demand", "name", "label", "id", "city")


@dataclass(frozen=True, eq=False, kw_only=True)
class Places:
    """The coordinates of the sites and the demand of a problem.

    Attributes
    ----------
    sites, demand : array of float64, shape (n, 2)
        x and y, or longitude and latitude, also where the projection of the data is distorted.
    radius : array of float64, one for each site
        In kilometres if coordinates are degrees, otherwise in the unit of x and y.
    is_geographic : bool
        Whether coordinates are degrees of longitude and latitude.
    unit : str
        Unit of the radius; empty if it is not known.
    crs : object
        The coordinate system of the GeoPandas data; None if there is none.
    """

    sites: Floats
    demand: Floats
    radius: Floats
    is_geographic: bool
    unit: str = ""
    crs: Any = None


@dataclass(frozen=True, eq=False)
class Side:
    """The sites or the demand, as they were read.

    `metres` is the length of one unit of x and y as they were given; None if it is not known.
    """

    name: str
    xy: Floats
    table: Table
    is_geographic: bool = False
    metres: float | None = None
    crs: Any = None

    @property
    def labels(self) -> list[Any] | None:
        """Names of the places: a column of `NAMES`, or the index of a pandas frame, or None."""
        held = {str(name).lower(): name for name in reversed(self.table.names)}
        for name in NAMES:
            if name in held:
                return self.table.values(held[name])
        index: Any = getattr(self.table.given, "index", None)
        is_named = hasattr(index, "tolist") and type(index).__name__ != "RangeIndex"
        return index.tolist() if is_named else None


def read_side(given: Any, name: str, coordinates: Coordinates | None) -> Side:
    """Read the sites or the demand; `coordinates` is the meaning of pairs without column names."""
    if hasattr(given, "geometry") and hasattr(given, "crs"):  # `given` is a GeoPandas frame
        side = _of_geopandas(given, name, coordinates)
    elif _is_shape(given) or (
        isinstance(given, Sequence | np.ndarray) and len(given) and _is_shape(given[0])
    ):
        xy, table = _of_shapes(given, name)
        is_json = isinstance(given, Mapping)  # GeoJSON has degrees (RFC 7946)
        side = _of_numbers(xy, name, coordinates or ("lonlat" if is_json else None), table)
        _refuse_unsaid_degrees(side, coordinates, is_json=is_json)
    elif isinstance(given, Sequence | np.ndarray) and not (
        len(given) and isinstance(given[0], Mapping)
    ):
        side = _of_numbers(_pairs(given, name), name, coordinates, Table({}))
    else:
        side = _of_table(Table(given, name), name, coordinates)
    _check(side)
    return side


def _is_shape(given: Any) -> bool:
    return hasattr(given, "__geo_interface__") or (
        isinstance(given, Mapping) and isinstance(given.get("type"), str)
    )


def _of_geopandas(given: Any, name: str, coordinates: Coordinates | None) -> Side:
    points = given.geometry
    kinds = {*map(str, points.geom_type)}
    if kinds - {"Point"}:
        raise ProblemError(
            f"expected {name} to be points, got {some(sorted(kinds))}; write {name}.set_geometry("
            f"{name}.representative_point())"
        )
    xy = np.column_stack((points.x, points.y)).astype(np.float64)
    table = Table(given if hasattr(given, "columns") else {}, name)
    crs = given.crs
    if crs is None:
        side = _of_numbers(xy, name, coordinates, table)
        _refuse_unsaid_degrees(side, coordinates)
        return side
    if crs.is_geographic:
        return Side(name, xy, table, is_geographic=True, crs=crs)
    factor = getattr(crs.axis_info[0], "unit_conversion_factor", None)
    return Side(name, xy, table, metres=factor, crs=crs)


def _of_shapes(given: Any, name: str) -> tuple[Floats, Table]:
    """Return the coordinates of GeoJSON or shapely points, and the properties of features."""
    listed = [given] if _is_shape(given) else given
    shapes = [one if isinstance(one, Mapping) else one.__geo_interface__ for one in listed]
    flat: list[Any] = []
    for one in shapes:
        flat += one.get("features", [one])
    rows = [one.get("properties") or {} for one in flat if one.get("type") == "Feature"]
    points: list[Any] = []
    for one in flat:
        geometry = one["geometry"] if one.get("type") == "Feature" else one
        kind = None if geometry is None else geometry["type"]
        if kind not in {"Point", "MultiPoint"} or (kind == "MultiPoint" and rows):
            raise ProblemError(f"expected {name} to be points, got {kind}; give their centres")
        points += [geometry["coordinates"]] if kind == "Point" else geometry["coordinates"]
    xy = np.array([point[:2] for point in points], dtype=np.float64).reshape(-1, 2)
    return xy, Table(rows if len(rows) == len(xy) else {}, name)


def _of_table(table: Table, name: str, coordinates: Coordinates | None) -> Side:
    lower = {str(column).strip().lower(): column for column in table.names}
    for k, pair in enumerate(_COLUMNS):
        found = [next((lower[one] for one in names if one in lower), None) for names in pair]
        if None not in found:
            columns = [_numbers(table, column, name) for column in found]
            xy = np.column_stack(columns)
            if k == 0:
                return Side(name, xy, table, is_geographic=True)
            return _of_numbers(xy, name, coordinates, table)
    raise ProblemError(
        f"expected {name} with the columns lat and lon (degrees) or x and y, got the columns "
        f"{some(table.names)}; rename yours, as in {name}.rename(columns={{'Y': 'lat', 'X': "
        "'lon'})"
    )


def _numbers(table: Table, column: Any, name: str) -> Floats:
    try:
        return np.asarray(table.numbers(column), dtype=np.float64)
    except (TypeError, ValueError):
        raise ProblemError(
            f"expected numbers in the column {column!r} of {name}, got "
            f"{some(table.values(column), 3)}; write degrees as decimals, 52.37"
        ) from None


def _pairs(given: Any, name: str) -> Floats:
    try:
        xy = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        read = f"; read it first: pandas.read_csv({given!r})" if isinstance(given, str) else ""
        raise ProblemError(
            f"expected {name} as pairs of numbers, a table, or points of GeoPandas or shapely, got "
            f"{type(given).__name__}{read}"
        ) from None
    if xy.size == 0:
        return np.empty((0, 2))
    if xy.ndim != 2 or xy.shape[1] != 2:
        turn = f"; write {name}.T" if xy.ndim == 2 and xy.shape[0] == 2 else ""
        raise ProblemError(
            f"expected {name} of the shape (n, 2), one pair of x and y in each row, got "
            f"{xy.shape}{turn}"
        )
    return xy


def _of_numbers(xy: Floats, name: str, coordinates: Coordinates | None, table: Table) -> Side:
    if coordinates == "latlon":
        xy = xy[:, ::-1]
    return Side(name, xy, table, is_geographic=coordinates in {"lonlat", "latlon"})


def _refuse_unsaid_degrees(side: Side, coordinates: Any, *, is_json: bool = False) -> None:
    """Raise ProblemError if coordinates of unknown meaning may be degrees."""
    if coordinates is None and not is_json and bool((np.abs(side.xy) <= [180, 90]).all()):
        raise ProblemError(
            f"expected {side.name} with a coordinate system, got none, and they may be degrees; "
            f"write {side.name}.set_crs(4326) in GeoPandas, or coordinates='lonlat' for degrees "
            "and coordinates='xy' for others"
        )


def _check(side: Side) -> None:
    wrong = ~np.isfinite(side.xy).all(axis=1)
    if wrong.any():
        raise ProblemError(
            f"expected finite coordinates, got {int(wrong.sum())} {side.name} without, the first "
            f"in row {int(np.argmax(wrong))}; drop them, or find their places first"
        )
    if not side.is_geographic:
        return
    lon, lat = side.xy.T
    beyond = (np.abs(lat) > 90) | (lon < -180) | (lon > 360)
    if beyond.any():
        first = int(np.argmax(beyond))
        is_swapped = bool((np.abs(lon) <= 90).all() and (np.abs(lat) <= 180).all())
        advice = (
            "latitude and longitude seem to be swapped"
            if is_swapped
            else "they are no degrees: "
            "metres have the columns x and y, or a coordinate system in GeoPandas"
        )
        raise ProblemError(
            f"expected latitudes up to 90 and longitudes up to 180, got {lat[first]:g} and "
            f"{lon[first]:g} in row {first} of {side.name}; {advice}"
        )


def both_sides(
    sites: Any, demand: Any, coordinates: Coordinates | None = None
) -> tuple[Side, Side]:
    """Read sites and demand, which must be in the same coordinate system."""
    one, other = sides = tuple(
        read_side(given, name, coordinates)
        for given, name in ((sites, "sites"), (demand, "demand"))
    )
    if one.is_geographic != other.is_geographic:
        degrees, plane = (one, other) if one.is_geographic else (other, one)
        raise ProblemError(
            f"expected sites and demand in the same coordinates, got degrees for {degrees.name} "
            f"and a plane for {plane.name}; {_bring(plane, degrees)}"
        )
    if not one.is_geographic and None not in (one.crs, other.crs) and one.crs != other.crs:
        raise ProblemError(
            f"expected sites and demand in the same coordinate system, got {one.crs.name} and "
            f"{other.crs.name}; {_bring(other, one)}"
        )
    crs = one.crs if other.crs is None else other.crs
    if getattr(crs, "is_projected", False) and any(_is_distorted(side.xy, crs) for side in sides):
        one, other = (_in_degrees(side, crs) for side in sides)
    return one, other


def _is_distorted(xy: Floats, crs: Any) -> bool:
    """Whether lengths on the plane of a projection are wrong by more than `DISTORTION`."""
    if not len(xy):
        return False
    ends = (xy[:: len(xy) // COMPARED + 1], xy[xy.argmin(axis=0)], xy[xy.argmax(axis=0)])
    here, step = np.concatenate(ends), 1000.0 / crs.axis_info[0].unit_conversion_factor
    lengths = [
        crs.get_geod().inv(*_degrees(here, crs).T, *_degrees(here + shift, crs).T)[2]
        for shift in ((step, 0.0), (0.0, step))
    ]
    return not (np.abs(np.divide(lengths, 1000.0) - 1.0) <= DISTORTION).all()


def _degrees(xy: Floats, crs: Any) -> Floats:
    from pyproj import Transformer

    turn = Transformer.from_crs(crs, crs.geodetic_crs, always_xy=True)
    return np.column_stack(turn.transform(*xy.T))


def _in_degrees(side: Side, crs: Any) -> Side:
    turned = replace(side, xy=_degrees(side.xy, crs), is_geographic=True)
    _check(turned)
    return turned


def _bring(which: Side, to: Side) -> str:
    if which.crs is not None:
        return f"write {which.name}.to_crs({to.name + '.crs' if to.crs is not None else '4326'})"
    return "bring them into one, or say coordinates='lonlat' if all are degrees"


def radii(radius: Any, unit: str | None, sites: Side) -> tuple[Floats, str]:
    """Return the radius of each site, and its unit: kilometres, or the unit of x and y."""
    if isinstance(radius, str) and radius in sites.table.names:
        radius = _numbers(sites.table, radius, "sites")
    elif isinstance(radius, str):
        radius, unit = _length(radius, unit)
    else:
        radius = Labels(sites.labels, len(sites.xy), "site").align(radius, "radius")
    try:
        values = np.asarray("" if radius is None else radius, dtype=np.float64)
        each = np.broadcast_to(values, len(sites.xy)).copy()
    except (TypeError, ValueError):
        got = f"{np.size(radius)} of them" if np.ndim(radius) else repr(radius)
        raise ProblemError(
            f"expected a radius such as '5 km', or one for each of {len(sites.xy)} sites, got {got}"
        ) from None
    if not (np.isfinite(each) & (each >= 0)).all():
        raise ProblemError(f"expected a radius of at least 0, got {some(each.tolist(), 3)}")
    scale, own = _scale(unit, sites, values)
    return frozen(each * scale), own


def _length(text: str, unit: str | None) -> tuple[float, str | None]:
    """Return the number and the unit in a text such as "5 km", "5km" or "5"."""
    match = _LENGTH.fullmatch(text)
    if match is None:
        raise ProblemError(
            f"expected a radius such as '5 km', or a column of the sites, got {text!r}"
        )
    return float(match[1]), match[2] or unit


def _scale(unit: str | None, sites: Side, values: Any) -> tuple[float, str]:
    """Return the factor that converts a radius to the unit of the places, and that unit."""
    metres = None
    if unit is not None:
        key = unit.lower()
        metres = UNITS.get(key, UNITS.get(key.removesuffix("s")))
        if metres is None:
            travel = "; for minutes use CoverageProblem.from_travel_times"
            is_time = key.startswith(("min", "h", "sec"))
            raise ProblemError(
                f"expected a unit of length, {some(UNITS)}, got {unit!r}{travel if is_time else ''}"
            )
    if sites.is_geographic:
        metres = sites.metres if metres is None else metres
        if metres is None:
            shown = f"{values:g}" if np.ndim(values) == 0 else "5"
            how = "radius='{} km'" if np.ndim(values) == 0 else "unit='km'"
            raise ProblemError(
                "expected a radius with a unit, as the places are in degrees, got a number; write "
                f"{how.format(shown)}"
            )
        return metres / 1000.0, "km"
    if metres is None:
        return 1.0, "" if sites.metres is None else _unit_name(sites.metres)
    if sites.metres is None:
        raise ProblemError(
            f"expected a radius in the unit of x and y, which is not known, got {unit}; write the "
            "number alone, or coordinates='lonlat' if they are degrees"
        )
    return metres / sites.metres, _unit_name(sites.metres)


def _unit_name(metres: float) -> str:
    return next((name for name, length in UNITS.items() if abs(length - metres) < 1e-5), "units")
