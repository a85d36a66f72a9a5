"""Evaluate: how good a summary is, by ROUGE, with intervals and the extractive oracle."""

from maxcover.evaluate.case import Cluster, Document
from maxcover.evaluate.datasets import load, long_enough
from maxcover.evaluate.intervals import Interval, difference_interval, mean_interval
from maxcover.evaluate.oracle import OracleBound, bound_recall
from maxcover.evaluate.rouge import AGGREGATES, KINDS, Rouge, Score

__all__ = [
    "AGGREGATES",
    "KINDS",
    "Cluster",
    "Document",
    "Interval",
    "OracleBound",
    "Rouge",
    "Score",
    "bound_recall",
    "difference_interval",
    "load",
    "long_enough",
    "mean_interval",
]
