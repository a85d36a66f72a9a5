"""``maxcover reproduce``: the figures of the paper, one command each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from maxcover.cli.choices import output, quiet
from maxcover.cli.console import progress
from maxcover.cli.reproduce_text import fig3, fig4, jobs
from maxcover.machine import available_cores

if TYPE_CHECKING:
    from maxcover.reproduce.fig2_summary import Check


@click.group
def reproduce() -> None:
    """Make a figure of the paper from scratch."""


reproduce.add_command(fig3)
reproduce.add_command(fig4)


@reproduce.command
@click.option("--quick", is_flag=True, help="A few graphs and prices: a minute instead of an hour.")
@click.option("--graphs", type=int, help="Number of random graphs; 1000, or 40 with --quick.")
@click.option(
    "--exact-graphs", type=int, help="Number of graphs to solve exactly; all, or 10 with --quick."
)
@click.option("--seed", default=0, help="Seed of the random graphs.")
@output("Directory for fig2.csv, .json, .png and .svg.", default=Path("figures"))
@jobs
@quiet
def fig2(
    quick: bool,
    graphs: int | None,
    exact_graphs: int | None,
    seed: int,
    out: Path,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Coverage of random biregular graphs against mu: BP, decimation, greedy and the optimum."""
    from maxcover import plots
    from maxcover.reproduce import fig2 as data
    from maxcover.reproduce import fig2_plot, fig2_summary

    preset = data.QUICK if quick else data.GraphSettings()
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
        measured = data.collect(settings, jobs=jobs or available_cores(), progress=advance)
    found = fig2_summary.summary(measured, settings)
    fig2_summary.write_csv(found["rows"], out / "fig2.csv")
    fig2_summary.write_json(found, out / "fig2.json")
    fig2_plot.draw(found, out / "fig2")
    _report(fig2_summary.checks(found), out / "fig2")


def _report(checks: list[Check], stem: Path) -> None:
    """Print what was checked and where the files are; fail if a check did."""
    for check in checks:
        click.echo(f"{'yes' if check.holds else 'NO ':3}  {check.statement}: {check.found}")
    click.echo(f"{stem}.csv, .json, .png, .svg")
    if not all(check.holds for check in checks):
        raise click.exceptions.Exit(1)
