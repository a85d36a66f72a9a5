"""Joints: sentence ends that the splitter underneath sees where there are none.

An abbreviation before a number or a name, an ordinal, initials, a quotation that goes on with "he
asked". One table for each; `tests/text/sentence_cases.py` has the list that they are checked on.
"""

import re

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
_KNOWN = frozenset(f"{_NAMES}|{_FRENCH_NAMES}".split("|"))
_BEFORE_NAME = re.compile(rf"(?:^|[\s(\['’\"“«])(?:{_NAMES.replace('.', '[.]')})\.\s*$")
_FRENCH = re.compile(rf"(?:^|[\s(\['’])(?:{_FRENCH_NAMES})\.\s*$")
_MONSIEUR = re.compile(r"(?:^|\s)(?:M|Me)\.\s*$")
_HALF_DAY = re.compile(r"\b[ap]\.m\.\s*$", re.IGNORECASE)
_DAY = re.compile(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:E|C|P|M)[SD]?T\b|GMT|UTC|\(")
_INITIAL = re.compile(r"(?:^|[\s.(])[A-Z]\.\s*$")
_INITIAL_NEXT = re.compile(r"[A-Z]\.")
_ORDINAL = re.compile(
    r"(?:^|\s)(?:am|im|dem|den|der|des|das|die|vom|zum|zur|bis|seit|ab|vor|und|ein|eine[nmrs]?|jeden"
    r"|diese[nmrs]?|ende|mitte|anfang|nach|beim|mit|ins)\s+\d{1,2}\.\s*$",
    re.IGNORECASE,
)
_ENUMERATED = re.compile(r"[:;,–—-]\s*(?:\d{1,2}|[a-z])[.)]\s*$")
# Of a file or a domain, with nothing before it but the full stop: "home.PNG", "Kynn.COM".
_ENDING = re.compile(r"[A-Z]{2,4}\b")
_SAID = re.compile(r"\s*(?:と|って|という|、|，|などと)")


def is_joint(text: str, start: int, cut: int, code: str) -> bool:
    """Tell whether the sentence that begins at `start` goes on behind `cut`.

    Examples
    --------
    >>> text = "See Fig. 3 for more. It is late."
    >>> is_joint(text, 0, 9, "en"), is_joint(text, 0, 21, "en")
    (True, False)
    """
    first = text[cut]
    if code == "ja":
        return text[start:cut].rstrip()[-1:] in "」』" and _SAID.match(text, cut) is not None
    before = text[max(start, cut - 24) : cut]
    stem = before.rstrip()
    if stem[-1:] != ".":
        return False
    if first.isdigit() or first == "+":
        return _BEFORE_NUMBER.search(before) is not None
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
    return len(word) > 2 and word.isdigit()


def _is_before_name(text: str, before: str, cut: int, code: str) -> bool:
    """Tell whether a title, ordinal, initial or hour ends `before`."""
    if _BEFORE_NAME.search(before):
        return True
    if _INITIAL.search(before) and _INITIAL_NEXT.match(text, cut):
        return True
    if _HALF_DAY.search(before) and _DAY.match(text, cut):
        return True
    if code == "fr":
        return _MONSIEUR.search(before) is not None or (
            _FRENCH.search(before) is not None and not text[cut].isupper()
        )
    return code == "de" and _ORDINAL.search(before) is not None
