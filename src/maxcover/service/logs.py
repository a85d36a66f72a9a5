"""Logs: one line of JSON per event, on the error stream, written by a thread of its own.

Events have names, numbers and ids. The text of a client is never among them. `logging` would make
the record of a request as dear as its refusal, so it is used only for what the server says.
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

# Events that may wait to be written; a slow reader of the log slows down nothing but the log.
_MOST = 10_000
_waiting: SimpleQueue[tuple[float, str, dict[str, Any]] | None] = SimpleQueue()


def event(name: str, /, **values: Any) -> None:
    """Log an event with its values, which must be numbers, ids or words of ours.

    Events that do not fit into memory any more are dropped rather than kept.
    """
    if _waiting.qsize() < _MOST:
        _waiting.put((time.time(), name, values))


class Writer(threading.Thread):
    """Writes what was logged, as much at a time as there is."""

    def __init__(self, stream: Any = None) -> None:
        super().__init__(name="log", daemon=True)
        self.stream = stream or sys.stderr
        server = logging.getLogger("uvicorn.error")
        server.handlers, server.propagate = [_FromServer()], False
        server.setLevel(logging.WARNING)

    def run(self) -> None:
        """Write until `stop` is called and all is written."""
        ends = False
        while not ends:
            events = [_waiting.get()]
            events += [_waiting.get() for _ in range(_waiting.qsize())]
            ends = None in events
            lines = "".join(_line(*found) for found in events if found is not None)
            with suppress(OSError, ValueError):  # the reader has gone: there is nobody to tell
                self.stream.write(lines)
                self.stream.flush()

    def stop(self) -> None:
        """Write what is left, and end."""
        _waiting.put(None)
        self.join()


def _line(seconds: float, name: str, values: dict[str, Any]) -> str:
    when = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return json.dumps({"time": when, "event": name, **values}) + "\n"


class _FromServer(logging.Handler):
    """Takes what uvicorn has to say; its tracebacks, which may quote a client, are left out."""

    def emit(self, record: logging.LogRecord) -> None:
        event(record.getMessage())
