"""How long tests take: JUnit XML, JSON, tables, and what libFuzzer prints."""

from __future__ import annotations

import csv
import json
import math
import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

import numpy as np

from maxcover.errors import FileFormatError, OptionError
from maxcover.suites.naming import Names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

# Durations are counted in tenths of a millisecond, and no test is free.
STEP = 0.0001
_UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "ms": 0.001}


class Durations(NamedTuple):
    """Seconds per test.

    `missing` names the tests that are not on record and count as the median. `uncovered` has the
    node ids of tests on record that the coverage does not know, and `unknown` the names of those
    whose file is not found. `outside` is what a recorded run took outside of any test, to collect
    them above all; 0 where no record says it.
    """

    seconds: NDArray[np.float64]
    missing: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    outside: float = 0.0


def read_durations(
    paths: Iterable[Path], tests: Sequence[str], *, folder: Path | None = None
) -> Durations:
    """Return how long each test takes, as files of several kinds have it.

    JUnit XML (``.xml``); tables of name and seconds (``.csv``), as OptiMin reads them; what
    libFuzzer prints when it runs single inputs (``.log``); else JSON from node id to seconds, which
    is what pytest-split keeps in ``.test_durations``; pytest's own cache has no durations. Of
    several records of a test the median counts. What a run took more than these medians counts as
    outside of tests: what is done once is charged to whichever test comes first. A test that is not
    on record counts as the median of the others; without any record every test counts one second.
    Files of tests that the coverage does not know are looked for in `folder`, by default the
    current one.
    """
    names = Names(tests, folder or Path())
    records: dict[str, list[float]] = {}
    outside = 0.0
    for path in map(Path, paths):
        ending, rest = path.suffix.lower(), 0.0
        if ending == ".xml":
            read, rest = _junit(path, names)
        elif ending in (".csv", ".log"):
            read = _by_name(_table(path) if ending == ".csv" else _log(path), tests)
        else:
            read = _json(path)
        outside += rest
        for test, seconds in read.items():
            records.setdefault(test, []).append(seconds)
    medians = {test: float(np.median(seconds)) for test, seconds in records.items()}
    if records:
        runs = sum(map(len, records.values())) / len(records)
        whole = sum(map(sum, records.values()))
        outside = outside / runs + max(0.0, whole / runs - sum(medians.values()))
    found = np.array([medians.get(test, math.nan) for test in tests], dtype=float)
    absent = np.isnan(found)
    usual = float(np.median(found[~absent])) if not absent.all() else 1.0
    others = sorted(medians.keys() - {*tests})
    return Durations(
        seconds=counted(np.where(absent, usual, found)),
        missing=tuple(test for test, gone in zip(tests, absent, strict=True) if gone),
        uncovered=tuple(test for test in others if names.has_file(test)),
        unknown=tuple(test for test in others if not names.has_file(test)),
        outside=outside,
    )


def seconds_in(text: str, whole: float) -> float:
    """Read a time, or a share of the time of the whole suite.

    Examples
    --------
    >>> seconds_in("3min", 0), seconds_in("90s", 0), seconds_in("5%", 200)
    (180.0, 90.0, 10.0)
    """
    found = re.match(r"\s*([0-9.]*)\s*(.*?)\s*$", text)
    number, unit = (found[1], found[2]) if found else ("", "")
    try:
        return float(number) / 100 * whole if unit == "%" else float(number) * _UNITS[unit]
    except (ValueError, KeyError):
        raise OptionError(f"expected a time such as 90s, 3min, 1h or 5%, got {text!r}") from None


def counted(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round seconds up to whole steps; no test is free."""
    return np.round(np.maximum(np.ceil(seconds / STEP - 1e-6), 1.0) * STEP, 4)


def _junit(path: Path, names: Names) -> tuple[dict[str, float], float]:
    """Read a test report: seconds by node id, and seconds outside of tests."""
    report = _report(path)
    taken: dict[str, float] = {}
    for case in report.iter("testcase"):
        key = case.get("classname") or "", case.get("name") or ""
        test = names.node_id(*key, case.get("file") or "") or "::".join(filter(None, key))
        # an error in the teardown has an entry of its own
        taken[test] = taken.get(test, 0.0) + _seconds(case)
    return taken, _outside(report)


def _report(path: Path) -> ET.Element:
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


def _table(path: Path) -> list[tuple[str, float]]:
    """Read a table of two columns, name and seconds, perhaps with a head."""
    with path.open(encoding="utf-8", newline="") as table:
        rows = [row for row in csv.reader(table) if row]
    found = []
    for k, row in enumerate(rows):
        try:
            found.append((row[0], float(row[1])))
        except (IndexError, ValueError):
            if k:
                raise FileFormatError(
                    f"expected a name and a number in row {k + 1} of {path.name!r}, got {row}"
                ) from None
    return found


def _log(path: Path) -> list[tuple[str, float]]:
    """Read what libFuzzer prints of each input that it is told to run."""
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    found = re.findall(r"^Executed (.+) in (\d+) ms$", text, re.MULTILINE)
    return [(name, int(taken) / 1000) for name, taken in found]


def _by_name(rows: list[tuple[str, float]], tests: Sequence[str]) -> dict[str, float]:
    """Return seconds by test; a name without its folders will do."""
    known = {PurePath(test).name: test for test in tests} | {test: test for test in tests}
    return {known.get(name, known.get(PurePath(name).name, name)): taken for name, taken in rows}
