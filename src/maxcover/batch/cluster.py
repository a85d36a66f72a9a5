"""One cluster of documents: collected from rows, checked against limits, summarised or refused.

Every engine goes through this file, so all of them give the same rows and the same reasons.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.errors import MaxcoverError, OptionError, TextError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from maxcover.summary import Summary

TOO_LARGE = "too large"


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What is refused before it takes memory; sizes are bytes of UTF-8.

    A cluster above a limit is quarantined. Its texts are dropped while they are read, so no
    process ever holds more than `cluster_bytes` of one cluster and `document_bytes` of one text.
    """

    documents: int = 20_000
    document_bytes: int = 4_000_000
    cluster_bytes: int = 32_000_000


DEFAULT_LIMITS = Limits()


class Row(NamedTuple):
    """A document of a cluster: ids as text, the text as the bytes that were found."""

    cluster: str | None
    document: str | None
    text: bytes | None


@dataclass(slots=True)
class RawCluster:
    """The documents of one cluster as they were read; `refused` says why not to go on."""

    id: str | None
    documents: list[Row] = field(default_factory=list)
    n_documents: int = 0
    n_bytes: int = 0
    refused: str = ""

    def add(self, row: Row, limits: Limits) -> None:
        """Take a document, or drop all of them once a limit is passed."""
        size = len(row.text or b"")
        self.n_documents += 1
        self.n_bytes += size
        if size > limits.document_bytes:
            self.refuse(f"{TOO_LARGE}: a document of more than {limits.document_bytes} bytes")
        elif self.n_bytes > limits.cluster_bytes:
            self.refuse(f"{TOO_LARGE}: more than {limits.cluster_bytes} bytes of text")
        elif self.n_documents > limits.documents:
            self.refuse(f"{TOO_LARGE}: more than {limits.documents} documents")
        elif not self.refused:
            self.documents.append(row)

    def refuse(self, reason: str) -> None:
        """Drop the texts and keep the first reason."""
        self.documents = []
        self.refused = self.refused or reason


class Refused(NamedTuple):
    """A cluster without a summary: a row of the quarantine table."""

    cluster: str | None
    reason: str
    documents: int


class Done(NamedTuple):
    """A summary, the ids of its documents in the order in which they were summarised."""

    cluster: str
    documents: tuple[str | None, ...]
    summary: Summary
    seconds: float


def group_rows(rows: Iterable[Row], limits: Limits) -> Iterator[RawCluster]:
    """Collect neighbouring rows of the same cluster; a row without a cluster id stands alone."""
    current: RawCluster | None = None
    for row in rows:
        if current is None or row.cluster is None or row.cluster != current.id:
            if current is not None:
                yield current
            current = RawCluster(row.cluster)
        current.add(row, limits)
    if current is not None:
        yield current


def in_order(cluster: RawCluster) -> RawCluster:
    """Sort the documents by id, compared as UTF-8, then by text: rows may come in any order."""
    cluster.documents.sort(key=lambda row: ((row.document or "").encode(), row.text or b""))
    return cluster


def summarize_cluster(cluster: RawCluster, options: dict[str, Any]) -> Done | Refused:
    """Summarise one cluster; whatever goes wrong with it is a reason, never an exception.

    Parameters
    ----------
    cluster : RawCluster
    options
        What `maxcover.summarize` takes besides the documents.

    Examples
    --------
    >>> cluster = RawCluster("c", [Row("c", "d", b"Cats purr. Dogs bark at cats.")], 1)
    >>> summarize_cluster(cluster, {"budget": 4}).summary.text
    'Cats purr.'
    >>> summarize_cluster(RawCluster("e", [Row("e", "d", None)], 1), {"budget": 4}).reason
    "document 'd': no text"
    """
    from maxcover.summarizer import summarize

    started = time.perf_counter()
    try:
        texts = _decode(cluster)
        summary = summarize(texts, **options)
    except MaxcoverError as error:
        return Refused(cluster.id, " ".join(str(error).split()), cluster.n_documents)
    except Exception as error:
        return Refused(cluster.id, f"{type(error).__name__}: {error}", cluster.n_documents)
    ids = tuple(row.document for row in cluster.documents)
    return Done(str(cluster.id), ids, summary, time.perf_counter() - started)


def check_options(options: dict[str, Any]) -> None:
    """Fail at once on options that would fail on every cluster; also compiles the kernels."""
    from maxcover.summarizer import summarize

    try:
        summarize("One two three. Two three four five. Six.", **options)
    except TextError:  # a budget below the probe's shortest sentence says nothing about others
        return
    except TypeError as error:
        raise OptionError(f"expected options of summarize, got one that is none: {error}") from None


def _decode(cluster: RawCluster) -> list[str]:
    """Return the texts, or raise with the first document that has none."""
    if cluster.refused:
        raise TextError(cluster.refused)
    if cluster.id is None:
        raise TextError("no cluster id")
    texts = []
    for row in cluster.documents:
        if row.text is None:
            raise TextError(f"document {row.document!r}: no text")
        try:
            texts.append(row.text.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise TextError(f"document {row.document!r}: not UTF-8 ({error.reason})") from error
    return texts
