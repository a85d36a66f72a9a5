"""Durations: how long tests take, from JUnit XML, JSON, tables, and logs of libFuzzer."""

from __future__ import annotations

import csv
import json
import math
import re
from collections import defaultdict
from dataclasses import replace
from io import StringIO
from itertools import accumulate
from pathlib import Path, PurePath
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np

from maxcover.errors import FileFormatError
from maxcover.files.opening import open_file
from maxcover.suites.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from maxcover.suites.suite import Suite


def with_durations(suite: Suite, paths: Iterable[Path], *, folder: Path | None = None) -> Suite:
    """Return the suite with the seconds of each test, read from files of several formats.

    The formats are JUnit XML (``.xml``); tables of name and seconds (``.csv``), as OptiMin reads
    them; what libFuzzer prints when it runs single inputs (``.log``); and otherwise JSON from node
    id to seconds, as pytest-split keeps it in ``.test_durations``. Pytest's own cache has no
    durations.

    If a test has several durations, their median is used. The time of a run beyond these medians
    counts as outside of tests: work that is done once is charged to whichever test comes first. A
    test without a duration gets the median of the other tests; if no test has one, every test
    counts one second. Tests that have a duration but no coverage are added to the suite if their
    files are found in `folder`, by default the current one: they take time, and `always` may name
    them.
    """
    names = NodeNames(suite.tests, folder or Path())
    records: defaultdict[str, list[float]] = defaultdict(list)
    outside = 0.0
    for path in map(Path, paths):
        with open_file(path) as file:
            text = file.read().decode("utf-8-sig", "surrogateescape")
        try:
            if path.suffix.lower() == ".xml":
                read, rest = _junit(text, names)
                outside += rest
            else:
                read = _READERS.get(path.suffix.lower(), _json)(text, names)
        except (ET.ParseError, ValueError, IndexError, AttributeError, TypeError) as error:
            raise FileFormatError(
                f"expected durations in {path.name!r}: JUnit XML, JSON from node id to seconds, or "
                f"a table of name and seconds; got {error}"
            ) from error
        for test, seconds in read.items():
            records[test].append(seconds)
    medians = {test: float(np.median(seconds)) for test, seconds in records.items()}
    if records:
        runs = sum(map(len, records.values())) / len(records)
        whole = sum(map(sum, records.values()))
        outside = outside / runs + max(0.0, whole / runs - sum(medians.values()))
    others = sorted(medians.keys() - {*suite.tests})
    suite = suite.with_tests(test for test in others if names.has_file(test))
    known = np.array([medians.get(test, math.nan) for test in suite.tests], dtype=float)
    absent = np.isnan(known)
    usual = float(np.median(known[~absent])) if not absent.all() else 1.0
    return replace(
        suite,
        costs={"seconds": counted(np.where(absent, usual, known))},
        outside=outside,
        missing=tuple(np.array(suite.tests, dtype=object)[absent]),
        unknown=tuple(test for test in others if not names.has_file(test)),
    )


def _junit(text: str, names: NodeNames) -> tuple[dict[str, float], float]:
    """Read a JUnit XML report: seconds by node id, and seconds outside of tests.

    Tests that ran in parallel took longer together than their suite. Then the time outside of tests
    is unknown, and counts as 0.
    """
    # XML entities could expand a small file to a huge one, and no test report has any.
    if "<!ENTITY" in text:
        raise ValueError("XML entities")
    report = ET.fromstring(text)  # noqa: S314 - see above
    taken: defaultdict[str, float] = defaultdict(float)
    for case in report.iter("testcase"):
        key = case.get("classname") or "", case.get("name") or ""
        test = names.node_id(*key, case.get("file") or "") or "::".join(filter(None, key))
        # A test whose teardown failed has a second entry, so its entries are added up.
        taken[test] += _seconds(case)
    suites = [report] if report.tag == "testsuite" else report.findall("testsuite")
    rests = (_seconds(part) - sum(map(_seconds, part.iter("testcase"))) for part in suites)
    return taken, sum(max(0.0, rest) for rest in rests)


def _seconds(element: ET.Element) -> float:
    return float((element.get("time") or "0").replace(",", ""))


def _json(text: str, _: NodeNames) -> dict[str, float]:
    read = json.loads(text)
    # A file of mutmut has its durations under this key, beside other data.
    return {str(test): float(taken) for test, taken in read.get("duration_by_test", read).items()}


def _table(text: str, names: NodeNames) -> dict[str, float]:
    """Read a table of two columns, name and seconds; a header row is skipped."""
    taken = {}
    for k, row in enumerate(filter(None, csv.reader(StringIO(text, newline=""))), start=1):
        try:
            taken[names.called(row[0])] = float(row[1])
        except (IndexError, ValueError):
            if k > 1:
                raise ValueError(f"{row} in row {k}, not a name and a number") from None
    return taken


def _log(text: str, names: NodeNames) -> dict[str, float]:
    """Read libFuzzer's log of single inputs: a line "Executed NAME in N ms" for each."""
    rows = re.findall(r"^Executed (.+) in (\d+) ms$", text, re.MULTILINE)
    return {names.called(name): int(taken) / 1000 for name, taken in rows}


_READERS = {".csv": _table, ".log": _log}


class NodeNames:
    """Finds the node id of each test that a duration file names.

    It is one of the known tests, or its file is found in a folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> names = NodeNames(["tests/test_a.py::TestB::test_c"], Path("nowhere"))
    >>> names.node_id("tests.test_a.TestB", "test_d[1.5]")
    'tests/test_a.py::TestB::test_d[1.5]'
    """

    def __init__(self, tests: Sequence[str], folder: Path) -> None:
        self._known = {junit_name(test): test for test in tests}
        self._files = {test.partition("::")[0] for test in tests}
        self._paths = {_dotted(path): path for path in self._files}
        self._folder = folder
        self._called = {PurePath(test).name: test for test in tests} | {t: t for t in tests}

    def called(self, name: str) -> str:
        """Return the test with this name, with or without its folders; `name` if there is none."""
        return self._called.get(name, self._called.get(PurePath(name).name, name))

    def node_id(self, class_name: str, name: str, path: str = "") -> str | None:
        """Return the node id of a test in JUnit XML; None if its file is not found.

        `class_name` is a module and then classes, joined by dots. `path` is the file that defines
        the function, if pytest was told to write it; a class in another file may have inherited the
        function.
        """
        if test := self._known.get((class_name, name)):
            return test
        for module in reversed([*accumulate(class_name.split("."), "{}.{}".format)]):
            if module not in self._paths:
                file = f"{module.replace('.', '/')}.py"
                self._paths[module] = file if (self._folder / file).is_file() else ""
            if file := path if _dotted(path) == module else self._paths[module]:
                classes = class_name[len(module) + 1 :].split(".")
                return "::".join((file, *filter(None, classes), name))
        return None

    def has_file(self, test: str) -> bool:
        """Tell whether the file of a node id has known tests, or exists in the folder."""
        path, colons, _ = test.partition("::")
        return path in self._files or (bool(colons) and (self._folder / path).is_file())


def _dotted(path: str) -> str:
    """Return the name of a file in JUnit XML: tests.test_a for tests/test_a.py."""
    return path.removesuffix(".py").replace("/", ".")


def junit_name(test: str) -> tuple[str, str]:
    """Return the class name and the name that pytest writes for a test in JUnit XML.

    Examples
    --------
    >>> junit_name("tests/test_a.py::TestB::test_c[x::y]")
    ('tests.test_a.TestB', 'test_c[x::y]')
    """
    head, bracket, parameters = test.partition("[")
    *place, name = head.split("::")
    return ".".join(map(_dotted, place)), name + bracket + parameters
