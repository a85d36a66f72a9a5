"""Description: the API in OpenAPI, made of the options of every call and the types of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import maxcover
from maxcover.ground.answers import ErrorAnswer
from maxcover.ground.calls import TITLES
from maxcover.ground.options import fields_of, request_schema
from maxcover.ground.options.plain import schema_of
from maxcover.texts import LANGUAGES
from maxcover.texts.report.formats import FORMATS
from maxcover_serve.service.frames import MEDIA
from maxcover_serve.service.settings import NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from maxcover_serve.service.call import Call
    from maxcover_serve.service.frames import Answer


class Endpoint(NamedTuple):
    """A value of TASKS: the calls an endpoint can make, its answer's type, and its function."""

    calls: tuple[str, ...]
    answer: Any
    run: Callable[[Call, dict[str, Any]], Answer]


_SETS: dict[str, Any] = {
    "sets": {"unit": ["parser", "lexer"], "end-to-end": ["parser", "shell"], "smoke": ["shell"]},
    "costs": {"unit": 1, "end-to-end": 5, "smoke": 2},
}
_ANSWER: dict[str, Any] = {
    "selected": [1], "value": 3, "cost": 1, "upper_bound": 3, "status": "optimal",
    "bound_by": "dual point", "price": 3, "price_unit": 1, "shares": [1, 1, 1, 1],
}  # fmt: skip
_TEXT = "Cats purr. Cats and dogs sleep all day."
#: A valid example request for each call.
EXAMPLES: dict[str, dict[str, Any]] = {
    "summarize": {"documents": [_TEXT, "Dogs bark."], "budget": 8},
    "pack": {
        "passages": ["Cats purr and cats sleep.", "Cats purr.", "Dogs bark."],
        "query": "What do dogs do?",
        "budget": 14,
    },
    "solve": {**_SETS, "weights": {"parser": 3, "lexer": 1, "shell": 2}, "budget": 5},
    "cover": {**_SETS, "target": 0.6},
    "explain": {**_SETS, "budget": 3, "solution": ["unit"], "explain": ["smoke"]},
    "alternatives": {**_SETS, "budget": 6, "within": 0.2},
    "plan": {**_SETS, "budgets": [1, 3, 8]},
    "sensitivity": {**_SETS, "budget": 6, "spread": 0.3, "n": 20},
    "sites": {
        "sites": {"name": ["north", "south"], "x": [0, 0], "y": [4, 0]},
        "demand": {"x": [0, 1, 2], "y": [0, 0, 5], "people": [50, 20, 30]},
        "radius": 3,
        "weights": "people",
        "budget": 1,
    },
    "summary_curve": {"documents": [_TEXT], "budgets": [2, 6, 8]},
    "budget_curve": {"sets": [[1, 2], [3], [3, 4]], "costs": [1, 1, 3], "budgets": [1, 2, 4]},
    "verify": {"sets": [[1, 2], [2, 3, 4]], "budget": 1, "solution": _ANSWER},
    "read": {"files": [{"name": "a.txt", "content": "Q2F0cyBwdXJyLg=="}]},
}
_ERRORS = {
    "400": "The body is not JSON, or the host is not one of the service.",
    "401": "The proxy in front of the service asks for a token.",
    "413": "The request is above a limit.",
    "415": "The body is not said to be JSON.",
    "422": "The request makes no sense; the message says why.",
    "429": "Too many requests, or no worker became free in time; see Retry-After.",
    "500": "The service failed; the request may be sent again.",
    "503": "The service is starting.",
    "504": "There was no answer within the time limit.",
}


def describe(tasks: Mapping[str, Endpoint]) -> dict[str, Any]:
    """Return the OpenAPI description of the service."""
    schemas = {"ErrorAnswer": schema_of(ErrorAnswer)}
    for name in NAMES:
        row = tasks[name]
        schemas[row.answer.__name__] = schema_of(row.answer)
        requests = [_request(call) for call in row.calls]
        schemas[_title(name)] = requests[0] if len(requests) == 1 else {"oneOf": requests}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "maxcover",
            "version": maxcover.__version__,
            "description": "Budgeted maximum coverage and extractive summaries, with certificates.",
        },
        "paths": {f"/v1/{name}": {"post": _operation(name, tasks[name])} for name in NAMES},
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _title(task: str) -> str:
    return f"{task.capitalize()}Request"


def _request(call: str) -> dict[str, Any]:
    """Return the JSON schema of a request for `call`, with the allowed values of `language`."""
    found = request_schema(fields_of(call, "service"))
    if (language := found["properties"].get("language")) is not None:
        language["enum"] = [*dict.fromkeys((language["default"], *LANGUAGES))]
    return {**found, "examples": [EXAMPLES[call]]}


def _operation(task: str, row: Endpoint) -> dict[str, Any]:
    media: dict[str, Any] = {"application/json": {"schema": _ref(row.answer.__name__)}}
    examples = {f"example {k}": {"value": EXAMPLES[call]} for k, call in enumerate(row.calls, 1)}
    body = {"schema": _ref(_title(task)), "examples": examples}
    operation: dict[str, Any] = {
        "operationId": task,
        "summary": TITLES[task],
        "security": [{}, {"token": []}],
        "requestBody": {"required": True, "content": {"application/json": body}},
    }
    if task == "summarize":
        media |= {
            kind: {"schema": {"type": "string"}} for name, kind in MEDIA.items() if name != "json"
        }
        choice = {"type": "string", "enum": list(FORMATS), "default": "json"}
        operation["parameters"] = [{"name": "format", "in": "query", "schema": choice}]
    failed = {"application/json": {"schema": _ref("ErrorAnswer")}}
    operation["responses"] = {
        "200": {"description": "The answer.", "content": media},
        **{code: {"description": text, "content": failed} for code, text in _ERRORS.items()},
    }
    operation["responses"]["429"]["headers"] = {"Retry-After": {"schema": {"type": "integer"}}}
    return operation


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
