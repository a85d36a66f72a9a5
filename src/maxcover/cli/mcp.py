"""``maxcover mcp``: the tools for agents, over standard input and output."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import Annotated

import typer

EXAMPLES = """\b
In the configuration of an agent:
  {"mcpServers": {"maxcover": {
    "command": "uvx", "args": ["--from", "maxcover[mcp]", "maxcover", "mcp"]}}}
"""


def mcp(
    root: Annotated[
        Path | None,
        typer.Option(
            exists=True, file_okay=False, help="Folder whose files tools may read; none without it."
        ),
    ] = None,
) -> None:
    """Serve tools for agents over stdio (Model Context Protocol)."""
    from maxcover.mcp.server import run

    run(root)
