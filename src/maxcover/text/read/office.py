"""Office: the text of PDF files, for which the extra `files` is needed."""

from __future__ import annotations

import io
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from maxcover.errors import MissingExtraError, TextError

if TYPE_CHECKING:
    from collections.abc import Sequence

FREE_OPERATORS, BYTES_PER_OPERATOR = 10_000, 2
"""Operators that a file may have, and bytes of the file that allow one more: a small file must not
keep us busy for long. Each takes about 50 µs, and as long again for 32 characters in it."""

MOST_PAGES = 10_000

LEAST_PAGES = 3
"""Pages from which lines that most of them begin or end with are taken for a running head."""

# Several letters in one character, which no word list and no stemmer knows.
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00ad": ""}
)
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u2010][ \t]*\n(?=[a-zß-ÿ])")
_NUMBER = re.compile(r"\d+")
# Characters that take as long as an operator.
_CHARACTERS = 32
# What pypdf limits, by the filter that a stream is packed with.
_UNPACKED = [
    f"{kind}_maximum_output_length"
    for kind in ("array_based_stream", "lzw", "run_length", "zlib", "brotli")
]


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
    work = _Work(name, FREE_OPERATORS + len(data) // BYTES_PER_OPERATOR)
    limits = pypdf.Configuration(
        stream_parsing_work_maximum_count=4 * work.most,
        page_tree_maximum_entries=MOST_PAGES,
        **dict.fromkeys(_UNPACKED, 100 * work.most),
    )
    try:
        with pypdf.apply_configuration(limits):
            reader = pypdf.PdfReader(io.BytesIO(data))
            pages = [page.extract_text(visitor_operand_before=work.add) for page in reader.pages]
    except PyPdfError as error:
        work.check()
        raise TextError(f"{name} is no PDF file that can be read: {error}") from None
    work.check()
    text = "\n".join(_without_heads(pages)).translate(_LIGATURES)
    if not text.strip():
        raise TextError(f"{name} holds no text; a scan has to be read by an OCR program first")
    return _HYPHEN.sub("", text)


class _Work:
    """Counts what is done for a PDF file, across its pages and the forms on them."""

    def __init__(self, name: str, most: int) -> None:
        self.name, self.most, self.done = name, most, 0

    def add(self, _operator: bytes, operands: Any, *_matrices: Any) -> None:
        """Count an operator that is about to be carried out."""
        self.done += 1
        for operand in operands:
            if isinstance(operand, list):
                self.done += len(operand)
                self.done += sum(map(_length, operand)) // _CHARACTERS
            else:
                self.done += _length(operand) // _CHARACTERS
        self.check()

    def check(self) -> None:
        """Raise TextError if it was too much; in a form pypdf catches that, and so once more."""
        if self.done > self.most:
            raise TextError(
                f"expected at most {self.most:,} operators in {self.name}, for its size, got more; "
                "split the file, or pass its text"
            )


def _length(operand: Any) -> int:
    return len(operand) if isinstance(operand, str | bytes) else 0


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
