"""Given: turns documents, in whatever form a caller passes them, into texts with names."""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Callable, Iterable, Mapping, Set
from typing import TYPE_CHECKING, Any, TypeAlias

from maxcover.errors import OptionError, TextError
from maxcover.texts.read.sources import KINDS, SourceCluster, find_files, read_files

if TYPE_CHECKING:
    from maxcover.ground.files.listing import Skipped

#: A text, a file or folder, a record ``{"text": ...}``, several of these, or a mapping from names.
Documents: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Iterable[Any] | SourceCluster"

# A text with more characters or more spaces than this is not taken for the name of a file.
_LONGEST_NAME, _MOST_SPACES = 255, 4
_ENDINGS = tuple(ending for known in KINDS.values() for ending in known)
_RECORD = {"text", "id", "name", "title"}
_FORMS = 'a text, a Path, {"text": ...}, a list of these, or a mapping from names to texts or Paths'


def find_documents(
    given: Documents, *, option: str = "documents", paths: bool = True
) -> SourceCluster:
    """Turn the documents that a caller passed into texts with names.

    Parameters
    ----------
    given : str, path, mapping or iterable
        A text is a document. A `Path` is read by its ending, and a folder means all files below
        it that can be read. A mapping is named documents, or one record ``{"text": ...}`` with a
        ``name``. An iterable holds texts, paths and records.
    option : str
        Name of the argument, for error messages.
    paths : bool
        If True, paths are read, and a text that is the name of a file is refused. Use False for
        texts from strangers: then nothing is looked up on this machine.

    Returns
    -------
    SourceCluster
        Its names are empty if no document has a name.

    Raises
    ------
    OptionError
        `given` is something else; the message says what to pass instead.

    Examples
    --------
    >>> find_documents({"storm.txt": "The storm came.", "harbour.txt": "Ferries stayed."}).names
    ('storm.txt', 'harbour.txt')
    >>> find_documents([{"text": "Cats purr.", "name": "cats"}, "Dogs bark."]).documents
    ('Cats purr.', 'Dogs bark.')
    """
    if isinstance(given, SourceCluster):
        return given
    reader = _Reader(option, paths=paths)
    if isinstance(given, str | os.PathLike) or _is_record(given):
        reader.add(given, option)
    elif isinstance(given, Mapping):
        inside = given.get("documents")
        if given.keys() <= {"documents", *_RECORD} and isinstance(inside, list | tuple):
            return find_documents(inside, option=option, paths=paths)
        for name, one in given.items():
            reader.add(one, f"{option}[{name!r}]", name=str(name))
    else:
        _check_list(given, option)
        for number, one in enumerate(given):
            reader.add(one, f"{option}[{number}]")
    return reader.cluster()


class _Reader:
    """Collects documents and their names."""

    def __init__(self, option: str, *, paths: bool) -> None:
        self.option, self.paths = option, paths
        self.names: list[str] = []
        self.texts: list[str] = []
        self.skipped: list[Skipped] = []

    def add(self, one: Any, where: str, *, name: str = "") -> None:
        """Add a text, a record, or the file or folder at a path."""
        if isinstance(one, str):
            if self.paths:
                _check_no_name(one, where)
            self._add_text(one, where, name)
        elif _is_record(one):
            found = next((str(one[key]) for key in ("name", "id", "title") if one.get(key)), "")
            self._add_text(one["text"], f"{where}['text']", name or found)
        elif isinstance(one, os.PathLike) and self.paths:
            try:
                below = read_files(find_files([os.fspath(one)]))
            except OSError as error:
                raise TextError(f"{where}: cannot read {str(one)!r}: {error.strerror}") from error
            self.names += [name or own for own in below.names]
            self.texts += below.documents
            self.skipped += below.skipped
        else:
            self._add_text(one, where, name)

    def _add_text(self, text: Any, where: str, name: str) -> None:
        if not isinstance(text, str):
            raise OptionError(f"{where}: expected a text, got {_shown(text)}{_advice(text)}")
        self.texts.append(text)
        self.names.append(name)

    def cluster(self) -> SourceCluster:
        """Return the documents; if only some have names, the others are named "document 2" etc."""
        if self.texts and not self.paths and all(map(_is_name, self.texts)):
            raise OptionError(
                f"expected {self.option} to be texts, got names of files; send what they hold: "
                "nothing is looked up here"
            )
        names: list[str] = []
        if any(self.names):
            names = [name or f"document {k}" for k, name in enumerate(self.names, start=1)]
        return SourceCluster("", tuple(names), tuple(self.texts), tuple(self.skipped))


def _is_record(one: Any) -> bool:
    return isinstance(one, Mapping) and "text" in one and one.keys() <= _RECORD


def _check_list(given: Any, option: str) -> None:
    """Raise an error if `given` is not iterable, or is something like a data frame or a set."""
    advice = "" if isinstance(given, list | tuple) else _advice(given)
    if advice or not isinstance(given, Iterable):
        raise OptionError(f"expected {option} to be {_FORMS}, got {_shown(given)}{advice}")


def _advice(given: Any) -> str:
    """Return advice on what to pass instead of `given`, or "" if `_ADVICE` has none."""
    return next((f"; {words}" for sign, words in _ADVICE.items() if sign(given)), "")


def _is_numeric(given: Any) -> bool:
    dtype = getattr(given, "dtype", None)
    return getattr(given, "ndim", 1) > 1 or getattr(dtype, "kind", "O") in "iufcb"


#: Tests for objects that people pass by mistake, and what they should pass instead.
_ADVICE: dict[Callable[[Any], bool], str] = {
    lambda given: isinstance(given, bytes | bytearray): "decode it: data.decode()",
    lambda given: hasattr(given, "columns") or hasattr(given, "column_names"): (
        'pass the column of texts: list(frame["text"]), or table["text"].to_pylist()'
    ),
    lambda given: hasattr(given, "as_py") or hasattr(given, "to_pylist"): (
        "turn it into texts of Python: column.to_pylist()"
    ),
    lambda given: hasattr(given, "read"): "pass Path(file.name), or file.read()",
    lambda given: isinstance(given, float) and math.isnan(given): "leave missing values out",
    _is_numeric: "numbers make a problem: see maxcover.CoverageProblem.from_sparse",
    lambda given: isinstance(given, Set): "a set has no order: pass a list",
    lambda given: isinstance(given, list | tuple): (
        "several collections of documents are several calls"
    ),
}


def _check_no_name(text: str, where: str) -> None:
    """Raise an error if `text` is the name of a file or folder, or a web address."""
    if len(text) > _LONGEST_NAME or "\n" in text or text.count(" ") > _MOST_SPACES:
        return
    if text.startswith(("http://", "https://")) and " " not in text.strip():
        raise OptionError(
            f"{where}: expected a text, got a web address, and nothing is downloaded here; save "
            "the page and pass Path('page.html')"
        )
    is_name = _is_name(text)
    if is_name and glob.has_magic(text):
        raise OptionError(
            f"{where}: expected a text, got a pattern of file names; pass the files: "
            f"sorted(Path().glob({text!r}))"
        )
    if is_name or _exists(text):
        raise OptionError(
            f"{where}: expected a text, got the name of a file or folder; to read it, pass "
            f"Path({text!r})"
        )


def _is_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and text.lower().endswith(_ENDINGS) and text.split() == [text]


def _exists(text: str) -> bool:
    try:
        return bool(text.strip(" ./\\")) and os.path.exists(text)
    except ValueError:  # the text has a character that no file name can have
        return False


def _shown(given: Any) -> str:
    name = type(given).__name__
    return f"{'an' if name[0] in 'aeiouAEIO' else 'a'} {name}"
