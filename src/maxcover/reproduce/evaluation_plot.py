"""Evaluation plot: the comparison of summarizers as a picture, from its table alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxcover import plots
from maxcover.evaluate.methods import SUMMARIZERS

if TYPE_CHECKING:
    from pathlib import Path

    from maxcover.evaluate.table import ResultTable


def draw(table: ResultTable, stem: Path) -> tuple[Path, Path]:
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
                known = SUMMARIZERS.get(row[0])
                colour = plots.ORANGE if known and known.package else plots.BLUE
                axes.plot([low, high], [place, place], color=colour)
                axes.plot(mean, place, "o", color=colour)
        means.set_yticks(range(len(rows)), [row[0] for row in rows])
        means.set_xlabel("ROUGE-1 recall, mean of the data sets")
        differences.axvline(0.0, color=plots.GREY, linewidth=0.7)
        differences.set_xlabel(table.columns[3])
    return plots.write_figure(figure, stem)
