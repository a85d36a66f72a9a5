"""Tree search: branch and bound whose leaves are dual points, so that anybody can check the proof.

A node decides some sets, and its dual point is improved on what is left open
(`maxcover.engine.kernels.tree`). It is closed when its bound is below the next possible value. A
set that reduced costs decide is a leaf of its own: the opposite decision, with the same point. The
search dives, likelier decision first, and goes on with the open node of the highest bound.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.engine.core import bounds
from maxcover.engine.core.ascending import union
from maxcover.engine.core.bounds import CaseTree
from maxcover.engine.core.validation import positions_of
from maxcover.engine.kernels.arrays import BudgetTicks, CompressedRows
from maxcover.engine.kernels.price import at_least
from maxcover.engine.kernels.tree import Node
from maxcover.engine.solvers.greedy import complete, fitting

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maxcover.engine.core.bounds import Dual
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.solvers.folding import Folded
    from maxcover.ground.array_types import Floats, Int32s, Int64s

_OPEN, _IN, _OUT = range(3)
# Steps at a node; a grain of shares is the unit of weights divided by this power of two.
_STEPS, _GRAINS = 30, 2.0**16
# Every so many nodes a selection is completed from the averaged solution of the node.
_COMPLETE_EVERY = 32
# Work of a node besides its steps, in edges visited: a node takes about ten microseconds.
_NODE_WORK = 10_000
# Open nodes hold at most this many shares; beyond, the search goes depth first.
_MOST_HELD = 50_000_000


class NodePoint(NamedTuple):
    """A dual point: its price, and the shares of open elements; others share their weight."""

    price: float
    elements: Int32s
    shares: Floats


class Open(NamedTuple):
    """An open node, least first: minus its bound, its number, its decisions, its parent's point."""

    key: float
    serial: int
    state: NDArray[np.int8]
    shares: Floats
    point: NodePoint


class TreeSearch:
    """A branch and bound for plain coverage under one budget that can go on where it stopped.

    It begins with the dual point `dual`; a poor one takes more nodes, and proves as much. The proof
    is kept while it has at most `most_kept` numbers.
    """

    def __init__(self, problem: CoverageProblem, dual: Dual, *, most_kept: float) -> None:
        self.problem, self.most_kept, left = problem, most_kept, bounds.reduced(problem)
        self.scale = problem.weight_unit or 1.0
        weights = left.weights / self.scale
        self.weights = np.rint(weights) if problem.weight_unit else weights
        self.base = problem.value(problem.required) if problem.required.size else 0.0
        # Where weights have no unit, their mean stands for it.
        mean = float(weights.mean()) if weights.any() else 1.0
        unit = 1.0 if problem.weight_unit else 2.0 ** np.floor(np.log2(mean))
        self.grain, ticks = float(unit) / _GRAINS, problem.ticks
        graph = CompressedRows(problem.indptr, problem.indices)
        self.node = Node(graph, self.weights, BudgetTicks(ticks.ticks, ticks.limit), self.grain)
        state = np.where(problem.choosable, _OPEN, _OUT).astype(np.int8)
        state[problem.required] = _IN
        shares = np.clip(dual.shares / self.scale, 0.0, self.weights)
        everything = np.arange(shares.size, dtype=np.int32)
        root = Open(
            -np.inf, 0, state, shares, NodePoint(dual.price / self.scale, everything, shares)
        )
        self.heap, self.nodes, self.kept = [root], 0, 0
        # For each node: sets fixed there, each with its decision and its point; then how it ends.
        self.fixed: list[list[tuple[int, int, int]]] = [[]]
        self.ends: list[tuple[int, ...]] = [()]
        self.points: list[NodePoint] = []
        self.highest = -np.inf  # bound of the leaves so far
        # Proves that no selection has sets that break the budget together.
        self.dear = NodePoint(
            4.0 * float(self.weights.sum()) + 1.0, everything, np.zeros(shares.size)
        )
        self.selected: Int64s | None = None
        self.beat(-self.scale)

    def beat(self, value: float) -> None:
        """Look for selections worth more than `value` only."""
        problem, self.value = self.problem, value
        rounding = 1e-13 * float(self.weights.sum()) * self.scale
        unit = problem.weight_unit
        if unit:
            self.step = unit - max(1e-9 * unit, rounding)
        else:
            loose = 0.5 * bounds.TOLERANCE * bounds.undecided(problem, self.value)
            self.step = max(loose, rounding)
        self.goal = (self.value + self.step - self.base) / self.scale
        # Steps aim half a unit below the goal: reaching it ends a node.
        self.target = self.goal - (0.5 if unit else 1e-6 * self.goal)

    def offer(self, selected: Int64s) -> None:
        """Take a selection that is better than the best so far."""
        value = self.problem.value(selected)
        if value > self.value and not self.problem.violation(selected):
            self.selected = selected
            self.beat(value)

    @property
    def work(self) -> int:
        """Edges visited so far, or as much other work."""
        return int(self.node.work) + self.nodes * _NODE_WORK

    @property
    def bound(self) -> float:
        """The upper bound that the tree proves: the highest of its leaves, rounded up."""
        highest = max([self.highest, *(-each.key for each in self.heap)])
        terms = self.problem.n_sets + self.problem.n_elements
        return max(self.value, at_least(self.base + highest * self.scale, terms))

    def search(self, work: float, is_over: Callable[[], bool]) -> bool:
        """Search until `work` is done in all, or `is_over`; return whether all nodes are closed."""
        try:
            while self.heap and self.work < work and not is_over():
                held = len(self.heap) * self.weights.size
                here: Open | None = self.heap.pop() if held > _MOST_HELD else heappop(self.heap)
                while here is not None:
                    here = self.examine(here)
                    if here is not None and (self.work >= work or is_over()):
                        heappush(self.heap, here)
                        break
        except BaseException:  # Ctrl-C: the node at hand is lost, so nothing is proven any more
            self.highest = np.inf
            raise
        return not self.heap

    def examine(self, here: Open) -> Open | None:
        """Examine a node; return its likelier child, or None if it is closed."""
        node, serial, goal = self.node, here.serial, self.goal
        self.nodes += 1
        if -here.key < goal:
            self.ends[serial] = (self.keep(here.point),)
            self.highest = max(self.highest, -here.key)
            return None
        state, shares, left = here.state, here.shares.copy(), _STEPS
        node.enter()
        while True:
            left = node.examine(state, shares, goal, self.target, max(left, 1))
            self.highest = max(self.highest, node.refuted)
            if not node.n_fixed:
                break
            point = self.keep(self.point(shares))
            now = np.asarray(node.fixed)[: node.n_fixed]
            self.fixed[serial] += [(i, int(state[i]), point) for i in now.tolist()]
        if left < 0:
            self.ends[serial] = (self.keep(self.point(shares) if left == -1 else self.dear),)
            return None
        return self.divided(here._replace(state=state, shares=shares, point=self.point(shares)))

    def divided(self, here: Open) -> Open | None:
        """Divide a node by the decision of one set; return the likelier half, None if it is over.

        A node without open sets is a selection, which is offered.
        """
        node, state = self.node, here.state
        chosen = np.flatnonzero(state == _IN)
        if node.choice < 0:
            self.offer(chosen)
            self.ends[here.serial] = (self.keep(here.point),)
            self.highest = max(self.highest, node.bound)
            return None
        if self.nodes % _COMPLETE_EVERY == 1:
            likely = np.flatnonzero((state == _OPEN) & (np.asarray(node.mean) > 0.5))
            kept = fitting(self.problem, union(chosen, likely))
            self.offer(np.concatenate((kept, complete(self.problem, kept))))
        serial = len(self.ends)
        self.ends[here.serial] = (int(node.choice), serial, serial + 1)
        self.ends += [(), ()]
        self.fixed += [[], []]
        halves = []
        for k, decision in enumerate((_IN, _OUT)):
            decided = state.copy()
            decided[node.choice] = decision
            halves.append(here._replace(key=-node.bound, serial=serial + k, state=decided))
        first = 0 if node.likely > 0.5 else 1
        heappush(self.heap, halves[1 - first])
        return halves[first]

    def point(self, shares: Floats) -> NodePoint:
        """Return the point at which the node was left, if it may be kept."""
        if self.kept > self.most_kept:
            return self.dear
        elements = np.asarray(self.node.elements)[: self.node.n_elements].copy()
        return NodePoint(self.node.price, elements, shares[elements])

    def keep(self, point: NodePoint) -> int:
        """Keep a point for the proof, and return its number."""
        if self.kept > self.most_kept:
            return 0
        self.kept += 2 * len(point.elements) + 4
        self.points.append(point)
        return len(self.points) - 1

    def proof(self, folded: Folded) -> CaseTree | None:
        """Return the tree for the problem before folding; None if it became too large to keep."""
        open_nodes = {each.serial: each.point for each in self.heap}
        nodes: list[int] = []
        stack = [0]
        while stack:
            serial = stack.pop()
            end = self.ends[serial] or (self.keep(open_nodes[serial]),)
            for i, decision, point in self.fixed[serial]:
                nodes += [2 * i + (decision == _IN), ~point]
            if len(end) == 1:
                nodes.append(~end[0])
            else:
                nodes.append(2 * end[0])
                stack += [end[2], end[1]]
        if self.kept > self.most_kept:
            return None
        tree = self.unfolded(np.array(nodes, dtype=np.int64), folded)
        return tree if tree.size <= self.most_kept else None

    def unfolded(self, nodes: Int64s, folded: Folded) -> CaseTree:
        """Return the tree in the numbers of the problem before folding.

        The members of a merged element share its weight one after the other: all but one of them
        have their whole weight as their share, or none of it.
        """
        cuts = np.append(0, np.cumsum([each.elements.size for each in self.points]))
        elements = np.concatenate([each.elements for each in self.points])
        shares = np.concatenate([each.shares for each in self.points])
        weights = self.weights
        if folded.kept is not None:
            held = np.maximum(nodes, 0)
            nodes = np.where(nodes >= 0, 2 * folded.kept[held // 2] + held % 2, nodes)
        if folded.class_of is not None:
            weights = folded.original.weights / self.scale
            members = np.argsort(folded.class_of, kind="stable")
            starts = np.searchsorted(folded.class_of[members], np.arange(self.weights.size + 1))
            spent = np.cumsum(weights[members]) - weights[members]
            spent -= spent[np.minimum(starts, spent.size - 1)][folded.class_of[members]]
            here, many = positions_of(starts, elements), np.diff(starts)[elements]
            cuts = np.append(0, np.cumsum(many))[cuts]
            shares, elements = np.repeat(shares, many) - spent[here], members[here]
        partly = shares < weights[elements]
        ends = np.append(0, np.cumsum(partly))[cuts]
        return CaseTree(
            nodes=nodes,
            prices=np.array([each.price for each in self.points]) * self.scale,
            indptr=ends.astype(np.int64),
            elements=elements[partly].astype(np.int32),
            shares=np.maximum(shares[partly], 0.0) / self.grain,
            grain=self.grain * self.scale,
            unit=self.problem.ticks.unit,
        )
