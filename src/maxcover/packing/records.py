"""Records: passages as texts, mappings or objects, with what a retriever knows of each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from maxcover.core.tables import Table, is_missing
from maxcover.errors import OptionError
from maxcover.options import check_names, find_option

# What a passage may say besides its text, by the option of `pack` that it fills.
FIELDS = {
    "scores": ("score",),
    "documents": ("document", "source"),
    "positions": ("position",),
    "headers": ("header",),
    "dates": ("date",),
}
# What else a record may hold, as documents do and as retrievers write it.
_KNOWN = (
    "text",
    "name",
    "id",
    "title",
    "metadata",
    "page",
    *(n for own in FIELDS.values() for n in own),
)


def known_scores(scores: Iterable[Any]) -> list[Any]:
    """Return the scores of a retriever, with None where one is no number (NaN) or is missing."""
    return [None if is_missing(score) else score for score in scores]


def read_records(passages: Any) -> tuple[Any, list[Any], dict[str, list[Any]]]:
    """Take texts and columns out of mappings with a text and objects with one.

    Returns
    -------
    texts
        What was given, with the text of every mapping or object in its place.
    given : list
        The passages as they were given.
    columns : dict of list
        Options of `pack` that all passages say something of; scores may be missing.

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
    for one in given:
        if isinstance(one, Mapping) and "text" in one:
            check_names(one, _KNOWN, "a passage")
    texts = [_get(one, "text", one) for one in given]
    columns = {}
    for option, names in FIELDS.items():
        values = [
            next((v for n in names if (v := _get(one, n)) is not None), None) for one in given
        ]
        missing = values.count(None)
        if option == "headers" and missing < len(values):
            columns[option] = [value or "" for value in values]
        elif missing < len(values) and (option == "scores" or not missing):
            find_option(option, "pack").check(option, values)
            columns[option] = values
    return texts, list(given), columns


def _get(passage: Any, name: str, default: Any = None) -> Any:
    """Look a field up in a mapping with a text, or an object with one, or in its metadata."""
    if isinstance(passage, Mapping) and "text" in passage:
        metadata = passage.get("metadata") or {}
        return passage.get(name, metadata.get(name, default))
    if isinstance(getattr(passage, "text", None), str):
        metadata = getattr(passage, "metadata", None) or {}
        return getattr(passage, name, metadata.get(name, default))
    return default


def _check_no_folder(one: Any) -> None:
    if isinstance(one, os.PathLike) and os.path.isdir(one):
        name = os.fspath(one)
        raise OptionError(
            f"expected passages that a search found, got the folder {name!r}, whose files have no "
            f"ranking; they are packed by maxcover.packing.pack_files({name!r}, query=..., "
            "budget=...)"
        )
