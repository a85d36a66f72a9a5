"""Sweeps: long series of numbered cases, of which an ordinary run takes a tenth.

The tenth is the same on every commit, worker and machine: a run that turns red was turned by the
commit it ran on. ``MAXCOVER_SWEEP=1`` runs all of them, as the scheduled workflow does; what it
finds becomes a test of its own. A failing test names the number of its case.
"""

import os
import random

WHOLE = os.environ.get("MAXCOVER_SWEEP") == "1"


def size(n: int) -> int:
    """Return how many of `n` cases are run: a tenth, rounded up, or all."""
    return n if WHOLE else -(-n // 10)


def cases(n: int) -> list[int]:
    """Return the numbers of the cases that are run, ascending: a tenth of ``range(n)``, or all."""
    return sorted(random.Random(n).sample(range(n), size(n)))


def is_taken(name: str) -> bool:
    """Say whether something with a name is run: one in ten is, or all are."""
    return WHOLE or random.Random(name).random() < 0.1
