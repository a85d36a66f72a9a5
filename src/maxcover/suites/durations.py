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

# Durations are counted in tenths of a millisecond, and no test is free.
STEP = 0.0001


class Durations(NamedTuple):
    """Seconds per test.

    `missing` names the tests that are not on record and count as the median, `unknown` those on
    record that the coverage does not know. `outside` is what the recorded runs took outside of any
    test, to collect them above all; 0 where no record says it.
    """

    seconds: NDArray[np.float64]
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    outside: float = 0.0


def read_durations(paths: Iterable[Path], tests: Sequence[str]) -> Durations:
    """Return how long each test takes, by JUnit XML (``.xml``) or JSON (node id to seconds).

    JSON is what pytest-split keeps in ``.test_durations``; pytest's own cache has no durations. A
    test that is not on record counts as the median of the others; without any record every test
    counts one second.
    """
    known: dict[str, float] = {}
    by_class: dict[tuple[str, str], float] = {}
    outside = 0.0
    for path in map(Path, paths):
        if path.suffix.lower() == ".xml":
            report = _junit(path)
            outside += _outside(report)
            for case in report.iter("testcase"):
                key = case.get("classname") or "", case.get("name") or ""
                by_class[key] = by_class.get(key, 0.0) + _seconds(case)
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
        seconds=np.round(counted, 4),
        missing=tuple(test for test, gone in zip(tests, absent, strict=True) if gone),
        unknown=tuple(sorted(unknown)),
        outside=outside,
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


def _junit(path: Path) -> ET.Element:
    """Return a test report in which every time is a number."""
    try:
        # entities could make a small file huge, and no test report has any
        text = path.read_text(encoding="utf-8-sig")
        if "<!ENTITY" in text:
            raise FileFormatError(f"expected a test report in {path.name!r}, got XML entities")
        report = ET.fromstring(text)  # noqa: S314 - see above
        for element in report.iter():
            _seconds(element)
    except (ET.ParseError, ValueError) as error:
        raise FileFormatError(f"expected JUnit XML in {path.name!r}, got {error}") from error
    return report


def _outside(report: ET.Element) -> float:
    """Return what the suites of a report took outside of their tests.

    Tests that ran side by side took longer together than the suite did: nothing is known then.
    """
    suites = [report] if report.tag == "testsuite" else report.findall("testsuite")
    return sum(
        max(0.0, _seconds(suite) - sum(map(_seconds, suite.iter("testcase")))) for suite in suites
    )


def _seconds(element: ET.Element) -> float:
    return float((element.get("time") or "0").replace(",", ""))


def _json(path: Path) -> dict[str, float]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        return {str(test): float(seconds) for test, seconds in read.items()}
    except (ValueError, AttributeError, TypeError) as error:
        raise FileFormatError(
            f"expected JSON from node id to seconds in {path.name!r}, got {error}"
        ) from error
