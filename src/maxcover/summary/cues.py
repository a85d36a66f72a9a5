"""Cues: the English wording by which headings and sentences say what they are for.

They only help to find sentences: if none is found, a summary is made from titles, openings and
coverage.
"""

import re

# Headings of a text's own summary section, such as Abstract or TL;DR.
OWN = re.compile(
    r"\W*(?:\d+\.?\s*)?(?:abstract|(?:executive |plain |short )?summary|tl;?dr|highlights"
    r"|key (?:points|takeaways)|at a glance|in (?:short|brief|a nutshell))\W*$",
    re.IGNORECASE,
)
# `DOES` finds sentences that say what a document does: "This PEP proposes", "Here we show", "The
# aim of this study was". `_KIND` has the nouns for documents.
_KIND = (
    r"(?i:PEP|RFC|paper|report|study|article|document|work|package|library|module|program|guide"
    r"|proposal|specification|standard|memo|page|policy|agreement|post|manual|review|statement|tool"
    r"|implementation|project|framework|repository|collection|plugin|client|server|wrapper|list)"
)
DOES = re.compile(
    r"^(?!Please|See)\b.{0,60}?(?:\b(?<!of )(?:[Tt]his|[Tt]he present|[Oo]ur(?= [a-z])) "
    rf"(?:\w+ )?{_KIND}\b"
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
    r"(?: [\w.+()\"“”-]+){0,5} (?:(?:is|are|was|were) (?:an?|the|one of)|implements|provides|allows"
    r"|enables|lets|helps|offers|automates|brings|aims to) \w"
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
