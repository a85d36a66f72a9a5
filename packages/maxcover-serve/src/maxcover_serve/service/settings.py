"""Settings: the tasks of the service and all its limits, with their defaults.

The front process imports this module, but not the solvers.
"""

from __future__ import annotations

from dataclasses import dataclass

from maxcover.errors import OptionError
from maxcover.ground.machine import available_cores

#: The endpoints, ``POST /v1/<name>``; `maxcover_serve.service.tasks.TASKS` has their functions.
NAMES = (
    "summarize", "pack", "solve", "cover", "explain", "alternatives", "plan", "sensitivity",
    "sites", "curve", "verify", "read",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of the service: its address, its processes, and its limits.

    What limits single clients is the work of a reverse proxy: tokens, rates, slow requests.

    Attributes
    ----------
    host, port
        Where it listens; port 0 for any that is free.
    workers : int
        Processes that compute; 0 for one per core, as far as the container's quota allows.
    queue : int
        Requests that wait for a worker; 0 for eight per worker.
    seconds, max_seconds : float
        The solver's time limit for a request that has none, and the longest time limit that a
        request can have. No request is worked on for longer than `max_seconds`.
    grace : float
        Seconds after which a worker is replaced that does not react to the end of a request's
        time.
    body_bytes, memory_bytes : int
        The largest body; all bodies together.
    documents, sentences, edges, budgets : int
        The largest request.
    connections : int
        Connections and requests at the same time; further ones get 503.
    worker_seconds : float
        Seconds without any worker after which ``/healthz`` fails, so that the service is restarted.
    drain_seconds : float
        Seconds to keep accepting requests after SIGTERM, while load balancers look elsewhere.
    allowed_hosts : tuple of str
        Names by which the service may be called, besides localhost, 127.0.0.1 and [::1]; "*" for
        any.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 0
    queue: int = 0
    seconds: float = 10.0
    max_seconds: float = 30.0
    grace: float = 2.0
    body_bytes: int = 16_000_000
    memory_bytes: int = 256_000_000
    documents: int = 1_000
    sentences: int = 100_000
    edges: int = 2_000_000
    budgets: int = 200
    connections: int = 1_000
    worker_seconds: float = 60.0
    drain_seconds: float = 1.0
    allowed_hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, int | float) and value < 0:
                raise OptionError(f"expected {name} to be at least 0, got {value!r}")

    @property
    def n_workers(self) -> int:
        """Number of worker processes."""
        return self.workers or available_cores()

    @property
    def n_waiting(self) -> int:
        """Number of requests that may wait for a worker."""
        return self.queue or 8 * self.n_workers
