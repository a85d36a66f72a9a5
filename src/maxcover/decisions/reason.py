"""Reason: the facts about one set of an explained solution, and a plain sentence about it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.core.ascending import difference, union
from maxcover.core.validation import positions_of
from maxcover.core.wording import number, percent
from maxcover.decisions.decision import changes, listed

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.decisions.explanation import Explanation

# At most this many chosen sets are named as covering the elements of a set not chosen.
_HOLDERS = 3


class Reason(NamedTuple):
    """Why one set is chosen or not.

    Attributes
    ----------
    set, label
        Index of the set, and its label; the index again if there are no labels.
    chosen : bool
    loss_at_least, loss_at_most : float
        How much less the best selection with this set decided the other way is worth.
    gain : float
        The value that the set adds to the other chosen sets.
    covered_by : tuple of (label, share)
        Up to three chosen sets that hold most of what the set covers, and the share that each adds.
    limit : str
        The limit that keeps the set out of the selection; empty if none does.
    sentence : str
        All of these facts in plain words.
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


def reason_of(explanation: Explanation, place: int) -> Reason:
    """Return the reason for the set ``explanation.sets[place]``."""
    problem, selected = explanation.problem, explanation.solution.selected
    index = int(explanation.sets[place])
    label, chosen = problem.label(index), bool(np.isin(index, selected))
    least, most = (
        float(end[place]) for end in (explanation.loss_at_least, explanation.loss_at_most)
    )
    covered = () if chosen else _covered_by(problem, selected, index)
    gain = float(explanation.gains[place])
    limit = "" if chosen else _broken(problem, union(selected, [index]))
    parts = [f"{label} {_why_fixed(problem, index, chosen=chosen)}."]
    if math.isfinite(least):
        forced = explanation.forced.get(index)
        after = selected if forced is None else forced.selected
        moved = changes(problem, difference(selected, [index]), difference(after, [index]))
        parts = [
            _loss_sentence(label, explanation.solution.value, least, most, chosen=chosen),
            moved and f"Then {moved}.",
            f"{label} alone covers {number(gain)}." if chosen else _overlap(label, covered),
            limit and f"There is no room to add it: {limit}.",
        ]
    sentence = " ".join(filter(None, parts))
    return Reason(index, label, chosen, least, most, gain, covered, limit, sentence)


def _broken(problem: CoverageProblem, selected: NDArray[np.int64]) -> str:
    """Return which maximum `selected` would break, worded as a fact, not as an error."""
    said = problem.excess(selected).removeprefix("expected ")
    return said.replace(" to be at most ", " may be at most ").replace(", got ", ", it would be ")


def _why_fixed(problem: CoverageProblem, index: int, *, chosen: bool) -> str:
    """Return why the set `index` cannot be left out (if `chosen`), or cannot be chosen."""
    if chosen:
        return "is required"
    if index in problem.forbidden:
        return "is forbidden"
    broken = _broken(problem, union(problem.required, [index]))
    others = " together with the required sets" if problem.required.size else ""
    return f"cannot be chosen{others}: {broken or 'no selection with it keeps the limits'}"


def _loss_sentence(
    label: Hashable, value: float, least: float, most: float, *, chosen: bool
) -> str:
    """Return a sentence about the loss, from `least` to `most`, of deciding the other way."""

    def share(loss: float) -> str:
        return percent(loss / value if value > 0 else 0.0)

    begin, tiny = f"{'Without' if chosen else 'With'} {label},", 1e-9 * value
    if most < -tiny:
        return f"{begin} a selection covers {number(-most)} more than this one."
    if max(abs(least), abs(most)) <= tiny:
        return f"{label} can be {'left out' if chosen else 'chosen'} without any loss."
    begin, least = f"{begin} the best selection covers", max(least, 0.0)
    if most == math.inf:
        return f"{begin} at least {number(least)} less ({share(least)})."
    if most - least <= tiny:
        instead = f"{number(value - most)} instead of {number(value)}"
        return f"{begin} {number(most)} less ({share(most)}): {instead}."
    if least <= tiny:
        return f"{begin} at most {number(most)} less ({share(most)}), perhaps as much."
    return f"{begin} {number(least)} to {number(most)} less ({share(least)} to {share(most)})."


def _covered_by(
    problem: CoverageProblem, selected: NDArray[np.int64], index: int
) -> tuple[tuple[Hashable, float], ...]:
    """Return chosen sets that cover most of what set `index` covers, each with its share."""
    own = problem.elements_at(index)
    left = np.zeros(problem.n_elements)
    left[own] = problem.weights[own]
    total = left.sum()
    held = problem.indices[positions_of(problem.indptr, selected)]
    owners = np.repeat(np.arange(selected.size), np.diff(problem.indptr)[selected])
    found: list[tuple[Hashable, float]] = []
    for _ in range(_HOLDERS if selected.size else 0):
        parts = np.bincount(owners, left[held], selected.size)
        first = int(parts.argmax())
        if parts[first] <= 0:
            break
        found.append((problem.label(selected[first]), float(parts[first] / total)))
        left[problem.elements_at(int(selected[first]))] = 0.0
    return tuple(found)


def _overlap(label: Hashable, covered: tuple[tuple[Hashable, float], ...]) -> str:
    """Return a sentence on which chosen sets already cover what the set `label` covers."""
    if not covered:
        return f"No chosen set covers anything that {label} covers."
    share = sum(part for _, part in covered)
    verb = "covers" if len(covered) == 1 else "cover"
    part = "all" if share > 1 - 1e-9 else percent(share)
    return f"Of what {label} covers, {listed([name for name, _ in covered])} already {verb} {part}."
