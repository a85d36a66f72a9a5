"""Run directory: the manifest, the lock and the tables of a local run.

::

    out/_manifest.json                  input, options and version; a second call must have the same
    out/_lock                           held by the run that is at work
    out/sentences/part-00000042.parquet   the rows of shard 42
    out/quarantine/part-00000042.parquet
    out/clusters/part-00000042.parquet  written last of the three: shard 42 is done
    out/_SUCCESS                        all shards are done

A file appears under its name only when it is whole, and a shard that is not done is written again.
So a run may be killed at any moment: what it finished stays, nothing is lost or doubled.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from maxcover.errors import OptionError
from maxcover_scale.batch.manifest import check_same
from maxcover_scale.batch.result_tables import TABLES, nested_batch, split

if TYPE_CHECKING:
    from pathlib import Path


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
        for name in TABLES:
            (path / name).mkdir(exist_ok=True)
        self._done = {int(file.stem[5:]) for file in path.glob("clusters/part-*.parquet")}

    def _check(self, about: str) -> None:
        manifest = self.path / "_manifest.json"
        if manifest.exists():
            check_same(str(self.path), manifest.read_text(encoding="utf-8"), about)
        elif self.path.exists() and not _is_empty(self.path):
            raise OptionError(
                f"expected {self.path} to be new, empty or a run of the local engine; it is neither"
            )

    @property
    def complete(self) -> bool:
        """Whether all shards are done."""
        return (self.path / "_SUCCESS").exists()

    def holds(self, number: int) -> bool:
        """Return whether an earlier run has done shard `number`."""
        return number in self._done

    def counts(self) -> dict[str, int]:
        """Return the rows that earlier runs have written, by table."""
        return {
            name: sum(
                pq.read_metadata(_table_file(self.path, name, number)).num_rows
                for number in self._done
            )
            for name in TABLES
        }

    def seal(self) -> None:
        """Mark the run as complete; tables without rows get a file too."""
        if not any(self.path.glob("clusters/*.parquet")):
            write_shard(self.path, 0, nested_batch([]))
        write_atomically(self.path / "_SUCCESS", b"")

    def close(self) -> None:
        """Release the lock of the directory."""
        self._lock.close()

    def __enter__(self) -> RunDirectory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _is_empty(path: Path) -> bool:
    """Return whether a directory has only files that a run leaves if killed at its start."""
    if not path.is_dir():
        raise OptionError(f"expected {path} to be a directory; it is a file")
    return all(file.name == "_lock" or file.name.endswith(".tmp") for file in path.iterdir())


def write_shard(path: Path, number: int, batch: Any) -> None:
    """Write the rows of a shard, with the schema NESTED, to the tables; last of all to clusters."""
    tables = split(batch)
    for name in sorted(tables, reverse=True):
        buffer = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_batches([tables[name]]), buffer)
        write_atomically(_table_file(path, name, number), buffer.getvalue())


def _table_file(path: Path, name: str, number: int) -> Path:
    return path / name / f"part-{number:08}.parquet"


def write_atomically(target: Path, data: Any) -> None:
    """Write a file so that it exists whole or not at all, even after a power failure."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
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
