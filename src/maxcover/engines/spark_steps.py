"""Supersteps on Spark: shards and blocks are partitions of RDDs that stay cached where they are.

Lineage does the recovery: what an executor held is computed again from the last checkpoint when
it is lost, and the answer is the same. Nothing but letters crosses partitions.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from maxcover.engines.supersteps import Place, Task, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark import RDD

    Record = tuple[int, tuple[int, int, Any]]

# What a record is: (partition, (kind, sender, content)).
FIXED, MEMORY, LETTER, MAIL, REPORT, NEWS = range(6)
# Supersteps between two checkpoints: what a loss can cost, against 8 bytes an edge of writing.
CHECKPOINT_EVERY = 10


def home(key: int) -> int:
    """Return the partition of a record; one function, so that Spark knows partitioners as equal."""
    return key


class OnSpark:
    """Shards and blocks as RDDs with one piece a partition.

    Parameters
    ----------
    shards, blocks : RDD
        Pairs (number, piece), one a partition, partitioned by `home`.
    """

    def __init__(self, shards: RDD[Any], blocks: RDD[Any]) -> None:
        from pyspark import StorageLevel

        self.level = StorageLevel.MEMORY_AND_DISK
        self.size = shards.getNumPartitions()
        self.fixed = self._kept(shards.mapValues(partial(_record, FIXED)))
        self.blocks = self._kept(blocks.mapValues(partial(_record, MEMORY)))
        self.memory: RDD[Any] | None = None
        self.mail: RDD[Any] | None = None
        self.stale: list[RDD[Any]] = []
        self.count = 0

    def _kept(self, rdd: RDD[Any]) -> RDD[Any]:
        return rdd.persist(self.level)

    def _shard_records(self) -> RDD[Any]:
        records = self.fixed
        for more in (self.memory, self.mail):
            # partitions are joined one to one, because the partitioners are the same
            records = records if more is None else records.union(more)
        return records

    def step(self, shard_task: Task, block_task: Task) -> list[Any]:
        """Run a superstep as one job; return the reports of the blocks."""
        self.plan(shard_task, block_task)
        reports = dict(self.blocks.flatMap(_reports).collect())
        self._release()
        return [reports[i] for i in range(self.size)]

    def plan(self, shard_task: Task, block_task: Task) -> None:
        """Note a superstep down; the next job runs it. Its reports are the shards' news."""
        memory = self._kept(_each(self._shard_records(), partial(_work, shard_task)))
        blocks = self._kept(
            _each(self.blocks.union(self._posted(memory)), partial(_work, block_task))
        )
        self.count += 1
        if self.count % CHECKPOINT_EVERY == 0:
            memory.checkpoint()
            blocks.checkpoint()
        self.stale += [old for old in (self.memory, self.blocks) if old is not None]
        self.memory, self.blocks = memory, blocks
        self.mail = self._posted(blocks)

    def _release(self) -> None:
        """Let go of what the last supersteps were computed from."""
        for old in self.stale:
            old.unpersist()
        self.stale = []

    def ask(self, task: Callable[[Place], Any]) -> list[Any]:
        """Let every shard answer from what it remembers and its mail; nothing changes."""
        answers = _each(self._shard_records(), partial(_answer, task, REPORT))
        found = {number: content for number, (_, _, content) in answers.collect()}
        self._release()
        return [found[i] for i in range(self.size)]

    def settle(self, task: Callable[[Place], Any]) -> None:
        """Replace what never changes in the shards, from what it was and the mail."""
        fixed = self._kept(_each(self._shard_records(), partial(_answer, task, FIXED)))
        fixed.checkpoint()
        fixed.count()
        self.stale.append(self.fixed)
        self.fixed = fixed
        self._release()

    def forget(self) -> None:
        """Drop what the shards remember."""
        if self.memory is not None:
            self.stale.append(self.memory)
            self.memory = None

    def _posted(self, rdd: RDD[Any]) -> RDD[Any]:
        """Send the letters of an RDD to their partitions."""
        return rdd.flatMap(_addressed).partitionBy(self.size, home)


def _record(kind: int, content: Any) -> tuple[int, int, Any]:
    return kind, 0, content


def _each(rdd: RDD[Any], task: Callable[[Iterable[Record]], Iterator[Record]]) -> RDD[Any]:
    return rdd.mapPartitions(task, preservesPartitioning=True)


def _place(records: Iterable[Record]) -> Place:
    """Collect what a partition holds."""
    number, fixed, memory, news = -1, None, None, None
    mail: dict[int, Any] = {}
    for key, (kind, sender, content) in records:
        number = key
        if kind == FIXED:
            fixed = content
        elif kind == MEMORY:
            memory = content
        elif kind == MAIL:
            mail[sender] = content
        elif kind == NEWS:
            news = content
    return Place(number, fixed, memory, dict(sorted(mail.items())), news)


def _work(task: Task, records: Iterable[Record]) -> Iterator[Record]:
    place = _place(records)
    work: Work = task(place)
    yield place.number, (MEMORY, 0, work.memory)
    yield place.number, (REPORT, 0, work.report)
    for address, letter in work.letters.items():
        yield place.number, (LETTER, address, letter)


def _answer(task: Callable[[Place], Any], kind: int, records: Iterable[Record]) -> Iterator[Record]:
    place = _place(records)
    yield place.number, (kind, 0, task(place))


def _addressed(record: Record) -> list[Record]:
    """Turn letters into mail, and a report into news for the piece of the same number."""
    number, (kind, address, content) = record
    if kind == LETTER:
        return [(address, (MAIL, number, content))]
    return [(number, (NEWS, 0, content))] if kind == REPORT else []


def _reports(record: Record) -> list[tuple[int, Any]]:
    number, (kind, _, content) = record
    return [(number, content)] if kind == REPORT else []
