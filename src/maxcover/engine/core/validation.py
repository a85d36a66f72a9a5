"""Validation: checks the arguments of users and converts them to the arrays of a problem.

Each error says what was expected, what was given, and what to do.
"""

from __future__ import annotations

import difflib
import sys
import warnings
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from maxcover.engine.core.ascending import distinct
from maxcover.engine.core.ticks import read
from maxcover.engine.kernels.rows import group_columns, sort_columns, transpose_rows
from maxcover.errors import InputWarning, ProblemError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from maxcover.ground.array_types import AnyArray, Floats, Int32s, Int64s


MOST_NODES = 2**31 - 1  # element indices are int32

# Kinds of numbers that a column of Python objects may hold.
_NUMBERS = (int, float, Fraction, Decimal)

Array = TypeVar("Array", bound="AnyArray")


def frozen(array: Array) -> Array:
    """Return the array, made read-only."""
    array.setflags(write=False)
    return array


def freeze(owner: object, **kinds: Any) -> None:
    """Convert the named fields of a frozen dataclass to read-only arrays of these types."""
    for name, kind in kinds.items():
        array = np.ascontiguousarray(getattr(owner, name), dtype=kind)
        object.__setattr__(owner, name, frozen(array.view()))


NO_INDICES = frozen(np.empty(0, dtype=np.int64))
NO_GROUPS = frozen(np.empty(0, dtype=np.int32))
#: Numbers between these can be multiplied, divided and added in any order without overflow. (The
#: searches rescale numbers beyond 2**300.)
SMALLEST, LARGEST = 1e-85, 1e85
NO_NUMBERS = frozen(np.empty(0, dtype=np.float64))


def _column(values: Any, name: str, what: str) -> AnyArray:
    """Return a one-dimensional array of numbers; raise ProblemError for anything else."""
    try:
        array = np.asarray(values)
    except ValueError as error:  # the nested lists have different lengths
        raise ProblemError(
            f"expected {name} to be a flat list of {what}, got nested lists"
        ) from error
    if array.ndim == 0:
        raise ProblemError(
            f"expected {name} to be a flat list of {what}, got {values!r}; write one for each, as "
            "in [2, 1], or leave it out (names of columns are read by from_table)"
        )
    if array.ndim != 1:
        raise ProblemError(
            f"expected {name} to be a flat list of {what}, got an array of shape {array.shape}; "
            "flatten it or pass one column"
        )
    if array.size and array.dtype.kind not in "biuf":
        listed = array.tolist()
        if what == "numbers" and all(isinstance(one, _NUMBERS) for one in listed):
            return array
        odd = next((one for one in listed if not isinstance(one, int | float)), listed[0])
        advice = "use CoverageProblem.from_sets or from_table for labels"
        if what == "numbers":
            advice = "write numbers, as in 2.5" if isinstance(odd, str) else "clean or drop it"
        raise ProblemError(f"expected {name} to be {what}, got {odd!r}; {advice}")
    return array


def exact_float(value: float | Fraction | Decimal, name: str) -> float:
    """Return `value` as a float; raise ProblemError if no float stands for it exactly.

    A whole float stands for itself, any other for the decimal that it prints as.

    Examples
    --------
    >>> exact_float(Decimal("0.1"), "costs"), exact_float(Fraction(1, 8), "costs")
    (0.1, 0.125)
    """
    try:
        near = float(value)
        if isinstance(value, float) or not np.isfinite(near) or read(near) == Fraction(value):
            return near
        denominator = Fraction(value).denominator
    except OverflowError:
        denominator = 1
    advice = "divide by a common unit"
    if 1 < denominator < 10**9:
        advice = f"multiply {name} by {denominator}"
    raise ProblemError(
        f"expected {name} that a 64-bit float holds exactly, got {str(value)[:40]}; {advice}, "
        "or round to 15 digits"
    )


def numbers(values: Any, name: str, label: Callable[[int], Hashable] = int) -> Floats:
    """Return `values` as read-only floats, checked to be finite and at least 0.

    `label` returns the label of an index, for messages.
    """
    column = _column(values, name, "numbers")
    is_long = column.dtype.kind in "iu" and column.size and int(column.max()) > 2**53
    if is_long or column.dtype.kind == "O":
        column = np.array([exact_float(one, name) for one in column.tolist()])
    array = column.astype(np.float64)  # copied, because the caller may change the original
    good = np.isfinite(array) & (array >= 0)
    if not good.all():
        first = int(np.flatnonzero(~good)[0])
        raise ProblemError(
            f"expected {name} to be finite and at least 0, got {name}[{label(first)!r}] = "
            f"{array[first]} ({int((~good).sum())} such in {len(array)}); clean or drop these "
            "entries"
        )
    return frozen(array)


# The warnings of a block of `noting`; None outside of one.
_NOTED: ContextVar[list[str] | None] = ContextVar("noted", default=None)


@contextmanager
def noting() -> Iterator[list[str]]:
    """Yield a list that gets what this block would warn of, for doors without an error stream."""
    noted: list[str] = []
    before = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(before)


def warn(message: str) -> None:
    """Warn with InputWarning, at the line from which the call came: outside of all our packages."""
    if (noted := _NOTED.get()) is not None:
        noted.append(message)
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back and "maxcover" in frame.f_globals.get("__name__", "").partition(".")[0]:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, InputWarning, stacklevel=level)


def check_range(array: Floats, name: str) -> None:
    """Raise ProblemError for positive numbers below `SMALLEST` or above `LARGEST`."""
    if not array.size or (float(array.max()) <= LARGEST and float(array.min()) >= SMALLEST):
        return
    odd = np.flatnonzero((array > LARGEST) | ((array > 0) & (array < SMALLEST)))
    if odd.size:
        first = int(odd[0])
        raise ProblemError(
            f"expected {name} to be 0 or between {SMALLEST:g} and {LARGEST:g}, got "
            f"{name}[{first}] = {array[first]:g}; multiply all {name} by a common number"
        )


def weights(values: Any) -> Floats:
    """Return checked weights, whose sum must be finite too."""
    array = numbers(values, "weights")
    with np.errstate(over="ignore"):
        if array.size and not np.isfinite(array.sum() * 4.0):
            raise ProblemError(
                f"expected weights with a sum below 4e307, got weights up to {array.max():g}; "
                "divide all weights by a common number"
            )
    return array


def budget(value: Any, costs: Floats, name: str = "budget") -> float:
    """Return a checked budget; a text such as "50%" is a share of the sum of `costs`."""
    if isinstance(value, str):
        # Rounded to twelve digits, so that a share of decimal costs is a short decimal.
        return float(f"{share(value, name) * float(costs.sum()):.12g}")
    result = number(value, name)
    if isinstance(value, int | np.integer) and float(costs.sum()) * (1 + 1e-9) >= result:
        exact_float(int(value), f"a {name}")
    return result


def share(text: str, name: str) -> float:
    """Return a percentage such as "50%" as a share from 0 to 1.

    Examples
    --------
    >>> share("50%", "budget")
    0.5
    """
    try:
        percent = Decimal(text.strip().removesuffix("%").strip())
    except InvalidOperation:
        percent = Decimal("nan")
    if not (percent.is_finite() and text.strip().endswith("%") and 0 <= percent <= 100):
        advice = f"; write {text.strip()}" if percent.is_finite() and "%" not in text else ""
        raise ProblemError(
            f"expected {name} to be a number, or a share up to '100%', got {text!r}{advice}"
        )
    return float(percent / 100)


def number(value: Any, name: str, *, whole: bool = False) -> float:
    """Return one checked number: finite, at least 0, and whole if `whole`."""
    if isinstance(value, bool | np.bool_ | str | bytes):
        advice = f"; write {name}={value}" if isinstance(value, str) and value.isdecimal() else ""
        raise ProblemError(f"expected {name} to be a number, got {value!r}{advice}")
    try:
        is_exact = isinstance(value, Fraction | Decimal)
        result = exact_float(value, name) if is_exact else float(value)
    except (TypeError, ValueError) as error:
        if isinstance(error, ProblemError):
            raise
        raise ProblemError(f"expected {name} to be a number, got {value!r}") from error
    except OverflowError as error:
        raise ProblemError(
            f"expected {name} to be below 1.8e308, got a whole number of {len(str(value))} digits"
        ) from error
    if not np.isfinite(result) or result < 0:
        advice = (
            "to allow everything, pass the sum of the costs" if result > 0 else "pass 0 or more"
        )
        raise ProblemError(f"expected {name} to be finite and at least 0, got {result}; {advice}")
    if whole and result != int(result):
        raise ProblemError(f"expected {name} to be a whole number, got {value!r}")
    return result


def edge_column(values: Any, name: str) -> AnyArray:
    """Return one checked column of an edge list: whole numbers from 0."""
    array = _column(values, name, "whole numbers from 0")
    if array.dtype.kind == "f":
        whole = np.isfinite(array) & (array == np.floor(array))
        if not whole.all():
            first = int(np.flatnonzero(~whole)[0])
            raise ProblemError(
                f"expected {name} to be whole numbers from 0, got {name}[{first}] = {array[first]}"
            )
    if array.dtype.kind not in "iu":
        array = array.astype(np.int64)
    if array.size:
        low, high = int(array.min()), int(array.max())
        if low < 0 or high >= MOST_NODES:
            raise ProblemError(
                f"expected {name} between 0 and {MOST_NODES - 1}, got "
                f"{low if low < 0 else high}; number them from 0"
            )
    return array


def csr_from_edges(rows: AnyArray, columns: AnyArray, n_sets: int) -> tuple[Int64s, Int32s]:
    """Return edges as sorted CSR arrays without duplicates; takes linear time."""
    if len(rows) != len(columns):
        raise ProblemError(
            f"expected sets and elements of the same length, one pair per edge, got {len(rows)} "
            f"and {len(columns)}"
        )
    indptr, indices = _empty_csr(n_sets, len(rows))
    group_columns(_as_indices(rows), _as_indices(columns), indptr, indices)
    kept = sort_columns(indptr, indices)
    return indptr, indices if kept == len(indices) else indices[:kept].copy()


def _empty_csr(n_rows: int, n_edges: int) -> tuple[Int64s, Int32s]:
    return np.zeros(n_rows + 1, dtype=np.int64), np.empty(n_edges, dtype=np.int32)


def _as_indices(column: AnyArray) -> Int32s:
    return np.ascontiguousarray(column, dtype=np.int32)


def csr(indptr: Any, indices: Any, *, n_sets: int, n_elements: int) -> tuple[Int64s, Int32s]:
    """Check CSR arrays (shape, ascending columns in each row) and return them read-only."""
    pointers = np.asarray(indptr)
    columns = np.asarray(indices)
    if pointers.shape != (n_sets + 1,) or pointers.dtype.kind not in "iu":
        raise ProblemError(
            f"expected indptr to be {n_sets + 1} whole numbers (one more than costs), "
            f"got shape {pointers.shape} of {pointers.dtype}"
        )
    if columns.ndim != 1 or (columns.size and columns.dtype.kind not in "iu"):
        raise ProblemError(f"expected indices to be whole numbers, got {columns.dtype}")
    pointers = pointers.astype(np.int64, copy=False)
    if pointers[0] != 0 or pointers[-1] != len(columns) or bool((np.diff(pointers) < 0).any()):
        raise ProblemError(
            f"expected indptr to rise from 0 to the number of edges {len(columns)}, "
            f"got {pointers[0]} to {pointers[-1]}"
        )
    if columns.size:
        low, high = int(columns.min()), int(columns.max())
        if low < 0 or high >= n_elements:
            raise ProblemError(
                f"expected indices between 0 and {n_elements - 1}, got {low if low < 0 else high}"
            )
    columns = columns.astype(np.int32, copy=False)
    starts_row = np.zeros(len(columns) + 1, dtype=bool)
    starts_row[pointers] = True
    if not (starts_row[1:-1] | (columns[1:] > columns[:-1])).all():
        raise ProblemError(
            "expected the elements of each set in ascending order without repetition; use "
            "from_edges, which sorts"
        )
    return frozen(pointers.view()), frozen(columns.view())


def transposed(indptr: Int64s, indices: Int32s, n_elements: int) -> tuple[Int64s, Int32s]:
    """Return the transpose of a CSR matrix as CSR arrays with ascending indices."""
    starts, rows = _empty_csr(n_elements, len(indices))
    transpose_rows(indptr, indices, starts, rows)
    return frozen(starts), frozen(rows)


def positions_of(indptr: Int64s, rows: Int64s) -> Int64s:
    """Return the positions in the CSR indices of all entries of `rows`, row after row."""
    starts = indptr[rows]
    lengths = indptr[rows + 1] - starts
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    shifts: Int64s = np.repeat(starts - (ends - lengths), lengths)
    return np.arange(total, dtype=np.int64) + shifts


def index_list(values: Any, name: str, n_sets: int) -> Int64s:
    """Return required or forbidden sets, checked, ascending and without duplicates."""
    column = _column(values, name, "whole numbers from 0")
    if not column.size:
        return NO_INDICES
    if column.dtype.kind == "b":
        raise ProblemError(
            f"expected {name} to be indices of sets, got a mask of {column.size} booleans; "
            "pass numpy.flatnonzero(mask)"
        )
    indices = edge_column(column, name)
    if int(indices.max()) >= n_sets:
        raise ProblemError(f"expected {name} sets below {n_sets}, got {indices.max()}")
    return frozen(distinct(indices).astype(np.int64))


def iterable(values: Any, name: str) -> Iterable[Any]:
    """Return `values` if they can be iterated over, else raise ProblemError."""
    try:
        iter(values)
    except TypeError as error:
        raise ProblemError(
            f"expected {name} to be a list, got {values!r}; write {name}=[{values!r}]"
            if values is not None
            else f"expected {name} to be a list, got None; leave it out"
        ) from error
    return values  # type: ignore[no-any-return]


def near(label: Hashable, known: Iterable[Hashable]) -> str:
    """Return "; did you mean ...?" with the most similar known label; empty if none is similar."""
    if not isinstance(label, str):
        return ""
    texts = [other for other in known if isinstance(other, str)]
    found = difflib.get_close_matches(label, texts[:1000], n=1)
    return f"; did you mean {found[0]!r}?" if found else ""


def some(labels: Iterable[Hashable], most: int = 8) -> str:
    """Return the first `most` labels as text, for a message."""
    shown = list(labels)
    return ", ".join(map(repr, shown[:most])) + (", ..." if len(shown) > most else "")
