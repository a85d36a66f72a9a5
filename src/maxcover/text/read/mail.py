"""Mail: the frame of a letter: headers, greetings, signatures and disclaimers.

Mail has them, and plain text that quotes mail; other text rarely has any.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from maxcover.text.read.hints import COLON, FRAME, LONGEST_ATTRIBUTION, LONGEST_FRAME, NOTICE
from maxcover.text.read.kinds import Block
from maxcover.text.words.lists import read_table

LONGEST_NAME = 100
"""Most characters of a line that is only a name, with a title or an address."""

LONGEST_SIGNATURE = 12
"""Most blocks of a signature below ``--`` or a closing."""

LONGEST_LAST = 600
"""If at most this many characters follow ``--``, they are the signature, whatever they say."""


# First characters of an attribution ("On Monday Ann wrote") that does not end with a colon. Blocks
# that begin otherwise and have no colon at the end are not searched.
_ATTRIBUTION_STARTS = frozenset("-oOfFbB")
_DASHES = re.compile(r"(?:--|__+|==+|-{3,}|\*{3,})\s*$")
_NAME_BEHIND_DASH = re.compile(r"-{1,2}\s?[^\W\d_]+(?: [^\W\d_]+){0,3}$")
# A closing ("Kind regards") is marked as a part of the signature that it begins.
_NAMES = {"closing": "signature"}
_END = frozenset(".!?…:。！？।॥؟۔")
# A line that addresses the reader by name: "Ann -", "Bob,".
_CALLED = re.compile(r"[^\W\d_a-z][\w.'’]*(?: [^\W\d_a-z][\w.'’]*){0,2} ?[,!:–-]$")
_NAMED = re.compile(r"[^\W\d_][\w'’-]*")
_PROSE = frozenset(["paragraph", "list item", "date line", "heading", "table"])
_LINKS = frozenset(["and", "of", "the", "for"])


class Wording(NamedTuple):
    """Patterns for headers, greetings, closings and notices of letters (``data/letters.toml``)."""

    header: re.Pattern[str]
    subject: re.Pattern[str]
    attribution: re.Pattern[str]
    greeting: re.Pattern[str]
    closing: re.Pattern[str]
    notice: re.Pattern[str]
    colons: str


@cache
def _find_wording(*, english: bool) -> Wording:
    """Return the patterns for English letters; if not `english`, for letters of all languages."""
    table, kinds = read_table("letters"), ["english"] if english else ["english", "abroad"]
    patterns = {
        name: re.compile(
            "|".join(table[name][kind].replace("\n", "") for kind in kinds), re.I | re.DOTALL
        )
        for name in ("header", "subject", "attribution", "greeting", "closing", "notice")
    }
    return Wording(**patterns, colons=":" if english else ":：")


def mark_frames(
    text: str, blocks: Sequence[Block], hints: Sequence[int], *, english: bool = False
) -> list[Block]:
    r"""Set the kind of the blocks that frame a letter: header, greeting, signature, disclaimer.

    `hints` say which blocks may be frames (`maxcover.text.read.hints`). If `english`, the wordings
    of other languages are not searched for.

    Examples
    --------
    >>> text = "Hi Ann,\nthe harbour is closed.\n--\nBob"
    >>> edges = [(0, 7), (8, 30), (31, 33), (34, 37)]
    >>> blocks = [Block(a, b, "paragraph", a) for a, b in edges]
    >>> [block.kind for block in mark_frames(text, blocks, [FRAME] * 4)]
    ['greeting', 'paragraph', 'signature', 'signature']
    """
    marked = list(blocks)
    left = 0  # How many of the next blocks may still belong to a signature.
    last = 0  # Prose blocks before this index belong to a signature, whatever they say.
    wording = _find_wording(english=english)
    heads = _count_headers(text, blocks, hints, wording)
    for number, (block, hint) in enumerate(zip(blocks, hints, strict=True)):
        notice = hint & NOTICE > 0 and _is_notice(text, block, wording)
        if not (hint & FRAME or left or number in heads):
            if notice:
                marked[number] = block._replace(kind="disclaimer")
            continue
        kind = "header"
        if number not in heads:
            kind = _frame(text, block, wording, signing=left > 0, notice=notice)
            if kind == "closing" and text.startswith("--", block.start, block.end):
                last = _find_last(text, blocks, number, heads)
            elif number < last and kind in _PROSE:
                kind = "signature"
            last = 0 if kind == "header" else last
        left = LONGEST_SIGNATURE if kind == "closing" else left - 1 if kind == "signature" else 0
        subject = None
        if number in heads:
            subject = wording.subject.match(text, block.start, block.end)
        if subject is not None and subject.end() < block.end:
            marked[number] = Block(subject.end(), block.end, "title", subject.end())
        elif kind != block.kind:
            marked[number] = block._replace(kind=_NAMES.get(kind, kind))
    return _name_writers(text, marked) if heads else marked


def _find_last(text: str, blocks: Sequence[Block], number: int, heads: set[int]) -> int:
    """Return the index of the block after the signature below ``--``; 0 if there is none.

    A signature that is too long does not count.
    """
    line = blocks[number]
    if text[line.start : line.end].rstrip() != "--":
        return 0
    last = number + 1
    while last < len(blocks) and blocks[last].kind in _PROSE and last not in heads:
        last += 1
    short = blocks[last - 1].end - line.end <= LONGEST_LAST
    return last if short and last - number <= LONGEST_SIGNATURE else 0


def _name_writers(text: str, blocks: list[Block]) -> list[Block]:
    """Mark a name before a header or at the end as signature, a name after a header as greeting."""
    ends = True
    for number in range(len(blocks) - 1, -1, -1):
        block = blocks[number]
        if block.kind == "header":
            ends = True
        elif ends and _is_named(text, block):
            blocks[number] = block._replace(kind="signature")
        elif block.kind not in {"signature", "disclaimer", "title"}:
            ends = False
    for number, (above, block) in enumerate(pairwise(blocks), 1):
        if above.kind in {"header", "title"} and _CALLED.match(text, block.start, block.end):
            blocks[number] = block._replace(kind="greeting")
    return blocks


def _is_named(text: str, block: Block) -> bool:
    """Return True if a block consists of names and numbers only."""
    if block.kind not in {"paragraph", "heading"} or block.end - block.start > LONGEST_NAME:
        return False
    words = _NAMED.findall(text, block.start, block.end)
    initial = len(words) == 1 and len(words[0]) == 1
    if not words or (text[block.end - 1] in _END and not initial):
        return False
    return all(word[0].isupper() or word in _LINKS for word in words)


def _frame(text: str, block: Block, wording: Wording, *, signing: bool, notice: bool) -> str:
    """Return "header", "closing", "signature", "greeting" or "disclaimer", or the block's kind."""
    place = text, block.start, block.end
    size = block.end - block.start
    maybe = text[block.end - 1] in wording.colons or text[block.start] in _ATTRIBUTION_STARTS
    if size <= LONGEST_ATTRIBUTION and maybe and wording.attribution.match(*place):
        return "header"
    if _DASHES.match(*place) or (
        size <= LONGEST_FRAME and (wording.closing.match(*place) or _NAME_BEHIND_DASH.match(*place))
    ):
        return "closing"
    if signing and _may_sign(text, block):
        return "signature"
    if size <= 60 and wording.greeting.match(*place):
        return "greeting"
    return "disclaimer" if notice else block.kind


def _count_headers(
    text: str, blocks: Sequence[Block], hints: Sequence[int], wording: Wording
) -> set[int]:
    """Return the numbers of the header lines: two or more in a row that begin like "From:"."""
    looks = {
        number
        for number, (one, hint) in enumerate(zip(blocks, hints, strict=True))
        if hint & COLON
        and (
            wording.header.match(text, one.start, one.end) is not None
            or wording.subject.match(text, one.start, one.end) is not None
        )
    }
    return {number for number in looks if number - 1 in looks or number + 1 in looks}


def _may_sign(text: str, block: Block) -> bool:
    """Return True if a block after a closing may be in the signature, as it is no long sentence."""
    if block.kind not in _PROSE:
        return False
    piece = text[block.start : block.end]
    return piece[-1] not in _END or len(piece.split()) < 6


def _is_notice(text: str, block: Block, wording: Wording) -> bool:
    """Return True if a block is a confidentiality notice, not a text about confidentiality."""
    # A single match may come from a text about secrecy.
    return len(list(wording.notice.finditer(text, block.start, block.end))) >= 2
