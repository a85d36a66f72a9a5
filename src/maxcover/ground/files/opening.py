"""Opening: open regular files only, even if a path was replaced after it was checked."""

from __future__ import annotations

import errno
import json
import os
import stat
from typing import TYPE_CHECKING, Any, BinaryIO

from maxcover.errors import FileFormatError, OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a link",
}
# Flags for opening a file. O_NONBLOCK: do not wait for a pipe. O_NOCTTY: do not take over a
# terminal. Windows has only O_BINARY.
_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def kind_of_mode(mode: int) -> str:
    """Name the kind of a file that is not a regular file, by its mode: "a pipe" and so on."""
    return _KINDS.get(stat.S_IFMT(mode), "no regular file")


def open_file(path: str | os.PathLike[str], *, follow: bool = True) -> BinaryIO:
    """Open a regular file for reading.

    With `follow`, a link is followed: whoever names a link means its target. Links that were found
    in a folder should not be followed, because another program may have put them there in the
    meantime.

    Raises
    ------
    OptionError
        The path is a pipe, a socket or a device: reading it could wait without end.
    OSError
        It cannot be opened.
    """
    _check_regular(os.stat(path, follow_symlinks=follow).st_mode, path)
    return _opened(os.open(path, _FLAGS | (0 if follow else _NO_LINK)), path)


def open_below(root: Path, path: str) -> BinaryIO:
    """Open a regular file below a folder, without following any link on the way.

    On Windows, which cannot open relative to a folder, only the file itself may be no link.

    Raises
    ------
    OptionError
        It is a pipe, a socket or a device.
    OSError
        It cannot be opened.
    """
    if os.open not in os.supports_dir_fd:
        return open_file(root / path, follow=False)
    *folders, name = path.split("/")
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for folder in folders:
            inside = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = inside
        return _opened(os.open(name, _FLAGS | _NO_LINK, dir_fd=here), path)
    finally:
        os.close(here)


def _opened(descriptor: int, path: str | os.PathLike[str]) -> BinaryIO:
    try:
        _check_regular(os.fstat(descriptor).st_mode, path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check_regular(mode: int, path: str | os.PathLike[str]) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(mode):
        raise OptionError(
            f"expected a regular file, got {kind_of_mode(mode)}: {os.fspath(path)!r}; save what it "
            "gives, or pipe it into standard input"
        )


def read_json_lines(lines: Iterable[bytes], name: str) -> Iterator[tuple[str, Any]]:
    """Yield the place, "NAME, line 1", and the value of each line of JSON that is not blank.

    Raises
    ------
    FileFormatError
        A line is not UTF-8 or not JSON; the message begins with its place.
    """
    for number, line in enumerate(lines, start=1):
        if line.strip():
            where = f"{name}, line {number}"
            try:
                yield where, json.loads(line.decode("utf-8-sig"))
            except UnicodeDecodeError as error:
                raise FileFormatError(f"{where}: expected UTF-8 text ({error})") from None
            except (json.JSONDecodeError, RecursionError) as error:
                raise FileFormatError(
                    f"{where}: expected a JSON object or text ({error})"
                ) from None
