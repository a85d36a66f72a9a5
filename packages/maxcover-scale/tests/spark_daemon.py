"""Spark's daemon, which forks Python workers; what they import is here before.

Tests kill workers and make them fail, and each that is started anew would import all of it again.
"""

from importlib import import_module

from pyspark.daemon import manager

for name in (
    "pandas",
    "pyarrow",
    "maxcover_scale.batch.spark",
    "maxcover_scale.distributed.spark_rows",
):
    import_module(name)

if __name__ == "__main__":
    manager()
