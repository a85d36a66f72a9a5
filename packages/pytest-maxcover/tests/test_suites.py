"""Recorded coverage in, tests to run out."""

import json
import os
import random
import shutil
import subprocess
import sys
from dataclasses import replace

import coverage
import numpy as np
import pytest

from maxcover import verify
from maxcover.errors import FileFormatError, InfeasibleError, OptionError
from pytest_maxcover import choose, read_suite, with_durations
from pytest_maxcover.changes import touched
from pytest_maxcover.durations import junit_name
from pytest_maxcover.suite import Recorder, weights_by_file
from pytest_maxcover.suite_wording import notes

ALL = "tests/slow/test_all.py::TestAll::test_everything"
UNIT = "tests/unit/test_lib.py"


def lines_of(suite, test):
    blocks = suite.indices[slice(*suite.indptr[suite.tests.index(test) :][:2])]
    return set(suite.line_of[np.isin(suite.block_of, blocks)].tolist())


def lines_by_coverage(folder, test):
    """Return what coverage.py itself says a test runs, in all its phases."""
    data = coverage.CoverageData(str(folder / ".coverage"))
    data.read()
    phases = {f"{test}|{phase}" for phase in ("setup", "run", "teardown")}
    (path,) = data.measured_files()
    by_line = data.contexts_by_lineno(path)
    return {line for line, contexts in by_line.items() if phases & {*contexts}}


@pytest.mark.parametrize("kind", ["recorded", "with_branches"])
def test_a_suite_is_what_coverage_says(kind, request):
    folder = request.getfixturevalue(kind)
    suite = read_suite([folder / ".coverage"])
    assert set(suite.tests) == {
        ALL, *(f"{UNIT}::{name}" for name in
               ("test_f", "test_g", "test_with_fixture", "test_h[1]", "test_h[a::b]")),
    }  # fmt: skip
    for test in suite.tests:
        assert lines_of(suite, test) == lines_by_coverage(folder, test)
    # setup and teardown belong to the test
    assert lines_of(suite, f"{UNIT}::test_with_fixture") >= lines_of(suite, f"{UNIT}::test_h[1]")


def test_durations_come_from_the_report(recorded):
    suite = read_suite([recorded / ".coverage"])
    timed = with_durations(suite, [recorded / "report.xml"])
    assert not timed.missing
    # the report has tests that run no line
    assert timed.tests == suite.tests
    assert timed.seconds[timed.tests.index(ALL)] >= 0.3
    assert (timed.seconds >= 0.0001).all()


def named(*tests):
    """Return a suite of tests that run nothing."""
    recorder = Recorder()
    for test in tests:
        recorder.test(test)
    return recorder.suite()


def test_a_test_without_a_duration_counts_as_the_median(tmp_path):
    (tmp_path / "times.json").write_text('{"a": 1, "b": 3, "c": 10, "gone": 5}')
    suite = with_durations(named("a", "b", "c", "d"), [tmp_path / "times.json"])
    assert suite.seconds.tolist() == [1, 3, 10, 3]
    assert suite.missing == ("d",)
    assert with_durations(named("a"), []).seconds.tolist() == [1]


def test_of_several_records_the_median_counts(tmp_path):
    """What is done once is charged to another test in every order."""
    case = '<testcase classname="m" name="{}" time="{}"/>'
    for k, times in enumerate([(9, 1, 2), (1, 9, 2), (1, 1, 10)]):
        cases = "".join(case.format(name, time) for name, time in zip("abc", times, strict=True))
        (tmp_path / f"{k}.xml").write_text(f'<testsuite time="15">{cases}</testsuite>')
    tests = named("m.py::a", "m.py::b", "m.py::c")
    suite = with_durations(tests, [tmp_path / f"{k}.xml" for k in range(3)])
    assert suite.seconds.tolist() == [1, 1, 2]
    assert suite.outside == pytest.approx(3 + 8)


def test_time_outside_of_tests(tmp_path):
    case = '<testcase classname="a" name="test" time="{}"/>'
    suite = '<testsuites><testsuite time="3.5">{}</testsuite></testsuites>'
    (tmp_path / "one.xml").write_text(suite.format(case.format(1.25) + case.format(0.0002)))
    # side by side: the tests took longer together than the suite
    (tmp_path / "two.xml").write_text(suite.format(case.format(4) + case.format(2)))
    recorder = Recorder()
    recorder.add("a.py::test", "m.py", [1])
    one = with_durations(recorder.suite(), [tmp_path / "one.xml"])
    assert (one.seconds.tolist(), one.outside) == ([1.2502], pytest.approx(2.2498))
    assert with_durations(named("a.py::test"), [tmp_path / "two.xml"]).outside == 0
    assert "2.25 s outside of any test" in notes(choose(one, target=1.0))[0]


def test_names_of_junit():
    assert junit_name("a/b.py::T::U::t[x/y.py::z]") == ("a.b.T.U", "t[x/y.py::z]")


def test_parallel_files_add_up(recorded, tmp_path):
    whole = read_suite([recorded / ".coverage"])
    for k, name in enumerate(("one", "two")):
        shutil.copy(recorded / ".coverage", tmp_path / f".coverage.{name}")
        data = coverage.CoverageData(str(tmp_path / f".coverage.{name}"))
        data.read()
        assert data.measured_contexts(), k
    for path in (tmp_path, tmp_path / ".coverage"):
        both = read_suite([path])
        assert both.tests == whole.tests
        assert np.array_equal(both.indices, whole.indices)


def test_lcov_and_tables_say_the_same(tmp_path):
    runs = {"a": ("m.c", [1, 2, 3]), "b": ("m.c", [3, 4]), "c": ("n.c", [1])}
    trace = "".join(
        f"TN:{test}\nSF:{file}\n" + "".join(f"DA:{k},2\n" for k in lines)
        + "DA:9,0\nend_of_record\n"
        for test, (file, lines) in runs.items()
    )  # fmt: skip
    rows = [f"{test},{file},{k}" for test, (file, lines) in runs.items() for k in lines]
    (tmp_path / "trace.info").write_text(trace)
    (tmp_path / "runs.csv").write_text("\n".join(["test,file,line", *rows]))
    (tmp_path / "runs.tsv").write_text("\n".join(["test,file,line", *rows]).replace(",", "\t"))
    for name in ("trace.info", "runs.csv", "runs.tsv"):
        suite = read_suite([tmp_path / name])
        assert suite.tests == ("a", "b", "c")
        assert (suite.n_lines, suite.n_blocks) == (5, 4)
        assert lines_of(suite, "a") == {1, 2, 3}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x", b"hello", "a data file of coverage.py, an lcov trace"),
        ("x", b"SQLite format 3\x00damaged", "expected a data file of coverage.py in 'x'"),
        ("x.csv", b"a,b\n1,2\n", "expected the columns test, file and line"),
        ("x.csv", b"test,file,line\na,b,c\n", "expected a line number in line 2"),
        ("x.info", b"TN:\nSF:m.c\nDA:1,1\nend_of_record\n", "got none; record it with"),
    ],
)
def test_other_files_are_refused(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileFormatError, match=message):
        read_suite([tmp_path / name])


def test_coverage_without_contexts_says_how_to_record_it(tmp_path):
    data = coverage.CoverageData(str(tmp_path / ".coverage"))
    data.add_lines({"m.py": [1, 2]})
    data.write()
    with pytest.raises(FileFormatError, match="pytest --maxcover-record"):
        read_suite([tmp_path / ".coverage"])


def test_blocks_are_the_lines_that_the_same_tests_run():
    rng = random.Random(0)
    for _ in range(200):
        runs = {f"t{k}": {rng.randrange(12) for _ in range(rng.randrange(8))} for k in range(5)}
        recorder = Recorder()
        for test, lines in runs.items():
            recorder.add(test, "m.py", sorted(lines))
        suite = recorder.suite()
        users = {
            line: frozenset(test for test, lines in runs.items() if line in lines)
            for lines in runs.values()
            for line in lines
        }
        assert suite.n_lines == len(users)
        assert suite.n_blocks == len({*users.values()})
        for test, lines in runs.items():
            assert lines_of(suite, test) == lines
        assert set(suite.empty_tests()) == {test for test, lines in runs.items() if not lines}


def small():
    recorder = Recorder()
    recorder.add("x/a.py::one", "core.py", [1, 2, 3])
    recorder.add("x/a.py::two", "core.py", [3, 4])
    recorder.add("y/b.py::three", "other.py", [1])
    recorder.add("y/b.py::four", "core.py", [1, 2, 3, 4])
    suite = recorder.suite()
    cost = {"one": 2.0, "two": 1.0, "three": 1.0, "four": 9.0}
    seconds = np.array([cost[test.partition("::")[2]] for test in suite.tests])
    return suite.with_costs(seconds=seconds)


def chosen(**options):
    selection = choose(small(), **options)
    # the certificate of a rule for directories is that of the problem without the rule
    assert verify(selection.problem, selection.answer).ok
    return {test.partition("::")[2] for test in selection.tests}, selection


def test_a_budget_or_a_target():
    assert chosen(budget=2)[1].share == 0.6
    assert chosen(budget=3)[0] == {"one", "two"}
    names, selection = chosen(target=1.0)
    assert names == {"one", "two", "three"}
    assert (selection.seconds, selection.bound, selection.share) == (4, 4, 1)
    for options in ({}, {"budget": 1, "target": 1.0}):
        with pytest.raises(OptionError, match="either a budget or a target"):
            choose(small(), **options)


def test_always_and_never():
    assert chosen(budget=3, always=["*::three"])[0] == {"one", "three"}
    assert chosen(budget=3, never=["x/a.py"])[0] == {"three"}
    with pytest.raises(InfeasibleError, match="at least 9 s"):
        choose(small(), budget=3, always=["*four"])


def test_weights_by_file():
    suite = small()
    weights = weights_by_file(suite, [("other.py", 50.0)])
    assert sorted(weights.tolist()) == [1, 1, 1, 1, 50]
    assert chosen(budget=2, weights=weights)[0] == {"two", "three"}


def test_an_earlier_selection_is_kept_if_it_is_as_good():
    recorder = Recorder()
    for name in "abcd":  # two equal pairs
        recorder.add(name, "m.py", [1, 2] if name in "ab" else [3, 4])
    suite = recorder.suite()
    for start in (["b", "d"], ["a", "d"], ["b"]):
        for asked in ({"budget": 2}, {"target": 1.0}):
            selection = choose(suite, start=[*start, "gone"], **asked)
            assert {*start} <= {*selection.tests}
            assert selection.kept == len(start)
            assert selection.share == 1
            assert verify(selection.problem, selection.answer).ok
    bad = choose(suite, start=["a", "b"], budget=2)
    assert bad.share == 1


def repository(folder, **files):
    """Write files, and commit them."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)


TABLE = "WORDS = {\n    'a': 1,\n}\n\n\ndef unused():\n    return 1\n"


@pytest.mark.parametrize(
    ("changed", "now", "files"),
    [
        # no test runs a line of the table: those that run files that import it
        ("table", TABLE.replace("1", "2", 1), ["user"]),
        ("table", TABLE.replace("1,", "1,\n    'b': 2,"), ["user"]),
        ("table", "".join(TABLE.splitlines(keepends=True)[3:]), ["user"]),
        ("table", TABLE + "MORE = 1\n", []),
        ("table", "# why\n" + TABLE, []),
        ("table", TABLE.replace("return 1", "return 2"), []),
        ("user", "from table import WORDS\nLIMIT = 1\n\n\ndef f():\n    return WORDS\n", []),
        ("user", "from table import (WORDS)\n\n\ndef f():\n    return WORDS\n", ["user"]),
    ],
)
@pytest.mark.parametrize("recorded_at", [None, "HEAD"])
def test_what_runs_at_import_is_of_all_tests_of_its_file(
    tmp_path, changed, now, files, recorded_at
):
    sources = {
        "table": TABLE,
        "user": "from table import WORDS\n\n\ndef f():\n    return WORDS\n",
        "other": "def g():\n    return 0\n",
    }
    repository(tmp_path, **sources)
    (tmp_path / f"{changed}.py").write_text(now)
    recorder = Recorder()
    lines = (now if changed == "user" and not recorded_at else sources["user"]).splitlines()
    recorder.add("t", "user.py", [lines.index("    return WORDS") + 1])
    recorder.add("u", "other.py", [2])
    suite = replace(recorder.suite(), revision=recorded_at)
    found = suite.file_of[touched(suite, tmp_path, "HEAD").lines]
    assert [suite.files[k] for k in found] == [f"{name}.py" for name in files]


def test_changed_lines(tmp_path):
    repository(tmp_path, core="1\n2\n3\n4\n")
    (tmp_path / "core.py").write_text("1\nnew\n3\n4\n5\n")
    suite = small()
    changed = touched(suite, tmp_path, "HEAD").lines
    assert suite.line_of[changed].tolist() == [2]
    assert [suite.files[k] for k in suite.file_of[changed]] == ["core.py"]
    with pytest.raises(OptionError, match="a revision that git knows"):
        touched(suite, tmp_path, "nowhere")
    with pytest.raises(OptionError, match="expected a git revision"):
        touched(suite, tmp_path, "--output=x")


def run(folder, *arguments):
    code = "import sys; from maxcover.cli.app import call; sys.exit(call(sys.argv[1:]))"
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def run_pytest(folder, *arguments):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    elsewhere = os.environ | {"COVERAGE_FILE": "again.coverage"}
    return subprocess.run(
        command, cwd=folder, env=elsewhere, capture_output=True, text=True, check=False
    ).stdout


def test_from_the_recording_to_pytest(recorded):
    shared = ("tests", "--coverage", ".coverage", "--junit", "report.xml")
    drawn = ("-o", "frontier.png")
    done = run(recorded, *shared, "--target", "100%", "-o", "smoke.txt", *drawn)
    assert done.returncode == 0, done.stderr
    assert (recorded / "frontier.png").read_bytes().startswith(b"\x89PNG")
    assert " 0.00%" not in done.stdout  # no row for a time in which no test fits
    assert "takes less than" in done.stdout
    chosen_tests = (recorded / "smoke.txt").read_text().splitlines()
    assert ALL not in chosen_tests
    ran = run_pytest(recorded, "--cov=lib", "--cov-report=json:again.json", "@smoke.txt")
    assert f"{len(chosen_tests)} passed" in ran
    covered = json.loads((recorded / "again.json").read_text())
    assert covered["totals"]["missing_lines"] == 0

    done = run(recorded, *shared, "--budget", "50%", "--format", "json")
    found = json.loads(done.stdout)
    # also tests that cover nothing, where there is time left for them
    collected = run_pytest(recorded, "--collect-only")
    assert all(test in collected for test in found["tests"])
    assert found["share"] <= found["bound"]["share"] <= 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--budget", "soon"], "expected an amount such as 90s or 3min, 5%"),
        (["--target", "0"], "expected a share above 0"),
        (["--budget", "1s", "--weight", "x"], "expected --weight PATTERN=NUMBER"),
        ([], "expected either a budget or a target"),
        (["--budget", "1s", "--start", "report.xml.json"], "report.xml.json"),
    ],
)
def test_what_the_command_refuses(recorded, arguments, message):
    done = run(recorded, "tests", "--coverage", ".coverage", *arguments)
    assert done.returncode in {1, 2}
    assert message in done.stderr
