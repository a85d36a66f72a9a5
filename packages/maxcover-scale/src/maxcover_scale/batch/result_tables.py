"""Result tables: one row per chosen sentence, per cluster and per quarantined cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from maxcover_scale.batch.cluster import Done, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable

_ID = ("cluster", pa.string())
SENTENCE_FIELDS: list[tuple[str, pa.DataType]] = [
    ("rank", pa.int32()),
    ("document", pa.string()),
    ("start", pa.int64()),
    ("end", pa.int64()),
    ("cost", pa.float64()),
    ("gain", pa.float64()),
    # As printed; null unless the run was asked for texts.
    ("text", pa.string()),
]
CLUSTER_FIELDS: list[tuple[str, pa.DataType]] = [
    ("value", pa.float64()),
    ("bound", pa.float64()),
    ("gap", pa.float64()),
    ("cost", pa.float64()),
    ("status", pa.string()),
    ("n_documents", pa.int32()),
    ("n_sentences", pa.int32()),
    ("seconds", pa.float64()),
]
ORIGIN_FIELDS: list[tuple[str, pa.DataType]] = [("file", pa.string()), ("line", pa.int64())]
# Schema of a table with one row per cluster, its sentences as a list: `arrow.summarize` and Spark
# tasks return it.
NESTED = pa.schema(
    [
        _ID,
        *CLUSTER_FIELDS,
        ("reason", pa.string()),
        *ORIGIN_FIELDS,
        ("sentences", pa.list_(pa.struct(SENTENCE_FIELDS))),
    ]
)
TABLES: dict[str, pa.Schema] = {
    "sentences": pa.schema([_ID, *SENTENCE_FIELDS]),
    "clusters": pa.schema([_ID, *CLUSTER_FIELDS]),
    "quarantine": pa.schema(
        [_ID, ("reason", pa.string()), ("n_documents", pa.int32()), *ORIGIN_FIELDS]
    ),
}


def nested_row(outcome: Done | Refused) -> dict[str, Any]:
    """Return a cluster as a row of NESTED; if refused, only with id, size, reason, file and line.

    Sentences are ranked by gain, the largest first; equal gains are in reading order. ``start`` and
    ``end`` are offsets in characters of the document.
    """
    if isinstance(outcome, Refused):
        return {
            "cluster": outcome.cluster,
            "reason": outcome.reason,
            "n_documents": outcome.documents,
            "file": outcome.file,
            "line": outcome.line,
        }
    summary = outcome.summary
    ranked = sorted(summary.sentences, key=lambda sentence: (-sentence.gain, sentence.index))
    return {
        "cluster": outcome.cluster,
        "value": summary.value,
        "bound": summary.upper_bound,
        "gap": summary.gap,
        "cost": summary.cost,
        "status": summary.status,
        "n_documents": summary.n_documents,
        "n_sentences": summary.n_sentences,
        "seconds": outcome.seconds,
        "sentences": [
            {
                "rank": rank,
                "document": outcome.documents[sentence.document],
                "start": sentence.start,
                "end": sentence.end,
                "cost": sentence.cost,
                "gain": sentence.gain,
                "text": sentence.text if outcome.with_text else None,
            }
            for rank, sentence in enumerate(ranked, start=1)
        ],
    }


def nested_batch(outcomes: Iterable[Done | Refused]) -> pa.RecordBatch:
    """Return clusters as one record batch of schema NESTED, in the given order."""
    return pa.RecordBatch.from_pylist(list(map(nested_row, outcomes)), schema=NESTED)


def split(nested: pa.RecordBatch) -> dict[str, pa.RecordBatch]:
    """Split rows of schema NESTED into tables of sentences, clusters and quarantine, in order.

    Examples
    --------
    >>> tables = split(nested_batch([Refused("c", "no reason", 2, "news.jsonl", 7)]))
    >>> {name: table.num_rows for name, table in tables.items()}
    {'sentences': 0, 'clusters': 0, 'quarantine': 1}
    """
    refused = pc.is_valid(nested.column("reason"))
    done = nested.filter(pc.invert(refused))
    inside = done.column("sentences")
    owners = done.column("cluster").take(pc.list_parent_indices(inside))
    sentences = pc.list_flatten(inside).flatten()
    return {
        "sentences": pa.record_batch([owners, *sentences], schema=TABLES["sentences"]),
        "clusters": done.select(TABLES["clusters"].names),
        "quarantine": nested.filter(refused).select(TABLES["quarantine"].names),
    }
