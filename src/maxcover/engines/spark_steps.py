"""Supersteps on Spark: shards and blocks are partitions of RDDs that stay cached where they are.

Lineage does the recovery: what an executor held is computed again from the last checkpoint when
it is lost, and the answer is the same. Nothing but letters crosses partitions.
"""

from __future__ import annotations

import gc
from functools import partial
from typing import TYPE_CHECKING, Any

from maxcover.engines.parcels import Parcel, pack
from maxcover.engines.supersteps import Place, Task, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark import RDD

    from maxcover.engines.parcels import Part

    Record = tuple[int, tuple[int, int, Part]]

# What a record is a part of: (partition, (kind, sender or address, part)).
FIXED, MEMORY, LETTER, MAIL, REPORT, NEWS = range(6)
# Supersteps between two checkpoints: what a loss can cost, against 8 bytes an edge of writing.
CHECKPOINT_EVERY = 10
# PySpark collects garbage after every task. Walking the objects that numba keeps takes longer than
# a small task, so from this many on they are taken out of the collector's sight.
_MANY_OBJECTS = 50_000


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

        # as PySpark hands them over: serialised levels compress, and numbers do not shrink
        self.level = StorageLevel.MEMORY_AND_DISK_DESER
        self.size = shards.getNumPartitions()
        self.fixed = self._kept(_each(shards, _as_fixed))
        self.blocks = self._kept(_each(blocks, _as_fixed))
        self.memory: RDD[Any] | None = None
        self.block_memory: RDD[Any] | None = None
        self.mail: RDD[Any] | None = None
        self.stale: list[RDD[Any]] = []
        self.count = 0

    def _kept(self, rdd: RDD[Any]) -> RDD[Any]:
        return rdd.persist(self.level)

    def _shard_records(self) -> RDD[Any]:
        return _together(self.fixed, self.memory, self.mail)

    def step(self, shard_task: Task, block_task: Task) -> list[Any]:
        """Run the shards' part of a superstep now, the blocks' with the next job."""
        reports = self.fixed.context.accumulator({}, _Merged())
        memory = self._remember(shard_task, reports)
        # no task of Python for the action: whoever counts in the JVM reads what is cached
        memory._jrdd.count()
        self._release()
        answers = _each(
            _together(self.blocks, self.block_memory, self._posted(memory)),
            partial(_work, block_task, None),
        )
        self.mail = self._posted(answers)
        return [reports.value[i] for i in range(self.size)]

    def plan(self, shard_task: Task, block_task: Task) -> None:
        """Note a superstep down; the next job runs it."""
        memory = self._remember(shard_task, None)
        found = _together(self.blocks, self.block_memory, self._posted(memory))
        blocks = self._kept(_each(found, partial(_work, block_task, None)))
        if self.count % CHECKPOINT_EVERY == 0:
            blocks.checkpoint()
        self._drop(self.block_memory)
        self.block_memory = blocks
        self.mail = self._posted(blocks)

    def _remember(self, shard_task: Task, reports: Any) -> RDD[Any]:
        """Let the shards work, and keep what they remember and write."""
        memory = self._kept(_each(self._shard_records(), partial(_work, shard_task, reports)))
        self.count += 1
        if self.count % CHECKPOINT_EVERY == 0:
            memory.checkpoint()
        self._drop(self.memory)
        self.memory = memory
        return memory

    def _drop(self, rdd: RDD[Any] | None) -> None:
        """Let go of an RDD after the next job, which may still need it."""
        if rdd is not None:
            self.stale.append(rdd)

    def _release(self) -> None:
        """Let go of what the last supersteps were computed from."""
        for old in self.stale:
            old.unpersist()
        self.stale = []

    def ask(self, task: Callable[[Place], Any]) -> list[Any]:
        """Let every shard answer from what it remembers and its mail; nothing changes."""
        answers = _each(self._shard_records(), partial(_answer, task, REPORT)).collect()
        found: dict[int, Parcel] = {}
        for number, (_, _, part) in answers:
            found.setdefault(number, Parcel()).add(part)
        self._release()
        return [found[i].content() for i in range(self.size)]

    def settle(
        self, shard_task: Callable[[Place], Any], block_task: Callable[[Place], Any]
    ) -> None:
        """Replace what never changes, from what it was, the mail and the blocks' memory."""
        fixed = self._kept(_each(self._shard_records(), partial(_answer, shard_task, FIXED)))
        known = _together(self.blocks, self.block_memory)
        blocks = self._kept(_each(known, partial(_answer, block_task, FIXED)))
        for rdd, old in ((fixed, self.fixed), (blocks, self.blocks)):
            rdd.checkpoint()
            rdd._jrdd.count()
            self._drop(old)
        self.fixed, self.blocks = fixed, blocks
        self.forget()
        self._release()

    def forget(self) -> None:
        """Drop what shards and blocks remember, and the mail."""
        self._drop(self.memory)
        self._drop(self.block_memory)
        self.memory = self.block_memory = self.mail = None

    def _posted(self, rdd: RDD[Any]) -> RDD[Any]:
        """Send the letters of an RDD to their partitions."""
        return rdd.flatMap(_addressed).partitionBy(self.size, home)


class _Merged:
    """An accumulator of dictionaries: a task that Spark runs twice counts once."""

    def zero(self, _: dict[int, Any]) -> dict[int, Any]:
        return {}

    def addInPlace(self, one: dict[int, Any], other: dict[int, Any]) -> dict[int, Any]:  # noqa: N802 - Spark's name
        return {**one, **other}


def _together(first: RDD[Any], *others: RDD[Any] | None) -> RDD[Any]:
    """Join partitions one to one, which union does because the partitioners are the same."""
    for other in others:
        first = first if other is None else first.union(other)
    return first


def _each(rdd: RDD[Any], task: Callable[[Iterable[Any]], Iterator[Record]]) -> RDD[Any]:
    return rdd.mapPartitions(task, preservesPartitioning=True)


def _parts(number: int, kind: int, address: int, content: Any) -> Iterator[Record]:
    for part in pack(content):
        yield number, (kind, address, part)


def _as_fixed(pieces: Iterable[tuple[int, Any]]) -> Iterator[Record]:
    for number, piece in pieces:
        yield from _parts(number, FIXED, 0, piece)


def _place(records: Iterable[Record]) -> Place:
    """Collect what a partition holds."""
    number = -1
    parcels: dict[tuple[int, int], Parcel] = {}
    for key, (kind, sender, part) in records:
        number = key
        if kind in (FIXED, MEMORY, MAIL, NEWS):
            parcels.setdefault((kind, sender), Parcel()).add(part)
    contents = {key: parcels[key].content() for key in sorted(parcels)}
    mail = {sender: content for (kind, sender), content in contents.items() if kind == MAIL}
    fixed, memory, news = (contents.get((kind, 0)) for kind in (FIXED, MEMORY, NEWS))
    return Place(number, fixed, memory, mail, news)


def _work(task: Task, reports: Any, records: Iterable[Record]) -> Iterator[Record]:
    place = _place(records)
    work: Work = task(place)
    if reports is not None:
        reports.add({place.number: work.report})
    yield from _parts(place.number, MEMORY, 0, work.memory)
    yield from _parts(place.number, REPORT, 0, work.report)
    for address, letter in work.letters.items():
        yield from _parts(place.number, LETTER, address, letter)
    _spare_collector()


def _answer(task: Callable[[Place], Any], kind: int, records: Iterable[Record]) -> Iterator[Record]:
    place = _place(records)
    yield from _parts(place.number, kind, 0, task(place))
    _spare_collector()


def _spare_collector() -> None:
    """Collect what is garbage, and let the collector forget what stays, once there is much."""
    if len(gc.get_objects()) > _MANY_OBJECTS:
        gc.collect()
        gc.freeze()


def _addressed(record: Record) -> list[Record]:
    """Turn letters into mail, and a report into news for the piece of the same number."""
    number, (kind, address, part) = record
    if kind == LETTER:
        return [(address, (MAIL, number, part))]
    return [(number, (NEWS, 0, part))] if kind == REPORT else []
