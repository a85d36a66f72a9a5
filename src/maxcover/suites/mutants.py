"""Mutants as coverage: a test covers the mutants that it kills.

mutmut stops at the first test that fails and keeps no more than the outcome, so it has no matrix.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from maxcover.errors import FileFormatError

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from maxcover.suites.suite import Recorder

# What pytest writes of a test that failed, with or without its reason.
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$", re.MULTILINE)


def read_stryker(path: Path, report: dict[str, Any], recorder: Recorder) -> None:
    """Read a mutation testing report in the schema that Stryker's tools share, version 2.

    ``killedBy`` names the tests that kill a mutant; run the tool so that it does not stop at the
    first one (``disableBail``).
    """
    try:
        named = {
            test["id"]: f"{file}::{test['name']}"
            for file, part in report.get("testFiles", {}).items()
            for test in part["tests"]
        }
        for test in named.values():
            recorder.test(test)
        kills: dict[tuple[str, str], list[int]] = {}
        for file, part in report["files"].items():
            for k, mutant in enumerate(part["mutants"]):
                for test in mutant.get("killedBy", ()):
                    kills.setdefault((named.get(test, test), file), []).append(k)
    except (KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(
            f"expected a mutation testing report in {path.name!r}, got one without {error}"
        ) from error
    for (test, file), mutants in kills.items():
        recorder.add(test, file, mutants)


def read_cosmic_ray(data: sqlite3.Connection, recorder: Recorder) -> None:
    """Read a session of Cosmic Ray: the tests that pytest's summary names as failed.

    The test command must not stop at the first failure: ``pytest -q -rfE`` without ``-x``.
    """
    rows = data.execute(
        "select module_path, output from mutation_specs join work_results using (job_id) "
        "where lower(test_outcome) like '%killed' order by module_path, job_id"
    )
    for k, (module, output) in enumerate(rows):
        for test in sorted({*_FAILED.findall(output or "")}):
            recorder.add(test, str(module), [k])
