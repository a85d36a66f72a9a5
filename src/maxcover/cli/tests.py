"""``maxcover tests``: recorded coverage in, the tests to run out."""

from __future__ import annotations

import json
import re
import sys
from enum import StrEnum
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maxcover.cli.console import Quiet, status
from maxcover.cli.solve import share
from maxcover.errors import FileFormatError, OptionError

if TYPE_CHECKING:
    from maxcover.suites import Selection

EXAMPLES = """\b
Examples:
  pytest --cov --cov-context=test --junitxml=report.xml
  maxcover tests --coverage .coverage --junit report.xml --budget 3min -o smoke.txt
  pytest @smoke.txt
"""
_UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "ms": 0.001}


class SelectionFormat(StrEnum):
    """What is printed."""

    auto = "auto"
    table = "table"
    ids = "ids"
    json = "json"


def tests(
    coverage: Annotated[
        list[Path],
        typer.Option(help="coverage.py's data, an lcov trace, or a table; may be repeated."),
    ],
    junit: Annotated[
        list[Path] | None,
        typer.Option(help="Durations: JUnit XML, or JSON from node id to seconds."),
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="Time for the tests: 90s, 3min, 1h, or 5% of the suite's.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Share of the covered lines to cover instead: 95%.")
    ] = None,
    always: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="Tests to run in any case.")
    ] = None,
    never: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="Tests not to run.")
    ] = None,
    each_directory: Annotated[
        bool, typer.Option(help="At least one test of every directory.")
    ] = False,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN=NUMBER", help="What lines of some files count; 1 by default."
        ),
    ] = None,
    changed: Annotated[
        str | None,
        typer.Option(metavar="REV", help="Lines changed since this git revision count 100 times."),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(help="An earlier selection (.json or .txt) to change only where that pays."),
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds to search for.")] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write node ids for `pytest @FILE`, or JSON (.json)."),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(help="Draw what other times would cover: .png, .svg or .pdf."),
    ] = None,
    form: Annotated[
        SelectionFormat,
        typer.Option("--format", help="auto: a table on a terminal or with -o, else node ids."),
    ] = SelectionFormat.auto,
    quiet: Quiet = False,
) -> None:
    """Choose the tests that cover the most in a given time.

    Or, with --target, those that cover enough in the least time.
    """
    from maxcover.suites import choose, read_durations, read_suite
    from maxcover.suites.weighing import CHANGED, by_pattern, changed_lines

    with status(quiet=quiet) as say:
        say("reading")
        suite = read_suite(coverage)
        durations = read_durations(junit or [], suite.tests)
        weights = by_pattern(suite, [_rule(text) for text in weight or []])
        if changed is not None:
            weights[changed_lines(suite, changed)] *= CHANGED
        say(f"choosing among {len(suite.tests)} tests")
        selection = choose(
            suite,
            durations,
            budget=None if budget is None else _seconds(budget, float(durations.seconds.sum())),
            target=None if target is None else share(target),
            weights=weights,
            always=always or [],
            never=never or [],
            each_directory=each_directory,
            start=[] if start is None else _earlier(start),
            time_limit=time_limit,
            seed=seed,
        )
    if out is not None:
        is_json = out.suffix.lower() == ".json"
        out.write_text(_json(selection) if is_json else _ids(selection), encoding="utf-8")
    if picture is not None:
        selection.plot().savefig(picture)
    if form is SelectionFormat.auto:
        is_table = out is not None or sys.stdout.isatty()
        form = SelectionFormat.table if is_table else SelectionFormat.ids
    if form is SelectionFormat.table:
        _print_table(selection)
    else:
        typer.echo(_json(selection) if form is SelectionFormat.json else _ids(selection), nl=False)


def _seconds(text: str, whole: float) -> float:
    """Read a time, or a share of the time of the whole suite.

    Examples
    --------
    >>> _seconds("3min", 0), _seconds("90s", 0), _seconds("5%", 200)
    (180.0, 90.0, 10.0)
    """
    found = re.match(r"\s*([0-9.]*)\s*(.*?)\s*$", text)
    number, unit = (found[1], found[2]) if found else ("", "")
    try:
        return float(number) / 100 * whole if unit == "%" else float(number) * _UNITS[unit]
    except (ValueError, KeyError):
        raise OptionError(f"expected a time such as 90s, 3min, 1h or 5%, got {text!r}") from None


def _rule(text: str) -> tuple[str, float]:
    pattern, found, number = text.rpartition("=")
    try:
        if not found or not pattern or not 0 <= float(number) < float("inf"):
            raise ValueError
    except ValueError:
        raise OptionError(f"expected --weight PATTERN=NUMBER, got {text!r}") from None
    return pattern, float(number)


def _earlier(path: Path) -> list[str]:
    """Read the tests of an earlier selection."""
    text = path.read_text(encoding="utf-8")
    if path.suffix.lower() != ".json":
        return text.splitlines()
    try:
        return [str(test) for test in json.loads(text)["tests"]]
    except (ValueError, KeyError, TypeError):
        raise FileFormatError(
            f"expected a selection that maxcover tests wrote in {path.name!r}, got another file"
        ) from None


def _ids(selection: Selection) -> str:
    return "".join(f"{test}\n" for test in selection.tests)


def _json(selection: Selection) -> str:
    found: dict[str, Any] = selection.to_dict()
    return json.dumps(found, indent=1) + "\n"


def _print_table(selection: Selection) -> None:
    from rich.console import Console
    from rich.table import Table

    from maxcover.suites import wording

    console = Console(highlight=False, markup=False)
    table = Table(box=None, pad_edge=False)
    for name in ("time", "covered", "at most"):
        table.add_column(name, justify="right")
    table.add_column()
    for seconds, covered, most in selection.frontier:
        bar = "━" * round(30 * covered)
        table.add_row(wording.duration(seconds), f"{covered:.2%}", f"{most:.2%}", bar)
    console.print(wording.summary(selection))
    console.print(wording.certificate(selection))
    for note in wording.notes(selection):
        console.print(note)
    console.print(table)
