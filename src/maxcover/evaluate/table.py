"""Tables of results: means over data sets, paired differences, and how they are written."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.errors import OptionError
from maxcover.evaluate.intervals import Interval, difference_interval, mean_interval
from maxcover.evaluate.methods import SUMMARIZERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maxcover.evaluate.harness import Result

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


def rouge_l(result: Result) -> float:
    """Return ROUGE-L recall, summary level."""
    return result.rougeLsum.recall


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
    groups = _by_method(results)
    first = first or next(iter(groups))
    if first not in groups:
        raise OptionError(f"expected one of {', '.join(groups)} to compare with, got {first!r}")
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
                _mean_of_sets(mine, rouge_l),
                _share(mine, groups.get("oracle"), rouge_1),
                _covered(name, mine, groups.get("exact")),
                _mean_of_sets(mine, lambda x: x.seconds),
            )
        )
    columns = (
        *("method", "clusters", "ROUGE-1", f"{first} is ahead in ROUGE-1 by"),
        *("ROUGE-2", f"{first} is ahead in ROUGE-2 by"),
        *("ROUGE-L", "of the oracle", "covered, of the optimum", "seconds"),
    )
    return ResultTable(columns, sorted(rows, key=lambda row: -row[2].mean))


def by_set(results: Sequence[Result], measure: Measure = rouge_1) -> ResultTable:
    """Return the mean of a measure per method and data set, and the mean over the data sets."""
    groups = _by_method(results)
    sets = list(dict.fromkeys(result.data for result in results))
    rows = []
    for name, mine in groups.items():
        scores = [[measure(x) for x in mine if x.data == data] for data in sets]
        means = [float(np.mean(found)) if found else None for found in scores]
        rows.append((name, *means, float(np.mean([mean for mean in means if mean is not None]))))
    return ResultTable(("method", *sets, "mean"), sorted(rows, key=lambda row: -row[-1]))


def ahead_by_set(
    results: Sequence[Result], *, first: str | None = None, seed: int = 0
) -> ResultTable:
    """List the methods that beat `first` on a data set, and by how much; leave out the oracle.

    The intervals are those of `compare`.
    """
    groups = _by_method(results)
    first = first or next(iter(groups))
    rows = []
    for data in dict.fromkeys(result.data for result in results):
        ours = [x for x in groups[first] if x.data == data]
        for name, group in groups.items():
            theirs = [x for x in group if x.data == data]
            found = _difference(theirs, ours, rouge_1, seed) if name != first and theirs else None
            if found is not None and found.mean > 0 and name != "oracle":
                rows.append((data, name, len(_paired(theirs, ours)[0]), found))
    columns = ("data set", "method", "clusters", f"ROUGE-1, ahead of {first} by")
    return ResultTable(columns, sorted(rows, key=lambda row: (row[0], -row[3].mean)))


def coverage_by_set(results: Sequence[Result]) -> ResultTable:
    """Return, for each data set, the share of the optimum that coverage and g-greedy reach.

    Only clusters with a proven optimum count there. The column ``at least`` counts all clusters: it
    is the first method's share of the lowest bound that any method gave. The last column is ROUGE-1
    of the first method, as a share of that of the oracle.

    Raises
    ------
    OptionError
        There are no optima: ``exact`` is not among the methods.
    """
    groups = _by_method(results)
    if "exact" not in groups:
        raise OptionError("expected results of the method 'exact' to compare with, got none")
    names = [name for name in groups if _has_default_objective(name) and name != "exact"]
    if not names:
        raise OptionError("expected results of 'coverage' or 'g-greedy' beside 'exact', got none")
    rows = []
    for data in dict.fromkeys(result.data for result in results):
        mine = {name: [x for x in group if x.data == data] for name, group in groups.items()}
        tried, first = mine["exact"], mine[names[0]]
        row = [data, len(first), sum(result.proven for result in tried), len(tried)]
        row += [_covered(name, mine[name], tried) for name in names]
        row += [_at_least(first, [x for name in (*names, "exact") for x in mine[name]])]
        rows.append((*row, _share(first, mine.get("oracle"), rouge_1)))
    columns = (
        *("data set", "clusters", "optima proven", "of", *names, f"{names[0]}, at least"),
        f"ROUGE-1 of {names[0]}, of the oracle",
    )
    return ResultTable(columns, rows)


def _by_method(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Group results by method; raise OptionError if there are none."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.method, []).append(result)
    if not groups:
        raise OptionError("expected results to make a table of, got none")
    return groups


def _paired(first: Sequence[Result], second: Sequence[Result]) -> tuple[list[Result], list[Result]]:
    """Return the results of both methods on the clusters that both have, in the same order."""
    theirs = {(x.data, x.cluster): x for x in second}
    common = [x for x in first if (x.data, x.cluster) in theirs]
    return common, [theirs[x.data, x.cluster] for x in common]


def _mean_of_sets(results: Sequence[Result], measure: Measure) -> float:
    sets = dict.fromkeys(result.data for result in results)
    return float(np.mean([np.mean([measure(x) for x in results if x.data == s]) for s in sets]))


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


def _share(
    results: Sequence[Result], whole: Sequence[Result] | None, measure: Measure
) -> float | None:
    """Return the mean of `results` divided by the mean of `whole`, on their common clusters."""
    mine, best = _paired(results, whole or ())
    return _mean_of_sets(mine, measure) / _mean_of_sets(best, measure) if mine else None


def _has_default_objective(name: str) -> bool:
    return name in SUMMARIZERS and SUMMARIZERS[name].default_objective


def _covered(name: str, results: Sequence[Result], exact: Sequence[Result] | None) -> float | None:
    """Return the mean ratio of value to optimum, over the clusters with a proven optimum."""
    if not _has_default_objective(name):
        return None
    shares = [
        (x.value or 0.0) / best.value
        for x, best in zip(*_paired(results, exact or ()), strict=True)
        if best.proven and best.value
    ]
    return float(np.mean(shares)) if shares else None


def _at_least(results: Sequence[Result], bounds: Sequence[Result]) -> float | None:
    """Return the mean ratio of value to the cluster's lowest bound, or to its proven optimum."""
    lowest: dict[str, float] = {}
    for x in bounds:
        bound = x.value if x.proven else x.bound
        if bound is not None:
            lowest[x.cluster] = min(bound, lowest.get(x.cluster, np.inf))
    shares = [(x.value or 0.0) / lowest[x.cluster] for x in results if lowest.get(x.cluster)]
    return float(np.mean(shares)) if shares else None


def without_empty_columns(table: ResultTable) -> ResultTable:
    """Return a table without the columns whose cells are all None.

    Examples
    --------
    >>> without_empty_columns(ResultTable(("method", "clusters", "bound"), [("lead", 3, None)]))
    ResultTable(columns=('method', 'clusters'), rows=[('lead', 3)])
    """
    kept = [k for k in range(len(table.columns)) if any(row[k] is not None for row in table.rows)]
    columns = tuple(table.columns[k] for k in kept)
    return ResultTable(columns, [tuple(row[k] for k in kept) for row in table.rows])


def to_markdown(table: ResultTable) -> str:
    """Return a table in Markdown."""
    rule = ["---", *["---:"] * (len(table.columns) - 1)]
    lines = [table.columns, rule, *([as_text(cell) for cell in row] for row in table.rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def to_text(table: ResultTable) -> str:
    """Return a table as text with aligned columns, for a terminal."""
    lines = [table.columns, *([as_text(cell) for cell in row] for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    first, *rest = widths
    return "".join(
        "  ".join([line[0].ljust(first), *map(str.rjust, line[1:], rest)]).rstrip() + "\n"
        for line in lines
    )


def to_csv(table: ResultTable) -> str:
    """Return a table as CSV with all digits; an interval takes three columns."""
    cells_of = zip(*table.rows, strict=True)
    wide = [any(isinstance(cell, Interval) for cell in column) for column in cells_of]
    columns: list[str] = []
    for name, is_wide in zip(table.columns, wide, strict=True):
        columns += [name, f"{name} (low)", f"{name} (high)"] if is_wide else [name]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    for row in table.rows:
        cells: list[Any] = []
        for cell, is_wide in zip(row, wide, strict=True):
            cells += [cell] if not is_wide else [None] * 3 if cell is None else [*cell]
        writer.writerow(cells)
    return file.getvalue()


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
