"""Tables: columns of pandas, Polars, Arrow, DuckDB, lists of records, as arrays and labels.

None of these packages is imported, except pyarrow. It reads the Arrow C stream that Polars, DuckDB
and others export.
"""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core.validation import near, some
from maxcover.errors import FileFormatError, ProblemError
from maxcover.ground.extras import import_extra

if TYPE_CHECKING:
    from maxcover.ground.array_types import Int64s


#: Separator between cells, by file ending.
DELIMITERS = {".csv": ",", ".tsv": "\t"}
# What a cell of a column of flags may hold, in lower case.
_YES = ("true", "yes", "y", "1", "1.0")
_NO = ("false", "no", "n", "0", "0.0", "")
_BRACKETS = {"[": "]", "(": ")", "{": "}"}
# NumPy prints lists without commas; Python would read two texts as one.
_WITHOUT_COMMA = re.compile(r"""['"]\s+['"]""")


class Table:
    """Columns by name, from a data frame, an Arrow table, a dict or a list of dicts.

    Examples
    --------
    >>> table = Table([{"set": "a", "cost": 2}, {"set": "b", "cost": 1}])
    >>> table.names, table.numbers("cost")
    (('set', 'cost'), array([2, 1]))
    """

    def __init__(self, given: Any, what: str = "table") -> None:
        self.given = given if isinstance(given, Mapping) else _columns(given, what)
        names = getattr(self.given, "column_names", None)
        self.names = tuple(self.given if names is None else names)
        self.what = what
        #: Names of the columns read so far.
        self.read: list[str] = []

    def __len__(self) -> int:
        return len(self.given[self.names[0]]) if self.names else 0

    def column(self, name: str) -> Any:
        """Return a column in its original type, and note that it was read."""
        if name not in self.names:
            raise ProblemError(
                f"expected a column {name!r} in the {self.what}, got "
                f"{f'the columns {some(self.names)}' if self.names else 'no columns'}"
            )
        if name not in self.read:
            self.read.append(name)
        return self.given[name]

    def values(self, name: str) -> list[Any]:
        """Return a column as a list."""
        column = self.column(name)
        to_list = getattr(column, "to_pylist", None) or getattr(column, "tolist", None)
        return list(column) if to_list is None else list(to_list())

    def numbers(self, name: str) -> Any:
        """Return a column as an array."""
        return np.asarray(self.column(name))

    def groups(self, name: str) -> list[Any]:
        """Return a column of labels, or of lists of them; a missing cell becomes None."""
        cells = self.values(name)
        lists = map(listed, cells)
        return [
            None if is_missing(one) else one if several is None else several
            for one, several in zip(cells, lists, strict=True)
        ]

    def flags(self, name: str, argument: str) -> list[bool]:
        """Return a column of True and False, for `argument`; a missing cell is False.

        Examples
        --------
        >>> Table({"closed": ["Yes", "0", None]}).flags("closed", "forbidden")
        [True, False, False]
        """
        if name not in self.names:
            raise ProblemError(
                f"expected {argument} to be a column of the {self.what} or a list of names, got "
                f"{name!r}{near(name, self.names)}; for one name write {argument}=[{name!r}]"
            )
        cells = self.values(name)
        texts = ["" if is_missing(one) else str(one).strip().lower() for one in cells]
        odd = dict.fromkeys(
            one for one, text in zip(cells, texts, strict=True) if text not in (*_YES, *_NO)
        )
        if odd:
            raise ProblemError(
                f"expected yes or no (or True and False, 1 and 0) in the column {name!r} of the "
                f"{self.what}, for {argument}, got {some(odd, 4)}; make such a column, or name the "
                f"sets: {argument}=[...]"
            )
        return [text in _YES for text in texts]

    def encode(self, name: str) -> tuple[Int64s, tuple[Hashable, ...]]:
        """Return a number for each row of a column, and the labels in order of first appearance."""
        column = self.column(name)
        held: Any = getattr(column, "array", None)
        if hasattr(held, "__arrow_array__") and hasattr(held, "_pa_array"):  # Arrow data in pandas
            column = held.__arrow_array__()
        if hasattr(column, "factorize"):  # the column is from pandas
            codes, labels = column.factorize()
            missing, values = int((codes < 0).sum()), labels.tolist()
        elif hasattr(column, "dictionary_encode"):  # the column is from Arrow
            whole = column.combine_chunks() if hasattr(column, "combine_chunks") else column
            encoded = whole.dictionary_encode()
            codes, values = encoded.indices, encoded.dictionary.to_pylist()
            missing = column.null_count + sum(one != one for one in values)  # noqa: PLR0124 - NaN
        else:
            number_of: dict[Hashable, int] = {}
            codes = [number_of.setdefault(one, len(number_of)) for one in column]
            missing, values = sum(map(is_missing, number_of)), list(number_of)
        if missing:
            raise ProblemError(
                f"expected a label in every row of column {name!r}, got {missing} missing; drop "
                "them"
            )
        return np.asarray(codes, dtype=np.int64), tuple(values)


def is_missing(value: Any) -> bool:
    """Whether a cell is empty: None, NaN, or NA or NaT of pandas."""
    is_nan = isinstance(value, float | np.floating) and bool(np.isnan(value))
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


def listed(cell: Any) -> list[Any] | None:
    """Return the items of a text such as "[1, 2]" or "{'a', 'b'}"; None for any other cell.

    Examples
    --------
    >>> listed('["x", "y"]'), listed("(1, 2)"), listed("[x]"), listed("x")
    (['x', 'y'], [1, 2], None, None)
    """
    text = cell.strip() if isinstance(cell, str) else ""
    if not text or _BRACKETS.get(text[0]) != text[-1] or _WITHOUT_COMMA.search(text):
        return None
    if text[0] == "(" and "," not in text:  # a number in brackets, or a name
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            found: list[Any] = read(f"[{text[1:-1]}]")
        except (ValueError, SyntaxError):
            continue
        return found
    return None


def _columns(given: Any, what: str) -> Any:
    """Return `given` as columns by name; a pandas frame or an Arrow table is returned unchanged."""
    if hasattr(given, "iloc") and hasattr(given, "columns"):
        return given
    if hasattr(given, "column_names") and hasattr(given, "to_pylist"):
        return given
    if hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__"):
        name = type(given).__name__
        needed = f"a {name} is read by pyarrow: pip install 'maxcover[parquet]'"
        return import_extra("pyarrow", needed).table(given)
    for lazy in ("collect", "fetch_arrow_table", "to_arrow_table", "to_arrow"):
        if hasattr(given, lazy):
            return _columns(getattr(given, lazy)(), what)
    is_list = isinstance(given, Iterable) and not isinstance(given, str | bytes)
    rows = list(given) if is_list else [given]
    advice = f"; read it with maxcover.load({given!r}, ...)" if isinstance(given, str) else ""
    if not all(isinstance(row, Mapping) for row in rows):
        raise ProblemError(
            f"expected the {what} as a pandas, Polars, Arrow or DuckDB table, a list of dicts or a "
            f"dict of columns, got {type(given).__name__}{advice}"
        )
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def text_columns(data: bytes, ending: str) -> dict[str, list[str]]:
    r"""Return the columns of a ``.csv`` or ``.tsv`` file, by the names in its first line.

    Examples
    --------
    >>> text_columns(b"set,element\na,x\na,y\n", ".csv")
    {'set': ['a', 'a'], 'element': ['x', 'y']}
    """
    try:
        lines = data.decode("utf-8-sig").splitlines(keepends=True)
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"expected a {ending} file in UTF-8, got the byte {data[error.start]:#04x} at offset "
            f"{error.start}; save the table as CSV in UTF-8"
        ) from None
    table = csv.DictReader(lines, delimiter=DELIMITERS[ending.lower()])
    rows = list(table)
    return {name: [row[name] for row in rows] for name in table.fieldnames or ()}


def named_values(values: Any) -> tuple[list[Any], Any] | None:
    """Return (labels, values) of a mapping, a pandas Series or a table of two columns.

    None for values without labels: a list, an array, a column of Arrow or Polars.
    """
    if isinstance(values, Mapping):
        return list(values), list(values.values())
    if hasattr(values, "iloc") and hasattr(values, "index") and not hasattr(values, "columns"):
        return values.index.tolist(), values.to_numpy()
    if hasattr(values, "columns") or hasattr(values, "column_names"):
        table = Table(values)
        if len(table.names) != 2:
            raise ProblemError(
                "expected a table of two columns, labels and values, got the columns "
                f"{some(table.names)}"
            )
        return table.values(table.names[0]), table.numbers(table.names[1])
    return None


def is_count(keys: Sequence[Any]) -> bool:
    """Whether `keys` are 0, 1, 2, ..., the default index of pandas."""
    return all(isinstance(key, int) and key == k for k, key in enumerate(keys))
