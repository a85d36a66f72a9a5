"""Dates: what the heads of documents give as dates, their order, and the editions of a series."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from maxcover.summary.story import find_title
from maxcover.text.split.display import put_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from maxcover.text.weigh.corpus import Corpus

_Item = TypeVar("_Item")
_Found = TypeVar("_Found")

HEAD = 2_000
"""The date of a document is searched for in this many characters at its beginning."""

# A date, a year or a version in a title.
_EDITION = re.compile(r"\b(?:19|20)\d\d(?:-\d\d){0,2}\b|\bv?\d+(?:\.\d+)+\b")
_DATE = re.compile(r"^(?:date|sent)\s?[:=]\s*(.+)$", re.IGNORECASE | re.MULTILINE)


def find_date(text: str) -> datetime | None:
    r"""Return the date in the head of a mail or a page; None if there is no date.

    Examples
    --------
    >>> find_date("From: Ann\nDate: Mon, 4 Nov 2024 10:00:00 +0000\n\nHello.").isoformat()
    '2024-11-04T10:00:00+00:00'
    >>> find_date("---\ntitle: Pumps\ndate: 2024-11-04\n---\n\nHello.").isoformat()
    '2024-11-04T00:00:00+00:00'
    >>> find_date("+++\ndate = '2024-11-04'\n+++\n\nHello.").isoformat()
    '2024-11-04T00:00:00+00:00'
    >>> find_date("The date: tomorrow.") is None
    True
    """
    found = _DATE.search(text[:HEAD].split("\n\n", 1)[0])
    if found is None:
        return None
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            date = parse(found[1].strip(" \"'"))
        except ValueError:
            continue
        return date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    return None


def order_by_date(documents: Sequence[str]) -> list[int]:
    """Return document numbers sorted by date; in the order given if a document has no date."""
    dates, numbers = _each(find_date, documents), range(len(documents))
    return sorted(numbers, key=lambda number: (dates[number], number)) if dates else list(numbers)


def name_editions(corpus: Corpus) -> Corpus:
    r"""Return the corpus with the edition of each document, if the documents are a series.

    They are a series if each has a date in its head, or each a date, a year or a version in its
    title, and if these are not all the same. In letters and talk the speakers tell who says what.

    Examples
    --------
    >>> from maxcover.text import prepare
    >>> text = "# Report {}\n\nThe quay is closed."
    >>> name_editions(prepare([text.format(2024), text.format(2025)])).editions
    ('2024', '2025')
    """
    numbers = range(len(corpus.documents))
    if len(numbers) < 2 or any(corpus.speakers):
        return corpus
    editions = [date.date().isoformat() for date in _each(find_date, corpus.documents)]
    editions = editions or _each(partial(_find_number, corpus), numbers)
    if len({*editions}) < 2:
        return corpus
    rows = zip(corpus.document.tolist(), corpus.under, corpus.texts, strict=True)
    lines = [
        put_label(", ".join(filter(None, (editions[document], label))), text)
        for document, label, text in rows
    ]
    return replace(corpus, editions=tuple(editions), costs=corpus.unit.costs(lines))


def _each(find: Callable[[_Item], _Found | None], items: Iterable[_Item]) -> list[_Found]:
    """Return what `find` finds in each item; [] if it finds nothing in one."""
    found: list[_Found] = []
    for item in items:
        one = find(item)
        if one is None:
            return []
        found.append(one)
    return found


def _find_number(corpus: Corpus, document: int) -> str | None:
    """Return the date, year or version in the title of a document; None if there is none."""
    row = find_title(corpus, document)
    found = None if row is None else _EDITION.search(corpus.texts[row])
    return None if found is None else found[0]
