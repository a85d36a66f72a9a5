"""``maxcover serve``: the HTTP service and its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import PATH, several
from maxcover.errors import MissingExtraError

if TYPE_CHECKING:
    from pathlib import Path

# of at least 0
COUNT, NUMBER = click.IntRange(0), click.FloatRange(0)


@click.command
@click.option("--host", default="127.0.0.1", help="Address to listen on; 0.0.0.0 for all.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080)
@click.option("--workers", type=COUNT, default=0, help="Worker processes; 0: one per core.")
@click.option(
    "--queue",
    type=COUNT,
    default=0,
    help="Maximum number of waiting requests; 0: eight per worker.",
)
@click.option(
    "--max-seconds",
    type=NUMBER,
    default=30.0,
    help="Maximum seconds per request.",
)
@click.option(
    "--max-body-mb", type=NUMBER, default=16.0, help="Maximum size of a request body in megabytes."
)
@click.option(
    "--rate", type=NUMBER, default=0.0, help="Maximum requests per second and client; 0: unlimited."
)
@click.option(
    "--drain-seconds",
    type=NUMBER,
    default=1.0,
    help="Seconds to keep accepting requests after SIGTERM.",
)
@click.option(
    "--token-file",
    type=PATH,
    help="File of bearer tokens, one per line, with name=, rate= and mb=; reloaded on SIGHUP. "
    "Without it the API is open.",
)
@several("--cors-origin", "cors_origins", help="Web origin that may call the API. May be repeated.")
@several("--allowed-host", help="Host name that clients use, or *. May be repeated.")
@several(
    "--trusted-proxy",
    "trusted_proxies",
    help="Proxy whose X-Forwarded-For header is trusted. May be repeated.",
)
def serve(
    max_seconds: float,
    max_body_mb: float,
    token_file: Path | None,
    allowed_host: tuple[str, ...],
    **options: Any,
) -> None:
    """Serve the HTTP API and a web page."""
    try:
        from maxcover.service.server import run
    except ImportError as error:
        raise MissingExtraError(
            "the service needs more packages: pip install 'maxcover[serve]'"
        ) from error
    from maxcover.service.settings import Settings

    settings = Settings(
        max_seconds=max_seconds,
        seconds=min(Settings.seconds, max_seconds),
        body_bytes=int(1e6 * max_body_mb),
        token_file="" if token_file is None else str(token_file),
        allowed_hosts=tuple(name.lower() for name in allowed_host),
        **options,
    )
    click.echo(f"http://{settings.host}:{settings.port}", err=True)
    run(settings)
