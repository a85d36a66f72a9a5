"""What is said about a selection of tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxcover.core import wording

if TYPE_CHECKING:
    from maxcover.suites.choosing import Selection


def duration(seconds: float) -> str:
    """Return a time as people write it.

    Examples
    --------
    >>> duration(0.1234), duration(75), duration(7500)
    ('0.123 s', '1 min 15 s', '2 h 5 min')
    """
    if seconds < 60:
        return f"{seconds:.3g} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def summary(selection: Selection) -> str:
    """Say what was chosen and what it covers."""
    suite, whole = selection.suite, float(selection.problem.costs.sum())
    counted = "lines" if bool((selection.problem.weights % 1 == 0).all()) else "weight"
    return (
        f"{len(selection.tests):,} of {len(suite.tests):,} tests, {duration(selection.seconds)} of "
        f"{duration(whole)}, cover {selection.share:.2%} of the {suite.n_lines:,} {counted} that "
        "the suite covers."
    )


def certificate(selection: Selection) -> str:
    """Say what no other selection can do."""
    answer = selection.answer
    if answer.target is not None:
        within = f"that covers {answer.share or 0.0:.2%}"
        beats = f"takes less than {duration(selection.bound)}"
    else:
        within = f"within {duration(selection.problem.budget)}"
        beats = f"covers more than {selection.bound:.2%}"
    return wording.certificate(
        status=answer.status,
        gap=answer.gap,
        within=within,
        beats=beats,
        cheapest=answer.target is not None,
    )


def notes(selection: Selection) -> list[str]:
    """Say what was assumed, and which tests are of no use here."""
    found = []
    if outside := selection.durations.outside:
        found.append(
            f"the recorded run took {duration(outside)} outside of any test, mostly to collect "
            "them; that comes on top, or less where whole files are left out"
        )
    if missing := selection.durations.missing:
        found.append(f"{len(missing)} tests have no duration; median assumed: {_few(missing)}")
    if empty := selection.without_coverage:
        found.append(f"{len(empty)} tests cover nothing: {_few(empty)}")
    return found


def _few(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
