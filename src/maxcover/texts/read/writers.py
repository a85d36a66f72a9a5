"""Writers: the author of each block of mail and threads, and of each quoted part."""

import re
from collections.abc import Sequence

from maxcover.texts.read.kinds import END, KINDS, Block
from maxcover.texts.read.posts import LEAST_POSTS

QUOTED = "(quoted)"
"""The speaker of a quoted block whose author is not named."""

UNNAMED = "(unnamed)"
"""The speaker of a block whose author is not named, in a text that names other authors."""

SHORTEST_POST, LONGEST_POST = 8, 160
"""Least and most characters of a line that says who posted and when."""

_FROM = re.compile(
    r"(?:from|von|de|da|van|od|från|fra|от(?: кого)?|από|差出人|发件人|보낸 ?사람|מאת|من)"
    r"\s?[:：]\s*(.+)",
    re.IGNORECASE,
)
# A capitalised word. "?" and U+FFFD are allowed, because some mail programs put them in the place
# of accented letters.
_CAPITAL = r"[^\W\d_a-z][\w.'’?\ufffd\u0300-\u036f-]*"
_NAME = rf"{_CAPITAL}(?: (?:(?:van|von|de|der|den|del|da|di|le|la) )*{_CAPITAL}){{0,4}}"
_ADDRESS = (
    r"(?: via [\w-]+(?: [\w-]+)?)?"
    r"(?:\s*[<(\[]{1,2}\s*(?:mailto:)?[^<>()\[\]]{1,120}(?:<mailto:[^<>]{1,120}>)?[>)\]]{1,2})?"
    r"(?:@[\w.-]+)?"
)
# "On Monday Ann wrote:". Prose has "As Ann wrote:" and "Ann writes:"; newsreaders write "Ann
# <address> writes:".
_WROTE = re.compile(
    r"(?<![^\s\"'“<(\[*_>|])(?!As\b)(?<!\bAs )(?<!\bof )"
    rf"(?P<name>{_CAPITAL}, {_CAPITAL}(?=\s*[<(\[])|{_NAME}"
    rf"|(?:(?<=, )|^)[^\W\d_]+ [^\W\d_]+(?=\s*[<(\[])|[\w.+-]+){_ADDRESS}(?:[,;]?\s+|(?<=>))"
    r"(?:wrote|(?<=[>)\]] )writes|a écrit|escribió|ha scritto|escreveu|napsala?|napisała?"
    r"|написала?)\b[^:]{0,60}:\s*$"
)
# The head of a mail: consecutive lines, quoted or not. The first is "From:", and another one is a
# date or a subject.
_LINE = r"[>| \t]*[A-Z][\w-]{1,30}:.*\n(?:[ \t]+\S.*\n)*"
_RUN = re.compile(
    rf"(?:\A|(?<=\n\n)|(?<=-\n)|(?<=> \n)|(?<=>\n))[>|]{{0,4}} ?From:[ \t]*(?P<name>[\"'<(]?\w.*)\n"
    rf"(?:{_LINE})*?[>| \t]*(?:Date|Sent|Subject):.*\n(?:{_LINE})*"
)
# A line that says who posted: "**ann** commented on 2024-07-14", "ann opened this issue 3 days
# ago", "Comment by Ann on ...".
_MEMBER = r"@?(?P<{}>[^\W_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){{0,3}})(?:\[bot\])?[*_`]{{0,3}}"
_POST = re.compile(
    rf"\W{{0,6}}{_MEMBER.format('name')}(?: \([^()]{{1,30}}\))?,? "
    r"(?:commented|replied|posted|wrote|answered|asked|opened(?: this(?: \w+){1,2})?|said)\b"
    r"(?=[^.!?]{0,60}(?:\d|ago|yesterday|today))[^.!?]{0,80}:?$"
    rf"|\W{{0,6}}(?:comment|posted|reply|answer) by:? {_MEMBER.format('by')}"
    r"(?:(?:,| on| at|:)[^.!?]{0,60})?(?<![.!?])$",
    re.IGNORECASE,
)
# A name in brackets, alone or after an address: "ann@harbour.example (Ann Keller)".
_ASIDE = re.compile(r"\s*(?:\S+(?:@| at )\S+\s+)?\(([^()@]{2,60})\)\s*")
# What is before the name in "On Monday Ann wrote".
_CLOCK = re.compile(
    r"(?:(?:[AP]M|GMT|UTC|[CEMP][DES]T|On|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*|(?:Jan|Feb|Mar|Apr|May"
    r"|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*)\s+)+(?=\S+ \S)"
)
_NAMED = re.compile(r"[^\W\d_][^^=+*/\\{}\[\]]*")


def is_mail(text: str) -> bool:
    r"""Return True if a text begins with the head of a mail.

    Examples
    --------
    >>> is_mail("From: Ann\nSubject: quay\n\nIt is closed."), is_mail("From: Ann to Bob.")
    (True, False)
    """
    return _RUN.match(text) is not None


def name_writers(text: str, blocks: Sequence[Block]) -> list[Block]:
    r"""Set the speaker of each block to its author, in a text of mails or posts.

    A line ``From:`` names the author of the blocks after it. So does a line such as "ann commented
    on 2024-07-14", if the text has two or more of them. A quoted block is by the author that the
    line before it names ("On Monday Ann wrote:"); otherwise its speaker is "(quoted)". Other blocks
    are "(unnamed)", but not on a page with headings, whose author is known from elsewhere, and not
    where only quoted blocks are by somebody else.

    Examples
    --------
    >>> text = "From: Bob\n\nThe quay is closed.\n\nAnn wrote:\n> Is it open?"
    >>> edges = [(0, 9), (11, 30), (32, 42), (45, 56)]
    >>> kinds = ["header", "paragraph", "header", "quotation"]
    >>> blocks = [Block(a, b, kind, a) for (a, b), kind in zip(edges, kinds)]
    >>> [block.speaker for block in name_writers(text, blocks)]
    ['', 'Bob', '', 'Ann']
    """
    heads = _find_posts(text, blocks)
    page = not heads and any(block.kind == "heading" for block in blocks) and not is_mail(text)
    if not heads and all(block.kind != "header" for block in blocks):
        return list(blocks) if page else _mark_quoted(blocks)
    named: list[Block] = []
    authors: dict[int, str] = {}  # the current author at each depth of quotation
    for number, block in enumerate(blocks):
        depth = _depth(text, block)
        if block.kind == "title":
            named.append(block)
        elif number in heads:
            authors = {0: heads[number]}
            named.append(block._replace(kind="date line"))
        elif block.kind == "header":
            said, by = _author(text[block.start : block.end])
            if by:
                # The line that names an author may be quoted as deeply as that author's words.
                below = _depth(text, blocks[number + 1]) if number + 1 < len(blocks) else 0
                same = depth not in authors and 0 < below <= depth
                deeper = depth + (said == "quoted" and not same)
                authors = {one: who for one, who in authors.items() if one < deeper} | {deeper: by}
            named.append(block)
        else:
            if page and not depth:  # a page names an author for the next quotation only
                authors = {}
            who = authors.get(depth, QUOTED if depth else "")
            named.append(block._replace(speaker=who) if who else block)
    if not any(block.speaker not in ("", QUOTED) for block in named):
        return [block._replace(speaker="") for block in named] if page else _mark_quoted(blocks)
    if page:
        return named
    unnamed = [not block.speaker and KINDS[block.kind].chosen for block in named]
    # A first line that does not end like a sentence names the thread; nobody says it.
    unnamed[0] &= text[named[0].end - 1] in END
    return [
        block._replace(speaker=UNNAMED) if by_nobody else block
        for block, by_nobody in zip(named, unnamed, strict=True)
    ]


def _mark_quoted(blocks: Sequence[Block]) -> list[Block]:
    """Set the speaker of quoted blocks in a text that names nobody; its writer did not say them."""
    return [
        block._replace(speaker=QUOTED) if block.kind == "quotation" else block for block in blocks
    ]


def _find_posts(text: str, blocks: Sequence[Block]) -> dict[int, str]:
    """Return the author of each line that says who posted and when, by block number.

    The result is empty if there are fewer than `LEAST_POSTS` lines.
    """
    found = {}
    for number, block in enumerate(blocks):
        size = block.end - block.start
        if SHORTEST_POST <= size <= LONGEST_POST and text[block.end - 1] not in ".!?":
            start = text.rfind("\n", 0, block.start) + 1  # include Markdown signs before the block
            head = _POST.match(text, start, block.end)
            if head is not None:
                found[number] = head["name"] or head["by"]
    return found if len(found) >= LEAST_POSTS else {}


def _author(line: str) -> tuple[str, str]:
    """Return ("headed", name) for a line "From: name", ("quoted", name) for "name wrote:".

    The name is "" if the line has none.
    """
    line = " ".join(line.split()).replace(" <at> ", "@")
    head = _FROM.match(line)
    if head is not None:
        return "headed", _bare(head[1])
    wrote = _WROTE.search(line)
    return "quoted", _bare(wrote["name"]) if wrote is not None else ""


def _bare(name: str) -> str:
    """Return a name without addresses, marks and times; of a bare address, the part before "@"."""
    name = re.sub(r".*\bon behalf of\s+(?=\S)|\s*\bvia\b.*", "", name, flags=re.IGNORECASE)
    name = re.sub(r"\s[>|]+\s", " ", name)  # remove quote marks where a long line was wrapped
    aside = _ASIDE.fullmatch(name)
    name = aside[1] if aside is not None else name
    found = re.match(r"\s*[\"'“]?([^<\[\"“”]*?)[\"'”]?\s*(?:[<\[]|\([^)]*@)", name)
    bare = (found[1] if found is not None and found[1].strip() else name).strip(" \t\"'<>[]*_,;:")
    bare = bare[clock.end() :] if (clock := _CLOCK.match(bare)) else bare
    bare = re.split(r"@| at (?=\S+\.\S|\S+ dot )", bare, maxsplit=1)[0][:60].strip()
    return bare if _NAMED.fullmatch(bare) else ""


def _depth(text: str, block: Block) -> int:
    """Return the quotation depth of a block: the number of quote marks before it on its line."""
    start = text.rfind("\n", 0, block.start) + 1
    return text.count(">", start, block.start) + text.count("|", start, block.start)
