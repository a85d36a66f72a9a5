"""``maxcover mcp``: the tools for agents, over standard input and output."""

from __future__ import annotations

import gc
from pathlib import Path

import click

EXAMPLES = """\b
In the configuration of an agent:
  {"mcpServers": {"maxcover": {
    "command": "uvx", "args": ["--from", "maxcover[code,mcp]", "maxcover", "mcp",
                               "--root", "/path/to/project"]}}}
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--root",
    "roots",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    help="Folder whose files the tools may read. Default: none. May be repeated.",
)
@click.option(
    "--all-tools", is_flag=True, help="With --root: offer the tools for texts and sets too."
)
def mcp(roots: tuple[Path, ...], all_tools: bool) -> None:
    """Serve tools for agents over stdio (Model Context Protocol)."""
    # Importing the SDK makes 80,000 objects that stay until the end. Keeping the garbage collector
    # away from them, now and at exit, saves a fifth of the time of a short conversation.
    gc.disable()
    try:
        from maxcover_serve.mcp.endpoint import run
    finally:
        gc.freeze()
        gc.enable()
    run(roots, all_tools=all_tools)
