"""Word lists: the function words of English by what they do, and words that point elsewhere."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    "he": "i we he she they who",
    "him": "me us him them myself himself herself itself themselves mine ours yours theirs",
    "his": "my our your his her their its whose",
    "it": "it you",
    "it's": """it's that's he's she's they're there's here's what's who's they've they'll they'd i'm
        i've i'll i'd we're we've we'll we'd you're you've you'll you'd it'll that'll it'd that'd
        let's""",
    "this": "this that these those",
    "such": "such same other another others latter former following above below ones one own",
    "filler": """um uh yeah okay ok well oh right hmm mm sure alright huh yep yes no ah like
        anyway basically actually obviously exactly hi hello thanks thank sorry please""",
    "maybe": "maybe perhaps probably really just kinda quite pretty clearly personally simply",
    "thing": """kind sort stuff thing things something whatever anything everything somebody someone
        bit little lot way point example case issue question questions problem idea fact part""",
    "think": """think mean know believe agree disagree feel felt understand wonder hope want need
        see look looks seems seem sounds try trying love tell ask say guess suppose""",
    "go": """get gets getting got go goes going went gone come comes coming came put make makes
        made take takes give gives keep start started work works use used let gonna wanna gotta
        saying talk talking""",
    "and": "and but or",
    "so": """so because however also then therefore thus moreover furthermore otherwise instead
        hence yet besides meanwhile nevertheless additionally consequently finally similarly
        likewise further specifically rather indeed too either neither nor only even again
        fortunately unfortunately accordingly elsewhere""",
    "if": "if when while although though since unless as than once until whereas",
    "what": "what which whom where why how whether",
    "is": "is are was were am isn't wasn't aren't weren't",
    "be": "be been being",
    "have": "has have had haven't hasn't hadn't having",
    "do": "do does did don't didn't doesn't doing done",
    "can": """will would can could should must may might shall won't wouldn't can't couldn't
        shouldn't cannot""",
    "the": "the",
    "a": "a an",
    "of": "of",
    "to": "to",
    "in": """in on at by for with from into about over under after before between through during
        against among within without per via toward towards upon across around behind near""",
    "up": "up out off down back away",
    "not": "not never none nothing",
    "all": "all some any many much more most few several each every both",
    "two": "two three four five six seven eight nine ten first second third last next new",
    "now": "here there now today yesterday tomorrow already still earlier later ago",
    "said": "said says told announced reported according stated added officials official noted",
    "chair": """minutes meeting slide slides presentation agenda chair madam mr mrs colleague member
        minister honourable report draft appendix table figure section page interviewed reviewed
        analyzed conducted comments message mail email list""",
}
"""Function words, and words of letters, meetings and reports, by what they do."""

ENDINGS: Final[dict[str, tuple[str, ...]]] = {
    "ed": ("ed",),
    "ing": ("ing",),
    "ly": ("ly",),
    "noun": ("tion", "sion", "ment", "ness", "ity", "ance", "ence", "ism", "ship", "age"),
    "plural": ("s",),
}
"""What other words end with, by kind."""

_LEANING_WORDS = """
    but and or so however also then therefore thus moreover furthermore otherwise instead hence
    yet besides meanwhile nevertheless nonetheless additionally consequently which he she it they
    this these that those such his her their its him them it's that's he's she's they're both
    neither another similarly specifically accordingly likewise conversely rather indeed still
    anyway perhaps maybe actually clearly again finally second secondly third thirdly lastly note
    well nor not no yes same other others unfortunately fortunately obviously basically personally
    likely only sure except just even because what where whether further elsewhere plus
    subsequently afterwards thereafter overall
"""
_LEANING_PHRASES = """
    in addition, on the other, for example, for instance, in contrast, as a result, that is,
    the same, the latter, the former, more specifically, in other words, in that case, in this,
    in turn, in fact, in particular, in short, in response, in reply, as i said, as i mentioned,
    as we said, as previously, as mentioned, as noted, as discussed, of course, if so, if not,
    how about, what about, prior to that, after that, before that, since then, by then, at that,
    for that, in comparison, in these, in those, one is, the other, the others, to do so,
    to this end, as such, in either case, for this, as another example, by comparison, by contrast,
    moving on
"""
LEANING: Final = frozenset(
    [*_LEANING_WORDS.split(), *(" ".join(one.split()) for one in _LEANING_PHRASES.split(","))]
)
"""Openings that go on from the sentence before: at most three words."""

_NO_POINTER = """year week month morning afternoon evening spring summer fall autumn winter century
    decade quarter who that whose of with in under"""
UNLESS: Final[dict[str, str]] = {
    "this": _NO_POINTER,
    "these": _NO_POINTER,
    "those": _NO_POINTER,
    "such": "as",
    "there": "is are was were has have had will would can could may might should must seems",
    "here": "",
    "above": "",
    "below": "",
    "that's": "",
}
"""Words for something that is said elsewhere, unless one of these follows."""

POINTING: Final[dict[str, str]] = {
    "that": "is was would will one way case point kind sort thing",
    "the": "same other others latter former above following one ones",
    "do": "so",
    "does": "so",
    "did": "so",
    "your": "mail email message memo note post question point suggestion proposal comment",
}
"""Words for something that is said elsewhere, if one of these follows."""

_THIRD = "he him his she her it its they them their it's he's she's they're"
_PERSONAL = "i me my i'm i've i'll i'd you your you're you've you'll"
THIRD: Final = frozenset(_THIRD.split())
PERSONAL: Final = frozenset(_PERSONAL.split())
"""Pronouns of the third person, and words of the writer and the reader."""

_VERBS = """
    allow allows appear appears apply applies ask asks become becomes became began begin begins
    bring brings brought build builds built buy buys call calls cause causes change changes
    choose chose close closes consider contain contains continue continues cost costs cover
    covers create creates cut cuts decide depend depends describe describes discuss do does end
    ends expect expects face faces fall falls fell find finds found follow follows gave grow
    grows grew held help helps hold holds include includes involve involves keep keeps kept know
    knows knew lead leads led learn leave leaves left lie lies like likes live lives lose loses
    lost mean means meant meet meets met move moves occur occurs offer offers open opens pay
    pays paid plan plans play plays prefer prefers present presents provide provides ran reach
    reaches read reads receive receives recommend recommends remain remains report reports
    represent represents require requires rise rises rose run runs saw sees seen sell sells sent
    send sends serve serves set sets show shows spend spends spent stand stands stood stay stays
    stop stops suggest suggests support supports suspect take talk talks think thought told took
    try tries turn turns use uses wait wants watch went win wins won write writes wrote please
    wish note arose ate beat bought broke caught dealt drew drove fed fled flew forgot fought froze
    heard hit hurt laid lit rode sang sank sat shook shot shut slept sold sought spoke spread stole
    struck swept taught threw tore withdrew woke wore adds affects agrees argues believes belongs
    carries contributes denies enables ensures exists explains fails feels fits happens identifies
    indicates intends introduces joins lacks manages needs owes owns prevents produces proposes
    protects puts refers relates relies replaces seeks tells tends thinks understands varies
"""
VERBS: Final = frozenset(_VERBS.split())
"""Finite verbs that are common, besides those of `WORDS` and those that end with -ed."""
