"""Suite: tests, and which blocks of lines each one runs.

Lines that the same tests run are one *block*: selecting tests cannot tell them apart, and there are
far fewer blocks than lines. A block remembers its lines, so weights by file and by line are sums.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from maxcover.core.validation import csr_from_edges
from maxcover.kernels.classes import classes, merge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Int32s = NDArray[np.int32]
    Int64s = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Suite:
    """Tests and the lines that they run.

    Attributes
    ----------
    tests : tuple of str
        Node ids, as pytest writes them, in order.
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
    """

    tests: tuple[str, ...]
    files: tuple[str, ...]
    file_of: Int32s
    line_of: Int32s
    block_of: Int32s
    indptr: Int64s
    indices: Int32s
    called: tuple[str, str] = ("tests", "lines")

    @property
    def n_lines(self) -> int:
        """Number of lines that some test runs."""
        return len(self.line_of)

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return int(self.block_of.max(initial=-1)) + 1

    def empty_tests(self) -> list[str]:
        """Return the tests that run no line."""
        return [self.tests[i] for i in np.flatnonzero(np.diff(self.indptr) == 0)]

    def with_tests(self, names: Iterable[str]) -> Suite:
        """Return the suite with more tests, which run no line that is known."""
        tests = tuple(sorted({*self.tests, *names}))
        place = {test: i for i, test in enumerate(tests)}
        sizes = np.zeros(len(tests), dtype=np.int64)
        sizes[[place[test] for test in self.tests]] = np.diff(self.indptr)
        # tests are in order, so their rows stay where they are
        return replace(self, tests=tests, indptr=np.concatenate(([0], np.cumsum(sizes))))

    def runs(self, names: set[str]) -> Iterator[tuple[str, str, Int32s]]:
        """Yield test, file and lines of some of the tests."""
        by_block = np.argsort(self.block_of, kind="stable")
        ends = np.cumsum(np.bincount(self.block_of, minlength=self.n_blocks))
        lines_of = np.split(by_block, ends[:-1]) if ends.size else []
        for i, name in enumerate(self.tests):
            blocks = self.indices[slice(*self.indptr[i : i + 2])]
            if name not in names or not blocks.size:
                continue
            lines = np.sort(np.concatenate([lines_of[block] for block in blocks]))
            # lines are in the order of their files
            files, begins = np.unique(self.file_of[lines], return_index=True)
            for file, part in zip(files, np.split(self.line_of[lines], begins[1:]), strict=True):
                yield name, self.files[file], part

    def __repr__(self) -> str:
        tests, lines = self.called
        return f"Suite({len(self.tests)} {tests}, {self.n_lines} {lines}, {self.n_blocks} blocks)"


class Recorder:
    """Collects which test runs which lines of which file, and makes a Suite of it.

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
        self._lines: list[Int32s] = []
        self._keys: dict[str, list[tuple[str, Int64s]]] = {}

    def test(self, name: str) -> int:
        """Return the number of a test, which is new if it has not been seen."""
        return self._tests.setdefault(name, len(self._tests))

    def add(self, test: str, path: str, lines: Sequence[int] | Int32s) -> None:
        """Note that a test runs lines of a file; several calls add up."""
        self.add_many([(test, path)], [len(lines)], np.asarray(lines, dtype=np.int32))

    def add_keys(self, test: str, kind: str, keys: Int64s) -> None:
        """Note that a test covers things of a kind that have large numbers, such as addresses."""
        self.test(test)
        self._keys.setdefault(kind, []).append((test, keys))

    def add_many(
        self, runs: Iterable[tuple[str, str]], sizes: Iterable[int], lines: Int32s
    ) -> None:
        """Note what several tests run: pairs of test and file, and the lines of all of them."""
        files = self._files
        self._rows += [(self.test(test), files.setdefault(path, len(files))) for test, path in runs]
        self._sizes += sizes
        self._lines.append(lines)

    def suite(self) -> Suite:
        """Return what was collected, with tests and files in the order of their names."""
        for kind, runs in self._keys.items():
            _, ranks = np.unique(np.concatenate([keys for _, keys in runs]), return_inverse=True)
            pairs = [(test, kind) for test, _ in runs]
            self.add_many(pairs, [keys.size for _, keys in runs], ranks.astype(np.int32))
        self._keys = {}
        tests, test_rank = _sorted(self._tests)
        files, file_rank = _sorted(self._files)
        n_lines = self._sizes
        rows = np.array(self._rows, dtype=np.int64).reshape(-1, 2)
        numbers = np.concatenate(self._lines) if self._lines else np.zeros(0, np.int32)
        self._lines = []  # they may be large
        # each file has as many places as its last line has a number
        owner = np.repeat(file_rank[rows[:, 1]], n_lines)
        last = np.zeros(len(files), dtype=np.int64)
        np.maximum.at(last, owner, numbers)
        first = np.concatenate(([0], np.cumsum(last + 1)))
        places = first[owner] + numbers
        del owner, numbers
        used = np.zeros(int(first[-1]), dtype=bool)
        used[places] = True
        place_of = np.flatnonzero(used)
        columns = (np.cumsum(used, dtype=np.int32) - 1)[places]
        del places
        owners = np.repeat(test_rank[rows[:, 0]].astype(np.int32), n_lines)
        block_of, indptr, indices = _blocks(owners, columns, len(tests), place_of.size)
        file_of = np.searchsorted(first, place_of, side="right") - 1
        return Suite(
            tests=tests,
            files=files,
            file_of=file_of.astype(np.int32),
            line_of=(place_of - first[file_of]).astype(np.int32),
            block_of=block_of,
            indptr=indptr,
            indices=indices,
        )


def _sorted(numbers: dict[str, int]) -> tuple[tuple[str, ...], Int64s]:
    """Return names in order, and the rank of each number."""
    names = tuple(sorted(numbers))
    rank = np.zeros(len(names), dtype=np.int64)
    rank[[numbers[name] for name in names]] = np.arange(len(names))
    return names, rank


def _blocks(
    runs: Int32s, columns: Int32s, n_tests: int, n_lines: int
) -> tuple[Int32s, Int64s, Int32s]:
    """Merge lines that the same tests run; return the block of each line, and blocks by test."""
    graph = csr_from_edges(runs, columns, n_tests)
    every, block_of = np.ones(n_tests, dtype=bool), np.empty(n_lines, dtype=np.int32)
    classes(*graph, np.ones(n_lines), every, block_of)
    indptr, indices = np.zeros(n_tests + 1, dtype=np.int64), np.empty(runs.size, dtype=np.int32)
    kept = merge(*graph, every, block_of, indptr, indices)
    return block_of, indptr, indices[:kept].copy()


def matching(names: Iterable[str], patterns: Iterable[str]) -> list[int]:
    """Return the positions of names that are given, or that some shell pattern of them matches.

    Examples
    --------
    >>> matching(["tests/a.py::x", "tests/b.py::y[1]"], ["tests/a.py", "tests/b.py::y[1]"])
    [0, 1]
    """
    from fnmatch import fnmatchcase

    known, given = [*names], {*patterns}
    loose = given - {*known}
    return [
        k
        for k, name in enumerate(known)
        if name in given or any(fnmatchcase(name, p) or fnmatchcase(name, f"{p}::*") for p in loose)
    ]
