"""Frames: how the front and a worker talk over a pipe.

A frame is a small JSON head and a body of bytes, each behind its length.
"""

from __future__ import annotations

import json
import struct
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

_LENGTHS = struct.Struct("<II")


def pack(head: Any, body: bytes = b"") -> bytes:
    """Make a frame.

    Examples
    --------
    >>> len(pack({}, b"text")) - len(pack({}))
    4
    """
    packed = json.dumps(head).encode()
    return _LENGTHS.pack(len(packed), len(body)) + packed + body


async def receive(stream: asyncio.StreamReader) -> tuple[Any, bytes]:
    """Read a frame in the front; IncompleteReadError when the other side has gone."""
    head, body = _LENGTHS.unpack(await stream.readexactly(_LENGTHS.size))
    return json.loads(await stream.readexactly(head)), await stream.readexactly(body)


def read(file: IO[bytes]) -> tuple[Any, bytes] | None:
    """Read a frame in a worker; None when the front has gone."""
    lengths = file.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head, body = _LENGTHS.unpack(lengths)
    content = file.read(head + body)
    if len(content) < head + body:
        return None
    return json.loads(content[:head]), content[head:]
