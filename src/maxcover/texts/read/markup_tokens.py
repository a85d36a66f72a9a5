"""Markup tokens: where the blocks of Markdown begin and end, by markdown-it-py.

A text is parsed part by part, and short parts that look alike, words aside, are parsed once: of 10
MB of pages about software, that spares the parser two lines in three.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.texts.words.codepoints import to_letters

if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_END = re.compile(r"\r\n?|\n")
"""A line end as markdown-it sees it."""

# The part of a line that does not change the block structure: words, a link, a link's target.
_WORDS = re.compile(
    r"(?<!\]:\n)^([ \t#>*+\-_~=:\d.)]*?)"
    r"(?:(?:\*\*|__|`{1,2})?[^\s#>*+\-_~=:\d.)\"'(`<|\[\]]|"
    r"(?P<link>\[)[^\[\]\\|<>\n]*"
    r"(?:\](?!:)|(?P<target>[^\s\[\]\\|<>]\]: (?:https?://|[/#.])[^\s()\\|<>]+$)))"
    r"[^|<>\]\n]*+(?:\](?!:)[^|<>\]\n]*+)*+$",
    re.MULTILINE,
)
# The row of a table, except the rule below its head, and a cell of it that is not empty.
_ROW = re.compile(r"(?<!\]:\n)^[ \t]*\|[^<>\\\n]*[^<>\\\n:| \t-][^<>\\\n]*$", re.MULTILINE)
_CELL = re.compile(r"(?<=\|)[^|]*[^|\s][^|]*")
# A heading, a paragraph or targets of links at the beginning of a part.
_FIRST = re.compile(
    r"(?:(?P<heading_open>#{1,6} .*\n)"
    r"|(?:(?P<paragraph_open>(?:(?:x|\[x\])\n)+)|(?:\[x\]: x\n)+)(?:\n|\Z))(?:[ \t]*\n)*"
)
# Code fences and blank lines. At a blank line that matches `cut`, the text can be cut in two: the
# next line continues no list and no quotation.
_CUT = re.compile(
    r"^(?P<fence>(?P<sign>`{3,})[^`\n]*\n(?:.*\n)*? {0,3}(?P=sign)`*[ \t]*$)\n?"
    r"|^`{3,}[^`\n]*\n(?s:.*)|^(?:[ \t]*+\n)++(?P<cut>(?=[^\s>*+\-\d]))?",
    re.MULTILINE,
)

_BLOCKS = ("paragraph_open", "heading_open", "fence", "code_block", "tr_open", "html_block")
_AROUND = ("bullet_list", "ordered_list", "list_item", "blockquote")
_NAMES = {*_BLOCKS, *(f"{name}_{edge}" for name in _AROUND for edge in ("open", "close"))}

SHORT, KNOWN = 200, 3_000
"""Characters of a short part, and the number of such parts whose tokens are kept, also for other
texts (4 MB). The tokens of 968 pages of 10 MB took 2.1 s instead of 2.5, three pairs in turn."""

Token = tuple[str, int, int]
"""A token of markdown-it: its type, its first line, and the line after its last."""


def find_line_ends(text: str) -> list[int]:
    """Return the offset behind each line end."""
    letters = to_letters(text)
    feeds, returns = letters == ord("\n"), letters == ord("\r")
    returns[:-1] &= ~feeds[1:]
    return list((np.flatnonzero(feeds | returns) + 1).tolist())


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt

    # Inline markup is not parsed: only the block structure is needed.
    return MarkdownIt("commonmark").enable("table").disable("inline")


def find_tokens(text: str) -> Iterator[Token]:
    r"""Yield the tokens of a Markdown text: blocks, and the lists and quotations around them.

    Examples
    --------
    >>> list(find_tokens("The quay\n\n* is shut\n"))[:2]
    [('paragraph_open', 0, 1), ('bullet_list_open', 2, 3)]
    """
    # The parser visits every character. Replacing the words of each line by "x" saves most of its
    # time.
    text = _WORDS.sub(_shorten, LINE_END.sub("\n", text) if "\r" in text else text)
    text = _ROW.sub(lambda row: _CELL.sub("x", row[0]), text)
    start = line = again = 0
    for found in _CUT.finditer(text):
        end = found.end()
        if found["fence"] and found.start() == start:
            tokens = [("fence", 0, found["fence"].count("\n") + 1)]
        elif found["cut"] is None or end < again:
            continue
        else:
            while (block := _FIRST.match(text, start, found.start())) is not None:
                if block.lastgroup is not None:
                    yield block.lastgroup, line, line + block[block.lastgroup].count("\n")
                line, start = line + block[0].count("\n"), block.end()
            part = text[start : found.start()] + "\n"
            tokens, is_open = (_parse_short if len(part) <= SHORT else _parse)(part)
            # The last block may go on, so the text cannot be cut here. The next try is twice as
            # long, which keeps the total time linear.
            if is_open:
                again = 2 * end - start
                continue
        yield from ((name, line + first, line + last) for name, first, last in tokens)
        line += text.count("\n", start, end)
        start = end
    for name, first, last in _parse(text[start:])[0]:
        yield name, line + first, line + last


def _shorten(words: re.Match[str]) -> str:
    """Return the shortest line with the same block structure."""
    sign = "x" if words["link"] is None else "[x]" if words["target"] is None else "[x]: x"
    return words[1] + sign


@lru_cache(maxsize=KNOWN)
def _parse_short(part: str) -> tuple[list[Token], bool]:
    return _parse(part)


def _parse(text: str) -> tuple[list[Token], bool]:
    """Return the tokens of `text`, and whether its last block may go on after the final newline."""
    tokens = _parser().parse(text)
    is_open = (
        bool(tokens)
        and tokens[-1].type in ("fence", "html_block")
        and tokens[-1].map[1] == text.count("\n")
    )
    some = (one for one in tokens if one.type in _NAMES)
    return [(one.type, *(one.map or (0, 0))) for one in some], is_open
