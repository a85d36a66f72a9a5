"""Edge tables: a table with one row per edge or per set, and tables of sets and of elements.

Python and the command line share one convention of column names, the table `ROLES`.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.engine.core.groups import EITHER_LIMIT, GROUP_LIMITS
from maxcover.engine.core.labels import OF_ELEMENTS, OF_SETS, first_list, indices_needed
from maxcover.engine.core.tables import Table, is_missing, listed
from maxcover.engine.core.validation import numbers, some, warn
from maxcover.errors import ProblemError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from maxcover.ground.array_types import AnyArray, Int64s


class Role(NamedTuple):
    """Meaning of a column: the argument of `from_edges` that it fills, and what it describes.

    It describes each "set", "element" or "edge" (`of`).
    """

    argument: str
    of: str
    is_number: bool = True


#: Columns that are read by default, besides ``set`` and ``element``.
ROLES = {
    "cost": Role("costs", "set"),
    "weight": Role("weights", "element"),
    "group": Role("groups", "set", is_number=False),
    "strength": Role("best", "edge"),
    "chance": Role("chance", "edge"),
    "worth": Role("worth", "set"),
    "need": Role("need", "element"),
    "region": Role("regions", "element", is_number=False),
}
#: Arguments that may be a column of True and False, with one cell for each set.
FLAGS = ("required", "forbidden")
# Characters that commonly separate several elements in one cell; blanks do in brackets only.
_SEPARATORS = ";|, "


class EdgeTables:
    """Reads tables and returns them as arguments of `from_edges`.

    `codes` has the set and the element of each edge as numbers, `labels` the labels of the numbers.
    """

    def __init__(
        self,
        table: Any,
        sets: Any,
        elements: Any,
        *,
        set: str,  # noqa: A002 - the column of sets is called what it is
        element: str,
        sep: str | None,
    ) -> None:
        self.edges = Table(table)
        codes, labels = self.edges.encode(set)
        cells = _lists(self.edges, element, sep)
        self.repeats: Int64s | None = None
        if cells is None:
            columns, called = self.edges.encode(element)
            _suggest_sep(codes, columns, called)
        else:  # a cell with several elements makes several edges
            self.repeats = np.array([len(cell) for cell in cells], dtype=np.int64)
            codes = np.repeat(codes, self.repeats)
            columns, called = Table({element: [x for cell in cells for x in cell]}).encode(element)
        self.codes = {"set": codes, "element": columns}
        self.labels: dict[str, tuple[Hashable, ...]] = {"set": labels, "element": called}
        self.beside: dict[str, tuple[Table, Int64s]] = {}
        for side, key, other in (("set", set, sets), ("element", element, elements)):
            if other is not None:
                self._read_beside(side, key, Table(other, f"table of {side}s"))

    def _read_beside(self, side: str, key: str, table: Table) -> None:
        """Assign numbers to the rows of a table of sets or elements; new labels come last."""
        number_of = {label: k for k, label in enumerate(self.labels[side])}
        codes, own = table.encode(key)
        if len(own) < len(codes):
            raise ProblemError(f"expected one row per {side} in the {table.what}")
        places = [number_of.setdefault(label, len(number_of)) for label in own]
        self.labels[side] = tuple(number_of)
        self.beside[side] = table, np.array(places, dtype=np.int64)

    @property
    def tables(self) -> list[Table]:
        """All tables; the table of edges comes first."""
        return [self.edges, *(table for table, _ in self.beside.values())]

    def arguments(self, options: dict[str, Any], budget: Any) -> dict[str, Any]:
        """Return all arguments of `from_edges` except the budget."""
        given = dict(options)
        self._take_indices("set", OF_SETS, options, budget)
        self._take_indices("element", OF_ELEMENTS, options, budget)
        for name, role in ROLES.items():
            source = given.get(role.argument)
            if isinstance(budget, Mapping) and name == "cost":
                given["costs"] = {
                    one: self._costs(one, source, first=k == 0) for k, one in enumerate(budget)
                }
            elif isinstance(source, str):
                given[role.argument] = self._column(source, role)
            elif source is None and is_wanted(name, given) and self._holds(name, role.of):
                given[role.argument] = self._column(name, role)
        for argument in FLAGS:
            if isinstance(given.get(argument), str):
                given[argument] = np.flatnonzero(self._flags(given[argument], argument))
        self._report_unused(options)
        for side in ("set", "element"):
            given[f"{side}s"] = self.codes[side]
            given[f"{side}_labels"] = self.labels[side]
        return given

    def _take_indices(
        self, side: str, names: tuple[str, ...], options: dict[str, Any], budget: Any
    ) -> None:
        """Take the labels of sets (or elements) as indices if a list has one value for each."""
        given: dict[str, Any] = {name: options.get(name) for name in names}
        if isinstance(budget, Mapping) and isinstance(given.get("costs"), Mapping):
            given |= given.pop("costs")
        if (found := first_list(given)) is None:
            return
        name, size = found
        if odd := [one for one in self.labels[side] if not is_index(one, size)]:
            raise ProblemError(indices_needed(side, odd[0], size, name))
        index = np.array(self.labels[side], dtype=np.int64)
        self.codes[side] = index[self.codes[side]]
        if side in self.beside:
            table, places = self.beside[side]
            self.beside[side] = table, index[places]
        self.labels[side] = tuple(range(size))

    def _costs(self, name: str, source: Any, *, first: bool) -> Any:
        """Return the costs for the budget called `name`, of several budgets."""
        if isinstance(source, Mapping) and name in source:
            own = source[name]
            return self._column(own, ROLES["cost"]) if isinstance(own, str) else own
        alone = first and not self._holds(f"cost:{name}", "set")
        return self._column("cost" if alone else f"cost:{name}", ROLES["cost"])

    def _holds(self, name: str, of: str) -> tuple[Table, Int64s] | None:
        """Return the table with column `name` and the set or element number of each of its rows.

        None if no table has that column.
        """
        edges = self.edges, self.codes.get(of, self.codes["set"])
        return next((one for one in (self.beside.get(of), edges) if one and name in one[0].names),
                    None)  # fmt: skip

    def _column(self, name: str, role: Role) -> Any:
        """Return a column as one value per set, element or edge, in their order."""
        holder = self._holds(name, role.of)
        if holder is None:
            names = [column for table in self.tables for column in table.names]
            raise ProblemError(
                f"expected a column {name!r} for {role.argument}, got the columns {some(names)}"
            )
        table, codes = holder
        cells = _lists(table, name, None) if role.of == "edge" else None
        if cells is not None:
            return np.array([one for cell in cells for one in cell])
        values: Any = table.numbers(name) if role.is_number else _texts(table.groups(name))
        if role.of == "edge":
            return self._repeated(table, values)
        values = numbers(values, name) if role.is_number else values
        return _of_nodes(self._repeated(table, values), name, codes, self.labels[role.of])

    def _flags(self, name: str, argument: str) -> AnyArray:
        """Return a column of True and False as one number, 1 or 0, for each set."""
        table, codes = self._holds(name, "set") or (self.edges, self.codes["set"])
        flags = self._repeated(table, np.array(table.flags(name, argument), dtype=np.float64))
        return _of_nodes(flags, name, codes, self.labels["set"])

    def _repeated(self, table: Table, values: AnyArray) -> AnyArray:
        """Return one value per edge, where a row of the table of edges stands for several."""
        if table is not self.edges or self.repeats is None:
            return values
        return np.repeat(values, self.repeats)

    def _report_unused(self, options: dict[str, Any]) -> None:
        """Warn of columns that were not read; raise ProblemError if one looks misspelt."""
        known = [name for name, role in ROLES.items() if options.get(role.argument) is not None]
        for table in self.tables:
            unused = [name for name in table.names if name not in (*table.read, *known)]
            for name in unused:
                free = [role for role in ROLES if role not in table.read]
                near = difflib.get_close_matches(str(name).lower(), free, n=1, cutoff=0.75)
                if near and near[0] != name:
                    raise ProblemError(
                        f"the column {name!r} of the {table.what} is not read; did you mean "
                        f"{near[0]!r}? Rename it, or write {ROLES[near[0]].argument}={name!r}"
                    )
            if unused:
                warn(
                    f"not read: {', '.join(map(repr, unused))} of the {table.what}; read are "
                    f"{', '.join(map(repr, table.read))}{_why_unused(unused)}; name other columns "
                    "as in costs='price', rename them as in the column 'cost', or drop them",
                )


def is_index(label: Hashable, size: int) -> bool:
    """Whether a label is a whole number from 0 and below `size`."""
    return isinstance(label, int) and not isinstance(label, bool) and 0 <= label < size


def is_wanted(name: str, given: dict[str, Any]) -> bool:
    """Whether to read a column: groups and regions are read only if a limit uses them."""
    if name == "group":
        return any(given.get(limit) is not None for limit in GROUP_LIMITS)
    return name != "region" or given.get("min_coverage") is not None


def _texts(values: list[Any]) -> AnyArray:
    """Return labels, or lists of labels, as an object array."""
    return np.fromiter(values, dtype=object, count=len(values))


def _of_nodes(values: AnyArray, name: str, codes: Int64s, labels: tuple[Hashable, ...]) -> AnyArray:
    """Return one value per set (or element); its rows in the table must agree on the value."""
    is_text = values.dtype == object
    each = np.full(len(labels), None if is_text else np.nan, object if is_text else np.float64)
    if is_text:
        there = np.array([one is not None for one in values], dtype=bool)
        values, codes = values[there], codes[there]
    each[codes] = values
    same = np.asarray(each[codes] == values)
    if not same.all():
        first = int(np.argmin(same))
        raise ProblemError(
            f"expected the same value of {name!r} in every row of {labels[codes[first]]!r}, got "
            f"{values[first]} and {each[codes[first]]}"
        )
    missing = np.zeros(0, np.int64) if is_text else np.flatnonzero(np.isnan(each))
    if missing.size:
        raise ProblemError(
            f"{name!r} has nothing for {labels[missing[0]]!r} ({missing.size} missing of "
            f"{len(labels)}); add them"
        )
    return each


def _why_unused(unused: list[str]) -> str:
    if "group" in unused:
        return f" (a group needs {EITHER_LIMIT})"
    if "region" in unused:
        return " (a region needs min_coverage)"
    costs = [name for name in unused if str(name).startswith("cost:")]
    return f" (several budgets are budget={{{costs[0][5:]!r}: ...}})" if costs else ""


def _lists(table: Table, name: str, sep: str | None) -> list[list[Any]] | None:
    """Return the cells of a column as lists; None if they hold single values and `sep` is None."""
    column = table.column(name)
    is_nested = "list" in str(getattr(column, "type", ""))
    cells = (one.as_py() if hasattr(one, "as_py") else one for one in column)
    first = next((one for one in cells if not is_missing(one)), None)
    if is_nested or isinstance(first, list | tuple | set | frozenset | np.ndarray):
        return [[] if is_missing(one) else list(one) for one in table.values(name)]
    if listed(first) is not None:
        return _parsed(table, name)
    if sep is None:
        return None
    texts = ["" if is_missing(one) else str(one) for one in table.values(name)]
    return [[part.strip() for part in text.split(sep) if part.strip()] for text in texts]


def _parsed(table: Table, name: str) -> list[list[Any]]:
    """Return a column of texts such as "[1, 2]" as lists."""
    cells = ["[]" if is_missing(one) else one for one in table.values(name)]
    lists = [listed(one) for one in cells]
    if None in lists:
        raise _mixed(cells[lists.index(None)], next(one for one in cells if one != "[]"))
    return [one for one in lists if one is not None]


def _mixed(name: Any, several: str) -> ProblemError:
    return ProblemError(
        f"expected a list in every cell of elements, or in none, got {several!r} and {name!r}; "
        f"write every cell as a list: [{json.dumps(name, default=str)}]"
    )


def _suggest_sep(rows: Int64s, columns: Int64s, elements: tuple[Hashable, ...]) -> None:
    """Warn if no two sets share an element and most cells look like lists."""
    for one in elements:
        if isinstance(one, str) and one.endswith((*"])}",)) and len(listed(one) or "-") > 1:
            raise _mixed(next(other for other in elements if listed(other) is None), one)
    if len(elements) < len(columns) or len({*rows.tolist()}) < 2:
        return
    for sep in _SEPARATORS:
        cells = [one for one in elements if isinstance(one, str) and sep in one.strip()]
        if 2 * len(cells) > len(elements):
            is_list = cells[0].strip().startswith((*"[({",))
            if sep == " " and not is_list:
                return
            write = 'them as ["x", "y"]' if is_list else f"sep={sep!r} to split them"
            warn(
                f"no two sets share an element, and cells such as {cells[0]!r} look like lists; "
                f"write {write}",
            )
            return
