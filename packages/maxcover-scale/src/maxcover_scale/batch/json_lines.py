"""Json lines: documents in lines of JSON, one line per cluster or one line per document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover_scale.batch.cluster import TOO_LARGE, ClusterLimits, DocumentRow

if TYPE_CHECKING:
    from collections.abc import Iterator


class Columns(NamedTuple):
    """Names of the columns of a table of documents, or of the keys of a line of JSON."""

    cluster: str = "cluster_id"
    document: str = "doc_id"
    text: str = "text"


DEFAULT_COLUMNS = Columns()
# How the reason begins if a line of JSON has other keys than those that are read.
OTHER_KEYS = "expected"


class Origin(NamedTuple):
    """Where a document was read: the file, and the line or row, counted from 1."""

    file: str | None
    line: int | None


def longest_line(limits: ClusterLimits) -> int:
    """Return the most bytes a line may have: twice the limit of a cluster's text, for escapes."""
    return 2 * limits.cluster_bytes


def parse_line(
    line: bytes | None, columns: Columns, limits: ClusterLimits, *, origin: Origin
) -> Iterator[DocumentRow]:
    r"""Yield the documents of a line of JSON; `line` is None if it was too long to be read.

    ``{"id": ..., "documents": [{"id": ..., "text": ...}, ...]}`` is a whole cluster: its documents
    keep their order and are numbered where they have no ids. An object with the keys of `columns`
    is one document. Other keys are ignored. A line that is neither is a refused cluster.

    Examples
    --------
    >>> line = b'{"cluster_id": "c", "doc_id": 7, "text": "Cats purr."}'
    >>> next(parse_line(line, DEFAULT_COLUMNS, ClusterLimits(), origin=Origin("news.jsonl", 1)))[:5]
    ('c', '7', b'Cats purr.', 'news.jsonl', 1)
    """
    if line is None:
        reason = f"{TOO_LARGE}: a line of over {longest_line(limits)} bytes"
        yield _refused(None, reason, origin)
        return
    try:
        found = json.loads(line)
    except UnicodeDecodeError as error:
        yield _refused(None, f"not UTF-8 ({error.reason}): {_start(line)}", origin)
    except (ValueError, RecursionError) as error:
        yield _refused(None, f"not JSON ({error}): {_start(line)}", origin)
    else:
        try:
            yield from _rows(found, columns, origin)
        except _UnreadableError as error:
            row = _refused(error.cluster, f"{error}: {_start(line)}", origin, error.documents)
            yield row if error.whole else row._replace(number=None)


class _UnreadableError(Exception):
    """The line is valid JSON, but neither a cluster nor a document."""

    def __init__(
        self, reason: str, cluster: str | None = None, documents: int = 1, *, whole: bool = True
    ) -> None:
        super().__init__(reason)
        self.cluster, self.documents, self.whole = cluster, documents, whole


def _rows(found: Any, columns: Columns, origin: Origin) -> list[DocumentRow]:
    if isinstance(found, dict) and isinstance(found.get("documents"), list):
        return _whole(found, origin)
    if not isinstance(found, dict) or not {columns.cluster, columns.text} <= found.keys():
        name = found.get(columns.cluster) if isinstance(found, dict) else None
        raise _UnreadableError(
            f'{OTHER_KEYS} {{"id", "documents": [...]}} or '
            f'{{"{columns.cluster}", "{columns.document}", "{columns.text}"}}, got '
            + (", ".join(found) if isinstance(found, dict) else type(found).__name__),
            str(name) if isinstance(name, str | int) else None,
            whole=False,
        )
    name = _name(found.get(columns.cluster))
    document = _name(found.get(columns.document), cluster=name)
    return [DocumentRow(name, document, _text(found.get(columns.text), document, name), *origin)]


def _whole(found: dict[str, Any], origin: Origin) -> list[DocumentRow]:
    documents = found["documents"]
    name = _name(found.get("id"), documents=len(documents))
    if not documents:
        raise _UnreadableError("no documents", name, 0)
    rows = []
    for number, each in enumerate(documents):
        if not isinstance(each, dict):
            raise _UnreadableError(
                f"document {number}: expected an object with a text", name, len(documents)
            )
        document = _name(each.get("id", number), cluster=name, documents=len(documents))
        text = _text(each.get("text"), number, name, len(documents))
        rows.append(DocumentRow(name, document, text, *origin, number))
    return rows


def _name(found: Any, *, cluster: str | None = None, documents: int = 1) -> str | None:
    """Return an id as text, or None if missing; raise if it is no text and no whole number."""
    if found is None or isinstance(found, str):
        return found
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    raise _UnreadableError("expected ids to be text or whole numbers", cluster, documents)


def _text(found: Any, document: Any, cluster: str | None, documents: int = 1) -> bytes | None:
    if found is None:
        return None
    if not isinstance(found, str):
        raise _UnreadableError(
            f"document {document}: expected an object with a text", cluster, documents
        )
    # a lone surrogate is legal in JSON but not in UTF-8; `cluster._decode` refuses it later
    return found.encode("utf-8", "surrogatepass")


def _refused(cluster: str | None, reason: str, origin: Origin, documents: int = 1) -> DocumentRow:
    return DocumentRow(cluster, None, None, *origin, 0, reason, documents)


def _start(line: bytes) -> str:
    return repr(line.strip()[:40])
