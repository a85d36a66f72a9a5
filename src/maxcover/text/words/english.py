"""English: its function words by what they do, and words that point elsewhere."""

from typing import Final

from maxcover.text.words.lists import read_table

_TABLE = read_table("english")
_LISTS = _TABLE["lists"]

WORDS: Final[dict[str, str]] = _TABLE["words"]
"""Function words, and words of letters, meetings and reports, by what they do."""

ENDINGS: Final = {name: tuple(ends.split()) for name, ends in _TABLE["endings"].items()}
"""What other words end with, by kind."""

LEANING: Final = frozenset(
    [*_LISTS["leaning"].split(), *(" ".join(one.split()) for one in _LISTS["phrases"].split(","))]
)
"""Openings that go on from the sentence before: at most three words."""

UNLESS: Final[dict[str, str]] = _TABLE["unless"]
"""Words for something that is said elsewhere, unless one of these follows."""

POINTING: Final[dict[str, str]] = _TABLE["pointing"]
"""Words for something that is said elsewhere, if one of these follows."""

THIRD: Final = frozenset(_LISTS["third"].split())
PERSONAL: Final = frozenset(_LISTS["personal"].split())
"""Pronouns of the third person, and words of the writer and the reader."""

VERBS: Final = frozenset(_LISTS["verbs"].split())
"""Finite verbs that are common, besides those of `WORDS` and those that end with -ed."""
