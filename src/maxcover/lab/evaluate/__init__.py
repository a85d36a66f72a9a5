"""Evaluate: how good a summary is, by ROUGE, with intervals and the extractive oracle."""

from maxcover.lab.evaluate.case import Cluster, Document
from maxcover.lab.evaluate.datasets import load, long_enough
from maxcover.lab.evaluate.intervals import Interval, difference_interval, mean_interval
from maxcover.lab.evaluate.oracle import OracleBound, bound_recall
from maxcover.lab.evaluate.rouge import AGGREGATES, KINDS, Rouge, Score

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
