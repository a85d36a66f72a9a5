"""``pytest --maxcover-record`` and ``--maxcover`` in real runs of pytest, hostile ones too.

CI runs this file on every Python that it finds, so it needs pytest, pytest-xdist and git
alone; before Python 3.12 also coverage.py.
"""

import ast
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_maxcover.record import Record

# A shell starts what runs in the background without Ctrl-C, and children would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

LIBRARY = """
import threading
import types


def sign(x):
    if x > 0:
        return "positive"
    return "other"


def numbers(n):
    for i in range(n):
        yield i
    yield -1


def in_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(sign(1)))
    thread.start()
    thread.join()
    return found


def handled():
    try:
        raise ValueError
    except ValueError:
        return [sign(x) for x in (1, 2)]
    finally:
        sign(0)


def prepare():
    total = 0
    for i in range(3):
        total += i
    return total


def clean_up():
    return "gone"


def square(x): return x * x


cube = lambda x: x * square(x)


def evens(n): yield from (k for k in range(n) if k % 2 == 0)


def made_of(code):
    return types.FunctionType(code.replace(co_name="made"), globals())


def given(code):
    def empty(x):
        pass

    empty.__code__ = code.replace(co_name="given")
    return empty


exec(compile("def executed(x):\\n\\n    return x", __file__, "exec"))
"""
TESTS = """
import os
import signal
import sys

import lib
import pytest


@pytest.fixture(scope="session")
def session_value():
    yield lib.prepare()
    lib.clean_up()


@pytest.fixture(scope="module", params=[1, 2])
def module_value(request, session_value):
    return lib.sign(request.param)


class Odd:
    def __repr__(self):
        return "odd [one] two::three"


def test_shared(module_value):
    assert module_value


def test_shared_too(session_value):
    assert session_value == 3


@pytest.mark.parametrize("x", [1, "a b", "c[d]", "e::f", Odd(), b"\\x80\\xff", "\\u00e4\\n"])
def test_ids(x):
    assert lib.sign(len(str(x)))


LATER = lib.numbers(3)


def test_generator_begins():
    assert next(LATER) == 0


def test_generator_goes_on():
    assert [*LATER][-3:] == [1, 2, -1]


def test_thread():
    assert lib.in_thread() == ["positive"]


def test_handled():
    assert lib.handled()


def test_code_of_others():
    assert lib.made_of(lib.sign.__code__)(1) == "positive"


def test_code_given():
    assert lib.given(lib.sign.__code__)(1) == "positive"


def test_one_line_each():
    assert lib.cube(2) == 8
    assert [*lib.evens(3)] == [0, 2]


def test_executed():
    assert lib.executed(1) == 1


def test_fork():
    child = os.fork()
    if not child:
        lib.prepare()
        os._exit(0)
    os.waitpid(child, 0)


if "FORKED" in os.environ:

    def test_fork_that_goes_on():
        child = os.fork()
        if child:
            os.waitpid(child, 0)


if "INTERRUPT" in os.environ:

    def test_interrupt():
        os.kill(os.getpid(), signal.SIGINT)


if "CRASH" in os.environ:

    def test_crash():
        os._exit(3)


def test_last():
    assert lib.sign(-1) == "other"
"""
# the obvious way to see which test runs which line
TWIN = """
import json
import sys
import threading

import pytest

seen = []
current = ""


def trace(frame, event, arg):
    path = frame.f_code.co_filename
    if path.rpartition("/")[2] not in ("lib.py", "test_all.py"):
        return None
    if event == "line":
        seen.append((current, path.rpartition("/")[2], frame.f_lineno))
    return trace


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    global current
    current = item.nodeid
    threading.settrace(trace)
    sys.settrace(trace)
    try:
        return (yield)
    finally:
        sys.settrace(None)
        current = ""


def pytest_sessionfinish():
    with open("twin.json", "w") as file:
        json.dump(sorted({pair for pair in seen if pair[0]}), file)
"""


def run(folder, *options, check=True, **environment):
    """Run pytest in a folder; return what it printed."""
    plugins = ("-p", "no:cacheprovider", "-p", "pytest_maxcover.plugin", "-p", "xdist")
    command = [sys.executable, "-m", "pytest", "-q", *plugins, *options]
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def git(folder, *arguments):
    name = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)  # noqa: S607


def project(folder, tests=TESTS):
    (folder / "lib.py").write_text(LIBRARY)
    (folder / "test_all.py").write_text(tests)
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    git(folder, "init", "-q")
    git(folder, "add", "lib.py", "test_all.py", "pytest.ini")
    git(folder, "commit", "-q", "-m", "one")
    return folder


def load(folder):
    return Record.load(folder / ".maxcover.npz")


def pairs_of(record, names):
    return {
        (name, path.rpartition("/")[2], line)
        for name, path, lines in record.rows.runs({*names})
        for line in lines.tolist()
    }


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = project(tmp_path_factory.mktemp("recorded"))
    # what follows is no value of the option
    said = run(folder, "--maxcover-record", "test_all.py")
    assert "20 tests that run 29 lines are in .maxcover.npz" in said
    return folder


def test_the_pairs_are_those_of_a_slow_twin(recorded):
    (recorded / "twin.py").write_text(TWIN)
    run(recorded, "-p", "twin")
    twin = {(t, f, n) for t, f, n in ast.literal_eval((recorded / "twin.json").read_text())}
    record = load(recorded)
    own = pairs_of(record, record.tests)
    fixtures = {name: pairs_of(record, [name]) for name in record.fixtures}
    shared = {
        (test, *place)
        for test, names in record.uses.items()
        for name in names
        for _, *place in fixtures[name]
    }
    # the twin gives the lines of a fixture to the tests that came first and last
    assert own <= twin
    assert {tuple(place) for _, *place in twin - own} <= {
        tuple(place) for pairs in fixtures.values() for _, *place in pairs
    }
    assert len(fixtures) == 3
    plain = {*record.tests} - {*record.uses, "test_all.py::test_last"}
    assert {pair for pair in own if pair[0] in plain} == {p for p in twin if p[0] in plain}
    # and whoever uses it has them here
    prepared = {line for _, _, line in fixtures[next(n for n in fixtures if "session_value" in n)]}
    for test in ("test_all.py::test_shared[2]", "test_all.py::test_shared_too"):
        assert prepared <= {line for name, _, line in own | shared if name == test}
    # a child process, and lines of test files
    counted = record.suite()
    assert counted.files[counted.file_of[0]] == "lib.py"
    assert set(counted.file_of.tolist()) == {0}


def test_workers_record_the_same(recorded, tmp_path):
    run(recorded, "--maxcover-record", "-n", "2", f"--maxcover-file={tmp_path / 'two.npz'}")
    alone, spread = load(recorded), Record.load(tmp_path / "two.npz")
    assert spread.tests == alone.tests
    assert spread.uses == alone.uses
    assert pairs_of(spread, spread.tests) == pairs_of(alone, alone.tests)
    assert pairs_of(spread, spread.fixtures) == pairs_of(alone, alone.fixtures)


@pytest.mark.parametrize("accident", ["INTERRUPT", "CRASH"])
def test_what_ends_early_leaves_the_file_as_it_was(recorded, tmp_path, accident):
    path = tmp_path / "record.npz"
    options = ("--maxcover-record", f"--maxcover-file={path}")
    said = run(recorded, *options, check=False, **{accident: "1"})
    assert "Traceback" not in said
    assert not [*tmp_path.iterdir()]
    path.write_bytes((recorded / ".maxcover.npz").read_bytes())
    run(recorded, *options, check=False, **{accident: "1"})
    assert path.read_bytes() == (recorded / ".maxcover.npz").read_bytes()
    assert [*tmp_path.iterdir()] == [path]


def test_a_worker_that_crashes_loses_one_test(recorded, tmp_path):
    path = tmp_path / "record.npz"
    options = ("--maxcover-record", f"--maxcover-file={path}", "-n", "2")
    said = run(recorded, *options, check=False, CRASH="1")
    assert "crashed" in said
    assert Record.load(path).tests == load(recorded).tests


def test_a_child_that_goes_on_writes_nothing(recorded, tmp_path):
    path = tmp_path / "record.npz"
    run(recorded, "--maxcover-record", f"--maxcover-file={path}", check=False, FORKED="1")
    assert {*Record.load(path).tests} >= {*load(recorded).tests}


def test_a_damaged_record_is_refused(recorded, tmp_path):
    whole = (recorded / ".maxcover.npz").read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], b"something else"):
        (tmp_path / "record.npz").write_bytes(damaged)
        said = run(
            recorded, "--maxcover=1s", f"--maxcover-file={tmp_path / 'record.npz'}", check=False
        )
        assert "expected what pytest --maxcover-record writes in 'record.npz'" in said
    assert "write pytest --maxcover-record first" in run(
        recorded, "--maxcover=1s", "--maxcover-file=absent", check=False
    )


def ran(said):
    """Return the tests that ran, in order, from what ``pytest -v`` printed."""
    return re.findall(r"^test_all\.py::(.*?) (?:PASSED|FAILED)", said, re.MULTILINE)


SLOW = """
import time

import lib
import pytest


@pytest.fixture(scope="module")
def slow():
    time.sleep(1.5)


@pytest.mark.parametrize("k", range(4))
def test_slow(slow, k):
    assert lib.handled()


def test_sign():
    time.sleep(0.2)
    assert lib.sign(1)


def test_both():
    time.sleep(0.2)
    assert lib.sign(1) and lib.sign(0)


def test_prepare():
    time.sleep(0.2)
    assert lib.prepare() == 3
"""


@pytest.fixture(scope="module")
def timed(tmp_path_factory):
    folder = project(tmp_path_factory.mktemp("timed"), SLOW)
    run(folder, "--maxcover-record")
    return folder


def copied(folder, to):
    for path in folder.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            (to / path.relative_to(folder)).parent.mkdir(parents=True, exist_ok=True)
            (to / path.relative_to(folder)).write_bytes(path.read_bytes())
    return to


def test_a_shared_fixture_is_paid_once(timed):
    record = load(timed)
    (fixture,) = record.fixtures
    assert record.seconds[fixture][0] == pytest.approx(1.5, abs=0.3)
    assert max(record.seconds["test_all.py::test_slow[0]"]) < 1.0
    assert record.uses == {f"test_all.py::test_slow[{k}]": [fixture] for k in range(4)}


def test_the_best_run_first_within_the_time(timed):
    said = run(timed, "-vv", "--maxcover=50% of the time")
    # test_sign adds nothing to test_both, and the fixture takes more than there is
    assert {*ran(said)[:2]} == {"test_both", "test_prepare"}
    assert "Left out" in said
    assert "no selection within" in said
    assert not any(test.startswith("test_slow") for test in ran(said))


def test_a_share_of_the_lines_for_the_least_time(timed):
    assert {*ran(run(timed, "-vv", "--maxcover=55%"))} == {"test_both", "test_prepare"}


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_everything_fits_everything_runs(timed, workers):
    said = run(timed, "--maxcover=1h", *workers)
    assert "7 passed" in said
    assert "Everything fits: all tests run." in said


def test_workers_share_the_time(timed):
    said = run(timed, "--maxcover=50% of the time", "-n", "2")
    assert "maxcover: " in said
    assert "Left out" in said


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_plan_says_the_time_until_the_tests_begin(timed, workers):
    said = run(timed, "--maxcover=50% of the time", *workers)
    assert re.search(r"planned to take \d.*? after \d.*? of collecting, run", said)
    assert re.search(r"It took \d.*? with the time to collect", said)


def test_new_renamed_failed_and_changed_tests_run(timed, tmp_path):
    folder = copied(timed, tmp_path)
    tests = (folder / "test_all.py").read_text()
    tests = tests.replace("def test_sign", "def test_renamed").replace("== 3", "== 4")
    (folder / "test_all.py").write_text(tests)
    # one line longer before, and one line that test_both alone runs
    library = LIBRARY.replace("import threading", "import threading\nimport os")
    (folder / "lib.py").write_text(library.replace('return "other"', 'return "another"'))
    said = run(folder, "-vv", "--maxcover=1ms", "--maxcover-since=HEAD", check=False)
    # test_prepare's own line has changed; test_slow runs the changed line too, and does not fit
    assert "test_renamed" in ran(said)
    assert "1 new or not recorded" in said
    assert "6 run changed lines" in said
    run(folder, "--maxcover-record", "-k", "prepare", check=False)
    said = run(folder, "-vv", "--maxcover=1ms", check=False)
    assert ran(said) == ["test_renamed", "test_prepare"]
    assert "1 failed last time" in said


def test_only_what_changed_is_recorded_again(timed, tmp_path):
    folder = copied(timed, tmp_path)
    (folder / ".maxcover.npz").unlink()
    run(folder, "--maxcover-record")
    before = load(folder)
    assert "7 deselected" in run(folder, "--maxcover-record-changed")
    library = LIBRARY.replace("    total = 0", "    # more\n    total = 0 + 0")
    (folder / "lib.py").write_text(library)
    said = run(folder, "-vv", "--maxcover-record-changed")
    assert ran(said) == ["test_prepare"]
    after = load(folder)
    assert after.tests == before.tests
    assert len(after.seconds["test_all.py::test_prepare"]) == 2
    assert len(after.seconds["test_all.py::test_sign"]) == 1
    said = run(folder, "--maxcover-record-changed")
    assert "Nothing changed that a test runs." in said
    assert "no test ran, so nothing was recorded" in said
    said = run(folder, "--maxcover=9s", "-k", "no_such_test", check=False)
    assert "There are no tests to choose from" in said
    # lines of the others have moved with the file
    (folder / ".maxcover.npz").unlink()
    run(folder, "--maxcover-record")
    fresh = load(folder)
    assert pairs_of(after, after.tests) == pairs_of(fresh, fresh.tests)


def test_collecting_may_take_the_whole_budget(timed, tmp_path):
    folder = copied(timed, tmp_path / "project")
    (tmp_path / "slow.py").write_text(
        "import time\n\ndef pytest_collection():\n    time.sleep(1.2)\n"
    )
    options = ("-vv", "-p", "slow", "--maxcover=1s")
    said = run(folder, *options, check=False, PYTHONPATH=str(tmp_path))
    assert not ran(said)
    smallest = re.search(r"No test fits .* write at least --maxcover=(\S+)s\.", said)
    assert 1.2 < float(smallest[1]) < 30
    library = LIBRARY.replace("    total = 0", "    total = 0 + 0")
    (folder / "lib.py").write_text(library)
    options += ("--maxcover-since=HEAD",)
    assert ran(run(folder, *options, PYTHONPATH=str(tmp_path))) == ["test_prepare"]


def test_a_revision_alone_is_honoured_and_a_shadow_of_nothing_refused(timed, tmp_path):
    folder = copied(timed, tmp_path)
    assert "Nothing changed that a test runs." in run(folder, "--maxcover-since=HEAD")
    (folder / "lib.py").write_text(LIBRARY.replace("    total = 0", "    total = 0 + 0"))
    assert ran(run(folder, "-vv", "--maxcover-since=HEAD")) == ["test_prepare"]
    said = run(folder, "--maxcover-shadow", check=False)
    assert "expected --maxcover or --maxcover-since with --maxcover-shadow" in said


SKIPPED = """
import lib
import pytest


@pytest.mark.skip(reason="later")
def test_later():
    assert lib.sign(1)


def test_sign():
    assert lib.sign(1)
"""


def test_a_skipped_test_is_known_until_its_mark_changes(tmp_path):
    folder = project(tmp_path, SKIPPED)
    run(folder, "--maxcover-record")
    assert load(folder).skipped == ["test_all.py::test_later"]
    assert "Nothing changed that a test runs." in run(folder, "--maxcover-record-changed")
    said = run(folder, "--maxcover=1min")
    assert "1 skipped last time" in said
    assert "new or not recorded" not in said
    without = SKIPPED.replace('@pytest.mark.skip(reason="later")\n', "")
    (folder / "test_all.py").write_text(without)
    assert ran(run(folder, "-vv", "--maxcover-record-changed")) == ["test_later"]
    assert load(folder).skipped == []


def test_durations_come_from_runs_without_a_tracer(timed, tmp_path):
    folder = copied(timed, tmp_path)
    (folder / ".maxcover.npz").unlink()
    run(folder, "--maxcover-record")
    record = load(folder)
    assert bool(record.traced) == (sys.version_info < (3, 12))
    run(folder, "--maxcover=1h")
    again = load(folder)
    assert again.traced == []
    assert {len(found) for found in again.seconds.values()} == {1}
    assert (again.seconds != record.seconds) == bool(record.traced)
    slow = again.timed({"test_all.py::test_sign": [9.0]}, ["test_all.py::test_sign"])
    assert slow.seconds == again.seconds


def test_nothing_is_loaded_unless_asked(tmp_path):
    (tmp_path / "test_one.py").write_text(
        "import sys\n\ndef test_one():\n"
        "    assert 'pytest_maxcover.plugin' in sys.modules\n"
        "    assert not {'numpy', 'maxcover'} & {*sys.modules}\n"
    )
    run(tmp_path)


# before, there is no sys.monitoring
if sys.version_info >= (3, 12):

    def test_beside_another_tool(recorded, tmp_path):
        """The second number is taken if somebody has the first; with neither it is said."""
        (tmp_path / "taker.py").write_text(
            "import os, sys\n"
            "def pytest_load_initial_conftests():\n"
            "    for tool in map(int, os.environ['TAKEN'].split()):\n"
            "        sys.monitoring.use_tool_id(tool, 'other')\n"
        )
        path = f"{tmp_path / 'record.npz'}"
        options = ("-p", "taker", "--maxcover-record", f"--maxcover-file={path}")
        environment = {"PYTHONPATH": str(tmp_path)}
        run(recorded, *options, **environment, TAKEN="4")
        assert pairs_of(Record.load(Path(path)), load(recorded).tests) == pairs_of(
            load(recorded), load(recorded).tests
        )
        said = run(recorded, *options, check=False, **environment, TAKEN="4 3")
        assert "expected a free tool of sys.monitoring" in said
