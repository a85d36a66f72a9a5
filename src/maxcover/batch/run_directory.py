"""The directory of a run: a manifest, tables in shards, and a marker for every shard that is done.

::

    out/_run.json                         what is being done; a second run must be told the same
    out/clusters/part-00000042.parquet    the tables, a file a shard
    out/sentences/part-00000042.parquet
    out/quarantine/part-00000042.parquet  only where something was refused
    out/_done/00000042.json               shard 42 is complete: written last
    out/_SUCCESS                          all shards are complete

A file appears under its name only when it is whole. A part without a marker is written again, in
place, so a run may be killed at any moment: what it finished stays, nothing is lost or doubled.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from maxcover.batch.tables import TABLES
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

_FORMAT = 1


class RunDirectory:
    """Where the results of a run lie.

    Raises
    ------
    OptionError
        The directory holds another run (other input, options or limits), or something else.
    """

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self.path = path
        manifest = path / "_run.json"
        # through JSON and back, so that tuples and lists compare equal
        about = json.loads(json.dumps({"format": _FORMAT, **about}))
        if manifest.exists():
            found = json.loads(manifest.read_text(encoding="utf-8"))
            if found != about:
                differs = [name for name in about if found.get(name) != about[name]]
                raise OptionError(
                    f"{path} holds a run that differs in {', '.join(differs) or 'its format'}; "
                    "repeat that one, or give another directory"
                )
        elif path.exists() and any(path.iterdir()):
            raise OptionError(f"expected {path} to be new, empty or a run of batch; it is neither")
        for name in (*TABLES, "_done"):
            (path / name).mkdir(parents=True, exist_ok=True)
        for leftover in path.glob("*/.*.tmp"):
            leftover.unlink(missing_ok=True)
        if not manifest.exists():
            write_atomically(manifest, json.dumps(about, indent=1).encode())

    def finished(self) -> dict[int, dict[str, int]]:
        """Return the counts of every shard that is complete."""
        markers = sorted((self.path / "_done").glob("*.json"))
        return {int(marker.stem): json.loads(marker.read_text()) for marker in markers}

    def seal(self) -> None:
        """Say that all shards are complete."""
        write_atomically(self.path / "_SUCCESS", b"")


def write_shard(path: Path, number: int, tables: dict[str, pa.Table]) -> dict[str, int]:
    """Write the tables of a shard and then its marker; return how many rows each table has."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    counts = {name: table.num_rows for name, table in tables.items()}
    for name, table in tables.items():
        target = path / name / f"part-{number:08}.parquet"
        if table.num_rows:
            buffer = pa.BufferOutputStream()
            pq.write_table(table, buffer)
            write_atomically(target, buffer.getvalue())
        else:
            target.unlink(missing_ok=True)
    write_atomically(path / "_done" / f"{number:08}.json", json.dumps(counts).encode())
    return counts


def write_atomically(target: Path, data: Any) -> None:
    """Write a file that is there whole or not at all, also after a loss of power."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(target)
