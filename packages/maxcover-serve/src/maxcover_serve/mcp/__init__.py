"""Mcp: a Model Context Protocol server: packing, summaries and selection as tools for agents."""

from maxcover.ground.extras import import_extra

import_extra("mcp.server.mcpserver", "the MCP server needs mcp: pip install 'maxcover[mcp]'")
