"""Run directory: the manifest, the lock, the finished shards and the tables of a local run.

::

    out/_manifest.json               input, options and version; a second call must have the same
    out/_lock                        held by the run that is at work
    out/_shards/00000042.arrow       shard 42 is done; its rows are not in the tables yet
    out/clusters/part-00003.parquet  some hundred megabytes of neighbouring shards
    out/sentences/part-00003.parquet
    out/quarantine/part-00003.parquet
    out/_parts/00003.json            part 3 of all tables is complete: written last
    out/_SUCCESS                     all shards are in the tables

A file appears under its name only when it is whole. A part that is not noted as complete is written
again, so a run may be killed at any moment: what it finished stays, nothing is lost or doubled.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from maxcover.errors import OptionError
from maxcover_scale.batch.manifest import check_same
from maxcover_scale.batch.result_tables import NESTED, TABLES, split

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# Bytes of shard files that are merged into one part of the tables; as Parquet they take at most
# half of that.
PART_BYTES = 400_000_000
# Rows of a table that are collected before they are written.
_GROUP_ROWS = 100_000


class RunDirectory:
    """The directory of a run's results, locked while this object is open.

    Raises
    ------
    OptionError
        The directory holds another run, or something else, or another run is at work there.
    """

    def __init__(self, path: Path, about: str) -> None:
        self.path = path
        self._check(about)
        path.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(path / "_lock")
        self._check(about)  # the manifest is checked again, now under the lock
        for leftover in (*path.glob(".*.tmp"), *path.glob("*/.*.tmp")):
            leftover.unlink()
        write_atomically(path / "_manifest.json", about.encode())
        for name in (*TABLES, "_shards", "_parts"):
            (path / name).mkdir(exist_ok=True)
        self._parts = [json.loads(file.read_text()) for file in sorted(path.glob("_parts/*.json"))]
        self._shards = {int(file.stem): file for file in path.glob("_shards/*.arrow")}
        self._drop_unnoted()
        self._bytes = 0
        self._end = self._next
        self._extend()

    def _check(self, about: str) -> None:
        manifest = self.path / "_manifest.json"
        if manifest.exists():
            check_same(str(self.path), manifest.read_text(encoding="utf-8"), about)
        elif self.path.exists() and not _is_empty(self.path):
            raise OptionError(
                f"expected {self.path} to be new, empty or a run of the local engine; it is neither"
            )

    def _drop_unnoted(self) -> None:
        """Delete files of a part that a killed run did not complete, and shards already merged."""
        for name in TABLES:
            for file in (self.path / name).glob("part-*.parquet"):
                if int(file.stem.removeprefix("part-")) >= len(self._parts):
                    file.unlink()
        for number in [number for number in self._shards if number < self._next]:
            self._shards.pop(number).unlink()

    @property
    def _next(self) -> int:
        """Number of the first shard whose rows are not in the tables yet."""
        return self._parts[-1]["end"] if self._parts else 0

    @property
    def complete(self) -> bool:
        """Whether all shards are in the tables."""
        return (self.path / "_SUCCESS").exists()

    def holds(self, number: int) -> bool:
        """Return whether shard `number` is done."""
        return number < self._next or number in self._shards

    def counts(self) -> dict[str, int]:
        """Return the numbers of summarised and of refused clusters in all finished shards."""
        total = {name: sum(part[name] for part in self._parts) for name in TABLES}
        for file in self._shards.values():
            refused = len(batch := _read(file)) - batch.column("reason").null_count
            total["quarantine"] += refused
            total["clusters"] += len(batch) - refused
        return total

    def take(self, number: int) -> None:
        """Add a shard that a worker has written; write the next part of the tables if it is due."""
        self._shards[number] = shard_file(self.path, number)
        self._extend()
        if self._bytes >= PART_BYTES:
            self._write_part()

    def seal(self) -> None:
        """Write the last part and mark the run as complete; tables without rows get a file too."""
        if self._end > self._next or not self._parts:
            self._write_part()
        write_atomically(self.path / "_SUCCESS", b"")

    def close(self) -> None:
        """Release the lock of the directory."""
        self._lock.close()

    def __enter__(self) -> RunDirectory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _extend(self) -> None:
        """Advance `_end` over finished shards, up to the first shard that is not finished."""
        while self._end in self._shards:
            self._bytes += self._shards[self._end].stat().st_size
            self._end += 1

    def _write_part(self) -> None:
        part, shards = len(self._parts), range(self._next, self._end)
        counts = _write_tables(self.path, part, (_read(self._shards[each]) for each in shards))
        noted = {"end": self._end, **counts}
        write_atomically(self.path / "_parts" / f"{part:05}.json", json.dumps(noted).encode())
        self._parts.append(noted)
        self._bytes = 0
        for each in shards:
            self._shards.pop(each).unlink()


def _is_empty(path: Path) -> bool:
    """Return whether a directory has only files that a run leaves if killed at its start."""
    if not path.is_dir():
        raise OptionError(f"expected {path} to be a directory; it is a file")
    return all(file.name == "_lock" or file.name.endswith(".tmp") for file in path.iterdir())


def shard_file(path: Path, number: int) -> Path:
    """Return the path of a shard's file."""
    return path / "_shards" / f"{number:08}.arrow"


def write_shard(path: Path, number: int, batch: Any) -> None:
    """Write the rows of a shard, with the schema NESTED, to its file."""
    buffer = pa.BufferOutputStream()
    with pa.ipc.new_file(buffer, NESTED) as writer:
        writer.write(batch)
    write_atomically(shard_file(path, number), buffer.getvalue())


def _read(file: Path) -> Any:
    with pa.OSFile(str(file)) as opened:
        return pa.ipc.open_file(opened).get_batch(0)


def _write_tables(path: Path, part: int, batches: Iterable[Any]) -> dict[str, int]:
    """Write part `part` of every table; return the number of rows of each."""
    targets = {name: path / name / f"part-{part:05}.parquet" for name in TABLES}
    temporary = {name: _temporary(target) for name, target in targets.items()}
    counts = dict.fromkeys(TABLES, 0)
    held: dict[str, list[Any]] = {name: [] for name in TABLES}
    with ExitStack() as stack:
        writers = {
            name: stack.enter_context(pq.ParquetWriter(temporary[name], schema))
            for name, schema in TABLES.items()
        }

        def flush(name: str) -> None:
            writers[name].write_table(pa.Table.from_batches(held[name], schema=TABLES[name]))
            held[name] = []

        for batch in batches:
            for name, table in split(batch).items():
                counts[name] += table.num_rows
                held[name].append(table)
                if sum(map(len, held[name])) >= _GROUP_ROWS:
                    flush(name)
        for name in TABLES:
            flush(name)
    for name, target in targets.items():
        _publish(temporary[name], target)
    return counts


def write_atomically(target: Path, data: Any) -> None:
    """Write a file so that it exists whole or not at all, even after a power failure."""
    temporary = _temporary(target)
    temporary.write_bytes(data)
    _publish(temporary, target)


def _temporary(target: Path) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}.tmp")


def _publish(temporary: Path, target: Path) -> None:
    with temporary.open("rb+") as file:
        os.fsync(file.fileno())
    temporary.replace(target)


def _locked(file: Path) -> Any:
    """Open and lock a file; the lock ends when the file is closed or this process ends."""
    held = file.open("a+")
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(held.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        held.close()
        raise OptionError(
            f"another run is at work in {file.parent}; wait for it, or give another directory"
        ) from None
    return held
