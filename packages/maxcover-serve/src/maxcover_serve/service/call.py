"""Call: one request in a worker, its time, its limits, and its body as JSON. No HTTP in here."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from maxcover.engine.core.verify import parse_json
from maxcover.ground.calls import CALLS
from maxcover.texts import split_sentences
from maxcover.texts.words.detect import detect

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from maxcover.engine.solvers.control import Progress
    from maxcover_serve.service.settings import Settings


# A request is interrupted this many seconds after its time limit.
LATE = 0.05
# Time that the solver has to leave unused. For steps that cannot be interrupted: _PART of the time
# left, at most _MOST seconds. For writing the answer: _BYTE seconds per byte of the body.
_PART, _MOST = 0.25, 0.25
_BYTE = 5e-8


# JSON lists and objects that a request may hold in addition to its sets.
_FREE_LISTS = 1_000
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


class TooLarge(Exception):  # noqa: N818 - an answer, not a mistake
    """The request exceeds a limit of the service."""


@dataclass(frozen=True)
class Call:
    """One request: its body, the output format, when it arrived, and the service's settings.

    `arrived` is a time of this process's `time.perf_counter`. `alarm` is called with the seconds
    after which the request is to be interrupted. `task` is the name of the call; it is set once the
    body was read.
    """

    body: bytes
    format: str
    arrived: float
    settings: Settings
    alarm: Callable[[float], None] = lambda seconds: None
    task: str = ""

    def left(self, seconds: float) -> float:
        """Return the seconds left until `seconds` after arrival; at least 0."""
        longest = min(seconds, self.settings.max_seconds)
        return max(0.0, longest - time.perf_counter() + self.arrived)

    @property
    def is_question(self) -> bool:
        """Whether the call makes several searches, and ends them by itself when time is over."""
        return "time_limit" in CALLS[self.task] and "callback" not in CALLS[self.task]

    def limit(self, seconds: float | None) -> None:
        """Have the request interrupted `seconds` after arrival; None means after `max_seconds`.

        A question is interrupted after `max_seconds` only: between its searches an interrupt would
        lose what it has.
        """
        limit = self.settings.max_seconds if seconds is None or self.is_question else seconds
        if limit + LATE < time.perf_counter() - self.arrived:
            raise KeyboardInterrupt
        self.alarm(self.left(limit) + LATE)

    def options(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return keyword arguments for the call: the request's options, and those that limit time.

        Time counts from arrival. If the request has a time limit, the solver uses most of what is
        left of it. If not, the solver stops by itself, at the latest after the service's limit.
        """
        known, seconds = CALLS[self.task], request.get("time_limit")
        found = {name: own for name, own in request.items() if name in known}
        limit = self.settings.seconds if seconds is None else seconds
        if "checkable" in known:
            found["checkable"] = request.get("proof", False)
        if "time_limit" in known:
            longest = (1 - _PART) * self.settings.max_seconds if self.is_question else limit
            found["time_limit"] = self.left(min(limit, longest))
        if "callback" not in known:
            return found
        if seconds is not None:
            reserve = min(_PART * self.left(limit), _MOST) + _BYTE * len(self.body)
            found["time_limit"] = max(0.0, self.left(limit) - reserve)
        elif request.get("method") != "exact":

            def stop(_: Progress) -> bool:
                return not self.left(limit)

            found |= {"time_limit": None, "callback": stop}
        return found

    def check_body(self) -> None:
        """Refuse a body with more lists and objects than any valid request, before it is parsed.

        An empty list takes three bytes in a body and 80 in memory.
        """
        most = _FREE_LISTS + self.settings.edges // 2
        count = _count_lists(self.body)
        if count > most:  # brackets may be inside texts: these do not count
            count -= sum(_count_lists(found[0]) for found in _STRING.finditer(self.body))
        if count > most:
            raise TooLarge(f"expected at most {most} lists and objects, got more")

    def check_count(self, count: int, what: str) -> None:
        """Raise TooLarge if `count` exceeds the setting with the name `what`."""
        most = getattr(self.settings, what)
        if count > most:
            raise TooLarge(f"expected at most {most} {what}, got {count}")

    def check_texts(
        self, texts: Sequence[str], language: str = "english", lines: str = "auto"
    ) -> None:
        """Refuse more texts or sentences than the settings allow, before they are analysed."""
        self.check_count(len(texts), "documents")
        # a sentence has at least two characters, so short texts need no counting of sentences
        if sum(map(len, texts)) <= 2 * self.settings.sentences:
            return
        total = 0
        language = detect(texts).language.name if language == "auto" else language
        for text in texts:
            total += len(split_sentences(text, language, lines=lines))  # type: ignore[arg-type]
            if total > self.settings.sentences:
                raise TooLarge(f"expected at most {self.settings.sentences} sentences, got more")

    def check_edges(self, count: int) -> None:
        """Refuse a problem with more edges than the settings allow."""
        self.check_count(count, "edges")


def _count_lists(body: bytes) -> int:
    return body.count(b"[") + body.count(b"{")


# Largest number of names in the top-level object. No valid request has more; without the limit,
# each unknown name would be reported as an error.
_MOST_NAMES = 100
# Options that are lists of texts. The number of texts is checked before the texts themselves.
_TEXTS = ("documents", "passages", "known", "names", "files")
# With more colons than this, strings are not cached: so many names are mostly distinct, and looking
# each up takes longer than making it anew.
_MANY_NAMES = 100_000


class NotJson(Exception):  # noqa: N818 - an answer, not a mistake
    """The body of a request is not valid JSON."""


def read_body(call: Call) -> Any:
    """Check the size of a request's body and parse it as JSON; refuse duplicate names."""
    call.check_body()
    try:
        names = call.body.count(b":")
        content = from_json(
            call.body, allow_inf_nan=False, cache_strings="none" if names > _MANY_NAMES else "all"
        )
        # colons outnumber names if a name occurs twice or a text has a colon: parse_json tells
        if names != _count_names(content):
            parse_json(call.body)
    except ValueError as broken:
        raise NotJson(str(broken)) from None
    if isinstance(content, dict) and len(content) > _MOST_NAMES:
        raise TooLarge(f"expected at most {_MOST_NAMES} names in a request, got {len(content)}")
    for name in _TEXTS:
        given = content.get(name) if isinstance(content, dict) else None
        call.check_count(len(given) if isinstance(given, list | dict) else 1, "documents")
    return content


def _count_names(content: Any) -> int:
    """Count the names in all JSON objects of `content`, nested objects included."""
    total, rest = 0, [content]
    while rest:
        here = rest.pop()
        inside = here
        if isinstance(here, dict):
            total += len(here)
            inside = here.values()
        if isinstance(here, dict | list):
            rest += [one for one in inside if isinstance(one, dict | list)]
    return total
