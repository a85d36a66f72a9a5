"""Problem tools: choose, cover enough, and ask about a choice, on plain problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.exceptions import ToolError

import maxcover as mc

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Sets, and elements of all sets together, that a problem may have.
MOST_SETS, MOST_PAIRS = 20_000, 1_000_000
#: Seconds that a search may take.
SECONDS = 5.0


def solve(problem: dict[str, Any]) -> dict[str, Any]:
    """Choose sets within a budget that together cover the most weight; says what is proven."""
    return mc.solve(_made(problem), time_limit=SECONDS).to_dict()


def cover(problem: dict[str, Any], target: float = 1.0) -> dict[str, Any]:
    """Choose the cheapest sets that together cover a share of the total weight."""
    made = _made({"budget": 0.0, **problem})
    return mc.cover(made, target=target, time_limit=SECONDS).to_dict()


def explain(problem: dict[str, Any], solution: Any = None, explain: Any = None) -> str:
    """Say why sets are chosen or not, and what changing that costs."""
    return str(mc.explain(_made(problem), solution, explain, time_limit=SECONDS))


def alternatives(problem: dict[str, Any], solution: Any = None, **options: Any) -> str:
    """Find other selections that are nearly as good."""
    return str(mc.alternatives(_made(problem), solution, **options))


def plan(problem: dict[str, Any], budgets: Any = None, **options: Any) -> str:
    """Choose in which order, for budgets that grow."""
    most = max(budgets) if budgets else 0.0
    return str(mc.plan(_made({"budget": most, **problem}), budgets, **options))


def sensitivity(problem: dict[str, Any], solution: Any = None, **options: Any) -> str:
    """Draw the weights again and see what the selection loses."""
    return str(mc.sensitivity(_made(problem), solution, **options))


def sites(**given: Any) -> dict[str, Any]:
    """Choose the sites on a map that reach the most."""
    pairs = _count(given["sites"]) * _count(given["demand"])
    if pairs > MOST_PAIRS:
        raise ToolError(f"expected at most {MOST_PAIRS} pairs of a site and a place, got {pairs}")
    return mc.solve(mc.CoverageProblem.from_points(**given), time_limit=SECONDS).to_dict()


def _made(problem: dict[str, Any]) -> mc.CoverageProblem:
    sets = problem.get("sets")
    held: Iterable[Any] = sets.values() if isinstance(sets, dict) else sets or ()
    rows = [own for own in held if isinstance(own, list)]
    if len(rows) > MOST_SETS or sum(map(len, rows)) > MOST_PAIRS:
        raise ToolError(f"expected at most {MOST_SETS} sets with {MOST_PAIRS} elements in all")
    return mc.CoverageProblem.from_dict(problem)


def _count(places: Any) -> int:
    """Count places: rows, the features of GeoJSON, or the rows of columns."""
    if isinstance(places, list):
        return len(places)
    return max((len(held) for held in places.values() if isinstance(held, list)), default=0)
