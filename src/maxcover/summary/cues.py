"""Cues: the English wording by which headings and sentences say what they are for.

They point to sentences, and nothing else depends on them: where none is found, titles, openings and
coverage are left.
"""

import re

# The summary that a text has of its own.
OWN = re.compile(
    r"\W*(?:\d+\.?\s*)?(?:abstract|(?:executive |plain |short )?summary|tl;?dr|highlights"
    r"|key (?:points|takeaways)|at a glance|in (?:short|brief|a nutshell))\W*$",
    re.IGNORECASE,
)
SUMMARY = re.compile(
    r"\W*(?:\d+\.?\s*)?(?:abstract|(?:executive |plain )?summary|introduction|overview|description"
    r"|preamble|purpose|about(?: \w+)?|tl;?dr)\W*$",
    re.IGNORECASE,
)
RESULTS = re.compile(
    r"\W*(?:\d+\.?\s*)?(?:conclusions?|concluding remarks|(?:general )?discussion|(?:key )?findings"
    r"|recommendations?|what \w+ found|summary and \w+)\W*$",
    re.IGNORECASE,
)
DECISION = re.compile(
    r"\W*(?:\d+\.?\s*)?(?:(?:PEP|RFC|final|the|our) )?(?:decisions?|resolution|rejection"
    r"|withdrawal)(?: notice)?\W*$",
    re.IGNORECASE,
)
BACK = re.compile(
    r"\W*(?:\d+\.?\s*)?(?:acknowledge?ments?|references|bibliography|funding|sponsors?(?:hip)?"
    r"|backers|donations?|contributing|contributors?|licen[cs]e|credits|authors?"
    r"|author contributions|(?:competing|conflicts? of) interests?|supporting information"
    r"|supplementary materials?|see also|further reading|external links)\W*$",
    re.IGNORECASE,
)
# What a document does: "This PEP proposes", "Here we show", "The aim of this study was".
_KIND = (
    r"(?i:PEP|RFC|paper|report|study|article|document|work|package|library|module|program|guide"
    r"|proposal|specification|standard|memo|page|policy|agreement|post|manual|review|statement|tool"
    r"|implementation|project|framework|repository|collection|plugin|client|server|wrapper|list)"
)
DOES = re.compile(
    rf"^(?!Please|See)\b.{{0,60}}?(?:\b(?<!of )(?:[Tt]his|[Tt]he present|[Oo]ur) (?:\w+ )?{_KIND}\b"
    r"(?! (?:does|did|is|was|will) not\b).{0,60}\b"
    r"(?:propos|describ|defin|specif(?:y|ies)|introduc|present|provid|examin|address|explain|discuss|outlin|review|investigat"
    r"|analy[sz]|assess|adds?\b|contain|recommends?\b|formali|governs|sets out|is an? )"
    r"|\b(?:[Hh]ere(?:in)?,?|[Ii]n (?:this|the present) \w+,?) we\b"
    r"|\b[Ww]e (?:therefore |thus |now |also )?(?:propose|present|introduce|describe|investigate"
    r"|examine|aimed|sought|tested whether|asked whether)\b"
    r"|\b(?:aim|purpose|goal|objective)s? (?:of (?:this|the present|our)|(?:was|is|were|are) to)\b"
    rf"|\bThis is (?:an?|the) (?:[\w-]+ ){{0,4}}{_KIND}\b)"
)
IS = re.compile(
    r"^\W*(?:The )?(?!(?:This|There|It|That|Here|We|You|If|When|What|One|These)\b)[\w@.+-]+"
    r"(?: [\w.+()\"“”-]+){0,5} (?:is|are|was|were) (?:an?|the|one of) \w"
)
# The line of a manual that says what a thing is: "tar - an archiving utility".
NAMED = re.compile(r"^(?:NAME )?[\w.+]+(?:, ?[\w.+]+)* +[-\u2013\u2014]{1,2} +[^\W\d_]\S* \S.{4,}")
FOUND = re.compile(
    r"\b[Ww]e (?:have )?(?:\w+ )?(?:found|find|show|showed|shown|demonstrated?|conclude|recommend"
    r"|identified|report|provided|presented|established)\b"
    r"|\b(?:results?|findings?|data|analys[ei]s|study|work|paper|report) (?:\w+ )?(?:show|suggest"
    r"|indicat|demonstrat|reveal|support|confirm|provid|establish)"
    r"|\b(?:major|main|key|principal|central) (?:finding|result)s?\b"
    r"|\b(?:GAO|CRS|\w+ (?:audit|review)) (?:found|recommends|is making)\b"
    r"|^(?:In (?:conclusion|summary)|To (?:conclude|summari[sz]e)|Overall|Taken together"
    r"|Collectively|Altogether)\b"
)
# What a long talk is about, how a thread ends, and what the people of a short talk will do.
ABOUT = re.compile(
    r"\b(?:today|agenda|this meeting|(?:going to|want to|wanted to|like to|need to|let's)"
    r" (?:\w+ )?(?:talk|discuss|look at|go over)|purpose)\b",
    re.IGNORECASE,
)
_SETTLED = r"(?:closed|resolved|approved|accepted|rejected|merged|fixed|solved|settled)"
OUTCOME = re.compile(
    rf"^(?!\W*(?:if|when|unless|until|once)\b)(?:\W*{_SETTLED}\b|.*?\b(?:"
    rf"(?:is|are|was|were|been|got|(?<!to )be|(?:I|we)(?: have|['\u2019]ve)?) (?:\w+ )?{_SETTLED}"
    r"|agreed|consensus|decided|^\W*closing|closing (?:this|as|per)|the resolution"
    r"|(?:go|going|went) with|did the trick|went well"
    r"|(?:it|that|this|which|all) (?:now )?(?:works|worked|helped|solved|fixed)"
    r"|(?:opened|created|submitted|filed) an? (?:PR|pull request|patch))\b)",
    re.IGNORECASE,
)
SHORTLY = re.compile(rf"^\W*(?:{_SETTLED}|closing)\b", re.IGNORECASE)
PROPOSES = re.compile(
    r"\blet['\u2019]s (?!say|see|assume|suppose|look)|^(?:therefore|so|thus|hence),? (?:I|we)\b",
    re.IGNORECASE,
)
# What replies opens no post: a reader has not seen what it replies to.
REPLIES = re.compile(
    r"\W*(?:(?:and|but|or|also|agreed?|sorry|oops|p\.?s)\b"
    r"|(?:ok(?:ay)?|yes|yep|no|nope|well|actually|by the way|btw|likewise|exactly|right|true"
    r"|sure|indeed|(?:perhaps|maybe|probably|of course) not|not (?:exactly|really|quite))\b ?[,;:-]"
    r"|(?:i (?:think|believe|guess) )?you(?:['\u2019]re| are) (?:right|wrong|correct|mis\w+)\b"
    r"|i (?:can(?:no|['\u2019])t|do(?: no|n['\u2019])t|did(?: no|n['\u2019])t)"
    r" (?:understand|follow|support) (?:you|this|that))",
    re.IGNORECASE,
)
# An outcome that answers: what it is about stands before it.
ANSWERS = re.compile(
    r"\W*(?:agreed|ok(?:ay)?|yes|yep|deal|done|sounds|perfect|great|sure|fine)\b", re.I
)
# What whoever asked says when coming back, and what says that a quoted sentence is right.
THANKS = re.compile(r"\b(?:thank|thx|cheers\b|appreciate)", re.IGNORECASE)
TAKES = re.compile(
    r"\b(?:(?:I|we)(?:['\u2019]ll| will)(?! (?:try|see)\b)|looking for|works|worked"
    r"|(?:fixed|solved) (?:it|my|all|the)|(?<!right )now)\b(?!.*\?$)",
    re.IGNORECASE,
)
BUT = re.compile(r"\W*(?:but|however|unfortunately)\b", re.IGNORECASE)
ASSENTS = re.compile(
    r"\W*(?:yes|yep|yeah|agreed|i (?:\w+ )?agree|sounds|exactly|right|correct|sgtm"
    r"|good (?:point|catch)|(?:this|that) (?:works|sounds|seems|would (?:\w+ )?be))\b(?!,? but)",
    re.IGNORECASE,
)
PLAN = re.compile(
    r"\b(?:(?:I|we)(?:['\u2019]ll| can| could)|let['\u2019]s|let me|see (?:you|ya)|will(?! you)"
    r"|going to|gonna|(?:can|could|shall|should) (?:I|we|you)|how about|why don['\u2019]t we)\b",
    re.IGNORECASE,
)
