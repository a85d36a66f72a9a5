"""``maxcover evaluate``: summarizers side by side on data sets with reference summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import PATH, argument, output, quiet
from maxcover.cli.console import progress
from maxcover.errors import OptionError
from maxcover.ground.machine import available_cores

if TYPE_CHECKING:
    from pathlib import Path

    from maxcover.lab.evaluate.harness import EvaluationTask

# Warn if more than this share of the letters in English references are not a-z.
NOTICEABLE = 0.005


@click.command
@argument(
    "data",
    "Data sets: directories with clusters.jsonl, JSON Lines, DUC trees.",
    type=PATH,
    nargs=-1,
    required=True,
)
@click.option("--budget", "-b", default=100, help="Words per summary.")
@click.option(
    "--methods",
    "-m",
    default="default,paper,g-greedy,lead",
    help="Method names separated by commas, or 'all'.",
)
@click.option(
    "--clusters",
    "most_clusters",
    type=int,
    help="Maximum number of clusters per data set, evenly spread.",
)
@click.option(
    "--language",
    "-l",
    default="english",
    help="Language of the data; other than English uses a Unicode ROUGE.",
)
@click.option("--half", help='Use only clusters marked "development" or "confirmation".')
@click.option("--seed", default=0, help="Random seed.")
@output(
    "File for every score of every cluster; those it holds are not measured again.",
    endings=(".json",),
)
@click.option("--plot", type=PATH, help="Draw the comparison to this file name without ending.")
@click.option("--jobs", default=1, help="Number of processes; it does not change scores.")
@quiet
def evaluate(
    data: tuple[Path, ...],
    budget: int,
    methods: str,
    out: Path | None,
    plot: Path | None,
    jobs: int,
    quiet: bool,
    **options: Any,
) -> None:
    """Compare summarizers by ROUGE.

    Prints a table in Markdown, and one for each data set if there are several. Only clusters at
    least three times as long as the budget are used. The first method is compared with each of the
    others, cluster by cluster.
    """
    from maxcover.lab.evaluate import harness
    from maxcover.lab.evaluate.methods import SUMMARIZERS
    from maxcover.lab.evaluate.table import by_set, compare, to_markdown

    names = list(SUMMARIZERS) if methods == "all" else _split(methods)
    tasks = [
        task
        for path in data
        for task in harness.plan(path, methods=names, budget=budget, **options)
    ]
    _warn_of_letters(tasks)
    with progress("summaries", quiet=quiet) as advance:
        results = harness.evaluate(
            tasks, scores=out, jobs=jobs or available_cores(), progress=advance
        )
    table = compare(results, first=names[0], seed=options["seed"])
    click.echo(to_markdown(table))
    sets = by_set(results)
    for name, mine in sets.items() if len(sets) > 1 else ():
        own = compare(mine, first=names[0], seed=options["seed"])
        click.echo(f"{name}\n\n{to_markdown(own)}")
    if plot is not None:
        from maxcover.lab.reproduce.pictures import draw_comparison

        draw_comparison(table, plot)


def _warn_of_letters(tasks: list[EvaluationTask]) -> None:
    """Warn if many letters of English references are not a-z: ROUGE cuts words at them."""
    from maxcover.lab.evaluate.rouge import beyond_ascii
    from maxcover.texts.words.languages import find_language

    english = (task for task in tasks if find_language(task.language).code == "en")
    share = beyond_ascii({text for task in english for text in task.cluster.references})
    if share > NOTICEABLE:
        click.echo(
            f"maxcover: {share:.1%} of the letters of the references are not a-z, where the ROUGE "
            "of the literature cuts words; --language counts words of any script",
            err=True,
        )


def _split(methods: str) -> list[str]:
    """Split names of methods at commas; drop repeated names."""
    names = list(dict.fromkeys(name.strip() for name in methods.split(",") if name.strip()))
    if not names:
        raise OptionError("expected --methods to name at least one method, got none")
    return names
