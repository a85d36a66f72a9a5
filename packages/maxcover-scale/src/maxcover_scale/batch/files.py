"""Files: finds and opens input: a file, a directory, a glob or a URL, plain or compressed.

File systems are pyarrow's: local disk, S3, Google Cloud, Azure, HDFS.
"""

from __future__ import annotations

import hashlib
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from pyarrow import fs

from maxcover.errors import FileFormatError
from maxcover.ground.files.globs import compile_glob, matches
from maxcover.ground.files.listing import WITHOUT_LIMITS, list_files

if TYPE_CHECKING:
    from os import PathLike

ENDINGS = {".parquet": "parquet", ".jsonl": "lines", ".ndjson": "lines"}
CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
_WILD = re.compile(r"[*?\[]")
_CHUNK = 1 << 20


class File(NamedTuple):
    """An input file: its name for messages, its path in its file system, its size in bytes."""

    name: str
    path: str
    size: int


@dataclass(frozen=True)
class Files:
    """Input files of one kind in one file system, sorted by path."""

    kind: str
    files: list[File]
    system: Any

    def open(self, file: File) -> Any:
        """Open a file for random access."""
        return self.system.open_input_file(file.path)

    def lines(self, file: File, tap: Tap) -> io.BufferedReader:
        """Open a file of lines, decompressed; `tap` sees the bytes before decompression."""
        tap.source = self.system.open_input_stream(file.path, compression=None)
        stream = pa.PythonFile(tap, mode="r")
        codec = CODECS.get(_endings(file.path)[-1])
        if codec is not None:
            stream = pa.CompressedInputStream(stream, codec)
        return io.BufferedReader(stream, _CHUNK)

    def digest(self) -> hashlib._Hash:
        """Return a SHA-256 of the sizes and contents of all files, in their order."""
        digest = hashlib.sha256()
        for file in self.files:
            digest.update(f"{file.size}:".encode())
            with self.system.open_input_stream(file.path, compression=None) as stream:
                while data := stream.read(_CHUNK):
                    digest.update(data)
        return digest


class Tap:
    """A stream that counts the bytes read from `source` and adds them to `digest`, if given."""

    def __init__(self, digest: hashlib._Hash | None = None) -> None:
        self.source: Any = None
        self.digest = digest
        self.passed = 0

    closed = False

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes from the source; all of them if `size` is negative."""
        data: bytes = self.source.read(size if size >= 0 else None)
        self.passed += len(data)
        if self.digest is not None:
            self.digest.update(data)
        return data

    def close(self) -> None:
        """Close the source."""
        self.source.close()


def find_files(source: str | PathLike[str]) -> Files:
    """Find the input files that a path, a glob or a URL stands for.

    In a directory, and behind a glob, names that begin with ``_`` or ``.`` are passed over, as
    Spark and Hadoop do: they belong to unfinished writers, such as ``_temporary``.

    Raises
    ------
    FileFormatError
        There is nothing, nothing that can be read, or files of several kinds.
    """
    given = str(source)
    system, prefix, found = _matches(given)
    kept = [
        File(prefix + each.path.lstrip("/"), each.path, each.size or 0)
        for each in sorted(found, key=lambda each: each.path)
        if _kind(each.path)
    ]
    kinds = {_kind(file.path) for file in kept}
    if len(kinds) != 1:
        raise FileFormatError(
            f"{given}: expected {', '.join(ENDINGS)} (lines also with {', '.join(CODECS)}), or a "
            f"directory or a glob of one of these kinds; found {'several' if kinds else 'none'} "
            "(what is hidden, ignored or a link is passed over unless it is named)"
        )
    return Files(str(kinds.pop()), kept, system)


def _matches(given: str) -> tuple[Any, str, list[Any]]:
    """Return the file system, the prefix that its paths have in messages, and the files found."""
    wild = _WILD.search(given)
    if not wild or "://" not in given:
        system, path, prefix = _file_system(given)
        try:
            found = system.get_file_info(path)
        except OSError as error:
            raise FileFormatError(f"{given}: cannot be reached: {error}") from error
        if found.type == fs.FileType.File:
            return system, prefix, [found]
        if found.type == fs.FileType.Directory:
            return system, prefix, _below(system, path)
        if not wild:
            raise FileFormatError(f"{given}: no such file or directory")
    folder = given[: given.rfind("/", 0, wild.start()) + 1]
    system, path, prefix = _file_system(folder or ".")
    glob = compile_glob(given[len(folder) :])
    skip = len(path.rstrip("/")) + 1
    below = _below(system, path)
    return system, prefix, [one for one in below if matches(glob, one.path[skip:].split("/"))]


def _below(system: Any, path: str) -> list[Any]:
    """Return the files below a directory, without names that begin with ``_`` or ``.``."""
    start = len(path.rstrip("/")) + 1
    if not isinstance(system, fs.LocalFileSystem):
        found = system.get_file_info(fs.FileSelector(path, recursive=True, allow_not_found=True))
    elif Path(path).is_dir():
        # `list_files` replaces pyarrow's listing, which follows symbolic links, even in circles.
        listed = list_files(path, limits=WITHOUT_LIMITS).files
        found = system.get_file_info([f"{path[: start - 1]}/{file.path}" for file in listed])
    else:
        found = []
    return [
        each
        for each in found
        if each.type == fs.FileType.File
        and not any(part.startswith(("_", ".")) for part in each.path[start:].split("/"))
    ]


def _file_system(given: str) -> tuple[Any, str, str]:
    """Return a file system, the path of `given` in it, and the prefix of paths in messages."""
    if "://" not in given:
        path = Path(given).expanduser().absolute().as_posix()
        return fs.LocalFileSystem(), path, "/" if path.startswith("/") else ""
    scheme = given.partition("://")[0]
    try:
        system, path = fs.FileSystem.from_uri(given)
    except (pa.ArrowException, ValueError, OSError) as error:
        raise FileFormatError(
            f"{given}: pyarrow does not open it ({error}); download it, or give what another "
            "library reads, such as duckdb.read_parquet(url)"
        ) from error
    stem = path.strip("/")
    place = given.find(stem) if stem else -1
    prefix = given[:place] if place >= 0 else f"{scheme}://"
    return system, path, "/" if scheme == "file" else prefix


def _endings(path: str) -> list[str]:
    return Path(path).suffixes or [""]


def _kind(path: str) -> str | None:
    endings = _endings(path)
    if endings[-1] in CODECS and len(endings) > 1:
        kind = ENDINGS.get(endings[-2])
        return kind if kind == "lines" else None
    return ENDINGS.get(endings[-1])
