"""Every option of `solve` and its methods: what is expected, and how that is checked."""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.core.bounds import BOUNDS
from maxcover.errors import OptionError
from maxcover.solvers.beliefs import COVERAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Option(NamedTuple):
    """What an option may be: in words, and as a check of a value that is not None."""

    expected: str
    accepts: Callable[[Any], bool]
    optional: bool = False


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float | np.floating) and not math.isnan(value))


def _number(words: str, test: Callable[[float], bool], *, optional: bool = False) -> Option:
    return Option(words, lambda value: _is_number(value) and test(float(value)), optional)


def _whole(words: str, least: int, *, optional: bool = False) -> Option:
    return Option(words, lambda value: _is_whole(value) and int(value) >= least, optional)


def _one_of(names: tuple[str, ...]) -> Option:
    return Option(f"one of {', '.join(names)}", lambda value: value in names)


OPTIONS: dict[str, Option] = {
    "time_limit": _number("a number of seconds, at least 0", lambda x: x >= 0, optional=True),
    "target_gap": _number("a number of at least 0", lambda x: x >= 0),
    "seed": _whole("a whole number of at least 0", 0),
    "bound": _one_of(BOUNDS),
    "checkable": Option("True or False", lambda value: isinstance(value, bool | np.bool_)),
    "callback": Option("a function of one argument", callable, optional=True),
    "threads": _whole("a whole number of at least 1", 1, optional=True),
    "beta": _number("a finite number above 0", lambda x: 0 < x < math.inf, optional=True),
    "mu": _number("a finite number", math.isfinite, optional=True),
    "coverage": _one_of(COVERAGE),
    "batches": _whole("a whole number of at least 0", 0, optional=True),
    "max_sweeps": _whole("a whole number of at least 1", 1),
    "tol": _number("a number of at least 0", lambda x: x >= 0),
    "damping": _number("a number from 0 up to below 1", lambda x: 0 <= x < 1),
}


def check_options(options: dict[str, Any]) -> None:
    """Raise OptionError for the first value that its option does not take."""
    for name, value in options.items():
        option = OPTIONS[name]
        fits = option.optional if value is None else option.accepts(value)
        if not fits:
            or_none = " or None" if option.optional else ""
            raise OptionError(f"expected {name} to be {option.expected}{or_none}, got {value!r}")


def check_names(names: Iterable[str], known: Iterable[str], owner: str) -> None:
    """Raise OptionError for the first name that is not known, with the nearest that is."""
    known = list(known)
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            listed = ", ".join(known) or "no further options"
            raise OptionError(f"expected {listed} for {owner}, got {name!r}{hint}")
