"""Explanation: why a set is chosen or not, and what changing that would cost (`explain`).

The dual point behind a solution bounds the loss of every forced decision at once. The profit of a
set is what it earns at the prices of the dual point. Forcing the set in lowers the upper bound by
``max(-profit, 0)``, leaving it out by ``max(profit, 0)``. Solving once more with the set forced
gives the other end of the interval, and often a better bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from maxcover.engine.core import bounds, notebook
from maxcover.engine.core.ascending import difference, union
from maxcover.engine.core.gains import gains
from maxcover.engine.core.validation import frozen, positions_of
from maxcover.engine.core.wording import number, percent
from maxcover.engine.decisions.decision import (
    SOLVED_SETS,
    Decision,
    certify_other,
    changes,
    has_minima,
    listed,
    places_of,
    solution_of,
)
from maxcover.engine.solvers.control import Until
from maxcover.engine.solvers.solve import solve
from maxcover.errors import InfeasibleError
from maxcover.ground.options import checked

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Solution
    from maxcover.engine.solvers.effort import EffortName
    from maxcover.ground.array_types import Floats, Int64s, Mask
    from maxcover.ground.options import row


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


def _broken(problem: CoverageProblem, selected: Int64s) -> str:
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
    problem: CoverageProblem, selected: Int64s, index: int
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


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Explanation(Decision):
    """The value lost by forcing each set in or out of a solution, as a certified interval.

    The loss of a set is the value of the solution less the value of the best selection in which
    this one set is decided the other way. It is negative if that selection is better. Iterating
    gives one `Reason` per set, ``explanation["Lyon"]`` the reason for one set; printing gives the
    sentences.

    Attributes
    ----------
    problem : CoverageProblem
    solution : Solution
        The solution that is explained.
    sets : array of int
        The sets that were asked for; if these are all sets, the smallest losses come first.
    loss_at_least, loss_at_most : array of float
        The two ends of each loss; infinite if no selection keeps the limits.
    gains : array of float
        The value that each set adds to the other chosen sets.
    forced : mapping of int to Solution
        For a set, the best selection found with this set decided the other way.
    better : Solution or None
        The best selection in `forced`, if it is worth more than the solution.
    """

    _picture = "plot_losses"

    solution: Solution
    sets: Int64s
    loss_at_least: Floats
    loss_at_most: Floats
    gains: Floats
    forced: Mapping[int, Solution]
    better: Solution | None = None

    def __len__(self) -> int:
        return len(self.sets)

    def __iter__(self) -> Iterator[Reason]:
        return (reason_of(self, place) for place in range(len(self)))

    def __getitem__(self, label: Hashable) -> Reason:
        places = np.flatnonzero(self.sets == places_of(self.problem, label)[0])
        if not places.size:
            raise KeyError(f"{label!r} was not asked for")
        return reason_of(self, int(places[0]))

    def __repr__(self) -> str:
        exact = int((self.loss_at_least == self.loss_at_most).sum())
        return f"Explanation({len(self)} sets, {exact} losses exact; {self.solution!r})"

    def _sentences(self) -> list[str]:
        shown = [one.sentence for one in islice(self, notebook.SHOWN)]
        more = len(self) - len(shown)
        return [*self._notes(), *shown, *([f"... and {more:,} more sets."] if more else ())]

    def _notes(self) -> list[str]:
        if self.better is None:
            return []
        more = number(self.better.value - self.solution.value)
        return [f"A better selection was found on the way: it covers {more} more (see better)."]

    def _columns(self) -> dict[str, Any]:
        rows = [reason._asdict() for reason in self]
        names = [name for name in Reason._fields if name not in ("set", "label")]
        return self._named(self.sets) | {name: [row[name] for row in rows] for name in names}

    def _shown(self) -> dict[str, Any]:
        said = ("covered_by", "limit")  # the sentence in the same row repeats them
        return {name: cells for name, cells in self._columns().items() if name not in said}

    def _facts(self) -> dict[str, Any]:
        better = None if self.better is None else self.better.to_dict()
        return {"value": self.solution.value, "better": better}


@checked
def explain(
    problem: CoverageProblem,
    solution: Solution | Any = None,
    sets: Any = None,
    *,
    tight: Annotated[
        bool | None,
        row.option("Solve again for each set, to narrow the intervals of losses.", bool),
    ] = None,
    effort: EffortName | None = None,
    time_limit: float | None = 10.0,
    seed: int = 0,
) -> Explanation:
    """Explain why sets are chosen or not, and what deciding the other way would cost.

    Parameters
    ----------
    problem : CoverageProblem
    solution : Solution, or labels or indices of sets, optional
        An answer of `solve`, or the selection that you have; otherwise the problem is solved.
    sets : label or index, or several, optional
        The sets to explain; all by default.
    tight : bool, optional
        Whether to solve once more for each set, with it forced in or out. By default this is done
        for the sets that you name, and for all of a problem with at most 200 sets. Otherwise
        ``loss_at_least`` comes from the dual point alone, and ``loss_at_most`` from exchanging the
        set for one other, under one budget; it may be infinite.
    effort : {"fast", "normal", "thorough"}, optional
        How hard each of these searches tries. By default "normal" for up to 200 sets, else "fast".
    time_limit : float, optional
        Seconds after which no further search begins: the remaining intervals stay wider, and
        ``unfinished`` says how many. None for no limit.
    seed : int

    Returns
    -------
    Explanation
        For each set an interval that is certain to hold the loss.

    Examples
    --------
    >>> from maxcover import CoverageProblem, solve
    >>> sets = {"north": [1, 2, 3], "middle": [3, 4], "south": [4, 5]}
    >>> problem = CoverageProblem.from_sets(sets, budget=2)
    >>> reason = explain(problem, solve(problem), "middle")["middle"]
    >>> reason.loss_at_least, reason.loss_at_most
    (1.0, 1.0)
    >>> reason.covered_by
    (('north', 0.5), ('south', 0.5))
    """
    until = Until.after(time_limit)
    solution = solution_of(problem, solution, seed=seed, callback=until)
    asked = np.arange(problem.n_sets) if sets is None else places_of(problem, sets)
    least, most, gain = _bounded(problem, solution)
    is_small = problem.n_sets <= SOLVED_SETS
    options: Any = {"effort": effort or ("normal" if is_small else "fast"), "seed": seed}
    forced: dict[int, Solution] = {}
    is_tight = is_small or sets is not None if tight is None else tight
    searched = asked[np.isfinite(least[asked])].tolist() if is_tight else []
    n_done = 0
    for i in searched:
        if until.left < 0:
            break
        n_done += 1
        try:
            other = _decided(problem, i, chosen=i not in solution.selected)
        except InfeasibleError:
            least[i] = most[i] = np.inf
            continue
        try:
            start = difference(solution.selected, [i])
            forced[i] = found = solve(other, start=start, callback=until, **options)
        except InfeasibleError:  # no selection met the minima, perhaps for lack of time
            continue
        most[i] = min(most[i], solution.value - found.value)
        proven = found.value if found.status == "optimal" else found.upper_bound
        least[i] = min(max(least[i], solution.value - proven), most[i])
    best = max(forced.values(), key=lambda one: one.value, default=solution)
    is_best = bounds.proves(problem, solution.value, best.value)
    if sets is None:
        asked = np.lexsort((least, most))
    return Explanation(
        problem=problem,
        solution=solution,
        sets=frozen(asked),
        loss_at_least=frozen(least[asked]),
        loss_at_most=frozen(most[asked]),
        gains=frozen(gain[asked]),
        forced=forced,
        better=None if is_best else certify_other(solution, best.selected, best.stopped),
        unfinished=(
            f"The time limit left {len(searched) - n_done} of {len(searched)} losses as the wider "
            "intervals of the first bound."
            if n_done < len(searched)
            else ""
        ),
    )


def _decided(problem: CoverageProblem, index: int, *, chosen: bool) -> CoverageProblem:
    """Return the problem with set `index` required (if `chosen`) or forbidden."""
    if chosen:
        return problem.with_choice(union(problem.required, [index]), problem.forbidden)
    return problem.with_choice(problem.required, union(problem.forbidden, [index]))


def _bounded(problem: CoverageProblem, solution: Solution) -> tuple[Floats, Floats, Floats]:
    """Return lower and upper ends of each set's loss, and its gain, without solving again.

    This takes a few passes over the edges.
    """
    left, value = bounds.reduced(problem), solution.value
    dual = solution.dual or bounds.residual_dual(problem, left, solution.selected)
    at = bounds.priced(problem, left, dual)
    chosen = np.zeros(problem.n_sets, dtype=bool)
    chosen[solution.selected] = True
    change = np.where(chosen, -np.maximum(at.low, 0.0), np.minimum(at.high, 0.0))
    limit = np.nextafter(np.nextafter(at.bound + change, np.inf) + left.base, np.inf)
    rounded = bounds.round_each_down(problem, np.minimum(limit, solution.upper_bound))
    possible = np.where(chosen, ~problem.is_required, left.allowed)
    lost = value - rounded
    least = np.where(possible, np.where(lost == 0, 0.0, np.nextafter(lost, -np.inf)), np.inf)
    gain = gains(problem, solution.selected, np.arange(problem.n_sets))
    most = np.where(possible, _exchanged(problem, chosen, gain), np.inf)
    return np.minimum(least, most), most, gain


def _exchanged(problem: CoverageProblem, chosen: Mask, gain: Floats) -> Floats:
    """Return an upper bound on each set's loss, from dropping it or swapping it in.

    Without minima, leaving a set out keeps every limit. In a plain problem, a set can be swapped in
    for a chosen set that frees enough budget; the set then adds at least its gain.
    """
    loss = np.where(chosen & (not has_minima(problem)), gain, np.inf)
    if not problem.is_plain:
        return loss
    ticks, limit = problem.ticks.ticks, problem.ticks.limit
    missing = ticks - (limit - int(ticks[chosen].sum()))
    dropped = np.flatnonzero(chosen & ~problem.is_required)
    dropped = dropped[np.argsort(-ticks[dropped], kind="stable")]
    cheapest = np.append(np.inf, np.minimum.accumulate(gain[dropped]))
    enough = np.searchsorted(-ticks[dropped], -missing, side="right")
    swap = np.where(missing <= 0, 0.0, cheapest[enough]) - gain
    return np.where(chosen, loss, swap)
