"""Text plot: Figures 3 and 4 as a picture, from the summary alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxcover import plots

if TYPE_CHECKING:
    from pathlib import Path

_CURVES = {
    "bp-soft": ("BP (the paper)", plots.BLUE, "o"),
    "bp-hard": ("BP, hard coverage", plots.ORANGE, "s"),
}
_LINES: dict[str, tuple[str, str, Any]] = {
    "g-greedy": ("g-greedy", plots.INK, (0, (4, 2))),
    "auto": ("auto", plots.GREEN, "solid"),
}
_SCORES = {"weight": "covered weight", "rouge1": "ROUGE-1 recall"}
# Largest mu that is drawn; the curves are flat beyond it.
_MOST_MU = 0.06


def draw(found: dict[str, Any], stem: Path) -> tuple[Path, Path]:
    """Draw the paper's two panels on the left, and the curves of all betas on the right."""
    with plots.panels(
        2, rows=2, width=plots.TWO_COLUMNS, height=4.6, sharex=True, sharey="row"
    ) as (figure, panels):
        for (left, right), (score, label) in zip(panels, _SCORES.items(), strict=True):
            _figure(left, found, score)
            _sweep(right, found, score)
            left.set_ylabel(label)
        for axes in panels[1]:
            axes.set_xlabel(r"chemical potential $\mu$")
            axes.set_xlim(0, _MOST_MU)
        beta = found["settings"]["beta"]
        panels[0, 0].set_title(rf"a   {found['data']}, $\beta$ = {beta:g}")
        panels[0, 1].set_title(r"b   BP (the paper), every $\beta$")
        handles, labels = panels[1, 1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right center", title=r"$\beta$")
        handles, labels = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return plots.write_figure(figure, stem)


def _rows(found: dict[str, Any], curve: str, beta: float | None) -> list[dict[str, Any]]:
    return [row for row in found["rows"] if row["curve"] == curve and row["beta"] == beta]


def _figure(axes: Any, found: dict[str, Any], score: str) -> None:
    """Draw both curves at the paper's beta; bands are intervals of the difference to g-greedy."""
    base = _rows(found, "g-greedy", None)[0][score]
    for name, (label, colour, marker) in _CURVES.items():
        mine = _rows(found, name, found["settings"]["beta"])
        mu = [row["mu"] for row in mine]
        low = [base + row[f"{score}_low"] for row in mine]
        high = [base + row[f"{score}_high"] for row in mine]
        axes.fill_between(mu, low, high, color=colour, alpha=0.2, linewidth=0)
        axes.plot(mu, [row[score] for row in mine], color=colour, marker=marker, label=label)
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
            color=shades(0.25 + 0.75 * k / max(len(betas) - 1, 1)),
            linewidth=2.0 if beta == found["settings"]["beta"] else 1.0,
            label=f"{beta:g}",
        )
    _lines(axes, found, score, labelled=False)


def _lines(axes: Any, found: dict[str, Any], score: str, *, labelled: bool = True) -> None:
    for name, (label, colour, dashes) in _LINES.items():
        row = _rows(found, name, None)[0]
        axes.axhline(
            row[score],
            color=colour,
            linestyle=dashes,
            linewidth=1.0,
            zorder=1,
            label=label if labelled else None,
        )
