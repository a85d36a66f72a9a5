"""``maxcover reproduce``: the figures of the paper, one command each."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import PATH, output, quiet, several
from maxcover.cli.console import progress
from maxcover.machine import available_cores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maxcover.reproduce.statement import Statement


jobs = click.option("--jobs", type=int, help="Number of processes; it does not change the figures.")


def _command(figure: str, line: str) -> click.Command:
    """Make the command of a figure; the commands of both figures have the same options."""

    @click.command(figure, help=line)
    @several(
        "--data",
        type=PATH,
        required=True,
        help="Directory of DUC 2004 as distributed, or a data set in JSON Lines; documents of "
        "further ones (DUC 2003) count for the IDF only.",
    )
    @click.option(
        "--quick", is_flag=True, help="Ten clusters, three temperatures, half the prices."
    )
    @click.option("--budget", default=100, help="Words per summary.")
    @click.option("--clusters", "most", type=int, help="Maximum number of clusters, evenly spread.")
    @output("Directory for the files .csv, .json, .png and .svg.", default=Path("figures"))
    @jobs
    @quiet
    def command(**options: Any) -> None:
        _make(figure, **options)

    return command


fig3 = _command("fig3", "Covered weight and ROUGE-1 against mu, stop words removed, beta = 45.")
fig4 = _command("fig4", "Covered weight and ROUGE-1 against mu, stop words kept, beta = 80.")


def _make(
    figure: str,
    *,
    data: tuple[Path, ...],
    quick: bool,
    budget: int,
    most: int | None,
    out: Path,
    jobs: int | None,
    quiet: bool,
) -> None:
    from maxcover.evaluate import load, long_enough
    from maxcover.reproduce import text_figures, text_plot, text_summary
    from maxcover.reproduce.statement import write_figure_files

    sets = [load(path) for path in data]
    background = text_figures.read_background(cluster for found in sets for cluster in found)
    settings = replace(text_figures.FIGURES[figure], budget=budget)
    settings = text_figures.quick(settings) if quick else settings
    chosen = long_enough(sets[0], budget, most=10 if quick and most is None else most)
    name = data[0].resolve().name
    with (
        figure_files(out, f"{figure}-{name}") as stem,
        progress("clusters", quiet=quiet) as advance,
    ):
        measured = text_figures.collect(
            settings, chosen, background, jobs=jobs or available_cores(), progress=advance
        )
    found = text_summary.summary(measured, settings, name)
    write_figure_files(found, stem, text_plot.draw)
    report(text_summary.findings(found), stem, must=False)


@contextmanager
def figure_files(folder: Path, name: str) -> Iterator[Path]:
    """Check that a figure can be drawn and saved; yield the path of its files without ending."""
    from maxcover import plots

    with plots.style():
        folder.mkdir(parents=True, exist_ok=True)
    yield folder / name


def report(statements: list[Statement], stem: Path, *, must: bool) -> None:
    """Print which statements hold, and the files; if `must`, exit with 1 unless all hold."""
    for one in statements:
        click.echo(
            f"{'yes' if one.holds else 'NO ' if must else 'no '}  {one.statement}: {one.found}"
        )
    click.echo(f"{stem}.csv, .json, .png, .svg")
    if must and not all(one.holds for one in statements):
        raise click.exceptions.Exit(1)


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
