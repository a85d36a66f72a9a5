"""Edge: the outermost layer, which sees every request and every answer.

It gives ids, checks hosts, tokens and rates, adds headers, counts and logs, and turns an unexpected
exception into an error answer. It is plain ASGI, because every request goes through it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import secrets
import time
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response

from maxcover.errors import OptionError
from maxcover.service import logs
from maxcover.service.clients import Caller, Rates, Tokens
from maxcover.service.frames import Answer, error
from maxcover.service.pool import FULL

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from maxcover.service.metrics import Metrics
    from maxcover.service.pool import Pool
    from maxcover.service.settings import Settings

_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
# Prefixes of the paths that need a bearer token, if the service has a token file.
_GUARDED = ("/v1/", "/metrics")
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
# The rest of a refused body is read and discarded up to this many times the largest allowed body;
# after that the connection is closed.
_DISCARD = 4
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
    settings : Settings
    metrics : Metrics
    pool : Pool
    routes : collection of str
        Paths that have a metric each; all others are counted as "other".
    """

    def __init__(
        self, app: ASGIApp, settings: Settings, *, metrics: Metrics, pool: Pool, routes: set[str]
    ) -> None:
        self.app, self.settings, self.metrics, self.pool = app, settings, metrics, pool
        self.routes = routes
        self.draining = False
        self.tokens = self._read_tokens()
        self._rates = Rates()
        self._inner: ASGIApp = self._guard
        # The CORS layer encloses the guard, because a page cannot read the guard's errors without
        # CORS headers.
        if settings.cors_origins:
            self._inner = CORSMiddleware(
                self._guard,
                allow_origins=list(settings.cors_origins),
                allow_methods=["POST"],
                allow_headers=["authorization", "content-type", "x-request-id"],
                expose_headers=["retry-after", "x-request-id"],
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an HTTP request; pass ASGI events of other types to the application."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        visit = Visit(self, scope, receive, send)
        try:
            await self._inner(scope, visit.receive, visit.send)
        finally:
            visit.record()

    def reload(self) -> None:
        """Read the token file again; if it cannot be read, keep the old tokens."""
        try:
            self.tokens = self._read_tokens()
        except OptionError:
            logs.event("tokens not reloaded")
        else:
            logs.event("tokens reloaded")

    def _read_tokens(self) -> Tokens | None:
        rate, size = self.settings.rate, self.settings.body_bytes
        return Tokens.read(self.settings.token_file, rate=rate, body_bytes=size)

    async def _guard(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the application, or refuse it; turn any exception into an error 500."""
        visit = cast("Visit", scope["state"]["visit"])
        try:
            refusal = self._refusal(scope, visit)
            if refusal is not None:
                if not visit.is_short:
                    await visit.discard()
                await visit.answer(refusal, send)
                return
            await self.app(scope, receive, send)
        except Exception as bug:  # log the type only: the message may quote a client
            visit.note = type(bug).__name__
            if visit.status == 0:
                failed = error(500, "internal", "the service failed on this request")
                await visit.answer(failed, send)

    def _refusal(self, scope: Scope, visit: Visit) -> Answer | None:
        """Return the error answer for a request that is not let in; None if it is let in."""
        if sum(name == b"host" for name, _ in scope["headers"]) > 1:
            return error(400, "two_hosts", "expected one Host header, got more")
        if not is_own_host(visit.headers.get(b"host", b""), self.settings.allowed_hosts):
            other = "expected an address, localhost, or a host that --allowed-host names"
            return error(400, "unknown_host", other)
        address = scope["client"][0] if scope.get("client") else ""
        client = Caller(address, self.settings.rate, self.settings.body_bytes)
        if self.tokens is not None and scope["path"].startswith(_GUARDED):
            known = self.tokens.find(visit.headers.get(b"authorization", b""))
            if known is None:
                return error(401, "unauthorized", "expected a valid bearer token")
            client = known
        visit.client = client
        if scope["method"] == "POST" and scope["path"].startswith("/v1/"):
            seconds = self._rates.wait(client)
            if seconds:
                most = f"expected at most {client.rate:g} requests per second"
                return error(
                    429, "rate_limited", f"{most}; try again in {seconds} s", retry=seconds
                )
            if not self.pool.queue.has_room(client.name):
                return self.pool.queue.refusal(FULL)
        return None


def is_own_host(host: bytes, allowed: tuple[str, ...]) -> bool:
    """Say whether a Host header names this service: localhost, an IP address or an `allowed` name.

    The check stops DNS rebinding: a page of another site that points its own name at this machine
    sends that name. Addresses and localhost cannot be rebound.

    Examples
    --------
    >>> [is_own_host(host, ("api.example",)) for host in (b"[::1]:80", b"api.example:80", b"b")]
    [True, True, False]
    """
    name = host.decode("latin-1").strip().lower()
    name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
    if name == "localhost" or "*" in allowed or name in allowed:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def respond(answer: Answer, visit: Visit) -> Response:
    """Return an answer as a response with all headers that its status and type need."""
    visit.note, visit.policy = visit.note or answer.note, answer.policy or visit.policy
    headers = {"content-type": answer.media}
    if answer.status == 401:
        headers["www-authenticate"] = "Bearer"
    if answer.retry:
        headers["retry-after"] = str(answer.retry)
    if answer.media.startswith("text/html"):
        headers["content-disposition"] = 'attachment; filename="summary.html"'
    return Response(answer.body, answer.status, headers)


class Visit:
    """One HTTP request at the edge: its id, client, status, and how much was received and sent."""

    def __init__(self, edge: Edge, scope: Scope, receive: Receive, send: Send) -> None:
        self.edge, self.scope, self._receive, self._send = edge, scope, receive, send
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        given = self.headers.get(b"x-request-id", b"")
        self.id = given if _ID.fullmatch(given) else secrets.token_hex(8).encode()
        self.started = time.perf_counter()
        self.status = self.sent = self.received = 0
        self.note, self.policy = "", API_POLICY
        self.heard = self.closes = False
        self.client: Caller | None = None
        scope.setdefault("state", {})["visit"] = self

    async def receive(self) -> Message:
        """Return the client's next message, and note whether the body is now complete."""
        message = await self._receive()
        self.heard = not message.get("more_body", False)
        return message

    @property
    def is_short(self) -> bool:
        """Whether the body is under 100 kB and already being sent, so that uvicorn can drop it."""
        length = self.headers.get(b"content-length", b"")
        return length.isdigit() and len(length) < 6 and b"expect" not in self.headers

    async def discard(self) -> None:
        """Read and discard the rest of the body, within limits, before a refusal is sent.

        Some clients send all of a request before they read the answer. They would see no answer if
        the connection were closed while they send.
        """
        settings, size = self.edge.settings, 0
        left = settings.body_seconds - (time.perf_counter() - self.started)
        # a client with an Expect header has not begun to send its body: it reads the answer first
        self.closes = b"expect" in self.headers
        with suppress(TimeoutError):
            async with asyncio.timeout(left):
                while not self.heard and not self.closes:
                    size += len((await self.receive()).get("body", b""))
                    self.closes = size > _DISCARD * settings.body_bytes
        self.closes = not self.heard

    async def send(self, message: Message) -> None:
        """Send a part of an answer; the start of an answer gets the id and the security headers."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = [*message["headers"], (b"x-request-id", self.id), *self._security_headers()]
            if self.edge.draining or self.closes:
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

    async def answer(self, answer: Answer, send: Send) -> None:
        """Send an answer without calling the application."""
        await respond(answer, self)(self.scope, self.receive, send)

    def record(self) -> None:
        """Count and log the request: its route, status, sizes and times, but no text of it."""
        seconds = time.perf_counter() - self.started
        path = self.scope["path"]
        route = path if path in self.edge.routes else "other"
        self.edge.metrics.observe(route, self.status, seconds, self.received)
        logs.event(
            "request",
            id=self.id.decode(),
            client=self.client.name if self.client is not None and self.client.named else "",
            method=self.scope["method"] if self.scope["method"].isalpha() else "",
            route=route,
            status=self.status,
            ms=round(1000 * seconds, 2),
            received=self.received,
            sent=self.sent,
            note=self.note,
        )
