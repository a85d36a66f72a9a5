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


class Table(NamedTuple):
    """Columns, and rows of texts, numbers and intervals; None is an empty cell."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def rouge_1(result: Result) -> float:
    """Return ROUGE-1 recall."""
    return result.rouge1.recall


def rouge_2(result: Result) -> float:
    """Return ROUGE-2 recall."""
    return result.rouge2.recall


def compare(results: Sequence[Result], *, first: str | None = None, seed: int = 0) -> Table:
    """Set every method beside one of them.

    Every data set weighs the same. Intervals hold 95 %, by a bootstrap over clusters; differences
    are paired: a cluster is drawn with the scores of both methods.

    Parameters
    ----------
    results
        The same clusters for every method.
    first
        The method that the others are subtracted from; the first one that occurs by default.
    seed
        Of the bootstrap.
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
                mean_interval([rouge_1(x) for x in mine], sets=sets, seed=seed),
                _difference(groups[first], mine, rouge_1, seed),
                _mean_of_sets(mine, rouge_2),
                _difference(groups[first], mine, rouge_2, seed),
                _mean_of_sets(mine, lambda x: x.rougeLsum.recall),
                _share(mine, groups.get("oracle"), rouge_1),
                _covered(name, mine, groups.get("exact")),
                _mean_of_sets(mine, lambda x: x.seconds),
            )
        )
    columns = (
        *("method", "ROUGE-1", f"{first} is above by", "ROUGE-2", "above by", "ROUGE-L"),
        *("of the oracle", "covered, of the optimum", "seconds"),
    )
    return Table(columns, sorted(rows, key=lambda row: -row[1].mean))


def by_set(results: Sequence[Result], measure: Measure = rouge_1) -> Table:
    """Return the mean of a measure for each method and data set, and the mean of these."""
    groups = _by_method(results)
    sets = list(dict.fromkeys(result.data for result in results))
    rows = []
    for name, mine in groups.items():
        means = [np.mean([measure(x) for x in mine if x.data == data]) for data in sets]
        rows.append((name, *map(float, means), float(np.mean(means))))
    return Table(("method", *sets, "mean"), sorted(rows, key=lambda row: -row[-1]))


def coverage_by_set(results: Sequence[Result]) -> Table:
    """Return what default and g-greedy cover of the optimum, where that is proven, and the oracle.

    Raises
    ------
    OptionError
        The optimum was not asked for: ``exact`` is not among the methods.
    """
    groups = _by_method(results)
    if "exact" not in groups:
        raise OptionError("expected results of the method 'exact' to compare with, got none")
    names = [name for name in groups if SUMMARIZERS[name].default_objective and name != "exact"]
    rows = []
    for data in dict.fromkeys(result.data for result in results):
        mine = {name: [x for x in group if x.data == data] for name, group in groups.items()}
        proven = sum(result.proven for result in mine["exact"])
        covered = [_covered(name, mine[name], mine["exact"]) for name in names]
        oracle = [_share(mine[name], mine.get("oracle"), rouge_1) for name in names[:1]]
        rows.append((data, len(mine["exact"]), proven, *covered, *oracle))
    head = ("data set", "clusters", "optima proven", *names)
    return Table((*head, f"ROUGE-1 of {names[0]}, of the oracle"), rows)


def _by_method(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Group results, and see that every method has the same clusters in the same order."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.method, []).append(result)
    if not groups:
        raise OptionError("expected results to make a table of, got none")
    clusters = {name: [(x.data, x.cluster) for x in mine] for name, mine in groups.items()}
    reference = next(iter(clusters.values()))
    for name, mine in clusters.items():
        if mine != reference:
            raise OptionError(f"{name}: expected the same clusters as the other methods have")
    return groups


def _mean_of_sets(results: Sequence[Result], measure: Measure) -> float:
    sets = dict.fromkeys(result.data for result in results)
    return float(np.mean([np.mean([measure(x) for x in results if x.data == s]) for s in sets]))


def _difference(
    first: Sequence[Result], second: Sequence[Result], measure: Measure, seed: int
) -> Interval | None:
    if first is second:
        return None
    sets = [result.data for result in first]
    ours, theirs = ([measure(x) for x in side] for side in (first, second))
    return difference_interval(ours, theirs, sets=sets, seed=seed)


def _share(
    results: Sequence[Result], whole: Sequence[Result] | None, measure: Measure
) -> float | None:
    """Return a mean as a share of another method's mean."""
    return _mean_of_sets(results, measure) / _mean_of_sets(whole, measure) if whole else None


def _covered(name: str, results: Sequence[Result], exact: Sequence[Result] | None) -> float | None:
    """Return the mean share of the optimum, over the clusters where it is proven."""
    if exact is None or not SUMMARIZERS[name].default_objective:
        return None
    shares = [
        (x.value or 0.0) / best.value
        for x, best in zip(results, exact, strict=True)
        if best.proven and best.value
    ]
    return float(np.mean(shares)) if shares else None


def to_markdown(table: Table) -> str:
    """Write a table for a page."""
    rule = ["---", *["---:"] * (len(table.columns) - 1)]
    lines = [table.columns, rule, *([as_text(cell) for cell in row] for row in table.rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def to_csv(table: Table) -> str:
    """Write a table with all digits; an interval takes three columns."""
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
    """Write a cell: four digits, five where nearly everything is covered.

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
