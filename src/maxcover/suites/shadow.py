"""Shadow mode: all tests run, and it is noted what the chosen ones would have found."""

from __future__ import annotations

import json
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# Quantile of the normal distribution for an interval of 95 %.
QUANTILE = 1.959964


class ShadowRun(NamedTuple):
    """A run of all tests: which failed that had not failed before, and which of them were chosen.

    `revision` is the git revision of the files; empty if they differed from it.
    """

    revision: str
    failed: list[str]
    chosen: list[str]


def note(path: Path, run: ShadowRun) -> None:
    """Add a run to the history."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(run) + "\n")


def history(path: Path) -> list[ShadowRun]:
    """Read the runs; a line that was not written to its end is left out."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            found.append(ShadowRun(*json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found


def verdict(run: ShadowRun, runs: Iterable[ShadowRun]) -> str:
    """Return "" for a run without new failures, else "found", "missed" or "cannot tell".

    A failure that another run of the same revision does not have says nothing about the revision.
    """
    same = [other for other in runs if run.revision and other.revision == run.revision]
    stable = {test for test in run.failed if all(test in other.failed for other in same)}
    if not run.failed:
        return ""
    if not stable:
        return "cannot tell"
    return "missed" if stable.isdisjoint(run.chosen) else "found"


def interval(found: int, of: int) -> tuple[float, float]:
    """Return Wilson's interval of 95 % for a share.

    Examples
    --------
    >>> tuple(round(end, 3) for end in interval(10, 11))
    (0.623, 0.984)
    """
    share, spread = found / of, QUANTILE**2 / of
    middle = (share + spread / 2) / (1 + spread)
    half = QUANTILE / (1 + spread) * sqrt(share * (1 - share) / of + spread / (4 * of))
    return max(0.0, middle - half), min(1.0, middle + half)


def report(runs: list[ShadowRun]) -> str:
    """Say what the selection would have found, over all runs.

    Examples
    --------
    >>> runs = [ShadowRun("a", ["t"], ["t"]), ShadowRun("b", ["u"], []), ShadowRun("c", [], [])]
    >>> report(runs)
    'Of 3 runs 2 had new failures: the chosen tests would have found 1 and missed 1, and 0 cannot \
be told. They find 50 % of such runs (95 % interval 9 to 91 %).'
    """
    kinds = [verdict(run, runs) for run in runs]
    found, missed = kinds.count("found"), kinds.count("missed")
    said = (
        f"Of {len(runs):,} runs {len(runs) - kinds.count(''):,} had new failures: the chosen tests "
        f"would have found {found:,} and missed {missed:,}, and {kinds.count('cannot tell'):,} "
        "cannot be told."
    )
    if found + missed:
        low, high = interval(found, found + missed)
        said += (
            f" They find {100 * found / (found + missed):.0f} % of such runs "
            f"(95 % interval {100 * low:.0f} to {100 * high:.0f} %)."
        )
    return said
