"""Wording: what is said about a summary, every sentence of it in one place.

Reports, the command line and the page say the same in the same words. "Proven" is said of what
`certify` proved and of nothing else.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from maxcover.text.words.units import UNITS

if TYPE_CHECKING:
    from maxcover.solvers.curve import BudgetCurve
    from maxcover.summary.summary import Summary

_SPACE = "\N{NARROW NO-BREAK SPACE}"

#: The words that need saying, in the order of a first encounter.
GLOSSARY: dict[str, str] = {
    "content word": "a word that is no stop word of the language",
    "covered": "said by a sentence of the summary",
    "weight": (
        "what a word or pair of words counts: by how many sentences and documents use it, a pair "
        "four times, stop words a quarter, what is said early more; and for a sentence itself, "
        "if it stands early or reads by itself"
    ),
    "proven": "no selection of the sentences that may be chosen has more weight within the budget",
    "candidate": "a whole sentence: no stub, fragment, heading or letter frame",
}


def size(summary: Summary) -> str:
    """Say how large it is and what it was chosen from.

    Examples
    --------
    >>> from maxcover import summarize
    >>> size(summarize("Cats purr all night. Dogs bark.", budget=9))
    '6 of 9 words; 2 of 2 sentences from 1 document'
    """
    documents = f"{summary.n_documents:,} document{'s' * (summary.n_documents != 1)}"
    return (
        f"{summary.cost:,.10g} of {amount(summary.budget, summary.unit)}; "
        f"{len(summary.sentences)} of {summary.n_sentences:,} sentences from {documents}"
    )


def coverage(summary: Summary) -> str:
    """Say which part of what the documents say is in it, in words that can be counted."""
    share = math.floor(1000 * summary.coverage) / 1000  # 99.96 is not yet 100
    all_of = "the sentences that say something new" if summary.corpus.n_known else "the sources"
    return (
        f"Its words make up {percent(share)} of the content words of {all_of}, each counted as "
        "often as it occurs."
    )


def struck(summary: Summary) -> list[tuple[str, int, str]]:
    """List the rules and kinds of block that struck sentences: name, how many, and the first.

    Examples
    --------
    >>> from maxcover import summarize
    >>> struck(summarize("The harbour is closed because of a storm. Ships wait."))
    [('short', 1, 'Ships wait.')]
    """
    corpus = summary.corpus
    first: dict[str, int] = {}
    for number, rule in enumerate(corpus.struck_by):
        first.setdefault(rule, number)
    counts = Counter(filter(None, corpus.struck_by))
    return [(rule, count, corpus.texts[first[rule]]) for rule, count in counts.most_common()]


def left_out(summary: Summary) -> str:
    """Say what is not in it; empty if nothing is missing."""
    phrases = summary.left_out
    return f"Left out, heaviest first: {', '.join(phrases)}." if phrases else ""


def certificate(summary: Summary) -> str:
    """Say how good the choice is, never more than was proven.

    Examples
    --------
    >>> from maxcover import summarize
    >>> certificate(summarize("Cats purr. Cats and dogs sleep all day.", budget=6))
    'Proven best: no other selection of candidate sentences within 6 words has more weight.'
    """
    if summary.status == "optimal":
        return (
            "Proven best: no other selection of candidate sentences within "
            f"{amount(summary.budget, summary.unit)} has more weight."
        )
    share = math.floor(1000 * (1 - summary.gap)) / 1000
    return (
        f"Proven: it has at least {percent(share)} of the weight of the best possible "
        f"{_selection(summary.budget, summary.unit)}."
    )


def verdict(summary: Summary) -> str:
    """Say everything in three sentences: size, coverage, proof."""
    return f"{size(summary)}. {coverage(summary)} {certificate(summary)}"


def outlook(curve: BudgetCurve, summary: Summary) -> list[str]:
    """Say what a fifth more and a fifth less of the budget would change."""
    here = _value_at(curve, summary.budget)
    said = []
    for other in (_step(curve, summary.budget, 1.2), _step(curve, summary.budget, 0.8)):
        if other is None or here <= 0:
            continue
        change = _value_at(curve, other) / here - 1
        difference = abs(other - summary.budget)
        if other > summary.budget:
            gain = f"{percent(change)} more weight" if change >= 0.0005 else "no more weight"
            said.append(f"{amount(difference, summary.unit, 'more')} would buy {gain}.")
        else:
            loss = f"{percent(-change)} of the weight" if change <= -0.0005 else "no weight"
            said.append(f"{amount(difference, summary.unit, 'fewer')} would cost {loss}.")
    return said


def amount(number: float, unit: str, adjective: str = "") -> str:
    """Write a number and its unit, in the singular where it has to be.

    Examples
    --------
    >>> amount(1, "words"), amount(20, "words", "more"), amount(1.5, "cost")
    ('1 word', '20 more words', '1.5 cost')
    """
    name = unit[:-1] if number == 1 and unit in UNITS else unit
    return " ".join(part for part in (f"{number:,.10g}", adjective, name) if part)


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
