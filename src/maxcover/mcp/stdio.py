"""Stdio: malformed lines on standard input are answered with an error, as JSON-RPC asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

if TYPE_CHECKING:
    from types import TracebackType


class Answering:
    """A stream of messages that answers malformed lines with an error, and drops them.

    The package mcp passes on an exception for a malformed line, and its sender gets no answer.

    Parameters
    ----------
    messages, answers
        The two streams of ``stdio_server``.
    """

    def __init__(self, messages: Any, answers: Any) -> None:
        self._messages, self._answers = messages, answers

    def __getattr__(self, name: str) -> Any:
        """Return any other attribute from the wrapped stream of messages."""
        return getattr(self._messages, name)

    async def receive(self) -> Any:
        """Return the next valid message; answer malformed lines before it."""
        while isinstance(item := await self._messages.receive(), Exception):
            if (error := explain(item)) is not None:
                answer = JSONRPCError(jsonrpc="2.0", id=None, error=error)
                await self._answers.send(SessionMessage(answer))
        return item

    def __aiter__(self) -> Answering:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Answering:
        await self._messages.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._messages.__aexit__(kind, error, trace)


def explain(error: Exception) -> ErrorData | None:
    """Return the JSON-RPC error for a malformed line; None for a blank line, which is ignored."""
    faults = error.errors(include_url=False) if isinstance(error, ValidationError) else []
    if faults and faults[0]["type"] == "json_invalid":
        if not str(faults[0]["input"]).strip():
            return None
        said = f"expected one JSON object per line: {faults[0]['msg']}"
        return ErrorData(code=PARSE_ERROR, message=said)
    said = 'expected a JSON-RPC 2.0 message: {"jsonrpc": "2.0", "id": ..., "method": ...}'
    return ErrorData(code=INVALID_REQUEST, message=said)
