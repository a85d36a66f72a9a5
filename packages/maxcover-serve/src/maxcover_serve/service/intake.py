"""Intake: bodies of requests, read within limits of size and memory."""

from __future__ import annotations

import asyncio
import re
import zlib
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect

from maxcover_serve.service.frames import Answer, error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from starlette.requests import Request

    from maxcover_serve.service.settings import Settings

#: The answer to a client that hung up: nobody gets it, but it is logged and counted.
GONE = error(499, "client_gone", "the client closed the connection")
_NAME = b'"time_limit"'
_VALUE = re.compile(rb"\s{0,9}:\s{0,9}(\d{1,9}(?:\.\d{1,18})?)")
# At most this many occurrences of "time_limit" are looked at, so that a body full of them cannot
# block the front process.
_LOOKS = 4
_GZIP = 16 + zlib.MAX_WBITS
# Bytes to decompress in one step, which takes a few milliseconds.
_PIECE = 1 << 20


class Rejected(Exception):  # noqa: N818 - an answer, not a mistake
    """The body of a request was refused; `answer` is the error to send."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.note)
        self.answer = answer


class Intake:
    """Reads request bodies, and counts the bytes that they hold in memory."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.held = 0

    @asynccontextmanager
    async def body(self, request: Request) -> AsyncIterator[bytes]:
        """Yield the decompressed body of a request; its bytes count as held until the context ends.

        Raises
        ------
        Rejected
            Not JSON, too large, no memory left, or the client hung up.
        """
        unpack = _check_head(request)
        parts: list[bytes] = []
        size = 0
        try:
            async for chunk in request.stream():
                for part in unpack(chunk):
                    size += len(part)
                    self.held += len(part)
                    parts.append(part)
                    self._check_size(size)
                    if len(part) == _PIECE:
                        await asyncio.sleep(0)  # let other requests proceed
            request.state.visit.received = size
            yield b"".join(parts)
        except ClientDisconnect:
            raise Rejected(GONE) from None
        except zlib.error:
            raise Rejected(
                error(400, "invalid_gzip", "expected one gzip stream and nothing behind it")
            ) from None
        finally:
            self.held -= size

    def _check_size(self, size: int) -> None:
        if size > self.settings.body_bytes:
            most = f"expected a body of at most {self.settings.body_bytes} bytes, got more"
            raise Rejected(error(413, "body_too_large", most))
        if self.held > self.settings.memory_bytes:
            raise Rejected(error(429, "busy", "too much is being sent at once", retry=1))


async def discard(request: Request, most: int) -> None:
    """Read the rest of a refused body: many clients send all of it before they read the answer."""
    with suppress(ClientDisconnect, RuntimeError):  # RuntimeError: nothing is left to read
        async for chunk in request.stream():
            most -= len(chunk)
            if most < 0:
                return


def _check_head(request: Request) -> _Plain | _Gzip:
    """Return what unpacks the body; refuse a body that is not JSON, or packed in another way."""
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/json":
        # The check also stops pages of other origins: browsers send JSON only after a CORS
        # preflight.
        raise Rejected(
            error(415, "unsupported_media_type", "expected content-type application/json")
        )
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"identity", "gzip"}:
        only = "expected content-encoding gzip or identity"
        raise Rejected(error(415, "unsupported_encoding", only))
    return _Gzip() if encoding == "gzip" else _Plain()


class _Plain:
    def __call__(self, chunk: bytes) -> Iterator[bytes]:
        yield chunk


class _Gzip:
    """Decompresses in pieces, so that a small body that expands to a huge one is noticed early."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP)

    def __call__(self, chunk: bytes) -> Iterator[bytes]:
        if not chunk and not self._stream.eof:  # the body ended before the gzip stream did
            raise zlib.error
        while chunk:
            if self._stream.eof:  # zlib would hold the bytes after the end, uncounted
                raise zlib.error
            yield self._stream.decompress(chunk, _PIECE)
            chunk = self._stream.unconsumed_tail or self._stream.unused_data


def time_limit_in(body: bytes) -> float | None:
    r"""Guess the `time_limit` of a request without parsing its JSON body; None if there is none.

    The queue uses the guess. It can be wrong: a nested object can have the same name, and the name
    can be written with escapes. The worker parses the body and applies the true limit.

    Examples
    --------
    >>> time_limit_in(b'{"budget": 5, "time_limit": 0.25}')
    0.25
    >>> time_limit_in(b'{"documents": ["The \\"time_limit\\": 3."]}') is None
    True
    """
    found, at = [], -1
    for _ in range(_LOOKS):
        at = body.find(_NAME, at + 1)
        if at < 0:
            break
        number = _VALUE.match(body, at + len(_NAME))
        if number:
            found.append(float(number[1]))
    return max(found, default=None)
