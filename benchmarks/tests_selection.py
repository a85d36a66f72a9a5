"""Choosing tests: a large suite in seconds.

The large suite is generated: every test runs some functions of some files, and all of a function or
a part of it. It is written as a data file of coverage.py and read again, and the figures are those
of the whole command in a process of its own. Real suites are in
_recorded_suites.py.
"""

import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from _report import arguments, clock, heading, hold, table

SCHEMA = """
create table file (id integer primary key, path text);
create table context (id integer primary key, context text);
create table line_bits (file_id integer, context_id integer, numbits blob);
create table arc (file_id integer, context_id integer, fromno integer, tono integer);
"""
CODE = "import sys; from maxcover.cli.app import call; sys.exit(call(sys.argv[1:]))"


def write_suite(folder: Path, n_tests: int, n_lines: int, seed: int) -> None:
    """Write a suite whose tests run about fifty functions each, most of them popular ones."""
    rng = np.random.default_rng(seed)
    per_file, per_function = 500, 10
    n_files, n_functions = n_lines // per_file, n_lines // per_function
    data = sqlite3.connect(folder / ".coverage")
    data.executescript(SCHEMA)
    data.executemany(
        "insert into file values (?, ?)", [(k, f"src/m{k}.py") for k in range(n_files)]
    )
    names = [f"tests/d{k % 50}/test_{k}.py::test" for k in range(n_tests)]
    data.executemany(
        "insert into context values (?, ?)", [(k, f"{name}|run") for k, name in enumerate(names)]
    )
    own = np.array_split(rng.permutation(n_functions), n_tests)
    for test in range(n_tests):
        popular = (n_functions * rng.random(40) ** 4).astype(np.int64)
        flags = np.zeros((n_functions, per_function), dtype=bool)
        for function in np.concatenate((own[test], popular)):
            flags[function, : rng.integers(5, per_function, endpoint=True)] = True
        files = flags.reshape(n_files, per_file)
        for file in np.flatnonzero(files.any(axis=1)).tolist():
            bits = np.packbits(np.concatenate(([False], files[file])), bitorder="little").tobytes()
            data.execute("insert into line_bits values (?, ?, ?)", (file, test, bits))
    data.commit()
    data.close()
    seconds = np.round(np.exp(rng.normal(-3, 1.5, n_tests)) + 0.001, 3).tolist()
    (folder / "times.json").write_text(json.dumps(dict(zip(names, seconds, strict=True))))


def large(*, quick: bool, seed: int) -> None:
    n_tests, n_lines = (1000, 100_000) if quick else (10_000, 1_000_000)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_suite(folder, n_tests, n_lines, seed)
        for asked in (("--budget", "5%"), ("--target", "90%")):
            command = [sys.executable, "-c", CODE, "tests", "--coverage", ".coverage"]
            command += ["--junit", "times.json", *asked, "-q", "--format", "json"]
            begin, before = time.perf_counter(), _cpu()
            answer = subprocess.run(command, cwd=folder, capture_output=True, check=True)  # noqa: S603
            seconds = time.perf_counter() - begin
            rows.append((" ".join(asked), seconds, _cpu() - before, json.loads(answer.stdout)))
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    heading("A large suite", tests=n_tests, lines=n_lines, seed=seed)
    table(
        ("asked", "seconds", "of CPU", "tests chosen", "share of the time", "covered", "bound"),
        [
            (
                *(asked, f"{seconds:.1f}", f"{cpu:.1f}", len(found["tests"])),
                f"{found['seconds'] / found['suite']['seconds']:.2%}",
                f"{found['share']:.2%}",
                found["bound"],
            )
            for asked, seconds, cpu, found in rows
        ],
    )
    # of CPU, since machines are shared
    clock("seconds of CPU, at most", max(row[2] for row in rows), most=5.0 if quick else 10.0)
    hold("gigabytes", memory, most=0.5 if quick else 1.0)


def _cpu() -> float:
    """Return what processes that have ended have taken."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    options = arguments(__doc__)
    large(quick=options.quick, seed=options.seed)


if __name__ == "__main__":
    main()
