"""Arguments: a problem taken apart into what `CoverageProblem.from_edges` makes it of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core.validation import GROUP_LIMITS
from maxcover.errors import OptionError, ProblemError
from maxcover.options import unknown_name

if TYPE_CHECKING:
    from collections.abc import Hashable

    from maxcover.core.problem import CoverageProblem

# Ways to say what elements give: a new one takes the place of the old.
_GIVING = ("need", "returns", "chance", "best")
#: What can be changed of a problem.
CHANGEABLE = (
    "budget", "costs", "weights", "required", "forbidden", "groups", *GROUP_LIMITS, "regions",
    "min_coverage", "conflicts", *_GIVING, "worth",
)  # fmt: skip


def changed(problem: CoverageProblem, changes: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a problem with some of them changed."""
    for name in changes:
        if name not in CHANGEABLE:
            listed = ", ".join(CHANGEABLE)
            raise OptionError(f"{unknown_name(name, CHANGEABLE, ' of replace')}; it takes {listed}")
    given = arguments_of(problem)
    for name in ("budget", "costs"):
        if name in changes and isinstance(given["budget"], Mapping):
            changes[name] = _one_of_several(given[name], changes[name])
    if changes.keys() & {*_GIVING}:
        given = {name: value for name, value in given.items() if name not in _GIVING}
    given |= changes
    if all(given.get(name) is None for name in GROUP_LIMITS):
        given.pop("groups", None)
    if given.get("min_coverage") is None:
        given.pop("regions", None)
    return {name: () if value is None and name == "conflicts" else value
            for name, value in given.items()}  # fmt: skip


def _one_of_several(held: dict[str, Any], change: Any) -> Any:
    """Return several budgets, or their costs, with those changed that are named, or the first."""
    if isinstance(change, Mapping) and change.keys() <= held.keys():
        return {**held, **change}
    return {**held, next(iter(held)): change}


def arguments_of(problem: CoverageProblem) -> dict[str, Any]:
    """Return arguments of `from_edges` that make the same problem.

    What sets are worth by themselves is there as elements of their own.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets([[1, 2], [2]], budget=1, conflicts=[(0, 1)])
    >>> arguments_of(problem)["conflicts"]
    [[0, 1]]
    """
    return {
        "sets": np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr)),
        "elements": problem.indices,
        "n_sets": problem.n_sets,
        "n_elements": problem.n_elements,
        "set_labels": problem.set_labels,
        "element_labels": problem.element_labels,
        "costs": problem.costs,
        "weights": problem.weights,
        "budget": problem.budget,
        "required": problem.required,
        "forbidden": problem.forbidden,
        **_limits(problem),
        **_floors(problem),
        **_returns(problem),
    }


def _limits(problem: CoverageProblem) -> dict[str, Any]:
    limits, n_sets = problem.limits, problem.n_sets
    budgets, costs = {problem.budget_name: problem.budget}, {problem.budget_name: problem.costs}
    conflicts: list[list[int]] = []
    groups: list[list[Hashable]] = [[] for _ in range(n_sets)]
    ends: dict[str, dict[Hashable, float]] = {}
    for r, name in enumerate(limits.names):
        kind, group = limits.keys[r] if limits.keys else ("", name)
        own = slice(limits.indptr[r], limits.indptr[r + 1])
        sets, amounts = limits.sets[own], limits.amounts[own]
        low, high = float(limits.low[r]), float(limits.high[r])
        if kind == "conflict":
            conflicts.append(sets.tolist())
        elif kind in ("items", "cost"):
            for i in sets.tolist():
                groups[i] += [] if group in groups[i] else [group]
            if low > 0:
                ends.setdefault(f"min_{kind}", {})[group] = low
            if high < np.inf:
                ends.setdefault(f"max_{kind}", {})[group] = high
        elif low > 0:
            raise ProblemError(f"expected limits that a constructor made, got {name!r}")
        else:
            each = np.zeros(n_sets)
            each[sets] = amounts
            budgets[str(group)], costs[str(group)] = high, each
    _add_loose(problem, groups, ends)
    found: dict[str, Any] = dict(ends)
    if ends or limits.loose:
        found = found or {"max_items": {}}
        found["groups"] = [own or None for own in groups]
    if len(budgets) > 1:
        found |= {"budget": budgets, "costs": costs}
    return found | ({"conflicts": conflicts} if conflicts else {})


def _add_loose(
    problem: CoverageProblem,
    groups: list[list[Hashable]],
    ends: dict[str, dict[Hashable, float]],
) -> None:
    """Add the groups and maxima that bind nothing now."""
    for kind, group, sets, most in problem.limits.loose:
        for i in sets:
            groups[i] += [] if group in groups[i] else [group]
        if most is not None:
            ends.setdefault(f"max_{kind}", {})[group] = most


def _floors(problem: CoverageProblem) -> dict[str, Any]:
    """Return minima of value as regions, each with the share that it needs."""
    floors = problem.floors
    if not len(floors):
        return {}
    regions: list[list[Hashable]] = [[] for _ in range(problem.n_elements)]
    shares: dict[Hashable, float] = {}
    for r, name in enumerate(floors.names):
        kind, region = floors.keys[r] if floors.keys else ("", name)
        if kind != "min_coverage" or region in shares:
            region = name
        elements = floors.elements[floors.indptr[r] : floors.indptr[r + 1]]
        if not elements.size:  # and so no weight that has to be covered
            continue
        for a in elements.tolist():
            regions[a].append(region)
        whole = float(problem.weights[elements].sum())
        # as many digits as a share was written with
        shares[region] = float(f"{floors.low[r] / whole:.15g}") if whole else 1.0
    found = {"regions": [own or None for own in regions], "min_coverage": shares}
    return found if shares else {}


def _returns(problem: CoverageProblem) -> dict[str, Any]:
    returns = problem.returns
    if not returns.of.size:
        return {}
    kinds = {*returns.of.tolist()}
    if kinds == {-1}:
        return {"best": returns.strength}
    if kinds == {-2}:
        return {"chance": returns.strength}
    curves = [
        returns.steps[returns.indptr[c] : returns.indptr[c + 1]].tolist()
        for c in range(len(returns.indptr) - 1)
    ]
    if len(kinds) == 1 and curves[(own := next(iter(kinds)))][0] > 0:
        return {"returns": curves[own]}
    if all(k >= 0 and not any(curves[k][:-1]) and curves[k][-1] == 1 for k in kinds):
        need = np.array([len(curves[k]) for k in returns.of.tolist()])
        return {"need": need} if need.max() > 1 else {}
    named = {-1: "best", -2: "chance"}
    each = [named[k] if k < 0 else curves[k] for k in returns.of.tolist()]
    return {"returns": each} | ({"best": returns.strength} if min(kinds) < 0 else {})


def to_dict(problem: CoverageProblem) -> dict[str, Any]:
    """Return a problem as plain data, which `CoverageProblem.from_dict` reads again."""
    given, labels = arguments_of(problem), problem.set_labels
    by_name = bool(labels) and all(isinstance(label, str) for label in labels or ())
    elements = problem.element_labels or range(problem.n_elements)

    def of_sets(values: Any) -> Any:
        each = [_plain(value) for value in values]
        return dict(zip(labels or (), each, strict=True)) if by_name else each

    members = (
        [elements[a] for a in problem.elements_at(i).tolist()] for i in range(problem.n_sets)
    )
    found: dict[str, Any] = {"sets": of_sets(members), "budget": given["budget"]}
    if labels is not None and not by_name and labels != tuple(range(problem.n_sets)):
        found["set_labels"] = _plain(labels)
    if problem.element_labels is None:
        found["n_elements"] = problem.n_elements
    else:
        found["element_labels"] = _plain(elements)
    several = isinstance(given["budget"], Mapping)
    costs = given["costs"] if several else {"": problem.costs}
    costs = {name: of_sets(own.tolist()) for name, own in costs.items()}
    found |= {"costs": costs if several else costs[""], "weights": problem.weights.tolist()}
    for name in (*_CHOICES, *_BY_GROUP, *_OF_EDGES, *_OF_SETS, *_OF_ELEMENTS):
        value = given.get(name)
        if value is None or (len(value) == 0 and name not in _BY_GROUP):
            continue
        if name in _CHOICES:
            found[name] = [_plain(_called(problem, one)) for one in value]
        elif name in _BY_GROUP:
            found[name] = {str(group): most for group, most in value.items()}
        elif name in _OF_EDGES:
            found[name] = of_sets(np.split(value, problem.indptr[1:-1]))
        elif name in _OF_SETS:
            found[name] = of_sets(own and [*map(str, own)] for own in value)
        else:
            found[name] = _plain(value)
    return found


# How the arguments beside sets, costs, weights and budget are told.
_CHOICES = ("required", "forbidden", "conflicts")
_BY_GROUP = (*GROUP_LIMITS, "min_coverage")
_OF_EDGES = ("chance", "best")
_OF_SETS = ("groups",)
_OF_ELEMENTS = ("regions", "need", "returns")


def _called(problem: CoverageProblem, sets: Any) -> Any:
    """Return the label of a set, or of each of several."""
    if isinstance(sets, list):
        return [problem.label(i) for i in sets]
    return problem.label(sets)


def _plain(value: Any) -> Any:
    """Return a label or a number as JSON holds it; what JSON does not know as text."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple | range):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)
