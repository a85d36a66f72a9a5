"""Statement: statements about a figure, checked against its numbers; and the files of a figure."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Statement(NamedTuple):
    """A statement about a figure, the numbers behind it, and whether it holds."""

    statement: str
    found: str
    holds: bool


def write_figure_files(
    found: dict[str, Any], stem: Path, draw: Callable[[dict[str, Any], Path], object]
) -> None:
    """Write the rows of a figure as CSV, all its numbers as JSON, and the picture.

    An empty cell of the CSV means that there is no such number.
    """
    rows = found["rows"]
    with stem.with_name(f"{stem.name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    text = json.dumps(found, indent=1) + "\n"
    stem.with_name(f"{stem.name}.json").write_text(text, encoding="utf-8")
    draw(found, stem)
