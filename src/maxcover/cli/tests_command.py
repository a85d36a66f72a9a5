"""``maxcover tests``: chooses which tests to run, by their recorded coverage."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import PATH, by_ending, form, option, output, quiet, several
from maxcover.cli.console import status
from maxcover.cli.solve_command import share
from maxcover.errors import FileFormatError, OptionError

if TYPE_CHECKING:
    from maxcover.suites import Selection

EXAMPLES = """\b
Examples:
  pytest --maxcover-record
  maxcover tests --coverage .maxcover.npz --budget 3min -o smoke.txt
  pytest @smoke.txt
"""


# Factor by which the weight of a changed line is multiplied.
CHANGED = 100.0
FORMATS = ("auto", "table", "ids", "json")
# File endings of pictures.
PICTURES = dict.fromkeys((".png", ".svg", ".pdf"), "")


@click.command(epilog=EXAMPLES)
@several(
    "--coverage",
    type=PATH,
    required=True,
    help="What pytest --maxcover-record wrote, data of coverage.py, lcov, llvm-cov export, "
    ".sancov, or a table. May be repeated.",
)
@several("--junit", type=PATH, help="Durations: JUnit XML, or JSON from node id to seconds.")
@click.option("--budget", help="Time to fill: 90s, 3min, 1h, or 5% of the suite.")
@click.option("--target", help="Instead: share of the covered lines to reach, e.g. 95%.")
@several("--always", metavar="PATTERN", help="Tests to include in any case. May be repeated.")
@several("--never", metavar="PATTERN", help="Tests to leave out. May be repeated.")
@several(
    "--weight", metavar="PATTERN=NUMBER", help="Weight of the lines of matching files. Default: 1."
)
@click.option(
    "--changed", metavar="REV", help="Lines changed since this git revision count 100 times."
)
@click.option(
    "--start",
    type=PATH,
    help="Earlier selection (.json or .txt) to keep where a change gains little.",
)
@click.option("--time-limit", type=float, help="Maximum seconds to search.")
@option("seed", of="solve")
@output("Write node ids for `pytest @FILE` (.txt), or JSON (.json).")
@click.option("--picture", type=PATH, help="Draw coverage over time: .png, .svg or .pdf.")
@form(FORMATS, default="auto", help="auto: table on a terminal or with -o, otherwise node ids.")
@quiet
def tests(
    coverage: tuple[Path, ...],
    junit: tuple[Path, ...],
    budget: str | None,
    target: str | None,
    weight: tuple[str, ...],
    changed: str | None,
    start: Path | None,
    out: Path | None,
    picture: Path | None,
    form: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Choose the tests that cover the most in a given time.

    With --target, choose the tests that cover enough in the least time.
    """
    written = None if out is None else by_ending(out, {".txt": "ids", ".json": "json"})
    if picture is not None:
        by_ending(picture, PICTURES)
    from maxcover.suites import choose, read_suite, with_durations
    from maxcover.suites.amounts import seconds_in
    from maxcover.suites.changes import touched
    from maxcover.suites.suite import weights_by_file

    with status(quiet=quiet) as say:
        say("reading")
        suite = read_suite(coverage)
        if junit or not suite.costs:
            suite = with_durations(suite, junit)
        weights = weights_by_file(suite, [_rule(text) for text in weight])
        if changed is not None:
            weights[touched(suite, Path.cwd(), changed)] *= CHANGED
        say(f"choosing among {len(suite.tests)} tests")
        selection = choose(
            suite,
            budget=None if budget is None else seconds_in(budget, suite.total()),
            target=None if target is None else share(target),
            weights=weights,
            start=[] if start is None else earlier(start, "tests"),
            filling=True,
            **options,
        )
    if out is not None:
        text = _json(selection) if written == "json" else _ids(selection)
        out.write_text(text, encoding="utf-8")
    if picture is not None:
        selection.plot().savefig(picture)
    if form == "auto":
        form = "table" if out is not None or sys.stdout.isatty() else "ids"
    if form == "table":
        print_table(selection)
    else:
        click.echo(_json(selection) if form == "json" else _ids(selection), nl=False)


def _rule(text: str) -> tuple[str, float]:
    pattern, found, number = text.rpartition("=")
    try:
        if not found or not pattern or not 0 <= float(number) < float("inf"):
            raise ValueError
    except ValueError:
        raise OptionError(f"expected --weight PATTERN=NUMBER, got {text!r}") from None
    return pattern, float(number)


def earlier(path: Path, what: str) -> list[str]:
    """Read an earlier selection from a list of lines, or from the key `what` of a JSON file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix.lower() != ".json":
        return text.splitlines()
    try:
        return [str(test) for test in json.loads(text)[what]]
    except (ValueError, KeyError, TypeError):
        raise FileFormatError(
            f"expected an earlier selection of {what} in {path.name!r}, got another file"
        ) from None


def _ids(selection: Selection) -> str:
    return "".join(f"{test}\n" for test in selection.tests)


def _json(selection: Selection) -> str:
    found: dict[str, Any] = selection.to_dict()
    return json.dumps(found, indent=1) + "\n"


def print_table(selection: Selection) -> None:
    """Print a summary of the selection, its certificate, and the coverage at other budgets."""
    from rich.console import Console
    from rich.table import Table

    from maxcover.suites import suite_wording as wording
    from maxcover.suites.amounts import quantity

    console = Console(highlight=False, markup=False)
    table = Table(box=None, pad_edge=False)
    first = {"seconds": "time", "bytes": "size"}.get(selection.unit, selection.unit)
    for name in (first, "covered", "at most"):
        table.add_column(name, justify="right")
    table.add_column()
    for cost, covered, most in selection.frontier:
        bar = "━" * round(30 * covered)
        table.add_row(quantity(cost, selection.unit), f"{covered:.2%}", f"{most:.2%}", bar)
    console.print(wording.summary(selection))
    console.print(wording.certificate(selection))
    for note in wording.notes(selection):
        console.print(note)
    console.print(table)
