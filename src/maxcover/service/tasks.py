"""Tasks: what a worker does with the body of a request. No HTTP in here."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from maxcover import CoverageProblem, budget_curve, solve, summarize
from maxcover.errors import MaxcoverError, OptionError
from maxcover.report import FORMATS
from maxcover.report_html import POLICY
from maxcover.service import schemas
from maxcover.service.answers import JSON, MEDIA, Answer, error
from maxcover.service.detail import detail_of
from maxcover.service.pieces import curve_within
from maxcover.text import split

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maxcover.service.settings import Settings
    from maxcover.solvers.control import Progress
    from maxcover.solvers.curve import BudgetCurve


class TooLarge(Exception):  # noqa: N818 - an answer, not a mistake
    """The request is above a limit of the service."""


@dataclass(frozen=True)
class Call:
    """One request: its body, the format that was asked for, when it arrived, and the limits.

    The time of arrival is on the clock of `time.perf_counter` of this process.
    """

    body: bytes
    format: str
    arrived: float
    settings: Settings

    def search(self, time_limit: float | None) -> dict[str, Any]:
        """Return the options that make a solver keep the deadline, counted from arrival.

        With a time limit the solver uses what is left of it. Without one it stops by itself, and
        is only held to the service's own limit.
        """
        if time_limit is not None:
            longest = min(time_limit, self.settings.max_seconds)
            return {"time_limit": max(0.0, longest - time.perf_counter() + self.arrived)}
        end = self.arrived + self.settings.seconds

        def stop(_: Progress) -> bool:
            return time.perf_counter() > end

        return {"callback": stop}

    def curve(
        self,
        curve_of: Callable[[Sequence[float]], BudgetCurve],
        budgets: Sequence[float],
        time_limit: float | None,
    ) -> BudgetCurve:
        """Compute a curve; with a time limit, as much of it as there is time for."""
        if time_limit is None:
            return curve_of(budgets)
        longest = min(time_limit, self.settings.max_seconds)
        return curve_within(curve_of, budgets, end=self.arrived + longest)


def answer(task: str, call: Call) -> Answer:
    """Do a task; whatever is wrong with the request becomes an answer too."""
    if call.format not in FORMATS or (call.format != "json" and task != "summarize"):
        expected = ", ".join(FORMATS) if task == "summarize" else "json"
        return error(422, "unknown_format", f"expected format to be one of {expected}")
    try:
        return TASKS[task](call)
    except ValidationError as invalid:
        return _explain(invalid)
    except TooLarge as large:
        return error(413, "too_large", str(large))
    except MaxcoverError as refused:
        return error(422, type(refused).__name__, str(refused))


def _explain(invalid: ValidationError) -> Answer:
    """Say what is wrong with a body, without repeating it."""
    first, *rest = invalid.errors(include_url=False, include_context=False, include_input=False)
    if first["type"] == "json_invalid":
        return error(400, "invalid_json", first["msg"])
    where = ".".join(str(part) for part in first["loc"])
    more = f" (and {len(rest)} more)" if rest else ""
    return error(422, "invalid_request", f"{where[:200]}: {first['msg'][:500]}{more}")


def _summarize(call: Call) -> Answer:
    request = schemas.SummarizeRequest.model_validate_json(call.body)
    _check_texts(request, call.settings)
    if request.names and len(request.names) != len(request.documents):
        raise OptionError(
            f"expected one name a document, got {len(request.names)} names and "
            f"{len(request.documents)} documents"
        )
    summary = summarize(
        request.documents,
        budget=request.budget,
        order=request.order,
        max_similarity=request.max_similarity,
        method=request.method,
        target_gap=request.target_gap,
        seed=request.seed,
        **request.reading(),
        **call.search(request.time_limit),
    )
    if call.format == "json":
        return Answer(200, JSON, summary.to_json().encode())
    text = FORMATS[call.format].write(summary, request.names, request.title)
    policy = f"{POLICY}; frame-ancestors 'none'; sandbox" if call.format == "html" else ""
    return Answer(200, MEDIA[call.format], text.encode("utf-8", "replace"), policy=policy)


def _solve(call: Call) -> Answer:
    request = schemas.SolveRequest.model_validate_json(call.body)
    problem = _problem(request, request.budget, call.settings)
    solution = solve(
        problem,
        method=request.method,
        target_gap=request.target_gap,
        seed=request.seed,
        **call.search(request.time_limit),
    )
    return Answer(200, JSON, json.dumps(solution.to_dict()).encode())


def _curve(call: Call) -> Answer:
    request = schemas.CurveRequest.model_validate_json(call.body).root
    if len(request.budgets) > call.settings.budgets:
        raise TooLarge(
            f"expected at most {call.settings.budgets} budgets, got {len(request.budgets)}"
        )
    if isinstance(request, schemas.ProblemCurveRequest):
        problem = _problem(request, max(request.budgets), call.settings)

        def curve_of(budgets: Sequence[float]) -> BudgetCurve:
            return budget_curve(problem, budgets, seed=request.seed)

        curve = call.curve(curve_of, request.budgets, request.time_limit)
        return _curve_answer(curve, total=float(problem.weights.sum()))
    _check_texts(request, call.settings)
    # with room for everything there is nothing to search for, only to read
    everything = summarize(
        request.documents, budget="100%", max_similarity=1.0, seed=request.seed, **request.reading()
    )
    sizes = [everything.corpus.budget(budget) for budget in request.budgets]
    curve = call.curve(everything.curve, sizes, request.time_limit)
    extra = detail_of(everything) if request.detail else {}
    return _curve_answer(curve, total=everything.total_weight, **extra)


def _describe(_: Call) -> Answer:
    from maxcover.service.openapi import describe

    return Answer(200, JSON, json.dumps(describe()).encode())


#: What a worker can do: the tasks of `routes.TITLES`, and the description of them.
TASKS: dict[str, Callable[[Call], Answer]] = {
    "summarize": _summarize,
    "solve": _solve,
    "curve": _curve,
    "describe": _describe,
}


def _curve_answer(curve: BudgetCurve, **extra: Any) -> Answer:
    total = extra.pop("total")
    names = ("budgets", "values", "costs", "upper_bounds")
    content = {name: getattr(curve, name).tolist() for name in names}
    content["selections"] = [chosen.tolist() for chosen in curve.selections]
    content["total_weight"] = total
    return Answer(200, JSON, json.dumps({**content, **extra}, ensure_ascii=False).encode())


def _check_texts(request: Any, settings: Settings) -> None:
    """Refuse more documents or sentences than allowed, before any work is done with them."""
    count = len(request.documents)
    if count > settings.documents:
        raise TooLarge(f"expected at most {settings.documents} documents, got {count}")
    # a sentence takes two characters at least, its end included: most texts are short enough
    if sum(map(len, request.documents)) <= 2 * settings.sentences:
        return
    total = 0
    for text in request.documents:
        total += len(split(text, request.language, lines=request.lines))
        if total > settings.sentences:
            raise TooLarge(f"expected at most {settings.sentences} sentences, got more")


def _problem(request: Any, budget: float, settings: Settings) -> CoverageProblem:
    """Build the problem: elements are named, or numbered if their weights come in a list."""
    sets = request.sets
    rows = list(sets.values()) if isinstance(sets, dict) else sets
    edges = sum(map(len, rows))
    if edges + len(rows) > settings.edges:
        raise TooLarge(f"expected at most {settings.edges} sets and edges, got more")
    options: dict[str, Any] = {
        "budget": budget,
        "costs": request.costs,
        "required": request.required,
        "forbidden": request.forbidden,
        "groups": request.groups,
        "max_items": request.max_items,
        "max_cost": request.max_cost,
    }
    weights = request.weights
    if isinstance(weights, list):
        _check_numbered(rows, len(weights))
        # elements that no set holds do not count, here as everywhere
        weights = {k: weights[k] for row in rows for k in row}
    return CoverageProblem.from_sets(sets, weights=weights, **options)


def _check_numbered(rows: list[list[Any]], count: int) -> None:
    for row in rows:
        for element in row:
            if not isinstance(element, int) or not 0 <= element < count:
                raise OptionError(
                    f"expected elements to be numbers below {count}, as there are {count} weights "
                    f"in a list; got {element!r}"
                )
