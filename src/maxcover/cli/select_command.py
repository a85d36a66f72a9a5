"""``maxcover select``: chooses rows that stand for all rows, by their vectors."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import PATH, argument, form, options_of, output, quiet, read_pair, several
from maxcover.cli.console import status

if TYPE_CHECKING:
    from pathlib import Path

    from maxcover.uses.rows import Selected

EXAMPLES = """\b
Examples:
  maxcover select rows.parquet --budget 5% -o chosen.parquet
  maxcover select rows.parquet --vector embedding --cost tokens --budget 1e6 \\
      --worth quality --quota source=0.3 --duplicates 0.95 -o chosen.parquet
"""
FORMATS = ("auto", "text", "rows", "json")


@click.command(epilog=EXAMPLES)
@argument("rows", "Parquet: a file, or a folder of them.", type=PATH)
@several(
    "--quota",
    metavar="COLUMN=SHARE",
    help="Maximum share of the budget per value. May be repeated.",
)
@options_of("select", "quota", budget="-b")
@output(
    "Write the chosen rows (.parquet), their numbers (.txt), or JSON (.json).",
    endings=(".parquet", ".txt", ".json"),
)
@form(FORMATS, default="auto", help="auto: text on a terminal or with -o, else row numbers.")
@quiet
def select(
    rows: Path,
    quota: tuple[str, ...],
    out: Path | None,
    form: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Choose rows that represent all rows, by their vectors.

    Each row counts its similarity to the nearest chosen row.
    """
    from maxcover.engine.core.wording import size
    from maxcover.uses import rows as room
    from maxcover.uses.rows.row_tables import Rows

    table = Rows(rows, options["vector"])
    with status(quiet=quiet) as say:
        needed = room.bytes_needed(*table.shape(), options["neighbours"])
        say(f"choosing among {table.shape()[0]:,} rows, which takes about {size(needed)} of memory")
        chosen = room.select(
            rows,
            quota=dict(read_pair(text, "--quota COLUMN=SHARE") for text in quota) or None,
            **options,
        )
    ending = "" if out is None else out.suffix.lower()
    if out is not None and ending == ".parquet":
        chosen.to_parquet(out)
    elif out is not None:
        out.write_text(_text(chosen, "json" if ending == ".json" else "rows"), encoding="utf-8")
    if form == "auto":
        form = "text" if out is not None or sys.stdout.isatty() else "rows"
    click.echo(_text(chosen, form), nl=False)


def _text(chosen: Selected, form: str) -> str:
    if form == "json":
        return json.dumps(chosen.to_dict(), indent=1) + "\n"
    if form == "rows":
        return "".join(f"{row}\n" for row in chosen.indices)
    share = chosen.value / max(len(chosen.lists.rows), 1)
    return (
        f"{chosen.indices.size:,} of {len(chosen.lists.rows):,} rows, cost {chosen.cost:,.10g}; a "
        f"row is worth {share:.3f} on average.\n{chosen.certificate}\n"
    )
