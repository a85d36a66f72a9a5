"""Maxcover serve: maxcover over HTTP, with a page and a client, and as tools for agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maxcover_serve.client import Client, ServiceError

__all__ = ["Client", "ServiceError"]


def __getattr__(name: str) -> Any:
    """Import the client when it is first used: the service and the tools do without it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from maxcover_serve import client

    return getattr(client, name)
