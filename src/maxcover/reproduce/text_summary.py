"""Text summary: the numbers of Figures 3 and 4, with differences taken cluster by cluster."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.evaluate.intervals import mean_of, paired
from maxcover.evaluate.versions import versions
from maxcover.reproduce.statement import Statement
from maxcover.reproduce.text_figures import CURVES, LINES, QUANTITIES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.reproduce.text_figures import ClusterSettings, ClustersMeasured

SCORES = ("weight", "rouge1")


def table(data: ClustersMeasured, settings: ClusterSettings) -> list[dict[str, Any]]:
    """Return one row per curve, beta and mu, and one per method that depends on neither."""
    rows: list[dict[str, Any]] = []
    base = data.lines[:, list(LINES).index("g-greedy")]
    for place in np.ndindex(data.curves.shape[1:4]):
        found = data.curves[:, *place]
        row = {
            "curve": list(CURVES)[place[0]],
            "beta": settings.betas[place[1]],
            "mu": settings.mus[place[2]],
        }
        rows.append({**row, **_means(found, base)})
    for k, name in enumerate(LINES):
        rows.append({"curve": name, "beta": None, "mu": None, **_means(data.lines[:, k], base)})
    return rows


def _means(found: NDArray[np.float64], base: NDArray[np.float64]) -> dict[str, Any]:
    """Return means, and the 95 % interval of the difference from g-greedy on the same clusters."""
    columns: dict[str, Any] = {"n": len(found)}
    for k, name in enumerate(SCORES):
        columns[name] = mean_of(found[:, k]).mean
        difference = paired(found[:, k], base[:, k])
        columns[f"{name}_minus_g_greedy"] = difference.difference
        columns[f"{name}_low"], columns[f"{name}_high"] = difference.low, difference.high
    for k, name in enumerate(QUANTITIES[2:], start=2):
        columns[name] = mean_of(found[:, k]).mean if found.shape[1] > k else None
    return columns


def summary(data: ClustersMeasured, settings: ClusterSettings, name: str) -> dict[str, Any]:
    """Return all numbers of the figure, as a dict for JSON."""
    rows = table(data, settings)
    return {
        "figure": settings.figure,
        "data": name,
        "clusters": len(data.lines),
        "settings": asdict(settings),
        "versions": versions(),
        "peaks": {
            curve: {score: _peak(rows, curve, score, settings.beta) for score in SCORES}
            for curve in CURVES
        },
        "best": {
            curve: {score: _peak(rows, curve, score, None) for score in SCORES} for curve in CURVES
        },
        "mu_of_each_cluster": {curve: _own_mu(data, settings, k) for k, curve in enumerate(CURVES)},
        "rows": rows,
    }


def _own_mu(data: ClustersMeasured, settings: ClusterSettings, curve: int) -> dict[str, Any]:
    """Return the scores of BP if each cluster has its own mu, the one that covers the most.

    The figure has one mu for all clusters, which suits clusters of one size, as DUC has them.
    """
    mine = data.curves[:, curve, settings.betas.index(settings.beta)]
    best = mine[..., 0].argmax(axis=1)
    found = mine[np.arange(len(mine)), best]
    return _means(found, data.lines[:, list(LINES).index("g-greedy")])


def _peak(rows: list[dict[str, Any]], curve: str, score: str, beta: float | None) -> dict[str, Any]:
    """Return the row in which the score of a curve is largest; `beta` None means at any beta."""
    mine = [row for row in rows if row["curve"] == curve and beta in (None, row["beta"])]
    return max(mine, key=lambda row: float(row[score]))


def findings(found: dict[str, Any]) -> list[Statement]:
    """Check the paper's statements against the numbers of the figure."""
    peaks = found["peaks"]["bp-soft"]
    weight, rouge = peaks["weight"], peaks["rouge1"]
    own = found["mu_of_each_cluster"]["bp-soft"]
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
        _above("BP covers more than g-greedy at its peak", weight, "weight"),
        _above("BP has more ROUGE-1 than g-greedy at its peak", rouge, "rouge1"),
        _above("BP covers more than g-greedy with a mu for each cluster", own, "weight"),
        _above("and then has more ROUGE-1 than g-greedy", own, "rouge1"),
    ]


def _above(statement: str, row: dict[str, Any], score: str) -> Statement:
    low, high = row[f"{score}_low"], row[f"{score}_high"]
    middle = row[f"{score}_minus_g_greedy"]
    verdict = "" if low > 0 or high < 0 else ", not settled"
    return Statement(statement, f"{middle:+.4f} [{low:+.4f}, {high:+.4f}]{verdict}", low > 0)
