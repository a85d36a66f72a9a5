"""How the package behaves on a machine: import, first use, later use, places it cannot write to."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks._report import clock

import maxcover

IMPORT = """
import sys, time
started = time.perf_counter()
import maxcover
print(time.perf_counter() - started, 'scipy' in sys.modules, 'numpy' in sys.modules)
"""
SOLVE = """
import sys, time
import maxcover as mc
problem = mc.generate.biregular(100, 300, 9, 3, budget=100, seed=0)
solution = mc.solve(problem, method="bp-decimation", beta=3.0, mu=5.0, bound="quick")
mc.solve(problem)
print(solution.value, "scipy" in sys.modules, time.process_time())
"""


def run(code: str, **environment: str) -> list[str]:
    """Run code in a process of its own and return the words of what it printed."""
    shown = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert shown.returncode == 0, shown.stderr
    return shown.stdout.split()


@pytest.mark.clock
def test_import_is_fast_and_loads_nothing():
    seconds, *heavy = run(IMPORT)
    clock("import, s", float(seconds), most=0.3)
    assert heavy == ["False", "False"]


@pytest.mark.clock
def test_a_new_process_solves_at_once():
    """Import, a problem and its solution: nothing is compiled, and SciPy is not loaded."""
    found = [run(SOLVE) for _ in range(2)]
    assert len({value for value, *_ in found}) == 1
    assert found[0][1] == "False"
    clock("a process that solves one problem, CPU-s", min(float(s) for *_, s in found), most=0.5)


def test_works_where_nothing_can_be_written(tmp_path):
    """An installation that is read-only, and a user without a home."""
    installed = tmp_path / "installed" / "maxcover"
    source = Path(maxcover.__file__).parent
    shutil.copytree(source, installed, ignore=shutil.ignore_patterns("__pycache__"))
    # root may write anywhere, so that the places for a cache are made impossible, not forbidden
    blocked = tmp_path / "a file where a directory is expected"
    blocked.touch()
    for folder in [installed, *(path for path in installed.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()
    value, *_ = run(
        SOLVE,
        PYTHONPATH=str(installed.parent),
        PYTHONDONTWRITEBYTECODE="1",
        HOME=str(blocked),
        XDG_CACHE_HOME=str(blocked),
    )
    assert value == run(SOLVE)[0]
