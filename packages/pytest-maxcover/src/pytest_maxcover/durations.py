"""Durations: how long tests take, from JUnit XML, JSON and logs of libFuzzer."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np

from maxcover.errors import FileFormatError
from maxcover.ground.files.opening import open_file
from pytest_maxcover.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_maxcover.suite import Suite


def with_durations(suite: Suite, paths: Iterable[Path]) -> Suite:
    """Return the suite with the seconds of each test, read from files of several formats.

    The formats are JUnit XML (``.xml``); what libFuzzer prints when it runs single inputs
    (``.log``); and otherwise JSON from node id to seconds, as pytest-split keeps it in
    ``.test_durations``. Pytest's own cache has no durations.

    If a test has several durations, their median is used. The time of a run beyond these medians
    counts as outside of tests: work that is done once is charged to whichever test comes first. A
    test without a duration gets the median of the other tests; if no test has one, every test
    counts one second. Durations of tests that the suite does not have are left out.
    """
    records: defaultdict[str, list[float]] = defaultdict(list)
    outside = 0.0
    for path in map(Path, paths):
        with open_file(path) as file:
            text = file.read().decode("utf-8-sig", "surrogateescape")
        try:
            if path.suffix.lower() == ".xml":
                read, rest = _read_junit(text, suite.tests)
                outside += rest
            elif path.suffix.lower() == ".log":
                read = _read_log(text, suite.tests)
            else:
                read = _read_json(text)
        except (ET.ParseError, ValueError, AttributeError, TypeError) as error:
            raise FileFormatError(
                f"expected durations in {path.name!r}: JUnit XML, JSON from node id to seconds, or "
                f"a log of libFuzzer; got {error}"
            ) from error
        for test, seconds in read.items():
            records[test].append(seconds)
    medians = {test: float(np.median(seconds)) for test, seconds in records.items()}
    if records:
        runs = sum(map(len, records.values())) / len(records)
        whole = sum(map(sum, records.values()))
        outside = outside / runs + max(0.0, whole / runs - sum(medians.values()))
    known = np.array([medians.get(test, math.nan) for test in suite.tests], dtype=float)
    absent = np.isnan(known)
    usual = float(np.median(known[~absent])) if not absent.all() else 1.0
    return replace(
        suite,
        costs={"seconds": counted(np.where(absent, usual, known))},
        outside=outside,
        missing=tuple(np.array(suite.tests, dtype=object)[absent]),
    )


def _read_junit(text: str, tests: Iterable[str]) -> tuple[dict[str, float], float]:
    """Read a JUnit XML report: seconds by node id, and seconds outside of tests.

    Tests that ran in parallel took longer together than their suite. Then the time outside of tests
    is unknown, and counts as 0.
    """
    # XML entities could expand a small file to a huge one, and no test report has any.
    if "<!ENTITY" in text:
        raise ValueError("XML entities")
    report = ET.fromstring(text)  # noqa: S314 - see above
    known = {junit_name(test): test for test in tests}
    taken: defaultdict[str, float] = defaultdict(float)
    for case in report.iter("testcase"):
        key = case.get("classname") or "", case.get("name") or ""
        test = known.get(key, "::".join(key))
        # A test whose teardown failed has a second entry, so its entries are added up.
        taken[test] += _seconds(case)
    suites = [report] if report.tag == "testsuite" else report.findall("testsuite")
    rests = (_seconds(part) - sum(map(_seconds, part.iter("testcase"))) for part in suites)
    return taken, sum(max(0.0, rest) for rest in rests)


def _seconds(element: ET.Element) -> float:
    return float((element.get("time") or "0").replace(",", ""))


def _read_json(text: str) -> dict[str, float]:
    return {str(test): float(taken) for test, taken in json.loads(text).items()}


def _read_log(text: str, tests: Iterable[str]) -> dict[str, float]:
    """Read libFuzzer's log of single inputs: a line "Executed NAME in N ms" for each.

    The folder of an input may be another one than that of the recording.
    """
    known = {PurePath(test).name: test for test in tests}
    rows = re.findall(r"^Executed (.+) in (\d+) ms$", text, re.MULTILINE)
    return {known.get(PurePath(name).name, name): int(taken) / 1000 for name, taken in rows}


def junit_name(test: str) -> tuple[str, str]:
    """Return the class name and the name that pytest writes for a test in JUnit XML.

    Examples
    --------
    >>> junit_name("tests/test_a.py::TestB::test_c[x::y]")
    ('tests.test_a.TestB', 'test_c[x::y]')
    """
    head, bracket, parameters = test.partition("[")
    *place, name = head.split("::")
    module = ".".join(part.removesuffix(".py").replace("/", ".") for part in place)
    return module, name + bracket + parameters
