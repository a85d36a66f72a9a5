"""Distributed: one huge graph on Spark, cut into pieces that answer the driver's questions."""
