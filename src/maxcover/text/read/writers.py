"""Writers: who says what in mail and in threads, quoted parts by their own authors."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from maxcover.text.read.hints import POST
from maxcover.text.read.kinds import KINDS, Block

QUOTED = "(quoted)"
"""Speaker of a quoted part whose author no line names."""

UNNAMED = "(unnamed)"
"""Speaker of a part whose author no line names, in a text that names others."""

LEAST_POSTS = 2
"""Lines that say who posted and when from which a text is a thread."""

LEAST_QUOTED = 20
"""Characters by which a quoted part is found again in what was said before."""

_FROM = re.compile(
    r"(?:from|von|de|da|van|od|från|fra|от(?: кого)?|από|差出人|发件人|보낸 ?사람|מאת|من)"
    r"\s?[:：]\s*(.+)",
    re.IGNORECASE,
)
# Mail that went through programs without accents has other signs in their place.
_CAPITAL = r"[^\W\d_a-z][\w.'’?\ufffd\u0300-\u036f-]*"
_NAME = rf"{_CAPITAL}(?: (?:(?:van|von|de|der|den|del|da|di|le|la) )*{_CAPITAL}){{0,4}}"
_ADDRESS = (
    r"(?: via [\w-]+(?: [\w-]+)?)?"
    r"(?:\s*[<(\[]{1,2}\s*(?:mailto:)?[^<>()\[\]]{1,120}(?:<mailto:[^<>]{1,120}>)?[>)\]]{1,2})?"
    r"(?:@[\w.-]+)?"
)
_WROTE = re.compile(
    r"(?<![^\s\"'“<(\[*_>|])"
    rf"(?P<name>{_CAPITAL}, {_CAPITAL}(?=\s*[<(\[])|{_NAME}"
    rf"|(?:(?<=, )|^)[^\W\d_]+ [^\W\d_]+(?=\s*[<(\[])|[\w.+-]+){_ADDRESS}(?:[,;]?\s+|(?<=>))"
    r"(?:wrote|writes|a écrit|escribió|ha scritto|escreveu|napsala?|napisała?|написала?)\b"
    r"[^:]{0,60}:\s*$"
)
_WROTE_LATER = re.compile(
    rf"\b(?:schrieb|skrev|schreef)\s+(?P<name>{_NAME}|[\w.+-]+){_ADDRESS}\s*:\s*$"
)
# The head of a mail: its lines in one run, quoted or not, one of which has a date or a subject.
_LINE = r"[>| \t]*[A-Z][\w-]{1,30}:.*\n(?:[ \t]+\S.*\n)*"
_RUN = re.compile(
    rf"(?:\A|(?<=\n\n)|(?<=-\n)|(?<=> \n)|(?<=>\n))[>|]{{0,4}} ?From:[ \t]*(?P<name>[\"'<(]?\w.*)\n"
    rf"(?:{_LINE})*?[>| \t]*(?:Date|Sent|Subject):.*\n(?:{_LINE})*"
)
_CLOCK = re.compile(
    r"(?:(?:[AP]M|GMT|UTC|[CEMP][DES]T|On|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*|(?:Jan|Feb|Mar|Apr|May"
    r"|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*)\s+)+(?=\S+ \S)"
)
# "**ann** commented on 2024-07-14", "ann opened this issue 3 days ago", "Comment by Ann on ..."
_MEMBER = r"@?(?P<{}>[^\W_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){{0,3}})(?:\[bot\])?[*_`]{{0,3}}"
_POST = re.compile(
    rf"\W{{0,6}}{_MEMBER.format('name')}(?: \([^()]{{1,30}}\))?,? "
    r"(?:commented|replied|posted|wrote|answered|asked|opened(?: this(?: \w+){1,2})?|said)\b"
    r"(?=[^.!?]{0,60}(?:\d|ago|yesterday|today))[^.!?]{0,80}:?$"
    rf"|\W{{0,6}}(?:comment|posted|reply|answer) by:? {_MEMBER.format('by')}"
    r"(?:(?:,| on| at|:)[^.!?]{0,60})?(?<![.!?])$",
    re.IGNORECASE,
)
# A name behind its address: "ann@harbour.example (Ann Keller)", or without one.
_ASIDE = re.compile(r"\s*(?:\S+(?:@| at )\S+\s+)?\(([^()@]{2,60})\)\s*")
_NAMED = re.compile(r"[^\W\d_][^^=+*/\\{}\[\]]*")
_MARKS = re.compile(r"[>|]")


def is_mail(text: str) -> bool:
    r"""Tell whether a text begins with the head of a mail.

    Examples
    --------
    >>> is_mail("From: Ann\nSubject: quay\n\nIt is closed."), is_mail("From: Ann to Bob.")
    (True, False)
    """
    return _RUN.match(text) is not None


def name_writers(text: str, blocks: Sequence[Block], hints: Sequence[int]) -> list[Block]:
    r"""Say who wrote the blocks of mail and of threads in one text.

    A line ``From:`` names who wrote what follows, and so does a line such as "ann commented on
    2024-07-14", which is no text itself where a text has two or more. What is quoted is by whom the
    line before it names ("On Monday Ann wrote:"), or whoever said the same before; if nobody is
    named, its speaker is "(quoted)". `hints` say which blocks may be such lines
    (`maxcover.text.read.hints`).

    Examples
    --------
    >>> text = "From: Bob\n\nThe quay is closed.\n\nAnn wrote:\n> Is it open?"
    >>> edges = [(0, 9), (11, 30), (32, 42), (45, 56)]
    >>> kinds = ["header", "paragraph", "header", "quotation"]
    >>> blocks = [Block(a, b, kind, a) for (a, b), kind in zip(edges, kinds)]
    >>> [block.speaker for block in name_writers(text, blocks, [POST] * 4)]
    ['', 'Bob', '', 'Ann']
    """
    heads = _find_posts(text, blocks, hints)
    runs = list(_RUN.finditer(text)) if "From:" in text else []
    if not (heads or runs or any(block.kind == "header" for block in blocks)):
        return list(blocks)
    starts = [run.start() for run in runs]
    named: list[Block] = []
    authors: dict[int, str] = {}  # by depth of quotation
    for number, block in enumerate(blocks):
        depth = _depth(text, block)
        run = bisect_right(starts, block.start) - 1
        if run >= 0 and block.start < runs[run].end():
            authors = {one: who for one, who in authors.items() if one < depth}
            authors[depth] = _bare(runs[run]["name"]) or UNNAMED
            named.append(block if block.kind == "title" else block._replace(kind="header"))
        elif number in heads:
            authors = {0: heads[number]}
            named.append(block._replace(kind="date line"))
        elif block.kind == "header":
            said, by = _author(text[block.start : block.end])
            if by:
                # the line that names an author may be quoted as deep as what it heads
                below = _depth(text, blocks[number + 1]) if number + 1 < len(blocks) else 0
                same = depth not in authors and 0 < below <= depth
                deeper = depth + (said == "quoted" and not same)
                authors = {one: who for one, who in authors.items() if one < deeper} | {deeper: by}
            named.append(block)
        elif depth:
            again = _said_before(text, block, named) if authors else ""
            named.append(block._replace(speaker=again or authors.get(depth, QUOTED)))
        else:
            who = authors.get(0, "")
            named.append(block._replace(speaker=who) if who else block)
    if not any(block.speaker not in ("", QUOTED) for block in named):
        return [block._replace(speaker="") for block in named]
    return [
        block._replace(speaker=UNNAMED) if not block.speaker and KINDS[block.kind].chosen else block
        for block in named
    ]


def _find_posts(text: str, blocks: Sequence[Block], hints: Sequence[int]) -> dict[int, str]:
    """Find the lines that say who posted and when."""
    found = {}
    for number, hint in enumerate(hints):
        if hint & POST:
            block = blocks[number]
            start = text.rfind("\n", 0, block.start) + 1  # signs of Markdown before it
            head = _POST.match(text, start, block.end)
            if head is not None:
                found[number] = head["name"] or head["by"]
    return found if len(found) >= LEAST_POSTS else {}


def _author(line: str) -> tuple[str, str]:
    """Name the author that a line of a head names: of what it heads, or of what is quoted below."""
    line = " ".join(line.split()).replace(" <at> ", "@")
    head = _FROM.match(line)
    if head is not None:
        return "headed", _bare(head[1])
    wrote = _WROTE.search(line) or _WROTE_LATER.search(line)
    return "quoted", _bare(wrote["name"]) if wrote is not None else ""


def _bare(name: str) -> str:
    """Leave addresses, marks and the hour before a name out; the first part of an address alone."""
    name = re.sub(r".*\bon behalf of\s+(?=\S)|\s*\bvia\b.*", "", name, flags=re.IGNORECASE)
    name = re.sub(r"\s[>|]+\s", " ", name)  # marks before the rest of a long line
    aside = _ASIDE.fullmatch(name)
    name = aside[1] if aside is not None else name
    found = re.match(r"\s*[\"'“]?([^<\[\"“”]*?)[\"'”]?\s*(?:[<\[]|\([^)]*@)", name)
    bare = (found[1] if found is not None and found[1].strip() else name).strip(" \t\"'<>[]*_,;:")
    bare = _CLOCK.sub("", bare) if _CLOCK.match(bare) else bare
    bare = re.split(r"@| at (?=\S+\.\S|\S+ dot )", bare, maxsplit=1)[0][:60].strip()
    return bare if _NAMED.fullmatch(bare) else ""


def _depth(text: str, block: Block) -> int:
    """Count the marks of quotation before a block."""
    start = text.rfind("\n", 0, block.start) + 1
    before = text[start : block.start]
    return len(_MARKS.findall(before)) if before.strip() else 0


def _said_before(text: str, block: Block, named: Sequence[Block]) -> str:
    """Name who said before what is quoted here."""
    line = text[block.start : block.end].split("\n", 1)[0].strip()[:80]
    place = text.find(line) if len(line) >= LEAST_QUOTED else -1
    if place < 0 or place >= block.start:
        return ""
    number = bisect_right(named, place, key=lambda one: one.start) - 1
    return named[number].speaker if number >= 0 and place < named[number].end else ""
