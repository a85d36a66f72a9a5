"""Choosing tests: a large suite in seconds, and the tests of networkx really run.

The large suite is generated: every test runs some functions of some files, and all of a function or
a part of it. It is written as a data file of coverage.py and read again, and the figures are those
of the whole command in a process of its own. ``--record FOLDER`` uses a recording of a real suite
made by the commands in docs/tests.md (``.coverage``, ``report.xml``, and the folder to run in named
by ``--root``): greedy by lines per second and fastest first are compared at equal time, and the
chosen tests are run again.
"""

import argparse
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from _report import heading, hold, table
from maxcover.suites import choose, read_durations, read_suite

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
    hold("seconds of CPU, at most", max(row[2] for row in rows), most=5.0 if quick else 10.0)
    hold("gigabytes", memory, most=0.5 if quick else 1.0)


def _cpu() -> float:
    """Return what processes that have ended have taken."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def recorded(folder: Path, root: Path, source: str) -> None:
    """Compare simple rules at equal time, and run the chosen tests."""
    suite = read_suite([folder / ".coverage"])
    durations = read_durations([folder / "report.xml"], suite.tests)
    whole = float(durations.seconds.sum())
    print(suite, f"{whole:.1f} s", len(durations.missing), "without a duration")
    rows = []
    for part in (0.01, 0.05, 0.2):
        budget = part * whole
        selection = choose(suite, durations, budget=budget)
        problem, n_lines = selection.problem, np.diff(suite.indptr)
        fastest, most = np.argsort(durations.seconds), np.argsort(-n_lines)
        shares = [
            problem.value(order[np.cumsum(durations.seconds[order]) <= budget]) / selection.total
            for order in (fastest, most)
        ]
        rows.append(
            (f"{part:.0%}", *(f"{share:.2%}" for share in shares), f"{selection.share:.2%}",
             f"{selection.bound:.2%}", *_run_again(selection, folder, root, source))
        )  # fmt: skip
    for target in (0.9, 0.95, 1.0):
        selection = choose(suite, durations, target=target)
        rows.append(
            (f"target {target:.0%}", "", "", f"{selection.share:.2%}",
             f"{selection.seconds:.3f} s, none below {selection.bound:.3f} s",
             *_run_again(selection, folder, root, source))
        )  # fmt: skip
    heading(f"The tests of {source}", tests=len(suite.tests), lines=suite.n_lines)
    table(
        ("time", "fastest first", "most lines first", "chosen", "bound", "really covered",
         "predicted seconds", "really taken"),
        rows,
    )  # fmt: skip


def _run_again(selection: object, folder: Path, root: Path, source: str) -> tuple[str, str, str]:
    """Run the chosen tests alone; return the share covered, and the predicted and true time."""
    (folder / "chosen.txt").write_text("".join(f"{test}\n" for test in selection.tests))
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts="),
        *(f"--cov={source}", "--cov-context=test", "--cov-report=", f"@{folder / 'chosen.txt'}"),
        *(f"--junitxml={folder / 'again.xml'}",),
    ]
    data = folder / "again.coverage"
    data.unlink(missing_ok=True)
    environment = {"COVERAGE_FILE": str(data), "PATH": "", "HOME": str(folder)}
    subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)  # noqa: S603
    again = read_suite([data])
    times = read_durations([folder / "again.xml"], again.tests)
    suite = selection.suite
    ran = {(again.files[f], n) for f, n in zip(again.file_of, again.line_of, strict=True)}
    lines = [(suite.files[f], n) for f, n in zip(suite.file_of, suite.line_of, strict=True)]
    share = sum(line in ran for line in lines) / len(lines)
    return f"{share:.2%}", f"{selection.seconds:.2f}", f"{float(times.seconds.sum()):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the small form that CI runs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", type=Path, help="folder with .coverage and report.xml")
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="where the suite is run")
    parser.add_argument("--source", default="networkx", help="the package that is covered")
    options = parser.parse_args()
    if options.record is not None:
        recorded(options.record, options.root, options.source)
    else:
        large(quick=options.quick, seed=options.seed)


if __name__ == "__main__":
    main()
