"""Fitting: pieces as a coverage problem, chosen so that the joined text fits the budget.

Pieces hold words and phrases. Most phrases occur in one piece only. All phrases that only the same
piece holds are merged into one element. This makes the problem a few times smaller; values, gains
and bounds do not change. A choice takes milliseconds; its certificate is computed when it is first
asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core.groups import group_limits
from maxcover.engine.core.problem import CoverageProblem
from maxcover.engine.core.solution import certify
from maxcover.engine.core.validation import positions_of
from maxcover.engine.solvers import solve
from maxcover.engine.solvers.control import Control
from maxcover.engine.solvers.exchange import Exchange, usual_moves
from maxcover.engine.solvers.greedy import guarded_greedy
from maxcover.engine.solvers.order import added_weight, by_gain
from maxcover.errors import InfeasibleError
from maxcover.texts.packing.occurrences import unique_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import ArrayLike, NDArray

    from maxcover.engine.core.solution import Solution
    from maxcover.engine.solvers.effort import EffortName
    from maxcover.engine.solvers.solve import MethodName
    from maxcover.ground.array_types import Floats, Int64s
    from maxcover.texts.packing.layout import Layout, Prices

    Musts = list[tuple[str, list[int]]]


@dataclass(frozen=True, eq=False)
class Posed:
    """The coverage problem of the pieces, with the data from which it was built.

    Attributes
    ----------
    problem : CoverageProblem
        Its sets are the pieces. Its elements are what several pieces hold, then what each piece
        holds alone, then the requirements.
    layout, prices : Layout, Prices
        Of the pieces.
    budget : float
        Maximum size of the whole text, including the text that it begins with.
    musts : list of (str, list of int)
        The requirements: their names, and the pieces of which at least one must be chosen.
    """

    problem: CoverageProblem
    layout: Layout
    prices: Prices
    budget: float
    musts: Musts

    @property
    def extra(self) -> float:
        """The weight of all requirements together."""
        return float(self.problem.weights[self.problem.n_elements - len(self.musts) :].sum())

    def gains(self, chosen: ArrayLike, *, counted: bool = True) -> Floats:
        """Return what each chosen piece adds to those before it.

        Requirements add nothing unless they are `counted`.
        """
        problem = self.problem
        pieces, indptr = np.asarray(chosen, dtype=np.int64), problem.indptr
        n_elements = problem.n_elements - (0 if counted else len(self.musts))
        places = np.repeat(np.arange(len(pieces)), indptr[pieces + 1] - indptr[pieces])
        elements = problem.indices[positions_of(indptr, pieces)]
        first = np.empty(problem.n_elements, dtype=np.int64)
        first[elements[::-1]] = places[::-1]
        new = (first[elements] == places) & (elements < n_elements)
        sums = np.bincount(places[new], problem.weights[elements[new]], minlength=len(pieces))
        return sums.astype(np.float64)


def pose(
    parts: Iterable[tuple[Int64s, Int64s, Floats]],
    musts: Musts,
    layout: Layout,
    prices: Prices,
    *,
    budget: float,
    per_document: float | None = None,
) -> Posed:
    """Build the coverage problem; a requirement is an element that outweighs all the others.

    Parameters
    ----------
    parts : iterable of (pieces, ids, weights)
        Kinds of elements: distinct pairs of a piece and an element that it holds, and the weight
        of each element by its id.
    musts : list of (str, list of int)
        As in `Posed`.
    layout, prices : Layout, Prices
    budget, per_document : float
        As in `maxcover.pack`.
    """
    n_pieces, width, heavy = len(prices.pieces), 0, 1.0
    own = np.zeros(n_pieces)
    edges, weights = [], []
    for rows, ids, values in parts:
        shared = np.bincount(ids, minlength=len(values)) > 1
        several = shared[ids]
        own += np.bincount(rows, np.where(several, 0.0, values[ids]), minlength=n_pieces)
        edges.append((rows[several], (np.cumsum(shared) + (width - 1))[ids[several]]))
        weights.append(values[shared])
        width += len(weights[-1])
        heavy += float(values.sum())
    alone = np.flatnonzero(own)
    edges.append((alone, width + np.arange(len(alone))))
    width += len(alone)
    for number, (_, holders) in enumerate(musts):
        edges.append((np.array(holders), np.full(len(holders), width + number)))
    weight = np.concatenate([*weights, own[alone], np.full(len(musts), heavy)])
    rows, ids = (np.concatenate(columns) for columns in zip(*edges, strict=True))
    rows, ids = unique_pairs(rows, ids, len(weight))
    # Every selection pays for the header and separator (charge) of at least one passage. The
    # smallest charge is taken off the budget here, because set costs do not include charges.
    charge = prices.charges.min() if prices.charges.size else 0.0
    within: dict[str, Any] = {}
    if per_document is not None:
        groups = layout.number_documents().tolist()
        within = group_limits(groups, prices.pieces, max_cost=per_document)
    problem = CoverageProblem(
        indptr=np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n_pieces)))),
        indices=ids.astype(np.int32),
        costs=prices.pieces,
        weights=weight,
        budget=max(0.0, budget - prices.before + prices.credit - charge),
        **within,
    )
    return Posed(problem, layout, prices, budget, musts)


# Moves of the exchange search: on 250 sentences they take about a millisecond and find, in the
# mean, 99.9 % of what twenty times as many moves find. A move takes longer on more sentences, so
# the number of moves times sets is limited too.
_MOVES, _MOVES_TIMES_SETS = 200, 50_000
# The most rounds of solving until the text fits. A few are enough unless the sizes from the counter
# are inconsistent. If pieces have heads, at least _ROUNDS_OF_HEADS rounds are run, because pieces
# share the cost of a head.
_ROUNDS, _ROUNDS_OF_HEADS = 7, 3


@dataclass(slots=True)
class Chooser:
    """A solver with fixed method, effort and options; keeps the proof of its first choice.

    Attributes
    ----------
    method : str
        A name from `METHODS`.
    effort : str
        A name from `EFFORTS`. With "fast", "auto" is `choose_quickly`.
    options : dict
        Other options of `solve`.
    """

    method: MethodName
    effort: EffortName
    options: dict[str, Any]
    _proof: Callable[[], Solution] | None = field(default=None)

    def __call__(self, problem: CoverageProblem) -> NDArray[np.int64]:
        """Return the sets chosen within the budget of `problem`."""
        if (self.method, self.effort) == ("auto", "fast"):
            selected = choose_quickly(problem, seed=self.options["seed"])
            # With limits, only dual steps prove a good bound, and they take longer than the choice.
            prove = partial(certify, selected=selected) if problem.is_plain else self._solve
            self._proof = self._proof or partial(prove, problem)
            return selected
        solution = self._solve(problem)
        self._proof = self._proof or (lambda: solution)
        return solution.selected

    def _solve(self, problem: CoverageProblem) -> Solution:
        effort = self.effort if self.method == "auto" else "normal"
        return solve(problem, method=self.method, effort=effort, **self.options)

    def prove(self) -> Solution:
        """Return the certified solution of the first choice, with its bound."""
        if self._proof is None:
            raise RuntimeError("expected a choice before its proof")
        return self._proof()


def choose_quickly(problem: CoverageProblem, *, seed: int = 0) -> NDArray[np.int64]:
    """Run guarded greedy, then exchange search: swap a few sets at a time while that pays.

    The value is at least 0.393 of the optimum, mostly within a percent of it. Time is linear in the
    number of edges.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets([[1, 2], [2, 3, 4], [4]], costs=[2, 2, 1], budget=2)
    >>> choose_quickly(problem).tolist()
    [1]
    """
    control = Control(time_limit=None, target_gap=0.0, seed=seed, callback=None)
    selected = guarded_greedy(problem, control).selected
    if selected.size in (0, problem.n_sets):
        return selected
    moves = min(_MOVES, _MOVES_TIMES_SETS // problem.n_sets)
    effort = moves / usual_moves(problem.n_sets)
    return Exchange(problem, seed=seed).improve(selected, effort=effort, control=control)


@dataclass(frozen=True, slots=True, eq=False)
class Fitting:
    """The search for a selection whose joined text fits, as measured by the counter."""

    posed: Posed
    choose: Chooser

    def run(self) -> tuple[list[int], float]:
        """Return the chosen pieces, largest gain first, and the size of their text."""
        chosen, size = self.settle()
        if size > self.posed.budget:
            chosen, size = self.trim(chosen)
        return self.posed.layout.complete(chosen), size

    def settle(self) -> tuple[list[int], float]:
        """Solve until the text fits; return the best selection and the size of its text.

        From the second round on (from the first if there are heads), the charges of passages and
        the sizes of heads are shared out among the pieces that need them. If the text is larger
        than these costs explain, the budget is lowered.
        """
        posed, limit = self.posed, self.posed.problem.budget
        headed = bool((posed.layout.heads >= 0).any())
        chosen, size, worth, best = list[int](), 0.0, -1.0, (list[int](), 0.0)
        for number in range(_ROUNDS):
            costs = posed.problem.costs
            if headed or number:
                costs = costs + self._shares(chosen)
                estimate = float(costs[chosen].sum()) - posed.prices.credit
                if size > max(posed.budget, estimate):
                    limit *= max(posed.budget / size, 0.5)
                    limit *= 0.99 if posed.prices.credit <= limit else 1.0
            chosen = self.useful(self.choose(replace(posed.problem, costs=costs, budget=limit)))
            size = self.size(chosen)
            value = float(posed.gains(chosen).sum())
            if size <= posed.budget and value > worth:
                best, worth = (chosen, size), value
            if (worth >= 0 and number >= headed * (_ROUNDS_OF_HEADS - 1)) or not chosen:
                break
        return best if best[0] else (chosen, size)

    def size(self, chosen: list[int]) -> float:
        """Return the size of the text of the chosen pieces and of the heads that they need."""
        return self.posed.layout.measure(self.posed.layout.complete(chosen))

    def useful(self, selected: NDArray[np.int64]) -> list[int]:
        """Return a selection sorted by gain, without the pieces that add nothing."""
        order = by_gain(self.posed.problem, selected)
        kept: list[int] = order[self.posed.gains(order) > 0].tolist()
        return kept

    def _shares(self, chosen: list[int]) -> NDArray[np.float64]:
        """Return the extra cost of each piece: its shares of the passage header and of its head.

        Chosen pieces of a passage share its charge equally, and pieces under a head share its size.
        The first piece of a new passage pays the whole charge.
        """
        layout = self.posed.layout
        used = np.bincount(layout.passage[chosen], minlength=len(layout.texts))
        shares = (self.posed.prices.charges / np.maximum(used, 1))[layout.passage]
        headed = np.flatnonzero(layout.heads >= 0)
        if headed.size:
            heads = layout.heads[chosen]
            users = np.bincount(heads[heads >= 0], minlength=len(shares))
            # A head that is itself chosen is already paid for.
            costs = np.where(np.isin(np.arange(len(shares)), chosen), 0.0, self.posed.prices.pieces)
            shares[headed] += (costs / np.maximum(users, 1))[layout.heads[headed]]
        return np.asarray(shares)

    def trim(self, chosen: list[int]) -> tuple[list[int], float]:
        """Drop pieces with the least gain until the text fits; if none is left, try single ones."""
        kept = list(chosen)
        size = self.size(kept)
        while kept and size > self.posed.budget:
            kept.pop()
            size = self.size(kept)
        if kept:
            return kept, size
        worth = added_weight(self.posed.problem, np.empty(0, dtype=np.int64))
        for index in np.argsort(-worth, kind="stable").tolist():
            size = self.size([index])
            if worth[index] > 0 and size <= self.posed.budget:
                return [index], size
        return [], 0.0


def choose(
    posed: Posed, method: MethodName, effort: EffortName, options: dict[str, Any]
) -> tuple[list[int], float, Chooser]:
    """Return the chosen pieces, the size of their text, and the `Chooser` that chose them.

    Raises
    ------
    InfeasibleError
        No selection keeps the requirements.
    """
    # If a heuristic method misses a requirement, the exact method is tried: it finds a selection
    # with all requirements if there is one.
    for way in dict.fromkeys((method, "exact")):
        chooser = Chooser(way, effort, options)
        chosen, size = Fitting(posed, chooser).run()
        missing = [name for name, holders in posed.musts if not set(chosen).intersection(holders)]
        if not missing:
            return chosen, size, chooser
    shown = ", ".join(missing[:5]) + (", …" if len(missing) > 5 else "")
    raise InfeasibleError(
        f"expected all {len(posed.musts)} requirements to fit into {posed.budget:g} "
        f"{posed.layout.unit.name}, found no selection with {shown}; raise the budget, or let less "
        "be required"
    )
