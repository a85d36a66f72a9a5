"""Converters: turn labelled sets and matrices of other packages into edges.

None of these packages is imported: their objects are recognised by their attributes.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core import tables
from maxcover.engine.core.labels import indices_needed
from maxcover.engine.core.validation import iterable, near
from maxcover.errors import ProblemError

if TYPE_CHECKING:
    from maxcover.ground.array_types import Floats, Int64s


# Attributes by which objects of other packages are recognised, and the constructor for each.
_OTHERS = {
    "tocoo": "from_sparse(matrix, ...)",
    "shape": "from_sparse(matrix, ...), or from_table for a data frame",
    "column_names": "from_table(table, set=..., element=..., ...)",
    "adj": "from_sets({node: list(graph[node]) for node in sets}, ...)",
}


def labelled_sets(
    sets: Mapping[Any, Iterable[Hashable]] | Iterable[Iterable[Hashable]],
    set_labels: Iterable[Hashable] | None = None,
) -> tuple[tuple[Hashable, ...], list[Iterable[Hashable]]]:
    """Return the labels of the sets, and the members of each set."""
    if isinstance(sets, Mapping):
        if set_labels is not None:
            raise ProblemError("expected set_labels for a list of sets alone; a mapping has labels")
        return tuple(sets), list(sets.values())
    if isinstance(sets, str | bytes):
        raise ProblemError(f"expected a mapping or a list of sets, got the string {sets[:40]!r}")
    is_series = hasattr(sets, "iloc") and not hasattr(sets, "columns")
    if is_series and (given := tables.named_values(sets)) is not None:
        return tuple(given[0]), list(given[1])
    for sign, constructor in _OTHERS.items():
        if hasattr(sets, sign):
            raise ProblemError(
                f"expected a mapping or a list of sets, got a {type(sets).__name__}; "
                f"write CoverageProblem.{constructor}"
            )
    members = list(iterable(sets, "sets"))
    return tuple(range(len(members)) if set_labels is None else set_labels), members


def misread(
    labels: Sequence[Hashable], members: Sequence[Any], elements: Sequence[Hashable]
) -> str:
    """Return why sets seem to mean something else than lists of elements; "" if they do not."""
    if None in elements:
        return "None counts as an element; if it is a missing value, drop it"
    for label, own in zip(labels, members, strict=False):  # labels may name empty sets too
        if isinstance(own, Mapping):
            return (
                f"the values of the mapping sets[{label!r}] are not read, only its keys, as "
                "elements; pass the values as chance=... or best=..., and lists as sets"
            )
    return ""


def number_elements(
    members: Sequence[Iterable[Hashable]],
    known: Iterable[Hashable] | None = None,
    because: str = "n_elements",
) -> tuple[Int64s, Int64s, tuple[Hashable, ...]]:
    """Return set and element number of each edge, and the element labels.

    Elements are numbered in the order of `known`, or of first appearance if that is None. A range
    as `known` means indices; `because` is the argument that says so, for a message.
    """
    try:
        number_of = {element: k for k, element in enumerate(() if known is None else known)}
    except TypeError as error:
        raise ProblemError(f"expected element_labels to be hashable labels: {error}") from error
    n_known = None if known is None else len(number_of)
    columns, ends = array("q"), array("q", [0])  # arrays take half the memory of lists
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
    for element in number_of:
        if element is not None and tables.is_missing(element):
            raise ProblemError(f"expected elements, got {element!r}, a missing value; drop it")
    if n_known is not None and len(number_of) > n_known:
        odd = list(number_of)[n_known]
        if isinstance(known, range):
            raise ProblemError(indices_needed("element", odd, n_known, because))
        raise ProblemError(
            f"expected elements to be among element_labels, got {odd!r}; weights by element are "
            '{"x": 1, ...}'
        )
    is_flag = any(isinstance(element, bool) for element in number_of)
    if number_of.keys() <= {0, 1} and (is_flag or len(columns) > 2 * len(members)):
        raise ProblemError(
            "expected lists of elements, got rows of 0 and 1, which look like a matrix; write "
            "CoverageProblem.from_sparse(matrix, ...)"
        )
    rows = np.repeat(np.arange(len(members)), np.diff(np.asarray(ends)))
    return rows, np.asarray(columns), tuple(number_of)


def with_unreached(elements: tuple[Hashable, ...], weights: Any) -> tuple[Hashable, ...]:
    """Return `elements`, followed by the elements that have a weight but are in no set."""
    given = None if weights is None else tables.named_values(weights)
    if given is None or (not isinstance(weights, Mapping) and tables.is_count(given[0])):
        return elements
    known = {*elements}
    more = [label for label in given[0] if label not in known]
    missing = known.difference(given[0]) if more else ()
    if missing:
        raise ProblemError(
            f"weights has {more[0]!r}, which is in no set{near(more[0], missing)}, and nothing for "
            f"{len(missing)} elements such as {next(iter(missing))!r}"
        )
    return (*elements, *more)


def frame_labels(matrix: Any) -> dict[str, list[Hashable]]:
    """Return the labels of the rows and columns of a data frame; none for other matrices."""
    if not (hasattr(matrix, "iloc") and hasattr(matrix, "columns")):
        return {}
    given = {"set_labels": matrix.index.tolist(), "element_labels": matrix.columns.tolist()}
    return {name: labels for name, labels in given.items() if not tables.is_count(labels)}


def matrix_entries(matrix: Any, name: str) -> tuple[Int64s, Int64s, Floats, tuple[int, int]]:
    """Return the non-zero entries of a matrix: rows, columns, values; and its shape.

    Parameters
    ----------
    matrix : array, or scipy.sparse matrix or array of any format
    name : str
        What the entries are, for messages.
    """
    sparse = sys.modules.get("scipy.sparse")  # SciPy is loaded already if the matrix is sparse
    is_sparse = sparse is not None and sparse.issparse(matrix)
    array: Any = matrix if is_sparse else np.asarray(matrix)
    if array.ndim != 2 or array.dtype.kind not in "fiubc":
        raise ProblemError(
            f"expected {name} as a matrix of numbers, sets by elements, got shape {array.shape} of "
            f"{array.dtype}"
        )
    if is_sparse:
        entries = array.tocsr().tocoo()  # `tocsr` adds up duplicate entries
        rows, columns, values = entries.row, entries.col, entries.data
    else:
        rows, columns = np.nonzero(array)
        values = array[rows, columns]
    values = (np.abs(values) if values.dtype.kind == "c" else values).astype(np.float64)
    if not np.isfinite(values).all():
        odd = "NaN" if np.isnan(values).any() else "infinity"
        raise ProblemError(f"expected finite {name}, got {odd}; clean it first")
    kept = values != 0
    rows, columns = rows[kept].astype(np.int64), columns[kept].astype(np.int64)
    return rows, columns, values[kept], (int(array.shape[0]), int(array.shape[1]))
