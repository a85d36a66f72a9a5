"""Outline: the parent of each block, and the label that is printed before it.

A list item says little without the line that introduces the list, and may say the opposite: "The
warranty does not cover: hoses". So each block knows its parent: the list item around it, the line
above its list, or the heading above it. A block that cannot be understood without its parent is
printed with words of the parent before it.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from maxcover.texts.read.kinds import Block
from maxcover.texts.read.unmark import BELOW_HEADING

MOST_WORDS = 24
"""Most words of a label. A list item that needs a longer label is no candidate. Questions on the
agendas of the bed have up to 20 words."""

LONGEST_HEADING = 45
"""A longer heading, in characters, is not printed before the text below it."""

LEAST_LISTS = 2
"""The lists of a page differ by their headings if at least this many headings have a list."""

LEAST_VERSIONS = 2
"""A text is a changelog if at least this many headings have a version or a date. Then each entry is
printed with the version or date above it."""

SAID = frozenset(["paragraph", "list item", "speech"])
"""Kinds of blocks that can have a label or introduce a list."""

HEADINGS = frozenset(["heading", "title"])

_MARKER = re.compile(
    r"[ \t>]*(?:[-*+•‣◦▪●·–—]|(?P<sign>#\.|\(?(?:\d{1,3}|[a-z]|[ivx]{2,4})[.)]))[ \t]+", re.I
)
_SIGN, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")
# The end of a line that introduces a list.
_LEADS = re.compile(r"(?:[:：–—]|\w-|, (?:and|or))[*_`)]{0,3}$")
# The end of a statement. There is no question mark, because a list item that is a question is the
# label of its answers.
_SENTENCE_END = re.compile(r"[.!…。！][\"'”’)*_`]*$")
_FIRST_SENTENCE = re.compile(r"(?s:.*?[^\W\d_]{2}[.!?](?=\s)|.*)")
# A reference to an issue or change after an entry of a changelog: "(#12)".
_REFERENCES = re.compile(r"\s*(?:\{\w+\}`[^`]*`|\(?\[#?\d+\]\([^)\s]*\)\)?|\(#\d+\))[,.]?(?=\s|$)")
_LAST_CLAUSE = re.compile(r"(?s:.*)(?<=[^\W\d_]{2}[.!?])\s+(?=\S)")
# Words of headings that say no more than that the text below is the beginning.
_OPENS = {"about", "abstract", "contents", "description", "introduction", "overview", "summary"}
_NUMBER = re.compile(r"(?:(?:section|chapter|article|part|§) ?)?\d[\d.]*[.):]? +", re.I)
_DEEPEST = 7
_MARKS = " \t\r\n:：,.–—-"
_CONTENT, _ANY_WORD = re.compile(r"\w{4,}"), re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_RULE = re.compile(r"[ \t]*\r?\n[ \t>]*(=+|-+)[ \t]*$", re.M)
_TARGET = re.compile(r"(?<=\])(?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\])")
_VERSION = re.compile(
    r"\W*(?P<said>version |release |(?=v\d))?(?P<name>(?:19|20)\d\d-\d\d-\d\d\b"
    r"|v?\d+\.\d+[\w.-]*\b(?(said)|(?!\s+[^\W\d_]{2})))",
    re.IGNORECASE,
)


class _Place(NamedTuple):
    """The column of a list item, and the form of its marker: "1.", "(a)", ... or "" for bullets."""

    column: int
    sign: str


class _Heading(NamedTuple):
    """A heading as a label.

    `news` are its words that the title does not say, none if it tells nothing; `terms` are all its
    words, none if it is long or says only that the text begins. `outer` is the heading around it.
    """

    words: str
    news: set[str]
    terms: set[str]
    outer: str


class _Lead(NamedTuple):
    """The item or line above a list: does it announce what follows, as a colon does? Its words.

    They are None if a list that it announces would need more than `MOST_WORDS` of them.
    """

    announces: bool
    words: str | None
    item: bool


def find_parents(text: str, blocks: Sequence[Block]) -> list[Block]:
    r"""Set the parent of each block of plain text, by list markers and their columns.

    Examples
    --------
    >>> text = "It is closed to:\n\n(a) lorries;\n\n(b) buses."
    >>> blocks = [Block(a, b, "paragraph", a) for a, b in ((0, 16), (18, 30), (32, 42))]
    >>> [block.parent for block in find_parents(text, blocks)]
    [-1, 0, 0]
    """
    found: list[Block] = []
    heading = section = -1  # starts of the last heading, and of the last that markup shows
    above: list[tuple[_Place | None, int]] = []  # the line above a list, then its open items
    for block in blocks:
        if block.kind not in SAID:
            heading, above = block.start if block.kind in HEADINGS else heading, []
            if text.startswith(BELOW_HEADING, block.end + 1) or is_item(text, block):
                section = block.start
            found.append(block)
            continue
        place = _find_place(text, block)
        if place is None:
            above = [(None, block.start)]
            found.append(block._replace(parent=section if section == heading else -1))
            continue
        above = _close(above, place)
        found.append(block._replace(parent=above[-1][1] if above else heading, kind="list item"))
        above.append((place, block.start))
    return found


def is_item(text: str, block: Block) -> bool:
    """Tell whether a block stands behind a number, a letter or a bullet."""
    marker = _MARKER.match(text, text.rfind("\n", 0, block.start) + 1, block.end)
    return marker is not None and marker.end() >= block.start


def _find_place(text: str, block: Block) -> _Place | None:
    """Return the column and marker of a list item; None for a block that is no list item."""
    begin = text.rfind("\n", 0, block.start) + 1
    marker = _MARKER.match(text, begin, block.end)
    if marker is None or marker.end() < block.start:
        return _Place(block.start - begin, "") if block.kind == "list item" else None
    sign = marker["sign"] or ""
    line = text[begin : marker.end()].expandtabs(4)
    return _Place(len(line) - len(line.lstrip()), _SIGN.sub("1", _LETTERS.sub("a", sign)))


def _close(
    above: list[tuple[_Place | None, int]], place: _Place
) -> list[tuple[_Place | None, int]]:
    """Return those blocks of `above` that a list item at `place` is nested in."""
    for number, (other, _) in enumerate(above):
        if other is None:
            continue
        level = other.column == place.column
        if other.sign == place.sign if level else other.column > place.column:
            return above[:number]
    return above


def name_labels(text: str, blocks: Sequence[Block]) -> list[Block]:
    r"""Set the label of each block that cannot be understood without its parent.

    Examples
    --------
    >>> text = "Not covered:\n\nhoses"
    >>> blocks = [Block(0, 12, "paragraph", 0), Block(14, 19, "list item", 14, parent=0)]
    >>> name_labels(text, blocks)[1].label
    'Not covered'
    """
    if all(block.parent < 0 for block in blocks):
        return list(blocks)
    by_start = {block.start: block for block in blocks}
    leading = {block.parent for block in blocks}
    leads = {start: _read_lead(text, by_start[start]) for start in leading & {*by_start}}
    hung = {
        block.start: _hang(block, by_start, leads)
        for block in blocks
        if block.parent in by_start and block.kind in SAID
    }
    sections = _Sections(
        text, blocks, {hung[b.start] for b in blocks if b.start in hung and b.kind == "list item"}
    )
    found = []
    for block in blocks:
        if block.start in leading and block.kind == "list item" and not _ends(text, block):
            found.append(block._replace(kind="label"))
        elif block.start in hung:
            parent, label = hung[block.start], None
            if parent in sections.headings:
                label = sections.name(block, parent)
            else:
                lead = leads[parent]
                label = lead.words if lead.announces or block.kind != "paragraph" else ""
                label = _name_above(label, leads.get(by_start[parent].parent))
            if label is None:
                found.append(block._replace(kind="torn item"))
            else:
                label = _put_speaker(label, block, by_start[parent])
                found.append(block._replace(label=label) if label else block)
        else:
            found.append(block)
    return found


def _hang(block: Block, by_start: Mapping[int, Block], leads: Mapping[int, _Lead]) -> int:
    """Return the start of what a block hangs on; a line that announces nothing passes it on."""
    parent = by_start[block.parent]
    passes = parent.kind == "paragraph" and not leads[parent.start].announces
    return parent.parent if passes and parent.parent in by_start else parent.start


def _put_speaker(label: str, block: Block, parent: Block) -> str:
    """Return the label of a block with its speaker: behind it, or before it if inside the turn."""
    if not label or not block.speaker:
        return label
    inside = parent.speaker == block.speaker
    return f"{block.speaker}: {label}" if inside else f"{label}, {block.speaker}"


def _ends(text: str, block: Block) -> bool:
    """Return True if a block ends like a sentence."""
    return _SENTENCE_END.search(_without_references(text[block.start : block.end])) is not None


class _Sections:
    """The headings of a text, and which of them are printed before what stands below them."""

    def __init__(self, text: str, blocks: Sequence[Block], listed: Collection[int]) -> None:
        self.text, self.versions = text, _find_versions(text, blocks)
        titles = [text[block.start : block.end] for block in blocks if block.kind == "title"]
        titled = _OPENS | _find_content(" ".join(titles))
        self.headings: dict[int, _Heading] = {}
        around: list[tuple[int, str]] = []  # the levels and words of the headings above
        for block in blocks:
            if block.kind in HEADINGS:
                level = _find_level(text, block)
                while around and around[-1][0] >= level:
                    around.pop()
                outer = around[-1][1] if around and block.kind == "heading" else ""
                heading = _read_heading(text, block, titled, outer)
                self.headings[block.start] = heading
                around += [(level, heading.words)] if block.kind == "heading" else []
        parted = [self.headings[start] for start in listed if start in self.headings]
        self.parted = (
            Counter(one.words for one in parted) if len(parted) >= LEAST_LISTS else Counter()
        )

    def name(self, block: Block, start: int) -> str:
        """Return the heading at `start` as the label of `block`; in a changelog also the version.

        The label is "" if the heading tells nothing, or if the block has one of its words. Where
        the lists of a page differ by their headings, only a heading whose words the item all has
        is left out.
        """
        heading = self.headings[start]
        said = self.text[block.start : block.end]
        tells = bool(heading.news) and heading.news.isdisjoint(_find_content(said))
        number = bisect_right(self.versions, (block.start, "")) - 1
        version = self.versions[number][1] if number >= 0 else ""
        words = heading.words
        if block.kind == "list item" and self.parted[words]:
            tells = not heading.terms <= _find_words(said)
            words = ", ".join(filter(None, (heading.outer * (self.parted[words] > 1), words)))
        tells = tells and not (version and _VERSION.match(heading.words))
        return ", ".join(filter(None, (version, words if tells else "")))


def _find_versions(text: str, blocks: Sequence[Block]) -> list[tuple[int, str]]:
    """Return (start, version) of headings with a version or date; [] below `LEAST_VERSIONS`.

    A number with a word after it, such as "1.2 Scope", is that of a section. A title counts if it
    is only a version.
    """
    found = [
        (block.start, version["name"])
        for block in blocks
        if block.kind in HEADINGS
        and (version := _VERSION.match(text, block.start, block.end))
        and (block.kind == "heading" or not any(map(str.isalpha, text[version.end() : block.end])))
    ]
    return found if len(found) >= LEAST_VERSIONS else []


def _find_level(text: str, block: Block) -> int:
    """Return the level of a heading of Markdown; a line in bold type is below all others."""
    line = text[text.rfind("\n", 0, block.start) + 1 : block.start]
    rule = _RULE.match(text, block.end)
    if rule is not None:
        return 1 if rule[1][0] == "=" else 2
    return line.count("#") or _DEEPEST


def _read_heading(text: str, block: Block, titled: set[str], outer: str) -> _Heading:
    """Return a heading as a label; it tells nothing if it is long or has a word of `titled`."""
    words = _NUMBER.sub("", _tidy(_without_references(text[block.body : block.end])))
    shown = _TARGET.sub("", words)
    short = block.kind == "heading" and len(shown) <= LONGEST_HEADING
    news, terms = _find_content(shown), _find_words(shown) - _OPENS
    tells = short and news.isdisjoint(titled)
    return _Heading(words, news if tells else set(), terms if short else set(), outer)


def _name_above(label: str | None, above: _Lead | None) -> str | None:
    """Return a label with the words of the item around its own, if both are short enough."""
    if not label or above is None or not above.item or not above.words:
        return label
    both = f"{above.words}, {label}"
    return both if len(both.split()) <= MOST_WORDS else label


def _tidy(words: str) -> str:
    """Remove the marks at the end, but not the end of bold type or code, from a label."""
    words = words.strip().rstrip(_MARKS)
    inside = words.rstrip("*_`")
    return inside.rstrip(_MARKS) + words[len(inside) :]


def _without_references(words: str) -> str:
    signs = "#" in words or "](" in words or "}`" in words
    return _REFERENCES.sub("", words) if signs else words


def _find_content(text: str) -> set[str]:
    return set(_CONTENT.findall(text.lower()))


def _find_words(text: str) -> set[str]:
    return set(_ANY_WORD.findall(text.lower()))


def _read_lead(text: str, parent: Block) -> _Lead:
    """Return the item or line above a list as a label; it has no words if they say nothing."""
    words = _without_references(text[parent.body : parent.end]).strip()
    announces, item = _LEADS.search(words) is not None, parent.kind == "list item"
    if announces:
        clause = _LAST_CLAUSE.match(words)
        words = words[clause.end() :] if clause is not None else words
    elif item:
        words = _FIRST_SENTENCE.match(words)[0]  # type: ignore[index] # it matches any text
    else:
        words = ""
    if len(words.split()) > MOST_WORDS:
        needed = announces or (item and _SENTENCE_END.search(words) is None)
        return _Lead(announces, None if needed else "", item)
    return _Lead(announces, _tidy(words) if "://" not in words else "", item)
