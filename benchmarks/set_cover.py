"""Full set cover with known optima: `cover` beside pycft and ortools' set cover, at equal time.

Instances whose optimum is a theorem: the lines of affine spaces over three elements and of
projective spaces over two (Steiner triple systems; a cover is the complement of a cap). And
OR-library style ones (density 2 or 20 %, costs 1 to 100 or all 1), whose optimum nobody states:
there the best that was found counts. pycft is the heuristic of Caprara, Fischetti and Toth; of
ortools it is greedy, steepest search and the loop of its documentation that clears random subsets
and refills them. Both are left out where they are not installed.
"""

import itertools
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

import maxcover as mc
from _report import arguments, heading, hold, table


def lines_of(q: int, dimension: int) -> tuple[int, np.ndarray]:
    """Return how many points there are, and the triples that are lines, of AG(d, 3) or PG(d, 2)."""
    if q == 3:
        points = list(itertools.product(range(3), repeat=dimension))
        third = {point: k for k, point in enumerate(points)}
        found = {
            tuple(sorted((i, j, third[tuple((-a - b) % 3 for a, b in zip(x, y, strict=True))])))
            for (i, x), (j, y) in itertools.combinations(enumerate(points), 2)
        }
        return len(points), np.array(sorted(found))
    size = 2 ** (dimension + 1) - 1
    pairs = itertools.combinations(range(1, size + 1), 2)
    found = {tuple(sorted((i - 1, j - 1, (i ^ j) - 1))) for i, j in pairs}
    return size, np.array(sorted(found))


def instances(*, quick: bool, seed: int) -> Iterator[tuple[str, mc.CoverageProblem, float | None]]:
    """Yield name, problem and optimum, where there is one by a theorem."""
    known = [("AG(2,3)", 3, 2, 5), ("AG(3,3)", 3, 3, 18), ("AG(4,3)", 3, 4, 61)]
    known += [("PG(3,2)", 2, 3, 7), ("PG(4,2)", 2, 4, 15), ("PG(5,2)", 2, 5, 31)]
    known += [] if quick else [("AG(5,3)", 3, 5, 198)]
    for name, q, dimension, optimum in known:
        n_points, lines = lines_of(q, dimension)
        edges = np.repeat(np.arange(len(lines)), 3)
        yield name, mc.CoverageProblem.from_edges(lines.ravel(), edges, budget=n_points), optimum
    rng = np.random.default_rng(seed)
    kinds = [("4", 200, 1000, 0.02, 100), ("5", 200, 2000, 0.02, 100), ("a", 300, 3000, 0.02, 100)]
    kinds += [("e", 50, 500, 0.2, 1), ("unicost", 200, 1000, 0.02, 1)]
    for name, n_elements, n_sets, density, dearest in kinds[:2] + kinds[3:4] if quick else kinds:
        for k in range(1 if quick else 2):
            filled = rng.random((n_sets, n_elements)) < density
            for a in range(n_elements):  # every element in at least two sets
                filled[rng.choice(n_sets, 2, replace=False), a] = True
            sets, elements = np.nonzero(filled)
            costs = rng.integers(1, dearest, n_sets, endpoint=True)
            problem = mc.CoverageProblem.from_edges(
                sets, elements, costs=costs, n_sets=n_sets, budget=1
            )
            yield f"scp{name} style {k}", problem, None


def pycft(problem: mc.CoverageProblem, seconds: float, seed: int) -> tuple[float, float] | None:
    """Return cost and lower bound of pycft; None where it is not installed."""
    try:
        from pycft import SetCoverSolver
    except ImportError:
        return None
    solver = SetCoverSolver()
    kept = [i for i in range(problem.n_sets) if problem.elements_of(i).size]
    for i in kept:
        solver.add_set(problem.elements_of(i).tolist(), cost=float(problem.costs[i]))
    solver.solve(seed=seed, time_limit=seconds, verbose=0)
    chosen = [kept[k] for k in solver.get_solution()]
    assert problem.covered(chosen).all()
    return float(problem.costs[chosen].sum()), float(solver.get_lower_bound())


def ortools(problem: mc.CoverageProblem, seconds: float) -> float | None:
    """Return the cost that ortools' set cover finds; None where it is not installed."""
    try:
        from ortools.set_cover.python import set_cover
    except ImportError:
        return None
    begin = time.perf_counter()
    model = set_cover.SetCoverModel()
    for i in range(problem.n_sets):
        model.add_empty_subset(float(problem.costs[i]))
        for a in problem.elements_of(i).tolist():
            model.add_element_to_last_subset(a)
    model.create_sparse_row_view()
    state = set_cover.SetCoverInvariant(model)
    greedy = set_cover.GreedySolutionGenerator(state)
    steepest = set_cover.SteepestSearch(state).set_max_iterations(100_000)
    greedy.next_solution()
    steepest.next_solution()
    best, kept = state.cost(), np.flatnonzero(state.is_selected()).tolist()
    size = max(problem.n_elements // 10, 2)
    while time.perf_counter() - begin < seconds:
        set_cover.clear_random_subsets(size, state)
        greedy.next_solution()
        steepest.next_solution()
        if state.cost() < best:
            best, kept = state.cost(), np.flatnonzero(state.is_selected()).tolist()
        elif state.cost() > best:
            state.clear()
            for i in kept:
                state.select(i, set_cover.consistency_level.FREE_AND_UNCOVERED)
    return float(best)


def main() -> None:
    options = arguments(__doc__, milliseconds=2000)
    seconds = 0.5 if options.quick else options.milliseconds / 1000
    rows = []
    peers = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
    for name, problem, optimum in instances(quick=options.quick, seed=options.seed):
        # the quick form holds a value, which must not depend on how busy the machine is
        limit = None if options.quick else seconds
        plan = mc.cover(problem, target=1.0, time_limit=limit, seed=options.seed)
        assert mc.verify(problem, plan).ok
        theirs = pycft(problem, seconds, options.seed)
        # in a process of its own: it brings a HiGHS that does not go with another one
        found = peers.submit(ortools, problem, seconds).result()
        others = [x for x in (None if theirs is None else theirs[0], found) if x is not None]
        best = min([plan.cost, *others]) if optimum is None else optimum
        rows.append((name, problem, optimum, plan, theirs, found, best))
    heading("Set cover at equal time", seconds=seconds, seed=options.seed)
    table(
        ("instance", "sets", "elements", "optimum", "cover", "its bound", "s", "pycft",
         "its bound", "ortools"),
        [
            (name, problem.n_sets, problem.n_elements, optimum or "", f"{plan.cost:g}",
             f"{plan.lower_bound:.5g}{', optimal' if plan.status == 'optimal' else ''}",
             f"{plan.seconds:.2f}",
             *(("", "") if theirs is None else (f"{theirs[0]:g}", f"{theirs[1]:.5g}")),
             "" if found is None else f"{found:g}")
            for name, problem, optimum, plan, theirs, found, _ in rows
        ],
    )  # fmt: skip
    reached = [plan.cost <= best * (1 + 1e-9) for _, _, _, plan, _, _, best in rows]
    hold("instances at the optimum, or the best of all", float(np.mean(reached)), least=0.85)
    worst = max(plan.cost / best for _, _, _, plan, _, _, best in rows)
    hold("cost, of the optimum or the best, at most", worst, most=1.03)


if __name__ == "__main__":
    main()
