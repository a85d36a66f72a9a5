"""Site constructors: problems from places, by distance or travel time.

`CoverageProblem.from_points` and `CoverageProblem.from_travel_times` call them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core.constructors import told
from maxcover.engine.core.edge_tables import FLAGS, ROLES, EdgeTables, is_wanted
from maxcover.engine.core.tables import Table
from maxcover.engine.core.validation import frozen, some, warn
from maxcover.errors import ProblemError
from maxcover.ground.options import checked
from maxcover.uses.sites import reach
from maxcover.uses.sites.places import Coordinates, Places, Side, both_sides, radii

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import Floats


# Names that r5py, Valhalla, OSRM and others give to the columns of travel times.
_SITE = ("site", "from_id", "origin", "origin_id", "from_index", "source", "from")
_DEMAND = ("demand", "to_id", "destination", "destination_id", "to_index", "target", "to")
_TIME = ("minutes", "travel_time", "time", "duration", "seconds", "distance")
# Usual names of a column with the costs of sites.
_PRICES = ("cost", "costs", "price", "capex", "rent")
# Usual names of a column with the number of people at a place.
_PEOPLE = ("people", "population", "pop", "inhabitants", "weights", "demand_sum")
_DEGREES = ": are x and y degrees (write coordinates='lonlat' and radius='5 km')"
# Options that may name a column, and whether it is in the table of sites or of demand.
_COLUMNS = {
    **{role.argument: role.of for role in ROLES.values() if role.of != "edge"},
    "set_labels": "set",
    "element_labels": "element",
    **dict.fromkeys(FLAGS, "set"),
}


@checked
def from_points(
    kind: type[CoverageProblem],
    sites: Any,
    demand: Any,
    *,
    radius: Any,
    budget: float | str | Mapping[str, float | str],
    unit: str | None = None,
    coordinates: Coordinates | None = None,
    decay: str | Callable[[Floats], Floats] | None = None,
    **options: Any,
) -> CoverageProblem:
    """Build a problem from places: a site covers the demand within its radius.

    Parameters
    ----------
    sites, demand : places
        Arrays of shape (n, 2) with x and y; tables with the columns ``lat`` and ``lon``, or
        ``x`` and ``y``; points of GeoPandas, shapely or GeoJSON. GeoPandas' coordinate system
        is read. Where its lengths are wrong by more than 1 % (Web Mercator, or far from the
        middle of a zone), distances come from longitude and latitude.
    radius : str, number, array, mapping or column
        ``"5 km"`` (m, km, mi, nmi, ft, yd), or a number in the unit of x and y. Degrees need a
        unit. One for all sites, one for each, by label, or a column of `sites`.
    budget : float, str, or mapping of name to them
        The largest number of sites, or their largest total cost.
    unit : str, optional
        The unit of a radius that is a number.
    coordinates : {"xy", "lonlat", "latlon"}, optional
        Meaning of the two numbers in arrays and in shapes without a coordinate system; "xy" by
        default for arrays.
    decay : "linear" or function, optional
        A demand point then counts by its best chosen site. "linear": all of its weight at
        distance 0, nothing at the radius. A function returns the share, from 0 to 1, for an
        array of distances in kilometres, or in the unit of x and y.
    **options
        Everything else that `from_edges` takes. A text is the name of a column, of the sites
        or of the demand; `required` and `forbidden` may be columns of yes and no. Without
        a name, the columns ``cost``, ``weight``, ``group``, ``worth``, ``need`` and ``region``
        are read if they exist. Labels of places are the column ``site`` (``demand``),
        ``name``, ``label``, ``id`` or ``city``, or the index of a pandas frame.

    Returns
    -------
    CoverageProblem
        With ``places``, which `maxcover.SiteMap` draws. Distances between degrees are those on
        the ellipsoid WGS 84: up to 1,000 km within 0.0012 %, up to 5,000 km within 0.03 %.
        Memory is 12 bytes per edge while it is built.

    Warns
    -----
    InputWarning
        No site reaches any demand at another place, or every site reaches all: the radius may
        be in another unit.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> cities = [
    ...     {"name": "Lyon", "lat": 45.76, "lon": 4.84, "weight": 1.7},
    ...     {"name": "Geneva", "lat": 46.20, "lon": 6.14, "weight": 0.6},
    ...     {"name": "Paris", "lat": 48.86, "lon": 2.35, "weight": 11.2},
    ... ]
    >>> CoverageProblem.from_points(cities, cities, radius="150 km", budget=1)
    CoverageProblem(3 sets, 3 elements, 5 edges, budget 1)
    """
    sides = both_sides(sites, demand, coordinates)
    lengths, unit = radii(radius, unit, sides[0])
    is_geographic = sides[0].is_geographic
    ends = (sides[0].xy, sides[1].xy)
    edges = reach.edges_within(*ends, lengths, is_geographic=is_geographic)
    if decay is not None:
        far = reach.distances(*ends, edges, is_geographic=is_geographic)
        # a function gets the unit of the coordinates that were given
        units = 1000.0 / sides[0].metres if is_geographic and sides[0].metres else 1.0
        options["best"] = _strength(decay, far * units, lengths[edges[0]] * units)
    _warn_if_alone(sides, edges, lengths, unit)
    is_far = is_geographic or (np.abs(np.concatenate(ends)) > [180, 90]).any()
    looks = ": is it in another unit" if is_far else _DEGREES
    _warn_if_all(len(edges[0]), len(ends[0]), len(ends[1]), f"the radius{looks}")
    _warn_if_swapped(options, sides)
    given = _with_columns(options, sides)
    given |= {"n_sets": len(ends[0]), "n_elements": len(ends[1])}
    problem = kind.from_edges(*edges, budget=budget, **given)
    if len(edges[0]) or not (problem.n_sets and problem.n_elements):
        told(problem)  # else `_warn_if_alone` has spoken
    pays = isinstance(budget, int | float) and budget > problem.n_sets > 0
    _warn_if_uncounted(given, sides, all_fit=pays)
    places = Places(
        sites=frozen(ends[0].view()),
        demand=frozen(ends[1].view()),
        radius=lengths,
        is_geographic=is_geographic,
        unit=unit,
        crs=sides[0].crs,
    )
    object.__setattr__(problem, "places", places)
    return problem


@checked
def from_travel_times(
    kind: type[CoverageProblem],
    times: Any,
    *,
    limit: float,
    budget: float | str | Mapping[str, float | str],
    sites: Any = None,
    demand: Any = None,
    decay: str | Callable[[Floats], Floats] | None = None,
    **options: Any,
) -> CoverageProblem:
    """Build a problem from travel times: a site covers the demand within the limit.

    Parameters
    ----------
    times : table or matrix
        One row per pair, with the columns ``site``, ``demand`` and ``minutes`` (or as r5py,
        Valhalla and others call them: from_id, to_id, travel_time), or one row per site and
        one column per demand point. A missing time means out of reach.
    limit : float
        The longest time that counts, in the unit of the times.
    budget : float, str, or mapping of name to them
    sites, demand : table, optional
        One row per site, and one per demand point, with their costs, weights and so on.
    decay : "linear" or function, optional
        As in `from_points`, of times.
    **options
        Everything else that `from_edges` takes; with a table, as in `from_table`.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> rows = [("north", "a", 4), ("north", "b", 12), ("south", "b", 7)]
    >>> times = [dict(zip(("site", "demand", "minutes"), row)) for row in rows]
    >>> CoverageProblem.from_travel_times(times, limit=8, budget=1)
    CoverageProblem(2 sets, 2 elements, 2 edges, budget 1)
    """
    if isinstance(times, np.ndarray):
        if times.dtype.kind not in "fiu":
            raise ProblemError(
                f"expected times to be numbers, got {times.dtype}; write 5 for 5 min"
            )
        each = times.astype(np.float64).ravel()
        if times.ndim != 2:
            raise ProblemError(
                "expected times with one row per site and one column per demand point, got "
                f"the shape {times.shape}"
            )
        ends = np.indices(times.shape, dtype=np.int32).reshape(2, -1)
        given = {"n_sets": len(times), "n_elements": times.shape[1], **options}
        given |= {"sets": ends[0], "elements": ends[1]}
    else:
        table = Table(times, "travel times")
        site, point, time = (_named(table, names) for names in (_SITE, _DEMAND, _TIME))
        reader = EdgeTables(times, sites, demand, set=site, element=point, sep=None)
        each = np.asarray(reader.edges.numbers(time), dtype=np.float64)
        given = reader.arguments(options, budget)
    if (each < 0).any():
        raise ProblemError(f"expected times of at least 0, got {each[each < 0][0]:g}")
    is_near = each <= limit
    if decay is not None:
        given["best"] = _strength(decay, each[is_near], np.full(int(is_near.sum()), limit))
    n_sites, n_points = (int(np.max(given[end], initial=-1)) + 1 for end in ("sets", "elements"))
    within = "the limit: is it in the unit of the times"
    _warn_if_all(int(is_near.sum()), n_sites, n_points, within)
    given |= {end: given[end][is_near] for end in ("sets", "elements")}
    return kind.from_edges(budget=budget, **given)


def _named(table: Table, names: tuple[str, ...]) -> str:
    found = [name for name in names if name in table.names]
    if not found:
        table.column(names[0])  # raises an error that lists the columns
    return found[0]


def _with_columns(options: dict[str, Any], sides: tuple[Side, Side]) -> dict[str, Any]:
    """Return the options with column names replaced by values; add columns with usual names."""
    given = dict(options)
    for side, kind in zip(sides, ("set", "element"), strict=True):
        given.setdefault(f"{kind}_labels", side.labels)
        for name, role in ROLES.items():
            if role.of == kind and name in side.table.names and is_wanted(name, given):
                given.setdefault(role.argument, name)
        for argument, of in _COLUMNS.items():
            column = given.get(argument)
            if of == kind and isinstance(column, str):
                given[argument] = _cells(side.table, column, argument)
    return given


def _cells(table: Table, column: str, argument: str) -> Any:
    """Return the cells of a column as the argument needs them."""
    if argument in FLAGS:
        return np.flatnonzero(table.flags(column, argument))
    is_group = argument in {"groups", "regions"}
    return table.groups(column) if is_group else table.values(column)


def _warn_if_swapped(options: dict[str, Any], sides: tuple[Side, Side]) -> None:
    """Warn if only the sites have a column of people, or only the demand has prices."""
    sites, demand = ({str(name).lower() for name in side.table.names} for side in sides)
    for option, usual, only, holder in (
        ("weights", ("weight", *_PEOPLE), sites - demand if demand else {}, "sites"),
        ("costs", _PRICES, demand - sites if sites else {}, "demand"),
    ):
        asked = options.get(option)
        names = (asked.lower(),) if isinstance(asked, str) else usual if asked is None else ()
        for name in [name for name in names if name in only][:1]:
            warn(
                f"only the {holder} table has the column {name!r}; are sites and demand swapped? "
                "The order is from_points(sites, demand): sites are chosen, demand is reached",
            )


def _warn_if_uncounted(given: dict[str, Any], sides: tuple[Side, Side], *, all_fit: bool) -> None:
    """Warn if all sites cost 1, or all demand counts 1, although a column seems to say more.

    `all_fit`: the budget pays for all sites, so that it may count something else.
    """
    sites, demand = ({str(name).lower(): name for name in side.table.names} for side in sides)
    found = [demand[name] for name in _PEOPLE if name in demand]
    if found and "weights" not in given:
        warn(
            f"every demand point counts 1, and the column {found[0]!r} is not read; write "
            f"weights={found[0]!r}, or weights=None if that is meant",
        )
    found = [sites[name] for name in _PRICES if name in sites]
    if found and "costs" not in given:
        warn(
            f"every site costs 1, and the column {found[0]!r} is not read; write "
            f"costs={found[0]!r}, or costs=None if that is meant",
        )
    elif all_fit and "costs" not in given and sides[0].table.names:
        warn(
            f"the budget pays for all {len(sides[0].xy)} sites, as each costs 1; write "
            f"costs=COLUMN, one of {some(sides[0].table.names)}, or costs=None if that is meant",
        )


def _strength(decay: Any, far: Floats, most: Floats) -> Floats:
    """Return the share of the weight, from 0 to 1, that counts at each distance (or time) `far`."""
    if decay == "linear":
        return np.clip(1.0 - far / np.where(most > 0, most, 1.0), 0.0, 1.0)
    if not callable(decay):
        raise ProblemError(f"expected decay to be 'linear' or a function, got {decay!r}")
    strength = np.asarray(decay(far), dtype=np.float64)
    if strength.shape != far.shape or not ((strength >= 0) & (strength <= 1)).all():
        raise ProblemError(
            "expected decay to give one number from 0 to 1 for each distance, got "
            f"{strength.ravel()[:3].tolist()} of the shape {strength.shape}"
        )
    return strength


def _warn_if_all(n_edges: int, n_sites: int, n_points: int, within: str) -> None:
    """Warn if every site reaches all demand, so that any site is as good as all."""
    if n_edges == n_sites * n_points and min(n_sites, n_points) > 2:
        warn(f"every one of {n_sites} sites reaches all demand within {within}?")


def _warn_if_alone(sides: tuple[Side, Side], edges: Any, lengths: Floats, unit: str) -> None:
    """Warn if sites reach demand only at their own place; the radius may have a wrong unit."""
    sites, demand = sides
    if not len(sites.xy) or not len(demand.xy) or len(edges[0]) > len(sites.xy):
        return
    if (sites.xy[edges[0]] == demand.xy[edges[1]]).all():
        spread = np.ptp(np.concatenate((sites.xy, demand.xy)), axis=0).max()
        warn(
            f"no site reaches demand at another place within {lengths.max():g} {unit}".rstrip()
            + f"; the places are spread over {spread:g} "
            + ("degrees" if sites.is_geographic else unit or "units")
            + ": is the radius in another unit?",
        )
