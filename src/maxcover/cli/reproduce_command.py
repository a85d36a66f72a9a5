"""``maxcover reproduce``: the figures of the paper, one command each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import PATH, all_of, output, quiet, several
from maxcover.cli.console import progress
from maxcover.machine import available_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SHARED = all_of(
    output("Directory for the files .csv, .json, .png and .svg.", default=Path("figures")),
    click.option("--jobs", type=int, help="Number of processes; it does not change the figures."),
    quiet,
)
_OF_TEXTS = all_of(
    several(
        "--data",
        type=PATH,
        required=True,
        help="Directory of DUC 2004 as distributed, or a data set in JSON Lines; documents of "
        "further ones (DUC 2003) count for the IDF only.",
    ),
    click.option("--quick", is_flag=True, help="Ten clusters, three temperatures, half prices."),
    click.option("--budget", default=100, help="Words per summary."),
    click.option("--clusters", "most", type=int, help="Maximum number of clusters, evenly spread."),
)


@click.group
def reproduce() -> None:
    """Make a figure of the paper from scratch."""


@reproduce.command
@click.option("--quick", is_flag=True, help="A few graphs and prices: a minute instead of an hour.")
@click.option("--graphs", type=int, help="Number of random graphs; 1000, or 40 with --quick.")
@click.option(
    "--exact-graphs", type=int, help="Number of graphs to solve exactly; all, or 10 with --quick."
)
@click.option("--seed", default=0, help="Seed of the random graphs.")
@_SHARED
def fig2(quick: bool, out: Path, jobs: int | None, quiet: bool, **numbers: int | None) -> None:
    """Coverage of random biregular graphs against mu: BP, decimation, greedy and the optimum."""
    from maxcover.reproduce import fig2 as data
    from maxcover.reproduce import fig2_plot, fig2_summary

    given = {name: number for name, number in numbers.items() if number is not None}
    settings: Any = replace(data.QUICK if quick else data.GraphSettings(), **given)  # type: ignore[arg-type]
    _prepare(out)
    with progress("random graphs", quiet=quiet) as advance:
        measured = data.collect(settings, jobs=jobs or available_cores(), progress=advance)
    found = fig2_summary.summary(measured, settings)
    checks = fig2_summary.checks(found)
    _write(found, out / "fig2", fig2_plot.draw, checks)
    if not all(check.holds for check in checks):
        raise click.exceptions.Exit(1)


@reproduce.command
@_OF_TEXTS
@_SHARED
def fig3(**options: Any) -> None:
    """Covered weight and ROUGE-1 against mu, stop words removed, beta = 45."""
    _of_texts("fig3", **options)


@reproduce.command
@_OF_TEXTS
@_SHARED
def fig4(**options: Any) -> None:
    """Covered weight and ROUGE-1 against mu, stop words kept, beta = 80."""
    _of_texts("fig4", **options)


def _of_texts(
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

    sets = [load(path) for path in data]
    background = text_figures.read_background(cluster for found in sets for cluster in found)
    settings = replace(text_figures.FIGURES[figure], budget=budget)
    settings = text_figures.quick(settings) if quick else settings
    chosen = long_enough(sets[0], budget, most=10 if quick and most is None else most)
    _prepare(out)
    with progress("clusters", quiet=quiet) as advance:
        measured = text_figures.collect(
            settings, chosen, background, jobs=jobs or available_cores(), progress=advance
        )
    name = data[0].resolve().name
    found = text_summary.summary(measured, settings, name)
    _write(found, out / f"{figure}-{name}", text_plot.draw, text_summary.findings(found))


def _prepare(out: Path) -> None:
    """Make the folder; what cannot be drawn or written is known before the work."""
    from maxcover import plots

    with plots.style():
        out.mkdir(parents=True, exist_ok=True)


def _write(found: Any, stem: Path, draw: Callable[..., Any], checks: Iterable[Any]) -> None:
    """Write table, data and picture; print what was checked and where the files are."""
    from maxcover.reproduce import fig2_summary

    fig2_summary.write_csv(found["rows"], stem.with_suffix(".csv"))
    fig2_summary.write_json(found, stem.with_suffix(".json"))
    draw(found, stem)
    for check in checks:
        click.echo(f"{'yes' if check.holds else 'NO ':3}  {check.statement}: {check.found}")
    click.echo(f"{stem}.csv, .json, .png, .svg")
