"""Answers: what goes back to a client, errors included. Both kinds of process make them."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

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
    """What to send.

    Attributes
    ----------
    status : int
    media : str
        The media type.
    body : bytes
    note : str
        For the log alone; never holds text of a client.
    policy : str
        The content-security policy, where it is not that of every answer of the API.
    """

    status: int
    media: str
    body: bytes
    note: str = ""
    policy: str = ""


def error(status: int, code: str, message: str, *, note: str = "", **details: Any) -> Answer:
    """Make an error answer: ``{"error": {"code": ..., "message": ...}}``."""
    content = {"error": {"code": code, "message": message, **details}}
    return Answer(status, JSON, json.dumps(content).encode(), note or code)
