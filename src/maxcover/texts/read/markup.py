"""Markup: Markdown as blocks, with spans into the original text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from maxcover.texts.read.kinds import Block
from maxcover.texts.read.markup_tokens import LINE_END, Token, find_line_ends, find_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MARKER = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+)*")
_TRAILING = re.compile(r"[\s#]*$")
# Pictures and badges. They are not text, and a line that has nothing else is no block.
_PICTURES = re.compile(r"(?:\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?[\s|]*)+")
_LINKS_ONLY = re.compile(r"(?:\[[^\]]*\]\([^)]*\)[\s|•·,]*)+")
# Front matter in YAML, TOML, JSON or ZON at the start of a page, or lines such as "Title: ..." that
# end at an empty line (MultiMarkdown, Pelican). `_TITLE` matches the title in it.
_FRONT = re.compile(
    r"\ufeff?(?:(-{3})[ \t]*\r?\n(?=[^\n]*[:#{]|\s*\n|\.\w+ =)|(\+{3})[ \t]*\r?\n|\{\s*\n(?=\s*\"))"
    r"(?:(?!\1\2[ \t]*\r?$|\.{3}[ \t]*\r?$|\}[ \t]*\r?$).*\n){1,200}?"
    r"(?:-{3}|\.{3}|\+{3}|\})[ \t]*(?:\r?\n|\Z)"
    r"|\ufeff?(?=(?:[A-Z].*\n){0,20}?Title:)"
    r"(?:[A-Z][\w-]*(?: [A-Z][\w-]*)?:(?:[ \t].*)?\r?\n){2,30}(?=[ \t]*\r?\n)",
    re.MULTILINE,
)
_TITLE = re.compile(
    r"^[ \t]*\.?(?:title|\"title\")[ \t]*[:=][ \t]*(?:! )?(?:[>|][-+]?[ \t]*\n[ \t]+)?"
    r"(?:\"(?P<double>(?:[^\"\\\n]|\\.)+)\"|'(?P<single>(?:[^'\n]|'')+)'|(?P<bare>[^\s\"'].*?))"
    r"[ \t]*(?:[ \t]#.*|,)?\r?$",
    re.MULTILINE | re.IGNORECASE,
)
# A line such as "Start Date: ...", which describes the text and is above its title.
_FIELD = re.compile(r"[*_]{0,2}[A-Z][\w ()/-]{1,30}[*_]{0,2}:[*_]{0,2}(?:\s|$)")
_STRONG = re.compile(r"(\*\*|__)(?!\s)[^*_\n]{1,100}(?<!\s)\1[:?]?$")
_LETTER = re.compile(r"[^\W\d_]")
_TAGS = re.compile(r"(?:<[^>]+>\s*)+")
# Words in bold type at the beginning of a paragraph that are a heading: a line of their own, or
# before a sentence that begins with a function word.
_BOLD = r"(?P<words>(?!\s)[^*_<>\n]{1,60}(?<![\s.!?:,;]))"
_RUN_IN = re.compile(
    rf"(?P<mark>\*\*|__|<b>|<strong>){_BOLD}(?:(?P=mark)|</(?:b|strong)>)"
    r"(?:[ \t]*\n[ \t]*(?=[^\W\d_a-z])|[ \t]+"
    r"(?=(?:An?|As|At|For|From|If|In|It|On|The|This|These|To|We|When|You)\b))"
)
# In HTML: what is left out, and the tags that begin or end a block. A row of links is no text.
_HTML_EDGE = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|pre|svg|math|iframe|video)\b.*?(?:</\1>|\Z)"
    r"|<(?P<end>/?)(?P<tag>p|div|h[1-6]|[uo]l|li|d[ltd]|details|summary|section|article|aside|header"
    r"|footer|nav|center|blockquote|table|thead|tbody|t[rdh]|br|hr|img|picture|source|fig\w+)"
    r"\b[^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
_HTML_KINDS = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt"), "heading"),
    **dict.fromkeys(("td", "th"), "table"),
    "li": "list item",
    "blockquote": "quotation",
}
_HTML_LINK = re.compile(r"<a\b[^<>]*>[^<>]*</a>|<[^<>]*>", re.IGNORECASE)


_KINDS = {
    "fence": "code",
    "code_block": "code",
    "heading_open": "heading",
    "tr_open": "table",
    "paragraph_open": "paragraph",
    "html_block": "html",
}


def read_markdown(text: str) -> list[Block]:
    r"""Split a Markdown text into blocks.

    Returns
    -------
    list of Block
        In order. Pictures, rules and lines that are only links are left out.

    Examples
    --------
    >>> text = "# Report\n\nThe harbour *stays* closed.\n\n```\ncode\n```\n\n* one\n* two\n"
    >>> [(text[b.start : b.end], b.kind) for b in read_markdown(text)][:2]
    [('Report', 'title'), ('The harbour *stays* closed.', 'paragraph')]
    """
    starts = [0, *find_line_ends(text), len(text)]
    blocks: list[Block] = []
    places: list[int] = []  # start of each block that the parser found, -1 if it was left out
    apart: set[int] = set()
    heading = -1  # start of the last heading
    front = _FRONT.match(text)
    body = text
    if front is not None:
        title = _TITLE.search(text, *front.span())
        blocks = (
            [Block(*title.span(title.lastgroup or 0), "title", title.start(title.lastgroup or 0))]
            if title
            else []
        )
        body = "\n" * len(LINE_END.findall(front[0])) + text[front.end() :]
    for kind, first, last, parent in _find(find_tokens(body)):
        above = places[parent] if parent >= 0 and places[parent] >= 0 else heading
        edges = starts[first], starts[min(last, len(starts) - 1)]
        places.append(-1)
        if kind == "html":
            pieces = list(_read_html(text, *edges, above))
            apart.update(piece.start for piece in pieces if piece.kind != "heading")
            blocks += pieces
            heading = max((one.start for one in pieces if one.kind == "heading"), default=heading)
            continue
        block = _trim(text, *edges, kind, above)
        if block is not None and (not blocks or block.start >= blocks[-1].end):
            places[-1] = block.start
            blocks.append(block)
            heading = block.start if block.kind == "heading" else heading
    return _mark_title(text, blocks, apart)


def _mark_title(text: str, blocks: list[Block], apart: set[int]) -> list[Block]:
    """Make the first heading the title if only fields ("Start Date: ...") are above it.

    The fields become date lines, which are never in a summary. `apart` are the starts of blocks of
    HTML, which may be above a title too.
    """
    first = next((k for k, one in enumerate(blocks) if one.kind in ("heading", "title")), 0)
    above = blocks[:first]
    if not blocks or blocks[first].kind == "title" or first == len(blocks):
        return blocks
    if not all(one.start in apart or _FIELD.match(text, one.start, one.end) for one in above):
        return blocks
    framed = [one if one.start in apart else one._replace(kind="date line") for one in above]
    kind = "title" if blocks[first].kind == "heading" else blocks[first].kind
    return [*framed, blocks[first]._replace(kind=kind), *blocks[first + 1 :]]


def _find(tokens: Iterable[Token]) -> Iterator[tuple[str, int, int, int]]:
    """Yield (kind, first line, end line, number of the parent or -1) of each block with text.

    The parent is the first block of the list item around it, or the block right above its list.
    """
    quotations = number = 0
    above, level = -1, 0  # Previous block (-1 if it cannot introduce a list), its list depth.
    lists: list[int] = []  # The parent of each open list.
    items: list[int] = []  # The first block of each open item.
    for token, first, last in tokens:
        kind = _KINDS.get(token)
        if kind is None:
            name, _, edge = token.rpartition("_")
            if name == "blockquote":
                quotations += 1 if edge == "open" else -1
            elif name == "list_item":
                if edge == "open":
                    items.append(-1)
                else:
                    items.pop()
            elif edge == "open":
                lists.append(above if level == len(lists) else -1)
            else:
                lists.pop()
                above = -1
            continue
        parent = -1
        if kind == "paragraph":
            if quotations:
                kind = "quotation"
            elif lists:
                kind = "list item"
                parent = items[-1] if items[-1] >= 0 else lists[-1]
                items[-1] = number if items[-1] < 0 else items[-1]
        yield kind, first, last, parent
        above, level = (number if kind in ("paragraph", "list item") else -1), len(lists)
        number += 1


def _read_html(text: str, start: int, end: int, parent: int) -> Iterator[Block]:
    """Yield the blocks between the tags of a piece of HTML; tags inside a line stay in the text."""
    kind = "paragraph"
    around = ""  # the kind of the heading or cell that is open
    begin = start
    for edge in (*_HTML_EDGE.finditer(text, start, end), None):
        piece = text[begin : end if edge is None else edge.start()]
        if _LETTER.search(_HTML_LINK.sub("", piece)):
            inner = begin + len(piece) - len(piece.lstrip())
            block = _trim(text, inner, inner + len(piece.strip()), kind, parent)
            if block is not None:
                yield block
                parent = block.start if block.kind == "heading" else parent
        if edge is not None:
            begin = edge.end()
            tag = (edge["tag"] or "").lower()
            own = "paragraph" if edge["end"] else _HTML_KINDS.get(tag, "paragraph")
            if tag[:1] in ("h", "t") and tag not in ("hr", "header"):
                around = own if own != "paragraph" else ""
            kind = around or own


def _trim(text: str, start: int, end: int, kind: str, parent: int) -> Block | None:
    """Return a block without its markers, pictures and outer white space; None if it is empty."""
    if kind == "code":
        start = text.find("\n", start, end) + 1 or start
        if text[start:end].rstrip().endswith(("```", "~~~")):
            end = max(start, text.rfind("\n", start, max(start, end - 1)))  # nothing may be inside
    marker = _MARKER.match(text, start, end)
    start = marker.end() if marker else start
    if kind == "heading":
        piece = text[start:end].rstrip()
        if "\n" in piece:  # the heading is underlined with = or -
            end = start + piece.rindex("\n")
        end = start + _TRAILING.search(text[start:end]).start()  # type: ignore[union-attr] # it always matches
    for nothing in (_PICTURES, _TAGS):
        found = nothing.match(text, start, end)
        start = found.end() if found else start
    if kind == "paragraph":
        start, end = _peel(text, start, end)
    body = text[start:end]
    if not body.strip() or (kind != "heading" and _LINKS_ONLY.fullmatch(body.strip())):
        return None
    start += len(body) - len(body.lstrip())
    end = start + len(body.strip())
    if kind == "paragraph" and _STRONG.match(text, start, end):
        kind = "heading"
    run_in = _RUN_IN.match(text, start, end) if kind in ("paragraph", "list item") else None
    if run_in is None:
        return Block(start, end, kind, start, parent=parent)
    label = run_in["words"] if kind == "list item" else ""
    return Block(start, end, kind, run_in.end(), parent=parent, label=label)


def _peel(text: str, start: int, end: int) -> tuple[int, int]:
    """Cut lines without letters off the top of a paragraph, and rows of links off its bottom."""
    while (below := text.find("\n", start, end)) > 0 and not _LETTER.search(text, start, below):
        start = below + 1
    end = start + len(text[start:end].rstrip())
    while (above := text.rfind("\n", start, end)) > 0:
        row = text[above + 1 : end]
        if not _LINKS_ONLY.fullmatch(row) or ("|" not in row and text[above - 1] not in ".!?"):
            break
        end = above
    return start, end
