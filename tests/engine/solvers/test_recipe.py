"""A solver that is added as CONTRIBUTING.md says is examined with the others."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "exam",
    [
        ["tests/engine/solvers/test_all.py", "-k", "toy"],
        ["tests/engine/core/test_judge.py::test_no_solution_is_wrong[0]"],
    ],
)
def test_the_toy_solver_passes_the_exam(exam):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--all",
        "-p",
        "tests.engine.solvers.toy",
        *exam,
    ]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
