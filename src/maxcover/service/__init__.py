"""Service: the same calls and JSON over HTTP, with limits. Needs the extra ``[serve]``.

One process holds all connections and never computes; one worker process per core computes and holds
no connection. See docs/service.md.
"""
