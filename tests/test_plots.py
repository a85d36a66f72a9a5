"""Figures: they say what the data says, and are the same file twice."""

import numpy as np
import pytest

import maxcover as mc
from maxcover import plots

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def problem():
    return mc.generate.biregular(40, 120, 9, 3, budget=30, seed=3)


@pytest.fixture(scope="module")
def solution(problem):
    return mc.solve(problem)


@pytest.fixture(scope="module")
def figures(problem, solution):
    curve = mc.budget_curve(problem, [10, 20, 30, 40])
    mu = [4.0, 6.0, 8.0]
    reached = [mc.solve(problem, method="bp", mu=price, bound="quick").value for price in mu]
    return {
        "curve": plots.plot_curve(curve, unit="words", total=float(problem.weights.sum())),
        "trace": plots.plot_trace(solution),
        "mu": plots.plot_mu_sweep(mu, {"BP": reached}, best=solution.value),
        "beliefs": plots.plot_beliefs(mc.beliefs(problem, beta=0.5, mu=6.0)),
        "graph": plots.plot_graph(problem, solution.selected.tolist()),
    }


def test_every_figure_is_written(figures, tmp_path):
    for name, figure in figures.items():
        png, svg = plots.write_figure(figure, tmp_path / name)
        assert png.read_bytes().startswith(b"\x89PNG")
        assert b"</svg>" in svg.read_bytes()


def test_the_same_data_gives_the_same_files(problem, tmp_path):
    def files(name):
        figure = plots.plot_graph(problem, [1, 2, 3])
        return [path.read_bytes() for path in plots.write_figure(figure, tmp_path / name)]

    assert files("first") == files("second")


def test_nodes_are_numbered_from_one(figures):
    shown = [text.get_text().split("   ") for text in figures["graph"].axes[0].texts]
    assert [name for _, name in shown[:40]] == [
        "x" + "".join(chr(ord("₀") + int(digit)) for digit in str(k)) for k in range(1, 41)
    ]


def test_labels_are_no_formulas(tmp_path):
    sets = {"$5 to \\frac$": ["a"], "$x_{$": ["b"]}
    figure = plots.plot_graph(mc.CoverageProblem.from_sets(sets, budget=1), [1])
    _, svg = plots.write_figure(figure, str(tmp_path / "graph"))
    assert "$5 to \\frac$" in [text.get_text().split("   ")[-1] for text in figure.axes[0].texts]
    assert svg.exists()


def test_no_figure_stays_open_in_pyplot(figures):
    from matplotlib import pyplot as plt

    assert not plt.get_fignums()


def test_the_curve_draws_values_below_bounds(figures):
    bound, value, _ = figures["curve"].axes[0].get_lines()
    assert (value.get_ydata() <= bound.get_ydata()).all()
    assert figures["curve"].axes[0].get_xlabel() == "budget (words)"


def test_the_trace_ends_at_the_certificate(figures, solution):
    lines = {line.get_label(): line for line in figures["trace"].axes[0].get_lines()}
    assert lines["value"].get_ydata()[-1] == solution.value
    assert lines["bound"].get_ydata()[-1] == solution.upper_bound


def test_shaded_nodes_are_what_is_chosen_and_covered(problem, solution, figures):
    sets, elements = figures["graph"].axes[0].collections
    grey = np.array(_rgb(plots.GREY))
    for nodes, expected in (
        (sets, np.isin(np.arange(problem.n_sets), solution.selected)),
        (elements, problem.covered(solution.selected)),
    ):
        shaded = np.isclose(nodes.get_facecolors()[:, :3], grey).all(axis=1)
        assert (shaded == expected).all()


def test_every_belief_is_in_the_histogram(figures):
    histogram, convergence = figures["beliefs"].axes
    for outline in histogram.patches:
        assert outline.get_xy()[:, 1].max() <= 1
    assert convergence.get_yscale() == "log"


def _rgb(colour):
    return [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]


def test_a_figure_shows_itself_in_a_notebook(figures):
    """Without pyplot, and so without anything that a notebook has to have switched on."""
    image, size = figures["curve"]._repr_png_()
    assert image.startswith(b"\x89PNG")
    assert size == {"width": 340, "height": 240}
    # the header of a PNG says how many pixels it has
    assert int.from_bytes(image[16:20], "big") == 2 * size["width"]
