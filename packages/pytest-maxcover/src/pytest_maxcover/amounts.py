"""Amounts: seconds, bytes and shares, read from text and written as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.wording import size
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from maxcover.ground.array_types import Floats

# Durations are rounded up to multiples of this many seconds.
STEP = 0.0001
# For each kind of amount: how many base units (seconds, bytes, ...) a written unit stands for.
_UNITS = {
    "seconds": {"s": 1.0, "sec": 1.0, "ms": 0.001, "m": 60.0, "min": 60.0, "h": 3600.0},
    "bytes": {"B": 1.0, "bytes": 1.0, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9}
    | {"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30},
    "files": {"file": 1.0, "files": 1.0},
    "share": {"%": 0.01},
}
_EXAMPLES = {"seconds": "90s or 3min", "bytes": "2MB", "files": "500files", "share": "5%"}


def read_amount(text: str, *kinds: str) -> tuple[float, str]:
    """Read a number with its unit; return it in the base unit of its kind, and the kind.

    Examples
    --------
    >>> read_amount("3min", "seconds", "share"), read_amount("5 %", "seconds", "share")
    ((180.0, 'seconds'), (0.05, 'share'))
    """
    written = re.fullmatch(r"\s*([0-9]+\.?[0-9]*|\.[0-9]+)\s*([A-Za-z]+|%)\s*", text)
    for kind in kinds:
        if written and written[2] in _UNITS[kind]:
            return float(written[1]) * _UNITS[kind][written[2]], kind
    examples = ", ".join(_EXAMPLES[kind] for kind in kinds)
    raise OptionError(f"expected an amount such as {examples}, got {text!r}")


def seconds_in(text: str, whole: float) -> float:
    """Return the seconds that a text means: a time, a bare number, or a percentage of `whole`.

    Examples
    --------
    >>> seconds_in("3min", 0), seconds_in("90", 0), seconds_in("5%", 200)
    (180.0, 90.0, 10.0)
    """
    unit = "s" if text.strip()[-1:].isdigit() else ""
    number, kind = read_amount(text + unit, "seconds", "share")
    return number * whole if kind == "share" else number


def counted(seconds: Floats) -> Floats:
    """Round seconds up to multiples of STEP, at least one STEP: no test may be free."""
    return np.round(np.maximum(np.ceil(seconds / STEP - 1e-6), 1.0) * STEP, 4)


def duration(seconds: float) -> str:
    """Return a number of seconds as text, in s, min or h.

    Examples
    --------
    >>> duration(0.1234), duration(75), duration(7500)
    ('0.123 s', '1 min 15 s', '2 h 5 min')
    """
    if seconds < 60:
        return f"{seconds:.3g} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def quantity(number: float, unit: str) -> str:
    """Return `number` with its `unit` as text."""
    words = {"seconds": duration, "bytes": size}
    return words[unit](number) if unit in words else f"{number:,.10g} {unit}"
