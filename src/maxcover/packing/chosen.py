"""What was chosen: one passage, or a part of it, with its place and what it adds."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxcover.summary.contributions import Covered


@dataclass(frozen=True, eq=False, kw_only=True)
class PackedPassage:
    """One chosen passage, or what was chosen of it.

    Attributes
    ----------
    index : int
        Its number among the passages given.
    text : str
        What stands in the context, without header and separator.
    spans : tuple of (start, end)
        Where that is in the passage; the spans joined by one space are the text. Sentences that are
        neighbours in the passage are one span.
    cost : float
        What it takes of the budget, header and separator included, counted by itself.
    rank : int
        Its place in the order of the scores, from 1.
    gain : float
        The weight that it is the first to cover, when pieces are taken from the one that adds most
        to the one that adds least. The gains of all passages sum to the value.
    given : str, mapping or object
        The passage as it was given, with its id and metadata.
    covers : tuple of Covered
        What the gain consists of, heaviest first.
    """

    index: int
    text: str
    spans: tuple[tuple[int, int], ...]
    cost: float
    rank: int
    gain: float
    given: Any = field(repr=False)
    _covers: Callable[[int], tuple[Covered, ...]] = field(repr=False)

    @cached_property
    def covers(self) -> tuple[Covered, ...]:
        """The words and phrases that it is the first to cover; listed when first asked for."""
        return self._covers(self.index)

    def __getstate__(self) -> dict[str, Any]:
        """Hand over what it covers instead of how that is found."""
        return {**vars(self), "covers": self.covers, "_covers": None}

    def provenance(self) -> dict[str, Any]:
        """Return as plain values where it is from, what it costs and what it adds."""
        return {
            "index": self.index,
            "spans": [list(span) for span in self.spans],
            "cost": self.cost,
            "rank": self.rank,
            "gain": self.gain,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        covers = [{"concept": c.concept, "weight": c.weight} for c in self.covers]
        return {"text": self.text, **self.provenance(), "covers": covers}
