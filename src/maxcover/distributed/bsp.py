"""A graph in pieces: shards of sets, blocks of elements, and messages between them in supersteps.

In a superstep every shard works and writes to blocks, then every block works and writes to shards.
The same tasks run in one process (`InProcess`) and on Spark (`maxcover.distributed.spark_bsp`), so
one can be tested against the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol


class Work(NamedTuple):
    """What a task hands back: what the piece remembers, letters by address, and a report."""

    memory: Any
    letters: dict[int, Any]
    report: Any = None


class Place(NamedTuple):
    """What a task sees: its number, what never changes, what it remembers, its mail by sender.

    A task may write into what it remembers. `news` is the last report of the block of a shard's
    number.
    """

    number: int
    fixed: Any
    memory: Any
    mail: dict[int, Any]
    news: Any = None


Task = Callable[[Place], Work]


class Supersteps(Protocol):
    """Where shards and blocks live. There are `size` of each."""

    size: int

    def plan(self, shard_task: Task, block_task: Task, *, anew: bool = True) -> None:
        """Run a superstep no later than the next question; `anew`: the shards need no mail."""

    def ask(self, task: Callable[[Place], Any]) -> list[Any]:
        """Let every shard answer from what it remembers and the mail of the last superstep.

        Only the first question after a superstep finds the mail.
        """

    def settle(
        self, shard_task: Callable[[Place], Any], block_task: Callable[[Place], Any]
    ) -> None:
        """Replace what never changes, from what it was, the mail and memory; forget the rest."""

    def forget(self) -> None:
        """Drop what shards and blocks remember, and the mail."""

    def close(self) -> None:
        """Let go of shards and blocks."""


class InProcess:
    """All pieces in this process, one after the other: the slow, obvious twin of a cluster."""

    def __init__(self, shards: Sequence[Any], blocks: Sequence[Any]) -> None:
        self.size = len(shards)
        self.fixed = list(shards)
        self.blocks = list(blocks)
        self.memory: list[Any]
        self.block_memory: list[Any]
        self.mail: list[dict[int, Any]]
        self.news: list[Any]
        self.forget()

    def _places(self) -> list[Place]:
        columns = (self.fixed, self.memory, self.mail, self.news)
        return [Place(i, *parts) for i, parts in enumerate(zip(*columns, strict=True))]

    def plan(self, shard_task: Task, block_task: Task, *, anew: bool = True) -> None:
        """Run a superstep now; `anew` throws the shards' mail away."""
        if anew:
            self._empty()
        sent = [shard_task(place) for place in self._places()]
        self.memory = [work.memory for work in sent]
        columns = (self.blocks, self.block_memory, _deliver(sent))
        places = [Place(i, *parts) for i, parts in enumerate(zip(*columns, strict=True))]
        done = [block_task(place) for place in places]
        self.block_memory = [work.memory for work in done]
        self.mail = _deliver(done)
        self.news = [work.report for work in done]

    def ask(self, task: Callable[[Place], Any]) -> list[Any]:
        """Let every shard answer from what it remembers and the mail of the last superstep."""
        return [task(place) for place in self._places()]

    def settle(
        self, shard_task: Callable[[Place], Any], block_task: Callable[[Place], Any]
    ) -> None:
        """Replace what never changes, from what it was, the mail and memory; forget the rest."""
        self.fixed = self.ask(shard_task)
        known = enumerate(zip(self.blocks, self.block_memory, strict=True))
        self.blocks = [block_task(Place(i, *parts, {})) for i, parts in known]
        self.forget()

    def forget(self) -> None:
        """Drop what shards and blocks remember, and the mail."""
        self.memory = [None] * self.size
        self.block_memory = [None] * self.size
        self._empty()

    def close(self) -> None:
        """Let go of shards and blocks."""
        self.fixed, self.blocks = [], []

    def _empty(self) -> None:
        """Throw away the mail."""
        self.mail = [{} for _ in range(self.size)]
        self.news = [None] * self.size


def _deliver(works: Sequence[Work]) -> list[dict[int, Any]]:
    """Sort letters by address; senders in ascending order."""
    mail: list[dict[int, Any]] = [{} for _ in works]
    for sender, work in enumerate(works):
        for address, letter in work.letters.items():
            mail[address][sender] = letter
    return mail
