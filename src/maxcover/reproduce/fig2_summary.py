"""Fig2 summary: the numbers of Figure 2, and checks that they show what they must."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.evaluate.intervals import mean_of, paired
from maxcover.evaluate.versions import versions
from maxcover.reproduce.fig2 import CURVES, LINES
from maxcover.reproduce.statement import Statement

if TYPE_CHECKING:
    from maxcover.reproduce.fig2 import GraphSettings, GraphsMeasured

# Range of mu in which decimation must beat g-greedy, and range in which the peak of BP must lie.
DECIMATION_RANGE = (4.5, 8.0)
PEAK_RANGE = (3.5, 6.5)
ENOUGH_GRAPHS = 1000


def table(data: GraphsMeasured, settings: GraphSettings) -> list[dict[str, Any]]:
    """Return one row per curve and mu, and one per method that does not depend on mu."""
    rows: list[dict[str, Any]] = []
    for k, name in enumerate(CURVES):
        for column, mu in enumerate(settings.mus):
            converged = mean_of(data.converged[:, k, column]).mean
            rows.append(
                {
                    "curve": name,
                    "mu": mu,
                    **mean_of(data.curves[:, k, column])._asdict(),
                    "converged": None if np.isnan(converged) else converged,
                }
            )
    for k, name in enumerate(LINES):
        found = mean_of(data.lines[:, k])
        if found.n:
            rows.append({"curve": name, "mu": None, **found._asdict(), "converged": None})
    return rows


def summary(data: GraphsMeasured, settings: GraphSettings) -> dict[str, Any]:
    """Return all numbers of the figure, with differences taken graph by graph."""
    g_greedy = data.lines[:, list(LINES).index("g-greedy")]
    curves = {name: data.curves[:, k] for k, name in enumerate(CURVES)}
    peaks = {name: int(np.nanmean(values, axis=0).argmax()) for name, values in curves.items()}
    return {
        "figure": "fig2",
        "settings": asdict(settings),
        "versions": versions(),
        "peaks": {
            name: {"mu": settings.mus[at], **mean_of(curves[name][:, at])._asdict()}
            for name, at in peaks.items()
        },
        "peak_minus_g_greedy": {
            name: paired(curves[name][:, at], g_greedy)._asdict() for name, at in peaks.items()
        },
        "minus_g_greedy": {
            name: [
                {"mu": mu, **paired(values[:, column], g_greedy)._asdict()}
                for column, mu in enumerate(settings.mus)
            ]
            for name, values in curves.items()
        },
        "optimum_minus_g_greedy": paired(
            data.lines[:, list(LINES).index("exact")], g_greedy
        )._asdict(),
        "fraction_of_optimum": _fractions(data, peaks),
        "rows": table(data, settings),
    }


def _fractions(data: GraphsMeasured, peaks: dict[str, int]) -> dict[str, Any]:
    """Return each method's mean share of the optimum, over the graphs with a known optimum."""
    best = data.lines[:, list(LINES).index("exact")]
    if np.isnan(best).all():
        return {}
    lines = {name: data.lines[:, k] for k, name in enumerate(LINES)}
    at_peak = {name: data.curves[:, k, peaks[name]] for k, name in enumerate(CURVES)}
    return {name: mean_of(values / best)._asdict() for name, values in {**lines, **at_peak}.items()}


def checks(found: dict[str, Any]) -> list[Statement]:
    """Check the peak of BP, and that BP and decimation cover more than g-greedy.

    With `ENOUGH_GRAPHS` graphs BP has to be above g-greedy with 95 % confidence; with fewer, on
    average.
    """
    peak = found["peaks"]["bp-soft"]["mu"]
    above = found["peak_minus_g_greedy"]["bp-soft"]
    sure = above["n"] >= ENOUGH_GRAPHS
    low, high = DECIMATION_RANGE
    inside = [row for row in found["minus_g_greedy"]["decimation"] if low <= row["mu"] <= high]
    least = min(inside, key=lambda row: row["difference"], default=None)
    result = [
        Statement(
            f"BP peaks between mu = {PEAK_RANGE[0]} and {PEAK_RANGE[1]}",
            f"mu = {peak:g}",
            PEAK_RANGE[0] <= peak <= PEAK_RANGE[1],
        ),
        Statement(
            "BP is above g-greedy at its peak" + (", with 95 % confidence" if sure else ""),
            f"{above['difference']:+.2f} [{above['low']:+.2f}, {above['high']:+.2f}]",
            above["low" if sure else "difference"] > 0,
        ),
    ]
    if least is not None:
        at = f"least at mu = {least['mu']:g}: "
        interval = f"{least['difference']:+.2f} [{least['low']:+.2f}, {least['high']:+.2f}]"
        statement = f"decimation is above g-greedy for every mu from {low} to {high:g}"
        result.append(Statement(statement, at + interval, least["difference"] > 0))
    return result
