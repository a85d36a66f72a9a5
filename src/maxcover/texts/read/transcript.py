"""Transcript: the turns of a transcript, its times, and the remarks of its writer."""

import re
from collections.abc import Sequence, Sized
from functools import cache

from maxcover.texts.read.kinds import Block
from maxcover.texts.read.minutes import SAID, Turn, find_people, find_turns, share_turns

Span = tuple[int, int]

LEAST_TURNS = 4
"""A text is a transcript only if at least this many lines begin with, or are, a speaker's name."""

EVERY = 0.9
"""If at least this share of the lines begin with a name, the text is a chat even if the names are
in lower case, or if there are many different names."""

LINES_OF_A_TURN = 6
"""A transcript has, on average, at most this many lines for each line that names a speaker."""

LONGEST_NAME = 80
"""Most characters of a line that is only a name and a time."""

_SIGNS = (":", "：", "<")
_SIGN = re.compile("[：>]")
_TIME = (
    r"[\[(]?(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?[ \t]+)?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?"
    r"(?:[ \t]?[AaPp][Mm])?[\])]?(?:[ \t]+[-–])?"
)
_TIME_STARTS, _TIME_ENDS = frozenset("[(0123456789"), frozenset("])0123456789:")
_NAME = r"[^\W\d_a-z][\w.'’-]*(?: [^\W\d_a-z][\w.'’-]*){0,4}(?: \([^)\n]{1,24}\))?"
# The colon after a name, and the end of bold type (Markdown) or brackets around the name.
_COLON = r"(?:[\])#]? ?:[ \t]+|:\*\*[ \t]+|\*\* ?:[ \t]+|：[ \t]*)(?=\S)"
# A speaker's name before a colon, or in angle brackets as in chats. After a time, names in lower
# case are allowed too (`_TIMED_TURN`).
_TURN = re.compile(rf"\W{{0,2}}({_NAME}){_COLON}|<[@+]?([^\W\d_][\w.-]{{0,23}})>[ \t]+(?=\S)")
_TIMED_TURN = rf"{_TIME}[ \t]+(\W{{0,2}}([^\W\d_]\w*|{_NAME})(?:{_COLON}|>[ \t]+(?=\S)))"
_TIMED_NAME = rf"\W{{0,2}}({_NAME}(?: \d+)?)[ \t,–-]+{_TIME}:?$"
# Patterns that few texts need are compiled when they are first used.
_compiled = cache(re.compile)


def may_be_talk(text: str, n_blocks: int) -> bool:
    """Return True if a text of `n_blocks` blocks has enough colons and "<" for a transcript."""
    n_signs = sum(map(text.count, _SIGNS))
    return n_signs >= max(LEAST_TURNS, n_blocks / LINES_OF_A_TURN)


def read_talk(text: str, spans: Sequence[Span], *, sure: bool) -> list[Block] | None:
    r"""Return the blocks of a transcript; None if the text does not look like one, unless `sure`.

    Times before the name of a speaker are left out. A line that is only a name and a time is an
    aside, which gives no weight.

    Examples
    --------
    >>> from maxcover.texts.read.lines import split_blocks
    >>> text = "[0:01] ann: Since when?\n[0:07] ann: The port is closed."
    >>> blocks = read_talk(text, split_blocks(text), sure=True)
    >>> [(text[block.body : block.end], block.kind) for block in blocks]
    [('Since when?', 'speech'), ('The port is closed.', 'speech')]
    """
    turns = _find_turns(text, spans)
    names = {} if turns else _find_names(text, spans)
    if not (
        sure
        or _is_talk(turns, spans)
        or (len(names) >= LEAST_TURNS and LINES_OF_A_TURN * len(names) >= len(spans))
    ):
        return None
    blocks = []
    speaker = ""
    for number, (start, end) in enumerate(spans):
        turn = turns.get(number)
        if turn is not None:
            speaker = turn.speaker
            blocks.append(Block(turn.start, end, "speech", turn.body, speaker))
        elif number in names:
            speaker = names[number]
            blocks.append(Block(start, end, "aside", start))
        else:
            blocks.append(Block(start, end, "speech", start, speaker))
    return blocks


def mark_talk(text: str, blocks: list[Block]) -> list[Block] | None:
    r"""Return the blocks as speech if most paragraphs begin with a speaker's name; None if not.

    Examples
    --------
    >>> from maxcover.texts.read.markup import read_markdown
    >>> text = "# Port\n\n" + "\n\n".join(["**Ann:** Since when?", "**Bob:** May."] * 2)
    >>> [block.kind for block in mark_talk(text, read_markdown(text))][:2]
    ['title', 'speech']
    """
    listing = find_people(text, blocks)[1]
    said = [one for one in blocks if one.kind in SAID and one.start not in listing]
    turns = _find_turns(text, [(one.start, one.end) for one in said])
    if not _is_talk(turns, said):
        return None
    names = {turn.speaker.lower() for turn in turns.values()}
    places = {said[number].start: turn for number, turn in turns.items()}
    places = find_turns(text, blocks, names) | places
    return share_turns(text, blocks, places, talk=True)


def _is_talk(turns: Sized, blocks: Sized) -> bool:
    """Return True if at least `LEAST_TURNS` blocks, and more than half of all, are turns."""
    return len(turns) >= LEAST_TURNS and 2 * len(turns) > len(blocks)


def _find_turns(text: str, spans: Sequence[Span]) -> dict[int, Turn]:
    """Return the turns, by block number: the blocks that begin with a speaker's name."""
    turns: dict[int, Turn] = {}
    for number, (start, end) in enumerate(spans):
        timed = text[start] in _TIME_STARTS
        # Most prose has neither a time nor a colon, and is not matched against the patterns.
        if not timed and text.find(":", start, end) < 0 and _SIGN.search(text, start, end) is None:
            continue
        turn = _TURN.match(text, start, end)
        place = 0
        if turn is None and timed:
            place, turn = 1, _compiled(_TIMED_TURN).match(text, start, end)
        if turn is not None:
            name = turn[place + 1] or turn[2]
            turns[number] = Turn(turn.start(place), turn.end(), name)
    # Speakers' names recur. In headers and definitions each line has another name, or other lines
    # are between them.
    speakers = {turn.speaker for turn in turns.values()}
    every = len(turns) >= EVERY * len(spans) and 4 * len(speakers) <= 3 * len(turns)
    return turns if every or 2 * len(speakers) <= len(turns) else {}


def _find_names(text: str, spans: Sequence[Span]) -> dict[int, str]:
    """Return, by block number, the names in blocks that are only a name and a time."""
    found = {
        number: name[1]
        for number, (start, end) in enumerate(spans)
        if text[end - 1] in _TIME_ENDS
        and end - start <= LONGEST_NAME
        and (name := _compiled(_TIMED_NAME).match(text, start, end))
    }
    return found if 2 * len(set(found.values())) <= len(found) else {}
