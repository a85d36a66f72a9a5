"""Text figures: Figures 3 and 4 of the paper: covered weight and ROUGE-1 of summaries against mu.

Figure 3 removes stop words, Figure 4 keeps them. The paper used DUC 2004, which is licensed; any
data set that `maxcover.evaluate.load` reads will do.

Units. The meaning of beta and mu depends on the scale of the weights. All that the paper says of
that scale is that a typical weight is 0.01. So the TF-IDF weights of each cluster are scaled to
this mean, and the paper's beta (45, 80) can be used as printed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import maxcover as mc
from maxcover.errors import OptionError
from maxcover.evaluate.rouge import Rouge
from maxcover.reproduce.processes import measure_all
from maxcover.text import Background, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from maxcover.array_types import Floats
    from maxcover.core.solution import Solution
    from maxcover.evaluate.case import Cluster
    from maxcover.solvers.solve import MethodName
    from maxcover.text import Corpus


# Curves depend on mu: belief propagation with soft or hard coverage. Lines are methods of `solve`
# that do not depend on mu.
CURVES = {"bp-soft": "soft", "bp-hard": "hard"}
LINES: dict[str, MethodName] = {"g-greedy": "g-greedy", "auto": "auto"}
# Values of mu, close together where the expected cost is near the budget.
MUS = (0.0, 0.0025, 0.005, 0.0075, 0.01, 0.0125, 0.015, 0.0175, 0.02, 0.025, 0.03, 0.04, 0.06, 0.1)
MEAN_WEIGHT = 0.01
QUANTITIES = ("weight", "rouge1", "converged", "cost")
_ROUGE = Rouge(kinds=("rouge1",))


@dataclass(frozen=True, kw_only=True)
class ClusterSettings:
    """Settings of Figure 3 or 4; the defaults are the paper's.

    Attributes
    ----------
    figure : str
    preset : str
        A name in `maxcover.text.PRESETS`: with or without stop words.
    beta : float
        The inverse temperature of the figure.
    betas : tuple of float
        The sweep of the text, `beta` among them.
    mus : tuple of float
    budget, sweeps : int
    """

    figure: str
    preset: str
    beta: float
    betas: tuple[float, ...] = (10.0, 20.0, 30.0, 45.0, 60.0, 80.0, 100.0)
    mus: tuple[float, ...] = MUS
    budget: int = 100
    sweeps: int = 150

    def __post_init__(self) -> None:
        if self.beta not in self.betas:
            raise OptionError(f"expected beta={self.beta} to be one of betas={self.betas}")
        if self.budget < 1:
            raise OptionError(f"expected a budget of at least 1 word, got {self.budget}")


FIGURES = {
    "fig3": ClusterSettings(figure="fig3", preset="paper", beta=45.0),
    "fig4": ClusterSettings(figure="fig4", preset="paper-with-stop-words", beta=80.0),
}


def quick(settings: ClusterSettings) -> ClusterSettings:
    """Return settings for the same figure with three betas and every second mu."""
    betas = tuple(sorted({10.0, settings.beta, 100.0}))
    return replace(settings, betas=betas, mus=settings.mus[::2])


class ClusterTask(NamedTuple):
    """One cluster to measure."""

    settings: ClusterSettings
    cluster: Cluster
    background: Background


class ClustersMeasured(NamedTuple):
    """Measurements on every cluster, as arrays.

    Attributes
    ----------
    curves : array, shape (clusters, len(CURVES), len(betas), len(mus), len(QUANTITIES))
        Covered weight, ROUGE-1 recall, whether the beliefs converged, and their expected cost as a
        share of the budget.
    lines : array, shape (clusters, len(LINES), 2)
        Covered weight and ROUGE-1 recall.
    """

    curves: Floats
    lines: Floats


def read_background(clusters: Iterable[Cluster]) -> Background:
    """Count in how many documents each word occurs, as the paper does over DUC 2003 and 2004."""
    texts = (document.text for cluster in clusters for document in cluster.documents)
    return Background.from_documents(texts, stem="porter")


def read_problem(task: ClusterTask) -> tuple[Corpus, mc.CoverageProblem]:
    """Return the sentences of a cluster, and their coverage problem with scaled weights."""
    texts = [document.text for document in task.cluster.documents]
    corpus = prepare(texts, preset=task.settings.preset, background=task.background)
    problem = mc.CoverageProblem(
        indptr=corpus.indptr,
        indices=corpus.indices,
        costs=corpus.costs,
        weights=corpus.weights * (MEAN_WEIGHT / corpus.weights.mean()),
        budget=task.settings.budget,
    )
    return corpus, problem


def measure(task: ClusterTask) -> ClustersMeasured:
    """Run belief propagation at every beta and mu, and the other methods, on one cluster."""
    settings = task.settings
    corpus, problem = read_problem(task)

    def scores(solution: Solution) -> tuple[float, float]:
        text = corpus.join(solution.selected.tolist())
        return solution.value, _ROUGE.score(text, task.cluster.references)["rouge1"].recall

    shape = (len(CURVES), len(settings.betas), len(settings.mus), len(QUANTITIES))
    curves = np.empty(shape)
    for place in np.ndindex(shape[:-1]):
        solution = mc.solve(
            problem,
            method="bp",
            coverage=list(CURVES.values())[place[0]],
            beta=settings.betas[place[1]],
            mu=settings.mus[place[2]],
            max_sweeps=settings.sweeps,
            bound="quick",
        )
        cost = solution.info["expected_cost"] / settings.budget
        curves[place] = (*scores(solution), solution.info["converged"], cost)
    lines = [scores(mc.solve(problem, method=name, bound="quick")) for name in LINES.values()]
    return ClustersMeasured(curves, np.array(lines))


def collect(
    settings: ClusterSettings,
    clusters: Sequence[Cluster],
    background: Background,
    *,
    jobs: int = 1,
    progress: Callable[[int, int], Any] | None = None,
) -> ClustersMeasured:
    """Measure all clusters; the numbers do not depend on the number of processes."""
    if len(clusters) < 2:
        raise OptionError(
            f"expected at least 2 clusters for an interval, got {len(clusters)} that are three "
            f"times as long as the budget of {settings.budget} words"
        )
    tasks = [ClusterTask(settings, cluster, background) for cluster in clusters]
    return ClustersMeasured(*measure_all(measure, tasks, jobs=jobs, progress=progress))
