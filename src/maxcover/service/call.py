"""Call: one request in a worker, its time and its limits. No HTTP in here."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import maxcover as mc
from maxcover.service.schemas import _Sets
from maxcover.text import split_sentences
from maxcover.text.words.detect import detect

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maxcover.service.schemas import Limited, _Texts
    from maxcover.service.settings import Settings
    from maxcover.solvers.control import Progress


# Seconds after the time limit at which a request is given up.
LATE = 0.05
# What a solver leaves of the time: for steps that it cannot interrupt, a part of the time up to so
# many seconds; for making the answer, so many seconds for each byte of the body.
_PART, _MOST = 0.25, 0.25
_BYTE = 5e-8


# Lists and objects that a request may hold besides its sets.
_FREE_LISTS = 1_000
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


class TooLarge(Exception):  # noqa: N818 - an answer, not a mistake
    """The request is above a limit of the service."""


@dataclass(frozen=True)
class Call:
    """One request: its body, the format that was asked for, when it arrived, and the limits.

    The time of arrival is on the clock of `time.perf_counter` of this process. `alarm` is called
    with the seconds after which the request is to be interrupted.
    """

    body: bytes
    format: str
    arrived: float
    settings: Settings
    alarm: Callable[[float], None] = lambda seconds: None

    def left(self, seconds: float) -> float:
        """Return what is left of so many seconds from arrival."""
        longest = min(seconds, self.settings.max_seconds)
        return max(0.0, longest - time.perf_counter() + self.arrived)

    def limit(self, request: Limited) -> None:
        """Have the request interrupted when its time is over."""
        limit = self.settings.max_seconds if request.time_limit is None else request.time_limit
        if limit + LATE < time.perf_counter() - self.arrived:
            raise KeyboardInterrupt
        self.alarm(self.left(limit) + LATE)

    def search(self, request: Limited, method: str = "auto") -> dict[str, Any]:
        """Return the options that make a solver keep the time limit, counted from arrival.

        With a time limit the solver uses most of what is left of it. Without one it stops by
        itself, and is only held to the service's own limit.
        """
        if request.time_limit is not None:
            left = self.left(request.time_limit)
            reserve = min(_PART * left, _MOST) + _BYTE * len(self.body)
            return {"time_limit": max(0.0, left - reserve)}
        if method == "exact":
            return {"time_limit": self.left(self.settings.seconds)}

        def stop(_: Progress) -> bool:
            return not self.left(self.settings.seconds)

        return {"callback": stop}

    def check_body(self) -> None:
        """Refuse a body of more lists and objects than any request has, before it is parsed.

        An empty list takes three bytes in a body and 80 in memory.
        """
        body, most = self.body, _FREE_LISTS + self.settings.edges // 2
        if _count_lists(body) <= most:
            return
        # a few long texts may hold them, too
        if body.count(b'"') - body.count(b'\\"') < 2 * self.settings.documents + _FREE_LISTS:
            body = _STRING.sub(b"", body)
        if _count_lists(body) > most:
            raise TooLarge(f"expected at most {most} lists and objects, got more")

    def check_count(self, count: int, what: str) -> None:
        """Refuse more of something than its setting allows."""
        most = getattr(self.settings, what)
        if count > most:
            raise TooLarge(f"expected at most {most} {what}, got {count}")

    def check_texts(self, texts: Sequence[str], request: _Texts | None = None) -> None:
        """Refuse more texts or sentences than allowed, before any work is done with them."""
        self.check_count(len(texts), "documents")
        # a sentence takes two characters at least, its end included: most texts are short enough
        if sum(map(len, texts)) <= 2 * self.settings.sentences:
            return
        total = 0
        language = "english" if request is None else request.language
        language = detect(texts).language.name if language == "auto" else language
        for text in texts:
            total += len(
                split_sentences(text, language, lines=request.lines if request else "auto")
            )
            if total > self.settings.sentences:
                raise TooLarge(f"expected at most {self.settings.sentences} sentences, got more")

    def problem(self, request: Any, budget: float | dict[str, float]) -> mc.CoverageProblem:
        """Build the problem that a request describes."""
        sets = request.sets
        rows = list(sets.values()) if isinstance(sets, dict) else sets
        edges = sum(map(len, rows))
        self.check_count(edges + len(rows), "edges")
        given = {name: getattr(request, name) for name in _Sets.model_fields}
        given = {name: value for name, value in given.items() if value is not None}
        return mc.CoverageProblem.from_dict({**given, "budget": budget})


def _count_lists(body: bytes) -> int:
    return body.count(b"[") + body.count(b"{")
