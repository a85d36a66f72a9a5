"""Plant bugs in a copy of the installed package, and see that the tests of CI catch each of them.

``python scripts/planted.py [name ...]``: needs an installation that is not editable. A sweep is run
as CI runs it, a tenth.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import maxcover

ROOT = Path(__file__).parents[1]
#: name -> file, what it says, what the bug says, and the tests that must fail
BUGS = {
    "bound": (
        "core/solution.py",
        "upper_bound=best.value,",
        "upper_bound=0.9 * best.value + 0.1 * value,",
        ["tests/core/test_judge.py"],
    ),
    "span": (
        "summary/contributions.py",
        "                end=end,",
        "                end=end - 1,",
        ["tests/summary/test_summarize.py"],
    ),
    "budget": (
        "core/ticks.py",
        "limit = _multiples(spendable, unit)",
        "limit = _multiples(spendable, unit) + 1",
        ["tests/core/test_judge.py"],
    ),
    "forged file": (
        "core/io.py",
        '"status": "unverified"',
        '"status": values["status"]',
        ["tests/core/test_attacks.py"],
    ),
    "lost row": (
        "batch/run_directory.py",
        "        writer.write(batch)",
        "        writer.write(batch.slice(1))",
        ["tests/batch/test_local.py"],
    ),
}


def plant(folder: Path, file: str, right: str, wrong: str) -> None:
    """Copy the package and put one mistake into it."""
    shutil.copytree(Path(maxcover.__file__).parent, folder / "maxcover")
    path = folder / "maxcover" / file
    text = path.read_text(encoding="utf-8")
    if text.count(right) != 1:
        raise SystemExit(f"expected {right!r} once in {file}, got it {text.count(right)} times")
    path.write_text(text.replace(right, wrong), encoding="utf-8")


def is_caught(folder: Path, tests: list[str]) -> bool:
    """Run tests on the copy; tell whether one of them fails."""
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
    return done.returncode == 1


def main(names: list[str]) -> None:
    """Plant the bugs one by one."""
    missed = []
    for name in names or BUGS:
        *patch, tests = BUGS[name]
        with tempfile.TemporaryDirectory() as folder:
            plant(Path(folder), *patch)
            caught = is_caught(Path(folder), tests)
        print(f"=== {name}: {'caught' if caught else 'MISSED'}", flush=True)
        missed += [] if caught else [name]
    if missed:
        raise SystemExit(f"not caught: {', '.join(missed)}")


if __name__ == "__main__":
    main(sys.argv[1:])
