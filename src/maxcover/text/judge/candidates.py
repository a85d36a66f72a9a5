"""Standing: which sentences a reader would accept, and which say nothing of the subject.

A stub, a heading or a fragment still says what a text is about, so it gives weight to its words; it
is not chosen while there are sentences. A signature, a header or a disclaimer gives none.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from maxcover.text.judge.speech import MARKS_OF_QUESTION, is_fluent, is_question
from maxcover.text.read.correspondence import is_courtesy
from maxcover.text.read.kinds import choosable, weighing
from maxcover.text.split.sentences import without_abbreviations
from maxcover.text.words.character_counts import CODE, PAIRS, Looks
from maxcover.text.words.codepoints import ALNUM, LOWER, count_codes, traits
from maxcover.text.words.keywords import EDGE, Screen
from maxcover.text.words.languages import Language

Bools = NDArray[np.bool_]

FRAME, PART, SENTENCE = 0, 1, 2
"""No content; content, but no sentence; and a sentence."""

LEAST_WORDS, MOST_WORDS, LEAST_CONTENT = 5, 80, 2
SPOKEN_WORDS, MOST_SPOKEN = 6, 50
UNSPACED_WORDS = 10
"""Words, and words with content, of what may be chosen: more words in a transcript, though not as
many, and more where every character counts as one."""

LEAST_ASKED = 9
"""Words of a question that may be chosen: a shorter one asks about what was said before it."""

LEAST_LETTERS = 0.5
"""Part of what is written that has to be letters."""

MANY_SIGNS = 4
"""Brackets and other signs of code from which a sentence is looked at word by word."""

LEAST_DIGITS = 7
"""Digits of a telephone number."""

ADDRESSED_WORDS = 10
"""Words for each address or telephone number from which a sentence is more than its address."""

TOLD_WORDS = 5
"""The same where a sentence tells somebody else to call."""

FEW = 0.05
"""A rule that fewer than a twentieth of the longer sentences keep is none of this text's."""

_END_MARKS = frozenset(".!?…。！？।॥؟۔")
_CLOSING = "\"'”’»)]›“*_` \u200e\u200f"
_OPENING = "\"'“‘«([„‹¿¡*_` \u200e\u200f"
_ADDRESS = re.compile(
    r"https?://\S*|www\.\w\S*|ftp://\S*|mailto:\S*|[\w.+-]+@[\w-]+\.\w\S*|\[email\]"
    r"|(?<![\w.-])(?:[\w-]+\.)+[a-z]{2,}/\S*",
    re.I,
)
_LINK_TARGET = re.compile(r"\]\([^)\s]*\)")  # of Markdown
_PHONE = re.compile(
    r"\+?\(?\d{2,4}\)?[\s./-]\(?\d{2,4}\)?[\s./-]\d{3,}|\+\d{1,3}(?:[\s./-]\d{1,4}){3,}"
)
_CALL = re.compile(r"(?:please |to )?(?:call|phone|ring|dial|contact|fax|tel|reach|for)\b", re.I)
_ATTRIBUTION = re.compile(
    r"\b(?:wrote|writes|schrieb|a écrit|escribió|ha scritto|skrev|napsala?)\s*:\s*$", re.I
)
_RULES = tuple(5 * sign for sign in "-=_*~#")
_LEGAL = (
    "intended recipient", "is confidential", "are confidential", "confidential and",
    "all rights reserved", "©", "project gutenberg", "proofreading team", "to subscribe",
    "privileged information", "notify the sender", "sent from my ", "click here", "read more:",
    "sign up for", "cookie policy", "follow us on", "share this ", "terms of use",
    "disclose this communication", "received this message in error", "received this email in",
    "received this e-mail in", "received this transmission in", "received this communication in",
    "sent from outlook", "do not click links", "do not reply to this", "you are receiving this",
    "copyright (c)", "may not be published, broadcast", "article was amended",
    "contributed to this report", "contributed to this story", "we use cookies", "be using cookies",
    "newsletters may contain", "equal opportunity employer", "of interest: none",
)  # fmt: skip
_COPYRIGHT = re.compile(r"copyright \d{4}\b")
# How to leave a list; a sentence about somebody who wants to is text.
_LEAVE = re.compile(r"^\W*(?:please |to |or )?unsubscribe\b|\byour?\b|@|://")
_DIGITS = "0123456789"
_WORDS = re.compile(r"[^\W\d_]{2,}")
_NO_LETTERS = {code: None for code in range(128) if not chr(code).isalpha()}
# Behind one of these a letter is part of a word, in scripts whose vowels are marks.
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e]")
# Courtesies, pointers to other places and numbered headings, which are sentences and say nothing.
_EMPTY = re.compile(
    r"(?:[\w. ]{1,20}, )?(?:(?:i )?hope you|sorry|thanks?|thank you"
    r"|please (?:let me know|find|see|feel)|let me know|see you|hope (?:this|that)"
    r"|(?:i'm |i am )?looking forward|talk to you|have a (?:nice|great|good)"
    r"|any (?:thoughts|comments|ideas|questions)|apologies"
    r"|i apologi[sz]e|(?:please )?forgive|you (?:make|have) an? \w+ point|my name is"
    r"|if you have any (?:\w+ )?questions|i(?:'ll| will| would) be (?:glad|happy)|call me)\b"
    r".{0,60}$|(?:i (?:\w+ )?agree|agreed)\b.{0,30}$"
    r"|\d+(?:\.\d+)+\.? [^\W\d].{0,80}$|(?:chapter|section|part|table|figure|fig\.|exhibit) \d+"
    r"|\((?:see|recommendation|figure|table|note)\b|\([^)]{1,24}\) (?-i:[a-z])",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"\b(?:(?:later|elsewhere|earlier) in this|(?:draft|remainder|rest|purposes?) of this report"
    r"|see (?:CRS|GAO|chapter|section|page)\b"
    r"|(?:see|discussed) (?:above|below|table|figure|fig\.|app\.|appendix)|appendix [IVX]+\b"
    r"|(?:stated|noted|described|mentioned) above\b(?! all)|\bdiscussed earlier\b"
    r"|(?:table|figure) \d+ shows|the following (?:table|figure|section))",
    re.IGNORECASE,
)
# How a report was made, and what becomes of it.
_METHOD = re.compile(
    r"(?:(?:To|For|In) [^;]{4,400}?, )?we (?:also )?(?:interviewed|reviewed|found the data"
    r"|determined that .{1,200} reliable\b|selected a \w* ?sample\b|are sending copies"
    r"|believe that the evidence)"
    r"|to (?:address|answer) (?:\w+ ){1,4}objectives?\b|our objectives? (?:was|were)\b"
    r"|.{0,200}\b(?:are not generali[sz]able|nonprobability sample|auditing standards"
    r"|is discussed in)\b",
    re.IGNORECASE,
)
# What tells an audit, and how one is made; elsewhere such sentences are what is told.
_AUDIT = re.compile(r"\bwe interviewed\b|\bauditing standards\b", re.IGNORECASE)
_MADE = re.compile(
    r"(?:(?:As|Based|By|For|In|Over|To|When|While)\b[^;]{2,400}?, |Further, |Specifically, )?we "
    r"(?:also |first |further |generally |then )?(?:analy[sz]ed|asked|assessed|collected|compared"
    r"|conducted|considered|determined|developed|evaluated|examined|included|mapped|obtained"
    r"|selected|used|visited)\b(?!.*\bfound\b)|.{0,200}\b(?:technical|had no) comments\b",
    re.IGNORECASE,
)
# The number of the next item, behind the one before it or a colon.
_NEXT_ITEM = re.compile(
    r"[:;.!?][\"”)]?\s+\(?\d{1,2}[.)]$"
    r"|(?:[:;]\s|::|\b\d{1,2}[.)]\s?[^\W\d_]).{0,400}\s\(?\d{1,2}[.)]$"
)
# One of these is in every pointer: most sentences are spared the search.
_POINTING = ("this", "see ", "See ", "discussed", "ed above", "ppendix", "shows", "he following")
# Lines of a letter's head that lost their line ends.
_HEAD = re.compile(r"(?<!\w)(?:(?:From|To|C[Cc]|cc|Sent(?: by)?|Date|Subject)\s?:|On Behalf Of\b)")
_PLAIN = re.compile(r"[\"'“”‘’«»(\[]*[^\W_]+(?:['’.,-][^\W_]+)*[\"'“”‘’«»)\].,:;!?%…-]*")
_SMALL = re.compile(r"(?<!\S)(?!(?:and|the|for|und|der|des|von|les|del)\b)[a-z]\w\w")
# Words in lower case that names and headings have too.
_LINKS = frozenset(
    ["and", "the", "for", "und", "der", "des", "von", "der", "les", "des", "del", "and/or"]
)
# Words of which one is in every sentence that breaks a rule; most sentences hold none.
_NO_PROSE, _NOT_WHOLE = 1, 2
_ENDINGS = ("...", "…", ' "', " “", *MARKS_OF_QUESTION)
_COURTESIES = (
    "hope you", "sorry", "thank", "please ", "let me know", "see you", "hope this", "hope that",
    "looking forward", "talk to you", "have a nice", "have a great", "have a good", "any thoughts",
    "any comments", "any ideas", "any questions", "apologies", "i apologi", "forgive", "you make a",
    "you have a", "my name is", "if you have any", "i'll be ", "i will be ", "i would be ",
    "call me", "agree",
)  # fmt: skip
_NUMBERED = ("chapter", "section", "part", "table", "figure", "fig.", "exhibit")
_POINTERS = (
    "later in this", "elsewhere in this", "earlier in this", "of this report", "see above",
    "see below", "see crs", "see gao", "see chapter",
    "see section", "see page", "see table", "see figure", "see fig.", "see app", "discussed above",
    "discussed below", "discussed earlier", "stated above", "noted above", "described above",
    "mentioned above", "discussed table", "discussed figure", "discussed fig.", "discussed app",
    "appendix ", "0 shows", "the following table", "the following figure", "the following section",
)  # fmt: skip
_METHODS = (
    "we interviewed", "we also interviewed", "we reviewed", "we also reviewed", "we found the data",
    " reliable", "sample", "are sending copies", " objective", "generali", "auditing standards",
    "believe that the evidence", "is discussed in", "0." + EDGE, "0)" + EDGE,
)  # fmt: skip
SCREEN = Screen.of(
    (*_RULES, *_LEGAL, "copyright 0", "unsubscribe", ":", "@", "/", "www.", "[email]"),
    (
        *(ending + EDGE for ending in _ENDINGS),
        *_COURTESIES,
        *(f"{EDGE}{name} 0" for name in _NUMBERED),
        f"{EDGE}0",
        f"{EDGE}(",
        *_POINTERS,
        *_METHODS,
        "> wrote: ",
    ),
)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Counts of each sentence: words, and words with content."""

    words: NDArray[np.int64]
    content: NDArray[np.int64]


def find_standing(
    texts: Sequence[str],
    kinds: Sequence[str],
    sizes: Sizes,
    *,
    looks: Looks,
    language: Language,
    spoken: bool,
) -> NDArray[np.int8]:
    """Say of each sentence whether it frames the text, is part of it, or may be chosen.

    Parameters
    ----------
    texts : sequence of str
        Sentences, without the names of speakers.
    kinds : sequence of str
        Of the block that each stands in; see `KINDS`.
    sizes : Sizes
    looks : Looks
        Of the sentences, with `SCREEN`. Rules are only asked of sentences that may break them.
    language : Language
    spoken : bool
        Whether they are a transcript.

    Returns
    -------
    int8 array
        FRAME, PART or SENTENCE.
    """
    weighs, may = weighing(kinds), choosable(kinds)
    prose, whole = _find_prose(texts, looks), _find_whole(texts, looks, language)
    if not spoken and _is_audit(texts, looks):
        whole &= [_MADE.match(text) is None for text in texts]
    ends, starts = _find_ends(texts, looks), _find_starts(texts, looks)
    least = LEAST_WORDS if language.spaced else UNSPACED_WORDS
    long = may & (sizes.words >= least) & (sizes.words <= MOST_WORDS)
    chosen = weighs & prose & long & (sizes.content >= LEAST_CONTENT) & whole
    if spoken:
        code = language.code
        fluent = np.fromiter((is_fluent(text, code) for text in texts), np.bool_, len(texts))
        chosen &= (sizes.words >= SPOKEN_WORDS) & (sizes.words <= MOST_SPOKEN) & fluent
    if language.code != "en":
        for row in np.flatnonzero(chosen).tolist():
            chosen[row] = not is_courtesy(texts[row])
    for keeps in (ends, starts):
        if long.any() and np.count_nonzero(keeps & long) / np.count_nonzero(long) >= FEW:
            chosen &= keeps
    standing = np.where(chosen, SENTENCE, np.where(weighs & prose, PART, FRAME))
    return standing.astype(np.int8)


def _ask(rule: Callable[[str], bool], texts: Sequence[str], maybe: Bools) -> Bools:
    """Tell which sentences keep a rule; those that are not `maybe` breaking it do."""
    kept = ~maybe
    for row in np.flatnonzero(maybe).tolist():
        kept[row] = rule(texts[row])
    return kept


def _find_ends(texts: Sequence[str], looks: Looks) -> Bools:
    return _ask(_ends, texts, ~_are_end_marks(count_codes(looks.last))[looks.last])


@cache
def _are_end_marks(n_codes: int) -> Bools:
    """Tell which of the first code points end a sentence."""
    found = np.zeros(n_codes, np.bool_)
    found[[ord(mark) for mark in _END_MARKS if ord(mark) < n_codes]] = True
    return found


def _find_starts(texts: Sequence[str], looks: Looks) -> Bools:
    known = traits(count_codes(looks.first))[looks.first]
    return _ask(_starts, texts, (known & ALNUM == 0) | (known & LOWER != 0))


def _is_audit(texts: Sequence[str], looks: Looks) -> bool:
    """Tell whether texts say that somebody was interviewed for them, or name rules of audits."""
    maybe = np.flatnonzero(looks.masks & _NOT_WHOLE).tolist()
    return any(_AUDIT.search(texts[row]) for row in maybe)


def _find_prose(texts: Sequence[str], looks: Looks) -> Bools:
    lettered = looks.letters >= LEAST_LETTERS * (looks.sizes - looks.spaces)
    maybe = (looks.masks & _NO_PROSE != 0) | (looks.digits >= LEAST_DIGITS) | ~lettered
    return _ask(_is_prose, texts, maybe)


def _find_whole(texts: Sequence[str], looks: Looks, language: Language) -> Bools:
    maybe = (looks.masks & _NOT_WHOLE != 0) | (looks.code >= MANY_SIGNS)
    maybe |= ~looks.quoted | ~looks.balanced
    if language.code == "he":  # an even number may be one that opens, and an abbreviation
        maybe |= np.fromiter(('"' in text for text in texts), np.bool_, len(texts))
    named = _ask(_is_no_name, texts, looks.small_words == 0)
    return named & _ask(lambda text: _is_whole(text, language), texts, maybe)


def _ends(text: str) -> bool:
    """Tell whether a sentence ends as one does."""
    return text[-1] in _END_MARKS or text.rstrip(_CLOSING)[-1:] in _END_MARKS


def _starts(text: str) -> bool:
    """Tell whether a sentence begins as one does: not in lower case, nor behind a comma."""
    first = text[0] if text[0].isalnum() else text.lstrip(_OPENING)[:1]
    return not first.islower() and first not in (",", ";", ":", ")")


def _is_whole(text: str, language: Language) -> bool:
    """Tell whether quotations and brackets are closed, and something is said."""
    if text.endswith((' "', " “", "...", "…")) or _EMPTY.match(text) or _METHOD.match(text):
        return False
    if (any(word in text for word in _POINTING) and _POINTER.search(text)) or (
        text[-2:-1].isdigit() and _NEXT_ITEM.search(text)
    ):
        return False
    if (
        _is_code(text)
        or "> wrote: " in text
        or (is_question(text) and text.count(" ") + 1 < LEAST_ASKED)
    ):
        return False
    if '"' in text and _count_quotes(text, language) % 2:
        return False
    if text.isascii():
        return ("(" not in text and ")" not in text) or text.count("(") == text.count(")")
    return all(text.count(pair[0]) == text.count(pair[1]) for pair in PAIRS)


def _count_quotes(text: str, language: Language) -> int:
    """Count straight quotation marks, but for those with which Hebrew abbreviates."""
    return (without_abbreviations(text) if language.code == "he" else text).count('"')


def _is_code(text: str) -> bool:
    """Tell whether most of what stands between white space is no word: code, formulas, names."""
    if sum(map(text.count, CODE)) < MANY_SIGNS:
        return False
    words = text.split()
    return sum(_PLAIN.fullmatch(word) is not None for word in words) < 0.6 * len(words)


def _is_no_name(text: str) -> bool:
    """Tell whether something is said in lower case; a name or heading is all in capitals.

    Scripts that have no capitals are passed.
    """
    if _SMALL.search(text) is not None:
        return True
    words = text.split()
    if any(word[0].islower() and len(word) > 2 and word not in _LINKS for word in words):
        return True
    return not any(word[0].isupper() for word in words)


def _is_prose(text: str) -> bool:
    """Tell whether a sentence is of the text: no address, rule, attribution or legal notice."""
    low = text.lower()
    if any(rule in text for rule in _RULES) or any(words in low for words in _LEGAL):
        return False
    if _COPYRIGHT.search(low) or ("unsubscribe" in low and _LEAVE.search(low)):
        return False
    if text[-1] == ":" and _ATTRIBUTION.search(text):
        return False
    if ":" in text and len(_HEAD.findall(text)) > 1:
        return False
    if text.isascii():
        letters = len(text.translate(_NO_LETTERS))
    else:
        letters = sum(map(str.isalpha, text)) + len(_MARKS.findall(text))
    return letters >= LEAST_LETTERS * (len(text) - text.count(" ")) and not _is_address(text, low)


def _is_address(text: str, low: str) -> bool:
    """Tell whether a sentence is little more than addresses and telephone numbers."""
    written = "@" in text or "/" in text or "www." in low or "[email]" in low
    if written and "](" in text:
        text = _LINK_TARGET.sub("]", text)
    found = len(_ADDRESS.findall(text)) if written else 0
    least = ADDRESSED_WORDS
    if sum(map(text.count, _DIGITS)) >= LEAST_DIGITS:
        if not found and text[-1] == "." and not _CALL.match(text):
            least = TOLD_WORDS
        found += len(_PHONE.findall(text))
    if not found:
        return False
    return len(_WORDS.findall(_ADDRESS.sub(" ", text))) < found * least
