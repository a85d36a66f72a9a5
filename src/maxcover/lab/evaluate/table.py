"""Table: means of results over data sets, paired differences, and how a table is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.errors import OptionError
from maxcover.lab.evaluate.intervals import Interval, difference_interval, mean_interval
from maxcover.lab.evaluate.methods import DEFAULT_OBJECTIVE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maxcover.lab.evaluate.harness import Result

    Measure = Callable[[Result], float]


class ResultTable(NamedTuple):
    """Names of columns, and rows of texts, numbers and intervals; None is an empty cell."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def rouge_1(result: Result) -> float:
    """Return ROUGE-1 recall."""
    return result.rouge1.recall


def rouge_2(result: Result) -> float:
    """Return ROUGE-2 recall."""
    return result.rouge2.recall


def compare(results: Sequence[Result], *, first: str | None = None, seed: int = 0) -> ResultTable:
    """Return a table that compares every method with the method `first`.

    Every data set weighs the same. Intervals are 95 % bootstrap intervals over clusters.
    Differences are paired: a cluster is drawn with the scores of both methods. If a method was not
    run on every cluster, its means are over the clusters it has (the table has their number), and
    differences are over the clusters that both methods have.

    Parameters
    ----------
    results
    first
        The method from whose scores the others are subtracted; by default that of the first result.
    seed
        Seed of the bootstrap.
    """
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.method, []).append(result)
    first = first or next(iter(groups), "")
    if first not in groups:
        raise OptionError(f"expected results of {first!r} to compare with, got {', '.join(groups)}")
    rows = []
    for name, mine in groups.items():
        sets = [result.data for result in mine]
        rows.append(
            (
                name,
                len(mine),
                mean_interval([rouge_1(x) for x in mine], sets=sets, seed=seed),
                _difference(groups[first], mine, rouge_1, seed),
                _mean_of_sets(mine, rouge_2),
                _difference(groups[first], mine, rouge_2, seed),
                _mean_of_sets(mine, lambda x: x.rougeLsum.recall),
                _share(mine, groups.get("oracle", [])),
                _covered(name, mine, groups.get("exact", [])),
                _mean_of_sets(mine, lambda x: x.seconds),
            )
        )
    columns = (
        *("method", "clusters", "ROUGE-1", f"{first} is ahead in ROUGE-1 by"),
        *("ROUGE-2", f"{first} is ahead in ROUGE-2 by"),
        *("ROUGE-L", "of the oracle", "covered, of the optimum", "seconds"),
    )
    return ResultTable(columns, sorted(rows, key=lambda row: -row[2].mean))


def by_set(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Return the results of each data set, for a table of each."""
    sets: dict[str, list[Result]] = {}
    for result in results:
        sets.setdefault(result.data, []).append(result)
    return sets


def _paired(first: Sequence[Result], second: Sequence[Result]) -> tuple[list[Result], list[Result]]:
    """Return the results of both methods on the clusters that both have, in the same order."""
    theirs = {(x.data, x.cluster): x for x in second}
    common = [x for x in first if (x.data, x.cluster) in theirs]
    return common, [theirs[x.data, x.cluster] for x in common]


def _mean_of_sets(results: Sequence[Result], measure: Measure) -> float:
    return float(
        np.mean([np.mean([measure(x) for x in mine]) for mine in by_set(results).values()])
    )


def _difference(
    first: Sequence[Result], second: Sequence[Result], measure: Measure, seed: int
) -> Interval | None:
    ours, theirs = _paired(first, second)
    if first is second or not ours:
        return None
    return difference_interval(
        [measure(x) for x in ours],
        [measure(x) for x in theirs],
        sets=[x.data for x in ours],
        seed=seed,
    )


def _share(results: Sequence[Result], oracle: Sequence[Result]) -> float | None:
    """Return the mean ROUGE-1 of `results`, divided by the oracle's on their common clusters."""
    mine, best = _paired(results, oracle)
    return _mean_of_sets(mine, rouge_1) / _mean_of_sets(best, rouge_1) if mine else None


def _covered(name: str, results: Sequence[Result], exact: Sequence[Result]) -> float | None:
    """Return the mean ratio of value to optimum, over the clusters with a proven optimum."""
    if name not in DEFAULT_OBJECTIVE:
        return None
    pairs = zip(*_paired(results, exact), strict=True)
    shares = [(x.value or 0.0) / best.value for x, best in pairs if best.proven and best.value]
    return float(np.mean(shares)) if shares else None


def to_markdown(table: ResultTable) -> str:
    """Return a table in Markdown, aligned to be read as it is; empty columns are left out.

    Examples
    --------
    >>> table = ResultTable(("method", "clusters", "bound"), [("lead", 3, None)])
    >>> print(to_markdown(table), end="")
    | method | clusters |
    | ------ | -------: |
    | lead   |        3 |
    """
    cells = zip(*table.rows, strict=True)
    columns = [
        [name, *map(as_text, column)]
        for name, column in zip(table.columns, cells, strict=True)
        if any(cell is not None for cell in column)
    ]
    widths = [max(map(len, column)) for column in columns]
    head, *rows = zip(*columns, strict=True)
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = (
        [line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]
        for line in (head, rule, *rows)
    )
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def as_text(cell: Any) -> str:
    """Return a cell as text: numbers with four decimals, or five between 0.999 and 1.

    Examples
    --------
    >>> as_text(0.25), as_text(0.99982), as_text(None), as_text("lead")
    ('0.2500', '0.99982', '', 'lead')
    >>> as_text(Interval(0.02, -0.01, 0.05))
    '0.0200 [-0.0100, 0.0500]'
    """
    if cell is None:
        return ""
    if isinstance(cell, Interval):
        return f"{cell.mean:.4f} [{cell.low:.4f}, {cell.high:.4f}]"
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:.5f}" if 0.999 < cell < 1 else f"{cell:.4f}"
