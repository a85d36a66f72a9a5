"""Speech: what makes an utterance of a transcript unfit for print. English, but for questions."""

import re

_FILLERS = """
    um uh hmm mm mmm hm huh yeah yep yes no nope okay ok right well so oh ah like know mean guess
    think sure cool great fine good nice alright gonna wanna gotta kinda really actually basically
    anyway exactly absolutely obviously probably maybe just course thanks thank sorry hi hello hey
    bye please kind sort thing things stuff lot bit little something anything everything somebody
    somewhere way s m re ll ve d t don didn doesn isn wasn aren won can couldn wouldn haven
    get gets getting got go goes going went gone come comes coming came want wants wanted need needs
    let put say says saying said see look looks looking talk talking try trying tried do doing done
    make makes start one ones two
"""
FILLERS = frozenset(_FILLERS.split())
"""Words without content in a transcript: what fills a pause, and verbs that could be any verb."""

_FILLED = re.compile(
    r"\W*(?:um+|uh+|mm+|hmm+|yeah|yep|yes|no|okay|ok|well|oh|ah|right|sorry|you know"
    r"|alright|sure|thanks?|like|because|'cause|cuz|course|although|now|or|even if|just)\b",
    re.IGNORECASE,
)
# A word that is said twice, or broken off: "we we", "bu button", "w but"; or none: "um".
_STUMBLE = re.compile(
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
    r"|[a-z],? (?:When|We|My|So|Well|Yeah|It|The|That|This|You|They|If|And|But|Is|Are|What|How"
    r"|Okay|OK|Oh|Right|Yes|No|Sorry|There|Because|Maybe|Then|Can|Do|Does|Did|Have)\b"
    # no subject
    r"|^\W*(?:Just|Might|Got|Not that|Think|Guess|Needs?|Means|Looks?|Sounds|Seems)\b"
)
# About the meeting, not what it is about.
_PROCESS = re.compile(
    r"\b(?:(?:move|moving) on|minutes? (?:left|to)|hand(?:ing)? over to|let me (?:just )?(?:\w+)"
    r"|(?:a|my|the|next|simple|first|last) (?:\w+ )?questions? (?:for|to|is|are|in|on|then)"
    r"|welcome to|(?:just |to )be clear|tak(?:e|ing) (?:the )?notes|com(?:e|ing) (?:back|round) to"
    r"|the microphones?|next meeting|this meeting|the agenda|thank you)\b",
    re.IGNORECASE,
)
# Ends with a word for something that was said before, or that the room can see.
_POINTS = re.compile(
    r"\b(?:it|that|this|them|those|these|there|here|one|ones|so|too|though|either|now|him|her|those"
    r"|do|did|does|and|but|or|the|a|of|to|like|again)\W*$",
    re.IGNORECASE,
)
_MARKS_OF_QUESTION = ("?", "？", "؟", '?"', "?”")


def is_question(text: str) -> bool:
    """Tell whether a sentence asks something.

    Examples
    --------
    >>> is_question("Who repairs the crane?"), is_question("Nobody does.")
    (True, False)
    """
    return text.endswith(_MARKS_OF_QUESTION)


def is_fluent(text: str) -> bool:
    """Tell whether an utterance could be printed.

    It does not stumble, asks nothing, is not about the meeting itself, and does not end with a word
    for something else.

    Examples
    --------
    >>> is_fluent("We w we need a crane."), is_fluent("You can see it there.")
    (False, False)
    >>> is_fluent("The port needs a crane.")
    True
    """
    rules = (_STUMBLE, _POINTS, _PROCESS)
    return not is_question(text) and all(rule.search(text) is None for rule in rules)


def is_filled(text: str) -> bool:
    """Tell whether an utterance begins with a filler.

    Examples
    --------
    >>> is_filled("Okay, the port needs a crane."), is_filled("The port needs a crane.")
    (True, False)
    """
    return _FILLED.match(text) is not None
