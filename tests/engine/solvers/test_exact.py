"""The exact method: it keeps its time limit, can be stopped, and says how far it came."""

import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from benchmarks._report import clock

from maxcover import CoverageProblem, generate, solve
from maxcover.engine.solvers.control import Control
from maxcover.engine.solvers.highs import HighsRun
from maxcover.engine.solvers.program import Program


def hard():
    """HiGHS works on it for minutes."""
    return generate.biregular(1000, 3000, 9, 3, budget=1000, seed=1)


def test_proves_the_optimum():
    solution = solve(generate.biregular(60, 180, 9, 3, budget=60, seed=2), method="exact")
    assert solution.status == "optimal"
    assert solution.gap <= 1e-6
    assert solution.upper_bound >= solution.value
    assert solution.stopped == "HiGHS proved it"


@pytest.mark.clock
def test_time_limit_is_kept_and_the_bound_is_real():
    problem = hard()
    solution = solve(problem, method="exact", time_limit=2)
    clock("exact with a time limit of 2 s, s", solution.seconds, most=3)
    assert solution.stopped == "time limit"
    assert solution.status == "heuristic"
    warm = solve(problem, method="guarded-greedy")
    assert solution.value >= warm.value
    assert solution.value < solution.upper_bound <= warm.upper_bound


def test_target_gap_ends_it():
    solution = solve(hard(), method="exact", target_gap=0.02, time_limit=60)
    assert solution.status == "within gap"
    assert solution.gap <= 0.02


def test_a_callback_hears_of_progress_and_can_stop():
    heard = []

    def stop_at_once(progress) -> bool:
        heard.append(progress)
        return True

    solution = solve(hard(), method="exact", time_limit=60, callback=stop_at_once)
    assert solution.status == "heuristic"
    assert solution.stopped == "stopped by the callback"
    for progress in heard:
        assert 0 <= progress.gap <= 1
        assert progress.value <= progress.bound
        assert progress.seconds >= 0
    seconds = [step.seconds for step in solution.trace]
    assert seconds == sorted(seconds)


def test_an_earlier_selection_is_never_lost():
    """With no time at all the answer is as good as the start."""
    problem = hard()
    start = solve(problem)
    found = solve(problem, method="exact", time_limit=0.0, start=start)
    assert found.value >= start.value


def test_the_seed_decides():
    problem = generate.biregular(50, 150, 9, 3, budget=50, seed=3)
    first, second = (solve(problem, method="exact", seed=2**40 + 1) for _ in range(2))
    assert np.array_equal(first.selected, second.selected)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent another way there")
def test_ctrl_c_gives_the_best_so_far():
    program = textwrap.dedent(
        """
        from maxcover import generate, solve
        problem = generate.biregular(1000, 3000, 9, 3, budget=1000, seed=1)
        solve(problem, method="guarded-greedy")
        print("ready", flush=True)
        solution = solve(problem, method="exact", time_limit=100)
        print(solution.stopped, solution.value <= solution.upper_bound, len(solution.selected) > 0)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        output = process.stdout.read()
    assert output == "interrupted True True\n"
    assert process.returncode == 0


@pytest.mark.parametrize(("seed", "optimum"), [(10566, 1291.0), (10340, 1379.0)])
def test_highs_does_not_cut_off_the_optimum(seed, optimum):
    """With restarts of the root it did so on these two, from the start that greedy gives."""
    problem = generate.biregular(100, 300, 9, 3, budget=100, seed=seed)
    greedy = solve(problem, method="guarded-greedy").selected
    run = HighsRun(Program(problem, value=problem.value(greedy)), Control(), greedy)
    assert run.until_done(np.inf) == "HiGHS proved it"
    assert run.claim().value >= optimum
    assert problem.value(run.selection()) == optimum
    assert solve(problem).value == optimum


def test_where_nothing_can_be_covered_a_tiny_weight_hides_no_proof():
    problem = CoverageProblem.from_edges([], [], costs=[0.0], weights=[1.0, 1.1e-165], budget=0)
    assert solve(problem, method="exact").status == "optimal"


def test_an_interrupt_while_highs_is_loaded_breaks_nothing():
    """Ctrl-C inside the import of an extension module would leave it broken for good."""
    script = """
        import signal, threading, time
        import maxcover as mc
        from maxcover import generate
        from maxcover.engine.solvers import highs
        load, heard = highs.import_module, []
        def slowly(name):
            if threading.current_thread() is not threading.main_thread() and not heard:
                heard.append(True)
                signal.raise_signal(signal.SIGINT)  # heard by the main thread
                time.sleep(0.2)
            return load(name)
        highs.import_module = slowly
        problem = generate.biregular(60, 180, 9, 3, budget=60, seed=2)
        print(mc.solve(problem, method="exact").stopped)
        print(mc.solve(problem, method="exact").status)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.split() == ["interrupted", "optimal"], done.stderr
