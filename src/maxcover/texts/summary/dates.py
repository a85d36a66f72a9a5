"""Dates: the dates that the heads of documents give, and the order of documents by date."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD = 2_000
"""The date of a document is searched for in this many characters at its beginning."""

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


def find_dates(documents: Sequence[str]) -> list[datetime]:
    """Return the date of each document; [] if one has none."""
    found = []
    for text in documents:
        date = find_date(text)
        if date is None:
            return []
        found.append(date)
    return found


def order_by_date(documents: Sequence[str]) -> list[int]:
    """Return document numbers sorted by date; in the order given if a document has no date."""
    dates, numbers = find_dates(documents), range(len(documents))
    return sorted(numbers, key=lambda number: (dates[number], number)) if dates else list(numbers)
