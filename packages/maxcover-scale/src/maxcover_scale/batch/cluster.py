"""Cluster: documents collected from rows, checked against limits, summarised or refused.

Every engine goes through this file, so all of them give the same rows and the same reasons.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.errors import MaxcoverError, TextError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from maxcover.texts.summary.summary import Summary

TOO_LARGE = "too large"
# The option of a run that asks for the text of the chosen sentences.
WITH_TEXT = "with_text"
TWICE = "the cluster id occurs more than once; every cluster needs an id of its own"


@dataclass(frozen=True, kw_only=True)
class ClusterLimits:
    """Limits of one cluster: number of documents, bytes of one document, bytes of all (UTF-8).

    A cluster that exceeds a limit is quarantined. Its texts are dropped while they are read, so no
    process ever holds more than `cluster_bytes` of one cluster and `document_bytes` of one text.
    """

    documents: int = 20_000
    document_bytes: int = 4_000_000
    cluster_bytes: int = 32_000_000


DEFAULT_LIMITS = ClusterLimits()


class DocumentRow(NamedTuple):
    """One document of the input: its cluster's id, its own id, its text as bytes, file and line.

    `number` is the index of the document in a cluster that was given whole, by one line or one row;
    None if every document has its own row. `refused` says why a whole cluster was not read; such a
    row stands for `documents` documents.
    """

    cluster: str | None
    document: str | None
    text: bytes | None
    file: str | None = None
    line: int | None = None
    number: int | None = None
    refused: str | None = None
    documents: int = 1


@dataclass(slots=True)
class RawCluster:
    """The documents of one cluster as read; `refused` is the reason to quarantine it, or empty."""

    id: str | None
    documents: list[DocumentRow] = field(default_factory=list)
    n_documents: int = 0
    n_bytes: int = 0
    refused: str = ""
    file: str | None = None
    line: int | None = None
    whole: bool = False
    largest: int = 0

    def add(self, row: DocumentRow, limits: ClusterLimits) -> None:
        """Add a document; once a limit is exceeded, drop all documents."""
        if not self.n_documents or _place(row) < _place(self):
            self.file, self.line = row.file, row.line
        size = len(row.text or b"")
        self.n_documents += row.documents
        self.n_bytes += size
        self.largest = max(self.largest, size)
        self.refused = self.refused or row.refused or ""
        if self.refused or self.over(limits):
            self.documents = []
        else:
            self.documents.append(row)

    def over(self, limits: ClusterLimits) -> str:
        """Name the limit that is exceeded, or return ''; the order of documents does not matter."""
        if self.largest > limits.document_bytes:
            return f"{TOO_LARGE}: a document of more than {limits.document_bytes} bytes"
        if self.n_bytes > limits.cluster_bytes:
            return f"{TOO_LARGE}: more than {limits.cluster_bytes} bytes of text"
        if self.n_documents > limits.documents:
            return f"{TOO_LARGE}: more than {limits.documents} documents"
        return ""

    def closed(self, limits: ClusterLimits) -> RawCluster:
        """Check the limits and order the documents, when all rows were added; return the cluster.

        Documents with rows of their own are ordered by id, compared as UTF-8, then by text,
        because a shuffle keeps no order. Documents of one line keep their order.
        """
        self.refused = self.refused or self.over(limits)
        if not self.whole:
            self.documents.sort(key=lambda row: ((row.document or "").encode(), row.text or b""))
        return self

    def refuse(self, reason: str) -> None:
        """Drop the texts, and set the reason for quarantine unless there is one already."""
        self.documents = []
        self.refused = self.refused or reason


def _place(origin: DocumentRow | RawCluster) -> tuple[str, int]:
    return origin.file or "", origin.line or 0


class Refused(NamedTuple):
    """A cluster without a summary: a row of the quarantine table."""

    cluster: str | None
    reason: str
    documents: int
    file: str | None = None
    line: int | None = None


class Done(NamedTuple):
    """A summarised cluster: its id, its document ids in order, the summary, and the seconds.

    `with_text` says whether the sentences are wanted as text.
    """

    cluster: str
    documents: tuple[str | None, ...]
    summary: Summary
    seconds: float
    with_text: bool = False


def group_rows(rows: Iterable[DocumentRow], limits: ClusterLimits) -> Iterator[RawCluster]:
    """Yield one cluster for each run of neighbouring rows with the same cluster id.

    A row without a cluster id is a cluster of its own. If nothing could be read of it, it may be a
    document of the clusters before and after it, so these are refused too. If a cluster was given
    whole, by one line, another line with the same id does not belong to it.
    """
    current: RawCluster | None = None
    unread = ""
    for row in rows:
        if row.cluster is None:
            alone = RawCluster(None)
            alone.add(row, limits)
            yield alone.closed(limits)
            if row.refused:
                unread = f"a document may be missing: line {row.line} cannot be read: {row.refused}"
                _refuse_unread(current, unread)
            continue
        if current is None or not _belongs(row, current):
            if current is not None:
                yield current.closed(limits)
            current = RawCluster(row.cluster, whole=row.number is not None)
        current.add(row, limits)
        _refuse_unread(current, unread)
        unread = ""
    if current is not None:
        yield current.closed(limits)


def _refuse_unread(cluster: RawCluster | None, reason: str) -> None:
    if cluster is not None and not cluster.whole and reason:
        cluster.refuse(reason)


def _belongs(row: DocumentRow, cluster: RawCluster) -> bool:
    if row.cluster != cluster.id or (row.number is not None) != cluster.whole:
        return False
    return bool(row.number) if cluster.whole else True


def refuse_repeated(clusters: Iterable[RawCluster], ids: Collection[int]) -> Iterator[RawCluster]:
    """Refuse all clusters whose id occurs more than once, since nothing says which one is right.

    `ids` are the hashes of the repeated ids.
    """
    for cluster in clusters:
        if cluster.id is not None and hash(cluster.id) in ids:
            cluster.refuse(TWICE)
        yield cluster


def summarize_cluster(cluster: RawCluster, options: dict[str, Any]) -> Done | Refused:
    """Summarise one cluster; any error becomes the reason of a `Refused`, not an exception.

    Parameters
    ----------
    cluster : RawCluster
    options
        Keyword arguments of `maxcover.summarize`, and ``with_text``.

    Examples
    --------
    >>> cluster = RawCluster("c", [DocumentRow("c", "d", b"Cats purr. Dogs bark at cats.")], 1)
    >>> summarize_cluster(cluster, {"budget": 4}).summary.text
    'Dogs bark at cats.'
    >>> summarize_cluster(RawCluster("e", [DocumentRow("e", "d", None)], 1), {"budget": 4}).reason
    "document 'd': no text"
    """
    from maxcover.texts.read.sources import SourceCluster
    from maxcover.texts.summary.summarize import summarize

    started = time.perf_counter()
    asked = {name: value for name, value in options.items() if name != WITH_TEXT}
    try:
        # Texts are passed as a SourceCluster, so that a text that looks like a file name is not
        # opened as a file.
        summary = summarize(SourceCluster("", (), tuple(_decode(cluster))), **asked)
    except MaxcoverError as error:
        return refusal(cluster, " ".join(str(error).split()))
    except Exception as error:
        return refusal(cluster, f"{type(error).__name__}: {error}")
    ids = tuple(row.document for row in cluster.documents)
    seconds = time.perf_counter() - started
    return Done(str(cluster.id), ids, summary, seconds, bool(options.get(WITH_TEXT)))


def refusal(cluster: RawCluster, reason: str) -> Refused:
    """Return the row of the quarantine table for a cluster."""
    return Refused(cluster.id, reason, cluster.n_documents, cluster.file, cluster.line)


def check_options(options: dict[str, Any]) -> None:
    """Try the options on a short text, so that wrong options raise before any cluster is read."""
    from maxcover.texts.summary.summarize import summarize

    asked = {name: value for name, value in options.items() if name != WITH_TEXT}
    try:
        summarize("One two three. Two three four five. Six.", **asked)
    except TextError:  # the budget may be too small for this short text only
        return


def _decode(cluster: RawCluster) -> list[str]:
    """Return the texts; raise TextError for a refused cluster or the first unusable document."""
    if cluster.refused:
        raise TextError(cluster.refused)
    if cluster.id is None:
        raise TextError("no cluster id")
    texts: list[str] = []
    seen: set[str] = set()
    for row in cluster.documents:
        if row.document is None:
            raise TextError("a document without an id")
        if row.document in seen:
            raise TextError(f"document {row.document!r}: the id occurs more than once")
        seen.add(row.document)
        if row.text is None:
            raise TextError(f"document {row.document!r}: no text")
        try:
            texts.append(row.text.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise TextError(f"document {row.document!r}: not UTF-8 ({error.reason})") from error
    return texts
