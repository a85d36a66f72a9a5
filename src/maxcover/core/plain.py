"""Plain files of sets, as people and spreadsheets write them: JSON and CSV."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxcover.core.problem import CoverageProblem
from maxcover.errors import FileFormatError, OptionError
from maxcover.options import check_names, names_of

if TYPE_CHECKING:
    import os

#: Columns of a CSV file with one row per element of a set; the last two may be missing.
COLUMNS = ("set", "element", "cost", "weight")
_SEPARATORS = {".csv": ",", ".tsv": "\t"}


def is_plain(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file holds sets, rather than something that `save` wrote."""
    source = Path(path)
    ending = source.suffix.lower()
    return ending in _SEPARATORS or (ending == ".json" and "format" not in _object(source))


def read_sets(path: str | os.PathLike[str], *, budget: float | None = None) -> CoverageProblem:
    r"""Read a problem out of plain JSON or CSV.

    Parameters
    ----------
    path : path
        ``.json``: ``{"sets": {"a": ["x", "y"], ...}, "budget": 3, ...}`` with what
        `CoverageProblem.from_sets` takes, or the sets alone. ``.csv`` or ``.tsv``: one row per
        element of a set, with the columns set, element and, if any, cost and weight.
    budget : float, optional
        Instead of the one in the file.

    Raises
    ------
    FileFormatError
        The file is something else; the message says what is expected.
    OptionError
        There is no budget, or a name that `from_sets` does not take.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "sets.csv")
    ...     _ = file.write_text("set,element,cost\na,x,2\na,y,2\nb,y,1\n")
    ...     read_sets(file, budget=2)
    CoverageProblem(2 sets, 2 elements, 3 edges, budget 2)
    """
    source = Path(path)
    if source.suffix.lower() in _SEPARATORS:
        given = _columns(source, _SEPARATORS[source.suffix.lower()])
    else:
        given = _object(source)
        given = given if "sets" in given else {"sets": given}
    check_names(given, names_of(CoverageProblem.from_sets)[1:], f"the sets in {source.name!r}")
    if isinstance(given.get("weights"), list):
        raise FileFormatError(
            f'expected weights in {source.name!r} by element, {{"x": 1, ...}}, got a list'
        )
    if budget is not None:
        given["budget"] = budget
    if "budget" not in given:
        raise OptionError(
            f"expected a budget, got none in {source.name!r}; pass --budget, or add it there"
        )
    return CoverageProblem.from_sets(**given)


def _object(source: Path) -> dict[str, Any]:
    try:
        found = json.loads(source.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            f"expected JSON in {source.name!r}, got {type(error).__name__}: {error}; it may be "
            "damaged"
        ) from None
    if isinstance(found, list):
        found = {"sets": found}
    if not isinstance(found, dict):
        raise FileFormatError(
            f'expected sets in {source.name!r}, {{"a": ["x", "y"], ...}}, got '
            f"{type(found).__name__}"
        )
    return found


def _columns(source: Path, separator: str) -> dict[str, Any]:
    """Turn rows into sets, costs and weights."""
    with source.open(encoding="utf-8-sig", newline="") as file:
        table = csv.DictReader(file, delimiter=separator)
        names = table.fieldnames or ()
        if not {"set", "element"} <= {*names}:
            raise FileFormatError(
                f"expected the columns {', '.join(COLUMNS)} in the first line of {source.name!r}, "
                f"the last two if there are any; got {', '.join(names) or 'nothing'}"
            )
        check_names(names, COLUMNS, f"the columns of {source.name!r}")
        found: dict[str, dict[str, Any]] = {"sets": {}, "costs": {}, "weights": {}}
        for number, row in enumerate(table, start=2):
            found["sets"].setdefault(row["set"], []).append(row["element"])
            for column, side, key in (("cost", "costs", "set"), ("weight", "weights", "element")):
                if column in names:
                    value = _number(row[column], f"{source.name}, line {number}: {column}")
                    if found[side].setdefault(row[key], value) != value:
                        raise FileFormatError(
                            f"{source.name}, line {number}: expected one {column} of "
                            f"{row[key]!r}, got {found[side][row[key]]:g} and {value:g}"
                        )
    return {name: values for name, values in found.items() if values}


def _number(text: str | None, where: str) -> float:
    try:
        return float(text or "")
    except ValueError:
        raise FileFormatError(f"{where}: expected a number, got {text!r}") from None
