"""Shadow mode: all tests run, and a history keeps which failures the plan would have found."""

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
    """A run of all tests: the tests that newly failed, and which of them the plan had chosen.

    `revision` is the git revision of the files; empty if the files differed from it.
    """

    revision: str
    failed: list[str]
    chosen: list[str]


def note(path: Path, run: ShadowRun) -> None:
    """Append a run to the history file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(run) + "\n")


def history(path: Path) -> list[ShadowRun]:
    """Read the runs from the history file; incomplete lines are skipped."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            found.append(ShadowRun(*json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found


def verdict(run: ShadowRun, runs: Iterable[ShadowRun]) -> str:
    """Return "" for a run without new failures, else "found", "missed" or "cannot tell".

    A failure counts only if it occurred in every run of the same revision.
    """
    same = [other for other in runs if run.revision and other.revision == run.revision]
    stable = {test for test in run.failed if all(test in other.failed for other in same)}
    if not run.failed:
        return ""
    if not stable:
        return "cannot tell"
    return "missed" if stable.isdisjoint(run.chosen) else "found"


def interval(found: int, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % confidence interval for the share `found` / `of`.

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
    """Return a text on which new failures the plans would have found, over all runs.

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
