"""Server: uvicorn, with a shutdown that loses nothing."""

from __future__ import annotations

import asyncio
import signal
import time
from typing import TYPE_CHECKING

import uvicorn

from maxcover_serve.service import logs
from maxcover_serve.service.routes import create_app

if TYPE_CHECKING:
    import socket
    from types import FrameType

    from maxcover_serve.service.edge import Edge
    from maxcover_serve.service.settings import Settings


class _Server(uvicorn.Server):
    """A uvicorn server that drains for a while after SIGTERM."""

    def __init__(self, config: uvicorn.Config, edge: Edge, settings: Settings) -> None:
        super().__init__(config)
        self.edge, self.settings = edge, settings
        self.end: float | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to drain on the first SIGTERM; stop at once on Ctrl-C or a second signal."""
        if sig != signal.SIGTERM or self.end is not None:
            self.force_exit = self.should_exit and sig == signal.SIGINT
            self.should_exit = True
        else:
            self.edge.draining = True
            self.end = time.monotonic() + self.settings.drain_seconds

    async def on_tick(self, counter: int) -> bool:
        """Stop when the time to drain is over; uvicorn calls this method ten times a second."""
        if self.end is not None and time.monotonic() >= self.end:
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
    config = uvicorn.Config(
        edge,
        host=settings.host,
        port=settings.port,
        http="httptools",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=settings.connections,
        timeout_keep_alive=10,
        backlog=2048,
    )
    log = logs.Writer()
    log.start()
    server = _Server(config, edge, settings)
    try:
        logs.event("starting", host=settings.host, port=settings.port, workers=settings.n_workers)
        server.run()
    finally:
        logs.event("stopped")
        log.stop()
