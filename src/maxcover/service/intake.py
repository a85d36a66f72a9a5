"""Intake: bodies of requests, read within limits of size, memory and time."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from maxcover.service.answers import Answer, error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from maxcover.service.settings import Settings


class Refused(Exception):  # noqa: N818 - an answer, not a mistake
    """The body was not taken; the answer says why, and the connection is closed."""

    def __init__(self, answer: Answer, *, retry: bool = False) -> None:
        super().__init__(answer.note)
        self.answer = answer
        self.retry = retry


class Intake:
    """Counts the bytes of all bodies in memory."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.held = 0

    @asynccontextmanager
    async def body(self, request: Request) -> AsyncIterator[bytes]:
        """Give the body; it counts as held until the context ends.

        Raises
        ------
        Refused
            Not JSON, too large, too slow, or no memory left.
        """
        self._check_head(request)
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self.settings.body_seconds):
                async for chunk in request.stream():
                    size += len(chunk)
                    self.held += len(chunk)
                    chunks.append(chunk)
                    self._check_size(size)
            request.state.size = size
            yield b"".join(chunks)
        except TimeoutError:
            slow = f"the body did not arrive within {self.settings.body_seconds:g} s"
            raise Refused(error(408, "body_timeout", slow)) from None
        finally:
            self.held -= size

    def _check_head(self, request: Request) -> None:
        media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media != "application/json":
            # also keeps pages of other origins out: they cannot send JSON without asking first
            raise Refused(
                error(415, "unsupported_media_type", "expected content-type application/json")
            )
        length = request.headers.get("content-length", "")
        if length.isdecimal():
            self._check_size(int(length))

    def _check_size(self, size: int) -> None:
        if size > self.settings.body_bytes:
            most = f"expected a body of at most {self.settings.body_bytes} bytes, got more"
            raise Refused(error(413, "body_too_large", most))
        if self.held > self.settings.memory_bytes:
            raise Refused(error(429, "busy", "too much is being sent at once"), retry=True)
