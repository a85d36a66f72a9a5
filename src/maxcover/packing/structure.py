"""Structure: parts of a passage that are no prose: code, tables, lists and formulas.

Their pieces are lines or blocks of lines. A piece may have a head, without which it cannot be read:
the signature of a function that is too long to be one piece, the head of a table, the line that
introduces a list.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Endings of files that hold code or data: nothing in them is prose.
CODE_ENDINGS = frozenset(
    f".{ending}"
    for ending in re.findall(
        r"\w+",
        "c cc cfg cpp cs css cu go h hpp html ini java jl js json jsx kt lua m php pl proto ps1 py "
        "pyi pyx r rb rs scala scss sh sql swift tf toml ts tsx xml yaml yml zig",
    )
)
# Without any of these there is nothing but prose, which most passages are.
_HINT = re.compile(r"[\n][ \t]*(?:[-*+•|`~\d#@(){}]|[ \t]|\w+[ (])|\$\$|\\\[|\\begin\{")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_ROW = re.compile(r"[ \t]*\|.*\||[^|\n]+(?:\|[^|\n]+){1,}")
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣◦▪●·]|\(?\d{1,3}[.)]|\([a-zA-Z]\))[ \t]+\S")
_FORMULA = re.compile(
    r"\$\$.+?\$\$|\\\[.+?\\\]|\\begin\{(equation|align|gather|multline)(\*?)\}.+?\\end\{\1\2\}",
    re.DOTALL,
)
# Lines that prose does not have; comments and blank lines say nothing.
_CODE_LINE = re.compile(
    r"""(?:(?:[ ]{4}|\t)\s*(?:\S+\s+){0,5}\S*[^\s.!?]\s*$|\s*(?:
    (?:def|class|async|import|from|return|raise|yield|if|elif|else|for|while|try|except|finally|with
      |assert|lambda|public|private|protected|static|final|const|let|var|func|fn|function|package|use
      |namespace|struct|enum|impl|interface|template|typedef|switch|case|end|do|then|fi|done|SELECT
      |FROM|WHERE|INSERT|UPDATE|CREATE)\b.*[:{(;,)=\]}>]\s*$
    |(?:return|raise|pass|break|continue|yield|import|from\s+[\w.]+\s+import|else:|try:|finally:|end)\b[^.!?]*$
    |@\w[\w.]*(?:\(.*)?$
    |[\w.\[\]"'*&]+(?:\s*:\s*[\w.\[\], |"']+)?\s*(?:[-+*/|&^%]|//|<<|>>|\*\*)?=(?!=)\s*\S.*
    |[)\]}>]+[;,:)]*.*$
    |[\w.]+(?:::[\w.]+)*\(.*[\w)\]}'",(\[{;:]\s*$
    |["'][^"']*["']\s*[:,].*$
    |[(\[{].*[,)\]}]\s*$
    |<\/?[\w!].*>\s*$
    |.*[;{]\s*$
    |.*(?:\w\.\w+\(|->|=>|::|==|!=|\|\||&&|\)\s*:\s*$)
    ))""",
    re.VERBOSE,
)
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--\s|\"\"\"|''')")
_LEAST_CODE, _FEWEST_LINES, _LOOKED_AT = 0.6, 2, 200
# A line that goes with the block before it, at the same indent.
_CLOSES = re.compile(r"[)\]}]|(?:else|elif|except|finally|catch|end|fi|done|then)\b")
# A line that goes with the block behind it.
_OPENS = re.compile(r"@|#(?!!)|//|/\*|\*|--\s|template\b")
# What holds blocks of its own, of which one can be taken without the others.
_HOLDER = re.compile(
    r"(?:export |default |public |private |protected |abstract |static |final |sealed |pub )*"
    r"(?:class|interface|struct|impl|trait|namespace|module|enum|object|extension)\b"
)
# Characters of a class that is one piece, however large the budget.
_SMALL = 400
# Characters of a list or table that is one piece.
_SHORT = 500


class Part(NamedTuple):
    """A piece that is not prose; `head` is the place of its head among the parts, or -1."""

    start: int
    end: int
    head: int = -1


class _Line(NamedTuple):
    start: int
    end: int
    indent: int
    gap: bool  # a blank line stands before it


def is_code_name(name: str) -> bool:
    """Tell whether a file holds code by the ending of its name."""
    return "." + name.rpartition(".")[2].casefold() in CODE_ENDINGS and "." in name


def is_code(text: str) -> bool:
    r"""Tell whether a passage is code: most of its lines are such as prose does not have.

    Examples
    --------
    >>> is_code("def bark(dog):\n    return dog.sound"), is_code("Dogs bark.\nCats do not.")
    (True, False)
    """
    lines = [
        line[:_LOOKED_AT] for line in text.splitlines() if line.strip() and not _COMMENT.match(line)
    ]
    if len(lines) < _FEWEST_LINES:
        return False
    found = sum(_CODE_LINE.match(line) is not None for line in lines)
    return found >= _LEAST_CODE * len(lines)


def find_parts(text: str, *, code: bool, most: int) -> list[list[Part]]:
    """Find what is no prose in a passage, region by region, in order.

    Parameters
    ----------
    text : str
    code : bool
        All of it is code, as the ending of a file says. Otherwise that is found out.
    most : int
        Characters of the longest block of code that is one piece.

    Returns
    -------
    list of list of Part
        The pieces of each region; heads are places within the region.
    """
    signs = "\n" in text or "\\" in text or "$" in text
    if not code and not (signs and _HINT.search(text)):
        return []
    lines = list(_lines(text, 0, len(text)))
    if code or is_code(text):
        return [_cut_code(text, lines, most)] if lines else []
    return [parts for parts in _regions(text, lines, most) if parts]


def _lines(text: str, start: int, end: int) -> Iterator[_Line]:
    """List the lines that are not blank; a line within a long string is indented like its first."""
    gap, inside, indent = False, "", 0
    at = start
    for line in text[start:end].splitlines(keepends=True):
        body = line.rstrip()
        if body:
            own = len(body) - len(body.lstrip())
            indent = indent if inside else len(body[:own].expandtabs(4))
            yield _Line(at, at + len(body), indent + bool(inside), gap)
            for mark in ('"""', "'''"):
                if inside in {"", mark} and body.count(mark) % 2:
                    inside = "" if inside else mark
        gap = not body
        at += len(line)


def _cut_code(text: str, lines: Sequence[_Line], most: int) -> list[Part]:
    """Cut code into blocks by its indents; a block that is too long has its first line as head."""
    parts: list[Part] = []
    least = min(line.indent for line in lines)
    first = next(k for k, line in enumerate(lines) if line.indent == least)
    # what comes before the first line of the outermost blocks is the end of another block
    _emit(text, lines[:first], most, -1, parts, apart=False)
    _siblings(text, lines[first:], most, -1, parts)
    return parts


def _siblings(text: str, lines: Sequence[_Line], most: int, head: int, parts: list[Part]) -> None:
    """Cut the lines of blocks that stand side by side."""
    if not lines:
        return
    least = min(line.indent for line in lines)
    begins = []
    bound = False  # the line before belongs to the block behind it
    for k, line in enumerate(lines):
        if line.indent > least:
            continue
        body = text[line.start : line.end].lstrip()
        if k == 0 or (not bound and _CLOSES.match(body) is None) or line.gap:
            begins.append(k)
        bound = _OPENS.match(body) is not None
    if 0 not in begins[:1]:
        begins.insert(0, 0)
    # statements of one line that follow each other are one block
    merged: list[list[int]] = []
    for a, b in pairwise([*begins, len(lines)]):
        simple = all(line.indent == least for line in lines[a:b])
        if merged and simple and merged[-1][2] and not lines[a].gap:
            size = lines[b - 1].end - lines[merged[-1][0]].start
            if size <= most:
                merged[-1][1] = b
                continue
        merged.append([a, b, simple])
    for a, b, _ in merged:
        _emit(text, lines[a:b], most, head, parts, apart=True)


def _emit(
    text: str, lines: Sequence[_Line], most: int, head: int, parts: list[Part], *, apart: bool
) -> None:
    """Add a block: one piece where it is short enough, otherwise its head and what is in it."""
    if not lines:
        return
    size = lines[-1].end - lines[0].start
    begin = next(
        (k for k, one in enumerate(lines) if not _OPENS.match(text[one.start : one.end].lstrip())),
        0,
    )
    body = text[lines[begin].start : lines[begin].end].lstrip()
    holder = apart and _HOLDER.match(body) is not None and size > _SMALL
    if size <= most and not holder:
        parts.append(Part(lines[0].start, lines[-1].end, head))
        return
    inner = begin + 1
    if apart and inner < len(lines):
        # a signature of several lines ends where the indent of its first line comes back
        back = [
            k
            for k in range(inner, min(len(lines), inner + 40))
            if lines[k].indent <= lines[begin].indent
        ]
        if back and _CLOSES.match(text[lines[back[0]].start : lines[back[0]].end].lstrip()):
            opened = text[lines[begin].start : lines[begin].end].rstrip()
            inner = back[0] + 1 if opened.endswith(("(", "[", ",")) else inner
    if apart and inner < len(lines) and lines[inner].indent > lines[begin].indent:
        parts.append(Part(lines[0].start, lines[inner - 1].end, head))
        _siblings(text, lines[inner:], most, len(parts) - 1, parts)
        return
    # nothing to hold on to: as many lines as are short enough
    begun = 0
    for k in range(1, len(lines) + 1):
        if k == len(lines) or lines[k].end - lines[begun].start > most:
            parts.append(Part(lines[begun].start, lines[k - 1].end, head))
            begun = k


def _regions(text: str, lines: list[_Line], most: int) -> Iterator[list[Part]]:
    """Find fences, indented code, tables, lists and formulas in a passage that is prose."""
    formulas = [match.span() for match in _FORMULA.finditer(text)]
    k = 0
    while k < len(lines):
        body = text[lines[k].start : lines[k].end]
        after = next((b for a, b in formulas if a < lines[k].end and lines[k].start < b), -1)
        fence = _FENCE.match(body)
        if after >= 0 and "\n" in text[lines[k].start : after]:
            stop = next((j for j in range(k, len(lines)) if lines[j].end >= after), len(lines) - 1)
            yield [Part(lines[k].start, lines[stop].end)]
            k = stop + 1
        elif fence:
            stop = next(
                (
                    j
                    for j in range(k + 1, len(lines))
                    if text[lines[j].start : lines[j].end].strip() == fence[1]
                ),
                len(lines) - 1,
            )
            yield _fenced(text, lines[k : stop + 1], most)
            k = stop + 1
        elif _ROW.fullmatch(body) and k + 1 < len(lines) and _is_rule(text, lines[k + 1]):
            stop = k + 2
            while stop < len(lines) and "|" in text[lines[stop].start : lines[stop].end]:
                if lines[stop].gap:
                    break
                stop += 1
            yield _rows(lines[k:stop], 2)
            k = stop
        elif _ITEM.match(body):
            stop = k + 1
            while stop < len(lines) and (
                _ITEM.match(text[lines[stop].start : lines[stop].end])
                or (lines[stop].indent > lines[k].indent and not lines[stop].gap)
            ):
                stop += 1
            yield from _items(text, lines, k, stop)
            k = stop
        elif lines[k].indent >= 4 and (k == 0 or lines[k].gap):
            stop = k + 1
            while stop < len(lines) and lines[stop].indent >= 4:
                stop += 1
            if is_code(text[lines[k].start : lines[stop - 1].end]):
                yield _cut_code(text, lines[k:stop], most)
            k = stop
        else:
            k += 1


def _is_rule(text: str, line: _Line) -> bool:
    body = text[line.start : line.end]
    return "-" in body and _RULE.match(body) is not None


def _fenced(text: str, lines: Sequence[_Line], most: int) -> list[Part]:
    """Keep a fenced block whole; one that is too long is cut, without its fences."""
    if lines[-1].end - lines[0].start <= most or len(lines) < 3:
        return [Part(lines[0].start, lines[-1].end)]
    return _cut_code(text, lines[1:-1], most)


def _rows(lines: Sequence[_Line], n_heads: int) -> list[Part]:
    """Cut a table into rows that keep their head; a short one is one piece."""
    if lines[-1].end - lines[0].start <= _SHORT or len(lines) <= n_heads:
        return [Part(lines[0].start, lines[-1].end)]
    head = Part(lines[0].start, lines[n_heads - 1].end)
    return [head, *(Part(line.start, line.end, 0) for line in lines[n_heads:])]


def _items(text: str, lines: list[_Line], first: int, stop: int) -> Iterator[list[Part]]:
    """Cut a list into items that keep the line that introduces them."""
    own = lines[first:stop]
    introduced = first > 0 and text[lines[first - 1].start : lines[first - 1].end].endswith(":")
    least = min(line.indent for line in own)
    begins = [
        k
        for k, line in enumerate(own)
        if line.indent == least and _ITEM.match(text[line.start : line.end])
    ]
    if len(begins) < 2 or begins[0]:
        return
    items = [
        Part(own[a].start, own[b - 1].end, 0 if introduced else -1)
        for a, b in pairwise([*begins, len(own)])
    ]
    intro = lines[first - 1]
    if introduced:
        if own[-1].end - intro.start <= _SHORT:
            yield [Part(intro.start, own[-1].end)]
        else:
            yield [Part(intro.start, intro.end), *items]
    elif any(b - a > 1 for a, b in pairwise([*begins, len(own)])):
        yield items
