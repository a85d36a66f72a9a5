"""HTML view: everything that the template shows, as plain values, computed here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from maxcover.core.wording import amount, percent
from maxcover.errors import InfeasibleError
from maxcover.report import summary_wording as wording
from maxcover.report.chart import Chart, draw
from maxcover.report.prose import name_of, paragraphs, place_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.report.prose import Cited
    from maxcover.solvers.curve import BudgetCurve
    from maxcover.summary.contributions import SummarySentence
    from maxcover.summary.summary import Summary

# Characters that HTML forbids: control characters and lone surrogates.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
# Budgets of the curve, as multiples of the budget of the summary. Above _CHEAP sentences only five
# points are computed, above _POSSIBLE sentences none.
_SHARES = [k / 10 for k in range(2, 26)]
_CHEAP, _POSSIBLE = 5_000, 100_000
# If all documents together have more characters than this, the browser lays out only the visible
# part.
_LARGE = 200_000


@dataclass(frozen=True)
class PassageView:
    """A piece of a document; `number` is set if it is a sentence of the summary."""

    text: str
    number: int | None = None


@dataclass(frozen=True)
class SourceView:
    """A document, cut into passages that joined give its whole text."""

    title: str
    passages: list[PassageView]
    n_chosen: int


@dataclass(frozen=True)
class SentenceRow:
    """A sentence of the summary with its source, its cost and what it adds."""

    number: int
    text: str
    source: str
    cost: str
    gain: str
    share: str
    reasons: list[str]


@dataclass(frozen=True, kw_only=True)
class View:
    """All values that the template of the report shows."""

    title: str
    rows: list[SentenceRow]
    paragraphs: list[list[SentenceRow]]
    sources: list[SourceView]
    certificate: str
    size: str
    covered: str
    covered_width: float
    missing: list[str]
    large: bool
    chart: Chart | None
    outlook: list[str]
    points: list[tuple[str, str, str]]


def make_view(summary: Summary, *, title: str, names: Sequence[str]) -> View:
    """Compute all values of the report; takes about as long as a summary and its curve."""
    called = called_by(summary, names)
    curve = _curve(summary)
    rows = list_rows(summary, called)
    return View(
        title=clean(title),
        rows=rows,
        paragraphs=[[rows[one.number - 1] for one in told] for told in paragraphs(summary)],
        sources=mark_sources(summary, called),
        certificate=summary.certificate,
        size=wording.size(summary),
        covered=wording.coverage(summary),
        covered_width=round(100 * summary.coverage, 2),
        missing=[clean(phrase) for phrase in summary.left_out],
        large=sum(map(len, summary.documents)) > _LARGE,
        chart=None if curve is None else _chart(curve, summary),
        outlook=[] if curve is None else wording.outlook(curve, summary),
        points=[] if curve is None else _points(curve, summary.value),
    )


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
        _row(one, sentence, names, summary)
        for one, sentence in zip(printed, summary.sentences, strict=True)
    ]


def _row(
    cited: Cited, sentence: SummarySentence, names: list[str], summary: Summary
) -> SentenceRow:
    return SentenceRow(
        number=cited.number,
        text=clean(cited.text),
        source=place_of(summary, names, sentence),
        cost=amount(sentence.cost, summary.unit),
        gain=f"{sentence.gain:,.4g}",
        share=percent(sentence.gain / summary.value) if summary.value > 0 else "",
        reasons=[clean(phrase) for phrase in summary.reasons(sentence)],
    )


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


def _curve(summary: Summary) -> BudgetCurve | None:
    """Compute the budget curve: few points if there are many sentences, None if too many."""
    if summary.n_sentences > _POSSIBLE or summary.budget <= 0:
        return None
    shares = _SHARES if summary.n_sentences <= _CHEAP else [0.5, 0.8, 1.0, 1.2, 2.0]
    sizes = sorted({_rounded(share * summary.budget) for share in shares} | {summary.budget})
    try:
        return summary.curve(sizes)
    except InfeasibleError:  # the required sentences exceed the smallest budgets
        return summary.curve([size for size in sizes if size >= summary.budget])


def _rounded(size: float) -> float:
    return float(round(size)) if size >= 5 else size


def _chart(curve: BudgetCurve, summary: Summary) -> Chart | None:
    if not summary.value > 0:
        return None
    return draw(curve, budget=summary.budget, value=summary.value)


def _points(curve: BudgetCurve, here: float) -> list[tuple[str, str, str]]:
    """Return rows (budget, weight, upper bound); the last two relative to this summary."""
    shares = zip(curve.budgets, curve.values, curve.upper_bounds, strict=True)
    return [
        (f"{size:,.10g}", percent(value / here), percent(bound / here))
        for size, value, bound in shares
        if here > 0
    ]
