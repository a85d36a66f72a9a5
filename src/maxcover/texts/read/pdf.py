"""PDF files: paragraphs, headings and lists, found by line positions. Needs the extra `files`.

A PDF file has no paragraphs, only characters with positions. PDFium gives the lines of a page in
the order in which they were written. Margins, line distances and font sizes show which lines form a
paragraph.
"""

from __future__ import annotations

import re
from collections import Counter
from ctypes import byref, c_double, c_int, create_string_buffer
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.errors import MissingExtraError, TextError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_PAGES = 10_000

FREE_WORK, WORK_PER_BYTE = 2_000_000, 10
"""Limit of work for a file: a fixed amount, and more for each byte, so that a small file cannot
take long. A character counts 1 and a line 100."""

LEAST_PAGES = 3
"""Running heads and page numbers are removed only from files with at least this many pages."""

SPREAD = 1.3
"""Largest distance between two lines of a paragraph, as a multiple of the usual line distance."""

LARGE = 1.2
"""A line at least this many times as high as most lines is a heading."""

INDENT = 3.0
"""A line is indented if it begins more than this many points further right than the line above."""

COLUMN = 60.0
"""The left edges of two lines of one column differ by at most this many points."""

LONGEST_HEADING = 120
"""Most characters of a heading in bold type."""

PAGE_END = "\f"
"""The character at the end of each page in the extracted text; `page_of` counts these."""

_FIXED = re.compile(r"Cour|Mono|(?i:cmtt)|\btt\d|Typewriter|Consol|Fixed")
_FIXED_PITCH, _FORCE_BOLD = 1, 1 << 18
_RUN = re.compile(r"(?:[^\s\0]|[\x0b\x0c\x1c-\x1f](?=[a-z]))(?:[^\r\n\0]*[^\s\0])?")
# Characters that PDFium returns in place of a hyphen at the end of a line.
_BROKEN = re.compile(r"\s*[\ufffe\x02]\s*")
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u2010]$")
_BULLET = re.compile(r"[•‣◦▪●·∙–—∗\uf0b7](?:\s+|$)|[-*+]\s+(?=\S)")
_NUMBER = re.compile(r"\(?(?:\d{1,3}|[a-z])[.)]\s")
_DOTS = re.compile(r"(?:\. ?){5,}")
_DIGITS = re.compile(r"\d+")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00ad": ""}
)
_ENDS = frozenset('.!?:。！？”"’)')
# TeX writes ligatures as control characters: of its old fonts, then of T1.
_CONTROLS = dict(
    zip("\x0b\x0c\r\x0e\x0f\x1b\x1c\x1d\x1e\x1f", 2 * ("ff", "fi", "fl", "ffi", "ffl"), strict=True)
)
_CONTROL = re.compile(
    r"(?<=[^\W\d_])[\x0b\x0c\x0e\x0f\x1b-\x1f](?=[^\W\d_A-Z])"
    r"|(?:\A|(?<=[ \"'“‘(-]))[\x0b\x0c\x0e\x0f\x1b-\x1f](?=[^\W\d_A-Z])"
    r"|(?<=[^\W\d_])[\x0b\x0e\x0f\x1b\x1e\x1f](?=[ .,;:!?)])"
)
_RETURN = re.compile(r"(?<=[^\W\d_])\r(?=[^\W\d_A-Z])|(?<=[ \"'“‘(-])\r(?=[^\W\d_A-Z])")
_loading = Lock()  # PDFium is not thread-safe


class PdfLine(NamedTuple):
    """A line of a page; `top` and `bottom` are the baselines of its first and last character.

    Coordinates are in points, from the lower left corner of the page.
    """

    text: str
    page: int
    left: float
    right: float
    top: float
    bottom: float
    height: float
    fixed: bool
    bold: bool


def read_pdf(name: str, data: bytes) -> str:
    """Return the text of a PDF file as Markdown, each paragraph on one line.

    Running heads and page numbers are left out. Words that were divided at a line end are joined.
    Each page ends with a form feed.

    Raises
    ------
    MissingExtraError
        The extra is not installed.
    TextError
        The file is broken, locked or contains only pictures of text.
    """
    try:
        import pypdfium2
    except ImportError as error:
        raise MissingExtraError(
            f'{name} is a PDF file; pip install "maxcover[files]" to read it'
        ) from error
    with _loading:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise TextError(f"{name} is no PDF file that can be read: {error}") from None
        with document:
            pages = _read_pages(name, document, FREE_WORK + WORK_PER_BYTE * len(data))
    lines = [line for page in _without_heads(pages) for line in page]
    if not lines:
        raise TextError(f"{name} holds no text; a scan has to be read by an OCR program first")
    return _write(lines)


def mend_ligatures(text: str) -> str:
    r"""Return a text with letters in place of control characters that stand for ligatures.

    Between letters, or between a blank and a small letter, a control character has no other
    meaning. A carriage return is read so only in a text with such characters and no Windows line
    ends.

    Examples
    --------
    >>> mend_ligatures("the o\x0ece of tra\x0ec, and the sta\x0b\n\x0cPage two")
    'the office of traffic, and the sta\x0b\n\x0cPage two'
    """
    mended = _CONTROL.sub(lambda sign: _CONTROLS[sign[0]], text)
    if mended != text and "\r" in text and "\r\n" not in text:
        mended = _RETURN.sub("fl", mended)
    return mended


def page_of(text: str, place: int) -> int:
    r"""Return the number, from 1, of the page at offset `place`; 0 if the text has no pages.

    Examples
    --------
    >>> page_of("One.\n\f\nTwo.\n", 7), page_of("One.", 2)
    (2, 0)
    """
    return text.count(PAGE_END, 0, place) + 1 if PAGE_END in text else 0


def _read_pages(name: str, document: Any, most: int) -> list[list[PdfLine]]:
    """Read the lines of all pages; raise a `TextError` if they exceed the work limit `most`."""
    if len(document) > MOST_PAGES:
        raise TextError(f"expected at most {MOST_PAGES:,} pages in {name}, got {len(document):,}")
    pages = []
    left = most
    for number in range(len(document)):
        page = document[number]
        words = page.get_textpage()
        left -= words.count_chars()
        pages.append(list(_read_lines(words, number + 1)) if left >= 0 else [])
        left -= 100 * len(pages[-1])
        if left < 0:
            raise TextError(
                f"expected at most {most:,} characters in {name}, for its size, a line counting as "
                "100, got more; split the file, or pass its text"
            )
        words.close()
        page.close()
    return pages


def _read_lines(words: Any, page: int) -> Iterator[PdfLine]:
    """Yield the lines of a page, in the order in which they were written to the file."""
    import pypdfium2.raw as pdfium

    count = words.count_chars()
    text = words.get_text_range(0, count, errors="replace") if count else ""
    if len(text) < count:  # `count` is in UTF-16 units, of which some characters take two
        text = text.ljust(count)
    x, y, flags, font = c_double(), c_double(), c_int(), create_string_buffer(64)
    box = pdfium.FS_RECTF()
    for run in _RUN.finditer(text):
        first, last = run.start(), run.end() - 1
        pdfium.FPDFText_GetLooseCharBox(words, last, byref(box))
        right = box.right
        pdfium.FPDFText_GetCharOrigin(words, last, byref(x), byref(y))
        bottom = y.value
        pdfium.FPDFText_GetLooseCharBox(words, first, byref(box))
        pdfium.FPDFText_GetCharOrigin(words, first, byref(x), byref(y))
        fonts = []
        for place in {first, (first + last) // 2, last}:
            pdfium.FPDFText_GetFontInfo(words, place, font, len(font), byref(flags))
            fonts.append((font.value.decode("latin-1"), flags.value))
        yield PdfLine(
            text=mend_ligatures(_BROKEN.sub("", run[0]).translate(_LIGATURES)),
            page=page,
            left=box.left,
            right=right,
            top=y.value,
            bottom=bottom,
            height=box.top - box.bottom,
            fixed=all(flag & _FIXED_PITCH or _FIXED.search(name) for name, flag in fonts),
            bold=all(flag & _FORCE_BOLD or "bold" in name.lower() for name, flag in fonts),
        )


def _without_heads(pages: Sequence[list[PdfLine]]) -> list[list[PdfLine]]:
    """Remove page numbers and running heads from the top and bottom of pages.

    A running head is a line at the top or bottom of more than a third of the pages. Lines that
    differ only in digits count as the same.
    """
    if len(pages) < LEAST_PAGES:
        return list(pages)
    edges = Counter(key for page in pages for key in {_key(line) for line in _edge(page)})
    # A third of the pages is enough: left pages, right pages and chapters have different heads.
    heads = {key for key, count in edges.items() if 3 * count > len(pages)}
    bare = {"0", "- 0 -", "page 0"}
    kept = []
    for page in pages:
        out = {id(one) for one in _edge(page) if _key(one) in heads or _key(one).lower() in bare}
        kept.append([line for line in page if id(line) not in out])
    return kept


def _edge(page: list[PdfLine]) -> list[PdfLine]:
    by_place = sorted(page, key=lambda line: -line.top)
    return [*by_place[:2], *by_place[-2:]]


def _key(line: PdfLine) -> str:
    return _DIGITS.sub("0", " ".join(line.text.split()))


def _write(lines: list[PdfLine]) -> str:
    """Join lines into paragraphs, and write the paragraphs as Markdown."""
    lines = [line for line in _join_pieces(lines) if not _DOTS.search(line.text)]
    body = Counter(round(line.height, 1) for line in lines for _ in line.text).most_common(1)
    usual = body[0][0] if body else 1.0
    gaps = Counter(
        round(2 * (above.bottom - below.top)) / 2
        for above, below in pairwise(lines)
        if 0 < above.bottom - below.top < 3 * usual and above.page == below.page
    )
    pitch = gaps.most_common(1)[0][0] if gaps else usual
    code = 2 * sum(line.fixed for line in lines) < len(lines)
    edges = _find_edges(lines)
    paragraphs: list[list[PdfLine]] = []
    for number, line in enumerate(lines):
        if paragraphs and _goes_on(paragraphs[-1], line, edges[number - 1], pitch, code=code):
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    parts, page = [], 1
    for paragraph in paragraphs:
        parts.append((PAGE_END + "\n") * (paragraph[0].page - page))
        parts.append(_write_paragraph(paragraph, usual, code=code) + "\n\n")
        page = paragraph[-1].page
    # The last page ends with a form feed too, so that a text of one page has a page number.
    return "".join(parts).rstrip("\n") + "\n" + PAGE_END


def _join_pieces(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """Join pieces that are side by side on one line: a bullet and its text, or two cells."""
    joined: list[PdfLine] = []
    for line in lines:
        above = joined[-1] if joined else None
        if (
            above is not None
            and above.page == line.page
            and abs(above.bottom - line.top) < 0.3 * max(above.height, line.height)
            and line.left >= above.right - 1
        ):
            wide = line.left - above.right > 3 * line.height and not _BULLET.match(above.text)
            text = f"{above.text}{'   ' if wide else ' '}{line.text}"
            bare = _BULLET.fullmatch(above.text) is not None
            joined[-1] = above._replace(
                text=text,
                right=line.right,
                bottom=line.bottom,
                height=line.height if bare else above.height,
                fixed=line.fixed and (bare or above.fixed),
                bold=line.bold and (bare or above.bold),
            )
        else:
            joined.append(line)
    return joined


def _find_edges(lines: Sequence[PdfLine]) -> list[float]:
    """Return where each line's column ends: at the end of the longest line that begins near it."""
    ends: dict[int, dict[float, float]] = {}
    for line in lines:
        page, left = ends.setdefault(line.page, {}), round(line.left)
        page[left] = max(page.get(left, 0.0), line.right)
    columns = {
        (page, left): max(end for other, end in edges.items() if abs(other - left) <= COLUMN)
        for page, edges in ends.items()
        for left in edges
    }
    return [columns[line.page, round(line.left)] for line in lines]


def _goes_on(
    paragraph: Sequence[PdfLine], line: PdfLine, edge: float, pitch: float, *, code: bool
) -> bool:
    """Return True if `line` continues `paragraph`; `edge` is where the paragraph's column ends."""
    above = paragraph[-1]
    if not _are_alike(above, line, code=code):
        return False
    if code and line.fixed:
        return above.page == line.page
    ended = above.text[-1] in _ENDS
    # The line above is full if the first word of this line would not have fitted on it.
    first = line.text.split(None, 1)[0]
    word = (len(first) + 1) / len(line.text) * (line.right - line.left)
    full = above.right + word > edge
    gap = above.bottom - line.top
    if above.page != line.page or gap <= 0:  # the line is on another page or in another column
        return not ended and (full or line.text[0].islower())
    item = _BULLET.match(paragraph[0].text) or _NUMBER.match(paragraph[0].text)
    indented = line.left > above.left + INDENT and not (item and len(paragraph) == 1)
    hanging = line.left < above.left - INDENT and bool(item or len(paragraph) > 1)
    if gap > SPREAD * pitch or indented or hanging:
        return False
    return full or (not ended and line.text[0].islower())


def _are_alike(above: PdfLine, line: PdfLine, *, code: bool) -> bool:
    """Return True if two lines can be of one paragraph, by list markers, font and height."""
    if _BULLET.match(line.text) or _NUMBER.match(line.text) or "   " in line.text:
        return False
    if (code and above.fixed != line.fixed) or above.bold != line.bold:
        return False
    return abs(above.height - line.height) <= 0.25 * max(above.height, line.height)


def _write_paragraph(paragraph: Sequence[PdfLine], usual: float, *, code: bool) -> str:
    """Write a paragraph as Markdown: code, a heading, a list item, or one line of text."""
    first = paragraph[0]
    if code and first.fixed:
        return "\n".join(["```", *(line.text for line in paragraph), "```"])
    text = first.text
    for above, line in pairwise(paragraph):
        if _HYPHEN.search(text) and line.text[0].islower():
            text = text[:-1]
            text += PAGE_END * (line.page - above.page) + line.text
        else:
            text += (PAGE_END * (line.page - above.page) or " ") + line.text
    if first.height >= LARGE * usual or (
        first.bold and len(text) <= LONGEST_HEADING and text[-1] not in ".:;,"
    ):
        return f"## {text}"
    bullet = _BULLET.match(text)
    if bullet is not None:
        return f"- {text[bullet.end() :]}"
    return f"\\{text}" if text[0] in "#>" else text
