"""Prose: a summary as paragraphs and lines that say where each sentence comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.summary.contributions import SummarySentence
    from maxcover.summary.summary import Summary


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
