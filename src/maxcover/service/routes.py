"""Routes: the HTTP routes. Each reads a body, has a worker answer it, and sends the answer."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from maxcover.service import logs
from maxcover.service.edge import Edge, respond
from maxcover.service.fair_queue import Job
from maxcover.service.frames import JSON, Answer, error
from maxcover.service.intake import GONE, Intake, Rejected, time_limit_in
from maxcover.service.metrics import CONTENT_TYPE, Metrics
from maxcover.service.pool import Pool
from maxcover.service.settings import NAMES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from starlette.requests import Request

    from maxcover.service.settings import Settings

    Endpoint = Callable[[Request], Awaitable[Response]]

_MEDIA = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_STATIC = ("page.css", "page.js", "common.js", "summarize.js", "pack.js", "docs.js", "icon.svg")
PAGE = {"/": "index.html", "/docs": "docs.html", **{f"/static/{name}": name for name in _STATIC}}
_STARTING = error(503, "starting", "no worker is ready yet", retry=1)


def create_app(settings: Settings) -> Edge:
    """Return the ASGI application; it starts its workers when it starts, and ends them with it."""
    intake, metrics = Intake(settings), Metrics()
    pool = Pool(settings, logs.event)
    metrics.watch(pool, intake)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        pool.start()
        yield
        await pool.stop()

    app = Starlette(
        lifespan=lifespan,
        exception_handlers={HTTPException: _refuse},
        routes=[
            *(Route(f"/v1/{n}", _Task(n, intake, pool).post, methods=["POST"]) for n in NAMES),
            *(Route(path, _file(name)) for path, name in PAGE.items()),
        ],
    )
    probes = ("/healthz", "/readyz", "/metrics", "/openapi.json")
    routes = {*(f"/v1/{name}" for name in NAMES), *PAGE, *probes}
    edge = Edge(app, settings, metrics=metrics, pool=pool, routes=routes)
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
                return _respond(request, found)
            description.append(found)
        return _respond(request, description[0])

    for probe in (healthz, readyz, metrics):
        app.add_route(f"/{probe.__name__}", probe, methods=["GET"])
    app.add_route("/openapi.json", openapi, methods=["GET"])


class _Task:
    """The handler of one endpoint: it reads a request's body and has a worker answer it."""

    def __init__(self, name: str, intake: Intake, pool: Pool) -> None:
        self.name, self.intake, self.pool = name, intake, pool

    async def post(self, request: Request) -> Response:
        if not self.pool.started:
            return _respond(request, _STARTING)
        try:
            async with self.intake.body(request, request.state.client) as body:
                return _respond(request, await self._run(request, body))
        except Rejected as refused:
            await request.state.visit.discard()
            return _respond(request, refused.answer)

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
    arrived, limit = request.state.arrived, time_limit_in(body)
    longest = settings.max_seconds
    return Job(
        task=task,
        format=request.query_params.get("format", "json"),
        body=body,
        client=request.state.client.name,
        arrived=arrived,
        expires=arrived + min(settings.seconds if limit is None else limit, longest),
        ends=arrived + min(longest if limit is None else limit, longest),
    )


def _respond(request: Request, answer: Answer) -> Response:
    request.state.note, request.state.policy = answer.note, answer.policy
    return respond(answer)


def _file(name: str) -> Endpoint:
    media = _MEDIA[name.rpartition(".")[2]]
    content = files("maxcover.service").joinpath("static", name).read_bytes()

    async def file(_: Request) -> Response:
        return Response(content, headers={"content-type": media})

    return file


async def _refuse(_: Request, refused: Exception) -> Response:
    """Answer an unknown path or method with an error in JSON, like all other errors."""
    status = refused.status_code if isinstance(refused, HTTPException) else 500
    headers = dict(refused.headers or {}) if isinstance(refused, HTTPException) else {}
    code = {404: "not_found", 405: "method_not_allowed"}.get(status, "refused")
    body = error(status, code, "there is nothing at this path for this method").body
    return Response(body, status, headers, media_type=JSON)
