"""Routes: the HTTP routes. Each reads a body, has a worker answer it, and sends the answer."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from maxcover_serve.service.edge import Edge, respond
from maxcover_serve.service.frames import JSON, Answer, error
from maxcover_serve.service.intake import GONE, Intake, Rejected, discard, time_limit_in
from maxcover_serve.service.job_queue import Job
from maxcover_serve.service.metrics import CONTENT_TYPE, Metrics
from maxcover_serve.service.pool import Pool
from maxcover_serve.service.settings import NAMES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from starlette.requests import Request

    from maxcover_serve.service.settings import Settings

    Endpoint = Callable[[Request], Awaitable[Response]]

_STATIC = Path(__file__).parent / "static"
_PAGES = {"/": "index.html", "/docs": "docs.html"}
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]", "::1")
# Times the largest body that is read of a refused one before the connection is closed.
_DISCARDED = 4
_STARTING = error(503, "starting", "no worker is ready yet", retry=1)


def create_app(settings: Settings) -> Edge:
    """Return the ASGI application; it starts its workers when it starts, and ends them with it."""
    intake, metrics = Intake(settings), Metrics()
    pool = Pool(settings, metrics)
    for name, text, read in (
        ("queue_length", "Requests that wait for a worker.", lambda: len(pool.queue)),
        ("queue_capacity", "Requests that may wait.", lambda: pool.settings.n_waiting),
        ("workers_ready", "Workers that can work.", lambda: len(pool.ready)),
        ("workers_busy", "Workers that have a request.", lambda: len(pool.running)),
        ("bodies_bytes", "Bodies that are held in memory.", lambda: intake.held),
    ):
        metrics.watch(name, text, read)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        pool.start()
        yield
        await pool.stop()

    app = Starlette(
        lifespan=lifespan,
        exception_handlers={HTTPException: _refuse},
        # stops DNS rebinding: a page of another site that points its own name at this machine
        middleware=[
            Middleware(
                TrustedHostMiddleware,
                allowed_hosts=[*_LOOPBACK, *settings.allowed_hosts],
                www_redirect=False,
            )
        ],
        routes=[
            *(Route(f"/v1/{n}", _Task(n, intake, pool).post, methods=["POST"]) for n in NAMES),
            *(Route(path, _page(name)) for path, name in _PAGES.items()),
            Mount("/static", StaticFiles(directory=_STATIC)),
        ],
    )
    probes = ("/healthz", "/readyz", "/metrics", "/openapi.json")
    static = (f"/static/{path.name}" for path in _STATIC.iterdir())
    routes = {*(f"/v1/{name}" for name in NAMES), *_PAGES, *static, *probes}
    edge = Edge(app, metrics=metrics, routes=routes)
    _add_probes(app, edge, pool)
    return edge


def _add_probes(app: Starlette, edge: Edge, pool: Pool) -> None:
    description: list[Answer] = []  # a worker makes the description at the first request

    async def healthz(_: Request) -> Response:
        if pool.seconds_without > pool.settings.worker_seconds:
            return Response("no worker can be started\n", 503, media_type="text/plain")
        return Response("alive\n", media_type="text/plain")

    async def readyz(_: Request) -> Response:
        ready = bool(pool.ready) and not edge.draining
        text = "ready\n" if ready else "draining\n" if edge.draining else "starting\n"
        return Response(text, 200 if ready else 503, media_type="text/plain")

    async def metrics(_: Request) -> Response:
        return Response(edge.metrics.page(), media_type=CONTENT_TYPE)

    async def openapi(request: Request) -> Response:
        if not description:  # the job may wait until the first worker is ready
            job = _job("describe", request, b"{}", pool.settings)
            job.expires = job.ends
            found = await pool.run(job)
            if found.status != 200:
                return respond(found, request.state.visit)
            description.append(found)
        return respond(description[0], request.state.visit)

    for probe in (healthz, readyz, metrics):
        app.add_route(f"/{probe.__name__}", probe, methods=["GET"])
    app.add_route("/openapi.json", openapi, methods=["GET"])


class _Task:
    """The handler of one endpoint: it reads a request's body and has a worker answer it."""

    def __init__(self, name: str, intake: Intake, pool: Pool) -> None:
        self.name, self.intake, self.pool = name, intake, pool

    async def post(self, request: Request) -> Response:
        if not self.pool.started:
            return respond(_STARTING, request.state.visit)
        visit = request.state.visit
        try:
            async with self.intake.body(request) as body:
                return respond(await self._run(request, body), visit)
        except Rejected as refused:
            await discard(request, _DISCARDED * self.pool.settings.body_bytes)
            return respond(refused.answer, visit)

    async def _run(self, request: Request, body: bytes) -> Answer:
        """Have a worker do the task; drop the job if the client hangs up."""
        job = _job(self.name, request, body, self.pool.settings)
        hung_up = asyncio.ensure_future(request.receive())
        hung_up.add_done_callback(
            lambda end: None if end.cancelled() else self.pool.drop(job, GONE)
        )
        try:
            return await self.pool.run(job)
        finally:
            hung_up.cancel()


def _job(task: str, request: Request, body: bytes, settings: Settings) -> Job:
    arrived, limit = request.state.visit.started, time_limit_in(body)
    longest = settings.max_seconds
    return Job(
        task=task,
        format=request.query_params.get("format", "json"),
        body=body,
        arrived=arrived,
        expires=arrived + min(settings.seconds if limit is None else limit, longest),
        ends=arrived + min(longest if limit is None else limit, longest),
    )


def _page(name: str) -> Endpoint:
    async def page(_: Request) -> Response:
        return FileResponse(_STATIC / name)

    return page


async def _refuse(_: Request, refused: Exception) -> Response:
    """Answer an unknown path or method with an error in JSON, like all other errors."""
    status = refused.status_code if isinstance(refused, HTTPException) else 500
    headers = dict(refused.headers or {}) if isinstance(refused, HTTPException) else {}
    code = {404: "not_found", 405: "method_not_allowed"}.get(status, "refused")
    body = error(status, code, "there is nothing at this path for this method").body
    return Response(body, status, headers, media_type=JSON)
