"""Page: the map as one HTML file that needs no network; demand on a canvas, sites in SVG."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
from jinja2 import StrictUndefined, Template

from maxcover import plots
from maxcover.engine.core.wording import number, percent
from maxcover.uses.sites.drawing import Dots, Sheet, scale_bar

if TYPE_CHECKING:
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Solution
    from maxcover.ground.array_types import Floats, Int64s


#: Colour and label of demand that no, one or several chosen sites reach; lightness differs too.
DEMAND = (
    (plots.GREY, "not reached"),
    ("#56B4E9", "reached by one"),
    ("#004B76", "reached by several"),
)
CHOSEN, FREE = "chosen site", "other site"
# Largest number of demand points drawn one by one; beyond it, nearby points share a dot.
_MOST_DOTS = 50_000
# Up to this many dots have full size; the size falls to half for four times as many dots.
_LARGE_DOTS = 3000
#: Sites not chosen are drawn if there are at most this many: more would hide the demand.
MOST_FREE = 500
# Width of the picture and its margin, in SVG units.
_WIDTH, _MARGIN = 1000.0, 30.0
# Columns of the table, and their titles on the page.
_SHOWN = {
    "cost": "cost",
    "covers": "reaches",
    "alone": "alone",
    "loss_at_least": "loss at least",
    "loss_at_most": "loss at most",
    "phase": "phase",
}


def headline(problem: CoverageProblem, solution: Solution) -> str:
    """Return a line about how much demand the chosen sites reach."""
    total = float(problem.weights.sum())
    share = f" ({percent(solution.value / total)})" if total else ""
    return (
        f"{len(solution):,} of {problem.n_sets:,} sites reach "
        f"{solution.value:,.10g} of {total:,.10g}{share}"
    )


class _Frame:
    """Conversion from sheet to picture coordinates: y points down, all lies within the margins."""

    def __init__(self, sheet: Sheet, chosen: list[int]) -> None:
        self.sheet = sheet
        self.outlines = [sheet.outline(k) for k in chosen]
        everything = np.concatenate(
            (sheet.flat(sheet.places.sites), sheet.flat(sheet.places.demand), *self.outlines)
        )
        low, high = everything.min(axis=0), everything.max(axis=0)
        extent = np.maximum(high - low, 1e-9 * (1.0 + np.abs(high)))
        # The height is at most 1.3 times the width, and at least 200 units.
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


def write_page(
    problem: CoverageProblem,
    solution: Solution,
    *,
    columns: dict[str, Any],
    weights: Floats,
    times: Int64s,
) -> str:
    """Return the map as an HTML page; all texts are escaped.

    `columns` has a row for each site; `weights` and `times`, how often it is reached, one number
    for each demand point.
    """
    sheet = Sheet(problem.places)
    chosen = solution.selected.tolist()
    frame = _Frame(sheet, chosen)
    dots = sheet.dots(weights, times, _MOST_DOTS)
    free = sheet.places.sites[~columns["chosen"]]
    free = free if len(free) <= MOST_FREE else free[:0]
    length = scale_bar((_WIDTH - 2 * _MARGIN) / frame.scale * sheet.unit)
    at = frame.at(sheet.flat(sheet.places.sites[chosen])).tolist()
    facts = [_facts(columns, site) for site in chosen]
    labels = [columns["site"][site] for site in chosen]
    return _template().render(
        title=headline(problem, solution),
        certificate=solution.certificate,
        height=f"{frame.height:.0f}",
        colours=[colour for colour, _ in DEMAND],
        points=json.dumps(_points(frame, dots, sheet.flat(free)), separators=(",", ":")),
        reach=[_path(frame.at(line)) for line in frame.outlines if len(line)],
        sites=[(*one, x, y) for *one, (x, y) in zip(labels, facts, at, strict=True)],
        demand=[words for _, words in DEMAND],
        chosen=CHOSEN,
        free=FREE if len(free) else "",
        bar=f"{length / sheet.unit * frame.scale:.1f}",
        length=f"{length:g} {problem.places.unit}".strip(),
        names=list(facts[0]) if facts else [],
    )


@cache
def _template() -> Template:
    text = resources.files("maxcover.uses.sites").joinpath("map.html").read_text("utf-8")
    made: Template = Template(text, autoescape=True, undefined=StrictUndefined)
    return made


def _path(line: Floats) -> str:
    return f"M{'L'.join(f'{x:g} {y:g}' for x, y in line.tolist())}Z"


def _points(frame: _Frame, dots: Dots, free: Floats) -> list[Any]:
    """Return positions, sizes and states of the canvas dots; state 3 is a site not chosen."""
    # the square root makes the area of a dot grow with its weight
    sizes = 2.0 + 9.0 * np.sqrt(dots.weight / max(float(dots.weight.max(initial=0.0)), 1e-300))
    sizes *= min(1.0, max(0.5, (_LARGE_DOTS / max(len(sizes), 1)) ** 0.5))
    return [
        frame.at(np.concatenate((free, dots.xy))).tolist(),
        [2.0] * len(free) + sizes.round(1).tolist(),
        [3] * len(free) + dots.covered.tolist(),
    ]


def _facts(columns: dict[str, Any], site: int) -> dict[str, str]:
    """Return the facts about a site as texts, by column title."""
    known = {label: columns[name][site] for name, label in _SHOWN.items() if name in columns}
    if known.get("phase") == 0:
        known["phase"] = "not in the plan"
    return {
        label: value if isinstance(value, str) else number(value)
        for label, value in known.items()
        if value == value  # noqa: PLR0124 - a loss that nobody asked for is not a number
    }
