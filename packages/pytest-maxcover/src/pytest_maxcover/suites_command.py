"""Suites command: ``maxcover tests`` and ``maxcover corpus`` choose by recorded coverage."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import (
    PATH,
    all_of,
    argument,
    form,
    option,
    output,
    quiet,
    read_pair,
    several,
)
from maxcover.cli.console import status
from maxcover.cli.solve_command import share
from maxcover.errors import FileFormatError

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxcover.cli.choices import Decorator
    from pytest_maxcover import Selection

TESTS_EXAMPLES = """\b
Examples:
  pytest --maxcover-record
  maxcover tests --coverage .maxcover.npz --budget 3min -o smoke.txt
  pytest @smoke.txt
"""
CORPUS_EXAMPLES = """\b
Examples:
  ./target -set_cover_merge=1 -merge_control_file=control.txt merged corpus
  maxcover corpus control.txt --into small
  maxcover corpus control.txt --budget 2MB --budget 60s --times times.log -o keep.txt
  AFL_KEEP_TRACES=1 afl-cmin -i corpus -o merged -- ./target @@
  maxcover corpus merged --inputs corpus --cost files -f null | xargs -0 cp -t small
"""
# Factor by which the weight of a changed line is multiplied.
CHANGED = 100.0
COSTS = ("bytes", "files", "seconds")
_PICTURES = (".png", ".svg", ".pdf")


def _command(name: str, *own: Decorator, epilog: str) -> Callable[..., Any]:
    """Return a decorator that makes a function the command `name`, with all its parameters."""
    listed = "node ids for `pytest @FILE`" if name == "tests" else "the paths of the files"
    parts = all_of(
        *own,
        several("--always", metavar="PATTERN", help=f"What to choose of the {name} in any case."),
        several("--never", metavar="PATTERN", help=f"What to leave out of the {name}."),
        click.option(
            "--start",
            type=PATH,
            help="Earlier selection (.json or .txt) to keep where a change gains little.",
        ),
        click.option("--time-limit", type=float, help="Maximum seconds to search."),
        option("seed", of="solve"),
        output(
            f"Write {listed} (.txt), JSON (.json), or coverage by cost (.png, .svg, .pdf). May be "
            "repeated.",
            endings=(".txt", ".json", *_PICTURES),
            multiple=True,
        ),
        form(
            ("auto", "table", "list", "null", "json"),
            default="auto",
            help="auto: table on a terminal or after writing, otherwise list. null: names that end "
            "in null bytes.",
        ),
        quiet,
    )
    return lambda function: click.command(name, epilog=epilog)(parts(function))


@_command(
    "tests",
    several(
        "--coverage",
        type=PATH,
        required=True,
        help="What pytest --maxcover-record wrote, data of coverage.py, lcov, or a table. May be "
        "repeated.",
    ),
    several("--junit", type=PATH, help="Durations: JUnit XML, or JSON from node id to seconds."),
    click.option("--budget", help="Time to fill: 90s, 3min, 1h, or 5% of the suite."),
    click.option("--target", help="Instead: share of the covered lines to reach, e.g. 95%."),
    several(
        "--weight",
        metavar="PATTERN=NUMBER",
        help="Weight of the lines of matching files. Default: 1.",
    ),
    click.option(
        "--changed", metavar="REV", help="Lines changed since this git revision count 100 times."
    ),
    epilog=TESTS_EXAMPLES,
)
def tests(
    coverage: tuple[Path, ...],
    junit: tuple[Path, ...],
    budget: str | None,
    target: str | None,
    weight: tuple[str, ...],
    changed: str | None,
    start: Path | None,
    out: tuple[Path, ...],
    form: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Choose the tests that cover the most in a given time.

    With --target, choose the tests that cover enough in the least time.
    """
    from pytest_maxcover import choose, read_suite, with_durations
    from pytest_maxcover.amounts import seconds_in
    from pytest_maxcover.changes import touched
    from pytest_maxcover.suite import weights_by_file
    from pytest_maxcover.suite_wording import few

    with status(quiet=quiet) as say:
        say("reading")
        suite = read_suite(coverage)
        if junit or not suite.costs:
            suite = with_durations(suite, junit)
        rules = [read_pair(text, "--weight PATTERN=NUMBER") for text in weight]
        weights = weights_by_file(suite, rules)
        if changed is not None:
            found = touched(suite, Path.cwd(), changed)
            weights[found.lines] *= CHANGED
            if found.unknown:
                click.echo(f"Changed, and used by no recorded test: {few(found.unknown)}", err=True)
        say(f"choosing among {len(suite.tests)} tests")
        selection = choose(
            suite,
            budget=None if budget is None else seconds_in(budget, suite.total()),
            target=None if target is None else share(target),
            weights=weights,
            start=_earlier(start, "tests"),
            filling=True,
            **options,
        )
    _finish(selection, selection.tests, out, form)


@_command(
    "corpus",
    argument(
        "coverage",
        "Control file of libFuzzer, folder of AFL traces, or a table.",
        type=PATH,
        nargs=-1,
        required=True,
    ),
    click.option(
        "--target", help="Share of the features to keep for the least cost.  [default: 100%]"
    ),
    several("--budget", help="Cover the most within 2MB, 60s or 500files. May be repeated."),
    click.option(
        "--cost", type=click.Choice(COSTS), default="bytes", help="What to minimise with --target."
    ),
    several("--times", type=PATH, help="Seconds of each file: libFuzzer's .log, or JSON."),
    click.option("--inputs", type=PATH, help="Folder of the files, if not where recorded."),
    click.option("--into", type=PATH, help="Copy the chosen files into this new folder."),
    click.option("--link/--no-link", default=False, help="Make hard links instead of copies."),
    epilog=CORPUS_EXAMPLES,
)
def corpus(
    coverage: tuple[Path, ...],
    target: str | None,
    budget: tuple[str, ...],
    cost: str,
    times: tuple[Path, ...],
    inputs: Path | None,
    start: Path | None,
    out: tuple[Path, ...],
    into: Path | None,
    link: bool,
    form: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Choose the smallest fuzz corpus that keeps the coverage.

    With --budget, choose the part that covers the most within that budget.
    """
    from pytest_maxcover import choose
    from pytest_maxcover.amounts import read_amount
    from pytest_maxcover.fuzz_corpus import put, read_corpus

    limits = [read_amount(text, *COSTS, "share") for text in budget]
    with status(quiet=quiet) as say:
        say("reading")
        kinds = [cost if kind == "share" else kind for _, kind in limits]
        names = dict.fromkeys(kinds or [cost])
        suite = read_corpus(coverage, names, inputs=inputs, times=times)
        say(f"choosing among {len(suite.tests)} files")
        selection = choose(
            suite,
            budget={
                name: number * (suite.total(cost) if kind == "share" else 1.0)
                for name, (number, kind) in zip(kinds, limits, strict=True)
            }
            or None,
            target=share(target or "100%") if target or not budget else None,
            start=_earlier(start, "files"),
            **options,
        )
    if into is not None:
        put(selection.tests, into, inputs=inputs, link=link)
        form = "table" if form == "auto" else form
    paths = [
        test if inputs is None else str(inputs / test.rpartition("/")[2])
        for test in selection.tests
    ]
    _finish(selection, paths, out, form)


def _earlier(path: Path | None, what: str) -> list[str]:
    """Read an earlier selection from a list of lines, or from the key `what` of a JSON file."""
    if path is None:
        return []
    text = path.read_text(encoding="utf-8")
    if path.suffix.lower() != ".json":
        return text.splitlines()
    try:
        return [str(test) for test in json.loads(text)[what]]
    except (ValueError, KeyError, TypeError):
        raise FileFormatError(
            f"expected an earlier selection of {what} in {path.name!r}, got another file"
        ) from None


def _finish(selection: Selection, names: list[str], out: tuple[Path, ...], form: str) -> None:
    """Write the selection to files if asked, and print it as `form` says."""
    for path in out:
        ending = path.suffix.lower()
        if ending in _PICTURES:
            selection.plot().savefig(path)
        else:
            path.write_text(_text(selection, names, ending[1:]), "utf-8", "surrogateescape")
    if form == "table" or (form == "auto" and (out or sys.stdout.isatty())):
        click.echo(_table(selection))
    else:
        click.echo(_text(selection, names, form).encode("utf-8", "surrogateescape"), nl=False)


def _text(selection: Selection, names: list[str], form: str) -> str:
    """Return the selection as JSON, or the names, each followed by a line end or a null byte."""
    if form == "json":
        return json.dumps(selection.to_dict(), indent=1) + "\n"
    end = "\0" if form == "null" else "\n"
    return "".join(f"{name}{end}" for name in names)


def _table(selection: Selection) -> str:
    """Return a summary of the selection, its certificate, and the coverage at other budgets."""
    from pytest_maxcover import suite_wording as wording
    from pytest_maxcover.amounts import quantity

    unit = selection.unit
    first = {"seconds": "time", "bytes": "size"}.get(unit, unit)
    lines = [wording.summary(selection), wording.certificate(selection), *wording.notes(selection)]
    lines.append(f"{first:>12} {'covered':>9} {'at most':>9}")
    lines += [
        f"{quantity(cost, unit):>12} {covered:>9.2%} {most:>9.2%} {'━' * round(30 * covered)}"
        for cost, covered, most in selection.frontier
    ]
    return "\n".join(lines)
