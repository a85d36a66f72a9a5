"""HTML view: a summary as one HTML page, and what the page and a notebook show of it."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.engine.core import notebook
from maxcover.engine.core.wording import amount, percent
from maxcover.texts.report import summary_wording as wording
from maxcover.texts.report.summary_wording import name_of, paragraphs, place_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.texts.summary.summary import Summary

# Characters that HTML forbids: control characters and lone surrogates.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
# If all documents together have more characters than this, the browser lays out only the visible
# part.
_LARGE = 200_000
# The most characters of a document that a notebook shows. The report shows all.
_SHOWN = 20_000
# The most words that a notebook shows as reasons for a sentence.
_REASONS = 4


class PassageView(NamedTuple):
    """A piece of a document; `number` is set if it is a sentence of the summary."""

    text: str
    number: int | None = None


class SourceView(NamedTuple):
    """A document, cut into passages that joined give its whole text."""

    title: str
    passages: list[PassageView]
    n_chosen: int


class SentenceRow(NamedTuple):
    """A sentence of the summary with its source, its cost and what it adds."""

    number: int
    text: str
    source: str
    cost: str
    gain: str
    share: str
    reasons: list[str]


def _read(name: str) -> str:
    return files("maxcover.texts.report").joinpath(name).read_text(encoding="utf-8")


def _policy() -> str:
    """Return a content-security policy that allows only the report's style sheet, by its hash."""
    digest = hashlib.sha256(_read("report.css").encode()).digest()
    style = base64.b64encode(digest).decode()
    return f"default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"


#: The content-security policy of a report: it runs nothing and loads nothing.
POLICY = _policy()


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.from_string(_read("report.html.j2"))


def to_html(summary: Summary, names: Sequence[str] = (), title: str = "") -> str:
    """Return a summary as one self-contained HTML page.

    Parameters
    ----------
    summary : Summary
    names : sequence of str
        Names of the documents; "Document 1" and so on without them.
    title : str
        Title of the page; "Summary" if empty.

    Returns
    -------
    str
        No script, no request to anywhere, and a policy that forbids both. Texts are escaped,
        isolated from the direction of the page, and free of characters that HTML forbids.

    Examples
    --------
    >>> from maxcover import summarize
    >>> page = to_html(summarize("Tags like <b> & <i> are text here. Dogs bark.", budget=8))
    >>> "Tags like &lt;b&gt; &amp; &lt;i&gt; are text here." in page
    True
    """
    called = called_by(summary, names)
    rows = list_rows(summary, called)
    view: dict[str, Any] = {
        "title": clean(title or "Summary"),
        "rows": rows,
        "paragraphs": [[rows[one.number - 1] for one in told] for told in paragraphs(summary)],
        "sources": mark_sources(summary, called),
        "certificate": summary.certificate,
        "size": wording.size(summary),
        "covered": wording.coverage(summary),
        "covered_width": round(100 * summary.coverage, 2),
        "missing": [clean(phrase) for phrase in summary.left_out],
        "large": sum(map(len, summary.documents)) > _LARGE,
    }
    page: str = _template().render(view=view, css=_read("report.css"), policy=POLICY)
    return page


def to_fragment(summary: Summary) -> str:
    """Return HTML: the summary as prose, and each sentence with its source and what it adds.

    Examples
    --------
    >>> from maxcover import summarize
    >>> page = to_fragment(summarize("Cats & dogs sleep here. Dogs bark.", budget=5))
    >>> "Cats &amp; dogs sleep here." in page
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
    told = (
        " ".join(f"{clean(one.text)} [{one.number}]" for one in paragraph)
        for paragraph in paragraphs(summary)
    )
    sources = [source for source in mark_sources(summary, names) if source.n_chosen]
    return notebook.card(
        f"Summary: {wording.size(summary)}",
        *map(notebook.paragraph, told),
        notebook.table(["no.", "sentence", "source", "adds", "such as"], rows),
        notebook.paragraph(f"{wording.coverage(summary)} {summary.certificate}"),
        notebook.paragraph(wording.left_out(summary)),
        *(notebook.folded(f"In {source.title}", _marked(source)) for source in sources),
    )


def _marked(source: SourceView) -> str:
    """Return a source with its chosen sentences marked, up to `_SHOWN` characters."""
    parts, room = [], _SHOWN
    for passage in source.passages:
        text = passage.text[: max(room, 0)]
        room -= len(passage.text)
        parts.append(text if passage.number is None else notebook.marked(text))
    return notebook.written(*parts, "" if room >= 0 else " ...")


def clean(text: str) -> str:
    """Replace each character that HTML forbids by the replacement character."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def called_by(summary: Summary, names: Sequence[str] = ()) -> list[str]:
    """Return the name of each document: as given, else "Document 1" and so on."""
    return [clean(name_of(summary, names, number)) for number in range(summary.n_documents)]


def list_rows(summary: Summary, names: list[str]) -> list[SentenceRow]:
    """Return a row for each sentence of a summary: its source, cost and reasons."""
    printed = [one for paragraph in paragraphs(summary) for one in paragraph]
    return [
        SentenceRow(
            number=one.number,
            text=clean(one.text),
            source=place_of(summary, names, sentence),
            cost=amount(sentence.cost, summary.unit),
            gain=f"{sentence.gain:,.4g}",
            share=percent(sentence.gain / summary.value) if summary.value > 0 else "",
            reasons=[clean(phrase) for phrase in summary.reasons(sentence)],
        )
        for one, sentence in zip(printed, summary.sentences, strict=True)
    ]


def mark_sources(summary: Summary, names: list[str]) -> list[SourceView]:
    """Cut every document at the ends of its chosen sentences, so that these can be marked."""
    places: list[list[tuple[int, int, int]]] = [[] for _ in names]
    for number, sentence in enumerate(summary.sentences, start=1):
        places[sentence.document].append((sentence.start, sentence.end, number))
    sources = []
    for name, text, chosen in zip(names, summary.documents, places, strict=True):
        passages, done = [], 0
        for start, end, number in sorted(chosen):
            passages += [
                PassageView(clean(text[done:start])),
                PassageView(clean(text[start:end]), number),
            ]
            done = end
        passages.append(PassageView(clean(text[done:])))
        sources.append(SourceView(name, [p for p in passages if p.text], len(chosen)))
    return sources
