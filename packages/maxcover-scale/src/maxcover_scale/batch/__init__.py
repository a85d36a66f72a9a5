"""Batch: summaries of many clusters, on all cores of one machine, on Spark, or by a function."""
