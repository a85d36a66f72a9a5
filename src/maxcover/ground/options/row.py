"""Row: the values of one option in Python and in JSON, and functions that make usual rows."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Collection, Iterable
from numbers import Integral, Real
from typing import Any, NamedTuple

from maxcover.errors import OptionError
from maxcover.ground.options.plain import fits, parts_of, schema_of, words_of

# Largest whole number that an option accepts unless its row says otherwise.
MOST = 2**31 - 1


class Option(NamedTuple):
    """A row of the option table: which values an option accepts, and its help.

    Attributes
    ----------
    help : str
        One line, for the command line and the service.
    expected : str
        What is accepted, in words that complete "expected X to be ...".
    accepts : callable
        Returns whether a value other than None is accepted.
    plain : type
        The type of the option in JSON, as `maxcover.ground.options.plain` reads types; None if JSON
        cannot hold it.
    optional : bool
        Whether None is accepted.
    least, most : float
        Limits of a number.
    names : tuple of str
        The names that a text may be; empty if any text is accepted.
    classes : tuple of str
        Names of classes of this package whose objects are accepted, subclasses included.
    read_later : bool
        Whether the check of the plain type is left to the code that reads the value, whose message
        says more.
    """

    help: str
    expected: str
    accepts: Callable[[Any], bool]
    plain: Any = None
    optional: bool = False
    least: float | None = None
    most: float | None = None
    names: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    read_later: bool = False

    def check(self, name: str, value: Any) -> None:
        """Raise OptionError if `value` is not accepted."""
        if value is None:
            will_do = self.optional
        else:
            known = self.names if isinstance(value, str) else ()
            will_do = value in known if known else self.accepts(value) or self._is_made(value)
        if not will_do:
            self._refuse(name, value)

    def check_plain(self, name: str, value: Any) -> None:
        """Raise OptionError if `value`, which was read from JSON, is not accepted."""
        if value is not None and not (self.read_later or fits(value, self.plain)):
            self._refuse(name, value)
        self.check(name, value)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the option, with `help` as its description."""
        if self.names and self.plain is str:
            found: dict[str, Any] = {"type": "string", "enum": list(self.names)}
        else:
            found = schema_of(self.plain)
        limits = {"minimum": self.least, "maximum": self.most}
        found |= {name: end for name, end in limits.items() if end is not None}
        if self.optional:
            found = {"anyOf": [*found.get("anyOf", [found]), {"type": "null"}]}
        return {**found, "description": self.help}

    def _refuse(self, name: str, value: Any) -> None:
        words = self.expected.format(names=", ".join(self.names))
        or_none = " or None" if self.optional else ""
        is_one = isinstance(value, str | int) and not isinstance(value, bool) and not self.names
        advice = f"; write {name}=[{shown(value)}]" if is_one and self.accepts([value]) else ""
        raise OptionError(f"expected {name} to be {words}{or_none}, got {shown(value)}{advice}")

    def _is_made(self, value: Any) -> bool:
        """Whether a value is of a class in `classes`, by name: this module cannot import them."""
        return any(
            kind.__name__ in self.classes and kind.__module__.startswith("maxcover.")
            for kind in type(value).__mro__
        )


def shown(value: Any) -> str:
    """Return the repr of a value, shortened for an error message."""
    text = repr(value[:20] if isinstance(value, list | tuple | str) else value)
    return text if len(text) <= 80 else f"{text[:60]}… ({type(value).__name__})"


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number; True and False are not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a real number, and neither NaN nor a bool."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return not math.isnan(float(value))
    except OverflowError:
        return False


def number(
    line: str,
    least: float = -math.inf,
    most: float = math.inf,
    *,
    above: bool = False,
    below: bool = False,
    finite: bool = False,
    optional: bool = False,
) -> Option:
    """Make a row for a number from `least` to `most`; `above` and `below` exclude these ends."""

    def accepts(value: Any) -> bool:
        if not is_number(value):
            return False
        x = float(value)
        is_low = x <= least if above else x < least
        is_high = x >= most if below else x > most
        return not (is_low or is_high or (finite and math.isinf(x)))

    words = "a finite number" if finite else "a number"
    if least > -math.inf:
        words += f" above {least:g}" if above else f" of at least {least:g}"
    if most < math.inf:
        words += f" and below {most:g}" if below else f" and at most {most:g}"
    ends = (
        least if least > -math.inf else None,
        most if most < math.inf else None,
    )
    return Option(line, words, accepts, float, optional, *ends)


def whole(line: str, least: int, most: float = MOST, *, optional: bool = False) -> Option:
    """Make a row for a whole number from `least` to `most`, both included."""
    words = f"a whole number of at least {least}"
    if most < math.inf:
        words += f" and at most {most}"

    def accepts(value: Any) -> bool:
        return is_whole(value) and least <= int(value) <= most

    return Option(line, words, accepts, int, optional, least, most if most < math.inf else None)


def one_of(line: str, known: tuple[str, ...], *or_else: str, optional: bool = False) -> Option:
    """Make a row for one of the names `known`, or for a function or class named in `or_else`."""
    words = ", or a ".join(("one of {names}", *or_else))

    def accepts(value: Any) -> bool:
        return "function" in or_else and callable(value)

    classes = tuple(kind for kind in or_else if kind != "function")
    return Option(line, words, accepts, str, optional, names=known, classes=classes)


def option(
    line: str,
    plain: Any,
    words: str = "",
    *,
    optional: bool = False,
    classes: tuple[str, ...] = (),
) -> Option:
    """Make a row for a plain type; in Python any number or sequence of that kind is accepted."""

    def accepts(value: Any) -> bool:
        return any(_is_one(value, kind) for kind in parts_of(plain))

    return Option(line, words or words_of(plain), accepts, plain, optional, classes=classes)


def _is_one(value: Any, kind: Any) -> bool:
    """Whether a Python value is what the plain type `kind` stands for."""
    if kind is bool:
        numpy = sys.modules.get("numpy")  # a NumPy bool exists only if NumPy is loaded
        return isinstance(value, bool) or (numpy is not None and isinstance(value, numpy.bool_))
    if kind in {float, int}:
        return is_number(value) if kind is float else is_whole(value)
    if kind is str:
        return isinstance(value, str)
    if not is_iterable(value) or kind != list[str]:
        return is_iterable(value)
    return isinstance(value, Collection) and all(isinstance(one, str) for one in value)


def path(line: str) -> Option:
    """Make a row for a file or a folder."""
    return Option(line, "a path", lambda value: isinstance(value, str | os.PathLike), str)


def made(line: str, *kinds: str, optional: bool = False) -> Option:
    """Make a row for an object of one of this package's classes."""
    words = " or ".join(f"a {kind}" for kind in kinds)
    return Option(line, words, lambda _: False, None, optional, classes=kinds)


def data(line: str, plain: Any = None) -> Option:
    """Make a row that accepts everything: the value is checked where the data are read."""
    words = "data" if plain is None else words_of(plain)
    return Option(line, words, lambda _: True, plain, optional=True)


def is_iterable(value: Any) -> bool:
    """Whether a value is iterable, but not a text, bytes or a path."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | os.PathLike)


def is_choice(value: Any) -> bool:
    """Whether a value may name sentences or passages: a text, a number, a pattern, or several."""
    is_pattern = hasattr(value, "search") and hasattr(value, "pattern")
    return is_iterable(value) or isinstance(value, str) or is_whole(value) or is_pattern
