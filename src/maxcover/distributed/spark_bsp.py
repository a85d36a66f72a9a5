"""Supersteps on Spark: shards and blocks stay on the executors, and letters go by Spark's shuffle.

What never changes and what a piece remembers lie in files of the executor that holds the piece
(`piece_store`) and are changed there; between Python and the JVM only letters pass. A cached RDD
with one empty record a piece, the anchor, tells Spark where each piece is, and how to
bring it anywhere else.

When a host is lost, so are the letters that its pieces wrote, and Spark has them written again: by
the same pieces, on another host, one superstep after the other. Where that does not reach (the
pieces remembered something before, a task broke off while it changed its piece, a piece was moved
for want of a core) a piece finds that it has forgotten what came last. Then it says so, everybody
else passes that on, and all supersteps since the last checkpoint run once more.
"""

from __future__ import annotations

import gc
import uuid
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.distributed.bsp import Place, Task, Work
from maxcover.distributed.parcels import Parcel, pack
from maxcover.distributed.piece_store import LostError, Resident
from maxcover.errors import EngineError, MaxcoverError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark import RDD

    from maxcover.distributed.parcels import Part

    Record = tuple[int, tuple[str, int, Part | str]]

# The name of what never changes.
FIXED = "fixed"
# What a record is a part of: (partition, (kind, sender, part)).
SHARD, BLOCK, SHARD_MEMORY, BLOCK_MEMORY = "shard", "block", "shard memory", "block memory"
MAIL, NEWS, ANSWER, LOST, HERE = "mail", "news", "answer", "lost", "here"
# The letter between a shard and the block of its number lies where both are; only a word of it
# crosses.
OWN = "own mail"
# Supersteps after which the next one that begins anew is preceded by a checkpoint: what a loss can
# cost, against the writing of 8 bytes an edge.
CHECKPOINT_EVERY = 10
# So often the same supersteps are tried; Spark gives up a task that fails as often.
_TRIES = 4
# PySpark collects garbage after every task. Walking all objects takes longer than a small task, so
# from this many on they are taken out of the collector's sight.
_MANY_OBJECTS = 50_000


def home(key: int) -> int:
    """Return the partition of a record; one function, so that Spark knows partitioners as equal."""
    return key


class Names(NamedTuple):
    """Under which names the pieces keep what they remember; None where there is nothing.

    `run` is of one placement of the pieces on executors.
    """

    run: str
    shard_memory: str | None = None
    block_memory: str | None = None

    def memory(self, kind: str) -> str | None:
        """Return the name of what a shard or a block remembers."""
        return self.shard_memory if kind == SHARD else self.block_memory


class OnSpark:
    """Shards and blocks on executors, one of each a partition.

    Parameters
    ----------
    shards, blocks : RDD
        Pairs (number, piece), one a partition, partitioned by `home`.
    """

    def __init__(self, shards: RDD[Any], blocks: RDD[Any]) -> None:
        self.size = shards.getNumPartitions()
        self.fixed = _together(
            _each(shards, partial(_as_records, SHARD)), _each(blocks, partial(_as_records, BLOCK))
        )
        self.names = Names(uuid.uuid4().hex)
        self.saved: RDD[Any] | None = None
        self.saved_names = self.names
        self.count = 0
        self.log: list[tuple[Task, Task, bool]] = []
        self.mail: RDD[Any] | None = None
        self.pending = False
        self.anchor = self._load()

    def plan(self, shard_task: Task, block_task: Task, *, anew: bool = True) -> None:
        """Note a superstep down; the next question runs it."""
        if anew and not self.pending and len(self.log) >= CHECKPOINT_EVERY:
            self._save()
        self.log.append((shard_task, block_task, anew))
        self._add(shard_task, block_task, anew)

    def ask(self, task: Callable[[Place], Any]) -> list[Any]:
        """Let every shard answer from what it remembers and the mail of the last superstep."""
        why = ""
        for _ in range(_TRIES):
            question = partial(_answer, task, self.names)
            records = _each(self._at_home(self.mail if self.pending else None), question).collect()
            by_piece: list[list[Record]] = [[] for _ in range(self.size)]
            for record in records:
                by_piece[record[0]].append(record)
            opened = [_Opened.of(found) for found in by_piece]
            why = next((piece.lost for piece in opened if piece.lost), "")
            if not why:
                self.pending = False
                return [piece.contents[ANSWER, 0] for piece in opened]
            self._repeat()
        raise _unsteady(why)

    def settle(
        self, shard_task: Callable[[Place], Any], block_task: Callable[[Place], Any]
    ) -> None:
        """Replace what never changes, from what it was, the mail and memory; forget the rest."""
        for _ in range(_TRIES):
            replace = partial(_settle, shard_task, block_task, self.names)
            fixed = self._checkpointed(self._at_home(self.mail), replace)
            if fixed is not None:
                break
            self._repeat()
        else:
            raise _unsteady("it was not there when the graph was settled")
        self.fixed = fixed
        self.forget()
        self._reload()

    def forget(self) -> None:
        """Drop what shards and blocks remember, and the mail."""
        self.names = self.names._replace(shard_memory=None, block_memory=None)
        self._replace_saved(None)
        self.mail, self.pending = None, False

    def close(self) -> None:
        """Remove the pieces from the executors."""
        self.forget()
        self._clear()
        _discard(self.fixed)

    def _load(self) -> RDD[Any]:
        """Bring all pieces to executors."""
        from pyspark import StorageLevel

        anchor = _each(self.fixed, partial(_unpack, self.names))
        anchor.persist(StorageLevel.MEMORY_AND_DISK)
        # in the JVM, so that no task of Python runs for it
        anchor._jrdd.count()
        return anchor

    def _clear(self) -> None:
        self.anchor.foreachPartition(partial(_clear, self.names.run))
        self.anchor.unpersist()

    def _reload(self) -> None:
        """Place the pieces anew."""
        self._clear()
        run = uuid.uuid4().hex
        self.names, self.saved_names = (n._replace(run=run) for n in (self.names, self.saved_names))
        self.anchor = self._load()

    def _at_home(self, mail: RDD[Any] | None) -> RDD[Any]:
        """Bring mail to the pieces.

        A union of partitions goes to the host that most of them name, and mail names the host that
        it comes from. So the anchor, which names the host of the piece, has two votes.
        """
        return _together(self.anchor, self.anchor, mail)

    def _add(self, shard_task: Task, block_task: Task, anew: bool) -> None:
        """Let Spark know of a superstep."""
        if anew and not self.pending:  # what is pending runs because its letters are asked for
            self.mail = None
        self.pending = True
        self.count += 1
        new = str(self.count)
        for kind, task in ((SHARD, shard_task), (BLOCK, block_task)):
            work = partial(_work, kind, task, self.names, new, self.size)
            letters = self._at_home(self.mail).mapPartitions(work)
            self.mail = letters.partitionBy(self.size, home)
        self.names = self.names._replace(shard_memory=new, block_memory=new)

    def _save(self) -> None:
        """Write down what all pieces remember, where it outlives them."""
        saved = self._checkpointed(self._at_home(None), partial(_read_memory, self.names))
        if saved is None:  # a loss after the last answer: the next question will find it
            return
        self._replace_saved(saved)
        # letters of the past are files until the JVM notices that nobody can ask for them
        saved.context._jvm.System.gc()

    def _replace_saved(self, saved: RDD[Any] | None) -> None:
        """Let supersteps that have to be repeated begin here."""
        old, self.saved, self.saved_names, self.log = self.saved, saved, self.names, []
        if old is not None:
            _discard(old)

    def _checkpointed(self, rdd: RDD[Any], task: Any) -> RDD[Any] | None:
        """Write what a task makes of every piece to the checkpoints; None if a piece was lost."""
        lost = rdd.context.accumulator(0)
        written = _each(rdd, partial(task, lost))
        written.checkpoint()
        # a job over no partition: Spark writes checkpoints after a job, and that is all to be done
        rdd.context.runJob(written, list, [])
        return written if lost.value == 0 else None

    def _repeat(self) -> None:
        """Go back to the last checkpoint, and note all supersteps since then down again."""
        self._reload()
        self.names, self.mail, self.pending = self.saved_names, None, False
        if self.saved is not None:
            _each(self._at_home(self.saved), partial(_restore, self.names))._jrdd.count()
        for step in self.log:
            self._add(*step)


def _unsteady(why: str) -> EngineError:
    return EngineError(
        f"expected the pieces of the graph to stay on their hosts, but in {_TRIES} tries some were "
        f"lost, the last one: {why}. Where nothing else is said: give every piece a core (fewer "
        "shards=), let tasks wait longer for their host (spark.locality.wait), and run one worker "
        "under the name of a host"
    )


def _discard(rdd: RDD[Any]) -> None:
    """Delete the checkpoint of an RDD; Spark keeps them for ever."""
    name = rdd.getCheckpointFile()
    if name is not None:
        path = rdd.context._jvm.org.apache.hadoop.fs.Path(name)
        path.getFileSystem(rdd.context._jsc.hadoopConfiguration()).delete(path, True)


def _together(*rdds: RDD[Any] | None) -> RDD[Any]:
    """Join partitions one to one, which union does because the partitioners are the same."""
    present = [rdd for rdd in rdds if rdd is not None]
    return present[0].context.union(present)


def _each(rdd: RDD[Any], task: Callable[[Iterable[Any]], Iterator[Record]]) -> RDD[Any]:
    return rdd.mapPartitions(task, preservesPartitioning=True)


def _parts(address: int, kind: str, sender: int, content: Any) -> Iterator[Record]:
    for part in pack(content):
        yield address, (kind, sender, part)


def _as_records(kind: str, pieces: Iterable[tuple[int, Any]]) -> Iterator[Record]:
    for number, piece in pieces:
        yield from _parts(number, kind, 0, piece)


class _Opened(NamedTuple):
    """The records of a partition: its number, contents by kind and sender, and what is lost."""

    number: int
    contents: dict[tuple[str, int], Any]
    lost: str

    @classmethod
    def of(cls, records: Iterable[Record]) -> _Opened:
        number, lost = -1, ""
        parcels: dict[tuple[str, int], Parcel] = {}
        for address, (kind, sender, part) in records:
            number = address
            if isinstance(part, str):  # why it is lost
                lost = lost or part
            elif kind != HERE:
                parcels.setdefault((kind, sender), Parcel()).add(part)
        return cls(number, {key: parcels[key].content() for key in sorted(parcels)}, lost)

    def taken(self, kind: str, names: Names) -> tuple[Resident, Place]:
        """Return what a task sees and may change, and where it is to be put back."""
        kept = self._kept(kind, names)
        name = names.memory(kind)
        return kept, self._place(kind, names, None if name is None else kept.take(name))

    def place(self, kind: str, names: Names) -> Place:
        """Return what a task sees and may not change."""
        name = names.memory(kind)
        memory = None if name is None else self._kept(kind, names).get(name)
        return self._place(kind, names, memory)

    def _kept(self, kind: str, names: Names) -> Resident:
        if self.lost or self.number < 0:  # no record at all: Spark is about to fail the task
            raise LostError(self.lost or "no record")
        return Resident(names.run, f"{kind}-{self.number}")

    def _place(self, kind: str, names: Names, memory: Any) -> Place:
        mail = {sender: letter for (what, sender), letter in self.contents.items() if what == MAIL}
        own = self.contents.get((OWN, self.number))
        if own is not None:
            mail[self.number] = self._kept(BLOCK if kind == SHARD else SHARD, names).get(own)
        fixed = self._kept(kind, names).get(FIXED)
        return Place(self.number, fixed, memory, mail, self.contents.get((NEWS, 0)))


def _unpack(names: Names, records: Iterable[Record]) -> Iterator[Record]:
    """Keep a shard and a block on this host, if they are not here yet."""
    opened = _Opened.of(records)
    for kind in (SHARD, BLOCK):
        kept = Resident(names.run, f"{kind}-{opened.number}")
        if FIXED not in kept:
            kept.put(FIXED, opened.contents[kind, 0])
    yield opened.number, (HERE, 0, b"")
    _spare_collector()


def _restore(names: Names, records: Iterable[Record]) -> Iterator[Record]:
    """Let a shard and a block remember what they did at a checkpoint."""
    opened = _Opened.of(records)
    for kind, memory in ((SHARD, SHARD_MEMORY), (BLOCK, BLOCK_MEMORY)):
        name = names.memory(kind)
        if name is not None:
            kept = Resident(names.run, f"{kind}-{opened.number}")
            kept.put(name, opened.contents[memory, 0])
    yield opened.number, (HERE, 0, b"")


def _work(
    kind: str, task: Task, names: Names, new: str, size: int, records: Iterable[Record]
) -> Iterator[Record]:
    """Let a shard or block work, keep what it remembers, and send its letters."""
    opened = _Opened.of(records)
    try:
        kept, place = opened.taken(kind, names)
        work = _done(task, place, kind)
    except LostError as error:
        for address in range(size):
            yield address, (LOST, opened.number, str(error))
        return
    kept.put(new, work.memory)
    kept.keep_only(FIXED, new)
    own = f"mail-{new}"
    if work.report is not None:
        yield from _parts(opened.number, NEWS, 0, work.report)
    for address, letter in work.letters.items():
        if address == opened.number:
            kept.put(own, letter)
            yield from _parts(address, OWN, opened.number, own)
        else:
            yield from _parts(address, MAIL, opened.number, letter)
    del place, work
    _spare_collector()


def _done(task: Task, place: Place, kind: str) -> Work:
    """Do the work; what went wrong in it is told, for another try would find nothing to change."""
    try:
        return task(place)
    except MaxcoverError:  # of what is in the graph: no try will change that
        raise
    except Exception as error:
        raise LostError(f"{kind} {place.number}, {type(error).__name__}: {error}") from error


def _answer(
    task: Callable[[Place], Any], names: Names, records: Iterable[Record]
) -> Iterator[Record]:
    """Let a shard answer a question."""
    opened = _Opened.of(records)
    try:
        place = opened.place(SHARD, names)
    except LostError as error:
        yield opened.number, (LOST, 0, str(error))
        return
    yield from _parts(opened.number, ANSWER, 0, task(place))
    _spare_collector()


def _settle(
    shard_task: Callable[[Place], Any],
    block_task: Callable[[Place], Any],
    names: Names,
    lost: Any,
    records: Iterable[Record],
) -> Iterator[Record]:
    """Return a shard and a block as they are to be from now on."""
    opened = _Opened.of(records)
    try:
        places = opened.place(SHARD, names), opened.place(BLOCK, names)
    except LostError:
        lost.add(1)
        return
    yield from _parts(opened.number, SHARD, 0, shard_task(places[0]))
    yield from _parts(opened.number, BLOCK, 0, block_task(places[1]))
    _spare_collector()


def _read_memory(names: Names, lost: Any, records: Iterable[Record]) -> Iterator[Record]:
    """Return what a shard and a block remember."""
    opened = _Opened.of(records)
    for kind, memory in ((SHARD, SHARD_MEMORY), (BLOCK, BLOCK_MEMORY)):
        name = names.memory(kind)
        try:
            if name is not None:
                kept = Resident(names.run, f"{kind}-{opened.number}")
                yield from _parts(opened.number, memory, 0, kept.get(name))
        except LostError:
            lost.add(1)
    _spare_collector()


def _clear(run: str, records: Iterable[Record]) -> None:
    for number, _ in records:
        for kind in (SHARD, BLOCK):
            Resident(run, f"{kind}-{number}").clear()


def _spare_collector() -> None:
    """Collect what is garbage, and let the collector forget what stays, once there is much."""
    if len(gc.get_objects()) > _MANY_OBJECTS:
        gc.collect()
        gc.freeze()
