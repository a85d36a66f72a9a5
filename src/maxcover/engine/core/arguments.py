"""Arguments of a problem: replacing some of them, and converting them to and from JSON data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from maxcover.engine.core.groups import GROUP_LIMITS
from maxcover.engine.core.validation import iterable, some
from maxcover.errors import OptionError, ProblemError
from maxcover.ground.calls import PROBLEM
from maxcover.ground.options import check_names, unknown_name

# Arguments that define how elements give value; a new one replaces the others.
_GIVING = ("need", "returns", "chance", "best")
#: Arguments that `CoverageProblem.replace` can change.
CHANGEABLE = tuple(
    name for name in PROBLEM if name not in ("sets", "set_labels", "element_labels", "n_elements")
)
# Keys whose values may be mappings by label.
_BY_LABEL = ("costs", "weights", "groups", "regions", "need", "chance", "best", "worth")
# Each of the next five tuples has arguments that `to_plain` writes in the same way.
_CHOICES = ("required", "forbidden", "conflicts")
_BY_GROUP = (*GROUP_LIMITS, "min_coverage")
_OF_EDGES = ("chance", "best")
_OF_SETS = ("groups", "worth")
_OF_ELEMENTS = ("regions", "need", "returns")


def changed(given: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments `given` of a problem with `changes` made.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> given = CoverageProblem.from_sets([[1, 2], [2]], budget=1).arguments()
    >>> changed(given, {"required": [1]})["required"]
    [1]
    """
    for name in changes:
        if name in ("sets", "elements", "set_labels", "element_labels"):
            raise OptionError(
                f"expected what belongs to the same sets and elements, got {name}; for others "
                "build a new problem"
            )
        if name not in CHANGEABLE:
            listed = ", ".join(CHANGEABLE)
            raise OptionError(f"{unknown_name(name, CHANGEABLE, ' of replace')}; it takes {listed}")
    for name in ("budget", "costs"):
        if name in changes and isinstance(given["budget"], Mapping):
            changes[name] = _one_of_several(given[name], changes[name])
    if changes.keys() & {*_GIVING}:
        given = {name: value for name, value in given.items() if name not in _GIVING}
    given = given | changes
    if all(given.get(name) is None for name in GROUP_LIMITS):
        given.pop("groups", None)
    if given.get("min_coverage") is None:
        given.pop("regions", None)
    return {name: () if value is None and name == "conflicts" else value
            for name, value in given.items()}  # fmt: skip


def _one_of_several(held: dict[str, Any], change: Any) -> Any:
    """Return `held` updated by `change`: a mapping by budget name, or a value for the first."""
    if isinstance(change, Mapping) and change.keys() <= held.keys():
        return {**held, **change}
    return {**held, next(iter(held)): change}


def to_plain(given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a problem as JSON data, which `from_plain` reads again."""
    labels, n_sets = given["set_labels"], given["n_sets"]
    by_name = bool(labels) and all(isinstance(label, str) for label in labels)
    elements = given["element_labels"] or range(given["n_elements"])
    starts = np.cumsum(np.bincount(given["sets"], minlength=n_sets))[:-1]

    def of_sets(values: Any) -> Any:
        each = [plain(value) for value in values]
        if not by_name:
            return each
        return {x: one for x, one in zip(labels, each, strict=True) if one is not None}

    def called(sets: Any) -> Any:
        if isinstance(sets, list):
            return [called(one) for one in sets]
        return plain(sets if labels is None else labels[sets])

    members = [[elements[a] for a in own.tolist()] for own in np.split(given["elements"], starts)]
    found: dict[str, Any] = {"sets": of_sets(members[:n_sets]), "budget": given["budget"]}
    if labels is not None and not by_name and labels != tuple(range(n_sets)):
        found["set_labels"] = plain(labels)
    if given["element_labels"] is None:
        found["n_elements"] = given["n_elements"]
    else:
        found["element_labels"] = plain(elements)
    costs = given["costs"]
    is_several = isinstance(costs, Mapping)
    found["costs"] = {x: of_sets(costs[x]) for x in costs} if is_several else of_sets(costs)
    found["weights"] = plain(given["weights"])
    write = {
        **dict.fromkeys(_CHOICES, lambda sets: [called(one) for one in sets]),
        **dict.fromkeys(_BY_GROUP, dict),
        **dict.fromkeys(_OF_EDGES, lambda values: of_sets(np.split(values, starts)[:n_sets])),
        **dict.fromkeys(_OF_SETS, of_sets),
        **dict.fromkeys(_OF_ELEMENTS, plain),
    }
    for name, written in write.items():
        value = given.get(name)
        if value is not None and (len(value) or name in _BY_GROUP):
            found[name] = written(as_texts(name, value))
    return found


def as_texts(name: str, value: Any) -> Any:
    """Return groups or regions, or their limits, with labels as text, because JSON keys are text.

    Examples
    --------
    >>> as_texts("groups", [1, None, [1, 2]]), as_texts("max_items", {1: 3.0})
    (['1', None, ['1', '2']], {'1': 3.0})
    """
    if isinstance(value, Mapping):
        return {str(group): end for group, end in value.items()}
    if name not in ("groups", "regions"):
        return value
    each = ([*map(str, one)] if isinstance(one, list) else one for one in value)
    return [one if one is None or isinstance(one, list) else str(one) for one in each]


def plain(value: Any) -> Any:
    """Return labels and numbers as JSON values; objects that JSON cannot hold become text.

    A number that is not finite becomes None.

    Examples
    --------
    >>> plain([("a", 1), float("inf"), {2}])
    [['a', 1], None, '{2}']
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple | range):
        return [plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | int | float) else str(value)


def from_plain(given: Any) -> dict[str, Any]:
    """Return the arguments of `from_sets` from JSON data; the key "1" may mean the label 1."""
    if not isinstance(given, Mapping):
        raise ProblemError(
            f"expected a dict with sets and budget, got {type(given).__name__}; see to_dict"
        )
    found = dict(given)
    for name in ("sets", "budget"):
        if name not in found:
            raise ProblemError(
                f"expected {name!r} in the problem, got {some(found)}; write "
                '{"sets": {"a": ["x", "y"]}, "budget": 1}'
            )
    check_names(found, PROBLEM, "a problem")
    sets = found["sets"]
    if isinstance(sets, Mapping):
        sets = found["sets"] = {label: _labels(own) for label, own in sets.items()}
        members = list(sets.values())
    else:
        members = found["sets"] = [_labels(own) for own in iterable(sets, "sets")]
    for name in ("set_labels", "element_labels", "required", "forbidden"):
        if name in found:
            found[name] = _labels(found[name])
    whole = {one for own in members if isinstance(own, list) for one in own if isinstance(one, int)}
    whole |= {one for one in found.get("set_labels") or () if isinstance(one, int)}
    for name in _BY_LABEL:
        if isinstance(found.get(name), Mapping):
            found[name] = {_label(key, whole): value for key, value in found[name].items()}
    return found


def _labels(values: Any) -> Any:
    """Return labels, with tuples in place of lists, because JSON has no tuples."""
    if not isinstance(values, list) or not any(isinstance(one, list) for one in values):
        return values
    return [tuple(_labels(one)) if isinstance(one, list) else one for one in values]


def _label(key: Any, whole: set[int]) -> Any:
    is_number = isinstance(key, str) and key.lstrip("-").isdecimal() and int(key) in whole
    return int(key) if is_number else key
