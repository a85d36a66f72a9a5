"""Edge: the outermost layer, which sees every request and every answer.

It gives ids, checks tokens, adds headers, counts and logs, and turns a mistake of ours into an
answer. It is plain ASGI, as it is paid for by every request.
"""

from __future__ import annotations

import re
import secrets
import time
from typing import TYPE_CHECKING

from maxcover.service import logs, security
from maxcover.service.answers import Answer, error
from maxcover.service.pool import Busy

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from maxcover.service.metrics import Metrics
    from maxcover.service.pool import Pool

_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
# Who may call these needs a token, if there are tokens.
_GUARDED = ("/v1/", "/metrics")


class Edge:
    """Wraps the application.

    Parameters
    ----------
    app : ASGI application
    metrics : Metrics
    tokens : Tokens
    pool : Pool
    routes : collection of str
        Paths that are counted by name; all others are "other".
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        metrics: Metrics,
        tokens: security.Tokens,
        pool: Pool,
        routes: set[str],
    ) -> None:
        self.app, self.metrics, self.tokens, self.routes = app, metrics, tokens, routes
        self.pool = pool
        self.draining = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request; other events are passed on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        visit = _Visit(self, scope, send)
        try:
            if self._is_closed_to(scope, visit.headers):
                closed = error(401, "unauthorized", "expected a valid bearer token")
                await visit.answer(
                    closed, {b"www-authenticate": b"Bearer", b"connection": b"close"}
                )
                return
            if scope["method"] == "POST" and scope["path"].startswith("/v1/"):
                self.pool.check_room()  # a crowd is turned away before its bodies are looked at
            await self.app(scope, receive, visit.send)
        except Busy as busy:
            retry = {b"retry-after": str(busy.seconds).encode()}
            await visit.answer(error(429, "busy", str(busy)), retry)
        except Exception as bug:  # the client gets an answer, the log the type
            visit.note = type(bug).__name__
            if visit.status == 0:
                failed = error(500, "internal", "the service failed on this request")
                await visit.answer(failed, {b"connection": b"close"})
        finally:
            visit.record()

    def _is_closed_to(self, scope: Scope, headers: dict[bytes, bytes]) -> bool:
        guarded = scope["path"].startswith(_GUARDED) and scope["method"] != "OPTIONS"
        authorization = headers.get(b"authorization", b"")
        return bool(self.tokens) and guarded and not self.tokens.allow(authorization)


class _Visit:
    """One request at the edge."""

    def __init__(self, edge: Edge, scope: Scope, send: Send) -> None:
        self.edge, self.scope, self._send = edge, scope, send
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        given = self.headers.get(b"x-request-id", b"")
        self.id = given if _ID.fullmatch(given) else secrets.token_hex(8).encode()
        self.started = time.perf_counter()
        self.status = self.sent = 0
        self.note = ""
        scope.setdefault("state", {})["arrived"] = self.started

    async def send(self, message: Message) -> None:
        """Add the headers to an answer on its way out."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = list(message["headers"])
            policy = self.scope["state"].get("policy", "")
            own += [(b"x-request-id", self.id), *security.headers(self.scope["path"], policy)]
            if self.edge.draining:
                own.append((b"connection", b"close"))
            message = {**message, "headers": own}
        else:
            self.sent += len(message.get("body", b""))
        await self._send(message)

    async def answer(self, answer: Answer, headers: dict[bytes, bytes] | None = None) -> None:
        """Answer without asking the application."""
        self.note = self.note or answer.note
        own = {
            b"content-type": answer.media.encode(),
            b"content-length": str(len(answer.body)).encode(),
            **(headers or {}),
        }
        start = {"type": "http.response.start", "status": answer.status}
        await self.send({**start, "headers": list(own.items())})
        await self.send({"type": "http.response.body", "body": answer.body})

    def record(self) -> None:
        """Count and log, sizes and times only."""
        seconds = time.perf_counter() - self.started
        path = self.scope["path"]
        route = path if path in self.edge.routes else "other"
        state = self.scope["state"]
        size = state.get("size", 0)
        self.edge.metrics.observe(route, self.status, seconds, size)
        logs.event(
            "request",
            id=self.id.decode(),
            method=self.scope["method"] if self.scope["method"].isalpha() else "",
            route=route,
            status=self.status,
            ms=round(1000 * seconds, 2),
            received=size,
            sent=self.sent,
            note=state.get("note", "") or self.note,
        )
