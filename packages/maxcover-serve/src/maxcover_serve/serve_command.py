"""``maxcover serve``: the HTTP service and its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import all_of
from maxcover.errors import OptionError
from maxcover_serve.service.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

# Settings that are options of the command: name -> (flag, line of help).
_OPTIONS = {
    "host": ("--host", "Address to listen on; others than this machine need --behind-proxy."),
    "port": ("--port", "Port to listen on; 0: any that is free."),
    "workers": ("--workers", "Worker processes; 0: one per core."),
    "queue": ("--queue", "Maximum number of waiting requests; 0: eight per worker."),
    "max_seconds": ("--max-seconds", "Maximum seconds per request."),
    "body_bytes": ("--max-body-mb", "Maximum size of a request body in megabytes."),
    "drain_seconds": ("--drain-seconds", "Seconds to keep accepting requests after SIGTERM."),
    "allowed_hosts": ("--allowed-host", "Host name that clients use, or *. May be repeated."),
}
_MEGA = 1e6


def _option(name: str) -> Callable[..., Any]:
    """Make the option of a setting; `Settings` checks its value."""
    flag, line = _OPTIONS[name]
    default = getattr(Settings, name)
    if name == "body_bytes":
        default /= _MEGA
    several, shown = isinstance(default, tuple), default not in {"", ()}
    return click.option(
        flag, name, default=default, multiple=several, help=line, show_default=shown
    )


@click.command
@all_of(*map(_option, _OPTIONS))
@click.option(
    "--behind-proxy", is_flag=True, help="Only a proxy reaches the address, and limits its clients."
)
def serve(
    body_bytes: float, allowed_hosts: tuple[str, ...], behind_proxy: bool, **options: Any
) -> None:
    """Serve the HTTP API and a web page."""
    host = options["host"]
    if not behind_proxy and host not in {"localhost", "::1"} and not host.startswith("127."):
        raise OptionError(
            f"expected an address of this machine alone, such as 127.0.0.1, got {host}: the "
            "service has no tokens and no limits for single clients. Put a reverse proxy before "
            "it (deploy/nginx.conf is one); write --behind-proxy if only a proxy reaches it"
        )
    from maxcover_serve.service.server import run

    settings = Settings(
        seconds=min(Settings.seconds, options["max_seconds"]),
        body_bytes=int(_MEGA * body_bytes),
        allowed_hosts=tuple(name.lower() for name in allowed_hosts),
        **options,
    )
    click.echo(f"http://{settings.host}:{settings.port}", err=True)
    run(settings)
