"""Reason: what is known about one set of an explained solution, and one plain sentence about it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.core.ascending import difference, union
from maxcover.core.wording import percent
from maxcover.decisions.decision import listed

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.core.solution import Solution

# How many of the chosen sets are named that cover what a set would, and that would change.
_NAMED = 3


class Reason(NamedTuple):
    """Why one set is chosen or not.

    Attributes
    ----------
    set, label
        Index of the set, and its label; the index again where there are no labels.
    chosen : bool
    loss_at_least, loss_at_most : float
        What the best selection with this set decided the other way is worth less.
    gain : float
        What the set adds to the other chosen sets.
    covered_by : tuple of (label, share)
        Up to three chosen sets that hold most of what the set covers, and the share that each adds.
    limit : str
        The limit that keeps the set out of the selection; empty if none does.
    sentence : str
        All this in plain words.
    """

    set: int
    label: Hashable
    chosen: bool
    loss_at_least: float
    loss_at_most: float
    gain: float
    covered_by: tuple[tuple[Hashable, float], ...]
    limit: str
    sentence: str


def number(value: float) -> str:
    """Write a number with at most six digits."""
    return f"{value:,.6g}"


def reason_of(
    solution: Solution,
    index: int,
    *,
    losses: tuple[float, float],
    gain: float,
    holders: tuple[NDArray[np.int64], NDArray[np.int32]],
    forced: Solution | None,
) -> Reason:
    """Put together what is known about one set of a solution.

    Parameters
    ----------
    solution : Solution
    index : int
    losses : pair of float
        At least, and at most.
    gain : float
        What the set adds to the other chosen ones.
    holders : indptr and places
        Which chosen sets hold each element, as places in the selection.
    forced : Solution, optional
        The best that was found with the set decided the other way.
    """
    problem = solution.problem
    assert problem is not None  # noqa: S101 - `explain` has seen to it
    chosen = bool(np.isin(index, solution.selected))
    label = problem.label(index)
    covered = () if chosen else _covered_by(problem, solution.selected, index, holders)
    limit = "" if chosen else _broken(problem, union(solution.selected, [index]))
    least, most = losses
    if math.isfinite(least):
        parts = [
            _loss_sentence(solution, label, chosen=chosen, least=least, most=most),
            _exchange_sentence(problem, solution, forced, index),
            f"{label} alone covers {number(gain)}." if chosen else _overlap(label, covered),
            limit and f"There is no room to add it: {limit}.",
        ]
    else:
        parts = [f"{label} {_why_fixed(problem, index, chosen=chosen)}."]
    return Reason(
        set=index,
        label=label,
        chosen=chosen,
        loss_at_least=least,
        loss_at_most=most,
        gain=gain,
        covered_by=covered,
        limit=limit,
        sentence=" ".join(part for part in parts if part),
    )


def _broken(problem: CoverageProblem, selected: NDArray[np.int64]) -> str:
    """Say which maximum a selection would break, as a fact rather than as an error."""
    said = problem.excess(selected).removeprefix("expected ")
    return said.replace(" to be at most ", " may be at most ").replace(", got ", ", it would be ")


def _why_fixed(problem: CoverageProblem, index: int, *, chosen: bool) -> str:
    """Say why a set cannot be decided the other way."""
    if chosen:
        return "is required"
    if index in problem.forbidden:
        return "is forbidden"
    broken = _broken(problem, union(problem.required, [index]))
    others = " together with the required sets" if problem.required.size else ""
    return f"cannot be chosen{others}: {broken or 'no selection with it keeps the limits'}"


def _loss_sentence(
    solution: Solution, label: Hashable, *, chosen: bool, least: float, most: float
) -> str:
    """Say what deciding the other way costs."""
    value = solution.value
    if chosen:
        begin = f"Without {label}, the best selection covers"
    else:
        begin = f"With {label}, the best selection covers"

    def share(loss: float) -> str:
        return percent(loss / value) if value > 0 else percent(0)

    tiny = 1e-9 * value
    if most < -tiny:
        return f"{begin.replace('the best', 'a')} {number(-most)} more than this one."
    if abs(least) <= tiny and abs(most) <= tiny:
        change = "be left out" if chosen else "be chosen"
        return f"{label} can {change} without any loss."
    if most == math.inf:
        return f"{begin} at least {number(max(least, 0.0))} less ({share(max(least, 0.0))})."
    if most - least <= tiny:
        instead = f"{number(value - most)} instead of {number(value)}"
        return f"{begin} {number(most)} less ({share(most)}): {instead}."
    if least <= tiny:
        return f"{begin} at most {number(most)} less ({share(most)}), perhaps as much."
    return f"{begin} {number(least)} to {number(most)} less ({share(least)} to {share(most)})."


def _covered_by(
    problem: CoverageProblem,
    selected: NDArray[np.int64],
    index: int,
    holders: tuple[NDArray[np.int64], NDArray[np.int32]],
) -> tuple[tuple[Hashable, float], ...]:
    """Return up to three chosen sets that hold most of what a set covers, the largest first."""
    indptr, places = holders
    left = {a: float(problem.weights[a]) for a in problem.elements_at(index).tolist()}
    total = sum(left.values())
    found: list[tuple[Hashable, float]] = []
    while total > 0 and len(found) < _NAMED:
        parts: dict[int, float] = {}
        for a, weight in left.items():
            for place in places[indptr[a] : indptr[a + 1]].tolist():
                parts[place] = parts.get(place, 0.0) + weight
        if not parts or max(parts.values()) <= 0:
            break
        first = min(parts, key=lambda place: (-parts[place], place))
        held = int(selected[first])
        found.append((problem.label(held), parts[first] / total))
        for a in problem.elements_at(held).tolist():
            left.pop(a, None)
    return tuple(found)


def _overlap(label: Hashable, covered: Sequence[tuple[Hashable, float]]) -> str:
    """Say which chosen sets cover what a set would."""
    if not covered:
        return f"No chosen set covers anything that {label} covers."
    share = sum(part for _, part in covered)
    verb = "covers" if len(covered) == 1 else "cover"
    part = "all" if share > 1 - 1e-9 else percent(share)
    return f"Of what {label} covers, {listed([name for name, _ in covered])} already {verb} {part}."


def _exchange_sentence(
    problem: CoverageProblem, solution: Solution, forced: Solution | None, index: int
) -> str:
    """Say which other sets would change places."""
    if forced is None:
        return ""
    enters = difference(difference(forced.selected, solution.selected), [index])
    leaves = difference(difference(solution.selected, forced.selected), [index])
    changed = max(enters.size, leaves.size)
    if not changed:
        return ""
    if changed > _NAMED:
        return f"Then {enters.size} other sets enter and {leaves.size} leave."
    words = [
        f"{listed([problem.label(i) for i in moved.tolist()])} {verb}{'s' * (moved.size == 1)}"
        for moved, verb in ((enters, "enter"), (leaves, "leave"))
        if moved.size
    ]
    return f"Then {' and '.join(words)}."
