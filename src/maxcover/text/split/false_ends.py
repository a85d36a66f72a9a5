"""Joints: sentence ends that the splitter underneath sees where there are none.

An abbreviation before a number or a name, an ordinal, initials, a quotation that goes on with "he
asked". One table for each; `tests/text/sentence_cases.py` has the list that they are checked on.
"""

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels.ends import settle
from maxcover.text.words.codepoints import DIGIT, Int64s, Letters, count_codes, traits

# Characters before a sentence end that are looked at.
_WINDOW = 24
# Before a number.
_BEFORE_NUMBER = re.compile(
    r"(?:^|[\s(\['’])(?:eqs?|eqns?|figs?|nos?|nr|núm|n|arts?|abs|abb|bd|s|pp?|vols?|ch|chap|secs?|tab"
    r"|ziff|cf|vgl|cap|pág|págs|ca|approx|est|v|vv|ver|pt|pts|ex|jan|feb|mar|apr|jun|jul|aug"
    r"|sept?|oct|nov|dec|tel|fax|ph)\.\s*$",
    re.IGNORECASE,
)
# Before a name or any other word.
_NAMES = (
    "Dr|Prof|Mr|Mrs|Ms|Mme|Mlle|MM|Mgr|Fa|Fr|Hr|Hrn|St|Ste|Ing|Dipl|Sr|Sra|Dra|Gen|Sen"
    "|Rep|Gov|Col|Lt|Capt|Cpl|Sgt|Spc|Pfc|Pvt|Maj|Rev|Hon|Adm|Cmdr|Messrs|Mt|Ft|vs|Bros"
    "|डॉ|श्री|श्रीमती|प्रो|कु|د|أد|أ.د|م|ا|السيد"
)
_FRENCH_NAMES = "M|C|art|al|éd|trad|Dr|Me|p|Cass|civ"
# Before a name, a number or any other word, by language.
_ABBREVIATIONS = {
    "da": "kl|f.eks|bl.a|ca|nr|Skt|Sct|hr|fr|Frk|frk|fhv|gl|jf|pkt|stk|tlf|vedr|inkl|ekskl|evt|hhv"
    "|pga|maks|afd|bd|red|udg|dvs|d.v.s|resp|nuv|cand|stud|adm|dir|prof|dr|mio|mia|pct",
    "el": "αρ|κ|κα|σελ|τηλ|π.χ|δηλ",
    "it": "d.lgs|sig.ra|sig.na|v|sig|Sig|sigg|Sigg|dott|Dott|dott.ssa|Dott.ssa|prof|avv|Avv|ing"
    "|arch|Arch|geom|Geom|rag|Rag|on|On|sen|mons|Mons|dir|Dir|cav|Cav|comm|psicol|egr|Egr|gent"
    "|Gent|spett|Spett|preg|Preg|art|artt|pag|pagg|cfr|lett|sez|tel|es|cit|vol|n|nn|p|pp|amm|Amm",
    "nl": "mevr|dhr|mw|drs|ir|nr|blz|o.a|d.w.z|m.n|bijv",
    "no": "kl|f.eks|bl.a|ca|nr",
    "pl": "godz|ul|al|os|ok|św|im|m.in|tj|tzw",
    "pt": "Av|Exmo|Exma",
    "ru": "рис|стр|табл|гл|ст|ул|им|см|т.н",
    "sv": "kl|t.ex|bl.a|ca|nr|d.v.s",
    "tr": "Av|Cad|Sok|Mah|Bul|Sn",
}
_KNOWN = frozenset(
    name for names in (_NAMES, _FRENCH_NAMES, *_ABBREVIATIONS.values()) for name in names.split("|")
)
_BEFORE_NAME = re.compile(rf"(?:^|[\s(\['’\"“«])(?:{_NAMES.replace('.', '[.]')})\.\s*$")
_FRENCH = re.compile(rf"(?:^|[\s(\['’])(?:{_FRENCH_NAMES})\.\s*$")
_MONSIEUR = re.compile(r"(?:^|\s)(?:M|Me)\.\s*$")
_HALF_DAY = re.compile(r"\b[ap]\.m\.\s*$", re.IGNORECASE)
_DAY = re.compile(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:E|C|P|M)[SD]?T\b|GMT|UTC|\(")
_INITIAL = re.compile(r"(?:^|[\s.(-])[A-Z]\.\s*$")
_INITIAL_NEXT = re.compile(r"[A-Z]\.")
_ORDINAL = re.compile(
    r"(?:^|\s)(?:am|im|dem|den|der|des|das|die|vom|zum|zur|bis|seit|ab|vor|und|ein|eine[nmrs]?|jeden"
    r"|diese[nmrs]?|ende|mitte|anfang|nach|beim|mit|ins)\s+\d{1,2}\.\s*$",
    re.IGNORECASE,
)
_ENUMERATED = re.compile(r"[:;,–—-]\s*(?:\d{1,2}|[a-z])[.)]\s*$")
# Of a file or a domain, with nothing before it but the full stop: "home.PNG", "Kynn.COM".
_ENDING = re.compile(r"[A-Z]{2,4}\b")
# Letters with a full stop behind each, as in "ए.एफ़.पी", where no capitals say so.
_LETTERED = re.compile(r"(?:^|\s)(?:[^\W\d]\S{0,3}?\.){2,}$")
_HINDI = re.compile(r"(?:^|[\s\d.])(?:कि|मि|मी|सें|रु|सं|नं|ई|पू|स्व|पं)\.\s*$")
_ABBREVIATED = {
    code: re.compile(rf"(?:^|[\s(\['’\"“«])(?:{names.replace('.', '[.]')})\.\s*$")
    for code, names in _ABBREVIATIONS.items()
}
_OF_LANGUAGE = {"de": _ORDINAL, "hi": _HINDI, **_ABBREVIATED}
# Marks that close a quotation, and what is part of its sentence behind them.
_SAID = {
    "ja": ("」』", re.compile(r"\s*(?:と|って|という|、|，|などと)")),
    "ko": ('"”’」', re.compile(r"(?:이?라|고|며|는|란)[^\s.]{0,2}(?=[\s,])")),
    "zh": (
        "”」』",
        re.compile(r"[^。！？，“”「\s]{1,12}(?:说|說|表示|指出|称|稱|问|問|道)[^。]{0,6}。"),
    ),
}
QUOTING = frozenset(_SAID)
"""Codes of languages whose every cut is looked at."""


def settle_ends(
    letters: Letters, cuts: Int64s, closing: list[bool], *, sizes: tuple[int, int]
) -> tuple[list[int], Int64s]:
    """Trim the sentences between cuts, and tell which ones the characters leave in doubt.

    Parameters
    ----------
    letters : uint32 array
        A text.
    cuts : int64 array
        Where sentences begin, and behind the last one of a block where it ends.
    closing : list of bool
        Which cuts are such ends.
    sizes : (int, int)
        Length of the shortest and of the longest sentence that is no doubt.

    Returns
    -------
    doubts : list of int
        For each cut, 1 if it may be a joint, provided that those before it are none; plus 2 if the
        sentence behind it holds no letter or digit, is too long, or may be a number of the next.
    spans : int64 array (n_cuts, 2)
        The sentence behind each cut, without white space around it.

    Examples
    --------
    >>> from maxcover.text.words.codepoints import to_letters
    >>> text = "See Fig. 3 for more. It is always late."
    >>> closing = [False, False, False, True]
    >>> settle_ends(to_letters(text), np.array([0, 9, 21, 39]), closing, sizes=(9, 300))[0]
    [0, 1, 0, 0]
    """
    spans = np.zeros((len(cuts), 2), np.int64)
    doubts = np.empty(len(cuts), np.uint8)
    fixed = (_WINDOW, *sizes, _packed_names())
    known = _traits(count_codes(letters))
    settle(letters, known, cuts, np.array(closing, np.bool_), *fixed, doubts, spans.ravel())
    return doubts.tolist(), spans


@cache
def _traits(n_codes: int) -> NDArray[np.uint8]:
    """Say what the first characters are, as the kernel has it; a plus sign begins a number."""
    found = traits(n_codes).copy()
    found[ord("+")] |= DIGIT
    return found


@cache
def _packed_names() -> NDArray[np.int64]:
    """Give the known abbreviations in ASCII as numbers, eight bits a letter, the last one first."""
    names = (name for name in sorted(_KNOWN) if name.isascii())
    return np.array([int.from_bytes(name.encode()[::-1], "big") for name in names], np.int64)


def is_joint(text: str, start: int, cut: int, code: str) -> bool:
    """Tell whether the sentence that begins at `start` goes on behind `cut`.

    Examples
    --------
    >>> text = "See Fig. 3 for more. It is late."
    >>> is_joint(text, 0, 9, "en"), is_joint(text, 0, 21, "en")
    (True, False)
    """
    first = text[cut]
    if code in QUOTING:
        marks, said = _SAID[code]
        if code != "ko" or text[cut - 1] in marks:
            closed = text[start:cut].rstrip()[-1:]
            return closed in marks and said.match(text, cut) is not None
    before = text[max(start, cut - _WINDOW) : cut]
    stem = before.rstrip()
    if stem[-1:] != ".":
        return False
    if first.isdigit() or first == "+":
        # the splitter knows decimals in European digits only
        inside = not first.isascii() and before[-1] == "." and before[-2:-1].isdigit()
        rule = _ABBREVIATED.get(code, _BEFORE_NUMBER)
        return inside or any(one.search(before) for one in (_BEFORE_NUMBER, rule))
    goes_on = first.islower() and text[start].isupper()
    if goes_on or (before[-1] == "." and _ENDING.match(text, cut)):
        return True
    if _is_plain(stem.rpartition(" ")[2][:-1]):
        return False
    return _ENUMERATED.search(before) is not None or _is_before_name(text, before, cut, code)


def _is_plain(word: str) -> bool:
    """Tell of most words and numbers, without a regular expression, that no table holds them."""
    if word.isalpha():
        return len(word) > 1 and word not in _KNOWN
    return len(word) > 2 and word.isalnum()


def _is_before_name(text: str, before: str, cut: int, code: str) -> bool:
    """Tell whether a title, ordinal, initial or hour ends `before`."""
    if _BEFORE_NAME.search(before):
        return True
    if _INITIAL.search(before) and _INITIAL_NEXT.match(text, cut):
        return True
    if _HALF_DAY.search(before) and _DAY.match(text, cut):
        return True
    if before[-1] == "." and not text[cut].isascii() and _LETTERED.search(before):
        return True
    if code == "fr":
        return _MONSIEUR.search(before) is not None or (
            _FRENCH.search(before) is not None and not text[cut].isupper()
        )
    rule = _OF_LANGUAGE.get(code)
    return rule is not None and rule.search(before) is not None
