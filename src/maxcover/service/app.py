"""App: the routes. Each takes a body, has a worker answer it, and passes the answer on."""

from __future__ import annotations

import time
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from maxcover.service import logs
from maxcover.service.answers import JSON, Answer, error
from maxcover.service.edge import Edge
from maxcover.service.intake import Intake, Refused
from maxcover.service.metrics import CONTENT_TYPE, Metrics
from maxcover.service.pool import Busy, Job, Pool
from maxcover.service.routes import TITLES
from maxcover.service.security import Tokens

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from maxcover.service.settings import Settings

PAGE = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/static/page.css": ("page.css", "text/css; charset=utf-8"),
    "/static/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/static/icon.svg": ("icon.svg", "image/svg+xml"),
}


def create_app(settings: Settings) -> Edge:
    """Make the application; its workers are started and ended with it."""
    intake, metrics = Intake(settings), Metrics()
    pool = Pool(settings, logs.event)
    metrics.watch(pool, intake)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        pool.start()
        yield
        await pool.stop()

    app = FastAPI(
        lifespan=lifespan,
        docs_url=None,  # both pages would be loaded from elsewhere
        redoc_url=None,
        openapi_url=None,
    )
    for task in TITLES:
        app.add_api_route(f"/v1/{task}", _endpoint(task, intake, pool), methods=["POST"])
    for path, (name, media) in PAGE.items():
        app.add_api_route(path, _file(name, media), methods=["GET"])
    app.add_exception_handler(HTTPException, _refuse)
    app.add_exception_handler(Busy, _turn_away)
    tokens = Tokens(settings.tokens)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["POST"],
            allow_headers=["authorization", "content-type", "x-request-id"],
        )
    probes = ("/healthz", "/readyz", "/metrics", "/openapi.json")
    routes = {*(f"/v1/{task}" for task in TITLES), *PAGE, *probes}
    edge = Edge(app, metrics=metrics, tokens=tokens, pool=pool, routes=routes)
    _add_probes(app, edge, pool)
    return edge


def _add_probes(app: FastAPI, edge: Edge, pool: Pool) -> None:
    description: list[Answer] = []  # a worker makes it when it is first asked for

    async def healthz() -> Response:
        return Response("alive\n", media_type="text/plain")

    async def readyz() -> Response:
        ready = bool(pool.ready) and not edge.draining
        text = "ready\n" if ready else "draining\n" if edge.draining else "starting\n"
        return Response(text, 200 if ready else 503, media_type="text/plain")

    async def metrics() -> Response:
        return Response(edge.metrics.page(), media_type=CONTENT_TYPE)

    async def openapi(request: Request) -> Response:
        if not description:
            if not pool.started:
                return _later(request, error(503, "starting", "no worker is ready yet"), 1)
            description.append(await pool.run(Job("describe", "json", b"", time.perf_counter())))
        return _respond(request, description[0])

    for path, probe in (
        ("/healthz", healthz),
        ("/readyz", readyz),
        ("/metrics", metrics),
        ("/openapi.json", openapi),
    ):
        app.add_api_route(path, probe, methods=["GET"], response_model=None)


def _endpoint(task: str, intake: Intake, pool: Pool) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        chosen = request.query_params.get("format", "json")
        if not pool.started:
            return _later(request, error(503, "starting", "no worker is ready yet"), 1)
        try:
            async with intake.body(request) as body:
                answer = await pool.run(Job(task, chosen, body, request.state.arrived))
        except Refused as refused:
            if refused.retry:
                return _later(request, refused.answer, 1)
            return _respond(request, refused.answer, {"connection": "close"})
        return _respond(request, answer)

    return endpoint


def _respond(request: Request, answer: Answer, headers: dict[str, str] | None = None) -> Response:
    request.state.note, request.state.policy = answer.note, answer.policy
    if answer.media.startswith("text/html"):
        headers = {**(headers or {}), "content-disposition": 'attachment; filename="summary.html"'}
    response = Response(answer.body, answer.status, headers)
    response.headers["content-type"] = answer.media
    return response


def _later(request: Request, answer: Answer, seconds: int) -> Response:
    return _respond(request, answer, {"retry-after": str(seconds)})


def _file(name: str, media: str) -> Callable[[], Awaitable[Response]]:
    content = files("maxcover.service").joinpath("static", name).read_bytes()

    async def file() -> Response:
        return Response(content, headers={"content-type": media})

    return file


async def _turn_away(request: Request, busy: Exception) -> Response:
    """Answer a request that found room at the edge and none behind it."""
    seconds = busy.seconds if isinstance(busy, Busy) else 1
    return _later(request, error(429, "busy", str(busy)), seconds)


async def _refuse(_: Request, refused: Exception) -> Response:
    """Answer unknown paths and methods in the form of all errors."""
    status = refused.status_code if isinstance(refused, HTTPException) else 500
    headers = dict(refused.headers or {}) if isinstance(refused, HTTPException) else {}
    code = {404: "not_found", 405: "method_not_allowed"}.get(status, "refused")
    body = error(status, code, "there is nothing at this path for this method").body
    return Response(body, status, headers, media_type=JSON)
