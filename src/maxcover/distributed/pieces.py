"""Pieces: where the chunks of a graph are: questions to all of them, and what is left of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from maxcover.distributed.chunks import Chunk, Sums, exact_parts, without

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from maxcover.distributed.chunks import Ask, Bytes


class Pieces(Protocol):
    """Chunks of a graph that never change."""

    def add_up(self, ask: Ask, *, named: bool = False) -> Sums:
        """Ask every piece, and add up the answers; the ids of elements are there if `named`."""

    def reduced(self, status: Bytes) -> Pieces:
        """Return new pieces without what fixed and dropped sets settle."""

    def rest(self, status: Bytes) -> list[Chunk]:
        """Bring what fixed and dropped sets leave to this process."""

    def close(self) -> None:
        """Let go of the chunks."""


class InProcess:
    """All pieces in this process, one after the other: the slow, obvious twin of a cluster."""

    def __init__(self, pieces: Sequence[Sequence[Chunk]]) -> None:
        self.pieces = pieces

    def add_up(self, ask: Ask, *, named: bool = False) -> Sums:
        """Ask every piece, and add up the answers."""
        return added([ask(piece) for piece in self.pieces])

    def reduced(self, status: Bytes) -> InProcess:
        """Return new pieces without what fixed and dropped sets settle."""
        return InProcess([[without(chunk, status) for chunk in piece] for piece in self.pieces])

    def rest(self, status: Bytes) -> list[Chunk]:
        """Return what fixed and dropped sets leave."""
        return [without(chunk, status) for piece in self.pieces for chunk in piece]

    def close(self) -> None:
        """Let go of the chunks."""
        self.pieces = []


def added(answers: Iterable[Sums]) -> Sums:
    """Add up answers; exact, so the order does not matter."""
    found = list(answers)
    total = exact_parts(np.array([part for answer in found for part in answer.total]))
    return Sums(total, np.sum([answer.per_set for answer in found], axis=0))
