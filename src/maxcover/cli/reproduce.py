"""``maxcover reproduce``: the figures of the paper, one command each."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maxcover.cli.console import Quiet, progress
from maxcover.cli.reproduce_text import fig3, fig4

if TYPE_CHECKING:
    from maxcover.reproduce.fig2_summary import Check

figures = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Make a figure of the paper from scratch."
)


@figures.callback()
def _figures() -> None:
    """Make a figure of the paper from scratch."""


figures.command()(fig3)
figures.command()(fig4)


@figures.command()
def fig2(
    quick: Annotated[
        bool, typer.Option("--quick", help="A few graphs and prices: a minute instead of an hour.")
    ] = False,
    graphs: Annotated[
        int | None, typer.Option(help="Number of random graphs; 1000, or 40 with --quick.")
    ] = None,
    exact_graphs: Annotated[
        int | None, typer.Option(help="How many of them are solved exactly; all, or 10.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the random graphs.")] = 0,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Directory for fig2.csv, .json, .png and .svg.")
    ] = Path("figures"),
    jobs: Annotated[
        int | None, typer.Option(help="Processes; the numbers do not depend on it.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Coverage of random biregular graphs against mu: BP, decimation, greedy and the optimum."""
    from maxcover import plots
    from maxcover.reproduce import fig2 as data
    from maxcover.reproduce import fig2_plot, fig2_summary

    preset = data.QUICK if quick else data.Settings()
    settings = replace(
        preset,
        graphs=preset.graphs if graphs is None else graphs,
        exact_graphs=preset.exact_graphs if exact_graphs is None else exact_graphs,
        seed=seed,
    )
    with plots.style():
        out.mkdir(
            parents=True, exist_ok=True
        )  # what cannot be drawn or written is known before the work
    with progress("random graphs", quiet=quiet) as advance:
        measured = data.collect(settings, jobs=jobs or os.cpu_count() or 1, progress=advance)
    found = fig2_summary.summary(measured, settings)
    fig2_summary.write_csv(found["rows"], out / "fig2.csv")
    fig2_summary.write_json(found, out / "fig2.json")
    fig2_plot.draw(found, out / "fig2")
    _report(fig2_summary.checks(found), out / "fig2")


def _report(checks: list[Check], stem: Path) -> None:
    """Print what was checked and where the files are; fail if a check did."""
    for check in checks:
        typer.echo(f"{'yes' if check.holds else 'NO ':3}  {check.statement}: {check.found}")
    typer.echo(f"{stem}.csv, .json, .png, .svg")
    if not all(check.holds for check in checks):
        raise typer.Exit(1)
