"""Model files: a problem as an integer program in ``.mps`` or ``.lp``, written by HiGHS.

Column ``x3`` is set 3, and column ``one`` is fixed to 1. Other columns stand for elements. Minus
the value is minimised, because every solver can read a minimisation.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core.returns import BEST, CHANCE
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from maxcover.engine.core.problem import CoverageProblem

ENDINGS = (".mps", ".lp")
# A row whose ticks are all below this is written in ticks instead of amounts, for exact sums.
_MOST_TICKS = 2**31
_ENDLESS = np.inf


class _Model:
    """An integer program in HiGHS, built by adding columns and rows."""

    def __init__(self) -> None:
        import highspy

        self.highs, self.whole = highspy.Highs(), highspy.HighsVarType.kInteger
        self.highs.setOptionValue("output_flag", False)
        self.sure = 0.0  # the value of the column `one`

    def column(
        self, name: str, gain: float, ends: tuple[float, float] = (0.0, 1.0), *, whole: bool = False
    ) -> int:
        """Add a variable between `ends` with the objective `gain`; return its index."""
        place: int = self.highs.getNumCol()
        self.highs.addCol(-gain, *ends, 0, [], [])
        self.highs.passColName(place, name)
        if whole:
            self.highs.changeColIntegrality(place, self.whole)
        return place

    def row(self, name: str, entries: dict[int, float], low: float, high: float) -> None:
        """Add the constraint ``low <= sum of entries <= high``; `entries` are factors by column."""
        self.highs.addRow(low, high, len(entries), list(entries), list(entries.values()))
        self.highs.passRowName(self.highs.getNumRow() - 1, name)


def write_model(problem: CoverageProblem, path: Any) -> None:
    """Write a problem as an integer program; the ending decides the format."""
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        raise OptionError(
            f"expected a path that ends in {' or '.join(ENDINGS)}, got {target.name!r}; "
            "maxcover.save writes .npz and .json"
        )
    model = _Model()
    may, must = problem.choosable, problem.is_required
    for i in range(problem.n_sets):
        model.column(f"x{i}", 0.0, (float(must[i]), float(may[i] or must[i])), whole=True)
    one = model.column("one", 0.0, (1.0, 1.0))
    for r, entries, low, high in _limit_rows(problem):
        model.row(f"limit{r}" if r else "budget", entries, low, high)
    gives = [_element(model, problem, a) for a in range(problem.n_elements)]
    for r in range(len(problem.floors)):
        sums: dict[int, float] = {}
        for k, value in (pair for a in problem.floors.row(r)[0] for pair in gives[a].items()):
            sums[k] = sums.get(k, 0.0) + value
        model.row(f"minimum{r}", sums, float(problem.floors.low[r]), _ENDLESS)
    model.highs.changeColCost(one, -model.sure)
    target.parent.mkdir(parents=True, exist_ok=True)
    model.highs.writeModel(str(target))


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
    model.highs.changeColCost(before, weight)
    model.sure += weight
    return {before: -weight, problem.n_sets: weight}
