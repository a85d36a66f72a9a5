"""Packing: the passages that tell a language model the most within its window."""

from maxcover.packing.chosen import PackedPassage
from maxcover.packing.layout import ORDERS
from maxcover.packing.located import PackedFiles, map_files, pack_files
from maxcover.packing.pack import GRANULARITIES, pack
from maxcover.packing.receipts import LeftOut, read_schema
from maxcover.packing.requirements import FACTS
from maxcover.packing.result import Packed

__all__ = [
    "FACTS",
    "GRANULARITIES",
    "ORDERS",
    "LeftOut",
    "Packed",
    "PackedFiles",
    "PackedPassage",
    "map_files",
    "pack",
    "pack_files",
    "read_schema",
]
