"""Logs: one line of JSON per event, on the error stream, written by a thread of its own.

Events have names, numbers and ids. The text of a client is never among them.
"""

from __future__ import annotations

import json
import logging
import queue
import sys
from datetime import UTC, datetime
from logging.handlers import QueueHandler, QueueListener
from typing import Any

_LOGGER = logging.getLogger("maxcover.service")
# What uvicorn has to say; its tracebacks, which may quote a client, are left out.
_SERVER = logging.getLogger("uvicorn.error")


class _Lines(logging.Formatter):
    """Formats the event and its values as JSON."""

    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        values = getattr(record, "values", {})
        return json.dumps({"time": when, "event": record.getMessage(), **values})


def event(name: str, /, **values: Any) -> None:
    """Log an event with its values, which must be numbers, ids or words of ours."""
    _LOGGER.info(name, extra={"values": values})


def start(stream: Any = None) -> QueueListener:
    """Begin to log; a slow reader of the log then slows down nothing but the log.

    Lines that do not fit into memory any more are dropped rather than kept.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_Lines())
    waiting: queue.Queue[Any] = queue.Queue(10_000)
    for logger, level in ((_LOGGER, logging.INFO), (_SERVER, logging.WARNING)):
        logger.handlers = [_Queue(waiting)]
        logger.setLevel(level)
        logger.propagate = False
    listener = QueueListener(waiting, handler)
    listener.start()
    return listener


class _Queue(QueueHandler):
    """Hands records over as they are, and drops them when there is no room."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        return record

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Drop the record: there is nobody to tell."""
