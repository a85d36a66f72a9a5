"""Speech: what makes an utterance of a transcript unfit for print; mostly English."""

import re
from functools import cache

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
# Ends with a word for something that was said before, or that the room can see.
_POINTS = (
    r"\b(?:it|that|this|them|those|these|there|here|one|ones|so|too|though|either|now|him|her|those"
    r"|do|did|does|and|but|or|the|a|of|to|like|again)\W*$"
)
# Sounds of other languages; words of theirs may look like stumbles of English.
_SOUND = (
    r"\b(?:äh+m?|öh+m?|ehm+|hm+|mm+|euh|heu|eeh+|э-?э+м?|м-?м+|eee+)\b|えーと|ええと|えっと|あのー"
    r"|呃|嗯"
)
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
    return not is_question(text) and all(rule.search(text) is None for rule in _rules(code))


@cache
def _rules(code: str) -> tuple[re.Pattern[str], ...]:
    """Compile the rules when there is talk to read: it takes milliseconds."""
    if code != "en":
        return (re.compile(_SOUND, re.IGNORECASE),)
    return re.compile(_STUMBLE), re.compile(_POINTS, re.IGNORECASE)
