"""Edge: the outermost layer, which sees every request and every answer.

It gives ids, adds headers, counts and logs, and turns an unexpected exception into an error answer.
It is plain ASGI, because every request goes through it.
"""

from __future__ import annotations

import re
import secrets
import time
from typing import TYPE_CHECKING

from starlette.responses import Response

from maxcover_serve.service import logs
from maxcover_serve.service.frames import Answer, error

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from maxcover_serve.service.metrics import Metrics

_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
# Content-security policy of API answers: a browser may not load or run anything in them, or show
# them in a frame.
API_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
# Content-security policy of the web page: it may use scripts, styles, images and connections of
# this service only.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_COMMON = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]


class Edge:
    """ASGI layer around the application: every request and every answer passes through it.

    Parameters
    ----------
    app : ASGI application
    metrics : Metrics
    routes : collection of str
        Paths that have a metric each; all others are counted as "other".
    """

    def __init__(self, app: ASGIApp, *, metrics: Metrics, routes: set[str]) -> None:
        self.app, self.metrics, self.routes = app, metrics, routes
        self.draining = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an HTTP request; pass ASGI events of other types to the application."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        visit = Visit(self, scope, send)
        try:
            await self.app(scope, receive, visit.send)
        except Exception as bug:  # log the type only: the message may quote a client
            visit.note = type(bug).__name__
            if visit.status == 0:
                failed = error(500, "internal", "the service failed on this request")
                await respond(failed, visit)(scope, receive, visit.send)
        finally:
            visit.record()


def respond(answer: Answer, visit: Visit) -> Response:
    """Return an answer as a response with all headers that its status and type need."""
    visit.note, visit.policy = visit.note or answer.note, answer.policy or visit.policy
    headers = {"content-type": answer.media}
    if answer.retry:
        headers["retry-after"] = str(answer.retry)
    if answer.media.startswith("text/html"):
        headers["content-disposition"] = 'attachment; filename="summary.html"'
    return Response(answer.body, answer.status, headers)


class Visit:
    """One HTTP request at the edge: its id, its status, and how much was received and sent."""

    def __init__(self, edge: Edge, scope: Scope, send: Send) -> None:
        self.edge, self.scope, self._send = edge, scope, send
        given = dict(scope["headers"]).get(b"x-request-id", b"")
        self.id = given if _ID.fullmatch(given) else secrets.token_hex(8).encode()
        self.started = time.perf_counter()
        self.status = self.sent = self.received = 0
        self.note, self.policy = "", API_POLICY
        scope.setdefault("state", {})["visit"] = self

    async def send(self, message: Message) -> None:
        """Send a part of an answer; the start of an answer gets the id and the security headers."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = [*message["headers"], (b"x-request-id", self.id), *self._security_headers()]
            if self.edge.draining:
                own.append((b"connection", b"close"))
            message = {**message, "headers": own}
        else:
            self.sent += len(message.get("body", b""))
        await self._send(message)

    def _security_headers(self) -> list[tuple[bytes, bytes]]:
        path = self.scope["path"]
        is_page = path in ("/", "/docs") or path.startswith("/static/")
        policy = PAGE_POLICY if is_page else self.policy
        return [
            *_COMMON,
            (b"cache-control", b"no-cache" if is_page else b"no-store"),
            (b"content-security-policy", policy.encode()),
        ]

    def record(self) -> None:
        """Count and log the request: its route, status, sizes and times, but no text of it."""
        seconds = time.perf_counter() - self.started
        path = self.scope["path"]
        route = path if path in self.edge.routes else "other"
        self.edge.metrics.observe(route, self.status, seconds, self.received)
        logs.event(
            "request",
            id=self.id.decode(),
            method=self.scope["method"] if self.scope["method"].isalpha() else "",
            route=route,
            status=self.status,
            ms=round(1000 * seconds, 2),
            received=self.received,
            sent=self.sent,
            note=self.note,
        )
