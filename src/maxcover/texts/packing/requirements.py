"""Requirements: facts that must be kept. Each distinct string that a pattern finds is one fact."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from maxcover.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_NUMBER = r"\d+(?:[.,]\d+)*"

#: The patterns by name. All are linear in the length of the text.
FACTS: dict[str, re.Pattern[str]] = {
    # Letters and digits in one string (INV-2024-001, A320neo), or at least four digits (99172).
    "identifiers": re.compile(
        r"(?<![\w.-])(?:\d{4,}(?![\w-])|(?=[A-Za-z_-]{0,40}\d)(?=[\d_-]{0,40}[A-Za-z])\w+(?:-\w+)*)"
    ),
    "dates": re.compile(
        rf"(?<!\w)(?:\d{{4}}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}"
        rf"|\d{{1,2}}(?:st|nd|rd|th)?\ {_MONTH}(?:,?\ \d{{4}})?"
        rf"|{_MONTH}\ \d{{1,2}}(?:st|nd|rd|th)?(?:,?\ \d{{4}})?|{_MONTH}\ \d{{4}})(?!\w)",
        re.IGNORECASE,
    ),
    "amounts": re.compile(
        rf"(?:[$€£¥₹]\s?{_NUMBER}(?:\s?(?:million|billion|thousand|[kKmM]\b))?"
        rf"|(?<![\w.,]){_NUMBER}\s?(?:%|percent\b|[$€£¥₹]|(?:USD|EUR|GBP|JPY|CHF|CNY|INR)\b))"
    ),
    "urls": re.compile(r"(?:https?://|www\.)[^\s<>\"')\]]*[^\s<>\"')\].,;:!?]"),
    "emails": re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"),
}

Requirement = int | str | re.Pattern[str]


def split_requirements(
    required: Iterable[Requirement] | Requirement, known: Collection[Any], what: str
) -> tuple[list[Any], list[re.Pattern[str]]]:
    """Split `required` into names of passages or files, and patterns of facts.

    Examples
    --------
    >>> split_requirements([2, "urls"], range(3), "numbers of passages")[0]
    [2]
    """
    if isinstance(required, str | int | re.Pattern):
        required = [required]
    named: list[Any] = []
    patterns: list[re.Pattern[str]] = []
    for one in required:
        if isinstance(one, re.Pattern):
            patterns.append(one)
        elif isinstance(one, int | str) and one in known:
            named.append(one)
        elif isinstance(one, str) and one in FACTS:
            patterns.append(FACTS[one])
        else:
            raise OptionError(
                f"expected required to hold {what}, compiled patterns or names out of "
                f"{', '.join(FACTS)}, got {one!r}"
            )
    return sorted(set(named)), patterns


def find_facts(texts: Sequence[str], patterns: Iterable[re.Pattern[str]]) -> dict[str, list[int]]:
    """Map each distinct match of a pattern to the indices of the texts that contain it.

    Examples
    --------
    >>> find_facts(["Paid $30.", "It cost $30 on 2024-05-01."], [FACTS["amounts"], FACTS["dates"]])
    {'$30': [0, 1], '2024-05-01': [1]}
    """
    holders: dict[str, list[int]] = {}
    for pattern in patterns:
        for number, text in enumerate(texts):
            for fact in dict.fromkeys(match.group() for match in pattern.finditer(text)):
                if fact:
                    places = holders.setdefault(fact, [])
                    if number not in places[-1:]:
                        places.append(number)
    return holders
