"""When: where belief propagation covers more than g-greedy, and why, on a grid of ensembles.

A cell is an ensemble of random problems at one budget. Each graph of a cell is solved by every
method of `METHODS`; what is reported is the lead over g-greedy in per cent of g-greedy's value,
taken graph by graph, with a 95 % interval. Cells are measured one by one and kept in a file, so a
run goes on where the last one ended.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import maxcover as mc
from maxcover.errors import OptionError
from maxcover.lab.evaluate.intervals import difference_interval, mean_interval
from maxcover.lab.evaluate.processes import in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from maxcover.lab.evaluate.processes import Progress

#: Budgets, as shares of the cost of all sets.
SHARES = (0.05, 0.15, 0.3, 0.5)
# Graphs of a cell; of one with at least `_LARGE` sets; and of any with --quick.
GRAPHS, LARGE_GRAPHS, QUICK_GRAPHS, _LARGE = 200, 40, 20, 1000
# Graphs whose matched prices give the one price of a cell; their seeds are used for nothing else.
_PILOTS, _PILOT_SEED = 20, 900_000
# The nine prices, as multiples of the one price.
_NINE = tuple(2.0 ** (k / 4) for k in range(-4, 5))
#: What is measured: the name in the tables, and what it is.
METHODS = {
    "one price": "BP as in the paper: one price for all graphs, the mean of 20 matched ones",
    "matched": "BP at the price at which the expected cost meets the budget of the graph",
    "serial": "the same, with serial sweeps",
    "bp": "method='bp': the best of the prices that the search tries",
    "nine prices": "the best of nine prices, from half of the one price to twice it",
    "decimation": "method='bp-decimation'",
    "auto": "method='auto'",
    "bound": "the upper bound that auto proves",
}


@dataclass(frozen=True, kw_only=True)
class Ensemble:
    """An ensemble of random problems: a row of the map.

    Attributes
    ----------
    question : str
        What this row varies.
    name : str
        What it is set to.
    family : str
        "biregular", "erdos-renyi", "zipf", "plane" (points that cover what is near), "words"
        (texts of Zipf's law, which cost their length) or "forest".
    n_sets, set_degree, element_degree : int
    costs, weights : int
        Costs and weights are uniform integers from 1 to these; with 1 they are all equal.
    heat : float
        The inverse temperature times the mean weight.
    """

    question: str
    name: str
    family: str = "biregular"
    n_sets: int = 100
    set_degree: int = 9
    element_degree: int = 3
    costs: int = 10
    weights: int = 10
    heat: float = 8.0

    def problem(self, share: float, seed: int) -> mc.CoverageProblem:
        """Return the problem of a seed, with `share` of the cost of all sets as its budget."""
        rng = np.random.default_rng((seed, 1))
        n_elements = self.n_sets * self.set_degree // self.element_degree
        sets, elements = self._edges(n_elements, seed, rng)
        costs = rng.integers(1, self.costs, self.n_sets, endpoint=True).astype(float)
        if self.family == "words":
            costs = np.maximum(np.bincount(sets, minlength=self.n_sets), 1.0)
        return mc.CoverageProblem.from_edges(
            sets,
            elements,
            costs=costs,
            weights=rng.integers(1, self.weights, n_elements, endpoint=True),
            budget=float(max(1, int(share * costs.sum()))),
        )

    def _edges(self, m: int, seed: int, rng: np.random.Generator) -> tuple[Any, Any]:
        n, degree = self.n_sets, self.set_degree
        if self.family == "plane":
            at, to = rng.random((n, 1, 2)), rng.random((1, m, 2))
            apart = ((at - to + 0.5) % 1 - 0.5) ** 2  # on a torus, so that no point lies at an edge
            near, reached = np.nonzero(apart.sum(axis=2) <= degree / (np.pi * m))
            return near, reached
        if self.family == "words":
            likely = 1 / np.arange(1, m + 1)
            lengths = rng.integers(degree // 2, 2 * degree, n)
            drawn = rng.choice(m, int(lengths.sum()), p=likely / likely.sum())
            keys = np.unique(np.repeat(np.arange(n), lengths) * m + drawn)
            return keys // m, keys % m
        if self.family == "forest":  # the k-th edge joins a new element to a set, or a new set
            nodes = rng.permutation(n + m)
            parents = [int(rng.integers(0, k)) for k in range(1, n + m)]
            pairs = [(nodes[k + 1], nodes[p]) for k, p in enumerate(parents)]
            ends = [sorted(pair) for pair in pairs if (pair[0] < n) != (pair[1] < n)]
            return [i for i, _ in ends], [a - n for _, a in ends]
        make = mc.generate
        if self.family == "biregular":
            graph = make.biregular(n, m, degree, self.element_degree, budget=1, seed=seed)
        elif self.family == "erdos-renyi":
            graph = make.erdos_renyi(n, m, degree, budget=1, seed=seed)
        else:
            graph = make.zipf(n, m, n * degree, budget=1, seed=seed)
        return np.repeat(np.arange(n), np.diff(graph.indptr)), graph.indices


def _biregular(question: str, degrees: tuple[int, int], **further: Any) -> Ensemble:
    name = further.pop("name", f"({degrees[0]},{degrees[1]})")
    return Ensemble(
        question=question, name=name, set_degree=degrees[0], element_degree=degrees[1], **further
    )


#: The rows of the map; all differ in one thing from "N = 100", the ensemble of the paper.
ENSEMBLES = (
    *(
        Ensemble(question="size", name=f"N = {n:,}", n_sets=n)
        for n in (30, 100, 300, 1000, 3000, 10_000)
    ),
    *(_biregular("degrees", two) for two in ((3, 3), (4, 2), (6, 6))),
    Ensemble(question="ensemble", name="text-like", family="words"),
    Ensemble(question="ensemble", name="text-like, N = 1,000", family="words", n_sets=1000),
    Ensemble(question="ensemble", name="Erdős-Rényi", family="erdos-renyi"),
    Ensemble(question="ensemble", name="Zipf degrees", family="zipf"),
    Ensemble(question="spread", name="all equal", costs=1, weights=1),
    Ensemble(question="spread", name="costs equal", costs=1),
    Ensemble(question="spread", name="weights equal", weights=1),
    Ensemble(question="spread", name="1 to 100", costs=100, weights=100),
    *(Ensemble(question="temperature", name=f"heat {h:g}", heat=h) for h in (2.0, 32.0)),
    Ensemble(question="loops", name="plane", family="plane"),
    Ensemble(question="loops", name="forest", family="forest", element_degree=9),
)
# With --quick: the ensembles by name.
QUICK = ("N = 100", "(6,6)", "all equal", "text-like")


class Cell(NamedTuple):
    """An ensemble at one budget, and how many graphs are measured."""

    ensemble: Ensemble
    share: float
    graphs: int

    @property
    def name(self) -> str:
        """The name of the cell in files."""
        return f"{self.ensemble.question}: {self.ensemble.name}, budget {100 * self.share:g} %"


def cells(*, quick: bool = False, graphs: int | None = None) -> list[Cell]:
    """List the cells of the map, or those of its quick form."""
    found = []
    for one in ENSEMBLES:
        usual = QUICK_GRAPHS if quick else LARGE_GRAPHS if one.n_sets >= _LARGE else GRAPHS
        if not quick or one.name in QUICK:
            found += [Cell(one, share, graphs or usual) for share in SHARES]
    return found


class CellTask(NamedTuple):
    """One graph of a cell."""

    cell: Cell
    seed: int


class GraphRow(NamedTuple):
    """What the methods covered on one graph; their CPU seconds, and the state of the beliefs."""

    values: dict[str, float]
    seconds: dict[str, float]
    converged: bool
    tied: bool
    optimal: bool


def measure(task: CellTask) -> GraphRow:
    """Solve one graph by every method."""
    ensemble = task.cell.ensemble
    problem = ensemble.problem(task.cell.share, task.seed)
    beta = ensemble.heat / float(problem.weights.mean())
    values, seconds, runs = {}, {}, {}
    asked: dict[str, dict[str, Any]] = {
        "g-greedy": {"method": "g-greedy"},
        "bp": {"method": "bp", "beta": beta},
        "serial": {"method": "bp", "beta": beta, "schedule": "serial"},
        "decimation": {"method": "bp-decimation", "beta": beta},
        "auto": {"method": "auto", "bound": "dual", "threads": 1},
    }
    one_price = _one_price(ensemble, task.cell.share)
    for times in _NINE:
        asked[f"{times:g}"] = {"method": "bp", "beta": beta, "mu": times * one_price}
    for name, options in asked.items():
        begun = time.process_time()
        runs[name] = mc.solve(problem, **{"bound": "quick", **options})
        seconds[name] = time.process_time() - begun
        values[name] = runs[name].value
    fixed = [f"{times:g}" for times in _NINE]
    values["one price"], values["nine prices"] = values["1"], max(values[one] for one in fixed)
    seconds["one price"], seconds["nine prices"] = seconds["1"], sum(seconds[o] for o in fixed)
    values["matched"] = _matched(problem, runs["bp"])[1]
    values["serial"] = _matched(problem, runs["serial"])[1]
    values["bound"] = runs["auto"].upper_bound
    info = runs["bp"].info
    tied, optimal = info["init"] == "random", runs["auto"].status == "optimal"
    return GraphRow(values, seconds, bool(info["converged"]), tied, optimal)


def _matched(problem: mc.CoverageProblem, solution: mc.Solution) -> tuple[float, float]:
    """Return the price at which the expected cost came nearest to the budget, and its value."""
    mu, _, value = min(solution.info["tried"], key=lambda one: abs(one[1] - problem.budget))
    return mu, value


@cache
def _one_price(ensemble: Ensemble, share: float) -> float:
    prices = []
    for k in range(_PILOTS):
        problem = ensemble.problem(share, _PILOT_SEED + k)
        beta = ensemble.heat / float(problem.weights.mean())
        solution = mc.solve(problem, method="bp", beta=beta, bound="quick")
        prices.append(_matched(problem, solution)[0])
    return float(np.mean(prices))


def measure_cells(
    asked: Iterable[Cell], *, path: Path, jobs: int = 1, progress: Progress | None = None
) -> Iterator[dict[str, Any]]:
    """Measure the cells that the file at `path` lacks, append them to it, and yield all rows.

    Rows do not depend on the number of processes, but for the CPU times.
    """
    kept = {row["cell"]: row for row in read_rows(path)} if path.exists() else {}
    for cell in asked:
        row = kept.get(cell.name)
        if row is None or row["graphs"] < cell.graphs:
            tasks = [CellTask(cell, seed) for seed in range(cell.graphs)]
            row = summary(cell, list(in_order(measure, tasks, jobs=jobs, progress=progress)))
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        yield row


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file; the last row of a cell counts.

    Raises
    ------
    OptionError
        A line holds no row.
    """
    rows = {}
    for line in path.read_text("utf-8").splitlines():
        try:
            row = json.loads(line)
            rows[row["cell"]] = row
        except (ValueError, KeyError, TypeError) as error:
            raise OptionError(f"expected a cell in each line of {path.name}: {error}") from None
    return list(rows.values())


def summary(cell: Cell, found: Sequence[GraphRow]) -> dict[str, Any]:
    """Return the row of a cell: leads over g-greedy in per cent, with 95 % intervals."""
    if len(found) < 2:
        raise OptionError(f"expected at least 2 graphs for an interval, got {len(found)}")
    base = np.array([one.values["g-greedy"] for one in found])
    leads = {}
    for name in METHODS:
        ours = 100 * np.array([one.values[name] for one in found]) / base
        leads[name] = list(difference_interval(ours, np.full(len(found), 100.0)))
    return {
        "cell": cell.name,
        "question": cell.ensemble.question,
        "ensemble": cell.ensemble.name,
        "share": cell.share,
        "graphs": len(found),
        "leads": leads,
        "converged": float(np.mean([one.converged for one in found])),
        "tied": float(np.mean([one.tied for one in found])),
        "optimal": float(np.mean([one.optimal for one in found])),
        "milliseconds": {
            name: 1e3 * mean_interval([one.seconds[name] for one in found]).mean
            for name in found[0].seconds
        },
    }


def verdict(lead: Sequence[float]) -> str:
    """Say what an interval settles: "more", "less", "same" (within 0.1 %) or "not settled".

    Examples
    --------
    >>> verdict((0.3, 0.2, 0.4)), verdict((0.01, -0.05, 0.07)), verdict((0.3, -0.2, 0.8))
    ('more', 'same', 'not settled')
    """
    _, low, high = lead
    if low > 0:
        return "more"
    if high < 0:
        return "less"
    return "same" if max(-low, high) < _SAME else "not settled"


# Leads of less than this many per cent count as the same.
_SAME = 0.1


def sentence(row: dict[str, Any]) -> str:
    """Return one line about a cell: each lead over g-greedy, and what its interval settles."""
    said = ", ".join(
        f"{name} {mean:+.2f} % [{low:+.2f}, {high:+.2f}] {verdict((mean, low, high))}"
        for name, (mean, low, high) in row["leads"].items()
        if name in {"matched", "bp", "decimation", "auto"}
    )
    return f"{row['cell']} ({row['graphs']} graphs): {said}"
