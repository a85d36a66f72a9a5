"""Packing: the passages that tell a language model the most within its window."""

from maxcover.packing.facade import GRANULARITIES, pack
from maxcover.packing.facts import FACTS
from maxcover.packing.layout import ORDERS
from maxcover.packing.packed import Packed, PackedPassage
from maxcover.packing.receipts import LeftOut, read_schema

__all__ = [
    "FACTS",
    "GRANULARITIES",
    "ORDERS",
    "LeftOut",
    "Packed",
    "PackedPassage",
    "pack",
    "read_schema",
]
