"""Durations: how long tests take, from JUnit XML, JSON, tables, and what libFuzzer prints."""

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
    """Return the suite with the seconds that each test takes, as files of several kinds have it.

    JUnit XML (``.xml``); tables of name and seconds (``.csv``), as OptiMin reads them; what
    libFuzzer prints when it runs single inputs (``.log``); else JSON from node id to seconds, which
    is what pytest-split keeps in ``.test_durations``; pytest's own cache has no durations. Of
    several records of a test the median counts. What a run took more than these medians counts as
    outside of tests: what is done once is charged to whichever test comes first. A test that is not
    on record counts as the median of the others; without any record every test counts one second.
    Tests that the coverage does not know take time, and may be asked for: the suite has them
    too, if their files are found in `folder`, by default the current one.
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
    """Read a test report: seconds by node id, and seconds outside of tests.

    Tests that ran side by side took longer together than their suite did: nothing is known then of
    the time outside.
    """
    # entities could make a small file huge, and no test report has any
    if "<!ENTITY" in text:
        raise ValueError("XML entities")
    report = ET.fromstring(text)  # noqa: S314 - see above
    taken: defaultdict[str, float] = defaultdict(float)
    for case in report.iter("testcase"):
        key = case.get("classname") or "", case.get("name") or ""
        test = names.node_id(*key, case.get("file") or "") or "::".join(filter(None, key))
        # an error in the teardown has an entry of its own
        taken[test] += _seconds(case)
    suites = [report] if report.tag == "testsuite" else report.findall("testsuite")
    rests = (_seconds(part) - sum(map(_seconds, part.iter("testcase"))) for part in suites)
    return taken, sum(max(0.0, rest) for rest in rests)


def _seconds(element: ET.Element) -> float:
    return float((element.get("time") or "0").replace(",", ""))


def _json(text: str, _: NodeNames) -> dict[str, float]:
    read = json.loads(text)
    # what mutmut keeps has more than durations
    return {str(test): float(taken) for test, taken in read.get("duration_by_test", read).items()}


def _table(text: str, names: NodeNames) -> dict[str, float]:
    """Read a table of two columns, name and seconds, perhaps with a head."""
    taken = {}
    for k, row in enumerate(filter(None, csv.reader(StringIO(text, newline=""))), start=1):
        try:
            taken[names.called(row[0])] = float(row[1])
        except (IndexError, ValueError):
            if k > 1:
                raise ValueError(f"{row} in row {k}, not a name and a number") from None
    return taken


def _log(text: str, names: NodeNames) -> dict[str, float]:
    """Read what libFuzzer prints of each input that it is told to run."""
    rows = re.findall(r"^Executed (.+) in (\d+) ms$", text, re.MULTILINE)
    return {names.called(name): int(taken) / 1000 for name, taken in rows}


_READERS = {".csv": _table, ".log": _log}


class NodeNames:
    """The tests that are known, and the folder in which files of others are looked for.

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
        """Return the test of a name, which may lack its folders; the name if there is none."""
        return self._called.get(name, self._called.get(PurePath(name).name, name))

    def node_id(self, class_name: str, name: str, path: str = "") -> str | None:
        """Return the node id of a test in JUnit XML; None if its file is not found.

        The class name is that of a module and then of classes. `path`, where pytest was told to
        write it, is the file in which the function stands; a class elsewhere may have inherited it.
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
        """Whether the file of a node id is that of a known test, or exists."""
        path, colons, _ = test.partition("::")
        return path in self._files or (bool(colons) and (self._folder / path).is_file())


def _dotted(path: str) -> str:
    """Return the name that pytest gives a file in JUnit XML: tests.test_a of tests/test_a.py."""
    return path.removesuffix(".py").replace("/", ".")


def junit_name(test: str) -> tuple[str, str]:
    """Return the class name and the name that pytest gives a test in JUnit XML.

    Examples
    --------
    >>> junit_name("tests/test_a.py::TestB::test_c[x::y]")
    ('tests.test_a.TestB', 'test_c[x::y]')
    """
    head, bracket, parameters = test.partition("[")
    *place, name = head.split("::")
    return ".".join(map(_dotted, place)), name + bracket + parameters
