"""What a new process imports: nothing that takes long and is not needed."""

import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
# what took a tenth of a second or more, and came with a function that looks harmless
HEAVY = {"numpy.ma", "pydantic", "scipy"}
CALL = "from maxcover.cli.app import call; call"
PROBLEM = (
    "import maxcover as mc; problem = mc.generate.biregular(100, 300, 9, 3, budget=100, seed=0)"
)


def loaded(code: str, given: str = "") -> set[str]:
    """Return the heavy modules that a process of its own has loaded after some code."""
    code += f"\nimport sys; print(*{HEAVY} & {{*sys.modules}}, sep='\\n', file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code], input=given, capture_output=True, text=True, check=True
    )
    return {*done.stderr.split()}


@pytest.mark.parametrize(
    "code",
    [
        f"{CALL}(['summarize', {str(README)!r}])",
        f"{CALL}(['pack', '--budget', '20', '--query', 'cats'])",
        f"{PROBLEM}; mc.solve(problem)",
        f"{PROBLEM}; mc.cover(problem, target=0.9)",
    ],
    ids=["summarize", "pack", "solve", "cover"],
)
def test_nothing_heavy_is_imported(code):
    # NumPy 1 imports numpy.ma by itself
    assert loaded(code, '"Cats purr. Dogs bark."\n"A cat sat."\n') <= loaded("import numpy")


def test_what_is_heavy_is_seen_here():
    assert "scipy" in loaded("import scipy")
