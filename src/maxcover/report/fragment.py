"""Fragment: a summary as a piece of HTML for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxcover.core import notebook
from maxcover.report import summary_wording as wording
from maxcover.report.html_view import called_by, clean, list_rows, mark_sources
from maxcover.report.prose import paragraphs

if TYPE_CHECKING:
    from maxcover.report.html_view import SourceView
    from maxcover.report.prose import Cited
    from maxcover.summary.summary import Summary

# The most characters of a document that a notebook shows. The report shows all.
_SHOWN = 20_000
_REASONS = 4


def to_fragment(summary: Summary) -> str:
    """Return HTML: the summary as prose, and each sentence with its source and what it adds.

    Examples
    --------
    >>> from maxcover import summarize
    >>> page = to_fragment(summarize("Tags like <b> are text here. Dogs bark.", budget=6))
    >>> "Tags like &lt;b&gt; are text here." in page
    True
    """
    names = called_by(summary)
    most = max((sentence.gain for sentence in summary.sentences), default=0.0) or 1.0
    rows = [
        [
            row.number,
            row.text,
            row.source,
            notebook.bar(sentence.gain / most, row.share),
            ", ".join(row.reasons[:_REASONS]),
        ]
        for row, sentence in zip(list_rows(summary, names), summary.sentences, strict=True)
    ]
    sources = [source for source in mark_sources(summary, names) if source.n_chosen]
    return notebook.card(
        f"Summary: {wording.size(summary)}",
        *(notebook.paragraph(_cited(told)) for told in paragraphs(summary)),
        notebook.table(["no.", "sentence", "source", "adds", "such as"], rows),
        notebook.paragraph(f"{wording.coverage(summary)} {summary.certificate}"),
        notebook.paragraph(wording.left_out(summary)),
        *(notebook.folded(f"In {source.title}", _marked(source)) for source in sources),
    )


def _cited(told: list[Cited]) -> str:
    return " ".join(f"{clean(one.text)} [{one.number}]" for one in told)


def _marked(source: SourceView) -> str:
    parts, room = [], _SHOWN
    for passage in source.passages:
        text = passage.text[: max(room, 0)]
        room -= len(passage.text)
        parts.append(text if passage.number is None else notebook.marked(text))
    return notebook.written(*parts, "" if room >= 0 else " ...")
