"""Real test suites: recorded, compared with the plugins people use, and the chosen tests run.

A suite is run once with coverage per test, and then without coverage for the CPU time of each test:
noting the lines of every test takes several times as long as the tests. pytest-ranking,
pytest-pitch and pytest-maxcov order the tests by their own code, and every rule gets the same time:
tests in its order as long as they fit. Then the tests that `maxcover tests` chooses are really run,
alone, and what they cover and take is compared with what was predicted. The suite is timed in
several orders, so that what is done once, by whichever test is the first to need it, counts as
outside of tests. Times of selections are medians of several runs. ``--root`` is the folder to run
in, ``--source`` the packages that are covered and ``--tests`` what pytest is given. Without them it
is a part of the suite that networkx installs. Plugins that are not installed are named.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from _report import clock, heading, hold, table
from pytest_maxcover import Suite, choose, read_suite, with_durations
from pytest_maxcover.choosing import Selection

Floats = NDArray[np.float64]

HERE = Path(__file__).parent
PARTS = (0.01, 0.05, 0.2)
TARGETS = (0.9, 0.95, 1.0)
# what pytest loads: the plugins that are compared would load themselves
OPTIONS = ("-q", "-o", "addopts=", "-W", "ignore", "-p", "no:cacheprovider", "-p", "_test_times")
COVERAGE = ("-p", "pytest_cov.plugin", "--cov-context=test", "--cov-report=")
HYPOTHESIS = ("-p", "_hypothesis_pytestplugin", "--hypothesis-seed=0")


class Project(NamedTuple):
    """A project with tests: the folder to run in, what is covered, and how often to time."""

    root: Path
    sources: list[str]
    rounds: int

    def run(self, tests: Iterable[str], folder: Path, *options: str, order: int = 0) -> float:
        """Run tests; write ``times.json`` into a folder and return the CPU seconds of it all."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "asked.txt").write_text("".join(f"{test}\n" for test in tests), encoding="utf-8")
        paths = (self.root, self.root / "src", HERE, *os.environ.get("PYTHONPATH", "").split(":"))
        environment = os.environ | {
            "COVERAGE_FILE": str(folder / ".coverage"),
            "TEST_TIMES": str(folder / "times.json"),
            "TEST_ORDER": str(order),
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "PYTHONHASHSEED": "0",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        command = [sys.executable, "-m", "pytest", *OPTIONS, *options, f"--rootdir={self.root}"]
        command += HYPOTHESIS if find_spec("hypothesis") else ()
        before = _children_seconds()
        # what pytest says goes into a file: failing tests are part of a real suite
        with (folder / "log.txt").open("w") as log:
            subprocess.run(  # noqa: S603
                [*command, f"@{folder / 'asked.txt'}"], cwd=self.root, env=environment, stdout=log,
                stderr=log, check=False,
            )  # fmt: skip
        return _children_seconds() - before

    def cover(self, tests: Iterable[str], folder: Path) -> None:
        """Run tests with coverage per test into ``.coverage``."""
        (folder / ".coverage").unlink(missing_ok=True)
        self.run(tests, folder, *COVERAGE, *(f"--cov={source}" for source in self.sources))

    def time(self, tests: Iterable[str], folder: Path) -> Iterator[tuple[dict[str, float], float]]:
        """Run tests without coverage, in several orders: CPU seconds of each, and of it all."""
        tests = list(tests)
        for order in range(self.rounds):
            whole = self.run(tests, folder, order=order)
            yield json.loads((folder / "times.json").read_text()), whole


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def lines_of(suite: Suite) -> list[set[int]]:
    """Return the lines that each test runs, as the plugins want them."""
    of_block: list[list[int]] = [[] for _ in range(suite.n_blocks)]
    for line, block in enumerate(suite.block_of.tolist()):
        of_block[block].append(line)
    rows = (suite.indices[slice(*suite.indptr[i : i + 2])] for i in range(len(suite.tests)))
    return [{line for block in row.tolist() for line in of_block[block]} for row in rows]


def ranking(suite: Suite, seconds: Floats, _: list[set[int]]) -> list[int]:
    """Return the order of pytest-ranking with its default weights: fastest first."""
    from pytest_ranking.const import DEFAULT_LEVEL
    from pytest_ranking.plugin import min_max_normalization
    from pytest_ranking.rank import get_ranking

    scores = dict(zip(suite.tests, min_max_normalization(seconds.tolist()).tolist(), strict=True))
    place = {test: i for i, test in enumerate(suite.tests)}
    rank = get_ranking(scores, DEFAULT_LEVEL, place)
    return [place[test] for test in sorted(rank, key=rank.__getitem__)]


def pitch(_: Suite, seconds: Floats, lines: list[set[int]]) -> list[int]:
    """Return the order of pytest-pitch."""
    from pytest_pitch.khuller_moss_naor import algorithm

    # as the plugin calls it
    everything = float(seconds.sum()) + 0.1
    times = dict(enumerate(seconds.tolist()))
    return list(algorithm(times, dict(enumerate(lines)), everything)[0])


def maxcov(_: Suite, seconds: Floats, lines: list[set[int]]) -> list[int]:
    """Return the order of pytest-maxcov, up to the test that completes the coverage."""
    from pytest_maxcov.plugin import Subset, set_cover

    sets = [Subset(found, cost, i) for i, (found, cost) in enumerate(zip(lines, seconds.tolist()))]  # noqa: B905
    return [one.context for one in set_cover(set().union(*lines), sets, 1.0)]


Order = Callable[[Suite, Floats, list[set[int]]], list[int]]
PEERS: dict[str, Order] = {
    "pytest_ranking": ranking,
    "pytest_pitch": pitch,
    "pytest_maxcov": maxcov,
}


def fitting(order: list[int], seconds: Floats, budget: float) -> list[int]:
    """Return the tests in an order that fit, one after the other."""
    chosen, left = [], budget
    for test in order:
        if seconds[test] <= left:
            chosen.append(test)
            left -= seconds[test]
    return chosen


class Rerun(NamedTuple):
    """A selection that was run alone: what it covered, and what its tests and all of it took."""

    chosen: Selection
    share: float
    seconds: float
    whole: float
    outside: float

    @property
    def predicted(self) -> float:
        """What all of it takes, with the time outside of tests that the whole suite needs."""
        return self.chosen.seconds + self.outside

    @property
    def cells(self) -> tuple[str, ...]:
        return (
            f"{self.share:.2%}", f"{self.chosen.seconds:.2f}", f"{self.seconds:.2f}",
            f"{self.predicted:.2f}", f"{self.whole:.2f}",
        )  # fmt: skip


def again(chosen: Selection, project: Project, folder: Path, outside: float) -> Rerun:
    """Run the chosen tests alone."""
    project.cover(chosen.tests, folder / "again")
    ran = read_suite([folder / "again" / ".coverage"])
    covered = {(ran.files[f], n) for f, n in zip(ran.file_of, ran.line_of, strict=True)}
    suite = chosen.suite
    lines = ((suite.files[f], n) for f, n in zip(suite.file_of, suite.line_of, strict=True))
    share = sum(line in covered for line in lines) / suite.n_lines
    runs = list(project.time(chosen.tests, folder / "again"))
    seconds = float(np.median([sum(times.values()) for times, _ in runs]))
    return Rerun(chosen, share, seconds, float(np.median([whole for _, whole in runs])), outside)


def compare(folder: Path, project: Project, collecting: float) -> None:
    suite = read_suite([folder / ".coverage"])
    suite = with_durations(suite, sorted(folder.glob("order-*.json")))
    seconds, whole = suite.seconds, suite.total()
    # and what is done once, by whichever test comes first
    outside = collecting + suite.outside
    here = [name for name in PEERS if find_spec(name) is not None]
    if absent := sorted(set(PEERS) - set(here)):
        print(f"not installed, not compared: {', '.join(absent)}")
    lines = lines_of(suite)
    orders = {name: PEERS[name](suite, seconds, lines) for name in here}
    rows: list[tuple[str, ...]] = []
    reruns, least = [], np.inf
    for part in PARTS:
        chosen = choose(suite, budget=part * whole)
        shares = []
        for order in orders.values():
            tests = fitting(order, seconds, part * whole)
            shares.append(len(set().union(*(lines[i] for i in tests))) / suite.n_lines)
            least = min(least, chosen.share / shares[-1])
        reruns.append(again(chosen, project, folder, outside))
        rows.append(
            (f"{part:.0%} of the time", *(f"{share:.2%}" for share in shares),
             f"{chosen.share:.2%}", f"at most {chosen.bound:.2%}", *reruns[-1].cells)
        )  # fmt: skip
    for target in TARGETS:
        chosen = choose(suite, target=target)
        times = [
            time_to(target * suite.n_lines, order, seconds, lines) for order in orders.values()
        ]
        least = min([least, *(time / chosen.seconds for time in times)])
        reruns.append(again(chosen, project, folder, outside))
        rows.append(
            (f"{target:.0%} of the lines", *(f"{time:.2f} s" for time in times),
             f"{chosen.seconds:.2f} s", f"at least {chosen.bound:.2f} s", *reruns[-1].cells)
        )  # fmt: skip
    heading(
        f"The tests of {', '.join(project.sources)}", tests=len(suite.tests), lines=suite.n_lines,
        seconds=f"{whole:.1f}", collecting=f"{collecting:.1f}", once=f"{suite.outside:.1f}",
        load=f"{os.getloadavg()[0]:.0f}",
    )  # fmt: skip
    table(
        ("asked", *here, "chosen", "bound", "really covered", "tests: predicted s", "taken s",
         "whole run: predicted s", "taken s"), rows,
    )  # fmt: skip
    late = [rerun.seconds / rerun.chosen.seconds - 1 for rerun in reruns]
    whole_runs = [rerun.whole / rerun.predicted - 1 for rerun in reruns]
    print(f"time of the tests, off by: {', '.join(f'{x:+.1%}' for x in late)}")
    print(f"time of the whole run, off by: {', '.join(f'{x:+.1%}' for x in whole_runs)}")
    off = max(abs(rerun.share - rerun.chosen.share) for rerun in reruns)
    hold("really covered, off by", off, most=0.01)
    clock("time really taken, off by, median", float(np.median(np.abs(late))), most=0.5)
    if here:
        clock("chosen, of the best plugin at equal time", least, least=1.0 - 1e-9)


def time_to(n_lines: float, order: list[int], seconds: Floats, lines: list[set[int]]) -> float:
    """Return what the tests of an order take until so many lines are covered."""
    met = np.flatnonzero(np.cumsum(_new(order, lines)) >= n_lines - 1e-9)
    return float(np.cumsum(seconds[order])[met[0]])


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
    parser.add_argument("--root", type=Path, help="the folder to run in")
    parser.add_argument("--source", action="append", help="a package that is covered")
    parser.add_argument("--tests", nargs="+", help="what pytest is given")
    parser.add_argument("--folder", type=Path, help="keep the recording here, and use it again")
    parser.add_argument("--rounds", type=int, default=3, help="how often to time each selection")
    options = parser.parse_args()
    if options.root is None:
        package = find_spec("networkx")
        assert package is not None
        assert package.origin is not None
        options.root, options.source = Path(package.origin).parent.parent, ["networkx"]
        options.tests = ["networkx/algorithms/tree/tests"]
    project = Project(options.root, options.source, options.rounds)
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or Path(name)
        if not (folder / ".coverage").exists():
            project.cover(options.tests, folder)
        outside = []
        for order, (times, whole) in enumerate(project.time(options.tests, folder)):
            (folder / f"order-{order}.json").write_text(json.dumps(times), encoding="utf-8")
            outside.append(whole - sum(times.values()))
        compare(folder, project, float(np.mean(outside)))


if __name__ == "__main__":
    main()
