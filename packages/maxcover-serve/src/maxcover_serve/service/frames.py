"""Frames: answers, and how the front and a worker pass tasks and answers over a pipe.

A frame is a small JSON head and a body of bytes, each preceded by its length.
"""

from __future__ import annotations

import json
import struct
from typing import IO, TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import asyncio

_LENGTHS = struct.Struct("<II")

JSON = "application/json"
# The media type of each format of a summary.
MEDIA = {
    "json": JSON,
    "jsonl": "application/x-ndjson",
    "markdown": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "text": "text/plain; charset=utf-8",
}


class Answer(NamedTuple):
    """An HTTP answer or error to send to a client, made by the front process or by a worker.

    Attributes
    ----------
    status : int
    media : str
        The media type.
    body : bytes
    note : str
        For the log alone; never holds text of a client.
    policy : str
        The content-security policy; empty for the policy of all API answers.
    retry : int
        Seconds in the Retry-After header; 0 for no header.
    """

    status: int
    media: str
    body: bytes
    note: str = ""
    policy: str = ""
    retry: int = 0


def error(status: int, code: str, message: str, *, note: str = "", retry: int = 0) -> Answer:
    """Make an error answer: ``{"error": {"code": ..., "message": ...}}``."""
    content = {"error": {"code": code, "message": message}}
    return Answer(status, JSON, json.dumps(content).encode(), note or code, retry=retry)


def pack(head: Any, body: bytes = b"") -> bytes:
    """Return the bytes of a frame: the lengths of head and body, the head as JSON, the body.

    Examples
    --------
    >>> len(pack({}, b"text")) - len(pack({}))
    4
    """
    packed = json.dumps(head).encode()
    return _LENGTHS.pack(len(packed), len(body)) + packed + body


async def receive(stream: asyncio.StreamReader) -> tuple[Any, bytes]:
    """Read a frame in the front process; raise IncompleteReadError if the worker has gone."""
    head, body = _LENGTHS.unpack(await stream.readexactly(_LENGTHS.size))
    return json.loads(await stream.readexactly(head)), await stream.readexactly(body)


def read(file: IO[bytes]) -> tuple[Any, bytes] | None:
    """Read a frame in a worker; return None if the front process has gone."""
    lengths = file.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head, body = _LENGTHS.unpack(lengths)
    content = file.read(head + body)
    if len(content) < head + body:
        return None
    return json.loads(content[:head]), content[head:]
