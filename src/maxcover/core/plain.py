"""Plain files of sets, as people and spreadsheets write them: JSON and CSV."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxcover.core.edge_tables import ROLES
from maxcover.core.problem import CoverageProblem
from maxcover.errors import FileFormatError, OptionError

if TYPE_CHECKING:
    import os

_SEPARATORS = {".csv": ",", ".tsv": "\t"}


def is_plain(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file holds sets, rather than something that `save` wrote."""
    source = Path(path)
    ending = source.suffix.lower()
    return ending in _SEPARATORS or (ending == ".json" and "format" not in _object(source))


def read_sets(
    path: str | os.PathLike[str],
    *,
    budget: float | str | None = None,
    **options: Any,
) -> CoverageProblem:
    r"""Read a problem out of plain JSON or CSV.

    Parameters
    ----------
    path : path
        ``.json``: what `CoverageProblem.from_dict` takes, or the sets alone. ``.csv`` or
        ``.tsv``: a table as `CoverageProblem.from_table` reads it.
    budget : float or str, optional
        Instead of the one in the file.
    **options
        Of `from_table`, for a table: ``sep``, and columns by their names.

    Raises
    ------
    FileFormatError
        The file is something else; the message says what is expected.
    OptionError
        There is no budget, or a name that `from_dict` does not take.

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
    is_table = source.suffix.lower() in _SEPARATORS
    given = {} if is_table else _object(source)
    if not is_table:
        given = given if "sets" in given else {"sets": given}
    if budget is not None:
        given["budget"] = budget
    if "budget" not in given:
        raise OptionError(
            f"expected a budget, got none in {source.name!r}; pass --budget, or add it there"
        )
    if not is_table:
        return CoverageProblem.from_dict(given)
    columns = _columns(source, _SEPARATORS[source.suffix.lower()], options)
    return CoverageProblem.from_table(columns, **given, **options)


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


def _columns(source: Path, separator: str, options: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of a table; those that hold numbers as numbers."""
    with source.open(encoding="utf-8-sig", newline="") as file:
        table = csv.DictReader(file, delimiter=separator)
        names = list(table.fieldnames or ())
        ends = {options.get("set", "set"), options.get("element", "element")}
        if not ends <= {*names}:
            raise FileFormatError(
                f"expected the columns {', '.join(sorted(ends, reverse=True))} in the first line "
                f"of {source.name!r}, and {', '.join(ROLES)} if there are any; got "
                f"{', '.join(names) or 'nothing'}"
            )
        rows = list(table)
    numeric = {str(options.get(role.argument, name)) for name, role in ROLES.items()
               if role.is_number}  # fmt: skip
    return {
        name: [
            _number(row[name], f"{source.name}, line {number}: {name}")
            if name in numeric or name.startswith("cost:")
            else row[name] or None
            for number, row in enumerate(rows, start=2)
        ]
        for name in names
    }


def _number(text: str | None, where: str) -> float:
    try:
        return float(text or "")
    except ValueError:
        raise FileFormatError(f"{where}: expected a number, got {text!r}") from None
