"""Records: passages given as texts, mappings or objects, with scores and other fields."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from maxcover.engine.core.tables import Table, is_missing
from maxcover.errors import OptionError
from maxcover.ground.options import check_names, find_option
from maxcover.texts.read.given import find_documents

# For each option of `pack`, the fields of a passage that may hold its value.
FIELDS = {
    "scores": ("score",),
    "documents": ("document", "source"),
    "positions": ("position",),
    "headers": ("header",),
    "dates": ("date",),
}
# The fields that hold the text and the metadata: of records, of documents of LangChain and
# Haystack, and of nodes of LlamaIndex.
TEXTS, METADATA = ("text", "page_content", "content"), ("metadata", "meta")
# All fields that a record may have. Any other field is reported as a mistake.
_KNOWN = (
    *TEXTS,
    *METADATA,
    "name",
    "id",
    "title",
    "page",
    *(n for own in FIELDS.values() for n in own),
)


def known_scores(scores: Iterable[Any]) -> list[Any]:
    """Return the scores of a retriever, with None for each score that is missing or NaN."""
    return [None if is_missing(score) else score for score in scores]


class Passages(NamedTuple):
    """Texts of passages, the passages as they were given, and options of `pack` by name."""

    texts: list[str]
    given: Sequence[Any]
    columns: dict[str, Any]


def read_passages(passages: Any, **columns: Any) -> Passages:
    """Read passages; a keyword argument that is not None overrides the fields of passages."""
    passages, given, told = read_records(passages)
    read = find_documents(passages, option="passages")
    texts = list(read.documents)
    found = {name: told.get(name) if own is None else own for name, own in columns.items()}
    for name, values in found.items():
        if values is not None and len(values) != len(texts):
            raise OptionError(
                f"expected {name} to have one entry per passage, {len(texts)}, got {len(values)}"
            )
    if found["documents"] is None and read.names:
        found["documents"] = read.names
    known = {name: values for name, values in found.items() if values is not None}
    # If a file holds several passages, `given` does not match `texts` one to one. Then the texts
    # stand for what was given.
    return Passages(texts, given if len(given) == len(texts) else texts, known)


def read_records(passages: Any) -> tuple[Any, list[Any], dict[str, list[Any]]]:
    """Extract texts and options of `pack` from tables, mappings and objects.

    Returns
    -------
    texts
        What was given, with the text of every mapping or object in its place.
    given : list
        The passages as they were given.
    columns : dict of list
        Options of `pack` for which all passages have a value; scores may lack some.

    Examples
    --------
    >>> read_records([{"text": "Cats purr.", "score": 0.5, "source": "a.txt"}])[2]
    {'scores': [0.5], 'documents': ['a.txt']}
    """
    if not isinstance(passages, Mapping) and (
        hasattr(passages, "columns") or hasattr(passages, "column_names")
    ):
        table = Table(passages, "table of passages")
        if "text" not in table.names:
            raise OptionError(
                f"expected passages, or a table with a column 'text', got the columns "
                f"{', '.join(map(str, table.names))}; pass the column of texts: "
                'list(frame["body"])'
            )
        held = [table.values(name) for name in table.names]
        passages = [
            {n: None if is_missing(v) else v for n, v in zip(table.names, row, strict=True)}
            for row in zip(*held, strict=True)
        ]
    if isinstance(passages, str | Mapping) or not isinstance(passages, Iterable):
        for one in passages.values() if isinstance(passages, Mapping) else ():
            _check_no_folder(one)
        return passages, [], {}
    given = list(passages) if not isinstance(passages, Sequence) else passages
    if all(isinstance(one, str) for one in given):
        return given, list(given), {}
    for one in given:
        _check_no_folder(one)
    texts = [_own(one, TEXTS) for one in given]
    for one, text in zip(given, texts, strict=True):
        if isinstance(one, Mapping) and text is not None:
            check_names(one, _KNOWN, "a passage")
    columns = {}
    for option, names in FIELDS.items():
        found = [_get(one, names) for one in given]
        missing = found.count(None)
        if option == "headers" and missing < len(found):
            columns[option] = [value or "" for value in found]
        elif missing < len(found) and (option == "scores" or not missing):
            find_option(option, "pack").check(option, found)
            columns[option] = found
    taken = [one if text is None else text for one, text in zip(given, texts, strict=True)]
    return taken, list(given), columns


def _own(passage: Any, names: Iterable[str]) -> Any:
    """Return the first field of `names` that is not None in a mapping or object, else None."""
    look = passage.get if isinstance(passage, Mapping) else partial(getattr, passage)
    return next((value for name in names if (value := look(name, None)) is not None), None)


def _get(passage: Any, names: Iterable[str]) -> Any:
    """Return the first field of `names` in a passage, or else in its metadata, else None."""
    if isinstance(passage, str | os.PathLike):
        return None
    value = _own(passage, names)
    return _own(_own(passage, METADATA) or {}, names) if value is None else value


def _check_no_folder(one: Any) -> None:
    if isinstance(one, os.PathLike) and os.path.isdir(one):
        name = os.fspath(one)
        raise OptionError(
            f"expected passages that a search found, got the folder {name!r}, whose files have no "
            f"ranking; they are packed by maxcover.texts.packing.pack_files({name!r}, query=..., "
            "budget=...)"
        )
