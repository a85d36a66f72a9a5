"""Certificate and budget in words that need no explanation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from maxcover.text.units import UNITS

if TYPE_CHECKING:
    from maxcover.solvers.curve import BudgetCurve
    from maxcover.summary import Summary

_SPACE = "\N{NARROW NO-BREAK SPACE}"


def certificate(summary: Summary) -> str:
    """Say how good the choice is, never more than was proven.

    Examples
    --------
    >>> from maxcover import summarize
    >>> certificate(summarize("Cats purr. Cats and dogs sleep all day.", budget=7))
    'Proven best: no other selection of whole sentences within 7 words covers more.'
    """
    if summary.status == "optimal":
        return (
            "Proven best: no other selection of whole sentences within "
            f"{amount(summary.budget, summary.unit)} covers more."
        )
    # rounded down: 99.96 is not yet 100
    share = math.floor(1000 * (1 - summary.gap)) / 1000
    return (
        f"Proven: this covers at least {percent(share)} of what the best possible "
        f"{_selection(summary.budget, summary.unit)} covers."
    )


def outlook(curve: BudgetCurve, summary: Summary) -> list[str]:
    """Say what a fifth more and a fifth less of the budget would change."""
    here = _value_at(curve, summary.budget)
    said = []
    for other in (_step(curve, summary.budget, 1.2), _step(curve, summary.budget, 0.8)):
        if other is None or here <= 0:
            continue
        change = _value_at(curve, other) / here - 1
        size = abs(other - summary.budget)
        if other > summary.budget:
            gain = f"{percent(change)} more" if change >= 0.0005 else "nothing more"
            said.append(f"{amount(size, summary.unit, 'more')} would buy {gain}.")
        else:
            loss = percent(-change) if change <= -0.0005 else "nothing"
            said.append(f"{amount(size, summary.unit, 'fewer')} would cost {loss}.")
    return said


def amount(size: float, unit: str, adjective: str = "") -> str:
    """Write a number and its unit, in the singular where it has to be.

    Examples
    --------
    >>> amount(1, "words"), amount(20, "words", "more"), amount(1.5, "cost")
    ('1 word', '20 more words', '1.5 cost')
    """
    name = unit[:-1] if size == 1 and unit in UNITS else unit
    return " ".join(part for part in (f"{size:,.10g}", adjective, name) if part)


def percent(share: float) -> str:
    """Write a share as a percentage, with one decimal where it is small or nearly all.

    Examples
    --------
    >>> percent(0.0421), percent(0.3), percent(0.992), percent(1)
    ('4.2\u202f%', '30\u202f%', '99.2\u202f%', '100\u202f%')
    """
    number = 100 * share
    digits = 0 if number in {0, 100} or 10 <= number <= 90 else 1
    return f"{number:.{digits}f}".removesuffix(".0") + f"{_SPACE}%"


def _selection(budget: float, unit: str) -> str:
    if unit in UNITS:
        return f"{budget:,.10g}-{unit[:-1]} selection"
    return f"selection within {budget:,.10g} {unit}"


def _step(curve: BudgetCurve, budget: float, factor: float) -> float | None:
    """Return the budget of the curve that is nearest to so many times this one."""
    others = [size for size in curve.budgets.tolist() if (size > budget) == (factor > 1)]
    others = [size for size in others if size != budget]
    return min(others, key=lambda size: abs(size - factor * budget), default=None)


def _value_at(curve: BudgetCurve, budget: float) -> float:
    reached = curve.values[curve.budgets <= budget]
    return float(reached[-1]) if reached.size else 0.0
