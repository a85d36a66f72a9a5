"""The tables that come out: one row a chosen sentence, one a cluster, one a quarantined cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxcover.batch.cluster import Done, Refused
from maxcover.errors import MissingExtraError

try:
    import pyarrow as pa
except ImportError as error:
    raise MissingExtraError("batch needs pyarrow: pip install 'maxcover[parquet]'") from error

if TYPE_CHECKING:
    from collections.abc import Iterable

SENTENCE_FIELDS: list[tuple[str, pa.DataType]] = [
    ("rank", pa.int32()),
    ("document", pa.string()),
    ("start", pa.int64()),
    ("end", pa.int64()),
    ("cost", pa.float64()),
    ("gain", pa.float64()),
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
_ID = ("cluster", pa.string())

# One row a cluster with its sentences inside: what a Spark task returns.
NESTED = pa.schema(
    [
        _ID,
        *CLUSTER_FIELDS,
        ("reason", pa.string()),
        ("sentences", pa.list_(pa.struct(SENTENCE_FIELDS))),
    ]
)
TABLES: dict[str, pa.Schema] = {
    "sentences": pa.schema([_ID, *SENTENCE_FIELDS]),
    "clusters": pa.schema([_ID, *CLUSTER_FIELDS]),
    "quarantine": pa.schema([_ID, ("reason", pa.string()), ("n_documents", pa.int32())]),
}


def nested_row(outcome: Done | Refused) -> dict[str, Any]:
    """Return a cluster as one row; a refused one has a reason and nothing else.

    Sentences are ranked by gain, the largest first, equals in reading order; ``start`` and ``end``
    count characters of the document.
    """
    if isinstance(outcome, Refused):
        head = {"cluster": outcome.cluster, "reason": outcome.reason}
        return {**head, "n_documents": outcome.documents}
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
            }
            for rank, sentence in enumerate(ranked, start=1)
        ],
    }


def as_tables(outcomes: Iterable[Done | Refused]) -> dict[str, pa.Table]:
    """Return the three tables of some clusters, in their order."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for outcome in outcomes:
        row = nested_row(outcome)
        if isinstance(outcome, Refused):
            rows["quarantine"].append(row)
            continue
        rows["clusters"].append(row)
        rows["sentences"].extend(
            {"cluster": outcome.cluster, **sentence} for sentence in row["sentences"]
        )
    return {name: pa.Table.from_pylist(rows[name], schema=TABLES[name]) for name in TABLES}
