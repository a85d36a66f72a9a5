"""Blocks: a document as what it is. Paragraphs, headings, lists, turns of speech, letter frames."""

import re
from typing import Literal, get_args

from maxcover.errors import OptionError
from maxcover.text.read.kinds import Block
from maxcover.text.read.lines import LineMode, Lines, join_lines
from maxcover.text.read.mail import mark_frames
from maxcover.text.read.markup import read_markdown
from maxcover.text.read.transcript import mark_talk, read_talk
from maxcover.text.read.unmark import unmark
from maxcover.text.read.writers import is_mail, name_writers

#: What a document can be written in.
Form = Literal["auto", "text", "markdown", "rst", "latex", "transcript"]

_FORMS: tuple[str, ...] = get_args(Form)

MOST_DATED = 8
"""Words of a date line."""

LONGEST_LABEL = 160
"""Characters of a heading, caption, date line or row of a table."""

_END = frozenset(".!?…:;,。！？।॥؟۔")
_CLOSING = "\"'”’»)]›“*_` "
# Signs of Markdown that other text does not have: fences, headings with text below, links, tables.
_MARKDOWN = re.compile(
    r"^(?:```|~~~)|^#{1,6} \S.*\n|\]\((?:https?://|[./#])|^\|?[ \t]*:?-{3,}:?[ \t]*\||^=+$"
    r"|\*\*[^\s*]",
    re.M,
)
# A text without any of these is not searched; one character is found sooner than two.
_MARKDOWN_SIGNS = (("#", "#"), ("*", "**"), ("]", "]("), ("|", "|-"), ("`", "```"), ("=", "\n=="))
# A line that is quoted by a bar, and no row of a table.
_BARRED = re.compile(r"^[> ]{0,9}\|[ \t][^|\n]+$", re.MULTILINE)
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
# When and by whom an article was published.
_BYLINE = re.compile(
    r"(?:Published|Updated|Posted|Last (?:updated|modified))\b.*\d|By [^\W\d_]+(?: [^\W\d_]+){1,3}$"
    r"|By [^\W\d_a-z][\w.'’-]*(?:,? (?:and |\| )?[^\W\d_a-z][\w.'’-]*){1,6}$"
)
_FULL_LINE = re.compile(r"\S.*\S")
_DIGIT = re.compile(r"\d")
_CELLS = re.compile(r"\t[^\t]*\t|\|[^|]*\||\S {3,}\S.* {3,}\S")


def find_blocks(
    text: str, *, lines: LineMode = "auto", form: Form = "auto", english: bool = False
) -> list[Block]:
    r"""Cut a document into blocks and say what each is.

    Parameters
    ----------
    text : str
    lines : {"auto", "break", "wrap"}
        Whether a line end ends a block; see `split_blocks`.
    form : {"auto", "text", "markdown", "rst", "latex", "transcript"}
        What it is written in; "auto" looks at the text.
    english : bool
        Whether it is known to be English; if not, letters of all languages are.

    Returns
    -------
    list of Block
        In order, disjoint; what is no block is white space or markup.

    Examples
    --------
    >>> text = "Minutes\n\nThe harbour stays closed until Friday.\n\nRegards,\nAnn"
    >>> [(text[b.start : b.end], b.kind) for b in find_blocks(text)][:2]
    [('Minutes', 'title'), ('The harbour stays closed until Friday.', 'paragraph')]
    """
    if form not in _FORMS:
        raise OptionError(f"form={form!r}: expected one of {', '.join(_FORMS)}")
    return cut_blocks(unmark(text, form), lines=lines, form=form, english=english)


def cut_blocks(text: str, *, lines: LineMode, form: Form, english: bool) -> list[Block]:
    """Cut a document that holds no markup but that of Markdown; see `find_blocks`."""
    if form == "markdown" or (form == "auto" and is_markdown(text)):
        blocks = _part_head(text, read_markdown(text))
        return mark_talk(text, blocks) or _mark(text, blocks, english=english)
    joined = join_lines(text, lines)
    talk = read_talk(text, joined, sure=form == "transcript") if form != "text" else None
    if talk is not None:
        return talk
    blocks = [
        Block(one.start, one.end, _kind(text, joined, number), one.start)
        for number, one in enumerate(joined)
    ]
    return _mark(text, blocks, english=english)


def _part_head(text: str, blocks: list[Block]) -> list[Block]:
    r"""Make the lines of a letter's head, one paragraph to Markdown, blocks of their own.

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
    """Mark what frames a letter, and say who wrote what."""
    return name_writers(text, mark_frames(text, blocks, english=english))


def is_markdown(text: str) -> bool:
    """Tell whether a text has two of the signs of Markdown, and is no mail that quotes by bars."""
    if is_mail(text) and _BARRED.search(text):
        return False
    for one, sign in _MARKDOWN_SIGNS:
        if one in text and sign in text:
            found = _MARKDOWN.finditer(text)
            return sum(1 for _ in zip(found, range(2), strict=False)) == 2
    return False


def _kind(text: str, joined: list[Lines], number: int) -> str:
    """Say what a block of plain text is by its own looks."""
    start, end, mark, depth, _ = joined[number]
    if mark.startswith("#"):
        return "heading"
    last = text[end - 1]
    if last in _CLOSING:
        last = text[start:end].rstrip(_CLOSING)[-1:]
    usual = "quotation" if depth else "list item" if mark else "paragraph"
    if end - start > LONGEST_LABEL:
        return usual
    words = text.count(" ", start, end) + 1
    label = _label(text, start, end, ended=last in _END)
    if label or last in _END or mark or depth or words > 16 or number + 1 == len(joined):
        return label or usual
    return _heading(text, joined, number) if words <= 12 or number == 0 else usual


def _label(text: str, start: int, end: int, *, ended: bool) -> str:
    """Say whether a short block is a caption, a byline, a row of a table or a date.

    Only the first two may end as a sentence does.
    """
    few = text.count(" ", start, end) < MOST_DATED
    if _CAPTION.match(text, start, end):
        return "caption"
    if few and _BYLINE.match(text, start, end):
        return "date line"
    if not ended and _CELLS.search(text, start, end):
        return "table"
    dated = few and not ended and _DATE.match(text, start, end)
    return "date line" if dated and _DIGIT.search(text, start, end) else ""


def _heading(text: str, joined: list[Lines], number: int) -> str:
    """Say whether a short line is a title or heading by what is around it."""
    below = joined[number + 1]
    if not _ends_sentence(text, below):
        return "paragraph"
    alone = joined[number].after_blank and below.after_blank
    return "title" if number == 0 else "heading" if alone else "paragraph"


def _ends_sentence(text: str, block: Lines) -> bool:
    return text[block.start : block.end].rstrip(_CLOSING)[-1:] in _END
