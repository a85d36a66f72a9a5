"""Many small problems: on every core of one machine, on Spark, and as a function on Arrow."""

from maxcover.errors import MissingExtraError

try:
    import pyarrow as pa  # noqa: F401 - all modules of this package need it
except ImportError as error:
    raise MissingExtraError("batch needs pyarrow: pip install 'maxcover[parquet]'") from error
