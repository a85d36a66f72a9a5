"""Stages: the trace says what ran, what it gave and took, and why the rest did not."""

import copy
from itertools import pairwise

import numpy as np
import pytest

from maxcover import CoverageProblem, cover, generate, load, save, solve
from maxcover.engine.solvers import auto, cover_run
from maxcover.engine.solvers.auto import opened
from maxcover.engine.solvers.control import Control
from maxcover.engine.solvers.numbers import Numbers
from maxcover.engine.solvers.stages import listed
from maxcover.errors import OptionError

LARGE = generate.biregular(2100, 6300, 9, 3, budget=2100, seed=5)
SMALL = generate.biregular(60, 180, 9, 3, budget=60, seed=5)


def ran(solution):
    return [stage.name for stage in solution.trace.stages if not stage.why_not]


def test_a_large_plain_problem():
    found = solve(LARGE)
    assert ran(found)[:2] == ["greedy", "relaxation"]
    assert {"belief propagation", "search", "dual steps"} <= {*ran(found)}
    assert found.trace.facts.startswith("large (2,100 sets), one budget, elements count once")
    why = {stage.name: stage.why_not for stage in found.trace.stages}
    assert why["rounded relaxation"] == "there is one budget and elements count once"
    assert why["restarts"] == "effort is not thorough"


def test_what_comes_after_a_proof_says_so():
    found = solve(SMALL)
    assert found.status == "optimal"
    last = found.trace.stages[-1]
    assert last.why_not == "the search had ended: the bound meets the value"


def test_values_rise_and_bounds_fall_from_stage_to_stage():
    stages = [stage for stage in solve(LARGE).trace.stages if not stage.why_not]
    for one, other in pairwise(stages):
        assert one.values[1] <= other.values[0] + 1e-9
        assert one.bounds[1] >= other.bounds[0] - 1e-9


@pytest.mark.parametrize("method", ["auto", "greedy", "exact"])
def test_cover_has_stages_too(method):
    found = cover(SMALL, target=0.6, method=method)
    assert ran(found)[0] == "first selection"
    assert "relaxation" in str(found.trace)


def test_a_trace_prints_as_a_table_and_keeps_its_steps():
    trace = solve(LARGE).trace
    lines = str(trace).splitlines()
    assert len(lines) == len(trace.stages) + 2
    assert any(line.startswith("greedy") for line in lines)
    assert "<table" in trace._repr_html_()
    again = copy.copy(trace)
    assert (again, again.stages, again.facts) == (trace, trace.stages, trace.facts)


def test_a_trace_from_a_file_has_steps_and_no_stages(tmp_path):
    save(solve(SMALL), tmp_path / "solution.json")
    trace = load(tmp_path / "solution.json").trace
    assert trace.stages == ()
    assert "greedy" in str(trace)


def test_facts_alone_say_what_will_not_run():
    run = opened(LARGE, Control(), 1)
    words = listed(run.facts, run.numbers, run.table())
    assert "runs greedy" in words
    assert "not  rounded relaxation: there is one budget" in words


def test_stages_of_one_schedule_have_names_of_their_own():
    tables = [
        (*auto.FIRST, *auto.SMALL_PROBLEMS, *auto.PROOFS),
        (*auto.FIRST, *auto.LARGE_PROBLEMS, *auto.PROOFS),
        (*cover_run.FIRST, *cover_run.IMPROVING, *cover_run.LAST, cover_run.HIGHS),
    ]
    for table in tables:
        names = [stage.name for stage in table]
        assert len({*names}) == len(names)
        assert all(stage.title for stage in table)


def test_a_dry_run_searches_nothing_and_says_what_would_run():
    found = solve(LARGE, dry_run=True)
    words = str(found.trace).splitlines()
    assert "  runs greedy" in words
    assert "  not  restarts: effort is not thorough" in words
    assert found.cost <= LARGE.budget
    assert found.value < solve(LARGE, effort="fast").value
    with pytest.raises(OptionError, match="dry_run only for method 'auto', got method 'exact'"):
        solve(LARGE, method="exact", dry_run=True)


@pytest.mark.parametrize("seed", range(15))
def test_a_dry_run_says_what_runs(seed):
    random = np.random.default_rng(seed)
    n_sets = int(random.choice([8, 40, 2500]))
    groups = [str(i % 5) for i in range(n_sets)]
    limits = [
        {},
        {"groups": groups, "max_items": 3},
        {"groups": groups, "max_items": n_sets},
        {"chance": 0.5},
        {"need": 2},
    ][seed % 5]
    problem = CoverageProblem.from_sets(
        [random.choice(2 * n_sets, 4, replace=False).tolist() for _ in range(n_sets)],
        budget=n_sets // 4,
        **limits,
    )
    effort = ["fast", "normal", "thorough"][seed % 3]
    planned = str(solve(problem, effort=effort, dry_run=True).trace).splitlines()
    told = [line.removeprefix("  runs ") for line in planned if line.startswith("  runs ")]
    stages = solve(problem, effort=effort).trace.stages
    found = [stage.name for stage in stages if not stage.why_not]
    assert found == told[: len(found)]
    is_over = stages[-1].why_not.startswith("the search had ended")
    assert found == told or is_over


def test_numbers_are_passed_in(tmp_path):
    path = tmp_path / "numbers.toml"
    path.write_text("tiny = 2\nwide_gap = 0.5\n")
    numbers = Numbers.load(path)
    assert (numbers.tiny, numbers.wide_gap, numbers.searches) == (2, 0.5, Numbers().searches)
    words = str(solve(LARGE, numbers=numbers, effort="fast", dry_run=True).trace)
    assert "there are more than 2 candidate sets" in words
    assert ran(solve(SMALL, effort="fast", numbers=Numbers(tiny=100)))[-1] == "all cases"
    path.write_text("tinny = 2")
    with pytest.raises(OptionError, match="got 'tinny'"):
        Numbers.load(path)


def test_numbers_of_parts_are_tables_of_the_file(tmp_path):
    path = tmp_path / "numbers.toml"
    path.write_text("[beliefs]\nrounds = 3\n[annealing]\nfirst = [0.5, 1.0]\n")
    numbers = Numbers.load(path)
    assert (numbers.beliefs.rounds, numbers.annealing.first) == (3, (0.5, 1.0))
    assert numbers.exchange == Numbers().exchange
    assert solve(LARGE, numbers=numbers).selected.tolist() != solve(LARGE).selected.tolist()
    path.write_text("[beliefs]\nround = 3")
    with pytest.raises(OptionError, match="got 'round'"):
        Numbers.load(path)
