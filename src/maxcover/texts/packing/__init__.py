"""Packing: the passages that tell a language model the most within its window."""

from maxcover.texts.packing.context import LeftOut
from maxcover.texts.packing.file_map import map_files
from maxcover.texts.packing.layout import ORDERS
from maxcover.texts.packing.located import PackedFiles, pack_files
from maxcover.texts.packing.pack import GRANULARITIES, pack
from maxcover.texts.packing.requirements import FACTS
from maxcover.texts.packing.result import Packed, PackedPassage, read_schema

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
