"""Tasks: what a worker does with the body of a request. No HTTP in here."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError
from pydantic_core import from_json

import maxcover as mc
from maxcover.core.bounds import Dual, Pieces
from maxcover.errors import MaxcoverError, OptionError, TextError
from maxcover.machine import confined
from maxcover.options import MOST_FAULTS, join_faults, unknown_name
from maxcover.report.formats import FORMATS
from maxcover.report.render import POLICY
from maxcover.report.summary_wording import share_of_weight
from maxcover.service import description, schemas
from maxcover.service.call import TooLarge
from maxcover.service.frames import JSON, MEDIA, Answer, error
from maxcover.summary.phrases import Phrases
from maxcover.text.read.sources import read_upload

if TYPE_CHECKING:
    from pydantic import BaseModel

    from maxcover.service.call import Call
    from maxcover.solvers.curve import BudgetCurve
    from maxcover.summary.summary import Summary


# More than any request has: with those that are unknown, each would be a fault.
_MOST_NAMES = 100
# Counted before they are looked at one by one.
_TEXTS = ("documents", "passages", "known", "names", "files")
# Many names are all different, and looking each up takes longer than making it; texts recur.
_MANY_NAMES = 100_000
# What reading one file may take, whatever it holds.
_READING: dict[str, Any] = {"memory": 256_000_000, "seconds": 5.0}


class Invalid(Exception):  # noqa: N818 - an answer, not a mistake
    """The body is not what the request has to be."""


def answer(task: str, call: Call) -> Answer:
    """Do a task; whatever is wrong with the request becomes an answer too."""
    if call.format not in FORMATS or (call.format != "json" and task != "summarize"):
        expected = ", ".join(FORMATS) if task == "summarize" else "json"
        return error(422, "unknown_format", f"expected format to be one of {expected}")
    row = TASKS[task]
    try:
        request = _validated(_content(call), row.request)
        if isinstance(request, schemas.Limited):
            call.limit(request)
        return row.run(call, request)
    except _NotJson as broken:
        return error(400, "invalid_json", f"expected JSON: {broken}")
    except Invalid as invalid:
        return error(422, "invalid_request", str(invalid))
    except TooLarge as large:
        return error(413, "too_large", str(large))
    except MaxcoverError as refused:
        return error(422, type(refused).__name__, str(refused))


class _NotJson(Exception):  # noqa: N818 - an answer, not a mistake
    """The body is not JSON."""


def _content(call: Call) -> Any:
    """Parse a body that is not too large to be."""
    call.check_body()
    try:
        # by itself: together with checking it takes twice the memory
        names = call.body.count(b":")
        content = from_json(call.body, cache_strings="none" if names > _MANY_NAMES else "all")
        # a duplicate is a colon too many; so is one inside a text, which takes a second look
        if names != _count_names(content):
            json.loads(call.body, object_pairs_hook=_each_once)
    except ValueError as broken:
        raise _NotJson(str(broken)) from None
    if isinstance(content, dict) and len(content) > _MOST_NAMES:
        raise TooLarge(f"expected at most {_MOST_NAMES} names in a request, got {len(content)}")
    for name in _TEXTS:
        given = content.get(name) if isinstance(content, dict) else None
        call.check_count(len(given) if isinstance(given, list | dict) else 1, "documents")
    return content


def _count_names(content: Any) -> int:
    """Count the names of all objects inside a body."""
    total, rest = 0, [content]
    while rest:
        here = rest.pop()
        inside = here
        if isinstance(here, dict):
            total += len(here)
            inside = here.values()
        if isinstance(here, dict | list):
            rest += [one for one in inside if isinstance(one, dict | list)]
    return total


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; a name that is there twice is refused, since one of the values is lost."""
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"the name {twice[:60]!r} is in one object twice")
    return made


def _validated(content: Any, model: type[BaseModel]) -> BaseModel:
    """Check a body; say every fault, up to ten, without repeating the body."""
    known = schemas.names_of(content, model)
    unknown = [name for name in content if name not in known] if known else []
    for name in unknown:
        del content[name]
    # finding the nearest takes a while, and there may be a million
    faults = [("", unknown_name(name, known)) for name in unknown[:MOST_FAULTS]]
    total, request = len(unknown), None
    try:
        request = model.model_validate(content)
    except ValidationError as invalid:
        total += invalid.error_count()
        for one in invalid.errors(include_url=False, include_context=False, include_input=False):
            where, what = ".".join(map(str, one["loc"])), one["msg"]
            own = what.removeprefix("Value error, ")  # an error of ours says where it is
            faults.append((where if own == what else "", own))
    if request is None or total:
        raise Invalid(join_faults(faults, total=total))
    return request


def _summarize(call: Call, request: schemas.SummarizeRequest) -> Answer:
    texts = (*request.documents.documents, *request.known.documents)
    call.check_texts(texts, request)
    count = len(request.documents.documents)
    if request.names and len(request.names) != count:
        raise OptionError(
            f"expected one name per document, got {len(request.names)} names and {count} documents"
        )
    summary = mc.summarize(
        request.documents,
        budget=request.budget,
        order=request.order,
        max_similarity=request.max_similarity,
        method=request.method,
        effort=request.effort,
        target_gap=request.target_gap,
        seed=request.seed,
        **request.reading(),
        **call.search(request, request.method),
    )
    if call.format == "json":
        return Answer(200, JSON, summary.to_json().encode())
    text = FORMATS[call.format].write(summary, request.names, request.title)
    policy = f"{POLICY}; frame-ancestors 'none'; sandbox" if call.format == "html" else ""
    return Answer(200, MEDIA[call.format], text.encode("utf-8", "replace"), policy=policy)


def _pack(call: Call, request: schemas.PackRequest) -> Answer:
    call.check_texts(request.passages.documents)
    limit = call.settings.seconds if request.time_limit is None else request.time_limit
    packed = mc.pack(**request.options(), time_limit=call.left(limit))
    return Answer(200, JSON, packed.to_json().encode())


def _solve(call: Call, request: schemas.SolveRequest) -> Answer:
    problem = call.problem(request, request.budget)
    solution = mc.solve(
        problem,
        method=request.method,
        effort=request.effort,
        target_gap=request.target_gap,
        seed=request.seed,
        start=request.start,
        change_cost=request.change_cost,
        checkable=request.proof,
        **call.search(request, request.method),
    )
    return _certified(solution, proof=request.proof)


def _cover(call: Call, request: schemas.CoverRequest) -> Answer:
    plan = mc.cover(
        call.problem(request, 0.0),
        target=request.target,
        weight=request.weight,
        method=request.method,
        target_gap=request.target_gap,
        seed=request.seed,
        start=request.start,
        change_cost=request.change_cost,
        checkable=request.proof,
        **call.search(request, request.method),
    )
    return _certified(plan, proof=request.proof)


def _certified(found: mc.Solution, *, proof: bool) -> Answer:
    content = found.to_dict()
    if proof and found.dual is not None:
        content["dual"] = _plain(found.dual._asdict())
    return Answer(200, JSON, json.dumps(content).encode())


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a dual point as JSON can hold them."""
    found = {}
    for name, value in values.items():
        part = _plain(value._asdict()) if isinstance(value, Pieces) else value
        found[name] = part.tolist() if isinstance(part, np.ndarray) else part
    return found


def _verify(call: Call, request: schemas.VerifyRequest) -> Answer:
    stated = request.solution
    about: dict[str, Any] = {
        "selected": np.array(stated.selected, dtype=np.int64),
        "labels": None if stated.labels is None else tuple(stated.labels),
        "stopped": "",
        "dual": None if stated.dual is None else _dual(stated.dual),
        **stated.model_dump(exclude={"selected", "labels", "dual"}),
    }
    if isinstance(stated, schemas.StatedPlan):
        found = mc.verify(call.problem(request, 0.0), mc.Solution(**about), strict=request.strict)
    elif request.budget is None:
        raise OptionError("expected the budget that was sent to /v1/solve, got none")
    else:
        found = mc.verify(
            call.problem(request, request.budget), mc.Solution(**about), strict=request.strict
        )
    return Answer(200, JSON, json.dumps(found.to_dict()).encode())


def _dual(stated: schemas.DualPoint) -> Dual:
    def column(values: list[float] | None) -> Any:
        return None if values is None else np.array(values, dtype=np.float64)

    pieces = (
        None
        if stated.pieces is None
        else Pieces(
            np.array(stated.pieces.elements, dtype=np.int32),
            column(stated.pieces.shares),
            np.array(stated.pieces.indptr, dtype=np.int64),
            np.array(stated.pieces.edges, dtype=np.int64),
        )
    )
    shares = column(stated.shares)
    return Dual(
        stated.price, shares, stated.unit, column(stated.rows), column(stated.floors), pieces
    )


def _curve(call: Call, choice: schemas.CurveRequest) -> Answer:
    request = choice.root
    call.limit(request)
    call.check_count(len(request.budgets), "budgets")
    limit = call.settings.seconds if request.time_limit is None else request.time_limit
    if isinstance(request, schemas.ProblemCurveRequest):
        problem = call.problem(request, max(request.budgets))
        curve = mc.budget_curve(
            problem, request.budgets, seed=request.seed, time_limit=call.left(limit)
        )
        return _curve_answer(curve, total=float(problem.weights.sum()))
    texts = (*request.documents.documents, *request.known.documents)
    call.check_texts(texts, request)
    # with room for everything there is nothing to search for, only to read
    everything = mc.summarize(
        request.documents, budget="100%", max_similarity=1.0, seed=request.seed, **request.reading()
    )
    sizes = [everything.corpus.budget(budget) for budget in request.budgets]
    curve = everything.curve(sizes, time_limit=call.left(limit))
    total = everything.total_weight
    extra: dict[str, Any] = {
        "certificates": curve.certificates,
        "said": [share_of_weight(p.cost, request.unit, p.value, total) for p in curve],
    }
    if request.detail:
        extra |= _detail(everything)
    return _curve_answer(curve, total=total, **extra)


def _read(call: Call, request: schemas.ReadRequest) -> Answer:
    call.check_count(len(request.files), "documents")
    found: list[dict[str, str]] = []
    for file in request.files:
        try:
            data = base64.b64decode(file.content, validate=True)
        except ValueError:
            raise TextError(
                "expected the content of a file in base64, got something else"
            ) from None
        with confined(**_READING):
            for name, text in read_upload(file.name, data):
                found.append({"name": name, "text": text})
                call.check_count(len(found), "documents")
    return Answer(200, JSON, json.dumps({"documents": found}, ensure_ascii=False).encode())


def _describe(_call: Call, _request: BaseModel) -> Answer:
    return Answer(200, JSON, json.dumps(description.describe(TASKS)).encode())


#: What a worker can do: an endpoint for each name in `settings.NAMES`, and their description.
TASKS: dict[str, description.Endpoint] = {
    "summarize": description.Endpoint(
        "Choose the sentences that cover the most of what the texts say.",
        schemas.SummarizeRequest,
        description.SummaryAnswer,
        _summarize,
    ),
    "pack": description.Endpoint(
        "Choose the passages that say the most of what was asked for, within a hard budget.",
        schemas.PackRequest,
        description.PackedAnswer,
        _pack,
    ),
    "solve": description.Endpoint(
        "Choose sets within a budget that cover the most weight.",
        schemas.SolveRequest,
        description.SolutionAnswer,
        _solve,
    ),
    "cover": description.Endpoint(
        "Choose the cheapest sets that cover enough.",
        schemas.CoverRequest,
        description.PlanAnswer,
        _cover,
    ),
    "curve": description.Endpoint(
        "What each of many budgets would buy.",
        schemas.CurveRequest,
        description.CurveAnswer,
        _curve,
    ),
    "verify": description.Endpoint(
        "Check a solution or plan in exact arithmetic, without trusting who made it.",
        schemas.VerifyRequest,
        description.VerifyAnswer,
        _verify,
    ),
    "read": description.Endpoint(
        "Read files as the command line does: text, web pages, JSON Lines.",
        schemas.ReadRequest,
        description.ReadAnswer,
        _read,
    ),
    "describe": description.Endpoint(
        "This description.", schemas.Nothing, schemas.Nothing, _describe
    ),
}


def _curve_answer(curve: BudgetCurve, *, total: float, **extra: Any) -> Answer:
    names = ("budgets", "values", "costs", "upper_bounds")
    content = {name: getattr(curve, name).tolist() for name in names}
    content["selections"] = [chosen.tolist() for chosen in curve.selections]
    content["total_weight"] = total
    return Answer(200, JSON, json.dumps({**content, **extra}, ensure_ascii=False).encode())


def _detail(summary: Summary) -> dict[str, Any]:
    """List all sentences with their places and concepts, and all concepts with their weights.

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
