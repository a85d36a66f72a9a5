"""The dual bound beside the linear program, solved by the faster of HiGHS's two methods."""

import time

import highspy
import numpy as np
from scipy.sparse import csr_array, eye_array, hstack, vstack

import maxcover as mc
from _report import arguments, clock, heading, hold, table
from maxcover.engine.core.bounds import dual_bound, reduced
from maxcover.engine.core.relaxation import improve_dual


def linear_program(problem: mc.CoverageProblem) -> highspy.HighsLp:
    n, m = problem.n_sets, problem.n_elements
    graph = csr_array((np.ones(problem.n_edges), problem.indices, problem.indptr), shape=(n, m))
    spend = csr_array(np.append(problem.costs, np.zeros(m))[None, :])
    rows = vstack([hstack([-graph.T, eye_array(m)]), spend]).tocsr()
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = n + m, m + 1
    program.col_cost_ = np.append(np.zeros(n), -problem.weights)
    program.col_lower_, program.col_upper_ = np.zeros(n + m), np.ones(n + m)
    program.row_lower_ = np.full(m + 1, -highspy.kHighsInf)
    program.row_upper_ = np.append(np.zeros(m), problem.budget)
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_, program.a_matrix_.index_ = rows.indptr, rows.indices
    program.a_matrix_.value_ = rows.data
    return program


def solve_by(method: str, program: highspy.HighsLp) -> tuple[float, float]:
    """Return the seconds and the optimum of the linear program."""
    solver = highspy.Highs()
    for name, value in (
        ("output_flag", False),
        ("solver", method),
        ("threads", 1),
        ("run_crossover", "off"),
        ("time_limit", 120.0),
    ):
        solver.setOptionValue(name, value)
    begin = time.perf_counter()
    solver.passModel(program)
    solver.run()
    seconds = time.perf_counter() - begin
    solved = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return seconds if solved else np.inf, -solver.getInfo().objective_function_value


def ours(problem: mc.CoverageProblem, repeats: int) -> tuple[float, float]:
    """Return the shortest time from a fresh problem to a certified bound, and the bound."""
    seconds = []
    bound = np.inf
    for _ in range(repeats):
        fresh = problem.with_budget(problem.budget)
        begin = time.perf_counter()
        left = reduced(fresh)
        bound = dual_bound(fresh, left, improve_dual(fresh, left))
        seconds.append(time.perf_counter() - begin)
    return min(seconds), bound


def main() -> None:
    options = arguments(__doc__, repeats=3)
    sizes = (1000,) if options.quick else (1000, 10_000)
    ours(mc.generate.biregular(10, 30, 9, 3, budget=10), 1)  # compile
    rows, excesses, ratios = [], [], []
    for n_sets in sizes:
        problem = mc.generate.biregular(n_sets, 3 * n_sets, 9, 3, budget=n_sets, seed=options.seed)
        program = linear_program(problem)
        their_time, optimum = min(solve_by(method, program) for method in ("ipm", "simplex"))
        our_time, bound = ours(problem, options.repeats)
        excesses.append(bound / optimum - 1)
        ratios.append(our_time / their_time)
        rows.append(
            (
                f"{n_sets:,}",
                f"{optimum:.2f}",
                f"{1e3 * their_time:.0f}",
                f"{bound:.2f}",
                f"{1e3 * our_time:.1f}",
                f"{excesses[-1]:.4%}",
                f"{ratios[-1]:.4f}",
            )
        )
    heading("Dual bound beside the LP, (9,3)-biregular", seed=options.seed, repeats=options.repeats)
    table(
        ("N", "LP optimum", "HiGHS ms", "our bound", "our ms", "above the LP", "time ratio"), rows
    )
    hold("above the LP optimum", max(excesses), least=-1e-7, most=0.002)
    clock("our time / HiGHS's time", max(ratios), most=0.25 if options.quick else 0.1)


if __name__ == "__main__":
    main()
