"""Editions: the date, year or version that tells documents of a series apart."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from maxcover.texts.split.display import put_label
from maxcover.texts.summary.dates import find_dates
from maxcover.texts.summary.story import find_title

if TYPE_CHECKING:
    from maxcover.texts.weigh.corpus import Corpus

_NUMBER = re.compile(r"\b(?:19|20)\d\d(?:-\d\d){0,2}\b|\bv?\d+(?:\.\d+)+\b")


def name_editions(corpus: Corpus) -> Corpus:
    r"""Return the corpus with the edition of each document, if the documents are a series.

    They are a series if each has a date in its head, or if their titles are the same but for a
    date, a year or a version; and if these are not all the same. In letters and talk the speakers
    tell who says what.

    Examples
    --------
    >>> from maxcover.texts import prepare
    >>> text = "# Report {}\n\nThe quay is closed."
    >>> name_editions(prepare([text.format(2024), text.format(2025)])).editions
    ('2024', '2025')
    """
    if len(corpus.documents) < 2 or any(corpus.speakers):
        return corpus
    dates = [date.date().isoformat() for date in find_dates(corpus.documents)]
    editions = dates or _find_numbers(corpus)
    if len({*editions}) < 2:
        return corpus
    rows = zip(corpus.document.tolist(), corpus.under, corpus.texts, strict=True)
    lines = [
        put_label(", ".join(filter(None, (editions[document], label))), text)
        for document, label, text in rows
    ]
    return replace(corpus, editions=tuple(editions), costs=corpus.unit.costs(lines))


def _find_numbers(corpus: Corpus) -> list[str]:
    """Return the number in each title, if the titles are the same but for it; else []."""
    numbers, rest = [], set()
    for document in range(len(corpus.documents)):
        row = find_title(corpus, document)
        title = "" if row is None else corpus.texts[row]
        number = _NUMBER.search(title)
        if number is None:
            return []
        numbers.append(number[0])
        rest.add((title[: number.start()] + title[number.end() :]).casefold())
    return numbers if len(rest) == 1 else []
