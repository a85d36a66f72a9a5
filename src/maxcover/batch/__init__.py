"""Batch: many small problems, on every core of one machine, on Spark, or as one function."""

from maxcover.errors import MissingExtraError

try:
    import pyarrow as pa  # noqa: F401 - all modules of this package need it
except ImportError as error:
    raise MissingExtraError("batch needs pyarrow: pip install 'maxcover[parquet]'") from error
