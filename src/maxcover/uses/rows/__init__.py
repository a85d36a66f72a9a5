"""Rows with embeddings: vectors, costs and quality in, a certified selection of rows out."""

from maxcover.uses.rows.neighbours import Lists, bytes_needed, find_neighbours
from maxcover.uses.rows.select import Selected, select

__all__ = ["Lists", "Selected", "bytes_needed", "find_neighbours", "select"]
