"""``maxcover reproduce``: the figures of the paper, one command each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from maxcover.cli.choices import output, quiet
from maxcover.cli.console import progress
from maxcover.cli.reproduce_text import fig3, fig4, figure_files, jobs, report
from maxcover.machine import available_cores


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
    from maxcover.reproduce import fig2 as data
    from maxcover.reproduce import fig2_plot, fig2_summary
    from maxcover.reproduce.statement import write_figure_files

    preset = data.QUICK if quick else data.GraphSettings()
    settings = replace(
        preset,
        graphs=preset.graphs if graphs is None else graphs,
        exact_graphs=preset.exact_graphs if exact_graphs is None else exact_graphs,
        seed=seed,
    )
    with figure_files(out, "fig2") as stem, progress("random graphs", quiet=quiet) as advance:
        measured = data.collect(settings, jobs=jobs or available_cores(), progress=advance)
    found = fig2_summary.summary(measured, settings)
    write_figure_files(found, stem, fig2_plot.draw)
    report(fig2_summary.checks(found), stem, must=True)
