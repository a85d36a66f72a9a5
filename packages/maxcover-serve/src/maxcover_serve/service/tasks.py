"""Tasks: what a worker does with a request, also with answers that clients send back. No HTTP."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import maxcover as mc
from maxcover.engine.core.io import plain_record, stated_solution
from maxcover.engine.core.validation import noting
from maxcover.engine.decisions.plain_calls import ask, problem_in, problem_of
from maxcover.errors import MaxcoverError, OptionError, TextError
from maxcover.ground import answers
from maxcover.ground.answers import StatedAnswer
from maxcover.ground.machine import confined
from maxcover.ground.options import fields_of, read_request
from maxcover.texts.packing.records import read_records
from maxcover.texts.read.given import find_documents
from maxcover.texts.read.sources import read_upload
from maxcover.texts.report.formats import FORMATS
from maxcover.texts.report.html_view import POLICY
from maxcover.texts.report.summary_wording import share_of_weight
from maxcover.texts.summary.phrases import Phrases
from maxcover_serve.service import description
from maxcover_serve.service.call import NotJson, TooLarge, read_body
from maxcover_serve.service.description import Endpoint
from maxcover_serve.service.frames import JSON, MEDIA, Answer, error

if TYPE_CHECKING:
    from maxcover.engine.solvers.curve import BudgetCurve
    from maxcover.texts.read.sources import SourceCluster
    from maxcover.texts.summary.summary import Summary
    from maxcover_serve.service.call import Call


def read_solution(stated: dict[str, Any]) -> mc.Solution:
    """Return the solution that an answer of the service states, without checking it."""
    names = StatedAnswer.__annotations__
    return stated_solution({name: held for name, held in stated.items() if name in names})


# Limits for reading one uploaded file: bytes of memory, and seconds.
_READING: dict[str, Any] = {"memory": 256_000_000, "seconds": 5.0}
# Largest number of questions in one pack request.
_MOST_QUESTIONS = 100
# Fields of a saved solution that are null rather than missing.
_MAY_BE_NULL = ("price", "target", "share", "upper_bound")


def answer(task: str, call: Call) -> Answer:
    """Do a task and return its answer; an invalid request gets an error answer."""
    if call.format not in FORMATS or (call.format != "json" and task != "summarize"):
        expected = ", ".join(FORMATS) if task == "summarize" else "json"
        return error(422, "unknown_format", f"expected format to be one of {expected}")
    try:
        with noting() as noted:
            found = _done(task, call)
        if noted and found.media == JSON:
            return _plain({**json.loads(found.body), "warnings": noted})
        return found
    except NotJson as broken:
        return error(400, "invalid_json", f"expected JSON: {broken}")
    except TooLarge as large:
        return error(413, "too_large", str(large))
    except MaxcoverError as refused:
        return error(422, type(refused).__name__, str(refused))


def _done(task: str, call: Call) -> Answer:
    if task == "describe":
        return _plain(description.describe(TASKS))
    content, row = read_body(call), TASKS[task]
    # If an endpoint has two calls, the first takes documents, the second sets.
    name = row.calls[-1] if isinstance(content, dict) and "sets" in content else row.calls[0]
    try:
        request = read_request(content, fields_of(name, "service"))
    except OptionError as invalid:
        return error(422, "invalid_request", str(invalid))
    call = replace(call, task=name)
    call.limit(request.get("time_limit"))
    return row.run(call, request)


def _plain(content: Any) -> Answer:
    return Answer(200, JSON, json.dumps(content, ensure_ascii=False).encode())


def _texts(call: Call, request: dict[str, Any]) -> dict[str, SourceCluster]:
    """Return the `documents` of a request and, if given, its `known` ones, with sizes checked."""
    found = {"documents": find_documents(request["documents"], paths=False)}
    if not found["documents"].documents:
        raise OptionError("expected at least one document, got none")
    if request.get("known"):
        found["known"] = find_documents(request["known"], option="known", paths=False)
    every = [text for cluster in found.values() for text in cluster.documents]
    call.check_texts(every, request.get("language", "auto"), request.get("lines", "auto"))
    return found


def _summarize(call: Call, request: dict[str, Any]) -> Answer:
    texts, names = _texts(call, request), request.get("names", [])
    count = len(texts["documents"].documents)
    if names and len(names) != count:
        raise OptionError(
            f"expected one name per document, got {len(names)} names and {count} documents"
        )
    summary = mc.summarize(**call.options(request) | texts)
    if call.format == "json":
        return Answer(200, JSON, summary.to_json().encode())
    text = FORMATS[call.format].write(summary, names, request.get("title", ""))
    policy = f"{POLICY}; frame-ancestors 'none'; sandbox" if call.format == "html" else ""
    return Answer(200, MEDIA[call.format], text.encode("utf-8", "replace"), policy=policy)


def _pack(call: Call, request: dict[str, Any]) -> Answer:
    asked = request.get("query", "")
    if isinstance(asked, list) and len(asked) > _MOST_QUESTIONS:
        raise OptionError(f"expected at most {_MOST_QUESTIONS} questions, got {len(asked)}")
    texts, _, columns = read_records(request["passages"])
    given = find_documents(texts, option="passages", paths=False)
    call.check_texts(given.documents)
    packed = mc.pack(given, **columns | call.options(request))
    return Answer(200, JSON, packed.to_json().encode())


def _ask(call: Call, request: dict[str, Any]) -> Answer:
    """Solve a problem, or answer a question about its solution, which is computed if not given."""
    if isinstance(request.get("solution"), dict):
        request = {**request, "solution": read_solution(request["solution"])}
    asked = {**request, "problem": problem_in(request)}
    found = ask(call.task, asked, call.options(request), call.check_edges)
    content = found.to_dict()
    if request.get("proof") and isinstance(found, mc.Solution):
        saved = plain_record(found).items()
        content |= {name: held for name, held in saved if held is not None or name in _MAY_BE_NULL}
    return _plain(content)


def _verify(call: Call, request: dict[str, Any]) -> Answer:
    has_target = request["solution"].get("target") is not None
    budget = 0.0 if has_target else request.get("budget")
    if budget is None:
        raise OptionError("expected the budget that was sent to /v1/solve, got none")
    problem = problem_of({**problem_in(request), "budget": budget}, call.check_edges)
    solution = read_solution(request["solution"])
    return _plain(mc.verify(problem, solution, **call.options(request)).to_dict())


def _curve(call: Call, request: dict[str, Any]) -> Answer:
    budgets = request["budgets"]
    call.check_count(len(budgets), "budgets")
    if "sets" in request:
        problem = problem_of(problem_in(request), call.check_edges, budgets)
        curve = mc.budget_curve(problem, budgets, **call.options(request))
        return _curve_answer(curve, total=float(problem.weights.sum()))
    texts, options = _texts(call, request), call.options(request)
    limit = options.pop("time_limit")
    # a budget of 100 % needs no search: this call only reads the texts
    everything = mc.summarize(**options | texts, budget="100%", max_similarity=1.0)
    sizes = [everything.corpus.budget(budget) for budget in budgets]
    usual = everything.corpus.budget()
    if request.get("detail"):
        sizes.append(usual)
    curve = everything.curve(sizes, time_limit=limit)
    total = everything.total_weight
    extra: dict[str, Any] = {
        "certificates": curve.certificates,
        "said": [share_of_weight(p.cost, everything.unit, p.value, total) for p in curve],
    }
    if request.get("detail"):
        extra |= {**_detail(everything), "usual_budget": usual}
    return _curve_answer(curve, total=total, **extra)


def _curve_answer(curve: BudgetCurve, *, total: float, **extra: Any) -> Answer:
    names = ("budgets", "values", "costs", "upper_bounds")
    content = {name: getattr(curve, name).tolist() for name in names}
    content["selections"] = [chosen.tolist() for chosen in curve.selections]
    content["missing"] = list(curve.missing)
    return _plain({**content, "total_weight": total, **extra})


def _detail(summary: Summary) -> dict[str, Any]:
    """List all sentences with their offsets and concepts, and all concepts with their weights.

    Offsets count characters (code points) from 0, as everywhere in maxcover.
    """
    corpus, problem, phrases = summary.corpus, summary.problem, Phrases(summary.corpus)
    names: dict[int, str] = {}
    sentences = []
    for index, (document, start, end, _) in enumerate(corpus):
        concepts = problem.elements_at(index).tolist()
        for concept in concepts:
            if concept not in names:
                names[concept] = phrases.label(concept, index)
        sentences.append(
            {
                "document": document,
                "start": start,
                "end": end,
                "speaker": corpus.speakers[index],
                "text": corpus.texts[index],
                "cost": float(corpus.costs[index] - corpus.unit.joint),
                "concepts": concepts,
            }
        )
    weights = problem.weights.tolist()
    concepts_found = [{"name": names.get(k, ""), "weight": w} for k, w in enumerate(weights)]
    return {"sentences": sentences, "concepts": concepts_found}


def _read(call: Call, request: dict[str, Any]) -> Answer:
    found: list[dict[str, str]] = []
    for file in request["files"]:
        try:
            data = base64.b64decode(file["content"], validate=True)
        except ValueError:
            raise TextError(
                "expected the content of a file in base64, got something else"
            ) from None
        with confined(**_READING):
            for name, text in read_upload(file["name"], data):
                found.append({"name": name, "text": text})
                call.check_count(len(found), "documents")
    return _plain({"documents": found})


#: The tasks of a worker: an endpoint for each name in `settings.NAMES`.
TASKS: dict[str, Endpoint] = {
    "summarize": Endpoint(("summarize",), answers.SummaryAnswer, _summarize),
    "pack": Endpoint(("pack",), answers.PackedAnswer, _pack),
    "solve": Endpoint(("solve",), answers.SolutionAnswer, _ask),
    "cover": Endpoint(("cover",), answers.PlanAnswer, _ask),
    "explain": Endpoint(("explain",), answers.ExplanationAnswer, _ask),
    "alternatives": Endpoint(("alternatives",), answers.AlternativesAnswer, _ask),
    "plan": Endpoint(("plan",), answers.PhasesAnswer, _ask),
    "sensitivity": Endpoint(("sensitivity",), answers.SensitivityAnswer, _ask),
    "sites": Endpoint(("sites",), answers.SolutionAnswer, _ask),
    "curve": Endpoint(("summary_curve", "budget_curve"), answers.CurveAnswer, _curve),
    "verify": Endpoint(("verify",), answers.VerificationAnswer, _verify),
    "read": Endpoint(("read",), answers.ReadAnswer, _read),
}
