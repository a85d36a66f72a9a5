"""``maxcover serve``: the HTTP service and its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import all_of
from maxcover.errors import OptionError
from maxcover.ground.extras import import_extra
from maxcover.service.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

# Settings that are options of the command: name -> (flag, line of help).
_OPTIONS = {
    "host": ("--host", "Address to listen on; 0.0.0.0 for all."),
    "port": ("--port", "Port to listen on; 0: any that is free."),
    "workers": ("--workers", "Worker processes; 0: one per core."),
    "queue": ("--queue", "Maximum number of waiting requests; 0: eight per worker."),
    "max_seconds": ("--max-seconds", "Maximum seconds per request."),
    "body_bytes": ("--max-body-mb", "Maximum size of a request body in megabytes."),
    "rate": ("--rate", "Maximum requests per second and client; 0: unlimited."),
    "drain_seconds": ("--drain-seconds", "Seconds to keep accepting requests after SIGTERM."),
    "token_file": (
        "--token-file",
        "File of bearer tokens, one per line, with name=, rate= and mb=; reloaded on SIGHUP. "
        "Without it the API is open.",
    ),
    "cors_origins": ("--cors-origin", "Web origin that may call the API. May be repeated."),
    "allowed_hosts": ("--allowed-host", "Host name that clients use, or *. May be repeated."),
    "trusted_proxies": (
        "--trusted-proxy",
        "Proxy whose X-Forwarded-For header is trusted. May be repeated.",
    ),
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
@click.option("--without-token", is_flag=True, help="Let everybody in who reaches the address.")
def serve(
    body_bytes: float, allowed_hosts: tuple[str, ...], without_token: bool, **options: Any
) -> None:
    """Serve the HTTP API and a web page."""
    host = options["host"]
    is_open = not options["token_file"] and not without_token
    if is_open and host not in {"localhost", "::1"} and not host.startswith("127."):
        raise OptionError(
            f"expected --token-file=FILE for the address {host}, which other machines may reach, "
            "got none; write --without-token if everybody may call the service"
        )
    needed = "the service needs more packages: pip install 'maxcover[serve]'"
    run = import_extra("maxcover.service.server", needed).run
    settings = Settings(
        seconds=min(Settings.seconds, options["max_seconds"]),
        body_bytes=int(_MEGA * body_bytes),
        allowed_hosts=tuple(name.lower() for name in allowed_hosts),
        **options,
    )
    click.echo(f"http://{settings.host}:{settings.port}", err=True)
    run(settings)
