"""Suite wording: sentences about a selection of tests, or of the files of a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxcover.engine.core import wording
from pytest_maxcover.amounts import duration, quantity

if TYPE_CHECKING:
    from collections.abc import Collection

    from pytest_maxcover.choosing import Selection


def summary(selection: Selection) -> str:
    """Return a sentence on how many tests were chosen, their costs, and what they cover."""
    suite = selection.suite
    tests, lines = suite.called
    counted = lines if bool((selection.problem.weights % 1 == 0).all()) else "weight"
    costs = [
        f"{quantity(total, name)} of {quantity(suite.total(name), name)}"
        for name, total in selection.totals.items()
        if name != tests
    ]
    parts = ", ".join([f"{len(selection.tests):,} of {len(suite.tests):,} {tests}", *costs])
    return (
        f"{parts}, cover {selection.share:.2%} of the {suite.n_lines:,} {counted} that all of them "
        "cover."
    )


def certificate(selection: Selection, *, within: str = "", share: float | None = None) -> str:
    """Return a sentence on the bound that no other selection can beat.

    For a plan, `within` names its budget and `share` is what it covers, which may be more than what
    its selection covers.
    """
    answer, gap = selection.answer, selection.answer.gap
    if answer.target is not None:
        within = f"that covers {answer.share or 0.0:.2%}"
        beats = f"takes less than {quantity(selection.bound, selection.unit)}"
    else:
        limits = [quantity(most, name) for name, most in selection.budgets.items()]
        within = within or f"within {' and '.join(limits)}"
        beats = f"covers more than {selection.bound:.2%}"
        if share is not None:
            gap = max(0.0, 1.0 - share / selection.bound) if selection.bound else 0.0
    return wording.certificate(
        status=answer.status if share is None else "heuristic" if gap else "optimal",
        gap=gap,
        within=within,
        beats=beats,
        cheapest=answer.target is not None,
        by=answer.witness,
    )


def notes(selection: Selection) -> list[str]:
    """Return sentences on what was assumed, and on tests that cover nothing."""
    found = []
    if outside := selection.suite.outside:
        found.append(
            f"the recorded run took {duration(outside)} outside of any test, mostly to collect "
            "them; that comes on top, or less where whole files are left out"
        )
    if missing := selection.suite.missing:
        found.append(f"{len(missing)} tests have no duration; median assumed: {few(missing)}")
    if filled := len(selection.filled):
        found.append(
            "everything fits"
            if len(selection.tests) == len(selection.suite.tests)
            else f"{filled:,} of the tests add no line and fill the time that was left"
        )
    if empty := selection.suite.empty_tests():
        found.append(f"{len(empty)} {selection.suite.called[0]} cover nothing: {few(empty)}")
    return found


def few(names: Collection[str]) -> str:
    """Return the first five of the names, and how many more there are."""
    more = f", and {len(names) - 5:,} more" if len(names) > 5 else ""
    return ", ".join([*names][:5]) + more
