"""Labelled sets, sparse matrices, graphs and tables of other packages, taken apart into edges.

Nothing of these packages is imported: what they hand over is asked for what it can do.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core.validation import iterable, near, numbers, some
from maxcover.errors import ProblemError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]


# What other packages hand over is known by what it can do, and has a constructor of its own.
_OTHERS = {
    "tocoo": "from_sparse(matrix, ...)",
    "shape": "from_sparse(scipy.sparse.csr_array(matrix), ...), or from_table for a data frame",
    "column_names": "from_table(table, set=..., element=..., ...)",
    "adj": "from_networkx(graph, ...)",
}


def labelled_sets(
    sets: Mapping[Any, Iterable[Hashable]] | Iterable[Iterable[Hashable]],
) -> tuple[tuple[Hashable, ...], list[Iterable[Hashable]]]:
    """Split sets into labels and members."""
    if isinstance(sets, Mapping):
        return tuple(sets), list(sets.values())
    if isinstance(sets, str | bytes):
        raise ProblemError(f"expected a mapping or a list of sets, got the string {sets[:40]!r}")
    for sign, constructor in _OTHERS.items():
        if hasattr(sets, sign):
            raise ProblemError(
                f"expected a mapping or a list of sets, got a {type(sets).__name__}; "
                f"write CoverageProblem.{constructor}"
            )
    members = list(iterable(sets, "sets"))
    return tuple(range(len(members))), members


def number_elements(
    members: Sequence[Iterable[Hashable]],
) -> tuple[Int64s, Int64s, tuple[Hashable, ...]]:
    """Give numbers to elements in the order in which they first appear."""
    number_of: dict[Hashable, int] = {}
    columns, ends = array("q"), array("q", [0])  # half of what lists take
    for row, elements in enumerate(members):
        if isinstance(elements, str | bytes):
            raise ProblemError(
                f"expected sets[{row}] to be a list of elements, got the string {elements[:40]!r}; "
                "a string would be taken apart into letters: wrap it in a list, or split it"
            )
        try:
            columns.extend([number_of.setdefault(element, len(number_of)) for element in elements])
        except TypeError as error:
            raise ProblemError(
                f"expected sets[{row}] to be a list of hashable elements: {error}"
            ) from error
        ends.append(len(columns))
    if number_of.keys() <= {0, 1} and len(columns) > 2 * len(members):
        raise ProblemError(
            "expected lists of elements, got rows of 0 and 1, which look like a matrix; write "
            "CoverageProblem.from_sparse(scipy.sparse.csr_array(matrix), ...)"
        )
    rows = np.repeat(np.arange(len(members)), np.diff(np.asarray(ends)))
    return rows, np.asarray(columns), tuple(number_of)


def index_of(labels: Sequence[Hashable], side: str) -> dict[Hashable, int]:
    """Return the position of each label, which must be unique."""
    positions = {label: position for position, label in enumerate(labels)}
    if len(positions) != len(labels):
        raise ProblemError(f"expected different labels for different {side}s, got one label twice")
    return positions


def look_up(labels: Iterable[Hashable], positions: Mapping[Hashable, int], name: str) -> Int64s:
    """Turn labels into indices."""
    if isinstance(labels, str | bytes):
        raise ProblemError(f"expected {name} to be a list of labels, got the string {labels!r}")
    found = []
    for label in iterable(labels, name):
        if not isinstance(label, Hashable) or label not in positions:
            raise ProblemError(
                f"expected {name} sets by label, got {label!r}, which no set is called"
                f"{near(label, positions)}; the sets are {some(positions)}"
            )
        found.append(positions[label])
    return np.array(found, dtype=np.int64)


_NOTHING = object()


def aligned(values: Any, labels: Sequence[Hashable], name: str, default: Any = _NOTHING) -> Any:
    """Bring a mapping into the order of the labels; anything else is in that order already."""
    if not isinstance(values, Mapping):
        return values
    known = set(labels)
    unknown = [label for label in values if label not in known]
    if unknown:
        raise ProblemError(
            f"expected {name} of labels that there are, got {unknown[0]!r}"
            f"{near(unknown[0], known)} ({len(unknown)} unknown); leave it out, or "
            f"spell it as one of {some(labels)}"
        )
    if default is _NOTHING:
        missing = [label for label in labels if label not in values]
        if missing:
            raise ProblemError(
                f"expected {name} for each label, got none for {missing[0]!r} ({len(missing)} "
                "missing); add them"
            )
    return [values.get(label, default) for label in labels]


def edges_of_matrix(matrix: Any) -> tuple[Int64s, Int64s, tuple[int, int]]:
    """Return the non-zero entries of a sparse matrix or array of any format."""
    sparse = sys.modules.get("scipy.sparse")  # whoever has such a matrix has loaded it
    if sparse is None or not sparse.issparse(matrix):
        raise ProblemError(
            f"expected matrix to be a scipy.sparse matrix or array, got {type(matrix).__name__}; "
            "wrap a dense array: scipy.sparse.csr_array(array)"
        )
    if matrix.ndim != 2:
        raise ProblemError(f"expected a matrix of sets by elements, got shape {matrix.shape}")
    entries = matrix.tocoo()
    if entries.dtype.kind in "fc" and bool(np.isnan(entries.data).any()):
        raise ProblemError(
            "expected a number in every entry of the matrix, got NaN; clean it first"
        )
    present = entries.data != 0
    return entries.row[present], entries.col[present], matrix.shape


def sets_of_graph(
    graph: Any, sets: Iterable[Hashable] | None, cost: str, weight: str
) -> tuple[dict[Any, list[Any]], dict[Any, float], dict[Any, float]]:
    """Take a bipartite graph apart into sets, costs and weights."""
    if not hasattr(graph, "adj") or not hasattr(graph, "nodes"):
        raise ProblemError(f"expected a networkx graph, got {type(graph).__name__}")
    if sets is None:
        sets = [node for node, data in graph.nodes(data=True) if data.get("bipartite") == 0]
        if not sets and len(graph):
            raise ProblemError(
                "expected nodes with the attribute bipartite=0, got none; say which nodes are "
                "sets: sets=[...]"
            )
    members: dict[Any, list[Any]] = {node: [] for node in sets}
    missing = [node for node in members if node not in graph]
    if missing:
        raise ProblemError(f"expected sets to be nodes of the graph, got {missing[0]!r}")
    for one, other in graph.edges():
        if (one in members) == (other in members):
            side = "two sets" if one in members else "two elements"
            raise ProblemError(
                f"expected every edge to join a set and an element, got {one!r} to {other!r}, "
                f"{side}"
            )
        inside, outside = (one, other) if one in members else (other, one)
        members[inside].append(outside)
    costs = {node: graph.nodes[node].get(cost, 1) for node in members}
    held = {element for elements in members.values() for element in elements}
    weights = {node: graph.nodes[node].get(weight, 1) for node in graph if node in held}
    return members, costs, weights


def encode_column(table: Any, name: str) -> tuple[Int64s, tuple[Hashable, ...]]:
    """Give numbers to the labels in a column of a table, in order of first appearance."""
    column = _table_column(table, name)
    if hasattr(column, "factorize"):  # pandas
        codes, labels = column.factorize()
        missing = int((codes < 0).sum())
        values = labels.tolist()
    else:
        missing = column.null_count
        encoded = column.combine_chunks().dictionary_encode()
        codes, values = encoded.indices, encoded.dictionary.to_pylist()
    if missing:
        raise ProblemError(
            f"expected a label in every row of column {name!r}, got {missing} missing; drop them"
        )
    return np.asarray(codes, dtype=np.int64), tuple(values)


def node_column(
    table: Any,
    source: str | Mapping[Any, float] | None,
    codes: Int64s,
    labels: Sequence[Hashable],
    name: str,
) -> Any:
    """Read costs or weights that stand in a column beside each edge."""
    if not isinstance(source, str):
        return aligned(source, labels, name)
    per_edge = numbers(np.asarray(_table_column(table, source)), source)
    per_node = np.zeros(len(labels))
    per_node[codes] = per_edge
    differs = np.flatnonzero(per_node[codes] != per_edge)
    if differs.size:
        label = labels[codes[differs[0]]]
        raise ProblemError(
            f"expected the same value of {source!r} in every row of {label!r}, got "
            f"{per_edge[differs[0]]:g} "
            f"and {per_node[codes[differs[0]]]:g}"
        )
    return per_node


def _table_column(table: Any, name: str) -> Any:
    names = list(getattr(table, "column_names", getattr(table, "columns", ())))
    if name not in names:
        raise ProblemError(
            f"expected a pyarrow Table or pandas DataFrame with a column {name!r}, got "
            f"{type(table).__name__} with columns {some(names)}"
        )
    return table[name]
