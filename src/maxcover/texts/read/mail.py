"""Mail: the frame of a letter: headers, greetings and signatures.

Mail has them, and plain text that quotes mail; other text rarely has any.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from maxcover.texts.read.kinds import Block
from maxcover.texts.words.lists import read_table

LONGEST_FRAME, LONGEST_ATTRIBUTION = 80, 240
"""Most characters of a greeting or closing, and of a line such as "On Monday Ann wrote:"."""

LONGEST_SIGNATURE = 12
"""Most blocks of a signature below ``--`` or a closing."""


# First characters of an attribution ("On Monday Ann wrote") that does not end with a colon. Blocks
# that begin otherwise and have no colon at the end are not searched.
_ATTRIBUTION_STARTS = frozenset("-oOfFbB")
_DASHES = re.compile(r"(?:--|__+|==+|-{3,}|\*{3,})\s*$")
_NAME_BEHIND_DASH = re.compile(r"-{1,2}\s?[^\W\d_]+(?: [^\W\d_]+){0,3}$")
# A closing ("Kind regards") is marked as a part of the signature that it begins.
_NAMES = {"closing": "signature"}
_END = frozenset(".!?…:。！？।॥؟۔")
_PROSE = frozenset(["paragraph", "list item", "date line", "heading", "table"])


class Wording(NamedTuple):
    """Patterns for headers, greetings and closings of letters (``data/letters.toml``)."""

    header: re.Pattern[str]
    subject: re.Pattern[str]
    attribution: re.Pattern[str]
    greeting: re.Pattern[str]
    closing: re.Pattern[str]
    colons: str


@cache
def _find_wording(*, english: bool) -> Wording:
    """Return the patterns for English letters; if not `english`, for letters of all languages."""
    table, kinds = read_table("letters"), ["english"] if english else ["english", "abroad"]
    patterns = {
        name: re.compile(
            "|".join(table[name][kind].replace("\n", "") for kind in kinds), re.I | re.DOTALL
        )
        for name in ("header", "subject", "attribution", "greeting", "closing")
    }
    return Wording(**patterns, colons=":" if english else ":：")


def mark_frames(text: str, blocks: Sequence[Block], *, english: bool = False) -> list[Block]:
    r"""Set the kind of the blocks that frame a letter: header, greeting or signature.

    If `english`, the wordings of other languages are not searched for.

    Examples
    --------
    >>> text = "Hi Ann,\nthe harbour is closed.\n--\nBob"
    >>> edges = [(0, 7), (8, 30), (31, 33), (34, 37)]
    >>> blocks = [Block(a, b, "paragraph", a) for a, b in edges]
    >>> [block.kind for block in mark_frames(text, blocks)]
    ['greeting', 'paragraph', 'signature', 'signature']
    """
    marked = list(blocks)
    left = 0  # How many of the next blocks may still belong to a signature.
    wording = _find_wording(english=english)
    heads = _count_headers(text, blocks, wording)
    for number, block in enumerate(blocks):
        if number in heads:
            left = 0
            subject = wording.subject.match(text, block.start, block.end)
            if subject is not None and subject.end() < block.end:
                marked[number] = Block(subject.end(), block.end, "title", subject.end())
            else:
                marked[number] = block._replace(kind="header")
        elif left or block.end - block.start <= LONGEST_ATTRIBUTION:
            kind = _frame(text, block, wording, signing=left > 0)
            left = (
                LONGEST_SIGNATURE if kind == "closing" else left - 1 if kind == "signature" else 0
            )
            if kind != block.kind:
                marked[number] = block._replace(kind=_NAMES.get(kind, kind))
    return marked


def _frame(text: str, block: Block, wording: Wording, *, signing: bool) -> str:
    """Return "header", "closing", "signature" or "greeting", or the block's kind."""
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
    return block.kind


def _count_headers(text: str, blocks: Sequence[Block], wording: Wording) -> set[int]:
    """Return the numbers of the header lines: two or more in a row that begin like "From:"."""
    looks = {
        number
        for number, one in enumerate(blocks)
        if any(text.find(colon, one.start, one.end) >= 0 for colon in wording.colons)
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
