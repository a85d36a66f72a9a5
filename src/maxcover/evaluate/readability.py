"""Readability: the share of a summary's sentences that a reader would mind, rule by rule.

These rules measure. The rules that select sentences (`maxcover.text.judge.candidates`) are others,
written apart and on purpose not shared: a summarizer that passes its own test has proven nothing.
How far the rules agree with people is measured on human grades, see docs/lab/evaluation.md.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from maxcover.evaluate.passage import count_words
from maxcover.text.words.languages import find_language
from maxcover.text.words.units import count_words as count_any_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maxcover.text.words.languages import Language

STUB_WORDS = 5
LONG_WORDS = 45
LEAST_LETTERS = 0.6

_END_MARKS = ".!?…。！？।॥؟۔"
_CLOSERS = "\"'”’»)]›“*_` \u200f\u200e"
_OPENERS = "\"'“‘«([„‹ \u200f\u200e"
_CONTACT = re.compile(
    r"https?://|\bwww\.|\bmailto:|\S@\S+\.\w|\[email\]|\+?\d[\d ()/.-]{8,}\d|\b(?:fax|tel)\b[.:]",
    re.IGNORECASE,
)
_NOT_PROSE = re.compile(
    r"[-=_*~#+]{4,}|\bwrote:$|\bwrites:$|original message|^(?:from|to|cc|sent|date|subject):"
    r"|intended recipient|unsubscribe|all rights reserved|©|^\W*(?:hi|hello|dear|regards|cheers"
    r"|best|thanks|sincerely|yours)\b[\w ,.]{0,24}$",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"\W*(?:and|but|or|so|yet|also|then|thus|hence|however|therefore|moreover|furthermore"
    r"|meanwhile|besides|instead|otherwise|nevertheless|in addition|as a result|for example"
    r"|for instance|he|she|it|they|this|that|these|those|his|her|its|their|him|them|such)\b",
    re.IGNORECASE,
)
# The same of other languages, by code: as many pronouns, demonstratives and connectives.
_DANGLING_ABROAD = {
    "ar": "هو هي هم هذا هذه ذلك تلك هؤلاء لكن ولكن وهو وهي وهم كما وأضاف وأضافت ثم لذلك ومع",
    "cs": "on ona ono oni to ten ta tento tato toto tito tyto jeho její jejich ale však a nicméně "
    "proto také přesto navíc poté pak tak",
    "de": "er sie es dies diese dieser dieses diesem diesen sein seine ihr ihre und aber oder doch "
    "jedoch allerdings deshalb daher dann außerdem zudem trotzdem dennoch auch also damit",
    "el": "αυτός αυτή αυτό αυτοί αυτές αυτά και αλλά όμως ωστόσο επίσης έτσι επιπλέον τότε",
    "es": "él ella ellos ellas esto eso este esta estos estas ese esa su sus y pero o también "
    "además así entonces luego",
    "fr": "il elle ils elles ce cet cette ces cela ceci son sa ses leur leurs et mais ou donc or "
    "car cependant toutefois pourtant ainsi aussi alors puis ensuite également",
    "he": "הוא היא הם הן זה זו זאת אלה אלו אבל אך אולם לכן גם כך",
    "hi": "यह वह ये वे इस इन उस उन इसके इसका इसकी उसके उनके उनकी उन्होंने उन्हें इसमें लेकिन और "
    "इसलिए परंतु परन्तु हालांकि फिर",
    "it": "egli lui lei loro questo questa questi queste ciò e ma o anche inoltre tuttavia però "
    "così quindi poi",
    "nl": "hij zij ze dit dat deze die hun haar en maar of dus ook daarom echter toch",
    "pl": "on ona ono oni one to ten ta te jego jej ich i ale lub więc jednak również także "
    "dlatego",
    "pt": "ele ela eles elas isto isso este esta esse essa seu sua seus suas e mas ou também assim "
    "porém então",
    "ru": "он она оно они это этот эта эти его её ее их и но а или однако также поэтому затем",
}
_PAIRS = ("“”", "«»", "()", "[]", "「」", "『』", "（）")


def _is_stub(text: str, _: Language) -> bool:
    """Hold fewer than five words."""
    return count_any_words(text) < STUB_WORDS


def _is_fragment(text: str, _: Language) -> bool:
    """End without the mark of an end, or begin with a small letter."""
    ends = text.rstrip(_CLOSERS)[-1:]
    return not ends or ends not in _END_MARKS or text.lstrip(_OPENERS)[:1].islower()


def _is_boilerplate(text: str, _: Language) -> bool:
    """Hold an address or telephone number in under 15 words, frame a letter, or be no prose.

    No prose: fewer than 60 % of the signs, white space apart, are letters or marks of letters.
    """
    signs = "".join(text.split())
    letters = sum(sign.isalpha() or sign >= "\u0300" for sign in signs)
    return (
        bool(_CONTACT.search(text) and count_words(text) < 15)
        or bool(_NOT_PROSE.search(text))
        or letters < LEAST_LETTERS * len(signs)
    )


def _has_cut_quote(text: str, language: Language) -> bool:
    """Open a quotation or bracket without closing it, or close one without opening it."""
    odd = text.count('"') % 2 == 1 and language.code != "he"  # Hebrew abbreviates with it
    return odd or any(text.count(pair[0]) != text.count(pair[1]) for pair in _PAIRS)


def _dangles(text: str, language: Language) -> bool:
    """Begin with a connective or a pronoun that points back, in languages with a list."""
    if language.code == "en":
        return _DANGLING.match(text) is not None
    first = text.lstrip(_OPENERS).casefold().partition(" ")[0].rstrip(",:;،")
    return first in _DANGLING_ABROAD.get(language.code, "").casefold().split()


def _is_overlong(text: str, _: Language) -> bool:
    """Hold more than 45 words."""
    return count_words(text) > LONG_WORDS


#: The rules by name.
RULES: dict[str, Callable[[str, Language], bool]] = {
    "stub": _is_stub,
    "fragment": _is_fragment,
    "boilerplate": _is_boilerplate,
    "cut_quote": _has_cut_quote,
    "dangling": _dangles,
    "overlong": _is_overlong,
}

#: The rules of the index: what makes a sentence no sentence.
INDEX = ("stub", "fragment", "boilerplate", "cut_quote")


class Readability(NamedTuple):
    """Shares of sentences that break each rule, and `defects`: any of the first four."""

    stub: float
    fragment: float
    boilerplate: float
    cut_quote: float
    dangling: float
    overlong: float
    defects: float


def read(sentences: Sequence[str], language: str | Language = "english") -> Readability:
    """Measure the sentences of a summary, each as it stands there.

    Examples
    --------
    >>> found = read(["The harbour was closed on Sunday.", "Um", "And it stays closed for a week."])
    >>> round(found.stub, 2), round(found.dangling, 2), round(found.defects, 2)
    (0.33, 0.33, 0.33)
    """
    known = find_language(language)
    texts = [" ".join(text.split()) for text in sentences]
    broken = [{name for name, rule in RULES.items() if rule(text, known)} for text in texts]
    size = max(1, len(texts))
    shares = {name: sum(name in found for found in broken) / size for name in RULES}
    return Readability(**shares, defects=sum(bool(found & {*INDEX}) for found in broken) / size)
