"""Plots: figures in one style: budget curves, traces, price sweeps, beliefs and small graphs.

Needs the extra ``[plots]``. Every function returns a matplotlib figure; `write_figure` puts it on
disk.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxcover.ground.extras import import_extra

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Solution
    from maxcover.engine.decisions.alternatives import Alternatives
    from maxcover.engine.decisions.explanation import Explanation
    from maxcover.engine.decisions.planned import Plan
    from maxcover.engine.decisions.sensitivity import Sensitivity
    from maxcover.engine.solvers.beliefs import Beliefs
    from maxcover.engine.solvers.curve import BudgetCurve

# Colours of Okabe and Ito, which colour-blind readers can tell apart, in the order of use.
BLUE, VERMILION, GREEN, ORANGE, PURPLE = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7"
INK, GREY, PALE = "#222222", "#6F6F6F", "#D9D9D9"
_COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE)

# Largest number of bars in a figure, and of phases in a plan whose sets are named.
_BARS, _NAMED_PHASES = 30, 12
# Translates digits to subscript digits.
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

# Metadata to leave out of a file, so that the same figure always gives the same file.
_UNDATED = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
# The widths of one and of two columns of a journal, in inches.
ONE_COLUMN, TWO_COLUMNS = 3.4, 7.0

_STYLE: Any = {
    "figure.dpi": 100,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 220,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib, so text looks the same everywhere
    "font.size": 8,
    "mathtext.fontset": "dejavusans",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.labelsize": 8.5,
    "axes.linewidth": 0.7,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.direction": "out",
    "ytick.direction": "out",
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "lines.linewidth": 1.3,
    "lines.markersize": 3.5,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "svg.fonttype": "none",  # Text stays text: searchable and small.
    "svg.hashsalt": "maxcover",  # The same data gives the same ids in the file.
}


@contextmanager
def style() -> Iterator[None]:
    """Apply maxcover's style to everything that matplotlib draws inside the context.

    Raises
    ------
    MissingExtraError
        matplotlib is not installed; the message has the command that installs it.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> with style():
    ...     axes = Figure().subplots()
    """
    mpl = import_extra("matplotlib", "figures need matplotlib: pip install 'maxcover[plots]'")
    with mpl.rc_context(rc=_STYLE):
        yield


@contextmanager
def panels(
    columns: int, *, rows: int = 1, width: float, height: float = 2.4, **options: Any
) -> Iterator[tuple[Any, Any]]:
    """Yield a new figure and its panels (axes), in maxcover's style.

    Parameters
    ----------
    columns, rows : int
    width, height : float
        Of the figure, in inches.
    **options
        As in ``matplotlib.figure.Figure.subplots``.

    Yields
    ------
    figure, panels
        An array of panels from left to right; of rows of them if there are several. The figure
        shows itself in a notebook. pyplot does not know it, so that nothing has to be closed and no
        window opens.

    Examples
    --------
    >>> with panels(2, width=TWO_COLUMNS) as (figure, (left, right)):
    ...     line = left.plot([1, 2, 3])
    """
    with style():
        figure = _picture()(figsize=(width, height))
        axes = figure.subplots(rows, columns, squeeze=False, **options)
        yield figure, axes if rows > 1 else axes[0]


@cache
def _picture() -> Any:
    """Return a subclass of matplotlib's Figure that notebooks can show without pyplot."""
    from matplotlib.figure import Figure

    class Picture(Figure):
        def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
            """Return a PNG with twice as many pixels as are shown, to be sharp on every screen."""
            file = BytesIO()
            with style():
                self.savefig(file, dpi=200, metadata={"Software": None})
            width, height = (round(100 * inches) for inches in self.get_size_inches())
            return file.getvalue(), {"width": width, "height": height}

    return Picture


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure to a file, .png, .svg or .pdf, without a date in it."""
    with style():
        figure.savefig(path, metadata=_UNDATED.get(Path(path).suffix.lower()))


def write_figure(figure: Any, stem: str | Path) -> tuple[Path, Path]:
    """Write a figure as ``stem.png`` and ``stem.svg``, without a date in them; return the paths."""
    png, svg = Path(stem).with_suffix(".png"), Path(stem).with_suffix(".svg")
    for path in (png, svg):
        save_figure(figure, path)
    return png, svg


def plot_curve(
    curve: BudgetCurve, *, unit: str = "", total: float | None = None, covers: str = "weight"
) -> Any:
    """Draw the weight that is covered at each budget, and its upper bound.

    Parameters
    ----------
    curve : BudgetCurve
    unit : str
        What the budget counts.
    total : float, optional
        The weight of everything, drawn as the ceiling.
    covers : str
        What is covered, for the axis.

    Examples
    --------
    >>> from maxcover import CoverageProblem, budget_curve
    >>> problem = CoverageProblem.from_sets([[1, 2], [3], [3, 4, 5]], costs=[1, 1, 3], budget=1)
    >>> figure = plot_curve(budget_curve(problem, [1, 2, 3, 4]), total=5)
    """
    with panels(1, width=ONE_COLUMN) as (figure, (axes,)):
        order = curve.budgets.argsort(kind="stable")
        budgets, values = curve.budgets[order], curve.values[order]
        bounds = curve.upper_bounds[order]
        axes.fill_between(budgets, values, bounds, color=PALE, linewidth=0)
        axes.plot(budgets, bounds, color=VERMILION, linestyle="--", label="possible at most")
        axes.plot(budgets, values, color=BLUE, label="covered")
        if total is not None:
            axes.axhline(total, color=GREY, linewidth=0.8, linestyle=":", label="everything")
        axes.set(xlabel=f"budget ({unit})" if unit else "budget", ylabel=covers)
        axes.set_ylim(bottom=0)
        axes.legend(loc="lower right")
    return figure


def plot_losses(explanation: Explanation) -> Any:
    """Draw the loss if each set were decided the other way, the closest decisions first.

    The dark part of a bar is certain, the pale part possible. Chosen sets are blue, others grey.

    Examples
    --------
    >>> from maxcover import CoverageProblem, solve
    >>> problem = CoverageProblem.from_sets([[1, 2], [2, 3, 4]], budget=1)
    >>> figure = plot_losses(solve(problem).explain())
    """
    shown = [one for one in explanation if one.loss_at_most < float("inf")]
    bars = [
        (f"{one.label} (chosen)" if one.chosen else one.label, one.loss_at_least, one.loss_at_most)
        for one in shown
    ]
    colours = [BLUE if one.chosen else GREY for one in shown]
    return _bars(bars, colours, "loss if decided the other way")


def _bars(rows: Sequence[tuple[Any, float, float]], colours: Sequence[str], what: str) -> Any:
    """Draw a bar per row (name, least, most): dark up to `least`, pale from there to `most`."""
    shown = rows[:_BARS]
    with panels(1, width=ONE_COLUMN, height=0.7 + 0.17 * len(shown)) as (figure, (axes,)):
        for place, ((_, least, most), colour) in enumerate(zip(shown, colours, strict=False)):
            dark = max(least, 0.0)
            axes.barh(place, dark, color=colour, height=0.7)
            axes.barh(place, max(most, 0.0) - dark, left=dark, color=colour, alpha=0.3, height=0.7)
        names = [str(name) for name, _, _ in shown]
        axes.set_yticks(range(len(shown)), names, parse_math=False)
        axes.invert_yaxis()
        axes.set_xlabel(what)
    return figure


def plot_plan(plan: Plan) -> Any:
    """Draw what a plan covers as the budget grows, and the upper bound of each budget, as steps.

    Examples
    --------
    >>> from maxcover import CoverageProblem, plan
    >>> problem = CoverageProblem.from_sets([[1, 2], [2, 3, 4], [5]], budget=3)
    >>> figure = plot_plan(plan(problem, budgets=[1, 2, 3]))
    """
    with panels(1, width=ONE_COLUMN) as (figure, (axes,)):
        budgets = [0.0, *plan.budgets.tolist()]
        for line, colour, form, label in (
            (plan.upper_bounds, VERMILION, "--", "possible at most"),
            (plan.values, BLUE, "-", "covered by the plan"),
        ):
            heights = [0.0, *line.tolist()]
            axes.step(budgets, heights, where="post", color=colour, linestyle=form, label=label)
        for budget, value, labels in zip(plan.budgets, plan.values, plan, strict=True):
            if len(plan) <= _NAMED_PHASES and len(labels) == 1:
                axes.annotate(
                    str(labels[0]), (budget, value), xytext=(0, -9), ha="right",
                    textcoords="offset points", fontsize=6.5, parse_math=False,
                )  # fmt: skip
        axes.set(xlabel="budget", ylabel="weight")
        axes.set_ylim(bottom=0)
        axes.legend(loc="lower right")
    return figure


def plot_alternatives(found: Alternatives) -> Any:
    """Draw a matrix of sets and selections; the sets that are in most selections come first.

    Examples
    --------
    >>> from maxcover import CoverageProblem, alternatives
    >>> problem = CoverageProblem.from_sets([[1, 2], [2, 3], [4]], budget=2)
    >>> figure = plot_alternatives(alternatives(problem, within=0.5))
    """
    sets, problem = found.sets[:_BARS], found.problem
    columns = list(found)
    with panels(1, width=ONE_COLUMN, height=0.8 + 0.17 * len(sets)) as (figure, (axes,)):
        held = [[int(i in one.selected) for one in columns] for i in sets]
        axes.imshow(held or [[0]], aspect="auto", cmap=_two_tones(), vmin=0, vmax=1)
        axes.set_yticks(range(len(sets)), [str(problem.label(i)) for i in sets], parse_math=False)
        values = [f"{one.value:.4g}" for one in columns]
        axes.set_xticks(range(len(columns)), values)
        axes.set_xlabel("covered by each selection")
    return figure


def _two_tones() -> Any:
    from matplotlib.colors import ListedColormap

    return ListedColormap(["white", BLUE])


def plot_sensitivity(found: Sensitivity) -> Any:
    """Draw how often each set is in the best selection; sets of the solution are blue.

    Examples
    --------
    >>> from maxcover import CoverageProblem, sensitivity
    >>> problem = CoverageProblem.from_sets([[1, 2], [2, 3], [4]], budget=2)
    >>> figure = plot_sensitivity(sensitivity(problem, n=10))
    """
    chosen = {*found.solution}
    colours = [BLUE if label in chosen else GREY for label, _ in found]
    bars = [(label, share, share) for label, share in found]
    return _bars(bars, colours, "share of draws in which it is chosen")


def plot_trace(solution: Solution) -> Any:
    """Draw how value and bound approached each other, and which part of the solver moved them.

    Time is on a logarithmic axis. The distance between the two lines is what is not yet proven.

    Examples
    --------
    >>> from maxcover import generate, solve
    >>> figure = plot_trace(solve(generate.biregular(40, 120, 9, 3, budget=30, seed=3)))
    """
    steps = [step for step in solution.trace if step.value >= 0]
    times = [max(step.seconds, 1e-6) * 1e3 for step in steps]
    end = max([solution.seconds * 1e3, 1e-3, *times])
    values = [*zip(times, (step.value for step in steps), strict=True), (end, solution.value)]
    bounds = [(at, step.bound) for at, step in zip(times, steps, strict=True)]
    bounds = [(at, bound) for at, bound in bounds if bound < float("inf")]
    bounds.append((end, solution.upper_bound))
    with panels(1, width=TWO_COLUMNS) as (figure, (axes,)):
        for line, colour, label in ((bounds, VERMILION, "bound"), (values, BLUE, "value")):
            axes.step(*zip(*line, strict=True), where="post", color=colour, label=label)
        _name_parts(axes, times, [step.part for step in steps])
        axes.set_xscale("log")
        _round_times(axes, min([end, *times]), end)
        axes.set(xlabel="milliseconds", ylabel="weight")
        figure.legend(loc="outside right center")
    return figure


def _name_parts(axes: Any, times: list[float], parts: list[str]) -> None:
    """Write the names of the solver's parts above the panel, at the times when they began."""
    began: dict[str, float] = {}
    for part, at in zip(parts, times, strict=True):
        began.setdefault(part, at)
    above = axes.get_xaxis_transform()
    for rank, (part, at) in enumerate(began.items()):
        axes.axvline(at, color=PALE, linewidth=0.7, zorder=0)
        height = 1.02 + 0.075 * (rank % 3)  # names in three rows do not overlap
        axes.text(at, height, part, color=GREY, fontsize=7, transform=above)


def _round_times(axes: Any, first: float, last: float) -> None:
    """Set ticks only at 1, 2 and 5 times powers of ten, written as plain numbers."""
    from matplotlib import ticker

    if last < 4 * first:  # the range is too short for two ticks
        axes.set_xlim(first / 4, last * 4)

    axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5), numticks=12))
    axes.xaxis.set_major_formatter(lambda number, _: f"{number:g}")
    axes.xaxis.set_minor_locator(ticker.NullLocator())


def plot_mu_sweep(
    mu: Sequence[float], values: Mapping[str, Sequence[float]], *, best: float | None = None
) -> Any:
    """Draw the value that methods reach at each price of the budget.

    Parameters
    ----------
    mu : sequence of float
        Prices, in units of weight / cost.
    values : mapping of str to sequence of float
        For each method, by the name that the legend gives it, one value per price.
    best : float, optional
        The best value known, drawn as a line.
    """
    with panels(1, width=ONE_COLUMN) as (figure, (axes,)):
        for (label, line), colour, marker in zip(values.items(), _COLOURS, "os^Dv", strict=False):
            axes.plot(mu, line, color=colour, marker=marker, markeredgecolor="white", label=label)
        if best is not None:
            axes.axhline(best, color=GREY, linewidth=0.8, linestyle=":", label="best known")
        axes.set(xlabel=r"chemical potential $\mu$", ylabel="covered weight")
        axes.legend()
    return figure


def plot_beliefs(beliefs: Beliefs) -> Any:
    """Draw a histogram of the beliefs, and the convergence of the messages."""
    with panels(2, width=TWO_COLUMNS) as (figure, (histogram, convergence)):
        bins = [k / 25 for k in range(26)]
        for values, colour, label in (
            (beliefs.elements, ORANGE, "elements covered"),
            (beliefs.sets, BLUE, "sets chosen"),
        ):
            share = [1 / len(values)] * len(values)
            histogram.hist(
                values, bins=bins, weights=share, histtype="step", color=colour, label=label
            )
        histogram.set(xlabel="belief", ylabel="share of nodes")
        histogram.legend()
        histogram.set_title("a   beliefs")
        sweeps = range(1, len(beliefs.residuals) + 1)
        convergence.semilogy(sweeps, beliefs.residuals, color=VERMILION)
        convergence.set(xlabel="sweep", ylabel="largest change", title="b   convergence")
    return figure


def plot_graph(problem: CoverageProblem, selected: Sequence[int]) -> Any:
    """Draw a small problem as in the paper's Figure 1: chosen sets and covered elements shaded.

    Sets stand on the left with their costs, elements on the right with their weights. Above about
    forty nodes a side the drawing is no longer legible.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets([[1, 2], [2, 3]], budget=1)
    >>> figure = plot_graph(problem, [0])
    """
    chosen = {*problem.names[0].find(selected).tolist()}
    covered = problem.covered(selected)
    rows = max(problem.n_sets, problem.n_elements)
    with panels(1, width=ONE_COLUMN, height=0.6 + 0.24 * rows) as (figure, (axes,)):
        left, right = _spread(problem.n_sets), _spread(problem.n_elements)
        for index in range(problem.n_sets):
            on = index in chosen
            for element in problem.elements_at(index).tolist():
                axes.plot(
                    (0, 1),
                    (left[index], right[element]),
                    color=INK if on else PALE,
                    linewidth=1.0 if on else 0.6,
                    zorder=2 if on else 1,
                )
        names = problem.set_labels or _numbered("x", problem.n_sets)
        labels = problem.element_labels or _numbered("y", problem.n_elements)
        shaded = [index in chosen for index in range(problem.n_sets)]
        _nodes(axes, 0, zip(left, shaded, names, problem.costs.tolist(), strict=True))
        _nodes(axes, 1, zip(right, covered.tolist(), labels, problem.weights.tolist(), strict=True))
        axes.text(0, 1.06, "cost  sets", ha="right", color=GREY)
        axes.text(1, 1.06, "elements  weight", ha="left", color=GREY)
        axes.set_xlim(-0.45, 1.45)
        axes.set_ylim(-0.05, 1.1)
        axes.axis("off")
    return figure


def _spread(count: int) -> list[float]:
    """Return `count` heights between 0 and 1, evenly spread, from the top down."""
    return [1 - (k + 0.5) / count for k in range(count)]


def _numbered(letter: str, n: int) -> list[str]:
    return [letter + str(k).translate(_LOWERED) for k in range(1, n + 1)]


def _nodes(axes: Any, x: int, nodes: Iterable[tuple[float, bool, Any, float]]) -> None:
    """Draw the nodes of one side as circles, shaded if chosen or covered, with name and number."""
    listed = list(nodes)
    axes.scatter(
        [x] * len(listed),
        [height for height, *_ in listed],
        s=70,
        facecolors=[GREY if on else "white" for _, on, *_ in listed],
        edgecolors=INK,
        linewidths=0.8,
        zorder=3,
    )
    side, align = (-0.07, "right") if x == 0 else (0.07, "left")
    for height, on, name, number in listed:
        text = f"{number:g}   {name}" if x == 0 else f"{name}   {number:g}"
        weight = "bold" if on else "normal"
        # parse_math is off, because a label may contain dollar signs
        axes.text(
            x + side, height, text, ha=align, va="center", fontweight=weight, parse_math=False
        )
