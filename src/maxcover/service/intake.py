"""Intake: bodies of requests, read within limits of size, memory and time."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections import Counter
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect

from maxcover.service.frames import Answer, error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from starlette.requests import Request

    from maxcover.service.clients import Caller
    from maxcover.service.settings import Settings

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
    """Reads request bodies, and counts the bytes they hold in memory, in total and per client."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.held = 0
        self.held_by: Counter[str] = Counter()

    @asynccontextmanager
    async def body(self, request: Request, client: Caller) -> AsyncIterator[bytes]:
        """Yield the decompressed body of a request; its bytes count as held until the context ends.

        Raises
        ------
        Rejected
            Not JSON, too large, too slow, no memory left, or the client hung up.
        """
        unpack = self._check_head(request, client)
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self.settings.body_seconds):
                async for chunk in request.stream():
                    for part in unpack(chunk):
                        size += len(part)
                        self.held += len(part)
                        self.held_by[client.name] += len(part)
                        parts.append(part)
                        self._check_size(size, client)
                        if len(part) == _PIECE:
                            await asyncio.sleep(0)  # let other requests proceed
            request.state.visit.received = size
            yield b"".join(parts)
        except TimeoutError:
            slow = f"the body did not arrive within {self.settings.body_seconds:g} s"
            raise Rejected(error(408, "body_timeout", slow)) from None
        except ClientDisconnect:
            raise Rejected(GONE) from None
        except zlib.error:
            raise Rejected(
                error(400, "invalid_gzip", "expected one gzip stream and nothing behind it")
            ) from None
        finally:
            self.held -= size
            self.held_by[client.name] -= size
            if not self.held_by[client.name]:
                del self.held_by[client.name]

    def _check_head(self, request: Request, client: Caller) -> _Plain | _Gzip:
        media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media != "application/json":
            # The check also stops pages of other origins: browsers send JSON only after a CORS
            # preflight.
            raise Rejected(
                error(415, "unsupported_media_type", "expected content-type application/json")
            )
        length = request.headers.get("content-length", "")
        if length.isdecimal():
            self._check_size(int(length), client)
        encoding = request.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in {"identity", "gzip"}:
            only = "expected content-encoding gzip or identity"
            raise Rejected(error(415, "unsupported_encoding", only))
        return _Gzip() if encoding == "gzip" else _Plain()

    def _check_size(self, size: int, client: Caller) -> None:
        if size > client.body_bytes:
            most = f"expected a body of at most {client.body_bytes} bytes, got more"
            raise Rejected(error(413, "body_too_large", most))
        if self.held_by[client.name] > self.settings.client_bytes:
            raise Rejected(error(429, "busy", "you are sending too much at once", retry=1))
        if self.held > self.settings.memory_bytes:
            raise Rejected(error(429, "busy", "too much is being sent at once", retry=1))


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
