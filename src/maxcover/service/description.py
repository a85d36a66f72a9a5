"""Description: the API in OpenAPI, made of the schemas of requests and of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import models_json_schema

import maxcover
from maxcover.report.formats import FORMATS
from maxcover.service import schemas
from maxcover.service.frames import MEDIA
from maxcover.service.settings import NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from maxcover.service.call import Call
    from maxcover.service.frames import Answer


class Sentence(BaseModel):
    """A sentence and why it is there."""

    text: str
    document: int
    start: int
    end: int
    index: int
    cost: float
    gain: float
    covers: list[dict[str, Any]]
    speaker: str
    line: int
    reasons: list[str]


class SummaryAnswer(BaseModel):
    """A summary with its certificate; schema ``maxcover.summary/1``."""

    schema_: str = Field(alias="schema")
    text: str
    budget: float
    unit: str
    cost: float
    value: float
    upper_bound: float
    gap: float
    status: Literal["optimal", "within gap", "heuristic"]
    certificate: str
    stopped: str
    n_documents: int
    n_sentences: int
    n_candidates: int
    total_weight: float
    coverage: float
    language: str
    seconds: float
    left_out: list[str]
    story: list[int]
    sentences: list[Sentence]
    runner_up: Sentence | None


class SolutionAnswer(BaseModel):
    """A selection of sets with its certificate."""

    selected: list[int]
    labels: list[Any] | None
    value: float
    cost: float
    upper_bound: float
    gap: float
    status: Literal["optimal", "within gap", "heuristic"]
    stopped: str
    bound_by: str
    method: str
    seconds: float
    dual: schemas.DualPoint | None = None


class PlanAnswer(BaseModel):
    """A selection of sets that covers enough, with its certificate."""

    selected: list[int]
    labels: list[Any] | None
    cost: float
    lower_bound: float
    gap: float
    value: float
    target: float
    share: float | None
    status: Literal["optimal", "within gap", "heuristic"]
    stopped: str
    bound_by: str
    method: str
    seconds: float
    dual: schemas.DualPoint | None = None


class VerifyAnswer(BaseModel):
    """What holds, what does not, and what was not checked."""

    outcome: Literal["proven", "trusted", "refused"]
    ok: bool
    status: Literal["optimal", "within gap", "heuristic", "unverified"]
    bound: float
    checked: list[str]
    refused: list[str]
    trusted: list[str]


class CurveAnswer(BaseModel):
    """One entry per budget: of a problem as asked, of texts ascending; more if asked for."""

    budgets: list[float]
    values: list[float]
    costs: list[float]
    upper_bounds: list[float]
    selections: list[list[int]]
    total_weight: float
    certificates: list[str] | None = Field(None, description="Of texts: what is proven of each.")
    said: list[str] | None = Field(None, description="Of texts: size and share of the weight.")
    sentences: list[dict[str, Any]] | None = None
    concepts: list[dict[str, Any]] | None = None


class PackedAnswer(BaseModel):
    """A context with its certificate; schema ``maxcover.packed/1``."""

    model_config = ConfigDict(extra="allow")

    schema_: str = Field(alias="schema")
    text: str
    cost: float
    budget: float
    unit: str
    passages: list[dict[str, Any]]


class ReadDocument(BaseModel):
    """A text and what it is called."""

    name: str
    text: str


class ReadAnswer(BaseModel):
    """The texts of the files; a JSON Lines file has one per document."""

    documents: list[ReadDocument]


class ErrorDetail(BaseModel):
    """What went wrong."""

    code: str
    message: str


class ErrorAnswer(BaseModel):
    """Every answer that is not a result."""

    error: ErrorDetail


_ERRORS = {
    "400": "The body is not JSON, or the host is not one of the service.",
    "401": "A token is needed.",
    "408": "The body did not arrive in time.",
    "413": "The request is above a limit.",
    "415": "The body is not said to be JSON.",
    "422": "The request makes no sense; the message says why.",
    "429": "Too many requests, or no worker became free in time; see Retry-After.",
    "500": "The service failed; the request may be sent again.",
    "503": "The service is starting.",
    "504": "There was no answer within the time limit.",
}
_REF = "#/components/schemas/"


class Endpoint(NamedTuple):
    """A row of TASKS: one line for the description, how a request is checked, done, answered."""

    title: str
    request: type[BaseModel]
    answer: type[BaseModel]
    run: Callable[[Call, Any], Answer]


def describe(tasks: Mapping[str, Endpoint]) -> dict[str, Any]:
    """Return the OpenAPI description of the service."""
    rows = [tasks[name] for name in NAMES]
    requests = [(row.request, "validation") for row in rows]
    answers = [(model, "serialization") for model in (*(row.answer for row in rows), ErrorAnswer)]
    models: Any = [*requests, *answers]
    names, definitions = models_json_schema(models, ref_template=_REF + "{model}")
    refs = {key[0]: value for key, value in names.items()}
    paths: dict[str, Any] = {
        f"/v1/{task}": {"post": _operation(task, tasks[task], refs)} for task in NAMES
    }
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
            "version": maxcover.__version__,
            "description": "Budgeted maximum coverage and extractive summaries, with certificates.",
        },
        "paths": paths,
        "components": {
            "schemas": definitions["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(task: str, row: Endpoint, refs: dict[Any, Any]) -> dict[str, Any]:
    model = row.request
    media: dict[str, Any] = {"application/json": {"schema": refs[row.answer]}}
    operation: dict[str, Any] = {
        "operationId": task,
        "summary": row.title,
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
    failed = {"application/json": {"schema": refs[ErrorAnswer]}}
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
