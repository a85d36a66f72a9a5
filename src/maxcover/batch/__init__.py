"""Batch: summaries of many clusters, on all cores of one machine, on Spark, or by a function."""

from maxcover.errors import MissingExtraError

try:
    import pyarrow as pa  # noqa: F401 - all modules of this package need it
except ImportError as error:
    raise MissingExtraError("batch needs pyarrow: pip install 'maxcover[parquet]'") from error
