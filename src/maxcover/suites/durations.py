"""How long tests take: JUnit XML, or JSON from node id to seconds."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

import numpy as np

from maxcover.errors import FileFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

# Durations are counted in milliseconds, and no test is free.
STEP = 0.001


class Durations(NamedTuple):
    """Seconds per test.

    `missing` names the tests that are not on record and count as the median, `unknown` those on
    record that the coverage does not know.
    """

    seconds: NDArray[np.float64]
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def read_durations(paths: Iterable[Path], tests: Sequence[str]) -> Durations:
    """Return how long each test takes, by JUnit XML (``.xml``) or JSON (node id to seconds).

    JSON is what pytest-split keeps in ``.test_durations``; pytest's own cache has no durations. A
    test that is not on record counts as the median of the others; without any record every test
    counts one second.
    """
    known: dict[str, float] = {}
    by_class: dict[tuple[str, str], float] = {}
    for path in map(Path, paths):
        if path.suffix.lower() == ".xml":
            for key, seconds in _junit(path):
                by_class[key] = by_class.get(key, 0.0) + seconds
        else:
            known |= _json(path)
    found = np.array(
        [known.get(test, by_class.get(junit_name(test), math.nan)) for test in tests], dtype=float
    )
    absent = np.isnan(found)
    usual = float(np.median(found[~absent])) if not absent.all() else 1.0
    counted = np.maximum(np.ceil(np.where(absent, usual, found) / STEP - 1e-6), 1.0) * STEP
    names = {junit_name(test): test for test in tests}
    unknown = ["::".join(key) for key in by_class if key not in names]
    unknown += [test for test in known if junit_name(test) not in names]
    return Durations(
        seconds=np.round(counted, 3),
        missing=tuple(test for test, gone in zip(tests, absent, strict=True) if gone),
        unknown=tuple(sorted(unknown)),
    )


def junit_name(test: str) -> tuple[str, str]:
    """Return the class name and the name that pytest gives a test in JUnit XML.

    Examples
    --------
    >>> junit_name("tests/test_a.py::TestB::test_c[x::y]")
    ('tests.test_a.TestB', 'test_c[x::y]')
    """
    head, bracket, parameters = test.partition("[")
    *place, name = head.split("::")
    path = place[0].removesuffix(".py").replace("/", ".") if place else ""
    return ".".join((path, *place[1:])), name + bracket + parameters


def _junit(path: Path) -> Iterable[tuple[tuple[str, str], float]]:
    """Yield class name, name and seconds of each test case."""
    try:
        # entities could make a small file huge, and no test report has any
        text = path.read_text(encoding="utf-8-sig")
        if "<!ENTITY" in text:
            raise FileFormatError(f"expected a test report in {path.name!r}, got XML entities")
        for case in ET.fromstring(text).iter("testcase"):  # noqa: S314 - see above
            key = case.get("classname") or "", case.get("name") or ""
            yield key, float((case.get("time") or "0").replace(",", ""))
    except (ET.ParseError, ValueError) as error:
        raise FileFormatError(f"expected JUnit XML in {path.name!r}, got {error}") from error


def _json(path: Path) -> dict[str, float]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        return {str(test): float(seconds) for test, seconds in read.items()}
    except (ValueError, AttributeError, TypeError) as error:
        raise FileFormatError(
            f"expected JSON from node id to seconds in {path.name!r}, got {error}"
        ) from error
