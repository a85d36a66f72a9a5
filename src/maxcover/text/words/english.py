"""English: function words by what they do, and words that refer to other sentences."""

from typing import Final

from maxcover.text.words.lists import read_table

_TABLE = read_table("english")
_LISTS = _TABLE["lists"]

WORDS: Final[dict[str, str]] = _TABLE["words"]
"""Function words, and words of letters, meetings and reports, by what they do."""

ENDINGS: Final = {name: tuple(ends.split()) for name, ends in _TABLE["endings"].items()}
"""Endings by which other words are classified, by the name of the class."""

LEANING: Final = frozenset(
    [*_LISTS["leaning"].split(), *(" ".join(one.split()) for one in _LISTS["phrases"].split(","))]
)
"""Openings of one to three words that continue the sentence before."""

UNLESS: Final[dict[str, str]] = _TABLE["unless"]
"""Words that refer to something said elsewhere, unless one of the listed words follows: word ->
words."""

POINTING: Final[dict[str, str]] = _TABLE["pointing"]
"""Words that refer to something said elsewhere if one of the listed words follows: word ->
words."""

THIRD: Final = frozenset(_LISTS["third"].split())
PERSONAL: Final = frozenset(_LISTS["personal"].split())
"""`THIRD` are pronouns of the third person, `PERSONAL` pronouns of the writer and the reader."""

VERBS: Final = frozenset(_LISTS["verbs"].split())
"""Common finite verbs that are not in `WORDS` and do not end with -ed."""
