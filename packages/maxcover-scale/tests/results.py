"""What the tests of batch share: input with and without poison, and rows to compare."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from benchmarks._synthetic_news import news

from maxcover_scale.batch.cluster import ClusterLimits, DocumentRow
from maxcover_scale.batch.result_tables import TABLES

BUDGET = 30
LIMITS = ClusterLimits(documents=1000, document_bytes=200_000, cluster_bytes=1_000_000)
# Cluster ids, and how the reasons begin.
POISON = {
    "null": "document 'd': no text",
    "bytes": "document 'd': not UTF-8 (invalid start byte)",
    "large": "too large: a document of more than 200000 bytes",
    "crowd": "too large: more than 1000 documents",
    "empty": "expected at least one sentence",
    None: "no cluster id",
}


def small_news(clusters: int) -> list[list[DocumentRow]]:
    """Return clusters of a few milliseconds each."""
    return list(news(clusters, documents=3, sentences=5))


def poisoned(*, large: int = 300_000, crowd: int = 1500) -> list[list[DocumentRow]]:
    """Return clusters that must not be summarised, one for each reason in POISON."""
    return [
        [DocumentRow("null", "d", None)],
        [DocumentRow("bytes", "d", b"good start \xff\xfe bad end.")],
        [DocumentRow("large", "d", b"word. " * (large // 6 + 1))],
        [DocumentRow("crowd", f"{i:06}", b"A crowd.") for i in range(crowd)],
        [DocumentRow("empty", "d", b"  ")],
        [DocumentRow(None, "d", b"Nobody's text.")],
    ]


def write_parquet(path: Path, clusters: list[list[DocumentRow]]) -> Path:
    """Write documents as rows; bytes go in as they are, valid or not."""
    rows = [row for cluster in clusters for row in cluster]
    raw = pa.array([row.text for row in rows], pa.binary())
    texts = pa.StringArray.from_buffers(
        len(raw), raw.buffers()[1], raw.buffers()[2], raw.buffers()[0]
    )
    columns = [pa.array([row[k] for row in rows], pa.string()) for k in (0, 1)]
    pq.write_table(pa.table([*columns, texts], ["cluster_id", "doc_id", "text"]), path)
    return path


def write_lines(path: Path, clusters: list[list[DocumentRow]]) -> Path:
    """Write a cluster a line."""
    with path.open("w", encoding="utf-8") as file:
        for rows in clusters:
            documents = [{"id": row.document, "text": row.text.decode()} for row in rows]
            file.write(json.dumps({"id": rows[0].cluster, "documents": documents}) + "\n")
    return path


def row_per_document(clusters: list[list[DocumentRow]]) -> bytes:
    """Return documents as lines of JSON."""
    lines = (
        {"cluster_id": row.cluster, "doc_id": row.document, "text": row.text.decode()}
        for cluster in clusters
        for row in cluster
    )
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def check_quarantine(rows: dict[str, list[tuple]]) -> None:
    """Assert that the poisoned clusters are in quarantine, each for its reason, and no other."""
    reasons = {row[0]: row[1] for row in rows["quarantine"]}
    assert len(rows["quarantine"]) == len(POISON)
    assert reasons.keys() == POISON.keys()
    for name, reason in POISON.items():
        assert reasons[name].startswith(reason)


def rows_of(out: Path) -> dict[str, list[tuple]]:
    """Return the rows of a run, sorted, without the seconds."""
    found = {}
    for name, schema in TABLES.items():
        names = [column for column in schema.names if column != "seconds"]
        parts = [
            pq.read_table(file, columns=names) for file in sorted((out / name).glob("*.parquet"))
        ]
        rows = [tuple(row.values()) for part in parts for row in part.to_pylist()]
        found[name] = sorted(rows, key=lambda row: [(value is not None, value) for value in row])
    return found
