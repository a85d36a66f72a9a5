"""Suite: tests, which blocks of lines each one runs, and what it costs.

Lines that the same tests run form one *block*: every selection of tests runs all of them or none,
and there are far fewer blocks than lines. The weight of a block is the sum over its lines.

A selection costs its tests, plus each shared fixture that one of them uses. The cost of a fixture
is split among its tests, in parts that add up to at most the whole. So no selection costs more with
the parts than it really does, and bounds proven with the parts hold. The dearest fixtures are not
split: each is either paid for, or its tests may not be chosen. Every combination is solved.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.engine.core.validation import csr_from_edges, positions_of
from maxcover.engine.kernels.classes import classes, merge

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from maxcover.ground.array_types import AnyArray, Floats, Int32s, Int64s, Mask


# At most DECIDED fixtures are decided one by one: those that cost at least the fraction
# DECIDED_PART of the budget. (Three fixtures make eight problems.) All others are split.
DECIDED, DECIDED_PART = 3, 0.02


class FixtureCase(NamedTuple):
    """One choice of which of the dearest fixtures to pay for.

    `apart` are the dearest fixtures, which are not split; `cost` is the cost of the paid fixtures;
    `never` are the tests that need an unpaid fixture.
    """

    apart: Collection[int] = ()
    cost: float = 0.0
    never: Collection[int] = ()


@dataclass(frozen=True, eq=False)
class Shared:
    """Fixtures that are paid for once, and the tests that use them.

    Attributes
    ----------
    costs : array of float
        Seconds of each shared fixture.
    users : sequence of sequence of int
        The tests that use each shared fixture.
    together : sequence of sequence of int
        Groups of tests to run one after the other: a test between them would tear down what they
        share.
    """

    costs: Floats = field(default_factory=lambda: np.zeros(0))
    users: Sequence[Sequence[int]] = ()
    together: Sequence[Sequence[int]] = ()

    @cached_property
    def of_test(self) -> dict[int, set[int]]:
        """A dict from each test that uses shared fixtures to the set of these fixtures."""
        fixtures: dict[int, set[int]] = {}
        for k, users in enumerate(self.users):
            for test in users:
                fixtures.setdefault(test, set()).add(k)
        return fixtures

    def opened(self, tests: Iterable[int], paid: Collection[int] = ()) -> tuple[set[int], float]:
        """Return the fixtures that `tests` use and that are not in `paid`, and their total cost."""
        used = set().union(*(self.of_test.get(test, set()) for test in tests)) - {*paid}
        return used, float(self.costs[sorted(used)].sum())

    def cost_of(self, tests: Iterable[int]) -> float:
        """Return the total cost of the fixtures that `tests` use; each fixture counts once."""
        return self.opened(tests)[1]

    def for_workers(self, workers: int) -> Shared:
        """Return the fixtures, each cost multiplied by how many workers may set the fixture up."""
        times = [min(workers, max(len(users), 1)) for users in self.users]
        return replace(self, costs=self.costs * np.array(times, dtype=float))

    def split(self, n_tests: int, apart: Collection[int] = ()) -> Floats:
        """Return each test's equal part of the costs of its fixtures, except those in `apart`."""
        parts = np.zeros(n_tests)
        for k, users in enumerate(self.users):
            if k not in apart and users:
                # Rounded down, because the parts may not add up to more than the fixture's cost.
                parts[[*users]] += np.floor(self.costs[k] / len(users) * 1e4) / 1e4
        return parts

    def cases(self, budget: float, required: Iterable[int]) -> Iterator[FixtureCase]:
        """Yield every choice of which of the dearest fixtures to pay for, within the budget."""
        order = np.argsort(-self.costs, kind="stable").tolist()
        dear = [k for k in order if self.costs[k] >= DECIDED_PART * budget][:DECIDED]
        forced, _ = self.opened(required)
        for paid in (p for n in range(len(dear) + 1) for p in combinations(dear, n)):
            closed = {*dear} - {*paid}
            cost = float(self.costs[[*paid]].sum())
            if cost <= budget and forced.isdisjoint(closed):
                yield FixtureCase(dear, cost, {test for k in closed for test in self.users[k]})


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Suite:
    """Tests, the lines that they run, and what they cost.

    Attributes
    ----------
    tests : tuple of str
        Node ids, as pytest writes them, sorted.
    files : tuple of str
        Paths of the source files, as they were recorded.
    file_of, line_of : array of int
        The file and the number of each line that some test runs.
    block_of : array of int
        The block of each line.
    called : tuple of str
        What tests and lines are called: those of a corpus are files and features.
    indptr, indices : array of int
        The blocks that each test runs, as a compressed sparse row matrix.
    costs : mapping of str to array
        The cost of each test, by name: seconds, bytes. For a target, the first cost is minimised.
    shared : Shared
        Fixtures whose seconds are paid once for all tests that use them.
    outside : float
        Seconds that a recorded run took outside of any test, mostly to collect tests; 0 if unknown.
    missing : tuple of str
        Tests without a recorded duration; the median is used for them.
    revision : str, optional
        The git revision at which lines were recorded; None if line numbers are those of the files
        as they are now.
    """

    tests: tuple[str, ...]
    files: tuple[str, ...]
    file_of: Int32s
    line_of: Int64s
    block_of: Int32s
    indptr: Int64s
    indices: Int32s
    called: tuple[str, str] = ("tests", "lines")
    costs: Mapping[str, Floats] = field(default_factory=dict)
    shared: Shared = field(default_factory=Shared)
    outside: float = 0.0
    missing: tuple[str, ...] = ()
    revision: str | None = None

    @property
    def n_lines(self) -> int:
        """Number of lines that some test runs."""
        return len(self.line_of)

    @property
    def n_blocks(self) -> int:
        """Number of blocks: groups of lines that the same tests run."""
        return int(self.block_of.max(initial=-1)) + 1

    @property
    def seconds(self) -> Floats:
        """Seconds of each test, without its shared fixtures."""
        return self.costs["seconds"]

    def total(self, cost: str = "seconds") -> float:
        """Return the total cost of all tests; shared fixtures count once."""
        once = float(self.shared.costs.sum()) if cost == "seconds" else 0.0
        return float(self.costs[cost].sum()) + once

    def with_costs(self, **costs: Floats) -> Suite:
        """Return the suite with these costs: by name, an array with the cost of each test."""
        return replace(self, costs=costs)

    def empty_tests(self) -> list[str]:
        """Return the tests that run no line."""
        return [self.tests[i] for i in np.flatnonzero(np.diff(self.indptr) == 0)]

    def edges_of(self, groups: Sequence[Sequence[int]]) -> tuple[Int64s, Int32s]:
        """Return the blocks that the tests of each group run, as arrays of groups and of blocks.

        A pair occurs once for each test of the group that runs the block.
        """
        rows = np.array([row for group in groups for row in group], dtype=np.int64)
        owners = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        blocks = self.indices[positions_of(self.indptr, rows)]
        return np.repeat(owners, np.diff(self.indptr)[rows]), blocks

    def running(self, lines: Mask) -> list[int]:
        """Return the tests that run one of the lines in a mask."""
        starts, tests = self._tests_of_blocks
        places = positions_of(starts, np.unique(self.block_of[lines]).astype(np.int64))
        return [*np.unique(tests[places]).tolist()]

    @cached_property
    def _tests_of_blocks(self) -> tuple[Int64s, Int32s]:
        owners = np.repeat(np.arange(len(self.tests), dtype=np.int32), np.diff(self.indptr))
        return csr_from_edges(self.indices, owners, self.n_blocks)

    def runs(self, names: Collection[str] | None = None) -> Iterator[tuple[str, str, Int64s]]:
        """Yield (test, file, lines) for each file that a test runs; `names` may limit the tests."""
        by_block = np.argsort(self.block_of, kind="stable")
        ends = np.cumsum(np.bincount(self.block_of, minlength=self.n_blocks))
        lines_of = np.split(by_block, ends[:-1]) if ends.size else []
        for i, name in enumerate(self.tests):
            blocks = self.indices[slice(*self.indptr[i : i + 2])]
            if not blocks.size or (names is not None and name not in names):
                continue
            lines = np.sort(np.concatenate([lines_of[block] for block in blocks]))
            # Lines are sorted by file, so the lines of a file are a slice.
            files, begins = np.unique(self.file_of[lines], return_index=True)
            for file, part in zip(files, np.split(self.line_of[lines], begins[1:]), strict=True):
                yield name, self.files[file], part

    def __repr__(self) -> str:
        tests, lines = self.called
        return f"Suite({len(self.tests)} {tests}, {self.n_lines} {lines}, {self.n_blocks} blocks)"


class Recorder:
    """Collects which test runs which lines of which file, and builds a `Suite` from that.

    Examples
    --------
    >>> recorder = Recorder()
    >>> recorder.add("test_a", "m.py", [1, 2, 3])
    >>> recorder.add("test_b", "m.py", [3, 4])
    >>> recorder.suite()
    Suite(2 tests, 4 lines, 3 blocks)
    """

    def __init__(self) -> None:
        self._tests: dict[str, int] = {}
        self._files: dict[str, int] = {}
        self._rows: list[tuple[int, int]] = []
        self._sizes: list[int] = []
        self._lines: list[AnyArray] = []

    def test(self, name: str) -> int:
        """Return the number of a test; a test that is new gets the next number."""
        return self._tests.setdefault(name, len(self._tests))

    def add(self, test: str, path: str, lines: Sequence[int] | AnyArray) -> None:
        """Record that a test runs lines of a file; several calls add up."""
        self.add_many([(test, path)], [len(lines)], np.asarray(lines, dtype=np.int64))

    def add_many(
        self, runs: Iterable[tuple[str, str]], sizes: Iterable[int], lines: AnyArray
    ) -> None:
        """Record the lines of many (test, file) pairs; pair k has the next ``sizes[k]`` lines."""
        files = self._files
        self._rows += [(self.test(test), files.setdefault(path, len(files))) for test, path in runs]
        self._sizes += sizes
        self._lines.append(lines)

    def add_suite(self, suite: Suite) -> None:
        """Record all tests of a suite, and the lines that they run."""
        for name in suite.tests:
            self.test(name)
        for run in suite.runs():
            self.add(*run)

    def suite(self) -> Suite:
        """Return what was collected as a suite, with tests and files sorted by name."""
        tests, test_rank = _sorted(self._tests)
        files, file_rank = _sorted(self._files)
        rows = np.array(self._rows, dtype=np.int64).reshape(-1, 2)
        # Line numbers may be as large as addresses, so keys are made from the ranks of the numbers.
        numbers, ranks = np.unique(
            np.concatenate([np.zeros(0, np.int64), *self._lines]), return_inverse=True
        )
        owners = np.repeat(file_rank[rows[:, 1]], self._sizes)
        keys, columns = np.unique(owners * max(numbers.size, 1) + ranks, return_inverse=True)
        del owners, ranks
        file_of, rank_of = np.divmod(keys, max(numbers.size, 1))
        runs = np.repeat(test_rank[rows[:, 0]].astype(np.int32), self._sizes)
        block_of, indptr, indices = _blocks(runs, columns.astype(np.int32), len(tests), keys.size)
        return Suite(
            tests=tests,
            files=files,
            file_of=file_of.astype(np.int32),
            line_of=numbers[rank_of],
            block_of=block_of,
            indptr=indptr,
            indices=indices,
        )


def _sorted(numbers: dict[str, int]) -> tuple[tuple[str, ...], Int64s]:
    """Return the names sorted, and an array that maps the number of a name to its rank."""
    names = tuple(sorted(numbers))
    rank = np.zeros(len(names), dtype=np.int64)
    rank[[numbers[name] for name in names]] = np.arange(len(names))
    return names, rank


def _blocks(
    runs: Int32s, columns: Int32s, n_tests: int, n_lines: int
) -> tuple[Int32s, Int64s, Int32s]:
    """Merge lines that the same tests run; return the block of each line and blocks per test."""
    graph = csr_from_edges(runs, columns, n_tests)
    every, block_of = np.ones(n_tests, dtype=bool), np.empty(n_lines, dtype=np.int32)
    classes(*graph, np.ones(n_lines), every, block_of)
    indptr, indices = np.zeros(n_tests + 1, dtype=np.int64), np.empty(runs.size, dtype=np.int32)
    kept = merge(*graph, every, block_of, indptr, indices)
    return block_of, indptr, indices[:kept].copy()


def matching(names: Iterable[str], patterns: Iterable[str]) -> list[int]:
    """Return the indices of `names` that equal, or match, one of the shell `patterns`.

    A pattern may also match the part of a node id before "::".

    Examples
    --------
    >>> matching(["tests/a.py::x", "tests/b.py::y[1]"], ["tests/a.py", "tests/b.py::y[1]"])
    [0, 1]
    """
    known, given = [*names], {*patterns}
    loose = given - {*known}
    return [
        k
        for k, name in enumerate(known)
        if name in given or any(fnmatchcase(name, p) or fnmatchcase(name, f"{p}::*") for p in loose)
    ]


def weights_by_file(suite: Suite, rules: Iterable[tuple[str, float]]) -> Floats:
    """Return the weight of each line, by the last of `rules` whose pattern matches its file.

    A pattern matches the recorded path, or the end of it after a slash. Other files have weight 1.
    """
    files = np.ones(len(suite.files))
    for pattern, weight in rules:
        for k, path in enumerate(suite.files):
            if fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}"):
                files[k] = weight
    return files[suite.file_of]
