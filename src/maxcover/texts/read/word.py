"""Word files (.docx): a ZIP archive of XML, parsed as a stream."""

from __future__ import annotations

import io
import posixpath
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from maxcover.errors import TextError

if TYPE_CHECKING:
    from collections.abc import Mapping

FREE_BYTES, BYTES_PER_BYTE = 5_000_000, 40
"""Limit for the unpacked bytes of one part: a fixed amount, and more for each byte of the file, so
that a small file cannot take long."""

MOST_ENTRIES, MOST_PARAGRAPHS = 10_000, 250_000
"""Most files in the archive, and most paragraphs in the text and its tables, empty ones
included."""

# First bytes of an entry in the central directory of a ZIP archive.
_ENTRY = b"PK\x01\x02"
_PIECE = 1 << 20
_STYLE = re.compile(r"(?:heading (\d)|title|(list)\b.*)$", re.IGNORECASE)
# Elements whose text is left out: deleted and moved text, text boxes, and fallback copies of other
# elements.
_LEFT_OUT = frozenset({"del", "moveFrom", "txbxContent", "Fallback"})
_WRITTEN = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def read_word(name: str, data: bytes) -> str:
    """Return the text of a Word file as Markdown, with headings, lists and tables.

    Merged cells are one cell. Time and memory are linear in the size of the file.

    Raises
    ------
    TextError
        The file is broken or locked, is too large when unpacked, or has no text.
    """
    if data.count(_ENTRY) > MOST_ENTRIES:
        raise TextError(f"expected at most {MOST_ENTRIES:,} files in {name}, got more")
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            parts = _Parts(name, archive, FREE_BYTES + BYTES_PER_BYTE * len(data))
            main = parts.related("", "officeDocument", "word/document.xml")
            styles = _Styles()
            parts.read(parts.related(main, "styles", "word/styles.xml"), styles)
            document = _Document(name, styles.names)
            parts.read(main, document)
    except (BadZipFile, expat.ExpatError, RuntimeError, NotImplementedError) as error:
        raise TextError(f"{name} is no Word file that can be read: {error}") from None
    text = "\n\n".join(document.blocks)
    if not text.strip():
        raise TextError(f"{name} holds no text")
    return text


class _Handler(Protocol):
    """Callbacks for the elements and texts of an XML file; tags look like "namespace name"."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None: ...
    def end(self, tag: str) -> None: ...
    def text(self, text: str) -> None: ...


class _Parts:
    """The XML files of an archive."""

    def __init__(self, name: str, archive: ZipFile, most: int) -> None:
        self.name, self.archive, self.most = name, archive, most

    def related(self, part: str, kind: str, usual: str) -> str:
        """Return the path of the part that `part` links to as `kind`; `usual` if there is no link.

        If `part` is "", the links are those of the archive itself.
        """
        folder, file = posixpath.split(part)
        links = _Links(kind)
        self.read(posixpath.join(folder, "_rels", f"{file}.rels"), links)
        return posixpath.normpath(posixpath.join("/", folder, links.target or usual)).lstrip("/")

    def read(self, part: str, handler: _Handler) -> None:
        """Parse a part and call `handler` for its elements; do nothing if the part is missing."""
        try:
            about = self.archive.getinfo(part)
        except KeyError:
            return
        if about.file_size > self.most:  # zipfile unpacks no more bytes than `file_size`
            raise TextError(
                f"expected at most {self.most:,} bytes in {part} of {self.name}, unpacked, got "
                f"{about.file_size:,}; split the file, or pass its text"
            )
        if about.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
            raise NotImplementedError(f"{part} is packed in an unusual way")
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse
        parser.StartElementHandler = handler.start
        parser.EndElementHandler = handler.end
        parser.CharacterDataHandler = handler.text
        with self.archive.open(about) as file:
            while piece := file.read(_PIECE):
                parser.Parse(piece)
        parser.Parse(b"", True)


def _refuse(*_: object) -> None:
    raise expat.ExpatError("it defines entities, as no Word file does")


@lru_cache(1024)
def _local(name: str) -> str:
    """Return the name of an element or attribute without its namespace."""
    return name.rpartition(" ")[2]


def _value(attributes: Mapping[str, str]) -> str:
    return next((value for name, value in attributes.items() if _local(name) == "val"), "")


class _Links:
    """A handler that keeps the target of the first relationship of one kind."""

    def __init__(self, kind: str) -> None:
        self.kind, self.target = kind, ""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        kind = attributes.get("Type", "").rpartition("/")[2]
        if _local(tag) == "Relationship" and kind == self.kind and not self.target:
            self.target = attributes.get("Target", "")

    def end(self, tag: str) -> None: ...
    def text(self, text: str) -> None: ...


class _Styles:
    """A handler that collects the names of styles by their ids."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.id = ""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        tag = _local(tag)
        if tag == "style":
            found = (value for name, value in attributes.items() if _local(name) == "styleId")
            self.id = next(found, "")
        elif tag == "name" and self.id:
            self.names[self.id] = _value(attributes)
            self.id = ""

    def end(self, tag: str) -> None: ...
    def text(self, text: str) -> None: ...


class _Document:
    """A handler that collects paragraphs and tables; a table inside a cell becomes plain text."""

    def __init__(self, name: str, styles: Mapping[str, str]) -> None:
        self.name, self.styles = name, styles
        self.blocks: list[str] = []
        self.rows: list[list[str]] = []
        self.cell: list[str] = []
        self.words: list[str] = []
        self.style = ""
        self.paragraphs = self.tables = self.left_out = 0
        self.inside = False  # whether the parser is inside a text element

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        tag = _local(tag)
        if self.left_out or tag in _LEFT_OUT:
            self.left_out += 1
        elif tag == "t":
            self.inside = True
        elif tag == "p":
            self.words, self.style = [], ""
        elif tag == "pStyle":
            self.style = self.styles.get(_value(attributes), "")
        elif tag in _WRITTEN:
            self.words.append(_WRITTEN[tag])
        elif tag == "tbl":
            self.tables += 1
        elif self.tables == 1 and tag == "tr":
            self.rows.append([])
        elif self.tables == 1 and tag == "tc":
            self.cell = []

    def text(self, text: str) -> None:
        if self.inside:
            self.words.append(text)

    def end(self, tag: str) -> None:
        tag = _local(tag)
        if self.left_out:
            self.left_out -= 1
        elif tag == "t":
            self.inside = False
        elif tag == "p":
            self._end_paragraph("".join(self.words))
        elif tag == "tbl":
            self.tables -= 1
            if not self.tables:
                self._end_table()
        elif tag == "tc" and self.tables == 1 and self.rows:
            self.rows[-1].append(" ".join(self.cell))

    def _end_paragraph(self, text: str) -> None:
        self.words = []
        self.paragraphs += 1
        if self.paragraphs > MOST_PARAGRAPHS:
            raise TextError(
                f"expected at most {MOST_PARAGRAPHS:,} paragraphs in {self.name}, got more; "
                "split the file, or pass its text"
            )
        if self.tables:
            self.cell += text.split()
            return
        text = text.strip()
        style = _STYLE.match(self.style)
        if text and style is not None:
            marker = "-" if style[2] else "#" * min(6, int(style[1] or 1))
            text = f"{marker} {text}"
        if text:
            self.blocks.append(text)

    def _end_table(self) -> None:
        lines = [f"| {' | '.join(row)} |" for row in self.rows if row]
        if lines:
            width = len(next(filter(None, self.rows)))
            self.blocks.append("\n".join([lines[0], "|---" * width + "|", *lines[1:]]))
        self.rows = []
