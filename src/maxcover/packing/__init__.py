"""Packing: the passages that tell a language model the most within its window."""

from maxcover.packing.context import LeftOut
from maxcover.packing.file_map import map_files
from maxcover.packing.layout import ORDERS
from maxcover.packing.located import PackedFiles, pack_files
from maxcover.packing.pack import GRANULARITIES, pack
from maxcover.packing.requirements import FACTS
from maxcover.packing.result import Packed, PackedPassage, read_schema

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
