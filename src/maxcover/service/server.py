"""Server: uvicorn, with limits for each client and a shutdown that loses nothing."""

from __future__ import annotations

import asyncio
import signal
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from maxcover.service import logs
from maxcover.service.routes import create_app

if TYPE_CHECKING:
    import socket
    from types import FrameType

    from maxcover.service.edge import Edge
    from maxcover.service.metrics import Metrics
    from maxcover.service.settings import Settings

_HEAD_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n"
)


class _Connection(HttpToolsProtocol):
    """A connection that limits heads to `head_bytes`, and knows how long its client is idle."""

    settings: Settings
    metrics: Metrics
    #: The open connections of each address, the oldest first.
    by_address: defaultdict[str, dict[_Connection, None]]

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.waiting_since = time.monotonic()
        self.sent_idly = 0
        self.address = self.client[0] if self.client else ""
        mine = self.by_address[self.address]
        mine[self] = None
        proxied = self.address in self.settings.trusted_proxies
        if len(mine) > self.settings.client_connections and not proxied:
            _close_one(mine)
        elif len(self.connections) > self.settings.connections:
            _close_one(max(self.by_address.values(), key=len))

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.by_address[self.address].pop(self, None)
        if not self.by_address[self.address]:
            del self.by_address[self.address]

    def data_received(self, data: bytes) -> None:
        """Parse received bytes; answer 431 if a head, chunk size or trailer is too large."""
        self.sent_idly += len(data)
        super().data_received(data)
        if self.sent_idly > self.settings.head_bytes and not self.transport.is_closing():
            self.metrics.observe("other", 431, 0.0, 0)
            self.transport.write(_HEAD_TOO_LARGE)
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Answer 400 to bytes that are not an HTTP request, and count the answer."""
        self.metrics.observe("other", 400, 0.0, 0)
        super().send_400_response(msg)

    def on_body(self, body: bytes) -> None:
        self.sent_idly = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self.sent_idly = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.waiting_since = time.monotonic()
        if self.cycle.response_complete:  # free the rest of a refused body now
            self.cycle.body.clear()

    @property
    def awaits_client(self) -> bool:
        """Whether the next step is the client's: to ask, to send the rest, or to take an answer."""
        cycle = self.cycle
        idle = cycle is None or cycle.response_complete or cycle.more_body
        return idle or self.flow.write_paused or self.transport.is_closing()

    def is_stuck(self, now: float, patience: float) -> bool:
        """Whether the client has kept the service waiting for more than `patience` seconds."""
        reading_body = self.cycle is not None and self.cycle.more_body
        if not self.awaits_client or (reading_body and not self.cycle.response_complete):
            self.waiting_since = now  # waiting for a body has its own limit
        return now - self.waiting_since > patience


def _close_one(connections: dict[_Connection, None]) -> None:
    """Close the connection that has waited longest for its client; the newest if none waits.

    An attack opens many connections that never send the head of a request, so these go first.
    """
    silent = [one for one in connections if one.cycle is None]
    idle = [one for one in connections if one.awaits_client]
    newest = next(reversed(connections))
    waiting = silent if len(silent) > 1 else idle
    oldest = min(waiting, key=lambda one: one.waiting_since, default=newest)
    del connections[oldest]
    oldest.transport.abort()


class _Server(uvicorn.Server):
    """A uvicorn server that closes stuck connections, and drains for a while after SIGTERM."""

    def __init__(self, config: uvicorn.Config, edge: Edge, settings: Settings) -> None:
        super().__init__(config)
        self.edge, self.settings = edge, settings
        self.end: float | None = None
        self.hung_up = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to drain on the first SIGTERM; stop at once on Ctrl-C or a second signal."""
        if sig != signal.SIGTERM or self.end is not None:
            self.force_exit = self.should_exit and sig == signal.SIGINT
            self.should_exit = True
        else:
            self.edge.draining = True
            self.end = time.monotonic() + self.settings.drain_seconds

    def hang_up(self, _signal: int, _frame: FrameType | None) -> None:
        """Handle SIGHUP: the next tick reads the token file again."""
        self.hung_up = True

    async def on_tick(self, counter: int) -> bool:
        """Close stuck connections once a second; uvicorn calls this method ten times a second."""
        now = time.monotonic()
        if counter % 10 == 0:
            for connection in list(self.server_state.connections):
                if isinstance(connection, _Connection) and connection.is_stuck(
                    now, self.settings.body_seconds
                ):
                    connection.transport.abort()
        if self.hung_up:
            self.hung_up = False
            self.edge.reload()
        if self.end is not None and now >= self.end:
            self.should_exit = True
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, then wait up to a second for requests that are still arriving."""
        for server in self.servers:
            server.close()
        end = time.monotonic() + min(1.0, self.settings.drain_seconds)
        while self.server_state.connections and time.monotonic() < end:
            await asyncio.sleep(0.02)
        await super().shutdown(sockets)


def run(settings: Settings) -> None:
    """Serve until a signal ends the server; all accepted requests are answered first."""
    edge = create_app(settings)
    shared = {"settings": settings, "metrics": edge.metrics, "by_address": defaultdict(dict)}
    config = uvicorn.Config(
        edge,
        host=settings.host,
        port=settings.port,
        http=type("Connection", (_Connection,), shared),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_keep_alive=10,
        backlog=2048,
    )
    log = logs.Writer()
    log.start()
    server = _Server(config, edge, settings)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, server.hang_up)
    try:
        logs.event("starting", host=settings.host, port=settings.port, workers=settings.n_workers)
        server.run()
    finally:
        logs.event("stopped")
        log.stop()
