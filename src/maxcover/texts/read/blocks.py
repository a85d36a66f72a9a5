"""Blocks: a document as paragraphs, headings, list items, turns of speech and letter frames."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, get_args

from maxcover.errors import OptionError
from maxcover.texts.read.kinds import CLOSING, END, Block
from maxcover.texts.read.lines import HEADING, ITEM, LineMode, join_lines
from maxcover.texts.read.mail import mark_frames
from maxcover.texts.read.markup import read_markdown
from maxcover.texts.read.minutes import name_turns
from maxcover.texts.read.outline import find_parents, is_item, name_labels
from maxcover.texts.read.posts import Post, find_posts
from maxcover.texts.read.transcript import mark_talk, may_be_talk, read_talk
from maxcover.texts.read.unmark import BELOW_HEADING, is_rst, unmark
from maxcover.texts.read.writers import QUOTED, is_mail, name_writers

#: Formats of documents.
Form = Literal["auto", "text", "markdown", "rst", "transcript"]

_FORMS: tuple[str, ...] = get_args(Form)

MOST_DATED = 8
"""Most words of a date line or byline."""

LINES_OF_A_HEAD = 6
"""The head of a press release, title included, has at most this many lines."""

LONGEST_LABEL = 160
"""Most characters of a heading, caption, date line or row of a table."""

TITLE_WORDS, HEADING_WORDS = 16, 12
"""Most words of a title (the first line), and of a later line that is a heading."""

LEAST_ITEMS = 2
"""Numbered lines are the headings of an agenda if there are at least this many."""

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
# A line at the head of a press release, above its title.
_RELEASE = re.compile(
    r"\W*(?:for immediate release|(?:press|news|media) release|office of the press secretary)\W*$",
    re.IGNORECASE,
)
# The end of the line that introduces a list, and the marker of the list's first item.
_LISTS = re.compile(r"[:–—-][*_`)]{0,3}[ \t\u2060]*\r?\n\s*(?:[-*+•‣◦▪●·–—]|\(?\w{1,4}[.)])[ \t]")
# The number of a list item; see `_find_agenda`.
_NUMBERED = re.compile(r"(?:^|\n)[ \t]*\d{1,2}[.)][ \t]+\Z")
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
    mode = find_mode(text, form, lines)
    return cut_blocks(unmark(text, form), lines=mode, form=form, english=english)


def find_mode(text: str, form: Form, lines: LineMode) -> LineMode:
    """Return how to read line ends: in reStructuredText they end nothing, if not said otherwise."""
    rst = lines == "auto" and (form == "rst" or (form == "auto" and is_rst(text)))
    return "wrap" if rst else lines


def cut_blocks(text: str, *, lines: LineMode, form: Form, english: bool) -> list[Block]:
    """Split a document into blocks; `unmark` has already removed markup other than Markdown."""
    posts = find_posts(text) if form == "auto" and "\n" in text else []
    if posts:
        return [
            block for post in posts for block in _cut_post(text, post, lines=lines, english=english)
        ]
    if form == "markdown" or (form == "auto" and is_markdown(text)):
        blocks = _part_head(text, read_markdown(text))
        talk = mark_talk(text, blocks)
        if talk is not None:
            return name_labels(text, talk)
        marked = _mark(text, blocks, english=english)
        if not any(one.speaker for one in marked):
            marked = name_turns(text, marked)
        return name_labels(text, marked)
    if form != "transcript" and text[:1].isalpha() and len(text.splitlines()) == 1:
        return _read_line(text, english=english)
    mail = is_mail(text)
    rows = join_lines(text, lines, mail=mail)
    starts, ends = rows["start"].tolist(), rows["end"].tolist()
    may_talk = form == "auto" and may_be_talk(text, len(starts)) and not mail
    if form == "transcript" or may_talk:
        talk = read_talk(text, list(zip(starts, ends, strict=True)), sure=form == "transcript")
        if talk is not None:
            return talk
    kinds = _find_kinds(text, rows.tolist())
    blocks = list(map(Block, starts, ends, kinds, starts))
    marked = _mark(text, blocks, english=english)
    outlined = BELOW_HEADING in text or _LISTS.search(text) is not None
    outlined = outlined or any(one.kind == "heading" and is_item(text, one) for one in marked)
    return name_labels(text, find_parents(text, marked)) if outlined else marked


def _cut_post(text: str, post: Post, *, lines: LineMode, english: bool) -> list[Block]:
    """Split one post of a thread into blocks; what it does not quote is by its author."""
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
            speaker=who,
            parent=block.parent + first if block.parent >= 0 else -1,
            label=f"{who}: {block.label}" if block.label and not block.speaker else block.label,
        )
        for block in inside
        for who in [block.speaker or (QUOTED if block.kind == "quotation" else post.author)]
    ]


def _read_line(text: str, *, english: bool) -> list[Block]:
    """Return the only block of a text that is one line and begins with a letter.

    Many news texts are one line; without arrays, reading them takes half the time. Such a line is
    no list item and no talk.
    """
    end = len(text.rstrip())
    kind = _label(text, 0, end) or "paragraph"
    return mark_frames(text, [Block(0, end, kind, 0)], english=english)


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


def _mark(text: str, blocks: list[Block], *, english: bool) -> list[Block]:
    """Mark greetings, signatures and other frames of letters, and set the writer of each block."""
    return name_writers(text, mark_frames(text, blocks, english=english))


def _find_kinds(text: str, rows: Sequence[tuple[int, int, int, int, int]]) -> list[str]:
    """Return the kind of each block of plain text, by its marks, its length and its words.

    A short block above a block that ends like a sentence is a title or a heading. `rows` are the
    blocks as `join_lines` returns them.
    """
    kinds: list[str] = []
    short = stood_apart = False
    agenda = _find_agenda(text, rows)
    for number, (start, end, mark, depth, apart) in enumerate(rows):
        body = text[start:end]
        ended = body.rstrip(CLOSING)[-1:] in END
        if (
            short
            and ended
            and kinds[-1] == "paragraph"
            and (number == 1 or (stood_apart and apart))
        ):
            kinds[-1] = "title" if number == 1 else "heading"
        kind = "quotation" if depth else "list item" if mark == ITEM else "paragraph"
        most = HEADING_WORDS if number else TITLE_WORDS
        short = kind == "paragraph" and not ended and len(body) <= LONGEST_LABEL
        short = short and mark != HEADING and body.count(" ") < most
        stood_apart = bool(apart)
        if mark == HEADING:
            kind = "heading"
        elif len(body) <= LONGEST_LABEL:
            kind = _label(text, start, end) or kind
        if text.startswith(BELOW_HEADING, end + 1):
            kind = "heading" if number else "title"
        kinds.append("heading" if number in agenda else kind)
    for number, (start, end, *_) in enumerate(rows[:LINES_OF_A_HEAD]):
        if _RELEASE.match(text, start, end):
            kinds[: number + 1] = ["date line"] * (number + 1)
            if "heading" in kinds[:LINES_OF_A_HEAD]:
                kinds[kinds.index("heading")] = "title"
    return kinds


def _find_agenda(text: str, rows: Sequence[tuple[int, int, int, int, int]]) -> set[int]:
    """Return the numbered lines that are headings: short, apart, and directly above a paragraph.

    There are at least `LEAST_ITEMS` of them, or none.
    """
    found = {
        number
        for number, (one, below) in enumerate(pairwise(rows))
        if one[2] == ITEM
        and one[4]
        and below[2] != ITEM
        and not (one[3] or below[3] or below[4])
        and text.count(" ", one[0], one[1]) < HEADING_WORDS
        and text[one[1] - 1] not in END
        and _NUMBERED.search(text[max(0, one[0] - 9) : one[0]])
    }
    return found if len(found) >= LEAST_ITEMS else set()


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
