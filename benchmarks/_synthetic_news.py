"""Synthetic news: clusters of documents that repeat and vary the same facts, for trials of size."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from maxcover_scale.batch.cluster import DocumentRow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa
    import pyarrow.parquet as pq
    from numpy.typing import NDArray

_SYLLABLES = (
    "ka",
    "lo",
    "mi",
    "re",
    "su",
    "ta",
    "vo",
    "ne",
    "di",
    "pra",
    "ston",
    "ber",
    "gal",
    "hin",
)
_WORDS = np.array(["".join(parts) for parts in product(_SYLLABLES, repeat=3)])
# Share of a sentence's words that a document puts in its own way.
_VARIED = 0.2


def news(
    clusters: int, *, documents: int = 10, sentences: int = 25, seed: int = 0, first: int = 0
) -> Iterator[list[DocumentRow]]:
    """Yield clusters of documents in words without meaning, each cluster by its own number alone.

    A cluster has twice as many facts as a document has sentences. Every document tells some of
    them, the first ones most often, each with some words changed. Words are drawn by Zipf's law.

    Examples
    --------
    >>> rows = next(news(1, documents=2, sentences=3))
    >>> [row.document for row in rows], len(rows[0].text.decode().split(". "))
    (['0', '1'], 3)
    """
    for number in range(first, first + clusters):
        rng = np.random.default_rng((seed, number))
        facts = [_draw(rng, size) for size in rng.integers(8, 28, 2 * sentences)]
        rows = []
        for document in range(documents):
            told = (len(facts) * rng.random(sentences) ** 2).astype(int)
            lines = [_vary(rng, facts[fact]) for fact in told]
            text = " ".join(" ".join(line).capitalize() + "." for line in lines)
            rows.append(DocumentRow(f"c{number:08}", str(document), text.encode()))
        yield rows


def _draw(rng: np.random.Generator, size: int) -> NDArray[np.str_]:
    """Draw words, the n-th one with a probability of about 1 / n."""
    drawn: NDArray[np.str_] = _WORDS[(_WORDS.size ** rng.random(size)).astype(int) - 1]
    return drawn


def _vary(rng: np.random.Generator, words: NDArray[np.str_]) -> NDArray[np.str_]:
    return np.where(rng.random(words.size) < _VARIED, _draw(rng, words.size), words)


def write_news(path: Path, clusters: int, *, rows_per_group: int = 5000, **options: int) -> None:
    """Write synthetic news as Parquet: a row per document, clusters one after the other."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [("cluster_id", pa.string()), ("doc_id", pa.string()), ("text", pa.string())]
    )
    with pq.ParquetWriter(path, schema) as writer:
        held: list[DocumentRow] = []
        for rows in news(clusters, **options):
            held.extend(rows)
            if len(held) >= rows_per_group:
                _write(writer, held, schema)
                held = []
        if held:
            _write(writer, held, schema)


def _write(writer: pq.ParquetWriter, rows: list[DocumentRow], schema: pa.Schema) -> None:
    import pyarrow as pa

    columns = list(zip(*rows, strict=True))
    texts = pa.array(columns[2], pa.binary()).cast(pa.string())
    arrays = [pa.array(columns[0]), pa.array(columns[1]), texts]
    writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
