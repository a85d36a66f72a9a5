"""Office: the text of PDF and Word files, for which the extra `files` is needed."""

from __future__ import annotations

import io
import re
from collections import Counter
from typing import TYPE_CHECKING

from maxcover.errors import MissingExtraError, TextError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_UNPACKED = 256_000_000
"""Bytes that a Word file may take unpacked, and characters that a PDF file may hold."""

LEAST_PAGES = 3
"""Pages from which lines that most of them begin or end with are taken for a running head."""

# Several letters in one character, which no word list and no stemmer knows.
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00ad": ""}
)
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u2010][ \t]*\n(?=[a-zß-ÿ])")
_NUMBER = re.compile(r"\d+")
_STYLE = re.compile(r"(?:Heading (\d)|Title|(List)\b.*)$")


def read_pdf(name: str, data: bytes) -> str:
    """Take the text out of a PDF file, in the order of its pages.

    Running heads and page numbers are left out, and words that a line end divides are joined.

    Raises
    ------
    MissingExtraError
        The extra is not installed.
    TextError
        The file is broken, locked or holds pictures of text only.
    """
    try:
        import pypdf
        from pypdf.errors import PyPdfError
    except ImportError as error:
        raise MissingExtraError(
            f'{name} is a PDF file; pip install "maxcover[files]" to read it'
        ) from error
    import logging

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # we say ourselves what failed
    try:
        pages, size = [], 0
        for page in pypdf.PdfReader(io.BytesIO(data)).pages:
            pages.append(page.extract_text())
            size += len(pages[-1])
            if size > MOST_UNPACKED:
                break
    except (PyPdfError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise TextError(f"{name} is no PDF file that can be read: {error}") from None
    _check_size(name, size)
    text = "\n".join(_without_heads(pages)).translate(_LIGATURES)
    if not text.strip():
        raise TextError(f"{name} holds no text; a scan has to be read by an OCR program first")
    return _HYPHEN.sub("", text)


def _without_heads(pages: Sequence[str]) -> list[str]:
    """Leave out the lines that most pages begin or end with, numbers apart."""
    lines = [[line for line in page.split("\n") if line.strip()] for page in pages]
    if len(pages) < LEAST_PAGES:
        return ["\n".join(page) for page in lines]
    edges = Counter(key for page in lines for key in {_key(line) for line in _edge(page)})
    heads = {key for key, count in edges.items() if 2 * count > len(pages)}
    kept = []
    for page in lines:
        edge = {id(line) for line in _edge(page) if _key(line) in heads}
        kept.append("\n".join(line for line in page if id(line) not in edge))
    return kept


def _edge(page: list[str]) -> list[str]:
    return [*page[:2], *page[-2:]]


def _key(line: str) -> str:
    return _NUMBER.sub("0", " ".join(line.split()))


def read_word(name: str, data: bytes) -> str:
    """Take the text out of a Word file (.docx), as Markdown: headings, lists and tables are marked.

    Raises
    ------
    MissingExtraError
        The extra is not installed.
    TextError
        The file is broken or holds no text.
    """
    try:
        import docx
    except ImportError as error:
        raise MissingExtraError(
            f'{name} is a Word file; pip install "maxcover[files]" to read it'
        ) from error
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(io.BytesIO(data)) as archive:  # which unpacks no more than it says
            _check_size(name, sum(part.file_size for part in archive.infolist()))
        document = docx.Document(io.BytesIO(data))
    except TextError:
        raise
    except (BadZipFile, ValueError, KeyError, SyntaxError) as error:  # lxml's are SyntaxErrors
        raise TextError(f"{name} is no Word file that can be read: {error}") from None
    text = "\n\n".join(_parts(document))
    if not text.strip():
        raise TextError(f"{name} holds no text")
    return text


def _check_size(name: str, size: int) -> None:
    """Raise TextError for a small file that would fill the memory when it is unpacked."""
    if size > MOST_UNPACKED:
        raise TextError(
            f"expected at most {MOST_UNPACKED:,} bytes in {name}, unpacked, got {size:,}; "
            "split the file, or pass its text"
        )


def _parts(document: object) -> Iterator[str]:
    """Give paragraphs and tables in the order of the document."""
    from docx.table import Table

    for item in document.iter_inner_content():  # type: ignore[attr-defined] # docx has no stubs
        if isinstance(item, Table):
            rows = [[" ".join(cell.text.split()) for cell in row.cells] for row in item.rows]
            lines = [f"| {' | '.join(row)} |" for row in rows]
            yield "\n".join([*lines[:1], "|---" * len(rows[0]) + "|", *lines[1:]] if rows else [])
            continue
        text = item.text.strip()
        style = _STYLE.match(item.style.name or "") if item.style is not None else None
        if text and style is not None:
            marker = "-" if style[2] else "#" * min(6, int(style[1] or 1))
            text = f"{marker} {text}"
        if text:
            yield text
