"""Utterances: what was said as a summary shows it, without what stumbles. English.

Most utterances hold nothing to leave out. Their words say so, as numbers and all at once, and only
the others meet a pattern.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from maxcover.text.words.languages import find_language
from maxcover.text.words.terms import Terms, find_terms

# English: sounds, and phrases that only fill a pause.
_SOUND = re.compile(
    r"(?:, ?)?(?<![\w'’-])(?:um+|uh+|erm?|eh|ehm|mm+|hmm+|mm[ -]+hmm"
    r"|uh[ -]+huh|huh|ah)\b(?! ?['’-]),?",
    re.IGNORECASE,
)
_PAUSE = re.compile(
    r",? (?=[yi])(?<!do )(?<!did )(?<!if )(?<!as )(?<!what )(?<!how )(?<!let )(?<!that )(?<!would )"
    r"(?:you know|I mean|I guess)\b(?! (?:what|how|that|if|who|where|when|about|the|it"
    r"|this|by)\b),?"
    r"| (?=[sk])(?<!\ba )(?<!\ban )(?<!\bthe )(?<!\bthis )(?<!\bthat )(?<!\bwhat )(?<!\bsome )"
    r"(?<!\bany )(?<!\ball )(?<!\bone )(?<!\bwhich )(?<!\bthese )(?<!\bthose )(?<!\bsame )"
    r"(?<!\bother )(?<!\btwo )(?<!\bevery )(?<!\bof )"
    r"(?:sort|kind) of(?! (?:a |an |the )?(?:thing|person|way|stuff)s?\b)\b",
    re.IGNORECASE,
)
# A word, and up to five of them, that are said again at once.
_WORD = (
    r"(?<![\w'’-])(?!(?:one|two|three|four|five|six|seven|eight|nine|zero|oh|o|by)\b)"
    r"([^\W\d_][\w'’]*"
)
_TWICE = re.compile(rf"{_WORD})(?:,? \1(?![\w'’-]))+", re.IGNORECASE)
_AGAIN = re.compile(rf"{_WORD}(?: [\w'’]+){{1,4}})(?:,? \1(?![\w'’-]))+", re.IGNORECASE)
# A word that is broken off and said again: "w we", "th the"; no word by itself, as in "we were".
_SHORT_WORDS = frozenset(word for word in find_language("en").stop_words if len(word) <= 3)
_BROKEN = re.compile(
    rf"(?<![\w'’.&-])(?!(?:{'|'.join(sorted(_SHORT_WORDS))}) )([a-z]{{1,3}}) (?=\1[a-z])"
    r"|(?<![\w'’.&-])[bcdfghjklmnpqrstvwxz] (?=[a-z])"
)
_OPENING = re.compile(
    r"^\W*(?:(?:and|but|so|well|okay|ok|yeah|yep|yes|oh|right|now|then|alright|all right"
    r"|anyway|basically"
    r"|actually|also|because|['’]?cause|cuz|sure|you know|i mean|i guess|of course"
    r"|again)\b(?! (?:that|of"
    r"|much|many|far|long|as|to|on|thank)\b),? )+(?=\w)",
    re.IGNORECASE,
)
_LOOSE = re.compile(r" (?=['’](?:s|m|re|ve|ll|d|t)\b)|(?<=\w) (?=n['’]t\b)")
_TOKEN = re.compile(r"[\w'’]+")
_BEFORE_MARK = re.compile(r"[ ,]{1,99}(?=[,.;!?](?!\w))")
_LOOSE_MARK = re.compile(r"[ ,][,.;!?]")
_MOST_AGAIN = 5

# What words may be in an utterance, a bit each.
_SOUND_WORD, _OPENER, _CONSONANT, _SHORT = (1 << k for k in range(4))
# The first and the second word of a phrase that fills a pause, two bits for each phrase.
_PHRASES = (({"you"}, {"know"}), ({"i"}, {"mean", "guess"}), ({"sort", "kind"}, {"of"}))
_OPENERS = frozenset(
    [
        *("and", "but", "so", "well", "okay", "ok", "yeah", "yep", "yes", "oh", "right", "now"),
        *("then", "alright", "all", "anyway", "basically", "actually", "also", "because", "cause"),
        *("cuz", "sure", "of", "again"),
    ]
)
# What an utterance may hold, a bit each, in the order in which it is left out.
_SOUNDS, _PAUSES, _BREAKS, _REPEATS, _PHRASE, _OPENS = (1 << k for k in range(6))


def print_speech(texts: Sequence[str]) -> list[str]:
    """Leave fillers, repetitions and opening connectives of utterances out.

    Examples
    --------
    >>> print_speech(["So, um, we we need a crane, you know, at the quay.", "Um."])
    ['We need a crane at the quay.', '']
    """
    whole = [
        _LOOSE.sub("", text)
        if " '" in text or " ’" in text or " n'" in text or " n’" in text
        else text
        for text in texts
    ]
    marks = _find_marks(find_terms(whole, stemmer=None)).tolist()
    return list(map(_print, whole, marks))


def _print(text: str, marks: int) -> str:
    """Leave out what an utterance may hold; leaving out one thing may bring others together."""
    if marks & _SOUNDS:
        text = _SOUND.sub(" ", text)
    if "  " in text or not text.isprintable() or text[:1] == " " or text[-1:] == " ":
        text = " ".join(text.split())
    before = text
    if marks & _PAUSES:
        text = _PAUSE.sub("", text)
    if marks & _BREAKS or text is not before:
        text = _BROKEN.sub("", text)
    if text is not before:
        marks |= _OPENS | _find_repeats(text)
    if marks & _REPEATS:
        text = _TWICE.sub(r"\1", text)
    if marks & _PHRASE:
        text = _AGAIN.sub(r"\1", text)
    if marks & (_OPENS | _PAUSES):
        text = _OPENING.sub("", text, count=1)
    if _LOOSE_MARK.search(text):
        text = _BEFORE_MARK.sub("", text)
    text = text.lstrip(" ,.;")
    return text[:1].upper() + text[1:]


def _find_repeats(text: str) -> int:
    """Tell whether words, or phrases, may be said again at once: patterns look for longer."""
    words = _TOKEN.findall(text.lower())
    once = [word for word, above in zip(words, ["", *words], strict=False) if word != above]
    again = any(
        once[k] == once[k + size] and once[k : k + size] == once[k + size : k + 2 * size]
        for size in range(2, _MOST_AGAIN + 1)
        for k in range(len(once) - 2 * size + 1)
    )
    return _REPEATS * (len(once) < len(words)) | _PHRASE * again


def _find_marks(terms: Terms) -> NDArray[np.int64]:
    """Tell what each utterance may hold, by its words."""
    known = terms.vocabulary.look_up(_classify)
    traits, rows = known[terms.words], terms.rows
    marks = np.zeros(len(terms.indptr) - 1, np.int64)
    sounds = traits & _SOUND_WORD != 0
    marks[rows[sounds]] |= _SOUNDS
    words, traits, rows = terms.words[~sounds], traits[~sounds], rows[~sounds]
    small = ~terms.capital[~sounds]
    together = rows[1:] == rows[:-1]
    pause = (traits[:-1] >> 4) & (traits[1:] >> 8) & 7 != 0
    marks[rows[1:][together & pause]] |= _PAUSES
    marks[rows[small & (traits & _CONSONANT != 0)]] |= _BREAKS
    short = np.flatnonzero(together & small[:-1] & (traits[:-1] & _SHORT != 0))
    names = terms.vocabulary
    before, behind = names.pick(words[short]), names.pick(words[short + 1])
    broken = np.fromiter(map(_is_broken, before, behind), np.bool_, len(short))
    marks[rows[short[broken]]] |= _BREAKS
    first = np.flatnonzero(np.concatenate(([True], ~together)))[: len(rows)]
    marks[rows[first[traits[first] & _OPENER != 0]]] |= _OPENS
    twice = np.flatnonzero(together & (words[1:] == words[:-1]))
    marks[rows[twice]] |= _REPEATS
    words, rows = np.delete(words, twice), np.delete(rows, twice)
    for size in range(2, 2 * _MOST_AGAIN + 1):
        # so many words in a row that are the same ones so many words before
        same = (words[size:] == words[:-size]) & (rows[size:] == rows[:-size])
        count = np.concatenate(([0], np.cumsum(same)))
        marks[rows[np.flatnonzero(count[size:] - count[:-size] == size)]] |= _PHRASE
    return marks


def _is_broken(word: str, behind: str) -> bool:
    return word != behind and behind.startswith(word)


def _classify(word: str) -> int:
    """Say what a word may be, and from bit 4 and 8 on the phrases that it begins and ends."""
    found = _SOUND_WORD * (_SOUND.fullmatch(word) is not None)
    found |= _OPENER * (word in _OPENERS)
    found |= _CONSONANT * (len(word) == 1 and word in "bcdfghjklmnpqrstvwxz")
    found |= _SHORT * (len(word) <= 3 and word not in _SHORT_WORDS)
    word = word.partition("'")[0]
    for number, (begins, ends) in enumerate(_PHRASES):
        found |= (word in begins) << 4 + number | (word in ends) << 8 + number
    return found
