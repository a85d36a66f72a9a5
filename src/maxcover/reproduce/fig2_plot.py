"""Fig2 plot: Figure 2 as a picture, from the summary alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxcover import plots
from maxcover.reproduce.fig2 import CURVES, LINES

if TYPE_CHECKING:
    from pathlib import Path

_COLOURS = {
    "bp-soft": plots.BLUE,
    "bp-hard": plots.ORANGE,
    "decimation": plots.VERMILION,
    "greedy": plots.GREY,
    "g-greedy": plots.INK,
    "exact": plots.GREEN,
}
_DASHES: dict[str, Any] = {"greedy": (0, (1, 1.5)), "g-greedy": (0, (4, 2)), "exact": "solid"}
_MARKERS = {"bp-soft": "o", "bp-hard": "s", "decimation": "^"}
# Range of mu in the right panel: around the peak.
_CLOSE = (3.0, 10.0)


def draw(found: dict[str, Any], stem: Path) -> tuple[Path, Path]:
    """Draw means at all mu on the left, differences near the peak on the right; return the paths.

    On the left are means with their standard errors, as in the paper. Graphs differ among each
    other far more than methods do on one graph, so the right panel shows differences to g-greedy,
    taken graph by graph, with 95 % confidence intervals.
    """
    ratios = (1, 1.1)
    with plots.panels(2, width=plots.TWO_COLUMNS, height=3.0, width_ratios=ratios) as drawn:
        figure, (whole, close) = drawn
        _means(whole, found["rows"])
        _differences(close, found)
        for axes, title in ((whole, "a"), (close, "b")):
            axes.set_title(title)
            axes.set_xlabel(r"chemical potential $\mu$")
        whole.set_ylabel("covered weight")
        close.set_ylabel("difference to g-greedy")
        handles, labels = whole.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=6, columnspacing=1.4)
    return plots.write_figure(figure, stem)


def _means(axes: Any, rows: list[dict[str, Any]]) -> None:
    """Draw means with bands of one standard error."""
    for name, label in LINES.items():
        for row in (row for row in rows if row["curve"] == name):
            mean, error = row["mean"], row["standard_error"]
            axes.axhspan(
                mean - error, mean + error, color=_COLOURS[name], alpha=0.15, linewidth=0, zorder=1
            )
            axes.axhline(mean, label=label, **_line(name))
    for name, curve in CURVES.items():
        mine = [row for row in rows if row["curve"] == name]
        mu = [row["mu"] for row in mine]
        low = [row["mean"] - row["standard_error"] for row in mine]
        high = [row["mean"] + row["standard_error"] for row in mine]
        axes.fill_between(mu, low, high, color=_COLOURS[name], alpha=0.25, linewidth=0)
        axes.plot(mu, [row["mean"] for row in mine], label=curve.label, **_points(name, size=2.2))


def _differences(axes: Any, found: dict[str, Any]) -> None:
    """Draw paired differences to g-greedy, which is the line at zero, with 95 % intervals."""
    axes.axhline(0.0, **_line("g-greedy"))
    best = found["optimum_minus_g_greedy"]
    if best["n"] > 1:
        axes.axhspan(best["low"], best["high"], color=_COLOURS["exact"], alpha=0.15, linewidth=0)
        axes.axhline(best["difference"], **_line("exact"))
    for shift, name in zip((-0.06, 0.0, 0.06), CURVES, strict=True):
        rows = [r for r in found["minus_g_greedy"][name] if _CLOSE[0] <= r["mu"] <= _CLOSE[1]]
        middle = [row["difference"] for row in rows]
        axes.errorbar(
            [row["mu"] + shift for row in rows],  # curves are shifted, so that none hides another
            middle,
            yerr=[row["high"] - row["difference"] for row in rows],
            elinewidth=0.9,
            **_points(name, size=3.2),
        )
    axes.set_xlim(_CLOSE[0] - 0.25, _CLOSE[1] + 0.25)


def _line(name: str) -> dict[str, Any]:
    return {
        "color": _COLOURS[name],
        "linestyle": _DASHES[name],
        "linewidth": 1.1,
        "zorder": 1.5,
    }


def _points(name: str, *, size: float) -> dict[str, Any]:
    return {
        "color": _COLOURS[name],
        "marker": _MARKERS[name],
        "markersize": size,
        "markeredgewidth": 0,
        "linewidth": 1.1,
    }
