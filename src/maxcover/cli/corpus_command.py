"""``maxcover corpus``: chooses which inputs of a fuzzer to keep, by what they cover."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import (
    PATH,
    argument,
    by_ending,
    form,
    one_of,
    option,
    output,
    quiet,
    several,
)
from maxcover.cli.console import status
from maxcover.cli.solve_command import share
from maxcover.cli.tests_command import PICTURES, earlier, print_table

if TYPE_CHECKING:
    from pathlib import Path

    from maxcover.suites import Selection

EXAMPLES = """\b
Examples:
  ./target -set_cover_merge=1 -merge_control_file=control.txt merged corpus
  maxcover corpus control.txt --into small
  maxcover corpus control.txt --budget 2MB --budget 60s --times times.log -o keep.txt
  AFL_KEEP_TRACES=1 afl-cmin -i corpus -o merged -- ./target @@
  maxcover corpus merged --inputs corpus --cost files -f null | xargs -0 cp -t small
"""
FORMATS = ("auto", "table", "list", "null", "json")
COSTS = ("bytes", "files", "seconds")


@click.command(epilog=EXAMPLES)
@argument(
    "coverage",
    "Control file of libFuzzer, folder of AFL traces, .sancov, llvm-cov export, or a table.",
    type=PATH,
    nargs=-1,
    required=True,
)
@click.option("--target", help="Share of the features to keep for the least cost.  [default: 100%]")
@several("--budget", help="Cover the most within 2MB, 60s or 500files. May be repeated.")
@one_of(COSTS, "--cost", default="bytes", help="What to minimise with --target.")
@several("--times", type=PATH, help="Seconds of each file: libFuzzer's .log, .csv or JSON.")
@click.option("--inputs", type=PATH, help="Folder of the files, if they are not where recorded.")
@several("--always", metavar="PATTERN", help="Files to keep in any case.")
@several("--never", metavar="PATTERN", help="Files to leave out.")
@click.option("--start", type=PATH, help="Earlier selection; changed only where that pays.")
@click.option("--time-limit", type=float, help="Maximum seconds to search.")
@option("seed", of="solve")
@output("Write the paths of the files (.txt), or JSON (.json).")
@click.option("--into", type=PATH, help="Copy the chosen files into this new folder.")
@click.option("--link/--no-link", default=False, help="Make hard links instead of copies.")
@click.option("--picture", type=PATH, help="Draw coverage against size: .png, .svg or .pdf.")
@form(FORMATS, default="auto", help="auto: a table on a terminal or after writing, else a list.")
@quiet
def corpus(
    coverage: tuple[Path, ...],
    target: str | None,
    budget: tuple[str, ...],
    cost: str,
    times: tuple[Path, ...],
    inputs: Path | None,
    start: Path | None,
    out: Path | None,
    into: Path | None,
    link: bool,
    picture: Path | None,
    form: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Choose the smallest fuzz corpus that keeps the coverage.

    With --budget, choose the part that covers the most within that budget.
    """
    written = None if out is None else by_ending(out, {".txt": "list", ".json": "json"})
    if picture is not None:
        by_ending(picture, PICTURES)
    from maxcover.suites import choose
    from maxcover.suites.amounts import read_amount
    from maxcover.suites.fuzz_corpus import put, read_corpus

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
            start=[] if start is None else earlier(start, "files"),
            **options,
        )
    if into is not None:
        put(selection.tests, into, inputs=inputs, link=link)
    if out is not None:
        out.write_text(_text(selection, written or "list", inputs), "utf-8", "surrogateescape")
    if picture is not None:
        selection.plot().savefig(picture)
    if form == "auto":
        form = "table" if out or into or sys.stdout.isatty() else "list"
    if form == "table":
        print_table(selection)
    else:
        click.echo(_text(selection, form, inputs).encode("utf-8", "surrogateescape"), nl=False)


def _text(selection: Selection, form: str, inputs: Path | None) -> str:
    if form == "json":
        return json.dumps(selection.to_dict(), indent=1) + "\n"
    paths = [
        test if inputs is None else str(inputs / test.rpartition("/")[2])
        for test in selection.tests
    ]
    return "".join(path + ("\0" if form == "null" else "\n") for path in paths)
