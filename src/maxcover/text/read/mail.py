"""Mail: what stands around the text of a letter. Headers, greetings, signatures, disclaimers.

They are found in mail and in plain text that quotes mail; other text rarely has any.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from maxcover.text.read.hints import COLON, FRAME, LONGEST_ATTRIBUTION, LONGEST_FRAME
from maxcover.text.read.kinds import Block
from maxcover.text.words.lists import read_table

LONGEST_NOTICE = 2_000
"""Characters of a notice; more is a text on the subject."""

LONGEST_NAME = 100
"""Characters of a name with a title or an address."""

LONGEST_SIGNATURE = 12
"""Blocks behind ``--`` or a closing; more is another text."""

LONGEST_LAST = 600
"""Characters behind ``--`` up to the end of a letter that are a signature whatever they say."""


# What one begins with that does not end with a colon: most blocks are spared the search.
_ATTRIBUTION_STARTS = frozenset("-oOfFbB")
_DASHES = re.compile(r"(?:--|__+|==+|-{3,}|\*{3,})\s*$")
_NAME_BEHIND_DASH = re.compile(r"-{1,2}\s?[^\W\d_]+(?: [^\W\d_]+){0,3}$")
# A closing begins a signature, and is part of it.
_NAMES = {"closing": "signature"}
_END = frozenset(".!?…:。！？।॥؟۔")
# A name that calls the reader: "Ann -", "Bob,".
_CALLED = re.compile(r"[^\W\d_a-z][\w.'’]*(?: [^\W\d_a-z][\w.'’]*){0,2} ?[,!:–-]$")
_NAMED = re.compile(r"[^\W\d_][\w'’-]*")
_PROSE = frozenset(["paragraph", "list item", "date line", "heading", "table"])
_LINKS = frozenset(["and", "of", "the", "for"])


class Wording(NamedTuple):
    """How letters are worded; ``data/letters.toml``."""

    header: re.Pattern[str]
    subject: re.Pattern[str]
    attribution: re.Pattern[str]
    greeting: re.Pattern[str]
    closing: re.Pattern[str]
    notice: re.Pattern[str]
    notice_words: tuple[str, ...]
    colons: str


@cache
def _find_wording(*, english: bool) -> Wording:
    """Return the wording of English letters, or that of all languages."""
    table, kinds = read_table("letters"), ["english"] if english else ["english", "abroad"]
    patterns = {
        name: re.compile(
            "|".join(table[name][kind].replace("\n", "") for kind in kinds), re.I | re.DOTALL
        )
        for name in ("header", "subject", "attribution", "greeting", "closing", "notice")
    }
    words = [word for kind in kinds for word in table["notice_words"][kind].split(", ")]
    return Wording(**patterns, notice_words=tuple(words), colons=":" if english else ":：")


def mark_frames(
    text: str, blocks: Sequence[Block], hints: Sequence[int], *, english: bool = False
) -> list[Block]:
    r"""Mark the blocks that frame a letter, such as greeting and signature, with their kinds.

    `hints` say which blocks may be frames (`maxcover.text.read.hints`). If the text is `english`,
    wordings of other languages are not looked for, but for a few.

    Examples
    --------
    >>> text = "Hi Ann,\nthe harbour is closed.\n--\nBob"
    >>> edges = [(0, 7), (8, 30), (31, 33), (34, 37)]
    >>> blocks = [Block(a, b, "paragraph", a) for a, b in edges]
    >>> [block.kind for block in mark_frames(text, blocks, [FRAME] * 4)]
    ['greeting', 'paragraph', 'signature', 'signature']
    """
    marked = list(blocks)
    left = 0  # blocks that may still belong to a signature
    last = 0  # behind them a signature whatever it says ends
    wording = _find_wording(english=english)
    heads = _count_headers(text, blocks, hints, wording)
    short = any(block.end - block.start <= LONGEST_NOTICE for block in blocks)
    legal = short and _mentions_law(text, wording)
    for number, (block, hint) in enumerate(zip(blocks, hints, strict=True)):
        if not (hint & FRAME or left or legal or number in heads):
            continue
        kind = "header"
        if number not in heads:
            kind = _frame(text, block, wording, signing=left > 0, legal=legal)
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
        else:
            marked[number] = block._replace(kind=_NAMES.get(kind, kind))
    return _name_writers(text, marked) if heads else marked


def _find_last(text: str, blocks: Sequence[Block], number: int, heads: set[int]) -> int:
    """Tell where what stands below ``--`` ends, if that is the end of a letter and not long."""
    line = blocks[number]
    if text[line.start : line.end].rstrip() != "--":
        return 0
    last = number + 1
    while last < len(blocks) and blocks[last].kind in _PROSE and last not in heads:
        last += 1
    short = blocks[last - 1].end - line.end <= LONGEST_LAST
    return last if short and last - number <= LONGEST_SIGNATURE else 0


def _name_writers(text: str, blocks: list[Block]) -> list[Block]:
    """Mark names above a header, or at the end, as signatures, and one below it as a greeting."""
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
    """Tell whether a line holds nothing but names and numbers."""
    if block.kind not in {"paragraph", "heading"} or block.end - block.start > LONGEST_NAME:
        return False
    words = _NAMED.findall(text, block.start, block.end)
    initial = len(words) == 1 and len(words[0]) == 1
    if not words or (text[block.end - 1] in _END and not initial):
        return False
    return all(word[0].isupper() or word in _LINKS for word in words)


def _frame(text: str, block: Block, wording: Wording, *, signing: bool, legal: bool) -> str:
    """Say what part of a letter's frame a block is; its own kind, if none."""
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
    return "disclaimer" if legal and _is_notice(text, block, wording) else block.kind


def _count_headers(
    text: str, blocks: Sequence[Block], hints: Sequence[int], wording: Wording
) -> set[int]:
    """Tell which blocks are lines of a header: two or more in a row that begin as one."""
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
    """Tell whether a block below a closing can be a part of the signature: no sentence of prose."""
    if block.kind not in _PROSE:
        return False
    piece = text[block.start : block.end]
    return piece[-1] not in _END or len(piece.split()) < 6


def _mentions_law(text: str, wording: Wording) -> bool:
    """Tell whether a text has any word of a notice: most have none, and are spared the search."""
    return any(map(text.lower().__contains__, wording.notice_words))


def _is_notice(text: str, block: Block, wording: Wording) -> bool:
    """Tell whether a block is a notice on confidentiality, not a text on that subject."""
    if block.end - block.start > LONGEST_NOTICE:
        return False
    if not _mentions_law(text[block.start : block.end], wording):
        return False
    # one word on secrecy may be what the text is about
    return len(list(wording.notice.finditer(text, block.start, block.end))) >= 2
