"""Picture: where a summary comes from, as a figure. Needs the extra ``[plots]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxcover.plots import TWO_COLUMNS, VERMILION, panels

if TYPE_CHECKING:
    from maxcover.texts.summary.summary import Summary


def plot_summary(summary: Summary) -> Any:
    """Draw where a summary comes from and how much of every sentence it covers.

    One row per document, one cell per sentence, as wide as it is long; darker where the summary
    covers more of its weight. The chosen sentences are framed. The first thirty documents are
    drawn.

    Examples
    --------
    >>> from maxcover import summarize
    >>> figure = plot_summary(summarize("Cats purr. Dogs bark at cats.", budget=4))
    """
    corpus, problem = summary.corpus, summary.problem
    chosen = {sentence.index for sentence in summary.sentences}
    covered = problem.covered(sorted(chosen))
    rows = min(summary.n_documents, 30)
    with panels(1, width=TWO_COLUMNS, height=0.9 + 0.28 * rows) as (figure, (axes,)):
        from matplotlib import colormaps
        from matplotlib.cm import ScalarMappable

        shades = colormaps["Greys"]
        for index, sentence in enumerate(corpus):
            if sentence.document >= rows:
                continue
            elements = problem.elements_at(index)
            weights = problem.weights[elements]
            share = float(weights[covered[elements]].sum() / max(weights.sum(), 1e-300))
            axes.broken_barh(
                [(sentence.start, sentence.end - sentence.start)],
                (sentence.document - 0.36, 0.72),
                facecolor=shades(0.05 + 0.7 * share),
                edgecolor=VERMILION if index in chosen else "white",
                linewidth=1.8 if index in chosen else 0.6,
                zorder=3 if index in chosen else 2,
            )
        axes.set_ylim(rows - 0.4, -0.6)
        axes.set_yticks(range(rows), [f"document {k + 1}" for k in range(rows)])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlim(left=0)
        axes.set_xlabel("characters; sentences of the summary are framed")
        scale = ScalarMappable(cmap=shades.resampled(256))
        scale.set_clim(-0.05 / 0.7, 0.95 / 0.7)
        bar = figure.colorbar(
            scale, ax=axes, ticks=[0, 0.5, 1], boundaries=[k / 50 for k in range(51)], pad=0.02
        )
        bar.ax.set_yticklabels(["0 %", "50 %", "100 %"])
        bar.set_label("weight covered")
        bar.outline.set_visible(False)
    return figure
