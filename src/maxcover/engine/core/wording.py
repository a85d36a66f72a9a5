"""Wording: sentences about an answer, shared by all interfaces.

Page, command line, reports, notebooks and tools for agents all show the text of `certificate`.
"Proven" is only written of what was proven, together with the selections that it was proven for.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SPACE = "\N{NARROW NO-BREAK SPACE}"
UNCHECKED = "Read from a file and not checked; maxcover.verify checks it."

# Numbers of at least this size are written without decimals.
_IN_FULL = 1e6
# Units whose singular is formed by dropping the last letter.
_COUNTED = {"words", "characters", "bytes", "sentences", "tokens", "sets"}


def certificate(
    *,
    status: str,
    gap: float,
    among: str = "",
    within: str,
    beats: str,
    cheapest: bool = False,
    by: str = "",
) -> str:
    """Return a sentence that says what is proven of an answer, and among which selections.

    Parameters
    ----------
    status, gap
        Of the answer.
    among : str
        The candidates, as a sentence without its full stop; empty if everything was a candidate.
    within : str
        The selections that it was compared with, as in "that keeps the limits".
    beats : str
        What no such selection does, as in "covers more than 7". If the answer is not proven best,
        this is printed only if it contains a bound ("than").
    cheapest : bool
        Whether cost was minimised; `gap` is then the part of the cost that could be saved.
    by : str
        Solver that claims the bound, if nothing that can be checked proves it.

    Examples
    --------
    >>> chosen = {"among": "6 of 47 sentences were candidates", "within": "of them within 22 words"}
    >>> certificate(status="optimal", gap=0.0, beats="has more weight", **chosen)
    '6 of 47 sentences were candidates. Proven best: no selection of them within 22 words has more
    weight.'
    >>> certificate(status="heuristic", gap=0.0213, beats="has more weight", **chosen)
    '6 of 47 sentences were candidates. Proven: at least 97.8\u202f% of the weight of the best
    selection of them within 22 words.'
    >>> certificate(
    ...     status="heuristic", gap=0.1, within="that covers 7", beats="costs less than 9",
    ...     cheapest=True,
    ... )
    'Proven: at most 10\u202f% of the cost can be saved; no selection that covers 7 costs less
    than 9.'
    >>> certificate(status="optimal", gap=0.0, beats="covers more than 7", within="at all", by="us")
    'Best according to us: no selection at all covers more than 7.'
    """
    if status == "unverified":
        return UNCHECKED
    first = f"{among}. " if among else ""
    if status == "optimal":
        best = "cheapest" if cheapest else "best"
        said = f"{best.capitalize()} according to {by}" if by else f"Proven {best}"
        return f"{first}{said}: no selection {within} {beats}."
    proven = f"According to {by}" if by else "Proven"
    if cheapest:
        saved = percent(math.ceil(1000 * gap) / 1000)
        return (
            f"{first}{proven}: at most {saved} of the cost can be saved; no selection {within} "
            f"{beats}."
        )
    share = percent(math.floor(1000 * (1 - gap)) / 1000)
    bound = f"; none {beats}" if " than " in beats else ""
    return f"{first}{proven}: at least {share} of the weight of the best selection {within}{bound}."


def certificate_among(
    n_candidates: int,
    total: int,
    *,
    status: str,
    gap: float,
    within: str,
    by: str = "",
    chosen: int = 0,
) -> str:
    """Return the certificate of chosen sentences, with the number of candidates.

    If all candidates are chosen, it says so instead: nothing was compared.

    Examples
    --------
    >>> certificate_among(2, 2, status="optimal", gap=0.0, within="within 9 words")
    'All 2 sentences were candidates. Proven best: no selection of them within 9 words has more
    weight.'
    >>> certificate_among(3, 7, status="optimal", gap=0.0, within="within 9 words", chosen=3)
    '3 of 7 sentences were candidates. All of them are chosen: there was nothing to choose.'
    """
    verb = "was a candidate" if n_candidates == 1 else "were candidates"
    part = f"All {total:,}" if n_candidates == total > 1 else f"{n_candidates:,} of {total:,}"
    among = f"{part} {'sentence' if total == 1 else 'sentences'} {verb}"
    if chosen == n_candidates and status == "optimal":
        them = "It is" if chosen == 1 else "All of them are"
        return f"{among}. {them} chosen: there was nothing to choose."
    return certificate(
        status=status,
        gap=gap,
        among=among,
        within=f"of them {within}",
        beats="has more weight",
        by=by,
    )


def number(value: float) -> str:
    """Return a number as text: six significant digits, or all digits from one million up.

    Examples
    --------
    >>> number(102.30001), number(18_054_941.0)
    ('102.3', '18,054,941')
    """
    return f"{value:,.6g}" if not abs(value) >= _IN_FULL else f"{value:,.0f}"


def amount(number: float, unit: str, adjective: str = "") -> str:
    """Return a number and its unit as text; the unit is singular for 1.

    Examples
    --------
    >>> amount(1, "words"), amount(20, "words", "more"), amount(1.5, "cost")
    ('1 word', '20 more words', '1.5 cost')
    """
    name = unit[:-1] if number == 1 and unit in _COUNTED else unit
    return " ".join(part for part in (f"{number:,.10g}", adjective, name) if part)


def spent(cost: float, budgets: Sequence[tuple[str, float, float]]) -> str:
    """Return the cost of a selection as text, or its cost in each of several budgets.

    Examples
    --------
    >>> spent(5.0, ()), spent(5.0, [("cost", 5.0, 6.0), ("hours", 7.5, 8.0)])
    ('5', '5 of 6, hours 7.5 of 8')
    """
    if not budgets:
        return number(cost)
    parts = [
        f"{name} {number(used)}" + (f" of {number(most)}" if most < math.inf else "")
        for name, used, most in budgets
    ]
    return ", ".join(parts).removeprefix("cost ")


def all_of(number: int, unit: str, adjective: str) -> str:
    """Return a phrase such as "the required sentence" or "the 3 required sentences".

    Examples
    --------
    >>> all_of(1, "sentences", "required"), all_of(3, "sentences", "required")
    ('the required sentence', 'the 3 required sentences')
    """
    return "the " + amount(number, unit, adjective).removeprefix("1 ")


def percent(share: float) -> str:
    """Return a share as a percentage, with one decimal below 10 % and above 90 %.

    Examples
    --------
    >>> percent(0.0421), percent(0.3), percent(0.992), percent(1)
    ('4.2\u202f%', '30\u202f%', '99.2\u202f%', '100\u202f%')
    """
    number = 100 * share
    digits = 0 if number in {0, 100} or 10 <= number <= 90 else 1
    return f"{number:.{digits}f}".removesuffix(".0") + f"{SPACE}%"


def size(number: float) -> str:
    """Return a number of bytes as text, in bytes, kB, MB or GB.

    Examples
    --------
    >>> size(12), size(143_500), size(2_000_000)
    ('12 bytes', '143.5 kB', '2 MB')
    """
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= unit:
            return f"{number / unit:,.4g} {name}"
    return f"{number:,.0f} bytes"
