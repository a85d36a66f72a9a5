"""Minutes: the speakers in Markdown whose list items begin with a name and a colon."""

import re
from bisect import bisect_right
from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from maxcover.texts.read.kinds import Block

LONGEST_LISTED = 300
"""Most characters of a line that lists who attended."""

_WORD = r"[^\W\d_a-z][\w.'’-]*"
_HEAD = re.compile(
    r"^[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)*"
    rf"(?P<all>[*_@\[]{{0,3}}(?P<name>{_WORD}(?:(?:,? (?:and |& )?|/){_WORD}){{0,3}}"
    r"|[a-z][\w.-]{1,23})"
    r"(?: ?\([^)\n]{1,40}\))?[ \t]*[\]*_]{0,3}"
    r"(?: ?:[*_]{0,3}(?:[ \t]+|(?=\n|\Z))"
    r"|[ \t]+(?:[-–—]|->)[ \t]+|(?P<bare>,[ \t]+(?=\w)|[ \t]*(?=\n|\Z))))",
    re.MULTILINE,
)
_THERE = r"\W*(?:(?:those |members )?present|in attendance|attend(?:ees|ance|ing)|participants)\b"
_HEADED = re.compile(rf"{_THERE}\W*$", re.IGNORECASE)
_LISTED = re.compile(rf"{_THERE}\W*?:", re.IGNORECASE)
# First and last character of paragraphs in brackets or italics: remarks about the talk.
_ASIDES = frozenset(["()", "[]", "__", "**"])
_ASIDE = re.compile(r"\([^()]*\)")
_CALLED = re.compile(r"[^\W_][\w-]+")
# A capitalised word after a sentence end, such as "Bob" in "Ann, it is closed. Bob it opens today."
_NEXT = re.compile(r"(?<=[.!?])\s([^\W\d_a-z][\w-]+)")
_HEADINGS = frozenset(["title", "heading"])
SAID = frozenset(["paragraph", "list item"])
"""Kinds of blocks that can be a turn of speech in Markdown."""


class Turn(NamedTuple):
    """A turn of speech: where the speaker's name begins, where the words begin, and the name."""

    start: int
    body: int
    speaker: str


class _Head(NamedTuple):
    """A line that may begin with a speaker's name.

    `key` is the name in lower case, `section` the number of headings above the line, `there`
    whether the name is in the attendance list, and `end` the end of its block, or 0 if neither a
    colon nor a dash follows the name.
    """

    turn: Turn
    key: str
    section: int
    there: bool
    end: int


def name_turns(text: str, blocks: Sequence[Block]) -> list[Block]:
    r"""Set the speakers of the blocks of minutes; blocks of other texts do not change.

    An item that begins with a name and a colon is a turn if the name is in the attendance list;
    labels ("Note:", "Q:") and entries of changelogs are not. Items below a turn are said by the
    same person, up to the next heading.

    Examples
    --------
    >>> from maxcover.texts.read.markup import read_markdown
    >>> text = "## Present\n\n* Ann Lee\n* Bob Ray\n\n## Port\n\n* Quays\n  * Ann: It is open.\n"
    >>> [block.speaker for block in name_turns(text, read_markdown(text))][-2:]
    ['', 'Ann']
    """
    turns = find_turns(text, blocks, set())
    listing = find_people(text, blocks)[1]
    there = [one._replace(kind="aside") if one.start in listing else one for one in blocks]
    return share_turns(text, there, turns, talk=False) if turns else there


def find_turns(text: str, blocks: Sequence[Block], names: set[str]) -> dict[int, Turn]:
    """Return the turns of minutes by start offset; `names` are known speakers, in lower case."""
    people, listing = find_people(text, blocks)
    if not (people or names):
        return {}
    heads = _find_heads(text, blocks, listing, people)
    known = names | {one.key for one in heads if one.there}
    talked = {one.section for one in heads if one.key in known}
    if not known:
        return {}
    # A block or sentence that begins with a person's name is about that person. It becomes a turn
    # without a speaker, so that the speaker above does not get it. "Ann: I asked. Bob agrees." is
    # all said by Ann.
    firsts = {one: _CALLED.match(text, one.start) for one in blocks if one.kind in SAID}
    told = [one for one, word in firsts.items() if word and word[0].lower() in people]
    spoken = [(one.turn.start, one.end) for one in heads if one.section in talked]
    inner = [one.start(1) for one in _NEXT.finditer(text) if one[1].lower() in people]
    inner = [one for one in inner if not any(start < one < end for start, end in spoken)]
    found = {one: Turn(one, one, "") for one in (*(block.start for block in told), *inner)}
    return found | {one.turn.start: one.turn for one in heads if one.section in talked}


def share_turns(
    text: str, blocks: Sequence[Block], turns: Mapping[int, Turn], *, talk: bool
) -> list[Block]:
    """Give each block the speaker of the turn that it begins, contains or follows.

    If `talk`, blocks become speech, and a paragraph without a name continues the turn before it.
    """
    starts = sorted(turns)
    found: list[Block] = []
    open_turns: list[tuple[tuple[str, int], str]] = []
    goes_on = talk
    for block in blocks:
        if block.kind not in SAID:
            if block.kind in _HEADINGS:
                open_turns = []
            goes_on = talk or block.kind == "code"
            found.append(block)
            continue
        inside = starts[bisect_right(starts, block.start - 1) : bisect_right(starts, block.end - 1)]
        cuts = sorted({block.start, *inside})
        for start, end in zip(cuts, [*cuts[1:], block.end], strict=True):
            turn = turns.get(start)
            place = _place(text, block)
            if turn is None and (text[start] + text[block.end - 1]) in _ASIDES:
                open_turns = []
            open_turns = _close(open_turns, place, named=turn is not None, goes_on=goes_on)
            if turn is not None:  # the speaker of later blocks in the outer turns is unknown
                if turn.speaker:
                    open_turns = [(above, "") for above, _ in open_turns]
                open_turns.append((place, turn.speaker))
            who = open_turns[-1][1] if open_turns else ""
            last = start + len(text[start:end].rstrip())
            first, body = (start, start) if turn is None else turn[:2]
            if body >= last:  # the block is only a name: the words are in the blocks below
                found.append(Block(first, last, "aside", first))
            else:
                kind = "speech" if talk else block.kind
                found.append(Block(first, last, kind, body, who, block.parent))
        goes_on = talk
    return found


def _close(
    turns: list[tuple[tuple[str, int], str]],
    place: tuple[str, int],
    *,
    named: bool,
    goes_on: bool,
) -> list[tuple[tuple[str, int], str]]:
    """Return the open turns that a block at `place` (kind, column) belongs to."""
    kind, column = place
    if kind == "list item":
        return [one for one in turns if (one[0][1] < column if one[0][0] == kind else not named)]
    return [one for one in turns if one[0][0] == kind and not named and goes_on]


def find_people(text: str, blocks: Sequence[Block]) -> tuple[set[str], set[int]]:
    """Return the words of the attendance list, in lower case, and the start offsets of its blocks.

    The list is below a heading ("Present"), or on a line ("Attendees: Ann, Bob").
    """
    people: set[str] = set()
    listing: set[int] = set()
    inside = False
    for block in blocks:
        if block.kind in _HEADINGS:
            inside = _HEADED.match(text, block.start, block.end) is not None
            continue
        head = _LISTED.match(text, block.start, block.end)
        begin = block.start if head is None else head.end()
        inside = inside or (head is not None and not text[begin : block.end].strip(" \t*_"))
        if (inside or head is not None) and block.kind in SAID:
            listing.add(block.start)
            if text[block.end - 1] not in ".!?" and block.end - begin <= LONGEST_LISTED:
                said = _ASIDE.sub(" ", text[begin : block.end])
                people.update(map(str.lower, _CALLED.findall(said)))
    return people, listing


def _find_heads(
    text: str, blocks: Sequence[Block], listing: Container[int], people: set[str]
) -> list[_Head]:
    """Return the lines that may begin with a speaker's name, except in the attendance list."""
    starts = [block.start for block in blocks]
    sections = [0]
    for block in blocks:
        sections.append(sections[-1] + (block.kind in _HEADINGS))
    found = []
    for head in _HEAD.finditer(text):
        start = head.start("all")
        number = bisect_right(starts, start) - 1
        if number < 0 or start >= blocks[number].end:
            continue
        block = blocks[number]
        body, key = head.end(), head["name"].lower()
        first, behind = _CALLED.match(key), _CALLED.match(text, body)
        there = first is not None and first[0] in people
        if head["bare"] and behind is not None:  # Ann is no speaker in "Ann, Bob and Cem agreed"
            there = there and behind[0].lower() not in people
        may = there or head["bare"] is None
        if block.kind in SAID and block.start not in listing and may:
            turn = Turn(start, body, head["name"])
            end = block.end if head["bare"] is None else 0
            found.append(_Head(turn, key, sections[number], there, end))
    return found


def _place(text: str, block: Block) -> tuple[str, int]:
    """Return the kind of a block, and the indent of its line in columns."""
    line = text[text.rfind("\n", 0, block.start) + 1 : block.start].expandtabs(4)
    return block.kind, len(line) - len(line.lstrip())
