"""``maxcover reproduce``: the figures of the paper, one command each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import PATH, all_of, output, quiet, several
from maxcover.cli.console import progress
from maxcover.ground.machine import available_cores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.lab.reproduce.figures import ClusterTask, FigureSettings, GraphTask, Statement


def _physics(settings: FigureSettings, beta: float | None, damping: float | None) -> FigureSettings:
    """Return the settings with another temperature and damping, if they are given."""
    if damping is not None:
        settings = replace(settings, damping=damping)
    if beta is None:
        return settings
    betas = tuple(sorted({*settings.betas, beta})) if len(settings.betas) > 1 else (beta,)
    return replace(settings, beta=beta, betas=betas)


physics = all_of(
    click.option("--beta", type=float, help="Inverse temperature; by default the paper's."),
    click.option("--damping", type=float, help="Share of the old messages that stays; 0.3."),
)
common = all_of(
    output("Directory for the files .csv, .json, .png and .svg.", default=Path("figures")),
    click.option("--jobs", type=int, help="Number of processes; it does not change the figures."),
    quiet,
)


@click.group
def reproduce() -> None:
    """Make a figure of the paper from scratch."""


@reproduce.command
@click.option("--quick", is_flag=True, help="A few graphs and prices: a minute instead of an hour.")
@click.option("--graphs", type=int, help="Number of random graphs; 1000, or 40 with --quick.")
@click.option("--seed", default=0, help="Seed of the random graphs.")
@click.option("--sets", type=int, default=100, help="Number of sets of a graph.")
@click.option(
    "--degrees", type=int, nargs=2, default=(9, 3), help="Elements of a set, sets of an element."
)
@click.option("--budget", default=100, help="Budget of a graph.")
@physics
@common
def fig2(
    quick: bool,
    graphs: int | None,
    beta: float | None,
    damping: float | None,
    seed: int,
    sets: int,
    degrees: tuple[int, int],
    budget: int,
    **options: Any,
) -> None:
    """Coverage of random biregular graphs against mu: BP, decimation, greedy and the optimum."""
    from maxcover.lab.reproduce import figures

    settings = replace(
        figures.FIGURES["fig2"], seed=seed, sets=sets, degrees=degrees, budget=budget
    )
    settings = _physics(settings, beta, damping)
    if quick:
        settings = replace(settings, mus=figures.QUICK_MUS)
    tasks = figures.graph_tasks(settings, graphs or (40 if quick else 1000))
    found = _make(settings, tasks, "random graphs", "", **options)
    if not all(one.holds for one in found):
        raise click.exceptions.Exit(1)


def _of_texts(figure: str, line: str) -> None:
    """Add the command of Figure 3 or 4; both have the same options."""

    @reproduce.command(figure, help=line)
    @several(
        "--data",
        type=PATH,
        help="Directory of DUC 2004 as distributed, or a data set in JSON Lines; documents of "
        "further ones (DUC 2003) count for the IDF only. Default: 20 invented clusters.",
    )
    @click.option(
        "--quick", is_flag=True, help="Ten clusters, three temperatures, half the prices."
    )
    @click.option("--budget", default=100, help="Words per summary.")
    @click.option("--clusters", "most", type=int, help="Maximum number of clusters, evenly spread.")
    @click.option(
        "--stop-words", type=PATH, help="File of stop words, such as NLTK's; by default our own."
    )
    @physics
    @common
    def command(
        data: tuple[Path, ...],
        quick: bool,
        budget: int,
        most: int | None,
        stop_words: Path | None,
        beta: float | None,
        damping: float | None,
        **options: Any,
    ) -> None:
        from maxcover.lab.evaluate import load, long_enough
        from maxcover.lab.evaluate.sample import invented
        from maxcover.lab.reproduce import figures

        settings = replace(figures.FIGURES[figure], budget=budget)
        if quick:
            betas = tuple(sorted({10.0, settings.beta, 100.0}))
            settings = replace(settings, betas=betas, mus=settings.mus[::2])
        settings = _physics(settings, beta, damping)
        if stop_words is not None:
            words = frozenset(stop_words.read_text("utf-8").split())
            settings = replace(settings, stop_words=words)
        sets = [load(path) for path in data] or [invented()]
        chosen = long_enough(sets[0], budget, most=10 if quick and most is None else most)
        everything = (cluster for clusters in sets for cluster in clusters)
        tasks = figures.cluster_tasks(settings, chosen, everything)
        name = data[0].resolve().name if data else "invented"
        _make(settings, tasks, "clusters", name, **options)


_of_texts("fig3", "Covered weight and ROUGE-1 against mu, stop words removed, beta = 45.")
_of_texts("fig4", "Covered weight and ROUGE-1 against mu, stop words kept, beta = 80.")


@reproduce.command
@click.option("--quick", is_flag=True, help="Four ensembles and 20 graphs each: two minutes.")
@click.option("--graphs", type=int, help="Number of graphs per cell; 200, or 40 from N = 1,000.")
@several("--cell", "names", metavar="TEXT", help="Only cells whose name holds this text.")
@common
def when(
    quick: bool,
    graphs: int | None,
    names: tuple[str, ...],
    out: Path,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Where belief propagation covers more than g-greedy: a map of ensembles and budgets.

    The file when.jsonl in the directory keeps what is measured; a second run goes on from there.
    """
    from maxcover import plots
    from maxcover.lab.reproduce import pictures
    from maxcover.lab.reproduce import when as map_of

    with plots.style():
        out.mkdir(parents=True, exist_ok=True)
    asked = map_of.cells(quick=quick, graphs=graphs)
    asked = [cell for cell in asked if not names or any(text in cell.name for text in names)]
    stem = out / ("when-quick" if quick else "when")
    kept = stem.with_suffix(".jsonl")
    with progress("graphs", quiet=quiet) as advance:
        for row in map_of.measure_cells(
            asked, path=kept, jobs=jobs or available_cores(), progress=advance
        ):
            click.echo(map_of.sentence(row))
    pictures.draw_map(map_of.read_rows(kept), stem)
    click.echo(f"{kept}, {stem}.png, .svg")


def _make(
    settings: FigureSettings,
    tasks: Sequence[GraphTask] | Sequence[ClusterTask],
    what: str,
    data: str,
    *,
    out: Path,
    jobs: int | None,
    quiet: bool,
) -> list[Statement]:
    """Measure, write the files, and print which statements hold; return the statements."""
    from maxcover import plots
    from maxcover.lab.reproduce import figures, pictures

    with plots.style():  # fails here if there is no matplotlib, not after an hour
        out.mkdir(parents=True, exist_ok=True)
    with progress(what, quiet=quiet) as advance:
        measured = figures.collect(tasks, jobs=jobs or available_cores(), progress=advance)
    found = figures.summary(measured, settings, data)
    name = f"{settings.figure}-{data}" if data else settings.figure
    figures.write_numbers(found, out / name)
    pictures.draw(found, out / name)
    checked = figures.statements(found)
    for one in checked:
        click.echo(f"{'yes' if one.holds else 'no '}  {one.statement}: {one.found}")
    click.echo(f"{out / name}.csv, .json, .png, .svg")
    return checked
