"""Structure: parts of a passage that are no prose: code, tables, lists and formulas.

Their pieces are lines or blocks of lines. A piece may have a head, without which it cannot be read:
the signature of a function that is too long to be one piece, the head of a table, the line that
introduces a list.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from maxcover.packing.file_blocks import CODE_ENDINGS, find_blocks
from maxcover.packing.passage_kinds import Line, Part, is_rule, list_lines, split_kind, under_head

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Without any of these there is nothing but prose, which most passages are.
_HINT = re.compile(r"[\n][ \t]*(?:[-*+•|`~\d#@(){}]|[ \t]|\w+[ (])|\$\$|\\\[|\\begin\{")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
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
# Characters of a list or table that is one piece; characters that a line of code has, about.
_SHORT, _LINE = 500, 32


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


class Structure(NamedTuple):
    """What is no prose in a passage: its kind, and the pieces of each region, in order.

    Heads are places within the region. The kind is "" where regions stand in prose.
    """

    kind: str
    regions: list[list[Part]]


def find_structure(text: str, *, ending: str, most: int) -> Structure | None:
    """Find what is no prose in a passage; None if all is.

    Parameters
    ----------
    text : str
    ending : str
        The ending of the file that it is, "" if that is not known.
    most : int
        Characters of the longest block of code that is one piece.
    """
    code = ending in CODE_ENDINGS and ending != "json"
    kind = None if code else split_kind(text)
    if kind is not None:
        return Structure(kind[0], [kind[1]])
    if not code and _HINT.search(text) is None:
        return None
    if code or is_code(text):
        parts = _cut_code(text, 0, len(text), ending, most)
        return Structure("code", [parts]) if parts else None
    regions = [parts for parts in _regions(text, list_lines(text), most) if parts]
    return Structure("", regions) if regions else None


def _cut_code(text: str, start: int, end: int, ending: str, most: int) -> list[Part]:
    """Cut code into blocks of lines."""
    places, at = [], start
    for line in text[start:end].split("\n"):
        places.append((at, at + len(line.rstrip())))
        at += len(line) + 1
    longest = max(most // _LINE, 1)
    blocks = find_blocks(ending or "cfg", text[start:end], longest=longest, heads=True)
    return [Part(places[one.first][0], places[one.last][1], one.head) for one in blocks]


def _regions(text: str, lines: list[Line], most: int) -> Iterator[list[Part]]:
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
        elif "|" in body and k + 1 < len(lines) and is_rule(text, lines[k + 1]):
            stop = k + 2
            while stop < len(lines) and "|" in text[lines[stop].start : lines[stop].end]:
                if lines[stop].gap:
                    break
                stop += 1
            short = lines[stop - 1].end - lines[k].start <= _SHORT or stop == k + 2
            yield (
                [Part(lines[k].start, lines[stop - 1].end)]
                if short
                else under_head(lines[k:stop], 2)
            )
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
                yield _cut_code(text, lines[k].start, lines[stop - 1].end, "", most)
            k = stop
        else:
            k += 1


def _fenced(text: str, lines: Sequence[Line], most: int) -> list[Part]:
    """Keep a fenced block whole; one that is too long is cut, without its fences."""
    if lines[-1].end - lines[0].start <= most or len(lines) < 3:
        return [Part(lines[0].start, lines[-1].end)]
    return _cut_code(text, lines[1].start, lines[-2].end, "", most)


def _items(text: str, lines: list[Line], first: int, stop: int) -> Iterator[list[Part]]:
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
