"""Plant bugs in a copy of the installed packages, and see that the tests of CI catch each of them.

``python scripts/planted.py [name ...]``: needs installations that are not editable. A sweep is run
as CI runs it, a tenth. Before that the same tests have to pass without a bug. ``planted.toml`` has
the bugs: a file, what it says, what the bug says, and the tests that must fail.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import maxcover
import maxcover_scale
import maxcover_serve
import pytest_maxcover

ROOT = Path(__file__).parents[1]
PACKAGES = (maxcover, maxcover_scale, maxcover_serve, pytest_maxcover)
BUGS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def copied(folder: Path) -> None:
    """Copy the packages, and see that Python takes the copy."""
    for package in PACKAGES:
        home = Path(package.__file__).parent
        # without compiled files: a bug planted in the second of the copy would look unchanged
        left = shutil.ignore_patterns("__pycache__")
        shutil.copytree(home, folder / package.__name__, ignore=left)
    where = [sys.executable, "-c", "import maxcover; print(maxcover.__file__)"]
    used = subprocess.run(where, env=_shown(folder), capture_output=True, text=True, check=True)
    if not used.stdout.startswith(str(folder)):
        raise SystemExit(f"expected an installation that is not editable, got {used.stdout}")


def fails(folder: Path, tests: list[str]) -> bool:
    """Run tests on the copy; tell whether one of them fails."""
    command = [sys.executable, "-m", "pytest", "--all", "-q", "-x", "--no-header", *tests]
    done = subprocess.run(
        command, cwd=ROOT, env=_shown(folder), capture_output=True, text=True, check=False
    )
    print(*done.stdout.strip().splitlines()[-2:], sep="\n")
    if done.returncode not in (0, 1):
        raise SystemExit(f"expected tests that pass or fail, got code {done.returncode}")
    return done.returncode == 1


def _shown(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}


def is_caught(folder: Path, bug: dict[str, str | list[str]]) -> bool:
    """Plant one bug, run its tests, and take it out again."""
    path = folder / bug["file"]
    text = path.read_text(encoding="utf-8")
    if text.count(bug["right"]) != 1:
        times = text.count(bug["right"])
        raise SystemExit(f"expected {bug['right']!r} once in {bug['file']}, got it {times} times")
    path.write_text(text.replace(bug["right"], bug["wrong"]), encoding="utf-8")
    try:
        return fails(folder, bug["tests"])
    finally:
        path.write_text(text, encoding="utf-8")


def main(names: list[str]) -> None:
    """Plant the bugs one by one."""
    chosen = {name: BUGS[name] for name in names or BUGS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copied(folder)
        if fails(folder, sorted({test for bug in chosen.values() for test in bug["tests"]})):
            raise SystemExit("expected tests that pass without a bug, got a failure")
        missed = []
        for bug, row in chosen.items():
            caught = is_caught(folder, row)
            print(f"=== {bug}: {'caught' if caught else 'MISSED'}", flush=True)
            missed += [] if caught else [bug]
    print(f"{len(chosen) - len(missed)} of {len(chosen)} planted bugs caught")
    if missed:
        raise SystemExit(f"not caught: {', '.join(missed)}")


if __name__ == "__main__":
    main(sys.argv[1:])
