"""Summary wording: a summary in lines and paragraphs, and what is said about it.

Reports, the command line and the page say the same in the same words.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from maxcover.engine.core.wording import amount, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.texts.summary.contributions import SummarySentence
    from maxcover.texts.summary.summary import Summary


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


class Cited(NamedTuple):
    """A sentence as it is printed, and its number, counted from 1."""

    number: int
    text: str


def paragraphs(summary: Summary) -> list[list[Cited]]:
    """Group sentences into paragraphs by document and label; a title is a paragraph alone.

    Examples
    --------
    >>> from maxcover import summarize
    >>> text = "Ann: The north quay is closed. Bob: Ferries wait."
    >>> paragraphs(summarize(["Cats purr all night.", "Dogs bark at cats."], budget=9))
    [[Cited(number=1, text='Cats purr all night.')], [Cited(number=2, text='Dogs bark at cats.')]]
    """
    found: list[list[Cited]] = []
    before: tuple[int, str, bool] | None = None
    for number, (sentence, line) in enumerate(
        zip(summary.sentences, summary.lines, strict=True), start=1
    ):
        if before != (sentence.document, sentence.under, True):
            found.append([])
        found[-1].append(Cited(number, " ".join(line.split())))
        continues = summary.corpus.may_continue(sentence.index, line)
        before = sentence.document, sentence.under, continues
    return found


def name_of(summary: Summary, names: Sequence[str], document: int) -> str:
    """Return the name of a document; "Document 1" and so on if it has none."""
    names = names or summary.names
    return names[document] if names and names[document] else f"Document {document + 1}"


def place_of(summary: Summary, names: Sequence[str], sentence: SummarySentence) -> str:
    """Return the document and the page or line of a sentence, as a person would look it up."""
    place = f"page {sentence.page}" if sentence.page else f"line {sentence.line}"
    return f"{name_of(summary, names, sentence.document)}, {place}"


def named_lines(summary: Summary, names: Sequence[str]) -> list[str]:
    """Return the lines of a summary, with document names in front if there are several."""
    lines = list(summary.lines)
    if summary.n_documents == 1 or not (names or summary.names):
        return [summary.text] if summary.n_documents == 1 else lines
    called = [name_of(summary, names, sentence.document) for sentence in summary.sentences]
    return [f"{name}: {line}" for name, line in zip(called, lines, strict=True)]
