"""Settings: every limit of the service, with the value it has by default."""

from __future__ import annotations

import os
from dataclasses import dataclass

from maxcover.errors import OptionError


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the service allows.

    Attributes
    ----------
    host, port
        Where it listens; port 0 for any that is free.
    workers : int
        Processes that compute; 0 for one a core.
    queue : int
        Requests that wait for a worker; 0 for eight a worker. The next one is answered with 429.
    seconds, max_seconds : float
        The deadline of a request that names none, and the longest that one can ask for.
    grace : float
        A worker that is so many seconds past the longest deadline is replaced.
    body_bytes, memory_bytes : int
        The largest body, and all bodies together.
    documents, sentences, edges, budgets : int
        The largest request.
    body_seconds : float
        A client has so long to send its request, and to take a piece of the answer.
    connections : int
        Open at the same time; further ones are closed at once.
    drain_seconds : float
        After SIGTERM, how long new requests are still taken while load balancers look elsewhere.
    tokens : tuple of str
        Bearer tokens that open the API; everybody may use it if there are none.
    cors_origins : tuple of str
        Origins whose pages may call the API; none by default.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 0
    queue: int = 0
    seconds: float = 10.0
    max_seconds: float = 30.0
    grace: float = 5.0
    body_bytes: int = 16_000_000
    memory_bytes: int = 256_000_000
    documents: int = 1_000
    sentences: int = 100_000
    edges: int = 2_000_000
    budgets: int = 200
    body_seconds: float = 20.0
    connections: int = 1_000
    drain_seconds: float = 1.0
    tokens: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("workers", "queue", "seconds", "max_seconds", "grace", "drain_seconds"):
            if getattr(self, name) < 0:
                raise OptionError(f"expected {name} to be at least 0, got {getattr(self, name)!r}")
        if any(not token.isascii() or len(token) < 16 for token in self.tokens):
            raise OptionError("expected tokens of at least 16 ASCII characters, got a shorter one")

    @property
    def n_workers(self) -> int:
        """Number of processes that compute."""
        return self.workers or available_cores()

    @property
    def n_waiting(self) -> int:
        """Number of requests that may wait."""
        return self.queue or 8 * self.n_workers
