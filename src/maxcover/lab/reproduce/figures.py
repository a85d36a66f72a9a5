"""Figures: the numbers of Figures 2, 3 and 4 of the paper: coverage against the budget's price.

Figure 2 is of random biregular graphs. Figures 3 and 4 are of summaries, with stop words removed
and kept. The paper used DUC 2004, which is licensed; any data set that `maxcover.lab.evaluate.load`
reads will do.

The paper's curves are "bp-soft" and g-greedy. The others say how far both are from the optimum, and
what hard coverage and decimation add.

Units of Figures 3 and 4. The meaning of beta and mu depends on the scale of the weights. All that
the paper says of that scale is that a typical weight is 0.01. So the TF-IDF weights of each cluster
are scaled to this mean, and the paper's beta (45, 80) can be used as printed.
"""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

import maxcover as mc
from maxcover.engine.kernels.propagate import DAMPING
from maxcover.errors import OptionError
from maxcover.lab.evaluate.harness import versions
from maxcover.lab.evaluate.intervals import difference_interval
from maxcover.lab.evaluate.processes import in_order
from maxcover.lab.evaluate.rouge import Rouge
from maxcover.texts import Background, prepare
from maxcover.texts.words.languages import find_language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from maxcover.engine.core.solution import Solution
    from maxcover.engine.solvers.solve import MethodName
    from maxcover.ground.array_types import Floats
    from maxcover.lab.evaluate.case import Cluster
    from maxcover.lab.evaluate.processes import Progress
    from maxcover.texts.weigh.weights import Counts

    # From a solution to its scores, as `FigureSettings.scores` names them.
    Scores = Callable[[Solution], tuple[float, ...]]

# Options of `solve` for each curve. Curves depend on mu, the other methods of a figure do not.
CURVES: dict[str, dict[str, Any]] = {
    "bp-soft": {"method": "bp", "coverage": "soft"},
    "bp-hard": {"method": "bp", "coverage": "hard"},
    "decimation": {"method": "bp-decimation", "coverage": "hard"},
}
# A run of BP counts as converged if its last sweep changed no field by more than this.
TOLERANCE = 1e-6
# Values of mu for graphs: steps of 0.5 from 3 to 9, where the curves peak, and of 1 elsewhere.
# Below 0, messages round to nothing (docs/lab/paper.md).
MUS = (
    *np.arange(0.0, 3.0).tolist(),
    *np.arange(3.0, 9.0, 0.5).tolist(),
    *np.arange(9.0, 21.0).tolist(),
)
QUICK_MUS = (0.0, 3.0, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 10.0, 15.0, 20.0)
# For texts: close together where the expected cost is near the budget.
TEXT_MUS = (
    *(0.0, 0.0025, 0.005, 0.0075, 0.01, 0.0125, 0.015, 0.0175),
    *(0.02, 0.025, 0.03, 0.04, 0.06, 0.1),
)
MEAN_WEIGHT = 0.01
# Range of mu in which decimation must beat g-greedy, and range in which the peak of BP must lie.
DECIMATION_RANGE = (4.5, 8.0)
PEAK_RANGE = (3.5, 6.5)
# Number of graphs from which on differences of Figure 2 have to hold with 95 % confidence.
ENOUGH_GRAPHS = 1000
_ROUGE = Rouge(kinds=("rouge1",))
# SumEval pools the references, removes stop words (its own list; ours here) and leaves words whole.
_SUMEVAL = Rouge(
    kinds=("rouge1",), stem="none", aggregate="pooled", stop_words=find_language("en").stop_words
)


@dataclass(frozen=True, kw_only=True)
class FigureSettings:
    """Settings of a figure; the defaults are the paper's Figure 2.

    Attributes
    ----------
    figure : str
    curves, lines : tuple of str
        Names in `CURVES`, and methods of `solve` or "optimum", which is proven or an error; the
        last line is the best that is known.
    scores : tuple of str
        What is measured of a solution: the covered weight, of texts also ROUGE-1 recall in two
        ways, stemmed and averaged over the references, and as SumEval has it, the paper's tool.
    beta : float
        The inverse temperature of the figure.
    betas, mus : tuple of float
        The values that are measured, `beta` among them.
    tol : float
        BP stops when no field changes by more; at 0 it makes all sweeps, as in the paper.
    sweeps : int
        Most sweeps of belief propagation, in each round of decimation too.
    preset : str
        How texts are read, a name in `maxcover.texts.PRESETS`; empty for graphs.
    stop_words : frozenset of str, optional
        Stop words to remove instead of those of the preset.
    budget : int
        Words of a summary; the graphs have a budget of 100 as well.
    damping : float
        Share of the old messages that stays in a sweep.
    sets, degrees : int, tuple of int
        Number of sets of a graph, and how many elements a set has and how many sets an element.
    seed : int
        The graphs of different seeds are different.
    """

    figure: str = "fig2"
    curves: tuple[str, ...] = tuple(CURVES)
    lines: tuple[str, ...] = ("greedy", "g-greedy", "optimum")
    scores: tuple[str, ...] = ("weight",)
    beta: float = 3.0
    betas: tuple[float, ...] = (3.0,)
    mus: tuple[float, ...] = MUS
    tol: float = 0.0
    sweeps: int = 150
    preset: str = ""
    stop_words: frozenset[str] | None = None
    budget: int = 100
    damping: float = DAMPING
    sets: int = 100
    degrees: tuple[int, int] = (9, 3)
    seed: int = 0


def _of_texts(figure: str, preset: str, beta: float) -> FigureSettings:
    return FigureSettings(
        figure=figure,
        curves=("bp-soft", "bp-hard"),
        lines=("g-greedy", "auto"),
        scores=("weight", "rouge1", "sumeval"),
        beta=beta,
        betas=(10.0, 20.0, 30.0, 45.0, 60.0, 80.0, 100.0),
        mus=TEXT_MUS,
        tol=TOLERANCE,
        preset=preset,
    )


FIGURES = {
    "fig2": FigureSettings(),
    "fig3": _of_texts("fig3", "paper", 45.0),
    "fig4": _of_texts("fig4", "paper-with-stop-words", 80.0),
}


class GraphTask(NamedTuple):
    """One random graph to measure, by default (9,3)-biregular with N = 100, M = 300 and K = 100."""

    settings: FigureSettings
    number: int

    def read(self) -> tuple[mc.CoverageProblem, Scores]:
        """Return the graph, and a function that scores its solutions."""
        seed = self.settings.seed * 1_000_000 + self.number
        n_sets, (own, shared) = self.settings.sets, self.settings.degrees
        problem = mc.generate.biregular(
            n_sets, n_sets * own // shared, own, shared, budget=self.settings.budget, seed=seed
        )
        return problem, lambda solution: (solution.value,)


class ClusterTask(NamedTuple):
    """One cluster of texts to measure."""

    settings: FigureSettings
    cluster: Cluster
    background: Background

    def read(self) -> tuple[mc.CoverageProblem, Scores]:
        """Return the problem with scaled weights, and a function that scores its solutions."""
        texts = [document.text for document in self.cluster.documents]
        corpus = prepare(
            texts,
            preset=self.settings.preset,
            background=self.background,
            weights=tf_idf,
            stop_words=self.settings.stop_words,
        )
        problem = mc.CoverageProblem(
            indptr=corpus.indptr,
            indices=corpus.indices,
            costs=corpus.costs,
            weights=corpus.weights * (MEAN_WEIGHT / corpus.weights.mean()),
            budget=self.settings.budget,
        )

        def scores(solution: Solution) -> tuple[float, ...]:
            text = corpus.join(solution.selected.tolist())
            found = [rouge.score(text, self.cluster.references) for rouge in (_ROUGE, _SUMEVAL)]
            return solution.value, *(each["rouge1"].recall for each in found)

        return problem, scores


def tf_idf(counts: Counts) -> Floats:
    """Weigh a concept by its occurrences times ln(N / n), where n of N documents contain it.

    The documents are those of the background, which holds the cluster's own; the weighting
    "tf-idf" of `maxcover.texts` would count these twice.
    """
    if counts.background is None:
        raise OptionError("expected a background to count documents in, got none")
    holding = counts.background.frequencies(counts.labels)
    rare = np.log(max(counts.background.documents, 1) / np.maximum(holding, 1))
    return np.multiply(counts.occurrences, np.maximum(rare, 0.0))


class Measured(NamedTuple):
    """Measurements on every graph or cluster, as arrays; NaN where a method has no such number.

    Attributes
    ----------
    curves : array, shape (tasks, curves, betas, mus, scores + 2)
        The scores, whether the beliefs converged, and their expected cost as a share of the budget.
    lines : array, shape (tasks, lines, scores)
    """

    curves: Floats
    lines: Floats


def graph_tasks(settings: FigureSettings, graphs: int) -> list[GraphTask]:
    """List the graphs of Figure 2."""
    if settings.seed < 0:
        raise OptionError(f"expected a seed of at least 0, got {settings.seed}")
    return [GraphTask(settings, number) for number in range(graphs)]


def cluster_tasks(
    settings: FigureSettings, clusters: Iterable[Cluster], all_clusters: Iterable[Cluster]
) -> list[ClusterTask]:
    """List the clusters of Figure 3 or 4; count IDF over all clusters, as the paper does."""
    texts = (document.text for cluster in all_clusters for document in cluster.documents)
    background = Background.from_documents(texts, stem="porter")
    return [ClusterTask(settings, cluster, background) for cluster in clusters]


def measure(task: GraphTask | ClusterTask) -> Measured:
    """Run belief propagation at every beta and mu, and the other methods, on one problem."""
    settings = task.settings
    problem, scores = task.read()
    shape = (len(settings.curves), len(settings.betas), len(settings.mus), len(settings.scores) + 2)
    curves = np.full(shape, np.nan)
    for place in np.ndindex(shape[:-1]):
        options = CURVES[settings.curves[place[0]]]
        if options["method"] == "bp":
            options = {**options, "tol": settings.tol}
        solution = mc.solve(
            problem,
            beta=settings.betas[place[1]],
            mu=settings.mus[place[2]],
            max_sweeps=settings.sweeps,
            damping=settings.damping,
            bound="quick",
            **options,
        )
        found = solution.info
        curves[place][:-2] = scores(solution)
        if "residual" in found:
            cost = found["expected_cost"] / settings.budget
            curves[place][-2:] = found["residual"] <= TOLERANCE, cost
    lines = [scores(_line(problem, name)) for name in settings.lines]
    return Measured(curves, np.array(lines))


def _line(problem: mc.CoverageProblem, name: str) -> Solution:
    """Run a method that has neither beta nor mu; an optimum has to be proven."""
    if name != "optimum":
        return mc.solve(problem, method=cast("MethodName", name), bound="quick")
    solution = mc.solve(problem)
    if solution.status != "optimal":
        raise OptionError("expected a proven optimum, got " + str(solution))
    return solution


def collect(
    tasks: Sequence[GraphTask] | Sequence[ClusterTask],
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Measured:
    """Measure all graphs or clusters; the numbers do not depend on the number of processes.

    Examples
    --------
    >>> data = collect(graph_tasks(FigureSettings(mus=(5.0,)), 2))
    >>> data.curves.shape, data.lines.shape
    ((2, 3, 1, 1, 3), (2, 3, 1))
    """
    if len(tasks) < 2:
        raise OptionError(
            f"expected at least 2 graphs or clusters for an interval, got {len(tasks)}; clusters "
            "have to be three times as long as the budget"
        )
    found = in_order(measure, cast("Any", tasks), jobs=jobs, progress=progress)
    return Measured(*(np.stack(parts) for parts in zip(*found, strict=True)))


def summary(data: Measured, settings: FigureSettings, name: str) -> dict[str, Any]:
    """Return all numbers of a figure as a dict for JSON.

    ``rows`` has one row per curve, beta and mu, and one per method that depends on neither.
    ``peaks`` are the rows in which a score of a curve is largest at the figure's beta, ``best`` at
    any beta. ``crossed`` are the rows of each score with the mu of a problem chosen on all others,
    since a peak that is picked among many values of mu flatters. ``own_mu`` is the row of a curve
    if each problem has its own mu, the one that covers the most; the figure has one mu for all,
    which suits clusters of one size, as DUC has them.
    """
    rows = []
    own, crossed = {}, {}
    for k, curve in enumerate(settings.curves):
        for b, m in np.ndindex(data.curves.shape[2:4]):
            at = {"curve": curve, "beta": settings.betas[b], "mu": settings.mus[m]}
            rows.append({**at, **_row(data.curves[:, k, b, m], data, settings)})
        at_beta = data.curves[:, k, settings.betas.index(settings.beta)]
        chosen = at_beta[np.arange(len(at_beta)), at_beta[..., 0].argmax(axis=1)]
        own[curve] = _row(chosen, data, settings)
        crossed[curve] = {
            score: _row(_crossed(at_beta, j), data, settings)
            for j, score in enumerate(settings.scores)
        }
    for k, line in enumerate(settings.lines):
        at = {"curve": line, "beta": None, "mu": None}
        rows.append({**at, **_row(data.lines[:, k], data, settings)})
    return {
        "figure": settings.figure,
        "data": name,
        "settings": asdict(settings) | {"stop_words": sorted(settings.stop_words or ())},
        "versions": versions(),
        "peaks": _peaks(rows, settings, (settings.beta,)),
        "best": _peaks(rows, settings, settings.betas),
        "own_mu": own,
        "crossed": crossed,
        "rows": rows,
    }


def _crossed(found: Floats, score: int) -> Floats:
    """Return the measurements of each problem at the mu that is best on the other problems."""
    others = found[..., score].sum(axis=0) - found[..., score]
    chosen: Floats = found[np.arange(len(found)), others.argmax(axis=1)]
    return chosen


def _row(found: Floats, data: Measured, settings: FigureSettings) -> dict[str, Any]:
    """Return means of measurements, and their differences from g-greedy on the same problems.

    Each score has its mean, the standard error of the mean, and the mean difference from g-greedy
    with a 95 % confidence interval.
    """
    base = data.lines[:, settings.lines.index("g-greedy")]
    row: dict[str, Any] = {"n": len(found)}
    for k, score in enumerate(settings.scores):
        apart = difference_interval(found[:, k], base[:, k])
        row[score] = float(found[:, k].mean())
        row[f"{score}_error"] = float(found[:, k].std(ddof=1)) / len(found) ** 0.5
        row[f"{score}_minus_g_greedy"] = apart.mean
        row[f"{score}_low"], row[f"{score}_high"] = apart.low, apart.high
    row["of_the_best"] = float((found[:, 0] / data.lines[:, -1, 0]).mean())
    for k, quantity in enumerate(("converged", "cost"), start=len(settings.scores)):
        known = k < found.shape[1] and not np.isnan(found[:, k]).any()
        row[quantity] = float(found[:, k].mean()) if known else None
    return row


def _peaks(
    rows: list[dict[str, Any]], settings: FigureSettings, betas: tuple[float, ...]
) -> dict[str, Any]:
    peaks: dict[str, Any] = {}
    for curve in settings.curves:
        mine = [row for row in rows if row["curve"] == curve and row["beta"] in betas]
        peaks[curve] = {
            score: max(mine, key=lambda row: float(row[score])) for score in settings.scores
        }
    return peaks


class Statement(NamedTuple):
    """A statement about a figure, the numbers behind it, and whether it holds."""

    statement: str
    found: str
    holds: bool


def statements(found: dict[str, Any]) -> list[Statement]:
    """Check what the paper says, and what is ours, against the numbers of a figure."""
    return _of_graphs(found) if found["figure"] == "fig2" else _of_clusters(found)


def _of_graphs(found: dict[str, Any]) -> list[Statement]:
    peak = found["peaks"]["bp-soft"]["weight"]
    low, high = DECIMATION_RANGE
    rows = [row for row in found["rows"] if row["curve"] == "decimation"]
    inside = [row for row in rows if low <= row["mu"] <= high]
    least = min(inside, key=lambda row: float(row["weight_minus_g_greedy"]))
    sure = peak["n"] >= ENOUGH_GRAPHS
    return [
        Statement(
            f"BP peaks between mu = {PEAK_RANGE[0]} and {PEAK_RANGE[1]}",
            f"mu = {peak['mu']:g}",
            PEAK_RANGE[0] <= peak["mu"] <= PEAK_RANGE[1],
        ),
        _above("BP is above g-greedy at its peak", peak, "weight", sure=sure),
        _above(
            f"decimation is above g-greedy for every mu from {low} to {high:g}, least at "
            f"{least['mu']:g}",
            least,
            "weight",
            sure=sure,
        ),
    ]


def _of_clusters(found: dict[str, Any]) -> list[Statement]:
    peaks, own = found["peaks"]["bp-soft"], found["own_mu"]["bp-soft"]
    weight, rouge = peaks["weight"], peaks["rouge1"]
    crossed = found["crossed"]["bp-soft"]
    mus = found["settings"]["mus"]
    apart = abs(mus.index(weight["mu"]) - mus.index(rouge["mu"]))
    return [
        Statement(
            "covered weight has a peak in mu",
            f"mu = {weight['mu']:g}, where the expected cost is {weight['cost']:.2f} of the budget",
            0 < mus.index(weight["mu"]) < len(mus) - 1,
        ),
        Statement(
            "ROUGE-1 peaks at almost the same mu",
            f"mu = {rouge['mu']:g} against {weight['mu']:g}",
            apart <= 2,
        ),
        _above("BP covers more than g-greedy at the others' peak", crossed["weight"], "weight"),
        _above("BP has more ROUGE-1 at the others' peak", crossed["rouge1"], "rouge1"),
        _above("and as SumEval counts it", crossed["sumeval"], "sumeval"),
        _above("BP covers more than g-greedy with a mu for each cluster", own, "weight"),
        _above("and then has more ROUGE-1 than g-greedy", own, "rouge1"),
    ]


def _above(statement: str, row: dict[str, Any], score: str, *, sure: bool = True) -> Statement:
    """State that a score is above g-greedy's: with 95 % confidence if `sure`, else on average."""
    low, high = row[f"{score}_low"], row[f"{score}_high"]
    middle = row[f"{score}_minus_g_greedy"]
    verdict = "" if low > 0 or high < 0 else ", not settled"
    holds = (low if sure else middle) > 0
    return Statement(statement, f"{middle:+.4f} [{low:+.4f}, {high:+.4f}]{verdict}", holds)


def write_numbers(found: dict[str, Any], stem: Path) -> None:
    """Write the rows of a figure as CSV, and all its numbers as JSON.

    An empty cell of the CSV means that there is no such number.
    """
    rows = found["rows"]
    with stem.with_name(f"{stem.name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    text = json.dumps(found, indent=1) + "\n"
    stem.with_name(f"{stem.name}.json").write_text(text, encoding="utf-8")
