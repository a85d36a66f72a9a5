"""Furniture: lines that stand around the text of a page. Buttons, fields, names of authors.

They are whole lines that do not end as a sentence does: a sentence on such a subject is text.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from maxcover.text.read.kinds import Block
from maxcover.text.read.pages import RAISED, find_lines, find_pages, touches

MOST_WORDS = 8
"""Words of a button."""

MOST_NAMED = 3
"""Words of the name of a section above a title."""

# "…" stands for more words, "0" for any number.
_BUTTONS = """
accept all…|accept cookies|add a comment|advertisement|back to top|close|comments|comments (0)
contact us|cookie policy…|cookie settings|copy link|edit this page…|email this…|enter your email…
follow us…|get our app…|home|leave a comment|listen|listen to this…|log in…|login|manage cookies
manage preferences|menu|post a comment|print|print this…|privacy policy…|reading time…|register
reject all…|reuse this content|save|save this…|search|share|share on…|share this…|share via…
sign in…|skip to …|subscribe|subscribe for …|subscribe now…|subscribe to …|tweet|tweet this
view comments|view in browser…|0 comment|0 comments|0 min read|0 minute read|0 minutes read
"""
# Titles of other pages may be on the lines below these.
_OPENERS = """
explore more…|more from…|more on this…|more stories|most popular|most read|most viewed
promoted content|read more…|read next|recommended…|related|related articles|related stories
related topics|sign up…|sponsored|sponsored content|trending|trending now
you may also like|you might also like
"""
_TABLES = {
    "button": _BUTTONS,
    "titles": _OPENERS,
    "works": "references|bibliography|works cited",
    "thanks": "acknowledgements|acknowledgments",
}
_PLAIN = frozenset(["paragraph", "heading", "title"])
_AROUND = "*_:›»→[]"
_NUMBER = re.compile(r"\d+")
_FIELD = re.compile(
    r"(?:related|keywords?|key words|tags|issn|isbn|doi)\s?:|report no\b"
    r"|received .{4,40} accepted\b|@[\w-]+ commented\b|\$ \w|\W{0,2}last (?:updated|modified)\b",
    re.I,
)
_FIELD_STARTS = frozenset("kKtTiIdDrRlL@$*_")
_SOURCE = re.compile(r"\W{0,2}(?:sources?|quelle)\s?:", re.I)
_AUTHORS = rf"[{RAISED}]+ ?(?:\S+ ){{0,14}}\S+$|(?:.*[^\W\d_][{RAISED}]){{2}}"
_WORK = r"(?s)(?:\[\d+\] |[^\W\d_][\w'’-]+(?: [\w'’-]+)?, [^\W\d_]\.).*\b(?:19|20)\d\d\b"
# Few texts need these.
_compiled = cache(re.compile)


def mark_furniture(text: str, blocks: Sequence[Block]) -> list[Block]:
    r"""Give the blocks that are furniture of a page their kind; the others stay as they are.

    Examples
    --------
    >>> from maxcover.text.read.kinds import Block
    >>> text = "Share on Facebook\nThe harbour is closed."
    >>> blocks = [Block(0, 17, "paragraph", 0), Block(18, 40, "paragraph", 18)]
    >>> [block.kind for block in mark_furniture(text, blocks)]
    ['furniture', 'paragraph']
    """
    lines = find_lines(text, blocks)
    if not lines:
        return list(blocks)
    found = {*_find_furniture(text, blocks, lines), *find_pages(text, blocks, lines)}
    if found:
        found |= {*_spread(text, blocks, lines, found)}
    return [
        block._replace(kind="furniture") if number in found else block
        for number, block in enumerate(blocks)
    ]


def _spread(
    text: str, blocks: Sequence[Block], lines: Sequence[int], found: set[int]
) -> Iterator[int]:
    """Find the other lines of runs that are furniture for the most part.

    Above a text the last line may be its heading, and one of more words its title.
    """
    short = {
        number
        for number in lines
        if blocks[number].kind in _PLAIN and text.find("\n", *blocks[number][:2]) < 0
    }
    known = found | {number for number, block in enumerate(blocks) if block.kind == "date line"}
    run: list[int] = []
    for number in range(len(blocks) + 1):
        if number in short or number in known:
            run.append(number)
            continue
        if len(known.intersection(run)) >= max(2, len(run) / 2):
            last = number == len(blocks)
            for one in run if last else run[:-1]:
                few = text.count(" ", *blocks[one][:2]) < MOST_NAMED
                if one not in known and (few or last):
                    yield one
        run = []


def _find_furniture(text: str, blocks: Sequence[Block], lines: Sequence[int]) -> Iterator[int]:
    """Find lines that are furniture by their own words, or by those of the line above."""
    titles = -2  # the line below which a title would be one of another page
    for number in lines:
        name = _name(text, blocks, number)
        below = number == titles + 1 and touches(text, blocks[number - 1], blocks[number])
        if name or below:
            yield number
            titles = number if name == "titles" or (below and not name) else -2
            if name in {"works", "thanks"}:
                yield from _find_listed(text, blocks, number + 1, name)


def _find_listed(text: str, blocks: Sequence[Block], first: int, name: str) -> Iterator[int]:
    """Find what stands below "References", or one paragraph below "Acknowledgements"."""
    if name == "thanks" and first < len(blocks) and touches(text, *blocks[first - 1 : first + 1]):
        yield first
    while (
        name == "works" and first < len(blocks) and _compiled(_WORK).match(text, *blocks[first][:2])
    ):
        yield first
        first += 1


def _name(text: str, blocks: Sequence[Block], number: int) -> str:
    """Say what furniture a line is, if it is any."""
    start, end, kind, *_ = blocks[number]
    if kind == "table":
        near = [block.kind for block in blocks[max(0, number - 1) : number + 2]]
        links = near.count(kind) == 1 and "|" in text[start:end]
        return "links" if links and not _NUMBER.search(text, start, end) else ""
    if (
        (kind == "caption" and _SOURCE.match(text, start, end))
        or (text[start] in _FIELD_STARTS and _FIELD.match(text, start, end))
        or (not text[start:end].isascii() and _compiled(_AUTHORS).match(text, start, end))
    ):
        return "field"
    few = kind in _PLAIN and text.count(" ", start, end) < MOST_WORDS
    marked = text[start - 2 : start] == "# "  # as a heading: no button
    return _find_phrase(text[start:end]) if few and not marked else ""


def _find_phrase(line: str) -> str:
    """Return the table that a line is in, if any."""
    words = line.lower().split()
    first = words[0].strip(_AROUND)
    phrases = _phrases().get("0" if first.isdigit() else first)
    if phrases is not None:
        line = _NUMBER.sub("0", " ".join(words)).strip(_AROUND)
        for phrase, goes_on, name in phrases:
            if line == phrase or (goes_on and line.startswith(phrase)):
                return name
    return ""


@cache
def _phrases() -> dict[str, list[tuple[str, bool, str]]]:
    """Return what is in the tables by first words: words, whether more may follow, and its name."""
    found: dict[str, list[tuple[str, bool, str]]] = {}
    for name, table in _TABLES.items():
        for phrase in table.strip().replace("\n", "|").split("|"):
            words = phrase.removesuffix("…")
            first = words.partition(" ")[0]
            found.setdefault(first, []).append((words, words != phrase, name))
    return found
