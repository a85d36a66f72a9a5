"""Pieces: where the chunks of a graph are kept, and sums over all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from maxcover_scale.distributed.chunks import Sums, exact_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maxcover_scale.distributed.chunks import Ask, Bytes, Chunk


class Pieces(Protocol):
    """A graph in pieces, whose chunks never change."""

    def add_up(self, ask: Ask, *, named: bool = False) -> Sums:
        """Call `ask` on every piece and add up the answers; chunks have ids only if `named`."""

    def reduced(self, status: Bytes) -> Pieces:
        """Return new pieces with open sets only, and without elements that fixed sets cover."""

    def rest(self, status: Bytes) -> list[Chunk]:
        """Bring the chunks to this process, without fixed and dropped sets."""

    def close(self) -> None:
        """Release the chunks."""


def added(answers: Iterable[Sums]) -> Sums:
    """Add up answers exactly, so that their order does not matter."""
    found = list(answers)
    total = exact_parts(np.array([part for answer in found for part in answer.total]))
    return Sums(total, np.sum([answer.per_set for answer in found], axis=0))
