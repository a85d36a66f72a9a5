"""Server: uvicorn, with patience that ends and a shutdown that loses nothing."""

from __future__ import annotations

import asyncio
import signal
import time
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from maxcover.service import logs
from maxcover.service.app import create_app

if TYPE_CHECKING:
    import socket
    from types import FrameType

    from maxcover.service.edge import Edge
    from maxcover.service.settings import Settings


class _Connection(HttpToolsProtocol):
    """A connection that knows since when it waits for the other side."""

    waiting_since = 0.0
    most_connections = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.waiting_since = time.monotonic()
        if len(self.connections) > self.most_connections:
            transport.abort()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.waiting_since = time.monotonic()

    def is_stuck(self, now: float, patience: float) -> bool:
        """Whether the client sends no request, or takes no answer, for too long."""
        idle = self.cycle is None or self.cycle.response_complete
        if not (idle or self.flow.write_paused or self.transport.is_closing()):
            self.waiting_since = now  # the turn is ours
        return now - self.waiting_since > patience


class _Server(uvicorn.Server):
    """Ends connections that are stuck; on SIGTERM, takes requests a little longer."""

    def __init__(self, config: uvicorn.Config, edge: Edge, settings: Settings) -> None:
        super().__init__(config)
        self.edge, self.settings = edge, settings
        self.end: float | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to drain on SIGTERM; end at once on Ctrl-C, or on a second signal."""
        if sig != signal.SIGTERM or self.end is not None:
            self.force_exit = self.should_exit and sig == signal.SIGINT
            self.should_exit = True
        elif self.end is None:
            self.edge.draining = True
            self.end = time.monotonic() + self.settings.drain_seconds

    async def on_tick(self, counter: int) -> bool:
        """Look after connections once a second; uvicorn calls this ten times a second."""
        now = time.monotonic()
        if counter % 10 == 0:
            for connection in list(self.server_state.connections):
                if isinstance(connection, _Connection) and connection.is_stuck(
                    now, self.settings.body_seconds
                ):
                    connection.transport.abort()
        if self.end is not None and now >= self.end:
            self.should_exit = True
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen no more, then let connections whose request is on its way have their answer."""
        for server in self.servers:
            server.close()
        end = time.monotonic() + min(1.0, self.settings.drain_seconds)
        while self.server_state.connections and time.monotonic() < end:
            await asyncio.sleep(0.02)
        await super().shutdown(sockets)


def run(settings: Settings) -> None:
    """Serve until a signal ends it; everything that was accepted is answered before."""
    edge = create_app(settings)
    connection = type("Connection", (_Connection,), {"most_connections": settings.connections})
    config = uvicorn.Config(
        edge,
        host=settings.host,
        port=settings.port,
        http=connection,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=10,
        backlog=512,
    )
    listener = logs.start()
    try:
        logs.event("starting", host=settings.host, port=settings.port, workers=settings.n_workers)
        _Server(config, edge, settings).run()
    finally:
        logs.event("stopped")
        listener.stop()
