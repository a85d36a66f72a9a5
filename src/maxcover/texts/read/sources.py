"""Sources: reads the documents of a command from files, directories, patterns or a pipe."""

from __future__ import annotations

import codecs
import glob
import io
import json
import os
import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from maxcover.errors import MaxcoverError, MissingExtraError, OptionError, TextError
from maxcover.ground.files.listing import FileLimits, Skipped, list_files
from maxcover.ground.files.opening import open_file
from maxcover.texts.read.eml import read_mail
from maxcover.texts.read.pdf import mend_ligatures, read_pdf
from maxcover.texts.read.word import read_word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from maxcover.texts.read.blocks import Form

STDIN = Path("-")

MOST_BYTES = 256_000_000
"""Most bytes of a file, or of one line of a JSON Lines file."""

#: Kinds of files by their endings. A file with an ending that is not listed is read as "text".
KINDS: dict[str, tuple[str, ...]] = {
    "text": (".txt", ".text", ".md", ".markdown", ".rst", ".vtt", ".srt"),
    "mail": (".eml",),
    "html": (".html", ".htm", ".xhtml"),
    "pdf": (".pdf",),
    "word": (".docx",),
    "notebook": (".ipynb",),
    "jsonl": (".jsonl", ".ndjson"),
}

#: The form in which a file is read, by its ending. For other endings the text decides.
FORMS: dict[str, Form] = {
    **dict.fromkeys((".md", ".markdown", ".docx", ".html", ".htm", ".xhtml"), "markdown"),
    **dict.fromkeys((".pdf", ".ipynb"), "markdown"),
    ".rst": "rst",
}

_SAVE, _COLUMN = "save it as .docx, .pdf or .txt", "pass the column of texts as a list"
#: Endings of documents that are not read here, and what to do instead.
UNREAD: dict[str, str] = {
    **dict.fromkeys(".doc .epub .mbox .odp .odt .pages .ppt .pptx .rtf".split(), _SAVE),  # noqa: SIM905
    **dict.fromkeys((".csv", ".ods", ".tsv", ".xls", ".xlsx"), _COLUMN),
    ".tex": "convert it: pandoc paper.tex -o paper.md",
}

# A list item that the reader of web pages prints as a marker alone, and the item in the next line.
_BROKEN_ITEM = re.compile(r"^([ \t]*- )\n[ \t]+", re.MULTILINE)

_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # listed before UTF-16, whose mark begins this mark
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True, slots=True)
class SourceCluster:
    """Documents that belong together, their names, and the files that could not be read."""

    title: str
    names: tuple[str, ...]
    documents: tuple[str, ...]
    skipped: tuple[Skipped, ...] = ()

    def forms(self, form: Form) -> list[Form]:
        """Return the markup form of each document: `form`, or if "auto", by its file ending."""
        if form != "auto" or not self.names:
            return [form] * len(self.documents)
        return [FORMS.get(Path(name).suffix.lower(), form) for name in self.names]


class Sources(NamedTuple):
    """The files to read, which of them were found in a folder, and the files skipped there."""

    files: list[Path]
    in_folders: frozenset[Path]
    skipped: tuple[Skipped, ...]


def find_files(
    arguments: Iterable[str],
    *,
    limits: FileLimits = FileLimits(),  # noqa: B008 - frozen
) -> Sources:
    """List the files that the arguments name: files, folders, patterns, or ``-`` for a pipe.

    A folder stands for all files below it with a known ending. Without arguments, standard input is
    read unless it is a terminal. Documents below a folder whose format is not read are listed as
    skipped. `maxcover.ground.files.listing` says which other files are left out.
    """
    named = list(arguments)
    if not named:
        if sys.stdin is None or sys.stdin.isatty():
            raise OptionError("nothing to read; name files, or pipe a text into standard input")
        return Sources([STDIN], frozenset(), ())
    found: list[Path] = []
    below: list[Path] = []
    skipped: list[Skipped] = []
    for argument in named:
        if argument.startswith(("http://", "https://")):
            raise OptionError(
                "expected a file, got a web address, and nothing is downloaded here; fetch it "
                f"first: curl -L -o page.html '{argument}'"
            )
        path = Path(argument)
        if path.is_dir():
            some = _below(path, limits)
            found += some.files
            below += some.files
            skipped += some.skipped
        elif path == STDIN or path.exists() or not glob.has_magic(argument):
            found.append(path)
        else:
            found += _matching(path, limits) or [path]
    return Sources(found, frozenset(below), tuple(skipped))


def _below(folder: Path, limits: FileLimits) -> Sources:
    endings = {ending for known in KINDS.values() for ending in known}
    listing = list_files(folder, endings={*endings, *UNREAD}, limits=limits)
    files = [folder / file.path for file in listing.files]
    readable = [path for path in files if path.suffix.lower() in endings]
    if not readable:
        raise TextError(f"no file below {str(folder)!r} ends in {', '.join(sorted(endings))}")
    unread = [
        Skipped(str(path), f"{path.suffix} files are not read; {UNREAD[path.suffix.lower()]}")
        for path in files
        if path.suffix.lower() in UNREAD
    ]
    return Sources(readable, frozenset(readable), (*listing.skipped, *unread))


def read_files(
    sources: Sources, *, kind: str | None = None, encoding: str | None = None, strict: bool = False
) -> SourceCluster:
    """Read files as documents that belong together; a line of JSON Lines has one or more documents.

    A file found in a folder that cannot be read is listed as skipped; if `strict`, it is an error.

    Raises
    ------
    TextError
        A file that was named cannot be read, or no file of a folder can be read.
    """
    names: list[str] = []
    texts: list[str] = []
    skipped = list(sources.skipped)
    for path in sources.files:
        try:
            is_named = path not in sources.in_folders
            for name, text in _read_each(path, kind_of(path, kind), encoding, follow=is_named):
                names.append(name)
                texts.append(text)
        except (TextError, OptionError, MissingExtraError, OSError) as error:
            if strict or is_named:
                raise
            skipped.append(Skipped(str(path), str(error)))
    if strict and skipped:
        raise TextError(f"{skipped[0].path} cannot be read: {skipped[0].reason}")
    if skipped and not texts:
        raise TextError(f"none of {len(skipped)} files can be read; {skipped[0].reason}")
    return SourceCluster("", tuple(names), tuple(texts), tuple(skipped))


def _read_each(
    path: Path, kind: str, encoding: str | None, *, follow: bool
) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each document in a file."""
    if kind != "jsonl":
        yield name_of(path), read_document(path, kind=kind, encoding=encoding, follow=follow)
        return
    for _, read in read_clusters(path, follow=follow):
        cluster = read()
        yield from zip(cluster.names, cluster.documents, strict=True)


def _matching(pattern: Path, limits: FileLimits) -> list[Path]:
    """List the files that match `pattern`, searching from its deepest folder without a wildcard."""
    folder = next(one for one in pattern.parents if not glob.has_magic(str(one)))
    if not folder.is_dir():
        return []
    listing = list_files(folder, [pattern.relative_to(folder).as_posix()], limits=limits)
    return [folder / file.path for file in listing.files]


def kind_of(path: Path, kind: str | None = None) -> str:
    """Return the kind of a file: `kind` if it is given, else by its ending; TextError if unread."""
    if kind is not None:
        return kind
    ending = path.suffix.lower()
    if ending in UNREAD:
        raise TextError(f"{name_of(path)}: {ending} files are not read; {UNREAD[ending]}")
    return next((name for name, endings in KINDS.items() if ending in endings), "text")


def read_document(
    path: Path, *, kind: str, encoding: str | None = None, follow: bool = True
) -> str:
    """Return the text of a file, read as `kind`; a symbolic link is refused unless `follow`.

    Raises
    ------
    TextError
        The file is empty or too large, is not text, or is in another encoding.
    OSError
        It cannot be read.
    """
    with _opened(path, follow=follow) as file:
        if path != STDIN:
            _check_size(name_of(path), os.fstat(file.fileno()).st_size)
        data = file.read(MOST_BYTES + 1)  # the size of a pipe is not known beforehand
    _check_size(name_of(path), len(data))
    return _text_of(path, data, kind=kind, encoding=encoding)


def read_upload(name: str, data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each document in a file that a client sent.

    One line of a JSON Lines file is read at a time.

    Raises
    ------
    TextError
        The file is empty, is not text, or is in another encoding than it says.
    """
    path = Path(name)
    kind = kind_of(path)
    if kind != "jsonl":
        yield name, _text_of(path, data, kind=kind)
        return
    for number, line in enumerate(io.BytesIO(data), start=1):
        if line.strip():
            cluster = _cluster(f"{name}, line {number}", line)
            yield from zip(cluster.names, cluster.documents, strict=True)


def _text_of(path: Path, data: bytes, *, kind: str, encoding: str | None = None) -> str:
    if not data:
        raise TextError(f"{name_of(path)} is empty")
    if kind not in _READERS:
        return _decoded(path, data, encoding)
    try:
        return _READERS[kind](name_of(path), data)
    except MaxcoverError:
        raise
    except Exception as error:  # third-party parsers may raise anything on a broken file
        why = f"{type(error).__name__}: {error}"[:200]
        raise TextError(
            f"{name_of(path)} cannot be read as {kind} ({why}); convert it to text first"
        ) from error


def read_clusters(
    path: Path, *, follow: bool = True
) -> Iterator[tuple[str, Callable[[], SourceCluster]]]:
    """Yield for each line of a JSON Lines file a name for messages, and a function that reads it.

    One line is in memory at a time. Reading a malformed line raises TextError; the next line can
    still be read.
    """
    with _opened(path, follow=follow) as file:
        lines = iter(lambda: file.readline(MOST_BYTES + 1), b"")
        for number, line in enumerate(lines, start=1):
            _check_size(f"line {number} of {name_of(path)}", len(line))
            if line.strip():
                where = f"{name_of(path)}, line {number}"
                yield where, lambda line=line, where=where: _cluster(where, line)  # type: ignore[misc]


def count_lines(path: Path) -> int:
    """Count the lines of a file; 0 for standard input, which cannot be read twice."""
    if path == STDIN:
        return 0
    with open_file(path) as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))


def _check_size(name: str, size: int) -> None:
    if size > MOST_BYTES:
        raise TextError(
            f"expected at most {MOST_BYTES:,} bytes in {name}, got "
            f"{f'{size:,}' if size > MOST_BYTES + 1 else 'more'}; split it"
        )


def name_of(path: Path) -> str:
    """Return the name of a source for use in messages."""
    return "standard input" if path == STDIN else str(path)


@contextmanager
def _opened(path: Path, *, follow: bool) -> Iterator[BinaryIO]:
    if path == STDIN:
        yield sys.stdin.buffer
    else:
        with open_file(path, follow=follow) as file:
            yield file


def _decoded(path: Path, data: bytes, encoding: str | None) -> str:
    """Decode bytes by `encoding`, else by their byte-order mark, else as UTF-8."""
    marked = next((name for mark, name in _BOMS.items() if data.startswith(mark)), None)
    used = encoding or marked or "utf-8"
    if encoding is None and marked is None and (b"\0" in data[:8192] or data[:5] == b"%PDF-"):
        raise TextError(f"{name_of(path)} is not a text file; convert it to text first")
    try:
        return mend_ligatures(data.decode(used))
    except LookupError:
        raise OptionError(f"unknown encoding {used!r}; try utf-8, utf-16 or latin-1") from None
    except UnicodeDecodeError as error:
        byte = f"0x{data[error.start]:02x}" if error.start < len(data) else "the end"
        raise TextError(
            f"{name_of(path)} is not {used} text ({byte} at byte {error.start}); say which "
            "encoding it is in, such as --encoding latin-1"
        ) from None


def _main_text(name: str, data: bytes) -> str:
    """Return the main text of a web page, as Markdown."""
    try:
        import trafilatura
    except ImportError as error:
        raise MissingExtraError(
            f'{name} is a web page; pip install "maxcover[html]" to read it ({error})'
        ) from error
    import logging

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # the errors below say what failed
    text: str | None = trafilatura.extract(
        data, include_comments=False, output_format="markdown", include_formatting=True
    )
    if not text:
        raise TextError(f"{name} is a web page without a main text")
    return _BROKEN_ITEM.sub(r"\1", text)


def _page(name: str, data: bytes) -> str:
    """Return the title of a web page, as a heading, and its main text.

    A page that begins with front matter is the source of a page, and returned as it is.
    """
    if data.startswith((b"---\n", b"---\r\n")):
        return _decoded(Path(name), data, None)
    text = _main_text(name, data)
    import trafilatura

    title = trafilatura.extract_metadata(data).title
    return text if not title or title in text[: 2 * len(title)] else f"# {title}\n\n{text}"


def _letter(name: str, data: bytes) -> str:
    """Return the subject and text of a mail."""
    return read_mail(name, data, _main_text)


def _notebook(name: str, data: bytes) -> str:
    """Return the Markdown of a Jupyter notebook; code and outputs are left out."""
    cells = json.loads(data.decode("utf-8-sig"))["cells"]
    told = [cell["source"] for cell in cells if cell["cell_type"] == "markdown"]
    texts = [one if isinstance(one, str) else "".join(one) for one in told]
    if not any(map(str.strip, texts)):
        raise TextError(f"{name} is a notebook without text cells")
    return "\n\n".join(texts)


#: Functions that return the text of files that are not plain text, by kind.
_READERS: dict[str, Callable[[str, bytes], str]] = {
    "mail": _letter,
    "html": _page,
    "pdf": read_pdf,
    "word": read_word,
    "notebook": _notebook,
}


def _cluster(where: str, line: bytes) -> SourceCluster:
    """Parse ``{"id": ..., "documents": [...]}``, ``{"text": ...}``, a list of texts or a text."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise TextError(f"{where}: not JSON ({error})") from None
    title = ""
    if isinstance(record, dict):
        title = _title(record)
        record = record.get("documents", [record])
    given = record if isinstance(record, list) else [record]
    texts: list[Any] = [item.get("text") if isinstance(item, dict) else item for item in given]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise TextError(
            f'{where}: expected a text, a list of texts, {{"text": ...}} or '
            f'{{"documents": [...]}}, got {_shown(line)}'
        )
    names = tuple(
        (_title(item) if isinstance(item, dict) else "") or f"document {number}"
        for number, item in enumerate(given, start=1)
    )
    return SourceCluster(title, names, tuple(texts))


def _title(record: dict[str, Any]) -> str:
    return next((str(record[key]) for key in ("id", "name", "title") if record.get(key)), "")


def _shown(line: bytes) -> str:
    return repr(line[:60].decode("utf-8", "replace"))
