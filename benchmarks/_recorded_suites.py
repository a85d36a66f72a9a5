"""Real test suites: recorded, compared with the plugins people use, and the chosen tests run.

A suite is run once with coverage per test and the CPU time of each test. pytest-ranking,
pytest-pitch and pytest-maxcov order the tests by their own code, and every rule gets the same time:
tests in its order as long as they fit. Then the tests that `maxcover tests` chooses are really run,
alone, and what they cover and take is compared with what was predicted. ``--root`` is the folder to
run in, ``--source`` the packages that are covered and ``--tests`` what pytest is given. Without
them, and in the small form, it is a part of the suite that networkx installs. Plugins that are not
installed are named.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from _report import heading, hold, table
from maxcover.suites import Suite, choose, read_durations, read_suite
from maxcover.suites.choosing import Selection

HERE = Path(__file__).parent
PARTS = (0.01, 0.05, 0.2)
TARGETS = (0.9, 0.95, 1.0)


def run(root: Path, sources: Iterable[str], tests: Iterable[str], folder: Path) -> None:
    """Run tests with coverage per test into ``.coverage``, and CPU times into ``times.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".coverage").unlink(missing_ok=True)
    (folder / "asked.txt").write_text("".join(f"{test}\n" for test in tests), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "_test_times"]
    # the plugins that are compared would load themselves
    command += [
        "-p",
        "pytest_cov.plugin",
        "-p",
        "_hypothesis_pytestplugin",
        "-o",
        "addopts=",
        "-W",
        "ignore",
        f"--rootdir={root}",
    ]
    command += [*(f"--cov={source}" for source in sources), "--cov-context=test", "--cov-report="]
    paths = (root, root / "src", HERE, *os.environ.get("PYTHONPATH", "").split(os.pathsep))
    environment = os.environ | {
        "COVERAGE_FILE": str(folder / ".coverage"),
        "TEST_TIMES": str(folder / "times.json"),
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "PYTHONHASHSEED": "0",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    # what pytest says goes into a file: failing tests are part of a real suite
    with (folder / "log.txt").open("w") as log:
        subprocess.run(  # noqa: S603
            [*command, f"@{folder / 'asked.txt'}"], cwd=root, env=environment, stdout=log,
            stderr=log, check=False,
        )  # fmt: skip


def lines_of(suite: Suite) -> list[set[int]]:
    """Return the lines that each test runs, as the plugins want them."""
    of_block: list[list[int]] = [[] for _ in range(suite.n_blocks)]
    for line, block in enumerate(suite.block_of.tolist()):
        of_block[block].append(line)
    rows = (suite.indices[slice(*suite.indptr[i : i + 2])] for i in range(len(suite.tests)))
    return [{line for block in row.tolist() for line in of_block[block]} for row in rows]


def ranking(suite: Suite, seconds: np.ndarray, _: list[set[int]]) -> list[int]:
    """Return the order of pytest-ranking with its default weights: fastest first."""
    from pytest_ranking.const import DEFAULT_LEVEL
    from pytest_ranking.plugin import min_max_normalization
    from pytest_ranking.rank import get_ranking

    scores = dict(zip(suite.tests, min_max_normalization(seconds.tolist()).tolist(), strict=True))
    place = {test: i for i, test in enumerate(suite.tests)}
    rank = get_ranking(scores, DEFAULT_LEVEL, place)
    return [place[test] for test in sorted(rank, key=rank.__getitem__)]


def pitch(_: Suite, seconds: np.ndarray, lines: list[set[int]]) -> list[int]:
    """Return the order of pytest-pitch."""
    from pytest_pitch.khuller_moss_naor import algorithm

    # as the plugin calls it
    everything = float(seconds.sum()) + 0.1
    return algorithm(dict(enumerate(seconds.tolist())), dict(enumerate(lines)), everything)[0]


def maxcov(_: Suite, seconds: np.ndarray, lines: list[set[int]]) -> list[int]:
    """Return the order of pytest-maxcov, up to the test that completes the coverage."""
    from pytest_maxcov.plugin import Subset, set_cover

    sets = [Subset(found, cost, i) for i, (found, cost) in enumerate(zip(lines, seconds.tolist()))]  # noqa: B905
    return [one.context for one in set_cover(set().union(*lines), sets, 1.0)]


PEERS = {"pytest_ranking": ranking, "pytest_pitch": pitch, "pytest_maxcov": maxcov}


def fitting(order: list[int], seconds: np.ndarray, budget: float) -> list[int]:
    """Return the tests in an order that fit, one after the other."""
    chosen, left = [], budget
    for test in order:
        if seconds[test] <= left:
            chosen.append(test)
            left -= seconds[test]
    return chosen


def again(selection: Selection, root: Path, sources: list[str], folder: Path) -> tuple[float, ...]:
    """Run the chosen tests alone; return what they cover of all lines, and the CPU time taken."""
    run(root, sources, selection.tests, folder / "again")
    ran = read_suite([folder / "again" / ".coverage"])
    covered = {(ran.files[f], n) for f, n in zip(ran.file_of, ran.line_of, strict=True)}
    suite = selection.suite
    lines = ((suite.files[f], n) for f, n in zip(suite.file_of, suite.line_of, strict=True))
    share = sum(line in covered for line in lines) / suite.n_lines
    taken = json.loads((folder / "again" / "times.json").read_text())
    return share, sum(taken.values())


def compare(folder: Path, root: Path, sources: list[str], *, quick: bool) -> None:
    suite = read_suite([folder / ".coverage"])
    durations = read_durations([folder / "times.json"], suite.tests)
    seconds, whole = durations.seconds, float(durations.seconds.sum())
    here = [name for name in PEERS if find_spec(name) is not None]
    if absent := sorted(set(PEERS) - set(here)):
        print(f"not installed, not compared: {', '.join(absent)}")
    lines = lines_of(suite)
    orders = {name: PEERS[name](suite, seconds, lines) for name in here}
    rows, least, off, late = [], np.inf, [], []
    for part in PARTS:
        chosen = choose(suite, durations, budget=part * whole)
        shares = []
        for order in orders.values():
            tests = fitting(order, seconds, part * whole)
            shares.append(len(set().union(*(lines[i] for i in tests))) / suite.n_lines)
            least = min(least, chosen.share / shares[-1])
        share, taken = again(chosen, root, sources, folder)
        off.append(share - chosen.share)
        late.append(taken / chosen.seconds - 1)
        rows.append(
            (f"{part:.0%} of the time", *(f"{share:.2%}" for share in shares),
             f"{chosen.share:.2%}", f"at most {chosen.bound:.2%}", f"{share:.2%}",
             f"{chosen.seconds:.2f}", f"{taken:.2f}")
        )  # fmt: skip
    for target in TARGETS:
        chosen = choose(suite, durations, target=target)
        times = []
        for order in orders.values():
            n_covered, taken = np.cumsum(_new(order, lines)), np.cumsum(seconds[order])
            met = np.flatnonzero(n_covered >= target * suite.n_lines - 1e-9)
            times.append(taken[met[0]])
            least = min(least, times[-1] / chosen.seconds)
        share, taken = again(chosen, root, sources, folder)
        off.append(share - chosen.share)
        late.append(taken / chosen.seconds - 1)
        rows.append(
            (f"{target:.0%} of the lines", *(f"{time:.2f} s" for time in times),
             f"{chosen.seconds:.2f} s", f"at least {chosen.bound:.2f} s", f"{share:.2%}",
             f"{chosen.seconds:.2f}", f"{taken:.2f}")
        )  # fmt: skip
    heading(
        f"The tests of {', '.join(sources)}", tests=len(suite.tests), lines=suite.n_lines,
        seconds=f"{whole:.1f}",
    )  # fmt: skip
    table(
        ("asked", *here, "chosen", "bound", "really covered", "predicted s", "really taken s"), rows
    )
    hold("really covered, off by", max(map(abs, off)), most=0.01)
    # short runs are at the mercy of whoever else uses the machine
    hold(
        "time really taken, off by, median",
        float(np.median(np.abs(late))),
        most=1.0 if quick else 0.5,
    )
    print(f"time really taken, off by: {', '.join(f'{x:+.1%}' for x in late)}")
    if here:
        hold("chosen, of the best plugin at equal time", least, least=1.0 - 1e-9)


def _new(order: list[int], lines: list[set[int]]) -> list[int]:
    """Return how many lines each test of an order adds."""
    covered: set[int] = set()
    added = []
    for test in order:
        before = len(covered)
        covered |= lines[test]
        added.append(len(covered) - before)
    return added


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the small form that CI runs")
    parser.add_argument("--root", type=Path, help="the folder to run in")
    parser.add_argument("--source", action="append", help="a package that is covered")
    parser.add_argument("--tests", nargs="+", help="what pytest is given")
    parser.add_argument("--folder", type=Path, help="keep the recording here, and use it again")
    options = parser.parse_args()
    if options.root is None:
        package = find_spec("networkx")
        assert package is not None
        assert package.origin is not None
        options.root, options.source = Path(package.origin).parent.parent, ["networkx"]
        options.tests = [f"networkx/{part}/tests" for part in ("algorithms/tree",)]
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or Path(name)
        if not (folder / "times.json").exists():
            run(options.root, options.source, options.tests, folder)
        compare(folder, options.root, options.source, quick=options.quick)


if __name__ == "__main__":
    main()
