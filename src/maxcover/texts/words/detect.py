"""Detect: which language documents are in, by script and by the commonest words.

No model and no download is needed. Some scripts are used by one language only. In other scripts,
every third word is one of a few dozen common words. docs/decisions/011 compares this with two
packages.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxcover.texts.words.codepoints import Int64s
from maxcover.texts.words.languages import LANGUAGES, Language
from maxcover.texts.words.lists import read_table

SAMPLE, FROM_EACH = 3_000, 1_000
"""Most characters that are read in all, and of one document. Half are read at the start of the
document and half in its middle, because the start may be a list of names."""

LEAST_SHARE, LEAST_LEAD, LEAST_WORDS = 0.06, 1.2, 8
"""The detected language counts as sure if its common words make up at least 6 % of the text, 1.2
times the share of the second language, and the text has at least 8 words."""

_WORD = re.compile(r"[^\W\d_]+")
_NO_LETTERS = {code: " " for code in range(128) if not chr(code).isalpha()}
_SCRIPTS: tuple[tuple[str, str], ...] = (
    ("greek", "\u0370-\u03ff\u1f00-\u1fff"),
    ("hebrew", "\u0590-\u05ff"),
    ("armenian", "\u0530-\u058f"),
    ("arabic", "\u0600-\u06ff\u0750-\u077f"),
    ("hindi", "\u0900-\u097f"),
    ("bengali", "\u0980-\u09ff"),
    ("tamil", "\u0b80-\u0bff"),
    ("thai", "\u0e00-\u0e7f"),
    ("lao", "\u0e80-\u0eff"),
    ("burmese", "\u1000-\u109f"),
    ("khmer", "\u1780-\u17ff"),
    ("japanese", "\u3040-\u30ff"),
    ("korean", "\uac00-\ud7af\u1100-\u11ff"),
    ("chinese", "\u4e00-\u9fff\u3400-\u4dbf"),
    ("russian", "\u0400-\u04ff"),
)
# For scripts that several languages use: letters that only one of these languages has.
_LETTERS: dict[str, tuple[tuple[str, str], ...]] = {
    "arabic": (("urdu", "ٹڈڑںے"), ("persian", "پچژگ")),
    "russian": (("ukrainian", "іїєґ"), ("serbian", "ђјљњћџ")),
}
# The commonest words of languages for which there is no list of stop words.
_COMMON: dict[str, str] = {
    "basque": "eta da ez bat zen dira du zuen izan ere hau baina den dute egin",
    "catalan": "el la els les i de del que en un una amb per és no al com més ha dels va",
    "croatian": "je i u se na za da su od s koji što kao ali bi nije koja iz te će",
    "czech": "a je se na v že s z do to o i jako po ve za který od ale by si jsou při byl podle "
    "byla bylo byly které která také jeho jejich ze k u před pro než až tak však jen mezi roce "
    "bude není může kteří",
    "esperanto": "la de kaj en estas al ne ke mi li por kiu kun ĝi sed oni estis de pri",
    "estonian": "ja on ei et see oli kui ta ning mis oma aga ka selle või nii siis",
    "hungarian": "a az és hogy nem is egy volt ez de meg csak mint azt már még ki el vagy",
    "icelandic": "og að í á er sem til við en það um með hann var ekki fyrir af",
    "indonesian": "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga ke oleh",
    "irish": "agus an na is ar ag go le bhí sé i do tá nach a den chun",
    "latvian": "un ir no ar par uz kas ka bija arī to tas kā pie līdz nav",
    "lithuanian": "ir yra kad tai iš su į bet kaip jis buvo ne apie po už dar",
    "romanian": "și de în la a că nu cu pe un o din este care mai se pentru sa fost",
    "sesotho": "le ke ba ea ka ho ha e ne tse sa oa bo li mo hore",
    "slovak": "a je sa na v že s z do to o aj ako po za ktorý od ale by si sú pri bol podľa",
    "slovenian": "in je se na v da so za ki z ni bi kot tudi pri po od ga še",
    "vietnamese": "của và là các có được cho trong không một với những người đã này để",
}

FUNCTION_WORDS = (
    "a an and are as at be but by for from had has have he his in is it its not of on or that the "
    "their they this to was were which who with you"
)
"""English function words: at least a quarter of the words of English prose, and at most a tenth of
the words of other languages."""

# A passage counts as English if (number of function words + 3) / (number of words + 15) is at least
# 0.12. With the 3 and 15, a passage of up to 10 words always counts as English.
_LEAST_FUNCTION_WORDS, _GRANTED, _GRANTED_OF = 0.12, 3, 15


class Detected(NamedTuple):
    """A language, and whether there is enough text to be sure of it."""

    language: Language
    sure: bool


def detect(documents: Sequence[str]) -> Detected:
    """Return the language that documents are in; English if there is too little evidence.

    Examples
    --------
    >>> found = detect(["Der Hafen ist seit Montag wieder offen, und die Schiffe fahren."])
    >>> found.language.name, found.sure
    ('german', True)
    >>> detect(["OK"]).sure
    False
    """
    sample = " ".join(map(_sample, documents[:40]))[:SAMPLE].lower()
    words = sample.translate(_NO_LETTERS).split() if sample.isascii() else _WORD.findall(sample)
    letters = len("".join(words))
    beyond = len(sample) - len(sample.encode("ascii", "ignore"))
    for name, signs in _SCRIPTS if beyond > 0.1 * letters else ():
        here = len(_signs(signs).findall(sample))
        # Half of the letters must be of the script, so that Latin names do no harm. A tenth is
        # enough for kana, because Japanese mixes them with Han.
        if here > (0.1 if name == "japanese" else 0.5) * letters > 0:
            return Detected(LANGUAGES[_by_letters(name, sample, here)], True)
    return _by_words(words)


def are_english(n_function_words: Int64s, n_words: Int64s) -> NDArray[np.bool_]:
    """Return True for each passage that is English: enough of its words are `FUNCTION_WORDS`.

    It is meant for thousands of short passages whose words are already counted.
    """
    least = _LEAST_FUNCTION_WORDS * (n_words + _GRANTED_OF)
    return np.asarray(n_function_words + _GRANTED >= least)


def _sample(text: str) -> str:
    half = FROM_EACH // 2
    middle = max(half, len(text) // 2)
    return text[:half] + text[middle : middle + half]


def _by_letters(script: str, sample: str, size: int) -> str:
    """Return the language of a sample in `script`, by letters that only one language uses."""
    for name, letters in _LETTERS.get(script, ()):
        if sum(sample.count(letter) for letter in letters) > 0.01 * size:
            return name
    return script


def _by_words(words: list[str]) -> Detected:
    """Return the language whose common words make up the largest share of `words`."""
    total = max(1, len(words))
    shares = dict.fromkeys(_common_words(), 0.0)
    holders = _holders()
    for word, count in Counter(filter(holders.__contains__, words)).items():
        names = holders[word]
        for name in names:
            shares[name] += count / total / len(names) ** 0.5
    best, second = sorted(shares, key=lambda name: (-shares[name], name))[:2]
    if not shares[best] > shares["english"]:
        best, second = "english", best if best != "english" else second
    sure = (
        total >= LEAST_WORDS
        and shares[best] >= LEAST_SHARE
        and shares[best] >= LEAST_LEAD * shares[second]
    )
    guess = best if sure or shares[best] >= LEAST_SHARE else "english"
    return Detected(LANGUAGES[guess], sure)


@cache
def _common_words() -> dict[str, frozenset[str]]:
    apart = {name for name, _ in _SCRIPTS}
    lists = {name: LANGUAGES[name].stop_words for name in read_table("stopwords")["lists"]}
    latin = {name: words for name, words in lists.items() if name not in apart}
    return latin | {name: frozenset(words.split()) for name, words in _COMMON.items()}


@cache
def _holders() -> dict[str, list[str]]:
    """Map each common word to the languages that have it; words of many languages count less."""
    holders: dict[str, list[str]] = {}
    for name, words in _common_words().items():
        for word in sorted(words):
            holders.setdefault(word, []).append(name)
    return holders


@cache
def _signs(characters: str) -> re.Pattern[str]:
    return re.compile(f"[{characters}]")
