"""Model files: a problem as an integer program in ``.mps`` or ``.lp``, for other solvers.

Column ``x3_Lyon`` is set 3, with as much of its label as both formats allow; the whole label stands
in a comment. Column ``one`` is fixed to 1. Other columns stand for elements. Minus the value is
minimised, because every solver can read a minimisation.
"""

from __future__ import annotations

import re
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.engine.core.returns import BEST, CHANCE
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maxcover.engine.core.problem import CoverageProblem

ENDINGS = (".mps", ".lp")
# A row whose ticks are all below this is written in ticks instead of amounts, for exact sums.
_MOST_TICKS = 2**31
_ENDLESS = np.inf
# Letters of a label in the name of a column: some readers cut names of more than 255.
_LONGEST = 40
_MPS_SIGNS = {"<=": "L", ">=": "G", "=": "E"}


class _Column(NamedTuple):
    name: str
    ends: tuple[float, float]
    is_whole: bool


class _Row(NamedTuple):
    """A constraint: the sum of the entries is at most ("<="), at least or exactly the end."""

    name: str
    entries: dict[int, float]
    sign: str
    end: float


class _Model:
    """An integer program, built by adding columns and rows."""

    def __init__(self) -> None:
        self.columns: list[_Column] = []
        self.rows: list[_Row] = []
        self.objective: dict[int, float] = {}
        self.sure = 0.0  # the value of the column `one`

    def column(
        self, name: str, gain: float, ends: tuple[float, float] = (0.0, 1.0), *, whole: bool = False
    ) -> int:
        """Add a variable between `ends` with the objective `gain`; return its index."""
        self.columns.append(_Column(name, ends, whole))
        if gain:
            self.objective[len(self.columns) - 1] = -gain
        return len(self.columns) - 1

    def row(self, name: str, entries: dict[int, float], low: float, high: float) -> None:
        """Add the constraint ``low <= sum of entries <= high``; `entries` are factors by column."""
        if low == high:
            self.rows.append(_Row(name, entries, "=", low))
            return
        if high < _ENDLESS:
            self.rows.append(_Row(name, entries, "<=", high))
        if low > -_ENDLESS:
            self.rows.append(_Row(f"{name}_low" if high < _ENDLESS else name, entries, ">=", low))

    def mps(self) -> Iterator[str]:
        """Yield the lines of a free MPS file."""
        held: list[list[tuple[str, float]]] = [[] for _ in self.columns]
        for row in (_Row("minus_value", self.objective, "", 0.0), *self.rows):
            for k, factor in row.entries.items():
                held[k].append((row.name, factor))
        yield from ("NAME  maxcover", "ROWS", "  N  minus_value")
        yield from (f"  {_MPS_SIGNS[row.sign]}  {row.name}" for row in self.rows)
        yield "COLUMNS"
        for is_whole, columns in groupby(
            zip(self.columns, held, strict=True), lambda x: x[0].is_whole
        ):
            if is_whole:
                yield "  MARKER  'MARKER'  'INTORG'"
            for column, entries in columns:
                for row_name, factor in entries or [("minus_value", 0.0)]:
                    yield f"  {column.name}  {row_name}  {factor!r}"
            if is_whole:
                yield "  MARKER  'MARKER'  'INTEND'"
        yield "RHS"
        yield from (f"  RHS  {row.name}  {row.end!r}" for row in self.rows if row.end)
        yield "BOUNDS"
        for name, (low, high), _ in self.columns:
            ends = [("FX", low)] if low == high else [("LO", low), ("UP", high)]
            yield from (f"  {kind}  BOUND  {name}  {end!r}" for kind, end in ends)
        yield "ENDATA"

    def lp(self) -> Iterator[str]:
        """Yield the lines of an LP file."""
        yield "Minimize"
        yield from self._sum("minus_value", self.objective)
        yield "Subject To"
        for row in self.rows:
            yield from self._sum(row.name, row.entries)
            yield f"  {row.sign} {row.end!r}"
        yield "Bounds"
        for name, (low, high), _ in self.columns:
            yield f" {name} = {low!r}" if low == high else f" {low!r} <= {name} <= {high!r}"
        yield "General"
        yield from (f" {column.name}" for column in self.columns if column.is_whole)
        yield "End"

    def _sum(self, name: str, entries: dict[int, float]) -> Iterator[str]:
        yield f" {name}:"
        for k, factor in (entries or {0: 0.0}).items():
            yield f"  {'-' if factor < 0 else '+'} {abs(factor)!r} {self.columns[k].name}"


def write_model(problem: CoverageProblem, path: Any) -> None:
    """Write a problem as an integer program; the ending decides the format."""
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        raise OptionError(
            f"expected a path that ends in {' or '.join(ENDINGS)}, got {target.name!r}; "
            "maxcover.save writes .npz and .json"
        )
    model = _model(problem)
    comment, lines = ("*", model.mps()) if target.suffix.lower() == ".mps" else ("\\", model.lp())
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", encoding="utf-8") as file:
        for i, label in enumerate(problem.set_labels or ()):
            file.write(f"{comment} {_name(problem, i)}: {' '.join(str(label).split())}\n")
        file.writelines(f"{line}\n" for line in lines)


def _name(problem: CoverageProblem, index: int) -> str:
    """Return the name of the column of a set: its index, and the plain letters of its label."""
    label = "" if problem.set_labels is None else str(problem.set_labels[index])
    plain = re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_")[:_LONGEST]
    return f"x{index}_{plain}" if plain else f"x{index}"


def _model(problem: CoverageProblem) -> _Model:
    model = _Model()
    may, must = problem.choosable.tolist(), problem.is_required.tolist()
    for i in range(problem.n_sets):
        model.column(_name(problem, i), 0.0, (float(must[i]), float(may[i] or must[i])), whole=True)
    one = model.column("one", 0.0, (1.0, 1.0))
    for r, entries, low, high in _limit_rows(problem):
        model.row(f"limit{r}" if r else "budget", entries, low, high)
    gives = [_element(model, problem, a) for a in range(problem.n_elements)]
    for r in range(len(problem.floors)):
        sums: dict[int, float] = {}
        for k, value in (pair for a in problem.floors.row(r)[0] for pair in gives[a].items()):
            sums[k] = sums.get(k, 0.0) + value
        model.row(f"minimum{r}", sums, float(problem.floors.low[r]), _ENDLESS)
    if model.sure:
        model.objective[one] = -model.sure
    return model


def _limit_rows(problem: CoverageProblem) -> list[tuple[int, dict[int, float], float, float]]:
    rows, found = problem.rows, []
    for r in range(len(rows.low)):
        own = slice(rows.indptr[r], rows.indptr[r + 1])
        low, high = float(rows.limits.low[r]), float(rows.limits.high[r])
        amounts = rows.limits.amounts[own]
        # If no multiple of the unit lies between the ends, low > high in ticks: keep the decimals.
        in_ticks = rows.exact[r] and rows.low[r] <= rows.high[r]
        if in_ticks and rows.ticks[own].max(initial=0) < _MOST_TICKS:
            amounts, low = rows.ticks[own].astype(np.float64), float(rows.low[r])
            high = float(rows.high[r]) if high < np.inf else high
        sets = rows.sets[own]
        entries = dict(zip(sets[amounts > 0].tolist(), amounts[amounts > 0].tolist(), strict=True))
        found.append((r, entries, low if low > 0 else -_ENDLESS, high))
    return found


def _element(model: _Model, problem: CoverageProblem, a: int) -> dict[int, float]:
    """Add the columns and rows of element `a`; return the value that each column gives."""
    starts, holders = problem.transpose
    sets = holders[starts[a] : starts[a + 1]].tolist()
    weight = float(problem.weights[a])
    kind = int(problem.kind[a]) if problem.kind.size else 0
    if not sets or weight == 0:
        return {}
    if kind == BEST:
        return _best(model, problem, a, sets)
    if kind == CHANCE:
        return _chance(model, problem, a, sets)
    begin, end = problem.steps[0][a : a + 2].tolist()
    steps = problem.steps[1][begin:end].tolist()
    if any(later > step for step, later in pairwise(steps)):
        # Only the last step gives value: y may be 1 only if `len(steps)` of the sets are chosen.
        y = model.column(f"y{a}", sum(steps), whole=True)
        model.row(f"covers{a}", {y: float(len(steps)), **dict.fromkeys(sets, -1.0)}, -_ENDLESS, 0.0)
        return {y: sum(steps)}
    found = {model.column(f"y{a}_{k}", step): step for k, step in enumerate(steps) if step > 0}
    if found:
        entries = {**dict.fromkeys(found, 1.0), **dict.fromkeys(sets, -1.0)}
        model.row(f"covers{a}", entries, -_ENDLESS, 0.0)
    return found


def _strength(problem: CoverageProblem, a: int, i: int) -> float:
    own = problem.elements_at(i)
    return float(problem.strength[problem.indptr[i] + int(np.searchsorted(own, a))])


def _best(model: _Model, problem: CoverageProblem, a: int, sets: list[int]) -> dict[int, float]:
    """Add a column for each set that can serve element `a`; at most one serves it."""
    found: dict[int, float] = {}
    for i in sets:
        gain = float(problem.weights[a]) * _strength(problem, a, i)
        if gain > 0:
            y = model.column(f"y{a}_{i}", gain)
            model.row(f"serves{a}_{i}", {y: 1.0, i: -1.0}, -_ENDLESS, 0.0)
            found[y] = gain
    if found:
        model.row(f"one{a}", dict.fromkeys(found, 1.0), -_ENDLESS, 1.0)
    return found


def _chance(model: _Model, problem: CoverageProblem, a: int, sets: list[int]) -> dict[int, float]:
    """Add one column per set: the probability that all chosen edges of `a` up to that set fail.

    With p the strength of the edge and m the probability before it, the new one is at least
    m * (1 - p), and at least m - p * x. The larger of the two is exact for x = 0 and x = 1.
    """
    weight, before = float(problem.weights[a]), -1
    for i in sets:
        p = _strength(problem, a, i)
        m = model.column(f"m{a}_{i}", 0.0)
        least = 1.0 if before < 0 else 0.0
        ends = {m: 1.0} if before < 0 else {m: 1.0, before: -(1.0 - p)}
        model.row(f"fails{a}_{i}", ends, (1.0 - p) * least, _ENDLESS)
        ends = {m: 1.0, i: p} if before < 0 else {m: 1.0, before: -1.0, i: p}
        model.row(f"stays{a}_{i}", ends, least, _ENDLESS)
        before = m
    model.objective[before] = weight
    model.sure += weight
    return {before: -weight, problem.n_sets: weight}
