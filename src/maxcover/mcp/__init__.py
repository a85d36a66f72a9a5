"""A Model Context Protocol server: packing, summaries and selection as tools for agents."""
