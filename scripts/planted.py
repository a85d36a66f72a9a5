"""Plant bugs in a copy of the installed package, and see that the tests of CI catch each of them.

``python scripts/planted.py [name ...]``: needs an installation that is not editable. A sweep is run
as CI runs it, a tenth. Before that the same tests have to pass without a bug.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import maxcover
import maxcover_scale

ROOT = Path(__file__).parents[1]
#: name -> file, what it says, what the bug says, and the tests that must fail
BUGS = {
    "bound": (
        "maxcover/engine/core/solution.py",
        "upper_bound=best.value,",
        "upper_bound=0.9 * best.value + 0.1 * value,",
        ["tests/engine/core/test_judge.py"],
    ),
    "span": (
        "maxcover/texts/summary/contributions.py",
        "                end=end,",
        "                end=end - 1,",
        ["tests/texts/summary/test_summarize.py"],
    ),
    "budget": (
        "maxcover/engine/core/ticks.py",
        "limit = _multiples(spendable, unit)",
        "limit = _multiples(spendable, unit) + 1",
        ["tests/engine/core/test_judge.py"],
    ),
    "forged file": (
        "maxcover/engine/core/io.py",
        '"status": "unverified"',
        '"status": values["status"]',
        ["tests/engine/core/test_attacks.py"],
    ),
    "lost row": (
        "maxcover_scale/batch/run_directory.py",
        "    tables = split(batch)",
        "    tables = split(batch.slice(1))",
        ["packages/maxcover-scale/tests/test_local.py"],
    ),
}


def plant(folder: Path, file: str, right: str, wrong: str) -> None:
    """Put one mistake into a copy of the packages."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    if text.count(right) != 1:
        raise SystemExit(f"expected {right!r} once in {file}, got it {text.count(right)} times")
    path.write_text(text.replace(right, wrong), encoding="utf-8")


def fails(tests: list[str], *patch: str) -> bool:
    """Run tests on a copy of the packages; tell whether one of them fails."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for package in (maxcover, maxcover_scale):
            shutil.copytree(Path(package.__file__).parent, folder / package.__name__)
        if patch:
            plant(folder, *patch)
        return _fails(folder, tests)


def _fails(folder: Path, tests: list[str]) -> bool:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    where = [sys.executable, "-c", "import maxcover; print(maxcover.__file__)"]
    used = subprocess.run(where, env=environment, capture_output=True, text=True, check=True).stdout
    if not used.startswith(str(folder)):
        raise SystemExit(f"expected an installation that is not editable, got {used.strip()}")
    command = [sys.executable, "-m", "pytest", "--all", "-q", "-x", "--no-header", *tests]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    print(*done.stdout.strip().splitlines()[-2:], sep="\n")
    if done.returncode not in (0, 1):
        raise SystemExit(f"expected tests that pass or fail, got code {done.returncode}")
    return done.returncode == 1


def main(names: list[str]) -> None:
    """Plant the bugs one by one."""
    chosen = {name: BUGS[name] for name in names or BUGS}
    if fails(sorted({test for *_, tests in chosen.values() for test in tests})):
        raise SystemExit("expected tests that pass without a bug, got a failure")
    missed = []
    for name, (*patch, tests) in chosen.items():
        caught = fails(tests, *patch)
        print(f"=== {name}: {'caught' if caught else 'MISSED'}", flush=True)
        missed += [] if caught else [name]
    if missed:
        raise SystemExit(f"not caught: {', '.join(missed)}")


if __name__ == "__main__":
    main(sys.argv[1:])
