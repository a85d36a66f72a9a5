"""Mcp: a Model Context Protocol server: packing, summaries and selection as tools for agents."""

from maxcover.errors import MissingExtraError

try:
    import mcp.server.mcpserver  # noqa: F401 - the modules below need it
except ImportError as error:
    raise MissingExtraError(
        "the MCP server needs the package mcp: pip install 'maxcover[mcp]'"
    ) from error
