"""Summary wording: what is said about a summary besides its certificate.

Reports, the command line and the page say the same in the same words.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from maxcover.core.wording import amount, percent

if TYPE_CHECKING:
    from maxcover.solvers.curve import BudgetCurve
    from maxcover.summary.summary import Summary

#: Terms that a report explains, in the order in which a reader meets them.
GLOSSARY: dict[str, str] = {
    "content word": "a word that is no stop word of the language",
    "covered": "said by a sentence of the summary",
    "weight": (
        "what a word or pair of words counts: by how many sentences and documents use it, a pair "
        "four times, stop words a quarter, what is said early more; and for a sentence itself, "
        "if it stands early or reads by itself"
    ),
    "proven": "no selection of the candidates has more weight within the budget",
    "candidate": (
        "a sentence that may be chosen for this budget: it reads by itself, and an editor is "
        "likely to keep it"
    ),
}


def size(summary: Summary) -> str:
    """Describe the size of a summary, and how many sentences it was chosen from.

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
    """Describe which share of the content words of the documents the summary uses."""
    # Round down, so that 99.96 % is not shown as 100 %.
    share = math.floor(1000 * summary.coverage) / 1000
    all_of = "the sentences that say something new" if summary.corpus.n_known else "the sources"
    return f"{percent(share)} of the content words in {all_of} (with repeats) are in the summary."


def share_of_weight(cost: float, unit: str, value: float, total: float) -> str:
    """Describe the size of a selection, and its share of the total weight.

    Examples
    --------
    >>> share_of_weight(8, "words", 3, 10)
    '8 words with 30\u202f% of the weight of all sentences together.'
    """
    share = percent(value / total if total > 0 else 0.0)
    return f"{amount(cost, unit)} with {share} of the weight of all sentences together."


def left_out(summary: Summary) -> str:
    """List the heaviest phrases that the summary leaves out; "" if it leaves out nothing."""
    phrases = summary.left_out
    return f"Left out, heaviest first: {', '.join(phrases)}." if phrases else ""


def verdict(summary: Summary) -> str:
    """Describe size, coverage and certificate in three sentences."""
    return f"{size(summary)}. {coverage(summary)} {summary.certificate}"


def outlook(curve: BudgetCurve, summary: Summary) -> list[str]:
    """Describe what a budget about 20 % larger, and one 20 % smaller, would change."""
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


def _step(curve: BudgetCurve, budget: float, factor: float) -> float | None:
    """Return the budget of the curve nearest to `factor` times `budget`, on the same side of it."""
    others = [size for size in curve.budgets.tolist() if (size > budget) == (factor > 1)]
    others = [size for size in others if size != budget]
    return min(others, key=lambda size: abs(size - factor * budget), default=None)


def _value_at(curve: BudgetCurve, budget: float) -> float:
    reached = curve.values[curve.budgets <= budget]
    return float(reached[-1]) if reached.size else 0.0
