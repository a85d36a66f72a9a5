"""The languages known to the text pipeline: one table for splitting, stemming and stop words."""

from dataclasses import dataclass

from maxcover.errors import OptionError


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
