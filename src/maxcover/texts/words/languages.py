"""Languages: the properties of each language, in one object."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

import Stemmer

from maxcover.errors import OptionError
from maxcover.texts.words.lists import read_table

#: Names that ``stem=`` accepts beside True and False; ``porter`` is the algorithm of the paper.
ALGORITHMS: tuple[str, ...] = tuple(sorted(Stemmer.algorithms()))


@dataclass(frozen=True, slots=True)
class Language:
    """What the pipeline knows about one language.

    Attributes
    ----------
    name : str
        English name, in lower case.
    code : str
        ISO 639-1 code, which chooses the abbreviations of the sentence splitter.
    stemmer : str or None
        Snowball algorithm; None where Snowball has none, and words stay as they are.
    elides : bool
        An apostrophe ends a word (French *l'homme*) instead of belonging to it (English *don't*).
    spaced : bool
        White space stands between two sentences; not in Chinese and Japanese.
    """

    name: str
    code: str
    stemmer: str | None = None
    elides: bool = False
    spaced: bool = True

    @property
    def stop_words(self) -> frozenset[str]:
        """The stop words of the language, case-folded; empty if there is no list for it.

        Japanese is read in pairs of characters; pairs of hiragana, which are endings and particles,
        are its stop words.

        Examples
        --------
        >>> "the" in find_language("en").stop_words
        True
        """
        return _pairs_of_hiragana() if self.code == "ja" else _read_words("lists", self.name)

    @property
    def hidden(self) -> frozenset[str]:
        """Words that are not shown as key phrases, for languages without a list of stop words.

        They are case-folded. Unlike stop words, they have a full weight.
        """
        return _read_words("hidden", self.name)

    def leave_out(self, stop_words: bool | Collection[str]) -> frozenset[str]:
        """Return the stop words to use: the language's own (True), the given ones, or none (False).

        Examples
        --------
        >>> sorted(find_language("en").leave_out(["The", "A"]))
        ['a', 'the']
        """
        if stop_words is True:
            return self.stop_words
        return frozenset(word.casefold() for word in stop_words or ())

    def find_stemmer(self, stem: bool | str = True) -> str | None:
        """Return the name of the Snowball algorithm to use, or None for no stemming.

        Parameters
        ----------
        stem : bool or str
            True for the language's own, a name of `ALGORITHMS` for that one, False for none.

        Returns
        -------
        str or None
            None means words stay as they are: asked for, or Snowball as it is installed does not
            know the language (before PyStemmer 3: Czech, Esperanto, Estonian, Persian, Polish,
            Sesotho).

        Examples
        --------
        >>> find_language("nl").find_stemmer(), find_language("ja").find_stemmer()
        ('dutch', None)
        """
        if stem is True:
            return self.stemmer if self.stemmer in ALGORITHMS else None
        if not stem:
            return None
        if stem not in ALGORITHMS:
            raise OptionError(
                f"unknown stemmer {stem!r}; expected True, False or one of {', '.join(ALGORITHMS)}"
            )
        return stem


@cache
def _read_words(table: str, name: str) -> frozenset[str]:
    return frozenset(read_table("stopwords")[table].get(name, "").casefold().split())


@cache
def _pairs_of_hiragana() -> frozenset[str]:
    letters = [chr(code) for code in range(0x3041, 0x3097)]
    return frozenset(letters).union(a + b for a in letters for b in letters)


_STEMMED = {
    "arabic": "ar", "armenian": "hy", "basque": "eu", "catalan": "ca", "czech": "cs",
    "danish": "da", "dutch": "nl", "english": "en", "esperanto": "eo", "estonian": "et",
    "finnish": "fi", "french": "fr", "german": "de", "greek": "el", "hindi": "hi",
    "hungarian": "hu", "indonesian": "id", "irish": "ga", "italian": "it", "lithuanian": "lt",
    "nepali": "ne", "norwegian": "no", "persian": "fa", "polish": "pl", "portuguese": "pt",
    "romanian": "ro", "russian": "ru", "serbian": "sr", "sesotho": "st", "spanish": "es",
    "swedish": "sv", "tamil": "ta", "turkish": "tr", "yiddish": "yi",
}  # fmt: skip
_UNSTEMMED = {
    "any": "und", "bengali": "bn", "bulgarian": "bg", "burmese": "my", "chinese": "zh",
    "croatian": "hr", "hebrew": "he", "icelandic": "is", "japanese": "ja", "khmer": "km",
    "korean": "ko", "lao": "lo", "latvian": "lv", "marathi": "mr", "slovak": "sk",
    "slovenian": "sl", "thai": "th", "ukrainian": "uk", "urdu": "ur", "vietnamese": "vi",
}  # fmt: skip
_ELIDING = frozenset({"catalan", "french", "italian"})
_UNSPACED = frozenset({"chinese", "japanese"})

#: Every language by its English name. ``any`` makes no assumption about the language.
LANGUAGES: dict[str, Language] = {
    name: Language(
        name,
        code,
        stemmer=name if name in _STEMMED else None,
        elides=name in _ELIDING,
        spaced=name not in _UNSPACED,
    )
    for name, code in sorted((_STEMMED | _UNSTEMMED).items())
}
_BY_CODE = {language.code: language for language in LANGUAGES.values()}


def find_language(name: str | Language) -> Language:
    """Look a language up by its English name or its two-letter code.

    Parameters
    ----------
    name : str or Language
        ``"english"``, ``"en"`` and ``"en-GB"`` are the same. ``"any"`` is for text in an unknown
        language: general punctuation rules, no stemming, no stop words.

    Returns
    -------
    Language

    Raises
    ------
    OptionError
        For a name that is not in `LANGUAGES`; the message lists those that are.

    Examples
    --------
    >>> find_language("de").name, find_language("German").stemmer
    ('german', 'german')
    """
    if isinstance(name, Language):
        return name
    key = name.strip().lower().replace("_", "-")
    found = LANGUAGES.get(key) or _BY_CODE.get(key.split("-")[0])
    if found is None:
        raise OptionError(
            f"unknown language {name!r}; known: {', '.join(LANGUAGES)} (or their two-letter "
            "codes). Use 'any' for a language that is not listed."
        )
    return found
