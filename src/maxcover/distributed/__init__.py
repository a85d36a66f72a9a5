"""Distributed: one huge graph, cut into pieces that exchange letters, on Spark."""
