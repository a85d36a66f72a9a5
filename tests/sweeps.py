"""Sweeps: long series of numbered cases, of which an ordinary run takes a tenth.

The commit chooses the tenth, so that it is the same on every worker and machine, and the next
commit takes another one. ``MAXCOVER_SWEEP=1`` runs all of them, as the scheduled workflow does.
A failing test names the number of its case, which is enough to run it again.
"""

import os
import random
import subprocess
from functools import cache
from pathlib import Path

WHOLE = os.environ.get("MAXCOVER_SWEEP") == "1"


@cache
def commit() -> str:
    """Return the hash of the commit; outside a repository, the same word each time."""
    asked = subprocess.run(
        ["git", "rev-parse", "HEAD"],  # noqa: S607 - whichever git the user has
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return asked.stdout.strip() or "no commit"


def size(n: int) -> int:
    """Return how many of `n` cases are run: a tenth, rounded up, or all."""
    return n if WHOLE else -(-n // 10)


def cases(n: int) -> list[int]:
    """Return the numbers of the cases that are run, ascending: a tenth of ``range(n)``, or all."""
    return sorted(random.Random(f"{commit()} {n}").sample(range(n), size(n)))


def is_taken(name: str) -> bool:
    """Say whether something with a name is run: one in ten is, or all are."""
    return WHOLE or random.Random(f"{commit()} {name}").random() < 0.1
