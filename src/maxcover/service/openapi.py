"""OpenAPI: the description of the API, made of the schemas that requests are checked with."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import models_json_schema

from maxcover.report import FORMATS
from maxcover.service import schemas
from maxcover.service.answers import MEDIA
from maxcover.service.routes import TITLES

if TYPE_CHECKING:
    from pydantic import BaseModel

_REQUESTS: dict[str, type[BaseModel]] = {
    "summarize": schemas.SummarizeRequest,
    "solve": schemas.SolveRequest,
    "curve": schemas.CurveRequest,
}
_ANSWERS: dict[str, type[BaseModel]] = {
    "summarize": schemas.SummaryAnswer,
    "solve": schemas.SolutionAnswer,
    "curve": schemas.CurveAnswer,
}
_ERRORS = {
    "400": "The body is not JSON.",
    "401": "A token is needed.",
    "408": "The body did not arrive in time.",
    "413": "The request is above a limit.",
    "415": "The body is not said to be JSON.",
    "422": "The request makes no sense; the message says why.",
    "429": "The queue is full; Retry-After says when to try again.",
    "500": "The service failed; the request may be sent again.",
    "503": "The service is starting.",
    "504": "The request took longer than the service allows.",
}
_REF = "#/components/schemas/"


def describe() -> dict[str, Any]:
    """Return the OpenAPI description of the service."""
    requests = [(model, "validation") for model in _REQUESTS.values()]
    answers = [(model, "serialization") for model in (*_ANSWERS.values(), schemas.ErrorAnswer)]
    models: Any = [*requests, *answers]
    names, definitions = models_json_schema(models, ref_template=_REF + "{model}")
    refs = {key[0]: value for key, value in names.items()}
    paths: dict[str, Any] = {f"/v1/{task}": {"post": _operation(task, refs)} for task in TITLES}
    for path, text in (
        ("/healthz", "Whether the process is alive."),
        ("/readyz", "Whether it takes requests."),
        ("/metrics", "Counts and times for Prometheus."),
    ):
        paths[path] = {"get": _probe(path, text)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "maxcover",
            "version": _version(),
            "description": "Budgeted maximum coverage and extractive summaries, with certificates.",
        },
        "paths": paths,
        "components": {
            "schemas": definitions["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(task: str, refs: dict[Any, Any]) -> dict[str, Any]:
    model = _REQUESTS[task]
    media: dict[str, Any] = {"application/json": {"schema": refs[_ANSWERS[task]]}}
    operation: dict[str, Any] = {
        "operationId": task,
        "summary": TITLES[task],
        "security": [{}, {"token": []}],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": refs[model], "examples": _examples(model)}},
        },
    }
    if task == "summarize":
        media |= {
            kind: {"schema": {"type": "string"}} for name, kind in MEDIA.items() if name != "json"
        }
        choice = {"type": "string", "enum": list(FORMATS), "default": "json"}
        operation["parameters"] = [{"name": "format", "in": "query", "schema": choice}]
    failed = {"application/json": {"schema": refs[schemas.ErrorAnswer]}}
    operation["responses"] = {
        "200": {"description": "The answer.", "content": media},
        **{code: {"description": text, "content": failed} for code, text in _ERRORS.items()},
    }
    operation["responses"]["429"]["headers"] = {"Retry-After": {"schema": {"type": "integer"}}}
    return operation


def _examples(model: type[BaseModel]) -> dict[str, Any]:
    """Collect the examples of a model, or of the models that it is a choice of."""
    parts: list[type[BaseModel]] = [schemas.TextCurveRequest, schemas.ProblemCurveRequest]
    found = [
        example
        for part in (parts if model is schemas.CurveRequest else [model])
        for example in part.model_json_schema()["examples"]
    ]
    return {f"example {k + 1}": {"value": example} for k, example in enumerate(found)}


def _probe(path: str, text: str) -> dict[str, Any]:
    content = {"text/plain": {"schema": {"type": "string"}}}
    responses: dict[str, Any] = {"200": {"description": text, "content": content}}
    if path == "/readyz":
        responses["503"] = {"description": "It does not, yet or any more.", "content": content}
    if path == "/metrics":
        responses["401"] = {"description": _ERRORS["401"]}
    return {"summary": text, "responses": responses}


def _version() -> str:
    try:
        return version("maxcover")
    except PackageNotFoundError:
        return "0"
