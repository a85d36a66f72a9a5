"""Blocks: a document as paragraphs, headings, list items, turns of speech and letter frames."""

import re
from itertools import repeat
from typing import Literal, get_args

import numpy as np

from maxcover.errors import OptionError
from maxcover.kernels.outlines import BLOCK
from maxcover.text.read.hints import (
    CLOSING,
    END,
    FRAME,
    LABEL,
    LONGEST_ATTRIBUTION,
    LONGEST_LABEL,
    LONGEST_NOTICE,
    find_hints,
    find_notices,
)
from maxcover.text.read.kinds import Block
from maxcover.text.read.lines import LineMode, join_lines
from maxcover.text.read.mail import mark_frames
from maxcover.text.read.markup import read_markdown
from maxcover.text.read.minutes import name_turns
from maxcover.text.read.outline import find_parents, name_labels
from maxcover.text.read.posts import Post, find_posts
from maxcover.text.read.transcript import mark_talk, may_be_talk, read_talk
from maxcover.text.read.unmark import BELOW_HEADING, is_rst, unmark
from maxcover.text.read.writers import is_mail, name_writers
from maxcover.text.words.codepoints import to_letters

#: Formats of documents.
Form = Literal["auto", "text", "markdown", "rst", "transcript"]

_FORMS: tuple[str, ...] = get_args(Form)

MOST_DATED = 8
"""Most words of a date line or byline."""

# Signs that other text rarely has: code fences, headings, links, table rules, underlines, bold.
_MARKDOWN = re.compile(
    r"^(?:```|~~~)|^#{1,6} \S.*\n|\]\((?:https?://|[./#])|^\|?[ \t]*:?-{3,}:?[ \t]*\||^=+$"
    r"|(?<![`/])\*\*[^\s*/]",
    re.M,
)
# A text is searched for `_MARKDOWN` only if it has the second string of a pair. The first string, a
# single character, is tested before it because that is faster.
_MARKDOWN_SIGNS = (("#", "#"), ("*", "**"), ("]", "]("), ("|", "|-"), ("`", "```"), ("=", "\n=="))
_CAPTION = re.compile(
    r"\W{0,2}(?:image|photo(?:graph)?|picture|figure|fig|table|video|credit|source|foto|bild"
    r"|abbildung|tabelle|quelle|crédit|tableau)\b\.?[^.]{0,24}[:.]|\d+ of \d+\W*$"
    r"|\W{0,2}file photo",
    re.I,
)
_DATE = re.compile(
    r"\W{0,2}(?:(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?\b|(?:published|updated|posted)\b"
    r"|\d{1,2}[./:-]\d{1,2}\b(?! [^\W\d])|(?:19|20)\d\d\b|(?:\d{1,2}\.? )?"
    r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-z]*\b)",
    re.I,
)
# A line that says when or by whom an article was published.
_BYLINE = re.compile(
    r"(?:Published|Updated|Posted|Last (?:updated|modified))\b.*\d|By [^\W\d_]+(?: [^\W\d_]+){1,3}$"
    r"|By [^\W\d_a-z][\w.'’-]*(?:,? (?:and |\| )?[^\W\d_a-z][\w.'’-]*){1,6}$"
)
# The end of the line that introduces a list, and the marker of the list's first item.
_LISTS = re.compile(r"[:–—-][*_`)]{0,3}[ \t\u2060]*\r?\n\s*(?:[-*+•‣◦▪●·–—]|\(?\w{1,4}[.)])[ \t]")
_FULL_LINE = re.compile(r"\S.*\S")
_DIGIT = re.compile(r"\d")
_CELLS = re.compile(r"\t[^\t]*\t|\|[^|]*\||\S {3,}\S.* {3,}\S")


def find_blocks(
    text: str, *, lines: LineMode = "auto", form: Form = "auto", english: bool = False
) -> list[Block]:
    r"""Split a document into blocks, each with its kind.

    Parameters
    ----------
    text : str
    lines : {"auto", "break", "wrap"}
        Whether a line end ends a block; see `split_blocks`.
    form : {"auto", "text", "markdown", "rst", "transcript"}
        Markup of the document; "auto" decides from the text.
    english : bool
        Whether the text is known to be English. If not, greetings, closings and headers of letters
        are recognised in all languages.

    Returns
    -------
    list of Block
        In order, disjoint; the text between blocks is white space or markup.

    Examples
    --------
    >>> text = "Minutes\n\nThe harbour stays closed until Friday.\n\nRegards,\nAnn"
    >>> [(text[b.start : b.end], b.kind) for b in find_blocks(text)][:2]
    [('Minutes', 'title'), ('The harbour stays closed until Friday.', 'paragraph')]
    """
    if form not in _FORMS:
        raise OptionError(f"form={form!r}: expected one of {', '.join(_FORMS)}")
    if lines == "auto" and (form == "rst" or (form == "auto" and is_rst(text))):
        lines = "wrap"
    return cut_blocks(unmark(text, form), lines=lines, form=form, english=english)


def cut_blocks(text: str, *, lines: LineMode, form: Form, english: bool) -> list[Block]:
    """Split a document into blocks; `unmark` has already removed markup other than Markdown."""
    posts = find_posts(text) if form == "auto" and "\n" in text else []
    if posts:
        return [
            block for post in posts for block in _cut_post(text, post, lines=lines, english=english)
        ]
    if form == "markdown" or (form == "auto" and is_markdown(text)):
        blocks = _part_head(text, read_markdown(text))
        places = np.array([(one.start, one.end, 0, 0, 0) for one in blocks], BLOCK)
        _, hints = find_hints(to_letters(text), places, english=english)
        talk = mark_talk(text, blocks)
        if talk is not None:
            return talk
        marked = _mark(text, blocks, hints, english=english)
        if not any(one.speaker for one in marked):
            marked = name_turns(text, marked)
        return name_labels(text, marked)
    if form != "transcript" and text[:1].isalpha() and len(text.splitlines()) == 1:
        return _read_line(text, english=english)
    joined = join_lines(text, lines)
    starts, ends = joined.edges
    may_talk = form == "auto" and may_be_talk(text, len(starts)) and not is_mail(text)
    if form == "transcript" or may_talk:
        talk = read_talk(text, list(zip(starts, ends, strict=True)), sure=form == "transcript")
        if talk is not None:
            return talk
    kinds, hints = find_hints(joined.letters, joined.blocks, english=english)
    for number, hint in enumerate(hints):
        if hint & LABEL:
            kinds[number] = _label(text, starts[number], ends[number]) or kinds[number]
        if text.startswith(BELOW_HEADING, ends[number] + 1):
            kinds[number] = "heading" if number else "title"
    # A text may have a block per line, so blocks are made by `tuple.__new__`, which takes a third
    # of the time of `Block(...)`.
    rows = zip(starts, ends, kinds, starts, repeat(""), repeat(-1), repeat(""), strict=False)
    blocks = list(map(tuple.__new__, repeat(Block), rows))
    marked = _mark(text, blocks, hints, english=english)
    return name_labels(text, find_parents(text, marked)) if _LISTS.search(text) else marked


def _cut_post(text: str, post: Post, *, lines: LineMode, english: bool) -> list[Block]:
    """Split one post of a thread into blocks; their speaker is the author of the post."""
    head = [Block(*post.head, "header", post.head[0])]
    if post.title is not None:
        head = [Block(*post.title, "title", post.title[0])]
    first, last = post.body
    inside = cut_blocks(text[first:last], lines=lines, form="auto", english=english)
    return head + [
        block._replace(
            start=block.start + first,
            end=block.end + first,
            body=block.body + first,
            kind="paragraph" if block.kind in ("title", "heading") else block.kind,
            speaker=block.speaker or post.author,
            parent=block.parent + first if block.parent >= 0 else -1,
        )
        for block in inside
    ]


def _read_line(text: str, *, english: bool) -> list[Block]:
    """Return the only block of a text that is one line and begins with a letter.

    Many news texts are one line; without arrays, reading them takes half the time. Such a line is
    no list item and no talk.
    """
    end = len(text.rstrip())
    hint = LABEL * (end <= LONGEST_LABEL) | FRAME * (end <= LONGEST_ATTRIBUTION)
    if end <= LONGEST_NOTICE:
        hint |= int(find_notices(to_letters(text), *np.array([[0], [end]]), english=english)[0])
    kind = (hint & LABEL and _label(text, 0, end)) or "paragraph"
    return mark_frames(text, [Block(0, end, kind, 0)], [hint], english=english)


def _part_head(text: str, blocks: list[Block]) -> list[Block]:
    r"""Make each line of a mail's head a block; the Markdown parser makes one paragraph of them.

    Examples
    --------
    >>> text = "From: Ann\nSubject: quays\n\n* `north` is open\n* `south` is closed\n"
    >>> [(text[b.start : b.end], b.kind) for b in find_blocks(text)][:2]
    [('From: Ann', 'header'), ('quays', 'title')]
    """
    if not (blocks and is_mail(text)):
        return blocks
    head = [
        Block(line.start(), line.end(), blocks[0].kind, line.start())
        for line in _FULL_LINE.finditer(text, blocks[0].start, blocks[0].end)
    ]
    return [*head, *blocks[1:]]


def _mark(text: str, blocks: list[Block], hints: list[int], *, english: bool) -> list[Block]:
    """Mark greetings, signatures and other frames of letters, and set the writer of each block."""
    return name_writers(text, mark_frames(text, blocks, hints, english=english), hints)


def is_markdown(text: str) -> bool:
    """Return True if a text has at least two signs of Markdown."""
    maybe = [sign for one, sign in _MARKDOWN_SIGNS if one in text]
    if not any(map(text.__contains__, maybe)):
        return False
    return sum(1 for _ in zip(_MARKDOWN.finditer(text), range(2), strict=False)) == 2


def _label(text: str, start: int, end: int) -> str:
    """Return "caption", "date line" (also for a byline) or "table" for a short block, or "".

    Dates and rows of a table must not end like a sentence.
    """
    few = text.count(" ", start, end) < MOST_DATED
    ended = text[start:end].rstrip(CLOSING)[-1:] in END
    if _CAPTION.match(text, start, end):
        return "caption"
    if few and _BYLINE.match(text, start, end):
        return "date line"
    if not ended and _CELLS.search(text, start, end):
        return "table"
    dated = few and not ended and _DATE.match(text, start, end)
    return "date line" if dated and _DIGIT.search(text, start, end) else ""
