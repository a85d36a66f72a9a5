"""Arrow: a function that summarises every cluster of an Arrow table, for engines such as Ray."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from maxcover.errors import OptionError
from maxcover_scale.batch.cluster import (
    DEFAULT_LIMITS,
    ClusterLimits,
    RawCluster,
    check_options,
    summarize_cluster,
)
from maxcover_scale.batch.json_lines import DEFAULT_COLUMNS, Columns
from maxcover_scale.batch.readers import ArrowSource, Input
from maxcover_scale.batch.result_tables import NESTED, nested_batch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Clusters per batch of results: enough for Arrow to be efficient, few enough to show progress.
_ROWS_OUT = 200


def summarize(
    data: Any,
    *,
    budget: float | str,
    columns: Columns = DEFAULT_COLUMNS,
    limits: ClusterLimits = DEFAULT_LIMITS,
    **options: Any,
) -> Any:
    """Summarise every cluster of a table in this process.

    Ray Data (``map_batches`` and ``map_groups``), Dask (``map_partitions``) and Hugging Face
    datasets (``map``) call it as it is: see docs/scale.md.

    Parameters
    ----------
    data : object with ``__arrow_c_stream__`` or ``__arrow_c_array__``
        A table or batch of pyarrow, a frame of Polars, pandas or DuckDB. One row per document, the
        rows of a cluster next to each other; or one row per cluster, with a list of texts and, if
        there is such a column, a list of document ids. Clusters have to be whole: an engine that
        cuts tables anywhere must be told to group them, or be given a row per cluster.
    budget, **options
        As in `maxcover.summarize`.
    columns, limits
        As in `maxcover_scale.batch.local.batch`.

    Returns
    -------
    pyarrow.Table
        One row per cluster: ``cluster, value, bound, gap, cost, status, n_documents, n_sentences,
        seconds``, the ``reason`` why there is no summary (null where there is one), ``file`` and
        ``line`` (null), and ``sentences``, a list of ``rank, document, start, end, cost, gain,
        text`` (null unless ``with_text=True``).
        The same rows as `maxcover_scale.batch.local.batch` writes, except for ``seconds``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"cluster_id": ["c"], "text": [["Cats purr.", "Dogs bark at cats."]]})
    >>> summarize(table, budget=4)["sentences"].to_pylist()[0][0]["document"]
    '1'
    """
    given = {"budget": budget, **options}
    check_options(given)
    if hasattr(data, "__arrow_c_array__") and not hasattr(data, "__arrow_c_stream__"):
        data = pa.Table.from_batches([pa.record_batch(data)])
    if not hasattr(data, "__arrow_c_stream__"):
        raise OptionError(
            "expected a table with __arrow_c_stream__ (pyarrow, Polars, DuckDB, pandas), got "
            f"{type(data).__name__}"
        )
    if isinstance(data, pa.RecordBatchReader):
        data = data.read_all()
    found = Input(ArrowSource(data, columns), columns, limits)
    return pa.Table.from_batches(outcomes(found.clusters(), given), schema=NESTED)


def outcomes(clusters: Iterable[RawCluster], options: dict[str, Any]) -> Iterator[Any]:
    """Summarise clusters one at a time; yield the results in batches of schema NESTED."""
    held = []
    for cluster in clusters:
        held.append(summarize_cluster(cluster, options))
        if len(held) == _ROWS_OUT:
            yield nested_batch(held)
            held = []
    if held:
        yield nested_batch(held)
