"""Intake: bodies of requests, read within limits of size and memory."""

from __future__ import annotations

import re
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect

from maxcover_serve.service.frames import Answer, error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from maxcover_serve.service.settings import Settings

#: The answer to a client that hung up: nobody gets it, but it is logged and counted.
GONE = error(499, "client_gone", "the client closed the connection")
_NAME = b'"time_limit"'
_VALUE = re.compile(rb"\s{0,9}:\s{0,9}(\d{1,9}(?:\.\d{1,18})?)")
# At most this many occurrences of "time_limit" are looked at, so that a body full of them cannot
# block the front process.
_LOOKS = 4


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
        """Yield the body of a request; its bytes count as held until the context ends.

        Raises
        ------
        Rejected
            Not JSON, too large, no memory left, or the client hung up.
        """
        _check_head(request)
        parts: list[bytes] = []
        size = 0
        try:
            async for chunk in request.stream():
                size += len(chunk)
                self.held += len(chunk)
                parts.append(chunk)
                self._check_size(size)
            request.state.visit.received = size
            yield b"".join(parts)
        except ClientDisconnect:
            raise Rejected(GONE) from None
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


def _check_head(request: Request) -> None:
    """Refuse a body that is not JSON, or that is packed."""
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/json":
        # The check also stops pages of other origins: browsers send JSON only after a CORS
        # preflight.
        raise Rejected(
            error(415, "unsupported_media_type", "expected content-type application/json")
        )
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        plain = "expected a body without content-encoding; send it as it is"
        raise Rejected(error(415, "unsupported_encoding", plain))


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
