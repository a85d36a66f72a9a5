"""A small suite, really run under coverage.py by pytest."""

import subprocess
import sys

import pytest

LIBRARY = """
def f(x):
    if x > 0:
        return "positive"
    return "other"


def g(x):
    y = f(x)
    return y.upper()


def h():
    total = 0
    for i in range(3):
        total += i
    return total
"""
UNIT = """
import lib
import pytest


@pytest.fixture
def prepared():
    yield lib.f(-1)
    lib.h()


def test_f():
    assert lib.f(1)


def test_g():
    assert lib.g(1)


def test_with_fixture(prepared):
    assert prepared


@pytest.mark.parametrize("x", [1, "a::b"])
def test_h(x):
    assert lib.h() == 3


def test_nothing():
    pass
"""
SLOW = """
import time

import lib


class TestAll:
    def test_everything(self):
        time.sleep(0.3)
        assert lib.g(1) and lib.g(-1) and lib.h()
"""


def record(folder, *options):
    """Run the suite in a folder under coverage."""
    (folder / "lib.py").write_text(LIBRARY)
    for name, text in {"unit/test_lib.py": UNIT, "slow/test_all.py": SLOW}.items():
        path = folder / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--cov=lib"),
        *("--cov-context=test", "--cov-report=", "--junitxml=report.xml", *options),
    ]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def recorded(tmp_path_factory):
    return record(tmp_path_factory.mktemp("suite"))


@pytest.fixture(scope="session")
def with_branches(tmp_path_factory):
    return record(tmp_path_factory.mktemp("branches"), "--cov-branch")
