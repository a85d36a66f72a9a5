"""Page: the map as one HTML file without network; SVG, and a canvas where demand is plentiful."""

from __future__ import annotations

import json
from html import escape
from importlib import resources
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover import plots
from maxcover.core.wording import percent
from maxcover.sites.drawing import Dots, Sheet, scale_bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.sites.site_map import SiteMap

    Floats = NDArray[np.float64]

#: Demand that no, one or several chosen sites reach: told apart by shape and lightness too.
DEMAND = (
    (plots.GREY, "not reached"),
    ("#56B4E9", "reached by one"),
    ("#004B76", "reached by several"),
)
CHOSEN, FREE = "chosen site", "other site"
# Points in SVG, which a browser draws one by one; of more, a canvas.
_MOST_SVG = 3000
# Dots on a canvas; of more demand, near points are drawn as one.
_MOST_CANVAS = 50_000
#: Sites not chosen are drawn up to so many: more would hide the demand.
MOST_FREE = 500
# Width of the sheet in units of the picture, and its margin.
_WIDTH, _MARGIN = 1000.0, 30.0
# Columns of the table, and what each is called there.
_SHOWN = {
    "cost": "cost",
    "covers": "reaches",
    "alone": "alone",
    "loss_at_least": "loss at least",
    "loss_at_most": "loss at most",
    "phase": "phase",
}


def headline(sites: SiteMap) -> str:
    """Say how much the chosen sites reach."""
    total = float(sites.problem.weights.sum())
    share = f" ({percent(sites.solution.value / total)})" if total else ""
    return (
        f"{len(sites.solution):,} of {sites.problem.n_sets:,} sites reach "
        f"{sites.solution.value:,.10g} of {total:,.10g}{share}"
    )


class _Frame:
    """Where the sheet lies in the picture: y downwards, everything within the margins."""

    def __init__(self, sheet: Sheet, chosen: list[int]) -> None:
        self.sheet = sheet
        self.outlines = [sheet.outline(k) for k in chosen]
        everything = np.concatenate(
            (sheet.flat(sheet.places.sites), sheet.flat(sheet.places.demand), *self.outlines)
        )
        low, high = everything.min(axis=0), everything.max(axis=0)
        extent = np.maximum(high - low, 1e-9 * (1.0 + np.abs(high)))
        # a strip of places is given some height, or width
        self.scale = (_WIDTH - 2 * _MARGIN) / max(extent[0], extent[1] / 1.3)
        self.low, self.high = low, high
        self.height = max(float(extent[1] * self.scale), 200.0) + 2 * _MARGIN
        self.left = (_WIDTH - float(extent[0] * self.scale)) / 2.0

    def at(self, xy: Floats) -> Floats:
        return np.column_stack(
            (
                self.left + (xy[:, 0] - self.low[0]) * self.scale,
                _MARGIN + (self.high[1] - xy[:, 1]) * self.scale,
            )
        ).round(1)


def write_page(sites: SiteMap) -> str:
    """Return the page; what it shows is escaped."""
    sheet = Sheet(sites.places)
    chosen = sites.solution.selected.tolist()
    frame = _Frame(sheet, chosen)
    demand = sites._demand()
    dots = sheet.dots(demand["weight"], sites.times[: len(demand["weight"])], _MOST_CANVAS)
    is_svg = len(dots.xy) + sites.problem.n_sets <= _MOST_SVG
    columns = sites._columns()
    template = resources.files("maxcover.sites").joinpath("map.html").read_text("utf-8")
    points = _canvas_points(frame, dots, columns["chosen"], is_svg=is_svg)
    length = scale_bar((_WIDTH - 2 * _MARGIN) / frame.scale * sheet.unit)
    return Template(template).substitute(
        title=escape(headline(sites)),
        certificate=escape(sites.solution.certificate),
        height=f"{frame.height:.0f}",
        colours=json.dumps([colour for colour, _ in DEMAND]),
        points=json.dumps(points, separators=(",", ":")),
        dots=_svg_free(frame, columns) + _svg_dots(frame, dots) if is_svg else "",
        reach="".join(map(_path, map(frame.at, frame.outlines))),
        sites=_svg_sites(frame, columns, chosen),
        legend=_legend(with_free=sites.problem.n_sets - len(chosen) <= MOST_FREE),
        bar=f"{length / sheet.unit * frame.scale:.1f}",
        length=escape(f"{length:g} {sites.places.unit}".strip()),
        table=_table(columns, chosen),
    )


def _path(line: Floats) -> str:
    if not len(line):
        return ""
    return f'<path d="M{"L".join(f"{x:g} {y:g}" for x, y in line.tolist())}Z"/>'


def _sizes(dots: Dots) -> Floats:
    """Return the radius of each dot: its area grows with the weight."""
    most = float(dots.weight.max(initial=0.0)) or 1.0
    sizes: Floats = (2.0 + 9.0 * np.sqrt(dots.weight / most)).round(1)
    return sizes


def _svg_dots(frame: _Frame, dots: Dots) -> str:
    rows = zip(frame.at(dots.xy).tolist(), _sizes(dots).tolist(), dots.covered.tolist(),
               strict=True)  # fmt: skip
    return "".join(
        f'<circle class="d{k}" cx="{x:g}" cy="{y:g}" r="{r:g}"/>' for (x, y), r, k in rows
    )


def _svg_free(frame: _Frame, columns: dict[str, Any]) -> str:
    free = np.flatnonzero(~columns["chosen"])
    free = free if len(free) <= MOST_FREE else free[:0]
    at = frame.at(frame.sheet.flat(frame.sheet.places.sites[free])).tolist()
    lines = "".join(f"M{x - 3:g} {y - 3:g}l6 6m0-6l-6 6" for x, y in at)
    return f'<path class="free" d="{lines}"/>'


def _canvas_points(frame: _Frame, dots: Dots, is_chosen: Any, *, is_svg: bool) -> list[Any]:
    """Return x, y, size and state of what a canvas draws; a state of 3 is a site not chosen."""
    if is_svg:
        return []
    free = frame.at(frame.sheet.flat(frame.sheet.places.sites[~is_chosen]))
    free = free if len(free) <= MOST_FREE else free[:0]
    return [
        np.concatenate((free, frame.at(dots.xy))).tolist(),
        [2.0] * len(free) + _sizes(dots).tolist(),
        [3] * len(free) + dots.covered.tolist(),
    ]


def _facts(columns: dict[str, Any], site: int) -> dict[str, str]:
    """Return what is said of a site, by name."""
    return {
        label: f"{float(columns[name][site]):,.6g}"
        for name, label in _SHOWN.items()
        if name in columns and not np.isnan(float(columns[name][site]))
    }


def _svg_sites(frame: _Frame, columns: dict[str, Any], chosen: list[int]) -> str:
    at = frame.at(frame.sheet.flat(frame.sheet.places.sites[chosen])).tolist()
    parts = []
    for number, (site, (x, y)) in enumerate(zip(chosen, at, strict=True), start=1):
        facts = ", ".join(f"{name} {value}" for name, value in _facts(columns, site).items())
        words = escape(f"{number}. {columns['site'][site]}: {facts}", quote=True)
        parts.append(
            f'<g class="site" tabindex="0" role="button" aria-label="{words}" '
            f'transform="translate({x:g} {y:g})"><g class="mark"><path d="M0-11L10 7H-10Z"/>'
            f'<text y="4">{number}</text></g></g>'
        )
    return "".join(parts)


def _table(columns: dict[str, Any], chosen: list[int]) -> str:
    names = list(_facts(columns, chosen[0])) if chosen else []
    head = "".join(f'<th scope="col">{name}</th>' for name in ("", "site", *names))
    rows = []
    for number, site in enumerate(chosen, start=1):
        facts = _facts(columns, site)
        cells = "".join(f"<td>{facts.get(name, '')}</td>" for name in names)
        label = escape(str(columns["site"][site]))
        rows.append(f'<tr><td>{number}</td><th scope="row">{label}</th>{cells}</tr>')
    return f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"


def _legend(*, with_free: bool) -> str:
    marks = [
        *(f'<circle class="d{k}" cx="8" cy="8" r="5"/>' for k in range(3)),
        '<path class="chosen" d="M8 1L15 14H1Z"/>',
        '<path class="free" d="M4 4l8 8m0-8l-8 8"/>',
    ]
    words = (*(words for _, words in DEMAND), CHOSEN, FREE)
    return "".join(
        f'<li><svg width="16" height="16" aria-hidden="true">{mark}</svg> {said}</li>'
        for mark, said in zip(marks, words, strict=True)
        if with_free or said != FREE
    )
