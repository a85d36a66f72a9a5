"""Plain calls: a problem, and the questions about it, with plain data in, for every door.

The service and the tools of agents call `ask`. Each says how large a problem may be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxcover.calls import ABOUT, PROBLEM
from maxcover.core.problem import CoverageProblem
from maxcover.decisions.alternatives import alternatives
from maxcover.decisions.explanation import explain
from maxcover.decisions.planned import plan
from maxcover.decisions.sensitivity import sensitivity
from maxcover.solvers.cover import cover
from maxcover.solvers.solve import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from maxcover.core.solution import Solution
    from maxcover.decisions.decision import Decision

    Request = Mapping[str, Any]
    #: Called with the number of edges, at most, before they are made; refuses too many.
    Check = Callable[[int], None]

_SEARCHES: dict[str, Any] = {"solve": solve, "cover": cover, "sites": solve}
_QUESTIONS: dict[str, Any] = {
    "explain": explain, "alternatives": alternatives, "sensitivity": sensitivity,
}  # fmt: skip
#: The calls that `ask` answers.
ASKED = (*_SEARCHES, *_QUESTIONS, "plan")


def ask(call: str, request: Request, options: dict[str, Any], check: Check) -> Solution | Decision:
    """Answer a call that a request, as plain data, describes; ``problem`` holds its problem.

    Examples
    --------
    >>> given = {"sets": {"a": [1, 2], "b": [2]}, "budget": 1}
    >>> ask("solve", {"problem": given}, {}, lambda edges: None).labels
    ('a',)
    """
    if call == "sites":
        problem = sites_of(request, check)
    else:
        budgets = request.get("budgets") or () if call in ("plan", "cover") else None
        problem = problem_of(request["problem"], check, budgets)
    if call in _SEARCHES:
        found: Solution = _SEARCHES[call](problem, **options)
        return found
    if call == "plan":
        return plan(problem, request.get("budgets"), **options)
    if call == "explain":
        options = {**options, "sets": request.get("explain")}
    answer: Decision = _QUESTIONS[call](problem, request.get("solution"), **options)
    return answer


def problem_of(given: Request, check: Check, budgets: Any = None) -> CoverageProblem:
    """Return a problem; with budgets, the largest of them counts where there is none."""
    sets = given.get("sets", ())
    rows = list(sets.values()) if isinstance(sets, dict) else sets
    check(sum(len(own) if isinstance(own, list) else 1 for own in rows) + len(rows))
    budget = {} if budgets is None else {"budget": _largest(budgets)}
    return CoverageProblem.from_dict({**budget, **given})


def problem_in(request: Request) -> dict[str, Any]:
    """Return the keys of a problem that a request holds among others."""
    return {name: request[name] for name in PROBLEM if request.get(name) is not None}


def _largest(budgets: Any) -> float | str:
    """Return a budget that is at least as large as each."""
    if any(isinstance(budget, str) for budget in budgets):
        return "100%"
    return max(budgets, default=0.0)


def sites_of(request: Request, check: Check) -> CoverageProblem:
    """Return the problem of a request that holds places."""
    check(_count(request["sites"]) * _count(request["demand"]))
    given = {name: request[name] for name in ABOUT["sites"] if name in request and name != "proof"}
    return CoverageProblem.from_points(**given)


def _count(places: Any) -> int:
    """Count places: rows, the features of GeoJSON, or the rows of columns."""
    if isinstance(places, list):
        return len(places)
    return max((len(held) for held in places.values() if isinstance(held, list)), default=0)
