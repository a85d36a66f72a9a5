"""Pages: what a printed page has above and below its text. Numbers, running heads, footnotes."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from maxcover.text.read.kinds import Block

LONGEST_LINE = 160
"""Characters of a line that is no text."""

MOST_WORDS = 8
"""Words of a running head that is on one page only."""

MOST_NOTED = 15
"""Words of a footnote that names a source; a longer one says something."""

LONGEST_NUMBER = 20
"""Characters of a page number."""

SHORTEST_PAGE = 400
"""Characters between two page numbers; fewer are between the numbers of a list."""

RAISED = "¹²³⁴⁵⁶⁷⁸⁹†‡"
"""Signs of footnotes."""

_LINES = frozenset(["paragraph", "title", "heading", "list item", "table", "caption"])
_END = frozenset(".!?;,。！？।॥؟۔")
# What may stand behind a sentence: marks that close, and the number of a footnote.
_BEHIND = "\"'”’»)]›*_` 0123456789" + RAISED
_PAGE = re.compile(r"(?:(page |p\. ?)?(\d{1,4})( (?:of|/) ?\d{1,4}| ?[-–—])?|[ivx]{1,5})$", re.I)
_NOTE = re.compile(r"(?:[¹²³⁴⁵⁶⁷⁸⁹]+|\d{1,2}) ?[^\W\d_a-z]")
_NO_WORDS = re.compile(r"[\W\d_]+")


def find_lines(text: str, blocks: Sequence[Block]) -> list[int]:
    """Find the short blocks that do not end as a sentence does, captions and footnotes."""
    return [
        number
        for number, (start, end, kind, *_) in enumerate(blocks)
        if end - start <= LONGEST_LINE
        and (text[end - 1] not in _END or kind == "caption" or text[start] in RAISED)
        and kind in _LINES
        and not (text[end - 1] in _BEHIND and _is_ended(text, start, end))
    ]


def _is_ended(text: str, start: int, end: int) -> bool:
    return text[start:end].rstrip(_BEHIND)[-1:] in _END


def touches(text: str, above: Block, below: Block) -> bool:
    """Tell whether no blank line is between two blocks."""
    return text.count("\n", above.end, below.start) < 2


def find_pages(text: str, blocks: Sequence[Block], lines: Sequence[int]) -> Iterator[int]:
    r"""Find page numbers, the running heads next to them, and footnotes above them.

    A number alone is one of a page if the next page has the next number.

    Examples
    --------
    >>> text = "The harbour is\n\n2 Ibid.\nPage 14\nAlder Bay\n\nclosed."
    >>> edges = [(0, 14), (16, 23), (24, 31), (32, 41), (43, 50)]
    >>> blocks = [Block(a, b, "paragraph", a) for a, b in edges]
    >>> sorted(find_pages(text, blocks, find_lines(text, blocks)))
    [1, 2, 3]
    """
    pages = {
        number: page
        for number in lines
        if blocks[number].end - blocks[number].start <= LONGEST_NUMBER
        and (page := _PAGE.match(text, *blocks[number][:2]))
    }
    sure = _count_up(pages)
    if not sure:
        return
    yield from pages
    heads = [_head(text, block) for block in blocks]
    counts = Counter(heads)
    running = {
        heads[near]
        for number in sure
        for near in (number - 1, number + 1)
        if 0 <= near < len(blocks)
        and near not in pages
        and (counts[heads[near]] > 1 or _is_near(text, blocks, number, near))
    } - {""}
    yield from (number for number, head in enumerate(heads) if head in running)
    for number in sure:
        above = number - 1
        while above >= 0 and (heads[above] in running or _is_note(text, blocks[above])):
            yield above
            above -= 1


def _count_up(pages: dict[int, re.Match[str]]) -> list[int]:
    """Return the blocks that are surely page numbers: they say so, or count up page by page."""
    sure = {number for number, page in pages.items() if page[1] or page[3]}
    bare = [(number, page) for number, page in pages.items() if page[2]]
    for (above, one), (below, next_one) in pairwise(bare):
        far = next_one.start() - one.start() >= SHORTEST_PAGE
        if far and int(next_one[2]) == int(one[2]) + 1:
            sure |= {above, below}
    return sorted(sure)


def _head(text: str, block: Block) -> str:
    """Return the words of a line that may be a running head, without numbers."""
    start, end, kind, *_ = block
    if end - start > LONGEST_LINE or kind not in _LINES or text[start].islower():
        return ""
    if _is_ended(text, start, end) and not text.endswith(" et al.", start, end):
        return ""
    return _NO_WORDS.sub(" ", text[block.start : block.end]).strip()


def _is_near(text: str, blocks: Sequence[Block], number: int, near: int) -> bool:
    """Tell whether a block of a few words is on the line above or below a page number."""
    above, below = sorted((number, near))
    few = text.count(" ", *blocks[near][:2]) < MOST_WORDS
    return few and touches(text, blocks[above], blocks[below])


def _is_note(text: str, block: Block) -> bool:
    """Tell whether a block is a short footnote."""
    few = text.count(" ", block.start, block.end) < MOST_NOTED
    return few and _NOTE.match(text, block.start, block.end) is not None
