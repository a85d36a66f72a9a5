"""``maxcover evaluate``: summarizers side by side on data sets with reference summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import PATH, argument, form, output, quiet, several
from maxcover.cli.console import progress
from maxcover.errors import OptionError
from maxcover.machine import available_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from maxcover.evaluate.harness import EvaluationTask
    from maxcover.evaluate.table import ResultTable

NOTICEABLE = 0.005
"""Warn if more than this share of the letters in English references are not a-z."""

FORMATS = ("table", "markdown", "csv", "json")


@click.command
@argument(
    "data",
    "Data sets: directories with clusters.jsonl, JSON Lines, DUC trees.",
    type=PATH,
    nargs=-1,
    required=True,
)
@click.option("--budget", "-b", default=100, help="Words per summary.")
@several("--budget-of", help="Other budget for one data set, NAME=WORDS. May be repeated.")
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
@form(FORMATS, default="table", help="Output format.")
@output("File for every score of every cluster: .json.", endings=(".json",))
@click.option("--resume", type=PATH, help="Reuse the scores in this file, written by --output.")
@click.option("--plot", type=PATH, help="Draw the comparison to this file name without ending.")
@click.option("--jobs", default=1, help="Number of processes; it does not change scores.")
@quiet
def evaluate(
    data: tuple[Path, ...],
    budget: int,
    budget_of: tuple[str, ...],
    methods: str,
    form: str,
    out: Path | None,
    resume: Path | None,
    plot: Path | None,
    jobs: int,
    quiet: bool,
    **options: Any,
) -> None:
    """Compare summarizers by ROUGE.

    Only clusters at least three times as long as the budget are used. The first method is compared
    with each of the others, cluster by cluster.
    """
    from maxcover.evaluate import harness, table
    from maxcover.evaluate.methods import SUMMARIZERS

    seed = options["seed"]
    names = list(SUMMARIZERS) if methods == "all" else _split(methods)
    budgets = _budgets(budget_of, [path.resolve().name for path in data])
    tasks = [
        task
        for path in data
        for task in harness.plan(
            path, methods=names, budget=budgets.get(path.resolve().name, budget), **options
        )
    ]
    _warn_of_letters(tasks)
    known = harness.from_json(resume) if resume is not None else []
    with progress("summaries", quiet=quiet) as advance:
        results = harness.evaluate(
            tasks, known=known, run_all=_pool(jobs), progress=advance, keep=out
        )
    tables = [table.compare(results, first=names[0], seed=seed)]
    if len(data) > 1:
        tables += [table.by_set(results, of) for of in (table.rouge_1, table.rouge_2)]
        tables.append(table.by_set(results, table.rouge_l))
        tables.append(table.ahead_by_set(results, first=names[0], seed=seed))
    if "exact" in names and {"coverage", "g-greedy"} & set(names):
        tables.append(table.coverage_by_set(results))
    if plot is not None:
        from maxcover.reproduce.evaluation_plot import draw

        draw(tables[0], plot)
    if form == "json":
        click.echo(harness.to_json(results), nl=False)
    for found in tables if form != "json" else ():
        _show(found, form)


def _warn_of_letters(tasks: list[EvaluationTask]) -> None:
    """Warn if many letters of English references are not a-z: ROUGE cuts words at them."""
    from maxcover.evaluate.passage import beyond_ascii
    from maxcover.text.words.languages import find_language

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


def _budgets(given: Iterable[str], names: list[str]) -> dict[str, int]:
    """Parse ``--budget-of NAME=WORDS``: the budgets of single data sets, by name."""
    budgets = {}
    for text in given:
        name, _, words = text.partition("=")
        if name not in names or not words.isdecimal() or int(words) < 1:
            raise OptionError(
                f"expected --budget-of NAME=WORDS for one of {', '.join(names)}, got {text!r}"
            )
        budgets[name] = int(words)
    return budgets


def _pool(jobs: int) -> Callable[..., Any]:
    """Return a function like `map` that runs in `jobs` processes; 0 for one per core."""
    from functools import partial

    from maxcover.reproduce.processes import in_order

    return partial(in_order, jobs=jobs or available_cores())


def _show(found: ResultTable, form: str) -> None:
    from maxcover.evaluate.table import to_csv, to_markdown, to_text, without_empty_columns

    if found.rows and form == "csv":
        click.echo(to_csv(found))
    elif found.rows:
        write = to_markdown if form == "markdown" else to_text
        click.echo(write(without_empty_columns(found)))
