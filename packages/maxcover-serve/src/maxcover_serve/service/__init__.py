"""Service: the same calls and JSON over HTTP, with limits.

One process holds all connections and never computes; one worker process per core computes and holds
no connection. See docs/service.md.
"""
