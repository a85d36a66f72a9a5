"""``maxcover reproduce fig3`` and ``fig4``: the summaries of the paper, on any data set."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from maxcover.cli.console import Quiet, progress

Data = Annotated[
    list[Path],
    typer.Option(
        help="Directory of DUC 2004 as distributed, or a data set in JSON Lines; documents of "
        "further ones (DUC 2003) count for the IDF only."
    ),
]
Fast = Annotated[
    bool, typer.Option("--quick", help="Ten clusters, three temperatures, half the prices.")
]
Budget = Annotated[int, typer.Option(help="Words of a summary.")]
Clusters = Annotated[
    int | None, typer.Option(help="Most clusters, evenly spread; all if not given.")
]
Out = Annotated[
    Path, typer.Option("--out", "-o", help="Directory for the files .csv, .json, .png and .svg.")
]
Jobs = Annotated[int | None, typer.Option(help="Processes; the numbers do not depend on it.")]


def fig3(
    data: Data,
    quick: Fast = False,
    budget: Budget = 100,
    clusters: Clusters = None,
    out: Out = Path("figures"),
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Covered weight and ROUGE-1 against mu, stop words removed, beta = 45."""
    _make("fig3", data, quick=quick, budget=budget, most=clusters, out=out, jobs=jobs, quiet=quiet)


def fig4(
    data: Data,
    quick: Fast = False,
    budget: Budget = 100,
    clusters: Clusters = None,
    out: Out = Path("figures"),
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Covered weight and ROUGE-1 against mu, stop words kept, beta = 80."""
    _make("fig4", data, quick=quick, budget=budget, most=clusters, out=out, jobs=jobs, quiet=quiet)


def _make(
    figure: str,
    data: list[Path],
    *,
    quick: bool,
    budget: int,
    most: int | None,
    out: Path,
    jobs: int | None,
    quiet: bool,
) -> None:
    from maxcover import plots
    from maxcover.evaluate import load, long_enough
    from maxcover.reproduce import fig2_summary, text_figures, text_plot, text_summary

    sets = [load(path) for path in data]
    background = text_figures.read_background(cluster for found in sets for cluster in found)
    settings = replace(text_figures.FIGURES[figure], budget=budget)
    settings = text_figures.quick(settings) if quick else settings
    chosen = long_enough(sets[0], budget, most=10 if quick and most is None else most)
    with plots.style():
        out.mkdir(parents=True, exist_ok=True)  # what cannot be drawn is known before the work
    with progress("clusters", quiet=quiet) as advance:
        measured = text_figures.collect(
            settings, chosen, background, jobs=jobs or os.cpu_count() or 1, progress=advance
        )
    name = data[0].resolve().name
    found = text_summary.summary(measured, settings, name)
    stem = out / f"{figure}-{name}"
    fig2_summary.write_csv(found["rows"], stem.with_suffix(".csv"))
    fig2_summary.write_json(found, stem.with_suffix(".json"))
    text_plot.draw(found, stem)
    for finding in text_summary.findings(found):
        verdict = "yes" if finding.holds else "no "
        typer.echo(f"{verdict}  {finding.statement}: {finding.found}")
    typer.echo(f"{stem}.csv, .json, .png, .svg")
