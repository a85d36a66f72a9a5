"""``maxcover serve``: the HTTP service and its page."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import Annotated

import typer

from maxcover.errors import MissingExtraError


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8080,
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 for one per core.")] = 0,
    queue: Annotated[
        int, typer.Option(min=0, help="Requests that may wait; 0 for eight per worker.")
    ] = 0,
    max_seconds: Annotated[
        float, typer.Option(min=0, help="Longest time limit that a request can ask for.")
    ] = 30.0,
    max_body_mb: Annotated[float, typer.Option(min=0, help="Largest body, in megabytes.")] = 16.0,
    rate: Annotated[
        float, typer.Option(min=0, help="Requests per second of one client; 0 for any number.")
    ] = 0.0,
    drain_seconds: Annotated[
        float, typer.Option(min=0, help="Seconds to keep accepting requests after SIGTERM.")
    ] = 1.0,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="Bearer tokens, one per line, with name=, rate= and mb= after it; read again at "
            "SIGHUP. Without it the API is open."
        ),
    ] = None,
    cors_origin: Annotated[
        list[str] | None,
        typer.Option(help="Origin whose pages may call the API. May be repeated."),
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(help="Name by which the service is called, or *. May be repeated."),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(help="Address of a proxy whose X-Forwarded-For counts. May be repeated."),
    ] = None,
) -> None:
    """Serve the HTTP API and a page to play with."""
    try:
        from maxcover.service.server import run
    except ImportError as error:
        raise MissingExtraError(
            "the service needs more packages: pip install 'maxcover[serve]'"
        ) from error
    from maxcover.service.settings import Settings

    settings = Settings(
        host=host,
        port=port,
        workers=workers,
        queue=queue,
        max_seconds=max_seconds,
        seconds=min(Settings.seconds, max_seconds),
        body_bytes=int(1e6 * max_body_mb),
        rate=rate,
        drain_seconds=drain_seconds,
        token_file="" if token_file is None else str(token_file),
        cors_origins=tuple(cors_origin or ()),
        allowed_hosts=tuple(name.lower() for name in allowed_host or ()),
        trusted_proxies=tuple(trusted_proxy or ()),
    )
    typer.echo(f"http://{host}:{port}", err=True)
    run(settings)
