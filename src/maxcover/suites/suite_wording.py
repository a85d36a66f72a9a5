"""What is said about a selection of tests, or of the files of a corpus."""

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


def size(number: float) -> str:
    """Return a number of bytes as people write it.

    Examples
    --------
    >>> size(12), size(143_500), size(2_000_000)
    ('12 bytes', '143.5 kB', '2 MB')
    """
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= unit:
            return f"{number / unit:,.4g} {name}"
    return f"{number:,.0f} bytes"


def quantity(number: float, unit: str) -> str:
    """Write what something costs."""
    words = {"seconds": duration, "bytes": size}
    return words[unit](number) if unit in words else f"{number:,.10g} {unit}"


def summary(selection: Selection) -> str:
    """Say what was chosen and what it covers."""
    suite = selection.suite
    tests, lines = suite.called
    counted = lines if bool((selection.problem.weights % 1 == 0).all()) else "weight"
    costs = [
        f"{quantity(total, name)} of {quantity(float(selection.costs[name].sum()), name)}"
        for name, total in selection.totals.items()
        if name != tests
    ]
    parts = ", ".join([f"{len(selection.tests):,} of {len(suite.tests):,} {tests}", *costs])
    return (
        f"{parts}, cover {selection.share:.2%} of the {suite.n_lines:,} {counted} that all of them "
        "cover."
    )


def certificate(selection: Selection) -> str:
    """Say what no other selection can do."""
    answer = selection.answer
    if answer.target is not None:
        within = f"that covers {answer.share or 0.0:.2%}"
        beats = f"takes less than {quantity(selection.bound, selection.unit)}"
    else:
        limits = [quantity(most, name) for name, most in selection.budgets.items()]
        within = f"within {' and '.join(limits)}"
        beats = f"covers more than {selection.bound:.2%}"
    return wording.certificate(
        status=answer.status,
        gap=answer.gap,
        within=within,
        beats=beats,
        cheapest=answer.target is not None,
        by=answer.witness,
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
    if filled := len(selection.filled):
        found.append(
            "everything fits"
            if len(selection.tests) == len(selection.suite.tests)
            else f"{filled:,} of the tests add no line and fill the time that was left"
        )
    if empty := selection.without_coverage:
        found.append(f"{len(empty)} {selection.suite.called[0]} cover nothing: {_few(empty)}")
    return found


def _few(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
