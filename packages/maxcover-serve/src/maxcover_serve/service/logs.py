"""Logs: one line of JSON per event, on the error stream, written by a thread of its own.

Events have names, numbers and ids. The text of a client is never among them. The module `logging`
is used only for messages of the server: for a refused request it would take as long as the refusal
itself.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from queue import SimpleQueue
from typing import Any

# Events that may wait to be written. More are dropped, so a slow reader cannot slow the service.
_MOST = 10_000
_waiting: SimpleQueue[tuple[float, str, dict[str, Any]] | None] = SimpleQueue()


def event(name: str, /, **values: Any) -> None:
    """Log an event; `values` must be numbers, ids or fixed words, never text of a client.

    The event is dropped if `_MOST` events already wait to be written.
    """
    if _waiting.qsize() < _MOST:
        _waiting.put((time.time(), name, values))


class Writer(threading.Thread):
    """A thread that writes the logged events to `stream` in batches."""

    def __init__(self, stream: Any = None) -> None:
        super().__init__(name="log", daemon=True)
        self.stream = stream or sys.stderr
        server = logging.getLogger("uvicorn.error")
        server.handlers, server.propagate = [_FromServer()], False
        server.setLevel(logging.WARNING)

    def run(self) -> None:
        """Write events until `stop` is called and all earlier events are written."""
        ends = False
        while not ends:
            events = [_waiting.get()]
            events += [_waiting.get() for _ in range(_waiting.qsize())]
            ends = None in events
            lines = "".join(_line(*found) for found in events if found is not None)
            with suppress(OSError, ValueError):  # the reader has gone: nobody would see an error
                self.stream.write(lines)
                self.stream.flush()

    def stop(self) -> None:
        """Write the events that still wait, and end the thread."""
        _waiting.put(None)
        self.join()


def _line(seconds: float, name: str, values: dict[str, Any]) -> str:
    when = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return json.dumps({"time": when, "event": name, **values}) + "\n"


class _FromServer(logging.Handler):
    """Logs uvicorn's warnings as events, without tracebacks, which may quote a client's text."""

    def emit(self, record: logging.LogRecord) -> None:
        event(record.getMessage())
