"""What recording costs, and whether it is right: our recorder beside coverage.py's contexts.

A suite is run without recording, with ``--maxcover-record``, and with coverage.py's C tracer and
``--cov-context=test``, in turns; the figures are seconds of CPU of the whole process. The pairs of
test and line that only one of the two has are listed by file. ``--python`` is the interpreter to
run, which needs pytest, pytest-cov and maxcover; ``--root`` the folder to run in, ``--source`` the
packages that are covered and ``--tests`` what pytest is given.
"""

import argparse
import os
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from _report import heading, table
from maxcover.suites.reading import read_suite
from maxcover.suites.record import Record

OPTIONS = ("-q", "-o", "addopts=", "-W", "ignore", "-p", "no:cacheprovider")
Pair = tuple[str, str, int]


def run(options: argparse.Namespace, *more: str) -> float:
    """Run the suite; return seconds of CPU."""
    paths = (options.root, options.root / "src", *os.environ.get("PYTHONPATH", "").split(":"))
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(str(path) for path in paths if str(path)),
        "PYTHONHASHSEED": "0",
        "COVERAGE_CORE": "ctrace",
        "COVERAGE_FILE": str(options.folder / ".coverage"),
    }
    command = [options.python, "-m", "pytest", *OPTIONS, *options.option, *more, *options.tests]
    before = _children()
    with (options.folder / "log.txt").open("a") as log:
        subprocess.run(  # noqa: S603
            command, cwd=options.root, env=environment, stdout=log, stderr=log, check=False
        )
    return _children() - before


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def recorded_pairs(path: Path, root: Path) -> tuple[set[Pair], set[Pair]]:
    """Return what tests run themselves, and what the shared fixtures of tests run."""
    record = Record.load(path)
    own, shared = set(), set()
    by_fixture: dict[str, list[tuple[str, int]]] = {}
    fixtures = {*record.fixtures}
    for name, file, lines in record.rows.runs({*record.rows.tests}):
        full = file if file.startswith("/") else str(root / file)
        if name in fixtures:
            by_fixture.setdefault(name, []).extend((full, line) for line in lines.tolist())
        else:
            own |= {(name, full, line) for line in lines.tolist()}
    for test, names in record.uses.items():
        shared |= {(test, *place) for name in names for place in by_fixture.get(name, ())}
    return own, shared


def traced_pairs(path: Path) -> set[Pair]:
    """Return what coverage.py noted."""
    suite = read_suite([path])
    return {
        (name, file, line)
        for name, file, lines in suite.runs({*suite.tests})
        for line in lines.tolist()
    }


def compare(options: argparse.Namespace) -> None:
    own, shared = recorded_pairs(options.folder / "record.npz", options.root.resolve())
    traced = traced_pairs(options.folder / ".coverage")
    files = {file for _, file, _ in traced}
    own, shared = ({p for p in pairs if p[1] in files} for pairs in (own, shared))
    print(f"pairs: recorder {len(own | shared):,}, ctrace {len(traced):,}, "
          f"both {len((own | shared) & traced):,}, only recorder {len(own - traced):,}, "
          f"only recorder and by a shared fixture {len(shared - own - traced):,}, "
          f"only ctrace {len(traced - own - shared):,}")  # fmt: skip
    for name, pairs in (("only recorder", own - traced), ("only ctrace", traced - own - shared)):
        places = Counter((file, line) for _, file, line in pairs)
        for (file, line), count in places.most_common(options.show):
            text = Path(file).read_text().splitlines()[line - 1] if line else ""
            first = min(test for test, *place in pairs if place == [file, line])
            print(
                f"{name:14} {count:6} {Path(file).name}:{line} {text.strip()[:60]} | {first[:90]}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--source", action="append", required=True)
    parser.add_argument("--tests", nargs="+", default=["tests"])
    parser.add_argument("--option", action="append", default=[], help="further option of pytest")
    parser.add_argument("--folder", type=Path, required=True, help="where the recordings go")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--show", type=int, default=12, help="how many differing lines to show")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    record = options.folder / "record.npz"
    kinds = {
        "none": (),
        "maxcover": ("--maxcover-record", f"--maxcover-file={record}",
                     *(f"--maxcover-source={source}" for source in options.source)),
        "ctrace": ("--cov-context=test", "--cov-report=",
                   *(f"--cov={source}" for source in options.source)),
    }  # fmt: skip
    taken: dict[str, list[float]] = {kind: [] for kind in kinds}
    for k in range(options.rounds):
        for kind, more in kinds.items():
            if kind == "ctrace" and k:
                continue
            record.unlink(missing_ok=True) if kind == "maxcover" else None
            taken[kind].append(run(options, *more))
    heading(
        f"Recording {options.root.name}", python=options.python, load=f"{os.getloadavg()[0]:.0f}"
    )
    usual = float(np.median(taken["none"]))
    table(("", "seconds of CPU", "median of none"),
          [(kind, " ".join(f"{x:.1f}" for x in times), f"{np.median(times) / usual:.3f}")
           for kind, times in taken.items()])  # fmt: skip
    compare(options)


if __name__ == "__main__":
    main()
