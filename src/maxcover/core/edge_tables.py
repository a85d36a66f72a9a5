"""Edge tables: a table with one row per edge or per set, and tables of sets and of elements.

One convention of columns for Python and the command line, the table `ROLES`.
"""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.core.tables import Table, is_missing
from maxcover.core.validation import EITHER_LIMIT, GROUP_LIMITS, numbers, some
from maxcover.errors import InputWarning, ProblemError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]


class Role(NamedTuple):
    """What a column says: the argument of `from_edges`, what it is of, and if it is a number."""

    argument: str
    of: str
    is_number: bool = True


#: The columns that are read where nothing else is said; beside them ``set`` and ``element``.
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
# Signs that people put between the elements in a cell.
_SEPARATORS = ";|,"


class EdgeTables:
    """Reads the arguments of `from_edges` out of tables, and knows which columns nobody read."""

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
        self.beside = {
            "set": None if sets is None else Table(sets, "table of sets"),
            "element": None if elements is None else Table(elements, "table of elements"),
        }
        self.key = {"set": set, "element": element}
        self.used: dict[int, list[str]] = {}
        self.known: list[str] = []
        self.sep = sep
        self._use(self.edges, set)
        self._use(self.edges, element)
        self.codes: dict[str, Int64s] = {}
        self.labels: dict[str, list[Hashable]] = {}
        self.repeats: Int64s | None = None
        self._read_edges()
        for side, other in self.beside.items():
            if other is not None:
                self._use(other, self.key[side])
                known = {*self.labels[side]}
                own = other.encode(self.key[side])[1]
                self.labels[side] += [label for label in own if label not in known]

    def _use(self, table: Table, name: str) -> None:
        self.used.setdefault(id(table), []).append(name)

    def _read_edges(self) -> None:
        """Give numbers to the ends of edges; a cell with several elements is several edges."""
        codes, labels = self.edges.encode(self.key["set"])
        cells = _lists(self.edges, self.key["element"], self.sep)
        if cells is None:
            columns, elements = self.edges.encode(self.key["element"])
            _suggest_sep(codes, columns, elements)
        else:
            self.repeats = np.array([len(cell) for cell in cells], dtype=np.int64)
            codes = np.repeat(codes, self.repeats)
            flat = Table({"element": [one for cell in cells for one in cell]})
            columns, elements = flat.encode("element")
        self.codes = {"set": codes, "element": columns}
        self.labels = {"set": list(labels), "element": list(elements)}

    def arguments(self, options: dict[str, Any], budget: Any) -> dict[str, Any]:
        """Return the arguments of `from_edges`, but for the budget."""
        given = dict(options)
        for name, role in ROLES.items():
            source = given.get(role.argument)
            if source is not None:
                self.known.append(name)
            if isinstance(budget, Mapping) and name == "cost":
                given["costs"] = {
                    one: self._costs(one, source, first=k == 0) for k, one in enumerate(budget)
                }
            elif isinstance(source, str):
                given[role.argument] = self._column(source, role)
            elif source is None and self.is_wanted(name, given) and self._holders(name, role.of):
                given[role.argument] = self._column(name, role)
        for side in ("set", "element"):
            given[f"{side}s"] = self.codes[side]
            given[f"{side}_labels"] = self.labels[side]
        return given

    def _costs(self, name: str, source: Any, *, first: bool) -> Any:
        """Return the costs of one of several budgets."""
        role = ROLES["cost"]
        if isinstance(source, Mapping) and name in source:
            own = source[name]
            return self._column(own, role) if isinstance(own, str) else own
        alone = "cost" if first and not self._holders(f"cost:{name}", "set") else f"cost:{name}"
        return self._column(alone, role)

    @staticmethod
    def is_wanted(name: str, given: dict[str, Any]) -> bool:
        """Whether a column is of use: groups and regions are not without a limit of theirs."""
        if name == "group":
            return any(given.get(limit) is not None for limit in GROUP_LIMITS)
        return name != "region" or given.get("min_coverage") is not None

    def _holders(self, name: str, of: str) -> list[Table]:
        tables = [self.beside.get(of), self.edges]
        return [table for table in tables if table is not None and name in table.names]

    def _column(self, name: str, role: Role) -> Any:
        """Return a column in the order of sets, elements or edges."""
        holders = self._holders(name, role.of)
        if not holders:
            everything = [t for t in (self.edges, *self.beside.values()) if t is not None]
            names = [column for table in everything for column in table.names]
            raise ProblemError(
                f"expected a column {name!r} for {role.argument}, got the columns {some(names)}"
            )
        table = holders[0]
        self._use(table, name)
        if table is not self.edges:
            values = table.numbers(name) if role.is_number else table.values(name)
            keys = table.values(self.key[role.of])
            if len({*keys}) < len(keys):
                raise ProblemError(f"expected one row per {role.of} in the {table.what}")
            return dict(zip(keys, values, strict=True))
        if role.of == "edge":
            return self._edge_values(name)
        values = table.numbers(name) if role.is_number else np.array([*table.values(name)], object)
        if self.repeats is not None:
            values = np.repeat(values, self.repeats)
        return self._of_nodes(numbers(values, name) if role.is_number else values, name, role.of)

    def _edge_values(self, name: str) -> Any:
        cells = _lists(self.edges, name, None)
        if cells is not None:
            return np.array([one for cell in cells for one in cell])
        values = self.edges.numbers(name)
        return values if self.repeats is None else np.repeat(values, self.repeats)

    def _of_nodes(self, per_edge: NDArray[Any], name: str, of: str) -> Any:
        """Return what stands beside each edge once for each set or element."""
        codes, labels = self.codes[of], self.labels[of]
        per_node = np.full(len(labels), None if per_edge.dtype == object else 0, per_edge.dtype)
        per_node[codes] = per_edge
        same = per_node[codes] == per_edge
        same |= (
            np.array([is_missing(one) for one in per_edge]) if per_edge.dtype == object else False
        )
        if not same.all():
            first = int(np.argmin(same))
            raise ProblemError(
                f"expected the same value of {name!r} in every row of {labels[codes[first]]!r}, "
                f"got {per_edge[first]} and {per_node[codes[first]]}"
            )
        if per_edge.dtype == object:
            return [None if is_missing(one) else one for one in per_node]
        beyond = len(labels) - (int(codes.max()) + 1 if codes.size else 0)
        if beyond:
            raise ProblemError(
                f"expected a column {name!r} in the table of {of}s too, where {beyond} of them "
                "have no edge"
            )
        return per_node

    def report_unused(self) -> None:
        """Warn of columns that nobody read; one that looks misspelt is refused."""
        for table in (self.edges, *self.beside.values()):
            if table is None:
                continue
            used = self.used[id(table)]
            unused = [name for name in table.names if name not in (*used, *self.known)]
            for name in unused:
                free = {role: role for role in ROLES if role not in used}
                near = difflib.get_close_matches(str(name).lower(), free, n=1, cutoff=0.75)
                if near and near[0] != name:
                    raise ProblemError(
                        f"the column {name!r} of the {table.what} is not read; did you mean "
                        f"{near[0]!r}? Rename it, or write {ROLES[near[0]].argument}={name!r}"
                    )
            if unused:
                warnings.warn(
                    f"not read: {', '.join(map(repr, unused))} of the {table.what}; read are "
                    f"{', '.join(map(repr, used))}{_why_unused(unused)}; name other columns as "
                    "in costs='price', or drop them",
                    InputWarning,
                    stacklevel=4,
                )


def _why_unused(unused: list[str]) -> str:
    if "group" in unused:
        return f" (a group needs {EITHER_LIMIT})"
    if "region" in unused:
        return " (a region needs min_coverage)"
    costs = [name for name in unused if str(name).startswith("cost:")]
    return f" (several budgets are budget={{{costs[0][5:]!r}: ...}})" if costs else ""


def _lists(table: Table, name: str, sep: str | None) -> list[list[Any]] | None:
    """Return the cells of a column that hold several, each as a list; None where they hold one."""
    column = table.column(name)
    is_nested = "list" in str(getattr(column, "type", ""))
    first = next((one for one in column if one is not None), None) if len(column) else None
    if sep is not None:
        cells = [str(one).split(sep) for one in table.values(name)]
        return [[part.strip() for part in cell if part.strip()] for cell in cells]
    if is_nested or isinstance(first, list | tuple | set | frozenset | np.ndarray):
        return [[] if one is None else list(one) for one in table.values(name)]
    return None


def _suggest_sep(rows: Int64s, columns: Int64s, elements: tuple[Hashable, ...]) -> None:
    """Warn where no two sets share an element, and the cells look like lists."""
    if len(elements) < len(columns) or len({*rows.tolist()}) < 2:
        return
    for sep in _SEPARATORS:
        if 2 * sum(isinstance(one, str) and sep in one for one in elements) > len(elements):
            warnings.warn(
                f"no two sets share an element, and cells such as {elements[0]!r} look like lists; "
                f"write sep={sep!r} to split them",
                InputWarning,
                stacklevel=6,
            )
            return
