"""Site map: a solution of a problem with places, as plot, page, GeoJSON and tables."""

from __future__ import annotations

import json
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover import plots
from maxcover.engine.core import notebook
from maxcover.engine.core.arguments import plain
from maxcover.engine.core.gains import gains
from maxcover.engine.core.limits import row_sums
from maxcover.engine.core.validation import positions_of
from maxcover.engine.decisions.decision import Decision
from maxcover.errors import OptionError
from maxcover.ground.extras import import_extra
from maxcover.ground.options import checked
from maxcover.uses.sites import page
from maxcover.uses.sites.drawing import Sheet, scale_bar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from maxcover.engine.core.solution import Solution
    from maxcover.engine.decisions.explanation import Explanation
    from maxcover.engine.decisions.planned import Plan
    from maxcover.ground.array_types import Floats, Int64s
    from maxcover.uses.sites.places import Places

# Largest number of demand points drawn one by one; beyond it, nearby points share a dot.
_MOST_DOTS = 20_000
# CSS style of the frame in which a notebook shows the page.
_FRAME = "width:100%;height:44em;border:0"


class SiteMap(Decision):
    """A map of the sites of a solution and the demand that they reach.

    Parameters
    ----------
    solution : Solution
        Of a problem that `CoverageProblem.from_points` made.
    explanation : Explanation, optional
        From `maxcover.explain`: adds the smallest and largest possible loss of each site.
    plan : Plan, optional
        From `maxcover.plan`: adds the phase in which each site enters, 0 for none. The sites of
        its last phase may differ from a solution for the last budget.

    Examples
    --------
    >>> import maxcover as mc
    >>> places = [[0, 0], [3, 4], [9, 9]]
    >>> problem = mc.CoverageProblem.from_points(places, places, radius=5, budget=1)
    >>> found = SiteMap(mc.solve(problem))
    >>> found
    SiteMap(1 of 3 sites, 2 of 3 demand points within reach)
    >>> found.to_pandas()[["site", "chosen", "covers", "alone"]].to_dict("records")[0]
    {'site': 0, 'chosen': True, 'covers': 2.0, 'alone': 2.0}
    """

    solution: Solution
    explanation: Explanation | None
    plan: Plan | None
    places: Places

    @checked
    def __init__(
        self,
        solution: Solution,
        *,
        explanation: Explanation | None = None,
        plan: Plan | None = None,
    ) -> None:
        problem = solution.problem
        if problem is None or problem.places is None:
            raise OptionError(
                "expected the solution of a problem with places, as CoverageProblem.from_points "
                "makes one, got one without"
            )
        vars(self).update(
            problem=problem,
            places=problem.places,
            solution=solution,
            explanation=explanation,
            plan=plan,
        )

    @cached_property
    def times(self) -> Int64s:
        """Number of chosen sites that reach each demand point."""
        edges = positions_of(self.problem.indptr, self.solution.selected)
        counts = np.bincount(self.problem.indices[edges], minlength=len(self.places.demand))
        return counts[: len(self.places.demand)]

    @cached_property
    def covers(self) -> Floats:
        """The weight of the demand within reach of each site."""
        sums: Floats = row_sums(self.problem.indptr, self.problem.weights[self.problem.indices])
        return sums

    def _sentences(self) -> list[str]:
        return [page.headline(self.problem, self.solution), self.solution.certificate]

    def _facts(self) -> dict[str, Any]:
        return {"solution": self.solution.to_dict(), "unit": self.places.unit}

    def _columns(self) -> dict[str, Any]:
        problem, chosen = self.problem, self.solution.selected
        is_chosen = np.isin(np.arange(problem.n_sets), chosen)
        columns: dict[str, Any] = {
            "site": plain(problem.set_labels) or list(range(problem.n_sets)),
            **self._places(self.places.sites),
            "chosen": is_chosen,
            "cost": problem.costs,
            "covers": self.covers,
            "alone": gains(problem, chosen, np.arange(problem.n_sets)),
        }
        if self.explanation is not None:
            for name in ("loss_at_least", "loss_at_most"):
                columns[name] = np.full(problem.n_sets, np.nan)
                columns[name][self.explanation.sets] = getattr(self.explanation, name)
        if self.plan is not None:
            columns["phase"] = np.zeros(problem.n_sets, dtype=np.int64)
            for k, sets in enumerate(self.plan.entering, start=1):
                columns["phase"][sets] = k
        return columns

    def _places(self, xy: Any) -> dict[str, Any]:
        names = ("lon", "lat") if self.places.is_geographic else ("x", "y")
        return dict(zip(names, xy.T, strict=True))

    def demand_to_pandas(self) -> Any:
        """Return one row per demand point: its place, weight, and how many chosen sites reach it.

        `to_pandas` has one row per site: its place, cost, ``covers`` (the weight that it reaches),
        ``alone`` (the weight that no other chosen site reaches), and loss and phase if they were
        given. A ``.csv`` file that `save` writes has the rows of the chosen sites.
        """
        return notebook.to_pandas(self._demand())

    def _demand(self) -> dict[str, Any]:
        n_points = len(self.places.demand)
        labels = plain(self.problem.element_labels) or list(range(n_points))
        return {
            "demand": labels[:n_points],
            **self._places(self.places.demand),
            "weight": self.problem.weights[:n_points],
            "times": self.times,
        }

    def to_geojson(self) -> dict[str, Any]:
        """Return sites and demand as a GeoJSON FeatureCollection, in degrees (RFC 7946)."""
        features = []
        for kind, xy, columns in (
            ("site", self.places.sites, self._columns()),
            ("demand", self.places.demand, self._demand()),
        ):
            names = [name for name in columns if name not in self._places(xy)]
            rows = zip(*(plain(columns[name]) for name in names), strict=True)
            for point, row in zip(self._degrees(xy).round(7).tolist(), rows, strict=True):
                geometry = {"type": "Point", "coordinates": point}
                properties = {"kind": kind, **dict(zip(names, row, strict=True))}
                features.append({"type": "Feature", "geometry": geometry, "properties": properties})
        return {"type": "FeatureCollection", "features": features}

    def _degrees(self, xy: Any) -> Any:
        if self.places.is_geographic:
            return xy
        if self.places.crs is None:
            raise OptionError(
                "expected places in degrees or with a coordinate system, as GeoJSON has degrees, "
                "got x and y alone; save a .csv, or give a GeoDataFrame with a crs"
            )
        from pyproj import Transformer

        turn = Transformer.from_crs(self.places.crs, 4326, always_xy=True)
        return np.column_stack(turn.transform(*xy.T))

    def to_geopandas(self) -> Any:
        """Return one row per site as a GeoDataFrame, in the coordinate system of the sites."""
        geopandas = import_extra("geopandas", "a GeoDataFrame needs: pip install geopandas")
        given, is_geographic = self.places.crs, self.places.is_geographic
        own = given or (4326 if is_geographic else None)
        if given is not None and is_geographic:
            own = given.geodetic_crs
        points = geopandas.points_from_xy(*self.places.sites.T, crs=own)
        frame = geopandas.GeoDataFrame(self.to_pandas(), geometry=points)
        return frame if given is None else frame.to_crs(given)

    def plot(self) -> Any:
        """Draw the chosen sites, their radius, and demand that none, one or several of them reach.

        Returns a matplotlib figure.
        """
        sheet = Sheet(self.places)
        dots = sheet.dots(self._demand()["weight"], self.times, _MOST_DOTS)
        size = 2.0 + 40.0 * dots.weight / max(float(dots.weight.max(initial=0.0)), 1e-300)
        sites = sheet.flat(self.places.sites)
        with plots.panels(1, width=plots.TWO_COLUMNS, height=5.2) as (figure, (axes,)):
            if len(sites) - len(self.solution) <= page.MOST_FREE:
                axes.scatter(*sites.T, marker="x", s=8, lw=0.6, color=plots.GREY, label=page.FREE)
            for k, (colour, label) in enumerate(page.DEMAND):
                on = dots.covered == k
                look = {"facecolor": "none" if k == 0 else colour, "edgecolor": colour, "lw": 0.6}
                axes.scatter(*dots.xy[on].T, s=size[on], **look)
                axes.scatter([], [], s=20, **look, label=label)
            chosen = self.solution.selected
            for k in chosen.tolist():
                axes.fill(*sheet.outline(k).T, fill=False, edgecolor=plots.VERMILION, lw=0.8)
            axes.scatter(*sites[chosen].T, marker="^", s=55, color=plots.VERMILION, zorder=3,
                         edgecolor="white", linewidth=0.6, label=page.CHOSEN)  # fmt: skip
            axes.set_aspect("equal")
            axes.axis("off")
            self._draw_scale(axes, sheet)
            axes.set_title(page.headline(self.problem, self.solution))
            figure.legend(loc="outside lower center", ncols=3)
        return figure

    def _draw_scale(self, axes: Any, sheet: Sheet) -> None:
        left, right = axes.get_xlim()
        bottom = axes.get_ylim()[0]
        length = scale_bar((right - left) * sheet.unit)
        axes.plot([left, left + length / sheet.unit], [bottom, bottom], color=plots.INK, lw=1.5)
        axes.annotate(
            f"{length:g} {self.places.unit}", (left, bottom), (0, 4), textcoords="offset points"
        )

    def to_html(self) -> str:
        """Return the map as one HTML page that needs no network."""
        return page.write_page(
            self.problem,
            self.solution,
            columns=self._columns(),
            weights=self._demand()["weight"],
            times=self.times,
        )

    def _writers(self) -> dict[str, Callable[[Path], Any]]:
        return {
            ".html": lambda path: path.write_text(self.to_html(), encoding="utf-8"),
            ".geojson": lambda path: path.write_text(json.dumps(self.to_geojson())),
            **super()._writers(),
            ".csv": self._write_chosen,
        }

    def _write_chosen(self, path: Path) -> None:
        table = self.to_pandas()
        table[table.chosen].drop(columns="chosen").to_csv(path, index=False)

    def _repr_html_(self) -> str:
        inside = escape(self.to_html(), quote=True)
        return f'<iframe title="Map of the sites" style="{_FRAME}" srcdoc="{inside}"></iframe>'

    def __repr__(self) -> str:
        reached = int((self.times > 0).sum())
        return (
            f"SiteMap({len(self.solution)} of {self.problem.n_sets} sites, {reached} of "
            f"{len(self.places.demand)} demand points within reach)"
        )
