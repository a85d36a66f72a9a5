"""Pictures: the figures of the paper, and the comparison of summarizers, from their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover import plots
from maxcover.lab.evaluate.peers import PEERS

if TYPE_CHECKING:
    from pathlib import Path

    from maxcover.lab.evaluate.table import ResultTable

# Label, colour, and marker or dashes of each curve and line.
_CURVES = {
    "bp-soft": ("BP (the paper)", plots.BLUE, "o"),
    "bp-hard": ("BP, hard coverage", plots.ORANGE, "s"),
    "decimation": ("BP decimation", plots.VERMILION, "^"),
}
_LINES: dict[str, tuple[str, str, Any]] = {
    "greedy": ("greedy", plots.GREY, (0, (1, 1.5))),
    "g-greedy": ("g-greedy", plots.INK, (0, (4, 2))),
    "optimum": ("proven optimum", plots.GREEN, "solid"),
    "auto": ("auto", plots.GREEN, "solid"),
}
# The lead over g-greedy, in per cent, that has the darkest colour of the map.
_FULL = 3.0
_SCORES = {"weight": "covered weight", "rouge1": "ROUGE-1 recall"}
# Range of mu in the right panel of Figure 2: around the peak.
_CLOSE = (3.0, 10.0)


def draw(found: dict[str, Any], stem: Path) -> tuple[Path, Path]:
    """Draw a figure of the paper; return the paths.

    On the left is the paper's figure; bands are 95 % intervals of the difference to g-greedy, taken
    problem by problem. On the right are the differences themselves near the peak, or the curves of
    all betas if several were measured.
    """
    scores = [score for score in _SCORES if score in found["rows"][0]]
    beta, betas = found["settings"]["beta"], found["settings"]["betas"]
    with plots.panels(
        2,
        rows=len(scores),
        width=plots.TWO_COLUMNS,
        height=1.4 + 1.6 * len(scores),
        sharey="row" if len(betas) > 1 else False,
    ) as (figure, panels):
        rows = panels if len(scores) > 1 else [panels]
        for (left, right), score in zip(rows, scores, strict=True):
            _curves(left, found, score)
            if len(betas) > 1:
                _sweep(right, found, score)
            else:
                _differences(right, found, score)
            left.set_ylabel(_SCORES[score])
        for axes in rows[-1]:
            axes.set_xlabel(r"chemical potential $\mu$")
        left, right = rows[0]
        left.set_title(rf"a   {found['data']}   $\beta$ = {beta:g}")
        right.set_title("b   " + (r"BP (the paper), every $\beta$" if len(betas) > 1 else ""))
        if len(betas) > 1:
            figure.legend(*right.get_legend_handles_labels(), loc="outside right center")
        handles, labels = left.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=6, columnspacing=1.4)
    return plots.write_figure(figure, stem)


def _rows(found: dict[str, Any], curve: str, beta: float | None) -> list[dict[str, Any]]:
    return [row for row in found["rows"] if row["curve"] == curve and row["beta"] == beta]


def _curves(axes: Any, found: dict[str, Any], score: str) -> None:
    """Draw the curves at the paper's beta, and the lines."""
    base = _rows(found, "g-greedy", None)[0][score]
    for name in found["settings"]["curves"]:
        label, colour, marker = _CURVES[name]
        mine = _rows(found, name, found["settings"]["beta"])
        mu = [row["mu"] for row in mine]
        low = [base + row[f"{score}_low"] for row in mine]
        high = [base + row[f"{score}_high"] for row in mine]
        axes.fill_between(mu, low, high, color=colour, alpha=0.2, linewidth=0)
        style = {"color": colour, "marker": marker, "markersize": 2.4, "linewidth": 1.1}
        axes.plot(mu, [row[score] for row in mine], label=label, **style)
    _lines(axes, found, score)


def _sweep(axes: Any, found: dict[str, Any], score: str) -> None:
    """Draw the paper's curve at every beta, from light (smallest beta) to dark (largest)."""
    from matplotlib import colormaps

    betas = found["settings"]["betas"]
    shades = colormaps["Blues"]
    for k, beta in enumerate(betas):
        mine = _rows(found, "bp-soft", beta)
        axes.plot(
            [row["mu"] for row in mine],
            [row[score] for row in mine],
            color=shades(0.25 + 0.75 * k / (len(betas) - 1)),
            linewidth=2.0 if beta == found["settings"]["beta"] else 1.0,
            label=rf"$\beta$ = {beta:g}",
        )


def _differences(axes: Any, found: dict[str, Any], score: str) -> None:
    """Draw differences to g-greedy near the peak, with 95 % intervals; g-greedy is at zero."""
    _lines(axes, found, f"{score}_minus_g_greedy", names=("g-greedy", "optimum"))
    for shift, name in zip((-0.06, 0.0, 0.06), found["settings"]["curves"], strict=True):
        _, colour, marker = _CURVES[name]
        mine = _rows(found, name, found["settings"]["beta"])
        rows = [row for row in mine if _CLOSE[0] <= row["mu"] <= _CLOSE[1]]
        middle = [row[f"{score}_minus_g_greedy"] for row in rows]
        axes.errorbar(
            [row["mu"] + shift for row in rows],  # curves are shifted, so that none hides another
            middle,
            yerr=[row[f"{score}_high"] - m for row, m in zip(rows, middle, strict=True)],
            color=colour,
            marker=marker,
            markersize=3.2,
            linewidth=1.1,
            elinewidth=0.9,
        )
    axes.set_ylabel("difference to g-greedy")


def _lines(axes: Any, found: dict[str, Any], column: str, names: tuple[str, ...] = ()) -> None:
    for name in names or found["settings"]["lines"]:
        label, colour, dashes = _LINES[name]
        height = _rows(found, name, None)[0][column]
        axes.axhline(height, color=colour, linestyle=dashes, linewidth=1.0, zorder=1, label=label)


#: The panels of the map: the method, and its title.
_MAPPED = {
    "matched": "BP, matched price",
    "bp": "BP, nine prices",
    "decimation": "BP decimation",
    "auto": "auto",
}


def draw_map(rows: list[dict[str, Any]], stem: Path) -> tuple[Path, Path]:
    """Draw the map of `when`: the lead of each method over g-greedy, by ensemble and budget.

    Blue is more, orange is less; a cell whose interval holds 0 is white, with its number in grey;
    a cell that was not measured is crossed out.
    """
    from matplotlib.colors import LinearSegmentedColormap

    questions = list(dict.fromkeys(row["question"] for row in rows))
    names = list(dict.fromkeys((row["question"], row["ensemble"]) for row in rows))
    names.sort(key=lambda name: questions.index(name[0]))
    shares = sorted({row["share"] for row in rows})
    colours = LinearSegmentedColormap.from_list("lead", [plots.ORANGE, "white", plots.BLUE])
    height = 1.2 + 0.21 * len(names)
    with plots.panels(len(_MAPPED), width=plots.TWO_COLUMNS, height=height, sharey=True) as drawn:
        figure, axes_of = drawn
        for axes, (method, title) in zip(axes_of, _MAPPED.items(), strict=True):
            for row in rows:
                mean, low, high = row["leads"][method]
                sure = low > 0 or high < 0
                x = shares.index(row["share"])
                y = names.index((row["question"], row["ensemble"]))
                shade = colours(0.5 + 0.5 * max(-1.0, min(1.0, mean / _FULL))) if sure else "white"
                axes.fill_between([x - 0.5, x + 0.5], y - 0.5, y + 0.5, color=shade, linewidth=0)
                ink = plots.INK if sure else plots.GREY
                axes.text(x, y, f"{mean:+.1f}", ha="center", va="center", fontsize=6, color=ink)
            measured = {(names.index((r["question"], r["ensemble"])), r["share"]) for r in rows}
            for y, x in np.ndindex(len(names), len(shares)):
                if (y, shares[x]) not in measured:
                    axes.text(x, y, "x", ha="center", va="center", fontsize=6, color=plots.GREY)
            axes.set_xticks(range(len(shares)), [f"{100 * share:g}" for share in shares])
            axes.set_xlim(-0.5, len(shares) - 0.5)
            axes.set_ylim(len(names) - 0.5, -0.5)
            axes.set_title(title)
            axes.set_xlabel("budget, % of all costs")
        axes_of[0].set_yticks(range(len(names)), [f"{ask}: {name}" for ask, name in names])
        figure.suptitle(
            "Per cent more weight than g-greedy (grey: not settled, x: not measured)", fontsize=8
        )
    return plots.write_figure(figure, stem)


def draw_comparison(table: ResultTable, stem: Path) -> tuple[Path, Path]:
    """Draw ROUGE-1 of each method on the left, and the first method's lead over it on the right.

    Bars are 95 % intervals; other packages' methods are orange. The oracle, which has seen the
    references, is left out: it would squeeze everything else.
    """
    rows = [row for row in reversed(table.rows) if row[0] != "oracle"]
    height = 0.6 + 0.2 * len(rows)
    with plots.panels(2, width=plots.TWO_COLUMNS, height=height, sharey=True) as drawn:
        figure, (means, differences) = drawn
        for axes, column in ((means, 2), (differences, 3)):
            for place, row in enumerate(rows):
                if row[column] is None:
                    continue
                mean, low, high = row[column]
                colour = plots.ORANGE if row[0] in PEERS else plots.BLUE
                axes.plot([low, high], [place, place], color=colour)
                axes.plot(mean, place, "o", color=colour)
        means.set_yticks(range(len(rows)), [row[0] for row in rows])
        means.set_xlabel("ROUGE-1 recall, mean of the data sets")
        differences.axvline(0.0, color=plots.GREY, linewidth=0.7)
        differences.set_xlabel(table.columns[3])
    return plots.write_figure(figure, stem)
