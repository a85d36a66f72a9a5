"""Labels: the names of the sets, or of the elements, of a problem.

Wherever an index is accepted, a label is accepted too. Values without labels are taken by position.
A value that is neither a label nor an index is refused, with a message that lists some labels.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from maxcover.engine.core import tables, validation
from maxcover.engine.core.validation import MOST_NODES, iterable, near, some, warn
from maxcover.errors import ProblemError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from maxcover.ground.array_types import Floats, Int64s


class Chosen(Protocol):
    """Any object with the chosen sets in `selected` and `labels`, such as a Solution."""

    @property
    def selected(self) -> NDArray[np.int64]:
        """Indices of the chosen sets."""

    @property
    def labels(self) -> tuple[Hashable, ...] | None:
        """Labels of the chosen sets; None if the sets have no labels."""


#: Labels or indices of sets, or a Solution.
Selection: TypeAlias = "ArrayLike | Iterable[Hashable] | Chosen"

_NOTHING = object()
# Where users write a selection; elsewhere an array is one that a call returned.
_STATED = ("required", "forbidden")
#: Arguments with one value per set, or per element.
OF_SETS, OF_ELEMENTS = ("costs", "groups", "worth"), ("weights", "need", "regions")


def first_list(given: Mapping[str, Any]) -> tuple[str, int] | None:
    """Return the name and the length of the first argument that is a list without labels.

    Its entries are in the order of indices. Where nobody stated the order of the labels, a list
    must not be paired with the order in which they happen to appear.

    Examples
    --------
    >>> first_list({"weights": {"x": 2}, "need": 2}), first_list({"weights": [2, 1]})
    (None, ('weights', 2))
    """
    for name, values in given.items():
        named = tables.named_values(values)
        if named is not None and (isinstance(values, Mapping) or not tables.is_count(named[0])):
            continue
        is_one = isinstance(values, str) or not getattr(values, "ndim", 1)
        if named is not None or (hasattr(values, "__len__") and not is_one):
            return name, len(values)
    return None


def indices_needed(side: str, label: Hashable, size: int, name: str) -> str:
    """Return the message that the list `name` needs sets (or elements) that are indices."""
    return (
        f"expected {side}s to be indices from 0 to {size - 1}, as {name} is a list of {size}, got "
        f"{label!r}; write {name}={{{label!r}: ..., ...}}"
        + (", or give the order of the list as element_labels" if side == "element" else "")
    )


class Labels:
    """The labels of `count` sets or elements; if `names` is None, the labels are 0, 1, 2, ..."""

    def __init__(self, names: Iterable[Hashable] | None, count: int, side: str = "set") -> None:
        self.names = None if names is None else tuple(names)
        self.count, self.side = count, side

    @cached_property
    def positions(self) -> dict[Hashable, int]:
        """The index of each label, which must be unique."""
        labels: Iterable[Hashable] = range(self.count) if self.names is None else self.names
        positions = {label: position for position, label in enumerate(labels)}
        if len(positions) != self.count:
            raise ProblemError(
                f"expected different labels for different {self.side}s, got one label twice"
            )
        return positions

    @cached_property
    def are_numbers(self) -> bool:
        """Whether some label is a number that differs from its index."""
        return self.names is not None and any(
            isinstance(label, int | float | np.number) and label != position
            for position, label in enumerate(self.names)
        )

    def find(self, given: Any, name: str = "selected") -> Int64s:
        """Return the indices of sets or elements given by label, by index, or as a Solution.

        An array of whole numbers holds indices, as ``solution.selected`` does. In a list, a number
        is a label if labels are numbers.

        Examples
        --------
        >>> Labels(("a", "b", "c"), 3).find(["c", 0])
        array([2, 0])
        """
        if hasattr(given, "selected"):  # `given` is a Solution
            named = self.names is not None and given.labels is not None
            given = list(given.labels) if named else given.selected
        if isinstance(given, str | bytes):
            raise ProblemError(
                f"expected {name} to be a list of {self.side}s, got the text {given!r}; write "
                f"{name}=[{given!r}]"
            )
        if not isinstance(given, np.ndarray) or given.dtype.kind not in "iu" or given.ndim != 1:
            given = self._find_each(list(iterable(given, name)), name)
        elif name in _STATED and self.are_numbers:
            self._refuse_two_meanings(given, name)
        if given.size and (int(given.min()) < 0 or int(given.max()) >= self.count):
            wrong = int(given.min()) if int(given.min()) < 0 else int(given.max())
            raise ProblemError(
                f"expected {self._meant(name)} by label, or by index from 0 to {self.count - 1}, "
                f"got {wrong}"
            )
        return np.ascontiguousarray(given, dtype=np.int64)

    def _refuse_two_meanings(self, given: Int64s, name: str) -> None:
        """Raise ProblemError if the numbers of an array are labels too, of other sets."""
        places = [self.positions.get(one) for one in given.tolist()]
        if None not in places and places != given.tolist():
            raise ProblemError(
                f"expected {self._meant(name)} by label, got an array of numbers, which are labels "
                "of some sets and indices of others; write list(...) if they are labels"
            )

    def _find_each(self, given: list[Any], name: str) -> Int64s:
        if len(given) > 1 and all(isinstance(one, bool | np.bool_) for one in given):
            raise ProblemError(
                f"expected {self._meant(name)}, got a mask of {len(given)} booleans; "
                "pass numpy.flatnonzero(mask)"
            )
        found = []
        for one in given:
            at = self._index(one)
            if at is None:
                raise ProblemError(self._unknown(one, name))
            found.append(at)
        return np.array(found, dtype=np.int64)

    def _index(self, one: Any) -> int | None:
        if isinstance(one, bool | np.bool_):
            return None
        if self.names is not None and isinstance(one, Hashable):
            found = self.positions.get(one)
            if found is not None or self.are_numbers:
                return found
        is_whole = isinstance(one, int | np.integer) or (
            isinstance(one, float | np.floating) and float(one).is_integer()
        )
        return int(one) if is_whole and 0 <= one < self.count else None

    def _meant(self, name: str) -> str:
        """Return what the argument `name` must be, for a message: "sets", or "start to be sets"."""
        return name if name == f"{self.side}s" else f"{name} to be {self.side}s"

    def _unknown(self, one: Any, name: str) -> str:
        if self.names is None:
            return (
                f"expected {self._meant(name)} as whole numbers from 0 to {self.count - 1}, as the "
                f"{self.side}s have no labels, got {one!r}; give them labels with "
                f"{self.side}_labels=, or use CoverageProblem.from_sets"
            )
        hint = ""
        if isinstance(one, int) and self.are_numbers:
            hint = f"; for indices write numpy.array([{one!r}])"
        return (
            f"expected {self._meant(name)} by label, got {one!r}, which no {self.side} is called"
            f"{near(one, self.names)}; the {self.side}s are {some(self.names)}{hint}"
        )

    def numbers(self, values: Any, name: str) -> Floats:
        """Return one number for each label, in order; all 1 if `values` is None."""
        if values is None:
            return np.ones(self.count)
        each = validation.numbers(self.align(values, name), name, self.called)
        self._check_length(len(each), name, "numbers")
        return each

    def each(self, values: Any, name: str, default: Any = _NOTHING) -> list[Any]:
        """Return one entry for each label, in order; `default` for labels that a mapping lacks."""
        found = list(iterable(self.align(values, name, default), name))
        self._check_length(len(found), name, "entries")
        return found

    def _check_length(self, length: int, name: str, what: str) -> None:
        if length != self.count:
            raise ProblemError(
                f"{name} needs {self.count} {what}, one per {self.side}; it has {length}"
            )

    def align(self, values: Any, name: str, default: Any = _NOTHING) -> Any:
        """Return `values` in the order of the labels, if they are given by label.

        A mapping, a pandas Series and a table of two columns have labels; anything else is in
        order already. A Series with the index 0, 1, 2, ... is in order too, unless these are the
        labels.

        Examples
        --------
        >>> Labels(("a", "b"), 2).align({"b": 20, "a": 10}, "costs")
        [10, 20]
        """
        given = tables.named_values(values)
        if given is None:
            return values
        keys, held = given
        where = self._places(keys)
        if (where < 0).any() and not isinstance(values, Mapping) and tables.is_count(keys):
            return held
        self._check_places(where, keys, name, needs_all=default is _NOTHING)
        if isinstance(held, np.ndarray) and held.dtype.kind in "biuf" and len(held) == self.count:
            ordered = np.empty(self.count, dtype=held.dtype)
            ordered[where] = held
            return ordered
        each = [default] * self.count
        for place, value in zip(where.tolist(), held, strict=True):
            each[place] = value
        return each

    def _places(self, keys: list[Any]) -> Int64s:
        if self.names is None:
            found = (self._index(key) for key in keys)
            return np.array([-1 if one is None else one for one in found], dtype=np.int64)
        try:
            return np.array([self.positions.get(key, -1) for key in keys], dtype=np.int64)
        except TypeError as error:
            raise ProblemError(f"expected labels that can be looked up: {error}") from error

    def _check_places(self, where: Int64s, keys: list[Any], name: str, *, needs_all: bool) -> None:
        counts = np.bincount(where[where >= 0], minlength=self.count)
        unknown = [keys[k] for k in np.flatnonzero(where < 0)[:1000].tolist()]
        shown = range(min(self.count, 9)) if self.names is None else self.names
        if unknown:
            kind = "is in no set" if self.side == "element" else f"no {self.side} is called"
            raise ProblemError(
                f"{name} has {unknown[0]!r}, which {kind}{near(unknown[0], shown)} "
                f"({len(unknown)} unknown); the {self.side}s are {some(shown)}"
            )
        if (counts > 1).any():
            twice = int(np.argmax(counts > 1))
            raise ProblemError(f"{name} has {self.called(twice)!r} twice; write it once")
        if needs_all and (counts == 0).any():
            missing = int(np.argmin(counts))
            raise ProblemError(
                f"{name} has nothing for {self.called(missing)!r} ({int((counts == 0).sum())} "
                f"missing of {self.count}); add them"
            )

    def called(self, position: int) -> Hashable:
        """Return the label at index `position`."""
        return position if self.names is None else self.names[position]


def count_nodes(
    column: NDArray[Any],
    values: Any,
    given: int | None,
    names: Iterable[Hashable] | None,
    *,
    side: str,
    array: str,
) -> Labels:
    """Return the labels of the sets (or elements); all arguments must agree on their number."""
    used = int(column.max()) + 1 if column.size else 0
    if given is not None and not (isinstance(given, int | np.integer) and 0 <= given <= MOST_NODES):
        raise ProblemError(f"expected n_{side}s to be a whole number from 0, got {given!r}")
    if isinstance(names, str | bytes):
        raise ProblemError(f"expected {side}_labels to be a list, got the text {names!r}")
    labels = None if names is None else tuple(names)
    sizes = {
        f"n_{side}s": None if given is None else int(given),
        f"{side}_labels": None if labels is None else len(labels),
        array: None if values is None or labels is not None else _size(values, used, array),
    }
    known = {name: size for name, size in sizes.items() if size is not None}
    if len({*known.values()}) > 1:
        (one, size), (other, wrong), *_ = known.items()
        raise ProblemError(f"{other} needs {size} entries, one per {side} ({one}); it has {wrong}")
    count = next(iter(known.values()), used)
    if used > count:
        raise ProblemError(
            f"expected {side}s below {count} (there are {count} {next(iter(known))}), got "
            f"{used - 1}; number them from 0, or give {next(iter(known))} for every one of the "
            f"{side}s"
        )
    if not known and column.size and int(column.min()) == 1:
        warn(
            f"the {side}s are numbered from 1, so {side} 0 is there without an edge; pass "
            f"{side}s - 1, or n_{side}s={used} if that is meant",
        )
    return Labels(labels, count, side)


def _size(values: Any, used: int, array: str) -> int:
    """Return the number of sets (or elements) implied by `values`, a list or a mapping by index."""
    given = tables.named_values(values)
    if given is None:
        return len(validation.numbers(values, array))
    keys, _ = given
    whole = [key for key in keys if isinstance(key, int | np.integer)]
    if len(whole) < len(keys) and not tables.is_count(keys):
        raise ProblemError(
            f"{array} has labels such as {some(keys, 3)}, but there are none here to look them up "
            f"among; pass the labels too, or {array} as an array in the order of the indices"
        )
    return max([used, *(int(key) + 1 for key in whole)])
