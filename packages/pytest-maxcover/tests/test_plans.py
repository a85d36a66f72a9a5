"""Plans, shared fixtures, changes, kill matrices and the shadow: against brute force and twins."""

import difflib
import itertools
import random
import sqlite3
from dataclasses import replace

import numpy as np
import pytest

from maxcover.errors import FileFormatError, OptionError
from pytest_maxcover import choose, read_suite
from pytest_maxcover.changes import Hunk, moved
from pytest_maxcover.ordering import best_first, fill, makespan
from pytest_maxcover.planning import Budget, make_plan
from pytest_maxcover.record import Record
from pytest_maxcover.running import ShadowRun, history, interval, note, report, verdict
from pytest_maxcover.suite import Recorder, Shared


def drawn(seed):
    """Return rows of lines, seconds and shared fixtures of a small random suite."""
    rng = random.Random(seed)
    n = rng.randint(3, 8)
    rows = [{k for k in range(1, 13) if rng.random() < 0.3} or {1} for _ in range(n)]
    users = [sorted(rng.sample(range(n), rng.randint(1, n))) for _ in range(rng.randint(1, 5))]
    costs = np.array([rng.randint(1, 30) / 10 for _ in users])
    seconds = np.array([rng.randint(1, 9) / 10 for _ in rows])
    return rows, seconds, Shared(costs=costs, users=users), rng


def suite_of(rows, seconds, shared=None):
    recorder = Recorder()
    for k, lines in enumerate(rows):
        recorder.add(f"t{k}", "m.py", sorted(lines))
    suite = recorder.suite()
    return replace(suite, costs={"seconds": seconds}, shared=shared or Shared())


def paid(tests, seconds, shared):
    once = (c for c, users in zip(shared.costs, shared.users, strict=True) if {*users} & {*tests})
    return round(float(sum(seconds[k] for k in tests) + sum(once)), 6)


def subsets(n):
    return [s for k in range(n + 1) for s in itertools.combinations(range(n), k)]


@pytest.mark.parametrize("seed", range(12))
def test_shared_costs_against_every_selection(seed):
    rows, seconds, shared, rng = drawn(seed)
    total = len(set().union(*rows))
    covered = {s: len(set().union(*(rows[k] for k in s))) for s in subsets(len(rows))}
    budget, target = rng.randint(5, 60) / 10, rng.choice([0.5, 0.8, 1.0])
    chosen = choose(suite_of(rows, seconds, shared), budget=budget)
    tests = tuple(chosen.answer.selected.tolist())
    assert chosen.seconds == pytest.approx(paid(tests, seconds, shared))
    assert paid(tests, seconds, shared) <= budget + 1e-9
    best = max(n for s, n in covered.items() if paid(s, seconds, shared) <= budget + 1e-9)
    assert chosen.bound * total >= best - 1e-9
    assert chosen.answer.status != "optimal" or covered[tests] == best
    chosen = choose(suite_of(rows, seconds, shared), target=target)
    tests = tuple(chosen.answer.selected.tolist())
    assert covered[tests] >= target * total - 1e-9
    least = min(paid(s, seconds, shared) for s, n in covered.items() if n >= target * total - 1e-9)
    assert chosen.bound <= least + 1e-9
    assert chosen.answer.status != "optimal" or paid(tests, seconds, shared) == least


def test_charging_the_first_test_is_worse():
    """A fixture of 8 s and one of 3 s: whoever came first looks dear, and the others cheap."""
    rows = [{1, 2}, {3}, {4}, {5, 6}, {7}, {8}]
    shared = Shared(costs=np.array([8.0, 3.0]), users=[[0, 1, 2], [3, 4]])
    seconds = np.full(6, 0.5)
    right = choose(suite_of(rows, seconds, shared), budget=5.0)
    assert right.tests == ["t3", "t4", "t5"]
    charged = seconds + np.array([8.0, 0, 0, 3.0, 0, 0])
    wrong = choose(suite_of(rows, charged), budget=5.0)
    assert paid(wrong.answer.selected.tolist(), seconds, shared) > 5.0


@pytest.mark.parametrize("seed", range(12))
def test_an_order_is_greedy_and_what_fills_fits(seed):
    rows, seconds, shared, rng = drawn(seed)
    problem = choose(suite_of(rows, seconds), budget=100.0).problem
    order = best_first(problem, np.arange(len(rows)), np.zeros(0, np.int64))
    covered = set()
    for place, test in enumerate(order):
        rates = {k: len(rows[k] - covered) / (seconds[k] + 1e-4) for k in order[place:]}
        assert rates[test] == pytest.approx(max(rates.values()))
        covered |= rows[test]
    pair = rng.sample(range(len(rows)), 2)
    order = best_first(problem, np.arange(len(rows)), np.zeros(0, np.int64), [pair])
    assert abs(order.index(pair[0]) - order.index(pair[1])) == 1
    assert sorted(order) == [*range(len(rows))]
    budget = rng.randint(5, 80) / 10
    found = fill(problem, suite_of(rows, seconds, shared), np.zeros(0, np.int64), budget)
    assert paid(found, seconds, shared) <= budget + 1e-4
    for other in {*range(len(rows))} - {*found}:
        assert paid([*found, other], seconds, shared) > budget


def test_workers_take_tests_in_order_and_pay_for_themselves():
    shared = Shared(costs=np.array([2.0]), users=[[0, 1]])
    suite = suite_of([{1}, {2}, {3}], np.ones(3), shared)
    assert makespan([0, 1, 2], suite, 1) == (5.0, [3.0, 4.0, 5.0])
    assert makespan([0, 1, 2], suite, 2) == (4.0, [3.0, 3.0, 4.0])


@pytest.mark.parametrize("seed", range(30))
def test_lines_move_as_they_do_for_difflib(seed):
    rng = random.Random(seed)
    old = [f"line {k}" for k in range(rng.randint(0, 20))]
    new = [text for text in old if rng.random() < 0.8]
    for _ in range(rng.randint(0, 4)):
        new.insert(rng.randint(0, len(new)), f"new {rng.random()}")
    hunks = [
        Hunk(a + 1 - (a == b), b - a, c + 1 - (c == d), d - c)
        for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, False).get_opcodes()
        if kind != "equal"
    ]
    now = moved(np.arange(1, len(old) + 1, dtype=np.int64), hunks)
    after = [new.index(text) + 1 if text in new else -1 for text in old]
    assert now.tolist() == after


def test_amounts():
    assert Budget.of("10%time", 60) == Budget(seconds=6.0)
    for wrong in ("", "fast", "0%", "101%", "10% of it"):
        with pytest.raises(OptionError, match="expected a"):
            Budget.of(wrong, 60)


def record_of(rows, seconds, **more):
    names = [f"tests/test_m.py::t{k}[a b]" for k in range(len(rows))]
    recorder = Recorder()
    for name, lines in zip(names, rows, strict=True):
        recorder.add(name, "src/m.py", sorted(lines))
    taken = {name: [float(s)] for name, s in zip(names, seconds, strict=True)}
    return names, Record(rows=recorder.suite(), seconds=taken, uses={}, **more)


def test_a_plan_has_what_always_runs_and_fills_the_time():
    names, record = record_of([{1, 2, 3}, {3, 4}, {1}, {5}], [1.0, 1.0, 0.5, 5.0])
    everything = make_plan(record, names, Budget(seconds=8.0))
    assert everything.tests == names
    assert "Everything fits" in str(everything)
    plan = make_plan(record, names, Budget(seconds=2.5))
    assert plan.tests == [names[0], names[1], names[2]]
    assert plan.share == pytest.approx(0.8)
    assert "no selection within 2.5 s covers more than 80.00%" in str(plan)
    plan = make_plan(record, [*names, "new"], Budget(seconds=2.0), failed=names[2:3])
    assert plan.tests == ["new", names[2]]
    # the tests that run changed lines take too long together
    plan = make_plan(record, names, Budget(seconds=2.0), changed=[names[0], names[3]])
    assert names[0] in plan.tests
    assert names[3] not in plan.tests
    # of these the shortest run, so that most of them do, though t0 runs more lines
    names, record = record_of([{1, 2, 3, 4}, {1}, {2}, {3}], [1.5, 0.5, 0.5, 0.5])
    plan = make_plan(record, names, Budget(seconds=1.5), changed=names)
    assert {*plan.tests} == {*names[1:]}


def test_workers_share_a_plan():
    names, record = record_of([{1, 2, 3}, {3, 4}, {1}, {5}], [1.0, 1.0, 0.5, 5.0])
    both = make_plan(record, names, Budget(seconds=1.5), workers=2)
    assert makespan([0, 1, 2], record.suite(), 2)[0] == both.seconds
    assert {*both.tests} == {*names[:3]}


def test_a_record_is_what_was_saved(tmp_path):
    names, record = record_of([{1, 2}, {3}], [1.0, 2.0], failed=["x"], revision="r", dirty=["f"])
    record.save(tmp_path / "r.npz")
    again = Record.load(tmp_path / "r.npz")
    assert (again.tests, again.seconds, again.failed) == (names, record.seconds, ["x"])
    assert [(t, f, n.tolist()) for t, f, n in again.rows.runs({*names})] == [
        (names[0], "src/m.py", [1, 2]), (names[1], "src/m.py", [3]),
    ]  # fmt: skip
    assert read_suite([tmp_path / "r.npz"]).tests == tuple(names)


def recorded_by_coverage(path, runs):
    """Write what coverage.py would, of one file."""
    with sqlite3.connect(path) as data:
        data.executescript(
            "create table file (id, path); create table context (id, context);"
            "create table line_bits (file_id, context_id, numbits);"
            "create table arc (file_id, context_id, fromno, tono);"
            "insert into file values (1, 'm.py');"
        )
        for k, lines in enumerate(runs):
            data.execute("insert into context values (?, ?)", (k, f"t{k}|run"))
            bits = sum(1 << line for line in lines).to_bytes(64, "little")
            data.execute("insert into line_bits values (1, ?, ?)", (k, bits))
    return path


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_what_only_the_first_test_of_a_line_has_is_refused(tmp_path, processes):
    """Coverage.py's monitoring notes a line for the test that ran it first, in each process."""
    rng = random.Random(processes)
    runs = [{*range(20), *rng.sample(range(20, 400), 30)} for _ in range(90)]
    whole = recorded_by_coverage(tmp_path / "whole", runs)
    assert len(read_suite([whole]).tests) == 90
    seen = [set() for _ in range(processes)]
    first = []
    for k, lines in enumerate(runs):
        first.append(lines - seen[k % processes])
        seen[k % processes] |= lines
    with pytest.raises(FileFormatError, match="got only the first one of each process"):
        read_suite([recorded_by_coverage(tmp_path / "first", first)])


def test_the_shadow_tells_found_missed_and_unstable_apart(tmp_path):
    runs = [
        ShadowRun("a", ["t", "u"], ["u"]),
        ShadowRun("b", ["t"], []),
        ShadowRun("b", [], []),
        ShadowRun("c", ["v"], []),
        ShadowRun("", ["t"], ["t"]),
    ]
    assert [verdict(run, runs) for run in runs] == ["found", "cannot tell", "", "missed", "found"]
    for run in runs:
        note(tmp_path / "shadow", run)
    with (tmp_path / "shadow").open("a") as file:
        file.write('["d", [')
    assert history(tmp_path / "shadow") == runs
    assert "found 2 and missed 1, and 1 cannot be told" in report(runs)
    assert report(runs[2:3]).endswith("cannot be told.")
    assert interval(0, 5)[0] == pytest.approx(0)
    assert interval(5, 5)[1] == pytest.approx(1)
