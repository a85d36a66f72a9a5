"""Tree search: branch and bound whose leaves are dual points, so that anybody can check the proof.

A node decides some sets, and its dual point is improved on what is left open
(`maxcover.engine.kernels.tree`). It is closed when its bound is below the next possible value. A
set that reduced costs decide is a leaf of its own: the opposite decision, with the same point. The
search dives, likelier decision first, and goes on with the open node of the highest bound.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core import bounds
from maxcover.engine.core.ascending import union
from maxcover.engine.core.bounds import CaseTree
from maxcover.engine.core.limits import FLOOR_ROUNDING
from maxcover.engine.core.returns import CHANCE
from maxcover.engine.kernels.arrays import CompressedRows
from maxcover.engine.kernels.price import at_least
from maxcover.engine.kernels.tree import CLOSED, NODES, SELECTION, SPACE, Tree
from maxcover.engine.solvers.greedy import complete, fitting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from maxcover.engine.core.bounds import Dual
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.solvers.folding import Folded
    from maxcover.ground.array_types import AnyArray, Floats, Int64s

_OPEN, _IN, _OUT = range(3)
# Parts of a weight in which the kernel counts shares.
_FINE = 2**15
# Every so many nodes a selection is completed from the averaged solution of the node.
_COMPLETE_EVERY = 32
# Edges visited between two looks at the clock, about two milliseconds.
_LOOK = 1_000_000
#: Most bytes of points of a proof that is kept: by default, which takes seconds to check, and if it
#: was asked for, which takes half a minute.
KEPT = (300_000, 3_000_000)
# Bytes of open nodes; beyond, the search goes depth first.
_MOST_HELD = 200_000_000


class TreeSearch:
    """A branch and bound that can go on where it stopped.

    It begins with the dual point `dual`; a poor one takes more nodes, and proves as much. The proof
    is kept while its points have at most `most_kept` bytes.
    """

    def __init__(self, problem: CoverageProblem, dual: Dual, *, most_kept: float) -> None:
        self.problem, self.most_kept = problem, most_kept
        self.scale = problem.weight_unit or 1.0
        state = np.where(problem.choosable, _OPEN, _OUT).astype(np.int8)
        state[problem.required] = _IN
        rows = problem.rows
        gives, floors = _what_gives(problem, self.scale), problem.floors
        self.n_prices = len(rows.low) + len(floors)
        self.tree = Tree(
            CompressedRows(problem.indptr, problem.indices),
            gives,
            _limits(problem),
            (floors.indptr, floors.members, floors.low * (1 - 2 * FLOOR_ROUNDING) / self.scale),
            state,
            bool(problem.weight_unit),
            _MOST_HELD // (problem.n_sets + 2 * problem.n_elements + 8 * self.n_prices),
        )
        self.most, self.most_share = float(gives[3][problem.coverable].sum()), problem.returns.most
        self.grow()
        prices = bounds.cleaned(dual.rows, len(rows.low) - 1, least=-np.inf)
        rewards = bounds.cleaned(dual.floors, len(floors), least=0.0)
        self.tree.begin(
            np.nan_to_num(_first_shares(problem, dual) / self.scale),
            np.append(prices * rows.unit[1:] / self.scale, rewards),
        )
        self.selected: Int64s | None = None
        self.beat(-self.scale)

    def beat(self, value: float) -> None:
        """Look for selections worth more than `value` only."""
        self.value, unit = value, self.problem.weight_unit
        if unit:
            step = unit - max(1e-9 * unit, self.rounding)
        else:
            loose = 0.5 * bounds.TOLERANCE * bounds.undecided(self.problem, value)
            step = max(loose, self.rounding)
        self.aim(value + step)

    def ask(self, value: float) -> None:
        """Look for selections worth at least `value` only."""
        self.value = value - max(1e-9 * (self.problem.weight_unit or 0.0), self.rounding)
        self.aim(self.value)

    def aim(self, goal: float) -> None:
        """Close nodes whose bound is below `goal`; steps aim at half a unit less."""
        goal /= self.scale
        self.tree.goal = goal
        self.tree.target = goal - (0.5 if self.problem.weight_unit else 1e-6 * goal)

    @property
    def rounding(self) -> float:
        """The most by which rounding may change the bound of a node."""
        return 1e-13 * self.most * self.scale

    def offer(self, selected: Int64s) -> None:
        """Take a selection that is better than the best so far."""
        value = self.problem.value(selected)
        if value > self.value and not self.problem.violation(selected):
            self.selected = selected
            self.beat(value)

    @property
    def work(self) -> int:
        """Edges visited so far, or as much other work."""
        return self.tree.work

    @property
    def nodes(self) -> int:
        """How many nodes were examined."""
        return self.tree.examined

    @property
    def open_nodes(self) -> Int64s:
        """The slots of the open nodes."""
        tree = self.tree
        heap = np.asarray(tree.heap)
        found = (heap[: tree.n_heap], heap[heap.size - tree.n_stack :], [tree.dive])
        return np.concatenate(found[: 2 + (tree.dive >= 0)]).astype(np.int64)

    @property
    def bound(self) -> float:
        """The upper bound that the tree proves: the highest of its leaves, rounded up.

        Once all nodes are closed, no value is a unit above the best.
        """
        still = np.asarray(self.tree.bounds)[self.open_nodes]
        if not still.size and self.problem.weight_unit:
            return self.value
        highest = max(self.tree.highest, float(still.max(initial=-np.inf)))
        terms = self.problem.n_edges + self.problem.n_sets + self.problem.n_elements
        return max(self.value, at_least(highest * self.scale, terms))

    def search(self, work: float, is_over: Callable[[], bool]) -> bool:
        """Search until `work` is done in all, or `is_over`; return whether all nodes are closed."""
        tree = self.tree
        while self.open_nodes.size and tree.work < work and not is_over():
            until = (tree.examined // _COMPLETE_EVERY + 1) * _COMPLETE_EVERY
            why = tree.search(until, int(min(work, tree.work + _LOOK)))
            if why == SPACE:
                self.grow()
            elif why == SELECTION:
                self.offer(np.flatnonzero(np.asarray(tree.state) == _IN))
            elif why == NODES and self.problem.is_plain:
                state, mean = np.asarray(tree.state), np.asarray(tree.mean)
                likely = np.flatnonzero((state == _OPEN) & (mean > 0.5))
                kept = fitting(self.problem, union(np.flatnonzero(state == _IN), likely))
                self.offer(np.concatenate((kept, complete(self.problem, kept))))
            elif why == CLOSED:
                break
        return not self.open_nodes.size

    def grow(self) -> None:
        """Make space for more open nodes and a longer proof; forget a proof that is too long."""
        tree, n, m = self.tree, self.problem.n_sets, self.problem.n_elements
        held = len(tree.spare)
        more = max(held, 16)
        stack = np.asarray(tree.heap)[held - tree.n_stack :]
        tree.heap = np.concatenate(
            (np.asarray(tree.heap)[: held - tree.n_stack], np.zeros(more, np.int64), stack)
        )
        tree.spare = _longer(tree.spare, more)
        np.asarray(tree.spare)[tree.n_spare : tree.n_spare + more] = np.arange(held, held + more)[
            ::-1
        ]
        tree.n_spare += more
        tree.bounds, tree.serials = _longer(tree.bounds, more), _longer(tree.serials, more)
        tree.states, tree.shares = _longer(tree.states, more), _longer(tree.shares, more)
        tree.prices = _longer(tree.prices, more)
        tree.budget_prices = _longer(tree.budget_prices, more)
        more = max(len(tree.left), 64)
        tree.left, tree.log_start = _longer(tree.left, more), _longer(tree.log_start, more)
        tree.log_end = _longer(tree.log_end, more)
        if tree.n_bytes > self.most_kept:
            tree.keeps = False
        if tree.keeps:
            tree.log = _longer(tree.log, max(len(tree.log), 8 * n + 64))
            tree.point_start = _longer(tree.point_start, max(len(tree.point_start), 64))
            size = 8 * (2 * m + 4 * self.n_prices + 1)
            tree.points = _longer(tree.points, max(len(tree.points), 2 * size))

    def proof(self, folded: Folded) -> CaseTree | None:
        """Return the tree for the problem before folding; None if it became too large to keep."""
        tree = self.tree
        if not tree.keeps or tree.n_bytes > self.most_kept:
            return None
        slot_of = dict(
            zip(
                np.asarray(tree.serials)[self.open_nodes].tolist(),
                self.open_nodes.tolist(),
                strict=True,
            )
        )
        points = list(self.points())
        nodes: list[int] = []
        stack = [0]
        log, start, end = (np.asarray(x).tolist() for x in (tree.log, tree.log_start, tree.log_end))
        while stack:
            serial = stack.pop()
            if serial in slot_of:
                nodes.append(~len(points))
                points.append(self.open_point(slot_of[serial]))
                continue
            own = log[start[serial] : end[serial]]
            nodes += own
            if own[-1] >= 0:
                first = int(tree.left[serial])
                stack += [first + 1, first]
        # Points are numbered as they first occur, so that nodes and neighbours are alike.
        order = {p: k for k, p in enumerate(dict.fromkeys(~node for node in nodes if node < 0))}
        points = [points[p] for p in order] if points else [self.open_point(0)]
        renumbered = [node if node >= 0 else ~order[~node] for node in nodes]
        return self.unfolded(np.array(renumbered, dtype=np.int64), points, folded)

    def points(self) -> Iterator[bytes]:
        """Yield the points of the proof so far."""
        tree = self.tree
        ends = [*np.asarray(tree.point_start)[: tree.n_points].tolist(), tree.n_bytes]
        held = np.asarray(tree.points)
        for first, last in pairwise(ends):
            point: bytes = held[first:last].tobytes()
            yield point

    def open_point(self, slot: int) -> bytes:
        """Return the point of an open node as the kernel writes points."""
        shares, rows = np.asarray(self.tree.shares)[slot], np.asarray(self.tree.prices)[slot]
        first = np.asarray(self.tree.budget_prices)[slot]
        prices: bytes = np.append(first, rows).astype("<f4").tobytes()
        high, low = np.divmod(shares, 256)
        counts: bytes = np.concatenate((high, low)).astype(np.uint8).tobytes()
        return b"\0" + prices + counts

    def unfolded(self, nodes: Int64s, points: list[bytes], folded: Folded) -> CaseTree:
        """Return the tree in the numbers of the problem before folding.

        The members of a merged element have the same part of their weights as their shares.
        """
        if folded.kept is not None:
            held = np.maximum(nodes, 0)
            of = np.append(folded.kept, 0)[held // 2]
            nodes = np.where(nodes >= 0, 2 * of + held % 2, nodes)
        if folded.class_of is not None:
            points = [self.unfolded_point(each, folded.class_of) for each in points]
        rows = self.problem.rows
        return CaseTree(
            nodes=nodes,
            points=b"".join(points),
            rates=np.append(self.scale / rows.unit, np.ones(len(self.problem.floors))),
            most=self.most_share,
        )

    def unfolded_point(self, point: bytes, class_of: AnyArray) -> bytes:
        """Return a point with a share for each element before folding."""
        head = 1 + 4 * self.n_prices
        counts = np.frombuffer(point[head:], dtype=np.uint8).reshape(-1, self.problem.n_elements)
        whole = (_FINE // 256, 0) if point[0] == 0 else (point[0],)
        wide = np.column_stack((counts, np.array(whole, dtype=np.uint8)))
        return point[:head] + wide[:, class_of].tobytes()


def _longer(held: AnyArray, more: int) -> AnyArray:
    """Return an array with `more` further rows."""
    held = np.asarray(held)
    return np.concatenate((held, np.zeros((more, *held.shape[1:]), dtype=held.dtype)))


def _what_gives(problem: CoverageProblem, scale: float) -> tuple[Any, ...]:
    """Return what elements give, in units of `scale`, as `Tree` takes it."""
    counted = np.rint if problem.weight_unit else np.positive
    indptr, steps = problem.steps
    weights, steps = problem.weights / scale, counted(steps / scale)
    if not problem.returns.of.size:  # with returns, weights need not be multiples of the unit
        weights = steps
    worth, kind = np.zeros(0), np.zeros(problem.n_elements, dtype=np.int8)
    edges = np.zeros(problem.n_elements + 1, np.int64), np.zeros(0, np.int32), worth
    if problem.strength.size:
        kind, indices = problem.kind.copy(), problem.indices
        worth = counted(problem.weights[indices] * problem.strength / scale)
        worth = np.where(kind[indices] == CHANCE, problem.strength, worth)
        order = np.lexsort((-worth, indices))
        owners = np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr))
        edges = problem.transpose[0], owners[order].astype(np.int32), worth[order]
    whole = weights * problem.returns.most
    return weights, indptr.astype(np.int64), steps, whole, kind, worth, edges


def _first_shares(problem: CoverageProblem, dual: Dual) -> Floats:
    """Return the shares of a dual point; an element by chances has what its pieces leave open."""
    if not (problem.kind == CHANCE).any():
        return dual.shares
    won, _ = bounds.won_by_pieces(problem, dual.pieces)
    return np.where(problem.kind == CHANCE, problem.weights * (1.0 - won), dual.shares)


def _limits(problem: CoverageProblem) -> tuple[Any, ...]:
    """Return the limits as `Tree` takes them: the budget, and the others by set."""
    ticks, rows = problem.ticks, problem.rows
    entries = np.flatnonzero(rows.owners > 0)
    entries = entries[np.argsort(rows.sets[entries], kind="stable")]
    counts = np.bincount(rows.sets[entries], minlength=problem.n_sets)
    by_set = (
        np.append(0, np.cumsum(counts)).astype(np.int64),
        (rows.owners[entries] - 1).astype(np.int32),
        rows.ticks[entries],
    )
    sizes = np.maximum(np.diff(rows.indptr)[1:], 1)
    means = np.bincount(by_set[1], by_set[2].astype(np.float64), len(rows.low) - 1) / sizes
    return ticks.ticks, ticks.limit, by_set, rows.high[1:], rows.low[1:], np.maximum(means, 1.0)
