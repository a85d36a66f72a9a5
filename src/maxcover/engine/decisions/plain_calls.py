"""Plain calls: answers to questions about a problem that is given as plain (JSON) data.

The service and the tools for agents call `ask`. Each of them limits the size of problems.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxcover.engine.core.problem import CoverageProblem
from maxcover.engine.decisions.alternatives import alternatives
from maxcover.engine.decisions.explanation import explain
from maxcover.engine.decisions.planned import plan
from maxcover.engine.decisions.sensitivity import sensitivity
from maxcover.engine.solvers.cover import cover
from maxcover.engine.solvers.solve import solve
from maxcover.ground.calls import ABOUT, PROBLEM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from maxcover.engine.core.solution import Solution
    from maxcover.engine.decisions.decision import Decision

    Request = Mapping[str, Any]
    #: Called with an upper bound on the number of edges before they are made; raises if too many.
    Check = Callable[[int], None]

_SEARCHES: dict[str, Any] = {"solve": solve, "cover": cover, "sites": solve}
_QUESTIONS: dict[str, Any] = {
    "explain": explain, "alternatives": alternatives, "sensitivity": sensitivity,
}  # fmt: skip
#: Names of the calls that `ask` answers.
ASKED = (*_SEARCHES, *_QUESTIONS, "plan")


def ask(call: str, request: Request, options: dict[str, Any], check: Check) -> Solution | Decision:
    """Answer `call`, one of `ASKED`, for a problem that `request` holds as plain data.

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
    """Build the problem that `given` describes; its default budget is the largest of `budgets`."""
    sets = given.get("sets", ())
    rows = list(sets.values()) if isinstance(sets, dict) else sets
    check(sum(len(own) if isinstance(own, list) else 1 for own in rows) + len(rows))
    budget = {} if budgets is None else {"budget": _largest(budgets)}
    return CoverageProblem.from_dict({**budget, **given})


def problem_in(request: Request) -> dict[str, Any]:
    """Return the entries of `request` that describe a problem."""
    return {name: request[name] for name in PROBLEM if request.get(name) is not None}


def _largest(budgets: Any) -> float | str:
    """Return the largest of `budgets`; "100%" if one of them is a text."""
    if any(isinstance(budget, str) for budget in budgets):
        return "100%"
    return max(budgets, default=0.0)


def sites_of(request: Request, check: Check) -> CoverageProblem:
    """Build the problem of a request with sites and demand."""
    check(_count(request["sites"]) * _count(request["demand"]))
    given = {name: request[name] for name in ABOUT["sites"] if name in request and name != "proof"}
    return CoverageProblem.from_points(**given)


def _count(places: Any) -> int:
    """Return the number of places, given as a list, as GeoJSON or as columns."""
    if isinstance(places, list):
        return len(places)
    return max((len(held) for held in places.values() if isinstance(held, list)), default=0)
