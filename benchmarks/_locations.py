"""Where to put p facilities so that most demand is within reach: `solve` beside spopt's MCLP.

Clients gather in towns, sites are drawn among the same places, and a facility serves what is within
a radius. spopt writes the integer program of Church and ReVelle (1974) with PuLP, and HiGHS solves
it with a time limit; `solve` gets none, with the usual effort and with more. Times are CPU times,
with the model from the distances on. Needs spopt and highspy. Real places: give ``--sites`` and
``--clients``, tables of x and y (clients: and weight) separated by commas, with ``--radius``.
"""

import argparse
import os
import time
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pulp
from numpy.typing import NDArray
from spopt.locate import MCLP

import maxcover as mc
from _report import heading, hold, table

SIZES = ((500, 200, 10), (2000, 500, 20), (5000, 1000, 40))


class Places(NamedTuple):
    """Distances from clients to sites, what clients weigh, the reach and number of facilities."""

    distances: NDArray[np.float64]
    weights: NDArray[np.float64]
    radius: float
    facilities: int


def places(n_clients: int, n_sites: int, facilities: int, seed: int) -> Places:
    """Draw towns of different size and what lies in them; facilities reach two thirds or so."""
    rng = np.random.default_rng(seed)
    towns, sizes = rng.random((40, 2)), rng.dirichlet(np.full(40, 0.7))
    inside = towns[rng.choice(40, n_clients + n_sites, p=sizes)]
    points = inside + rng.normal(0, 0.05, (n_clients + n_sites, 2))
    radius = 0.25 / np.sqrt(facilities)
    weights = rng.integers(1, 100, n_clients, endpoint=True)
    return _places(points[:n_clients], points[n_clients:], weights, radius, facilities)


def _places(
    clients: NDArray[np.float64],
    sites: NDArray[np.float64],
    weights: NDArray[np.generic],
    radius: float,
    facilities: int,
) -> Places:
    distances = np.hypot(*(clients[:, None, :] - sites[None, :, :]).transpose(2, 0, 1))
    return Places(distances, weights.astype(np.float64), radius, facilities)


def ours(given: Places, effort: str) -> tuple[mc.Solution, float]:
    """Return the solution of `solve`, and the seconds it took."""
    begin = time.process_time()
    clients, sites = np.nonzero(given.distances <= given.radius)
    problem = mc.CoverageProblem.from_edges(
        sites, clients, budget=given.facilities, weights=given.weights,
        n_sets=given.distances.shape[1], n_elements=given.distances.shape[0],
    )  # fmt: skip
    solution = mc.solve(problem, effort=effort)
    return solution, time.process_time() - begin


def spopt(given: Places, limit: float) -> tuple[float, str, float]:
    """Return the weight that spopt's answer serves, how HiGHS ended, and the seconds it took."""
    begin = time.process_time()
    model = MCLP.from_cost_matrix(
        given.distances, given.weights, service_radius=given.radius, p_facilities=given.facilities
    )
    # as `MCLP.solve` does, which refuses an answer that is not proven best
    model.problem.solve(pulp.HiGHS(msg=False, timeLimit=limit, threads=1))
    taken = time.process_time() - begin
    chosen = [i for i, one in enumerate(model.fac_vars) if (one.value() or 0.0) > 0.5]
    served = (given.distances[:, chosen] <= given.radius).any(axis=1)
    return float(given.weights[served].sum()), pulp.LpSolution[model.problem.sol_status], taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--problems", type=int, default=2, help="of each size")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for HiGHS")
    for name in ("sites", "clients"):
        parser.add_argument(f"--{name}", type=Path, help="a table of real places")
    parser.add_argument("--radius", type=float, help="of real places")
    parser.add_argument("--facilities", type=int, default=20, help="among real places")
    options = parser.parse_args()
    given = []
    if options.sites is not None:
        sites = np.loadtxt(options.sites, delimiter=",")
        clients = np.loadtxt(options.clients, delimiter=",")
        given += [
            _places(clients[:, :2], sites[:, :2], clients[:, 2], options.radius, options.facilities)
        ]
    else:
        seeds = range(options.seed, options.seed + options.problems)
        given += [places(*size, seed) for size in SIZES for seed in seeds]
    rows, least = [], {"normal": np.inf, "thorough": np.inf}
    for one in given:
        value, status, taken = spopt(one, options.limit)
        clients, sites = one.distances.shape
        row: list[object] = [f"{clients:,}", f"{sites:,}", one.facilities]
        for effort in ("normal", "thorough"):
            solution, seconds = ours(one, effort)
            row += [f"{solution.value:g}", f"{solution.gap:.2%}", f"{seconds:.2f}"]
            least[effort] = min(least[effort], solution.value / value)
        rows.append((*row, f"{value:g}", status, f"{taken:.2f}"))
    heading(
        "Locations", seed=options.seed, spopt=version("spopt"), pulp=version("pulp"),
        load=f"{os.getloadavg()[0]:.0f}",
    )  # fmt: skip
    table(
        ("clients", "sites", "facilities", "solve", "gap", "s", "thorough", "gap", "s", "spopt",
         "HiGHS ended", "s"), rows,
    )  # fmt: skip
    hold("solve, of spopt's value", least["normal"], least=0.998)
    hold("thorough, of spopt's value", least["thorough"], least=1.0 - 1e-9)


if __name__ == "__main__":
    main()
