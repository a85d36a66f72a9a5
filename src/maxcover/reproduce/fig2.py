"""Fig2: Figure 2 of the paper: coverage of random biregular graphs against the price of the budget.

The paper has two of these curves, BP and g-greedy. The others say how far both are from the
optimum, and what hard coverage and decimation add.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

import maxcover as mc
from maxcover.errors import OptionError
from maxcover.reproduce.processes import measure_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxcover.array_types import Floats
    from maxcover.solvers.solve import MethodName


class Curve(NamedTuple):
    """A method whose value depends on mu."""

    label: str
    method: MethodName
    options: dict[str, Any]


# Methods whose value depends on mu, in the order of files and plot. The tolerance of BP is 0, so
# that it makes all its sweeps, as in the paper.
CURVES = {
    "bp-soft": Curve("BP (the paper)", "bp", {"coverage": "soft", "tol": 0.0}),
    "bp-hard": Curve("BP, hard coverage", "bp", {"coverage": "hard", "tol": 0.0}),
    "decimation": Curve("BP decimation", "bp-decimation", {"coverage": "hard"}),
}
# A run of BP counts as converged if its last sweep changed no field by more than this.
TOLERANCE = 1e-6
# Methods whose value does not depend on mu, with their labels.
LINES = {
    "greedy": "greedy",
    "g-greedy": "g-greedy",
    "exact": "exact optimum",
}

# Values of mu: steps of 0.5 from 3 to 9, where the curves peak, and of 1 elsewhere.
MUS = (
    *np.arange(-5.0, 3.0).tolist(),
    *np.arange(3.0, 9.0, 0.5).tolist(),
    *np.arange(9.0, 21.0).tolist(),
)


@dataclass(frozen=True, kw_only=True)
class GraphSettings:
    """Settings of Figure 2; the defaults are the paper's.

    Attributes
    ----------
    graphs : int
        Number of random graphs.
    exact_graphs : int
        How many of them are solved to proven optimality.
    seed : int
        The graphs of different seeds are different.
    mus : tuple of float
    beta : float
    sweeps : int
        Most sweeps of belief propagation, in each round of decimation too.
    """

    graphs: int = 1000
    exact_graphs: int = 1000
    seed: int = 0
    mus: tuple[float, ...] = MUS
    beta: float = 3.0
    sweeps: int = 150

    def __post_init__(self) -> None:
        if self.graphs < 2:
            raise OptionError(f"expected at least 2 graphs for a standard error, got {self.graphs}")
        if self.seed < 0:
            raise OptionError(f"expected a seed of at least 0, got {self.seed}")


QUICK = GraphSettings(
    graphs=40,
    exact_graphs=10,
    mus=(-5.0, 0.0, 3.0, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 10.0, 15.0, 20.0),
)


class GraphTask(NamedTuple):
    """One graph to measure."""

    settings: GraphSettings
    number: int


class GraphsMeasured(NamedTuple):
    """The covered weight on every graph, as arrays.

    Attributes
    ----------
    curves : array, shape (graphs, len(CURVES), len(mus))
    converged : array of the same shape
        Whether the beliefs converged, 1 or 0; NaN for decimation.
    lines : array, shape (graphs, len(LINES))
        NaN for an optimum that was not computed.
    """

    curves: Floats
    converged: Floats
    lines: Floats


def graph(settings: GraphSettings, number: int) -> mc.CoverageProblem:
    """Return graph `number`: (9,3)-biregular with N = 100, M = 300 and K = 100."""
    seed = settings.seed * 1_000_000 + number
    return mc.generate.biregular(100, 300, 9, 3, budget=100, high=10, seed=seed)


def measure(task: GraphTask) -> GraphsMeasured:
    """Run every method on one graph; run the methods in CURVES at every mu."""
    settings = task.settings
    problem = graph(settings, task.number)
    curves = np.full((len(CURVES), len(settings.mus)), np.nan)
    converged = curves.copy()
    for row, curve in enumerate(CURVES.values()):
        for column, mu in enumerate(settings.mus):
            solution = mc.solve(
                problem,
                method=curve.method,
                beta=settings.beta,
                mu=mu,
                max_sweeps=settings.sweeps,
                bound="quick",
                **curve.options,
            )
            curves[row, column] = solution.value
            if "residual" in solution.info:
                converged[row, column] = solution.info["residual"] <= TOLERANCE
    wanted = [name != "exact" or task.number < settings.exact_graphs for name in LINES]
    lines = [
        mc.solve(problem, method=cast("MethodName", name), bound="quick").value
        if is_wanted
        else np.nan
        for name, is_wanted in zip(LINES, wanted, strict=True)
    ]
    return GraphsMeasured(curves, converged, np.array(lines))


def collect(
    settings: GraphSettings, *, jobs: int = 1, progress: Callable[[int, int], Any] | None = None
) -> GraphsMeasured:
    """Measure all graphs; the numbers do not depend on the number of processes.

    Examples
    --------
    >>> data = collect(GraphSettings(graphs=2, exact_graphs=0, mus=(5.0,)))
    >>> data.curves.shape, data.lines.shape
    ((2, 3, 1), (2, 3))
    """
    tasks = [GraphTask(settings, number) for number in range(settings.graphs)]
    return GraphsMeasured(*measure_all(measure, tasks, jobs=jobs, progress=progress))
