"""Speech: what makes an utterance of a transcript unfit for print; mostly English."""

import re
from functools import cache

from maxcover.text.words.lists import read_table

_LISTS = read_table("speech")
FILLERS = frozenset(_LISTS["fillers"].split())
"""Words without content in a transcript: what fills a pause, and verbs that could be any verb."""

# A word that is said twice, or broken off: "we we", "bu button", "w but"; or none: "um".
_STUMBLE = (
    r"(?i:\b([\w'’]+),? \1\b|\b(\w+ ['’]?\w+),?(?: (?!and|but|or|if)\w{1,4},?){0,2} \2\b)"
    r"|(?i:\b(?!so |to |in |an |no |on |the |as |at |be |me |or |for |it |we |of |a )"
    r"(?<!['’])(\w{2,12}) \3\w+)"
    r"|(?i:\b(i|we|they) [a-z]{1,3},? \4\b|\b(in|on|at|of|to|for|with) (?:the|a|an|this|that) \5\b)"
    r"|(?i:\b(\w{3,}),? (?!by|to|for|after|and|in|of|or|on|than|is|the|do|did)[\w']{1,4} \6\b)"
    r"|(?<!['’.&])\b(?:[bcdfghjklmnpqrstvwxz]{1,2}|[iy])\b(?!['’.&])"
    r"|^\W*[BCDFGHJKLMNPQRSTVWXZ][bcdfghjklmnpqrstvwxz]?\b(?!['’.&])"
    r"|\b(?:I|[Ww]e|[Yy]ou|[Tt]hey) (?:I|we|they|he|she)\b"
    r"|\b(?i:a|an|the|my|your|our|their) (?:a|an|the|this|that|my|your|it|we|he|they|if|what|is|are"
    r"|and|but|to|of|you)\b"
    r"|\b(?i:um|uh|eh|mm|hmm|yeah|huh|you know|i mean|i guess|like i|or whatever|or something)\b"
    r"|\b(?i:and (?:stuff|things|everything|all that)|that sort of|kind of like|all kinds of)\b"
    # a new start: "we thought about Yeah, the back"
    r"|(?:[a-z],?|\bI) (?:When|We|My|So|Well|Yeah|It|The|That|This|You|They|If|And|But|Is|Are|What"
    r"|How"
    r"|Okay|OK|Oh|Right|Yes|No|Sorry|There|Because|Maybe|Then|Can|Do|Does|Did|Have|From|In|At|For|To"
    r"|Not|Where|Why|Who|Was|Were|As|On|Of|A|Just|He|She|Let|Some|These|Those|Should|Would|Could)\b"
    r"|\bI (?:you|we|they|he|she|dun|dunno)\b|\b(?:it|they|we|you|he|she) (?:the|a|an)\b"
    r"|^\W*[B-HJ-Z] [a-z]"
    # no subject
    r"|^\W*(?:Just|Might|Got|Not that|Think|Guess|Needs?|Means|Looks?|Sounds|Seems|Did"
    r"|Do|Does|Is|Are|Was|Were|Have|Has|Had|Can|Could|Will|Would|Should|Who|Wanna|Gonna|Trying)\b"
)
# What a stumble needs is looked for among the words first; few utterances have it.
_LAST, _SOUNDS, _STARTS = (frozenset(_LISTS[name].split()) for name in ("last", "sounds", "starts"))
_CONSONANTS = "bcdfghjklmnpqrstvwxz"
_BITS = frozenset([*_CONSONANTS, *(a + b for a in _CONSONANTS for b in _CONSONANTS), "i", "y"])
_PAIRS = frozenset(
    (first, second)
    for pair in _LISTS["pairs"].strip().splitlines()
    for first in pair.partition("|")[0].split()
    for second in pair.partition("|")[2].split()
)
_AT_START = (
    r"\W*(?:[BCDFGHJKLMNPQRSTVWXZ][bcdfghjklmnpqrstvwxz]?\b(?!['’.&])|[B-HJ-Z] [a-z]"
    r"|(?:Just|Might|Got|Not that|Think|Guess|Needs?|Means|Looks?|Sounds|Seems|Did"
    r"|Do|Does|Is|Are|Was|Were|Have|Has|Had|Can|Could|Will|Would|Should|Who|Wanna|Gonna|Trying)\b)"
)
# Sounds of other languages; words of theirs may look like stumbles of English.
_SOUND = (
    r"\b(?:äh+m?|öh+m?|ehm+|hm+|mm+|euh|heu|eeh+|э-?э+м?|м-?м+|eee+)\b|えーと|ええと|えっと|あのー"
    r"|呃|嗯"
)
_WORD, _PIECE = re.compile(r"\w+"), re.compile(r"[\w'’]+")
MARKS_OF_QUESTION = ("?", "？", "؟", '?"', "?”", "ますか。", "ですか。", "でしょうか。")


def is_question(text: str) -> bool:
    """Tell whether a sentence asks something.

    Examples
    --------
    >>> is_question("Who repairs the crane?"), is_question("Nobody does.")
    (True, False)
    """
    return text.endswith(MARKS_OF_QUESTION)


def is_fluent(text: str, code: str = "en") -> bool:
    """Tell whether an utterance could be printed; `code` is that of its language.

    It does not stumble, asks nothing, and does not end with a word for something else; outside
    English it asks nothing and holds no sound that fills a pause.

    Examples
    --------
    >>> is_fluent("We w we need a crane."), is_fluent("You can see it there.")
    (False, False)
    >>> is_fluent("The port needs a crane."), is_fluent("Faltan un barco y un puerto.", "es")
    (True, True)
    """
    if is_question(text):
        return False
    if code != "en":
        return _compiled(_SOUND, re.IGNORECASE).search(text) is None
    words = _WORD.findall(text)
    low = [word.lower() for word in words]
    if not low or low[-1] in _LAST or not _SOUNDS.isdisjoint(low):
        return not low
    if _compiled(_AT_START).match(text) is not None:
        return False
    return not _may_stumble(text, words, low) or _compiled(_STUMBLE).search(text) is None


def _may_stumble(text: str, words: list[str], low: list[str]) -> bool:
    """Tell whether words follow each other as they do in a stumble."""
    after = low[1:]
    pairs = list(zip(low, after, strict=False))
    if (
        not _STARTS.isdisjoint(words[1:])
        or not _BITS.isdisjoint(_PIECE.findall(text))
        or not _PAIRS.isdisjoint(pairs)
        or any(map(str.startswith, after, low))
    ):
        return True
    return len(set(low)) < len(low) and (
        any(map(str.__eq__, low, low[2:]))
        or any(map(str.__eq__, low, low[3:]))
        or len(set(pairs)) < len(pairs)
    )


# Compiled when there is talk to read: it takes milliseconds.
_compiled = cache(re.compile)
