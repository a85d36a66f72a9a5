"""Tree: a branch and bound that improves the dual point of each node on the part still open.

A node decides some sets. On the rest, a dual point (shares u of the elements, a price mu of the
budget, prices of the other limits) proves

    value <= fixed + sum of c_a(u_a) + mu * room + sum over limits of price * end
             + sum of max(0, S_i - mu * ticks_i),

the inequality of `maxcover.engine.core.bounds` after the decided sets: ``fixed`` is what the chosen
sets give, c_a the constant of an element (its weight less its share, for coverage), and S_i what
set i earns by the shares of its elements, less what the other limits charge. Of an element by
chances, a share is the weight that is taken to be still open: each edge earns its chance of it. A
minimum of value has a reward: its elements count 1 + reward times.

The steps are a projected subgradient with memory and Polyak's length towards a target: a node has
to fall below the next possible value, it need not reach its linear optimum. Shares are multiples of
2**-15 of the weight. The point that closes a node, or fixes sets there, is written to the proof
with as few bits as still prove it.
"""

import cython
import numpy as np
from cython.cimports.libc.math import fabs, floor
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.engine.kernels.extremes import INF

OPEN = cython.declare(cython.int, 0)
IN = cython.declare(cython.int, 1)
OUT = cython.declare(cython.int, 2)
# Why the search returns: enough nodes, enough work, all closed, no space, a selection to look at.
NODES, WORK, CLOSED, SPACE, SELECTION = range(5)
_NODES = cython.declare(cython.int, 0)
_WORK = cython.declare(cython.int, 1)
_CLOSED = cython.declare(cython.int, 2)
_SPACE = cython.declare(cython.int, 3)
_SELECTION = cython.declare(cython.int, 4)
_DIVIDED = cython.declare(cython.int, 5)
# Kinds of elements, as in `maxcover.engine.core.returns`.
BEST = cython.declare(cython.int, 1)
CHANCE = cython.declare(cython.int, 2)
# Parts of a weight in which shares are counted; and the coarser parts that a proof tries first.
PARTS = cython.declare(cython.double, 32768.0)
COARSE = cython.declare(int64_t, 8)
MEDIUM = cython.declare(int64_t, 128)
# Steps at a node, of which each `FIX_EVERY`th tries to fix sets (on random problems of 60 to 150
# sets and biregular graphs of 400, as all numbers here).
STEPS = cython.declare(int64_t, 20)
FIX_EVERY = cython.declare(int64_t, 6)
# The direction of a step is the slope plus this part of the last direction: half of the nodes.
MEMORY = cython.declare(cython.double, 0.7)
# Steps begin with `LONGEST` times Polyak's length. They are multiplied by SHRINK after PATIENCE
# steps that did not lower the bound.
LONGEST = cython.declare(cython.double, 1.2)
PATIENCE = cython.declare(int64_t, 6)
SHRINK = cython.declare(cython.double, 0.6)
# Weight of the last solution in the averaged solution, by which the next set is chosen.
NEWEST = cython.declare(cython.double, 0.1)
# A minimum of value is out of reach if it lacks more than this part of it.
LOOSE = cython.declare(cython.double, 1e-13)
# Work of a node besides its steps, in edges visited.
NODE_WORK = cython.declare(int64_t, 1000)


class Tree:
    """A search that can go on where it stopped; its open nodes, and its proof so far.

    `rows` are the elements of each set; `gives` the weights, the weight that each further set adds
    to an element (CSR), the most that one set may add (`whole`), the kinds, and for kinds BEST and
    CHANCE the worth of each edge and the edges by element (CSR: sets and worths), the largest
    first; `limits` the ticks of each set and their limit, then the other limits by set (CSR) with
    their maxima, minima and mean ticks; `floors` the minima of value (CSR: elements) and their
    ends. Values are whole if `is_whole`.
    """

    def __init__(self, rows, gives, limits, floors, state, is_whole, most_held) -> None:
        self.is_whole = is_whole
        self.indptr, self.indices = rows
        self.weights, self.step_start, self.steps, self.whole, self.kind, self.worth, edges = gives
        self.edge_start, self.edge_set, self.edge_worth = edges
        self.ticks, self.limit, by_set, self.high, self.low, self.row_scale = limits
        self.row_start, self.row_of, self.row_ticks = by_set
        self.floor_start, self.floor_of, self.floor_low = floors
        n, m, n_rows, n_floors = map(len, (self.ticks, self.weights, self.high, self.floor_low))
        once = np.array_equal(self.steps, self.weights) and np.array_equal(self.whole, self.weights)
        self.is_plain = once and not len(self.worth) and not n_floors
        self.sets, self.order, self.fixed, self.position = np.empty((4, n), dtype=np.int64)
        self.starts = np.zeros(n + 1, dtype=np.int64)
        self.edges, self.origin = np.empty((2, len(self.indices)), dtype=np.int32)
        self.place, self.elements = np.empty((2, m), dtype=np.int32)
        self.held, self.degree = np.zeros((2, m), dtype=np.int64)
        self.rooms, self.needs, self.available = np.zeros((3, n_rows), dtype=np.int64)
        self.u, self.best_u, self.trial, self.slope, self.pull, self.floor = np.zeros((6, m))
        self.level, self.flow, self.gain = np.ones((3, m))
        self.sums, self.ratio, self.x, self.mean = np.zeros((4, n))
        self.y, self.best_y, self.y_pull, self.used = np.zeros((4, n_rows + n_floors))
        self.lacks = np.zeros(n_floors)
        self.single = np.zeros(1, dtype=np.float32)
        self.raw = np.asarray(self.single).view(np.uint8)
        self.state, self.most_held = state.copy(), most_held
        self.work = self.examined = self.n_heap = self.n_stack = self.n_spare = 0
        self.dive, self.n_log = -1, 0
        self.n_points = self.n_bytes = self.n_nodes = 0
        self.goal = self.target = self.highest = -np.inf
        self.keeps, empty = True, np.zeros(0, dtype=np.int64)
        self.bounds = self.budget_prices = np.zeros(0)
        self.serials = self.heap = self.spare = empty
        self.states, self.shares = np.zeros((0, n), np.int8), np.zeros((0, m), np.uint16)
        self.prices, self.points = np.zeros((0, len(self.y))), np.zeros(0, dtype=np.uint8)
        self.log = self.log_start = self.log_end = self.left = self.point_start = empty

    def begin(self, shares: Floats, prices: Floats) -> None:
        """Make the root: an open node with this dual point."""
        for a in range(self.weights.shape[0]):
            self.best_u[a] = rounded(shares[a], self.whole[a], PARTS)
        for r in range(self.y.shape[0]):
            self.best_y[r] = cython.cast(cython.float, prices[r])
        self.best_bound, self.best_price, self.n_nodes = INF, 0.0, 1
        self.n_spare -= 1
        self.serials[self.spare[self.n_spare]] = 0
        leave(self, self.spare[self.n_spare])
        push(self, self.spare[self.n_spare])

    def search(self, until: int64_t, work: int64_t) -> int:
        """Examine nodes until `until` of them are examined, or `work` is done; return why."""
        with cython.nogil:
            why = proceed(self, until, work)
        return why


def proceed(at, until, work):
    """Do what `Tree.search` says: dive, then go on with the open node of the highest bound."""
    while at.dive >= 0 or at.n_heap + at.n_stack > 0:
        if at.examined >= until:
            return _NODES
        if at.work >= work:
            return _WORK
        if not has_space(at):
            return _SPACE
        slot = pop(at)
        serial = at.serials[slot]
        enter(at, slot)
        at.spare[at.n_spare] = slot
        at.n_spare += 1
        at.examined += 1
        at.work += NODE_WORK
        at.log_start[serial] = at.n_log
        how = examine(at, serial)
        if how == _DIVIDED:
            divide(at, serial)
        at.log_end[serial] = at.n_log
        if how == _SELECTION:
            return _SELECTION
    return _CLOSED


def has_space(at):
    """Whether a node with its two parts, and what it adds to the proof, has space."""
    if at.n_spare < 2 or at.n_nodes + 2 > at.left.shape[0]:
        return False
    if not at.keeps:
        return True
    events = STEPS // FIX_EVERY + 3
    size = 5 + 4 * at.y.shape[0] + 2 * at.weights.shape[0]
    return (
        at.n_log + 2 * at.sets.shape[0] + 2 <= at.log.shape[0]
        and at.n_points + events < at.point_start.shape[0]
        and at.n_bytes + events * size <= at.points.shape[0]
    )


def before(at, one, other):
    """Whether the node in slot `one` is examined before that in slot `other`: highest bound first.

    Of bounds that round down to one value, the newest is first, which leads to selections.
    """
    first, second = at.bounds[one], at.bounds[other]
    if at.is_whole:
        first, second = floor(first), floor(second)
    return first > second or (first == second and at.serials[one] > at.serials[other])


def push(at, slot):
    """Add an open node: to the heap, or on top of the stack if very many are open."""
    if at.n_heap >= at.most_held:
        at.n_stack += 1
        at.heap[at.heap.shape[0] - at.n_stack] = slot
        return
    k = at.n_heap
    at.n_heap += 1
    while k > 0 and before(at, slot, at.heap[(k - 1) // 2]):
        at.heap[k] = at.heap[(k - 1) // 2]
        k = (k - 1) // 2
    at.heap[k] = slot


def pop(at):
    """Remove the next node: the likelier part of the last one, or that of the highest bound."""
    if at.dive >= 0:
        slot, at.dive = at.dive, -1
        return slot
    if at.n_stack > 0:
        at.n_stack -= 1
        return at.heap[at.heap.shape[0] - at.n_stack - 1]
    first = at.heap[0]
    at.n_heap -= 1
    last, k = at.heap[at.n_heap], 0
    while 2 * k + 1 < at.n_heap:
        child = 2 * k + 1
        if child + 1 < at.n_heap and before(at, at.heap[child + 1], at.heap[child]):
            child += 1
        if not before(at, at.heap[child], last):
            break
        at.heap[k] = at.heap[child]
        k = child
    at.heap[k] = last
    return first


def enter(at, slot):
    """Go to an open node."""
    for i in range(at.state.shape[0]):
        at.state[i] = at.states[slot, i]
        at.mean[i] = 0.0
    for a in range(at.weights.shape[0]):
        at.u[a] = at.whole[a] * at.shares[slot, a] / PARTS
        at.best_u[a] = at.u[a]
        at.pull[a] = 0.0
    for r in range(at.y.shape[0]):
        at.y[r] = at.prices[slot, r]
        at.best_y[r] = at.y[r]
        at.y_pull[r] = 0.0


def leave(at, slot):
    """Write the decisions and the best point of the node at hand into a slot."""
    at.bounds[slot], at.budget_prices[slot] = at.best_bound, at.best_price
    for i in range(at.state.shape[0]):
        at.states[slot, i] = at.state[i]
    for a in range(at.weights.shape[0]):
        parts = floor(at.best_u[a] * PARTS / at.whole[a] + 0.5) if at.whole[a] > 0.0 else 0.0
        at.shares[slot, a] = cython.cast(int64_t, parts)
    for r in range(at.y.shape[0]):
        at.prices[slot, r] = at.best_y[r]


def examine(at, serial):
    """Make steps at the node at hand; return whether it is closed, a selection, or to divide."""
    at.factor, at.patience, at.best_bound = LONGEST, 0, INF
    fresh, t = False, 0
    while t < STEPS or not fresh:
        if not fresh:
            if not open_part(at):
                note(at, -1)
                return _CLOSED
            if at.n_sets == 0:
                at.highest = max(at.highest, at.fixed_value)
                for r in range(at.y.shape[0]):
                    at.y[r] = 0.0
                note(at, ~record(at, True))
                return _SELECTION
            fresh = True
        bound = evaluate(at, at.u)
        at.work += 2 * at.starts[at.n_sets] + at.n_sets + at.n_elements
        for k in range(at.n_sets):
            at.mean[at.sets[k]] += max(NEWEST, 1.0 / (t + 1.0)) * (at.x[k] - at.mean[at.sets[k]])
        at.patience += 1
        if bound < at.best_bound:
            at.best_bound = bound
            at.patience, at.best_price = 0, at.price
            for k in range(at.n_elements):
                at.best_u[at.elements[k]] = at.u[at.elements[k]]
            for r in range(at.y.shape[0]):
                at.best_y[r] = at.y[r]
        if bound < at.goal:
            at.highest = max(at.highest, bound)
            note(at, ~record(at, True))
            return _CLOSED
        if (t % FIX_EVERY == 0 or t == STEPS - 1) and fix(at, serial, bound):
            fresh = False
        elif not step(at, bound):
            break
        t += 1
    choose(at)
    return _DIVIDED


def divide(at, serial):
    """Divide the node at hand by the decision of a set; the likelier part is examined next."""
    note(at, 2 * at.choice)
    first = at.n_nodes
    at.left[serial] = first
    at.n_nodes += 2
    likely = IN if at.mean[at.choice] > 0.5 else OUT
    for k in range(2):
        decision = likely if k == 1 else IN + OUT - likely
        at.state[at.choice] = decision
        at.n_spare -= 1
        slot = at.spare[at.n_spare]
        at.serials[slot] = first + (decision == OUT)
        leave(at, slot)
        if k == 0:
            push(at, slot)
    at.dive = slot


def open_part(at):
    """Find the open sets and elements; return False if no selection of the node keeps all limits.

    Open sets that do not fit beside the chosen ones are decided, as are those that minima need.
    """
    at.room, at.fixed_value = at.limit, 0.0
    for a in range(at.weights.shape[0]):
        at.place[a] = -1
        at.held[a] = at.degree[a] = 0
        at.floor[a] = at.weights[a] if at.kind[a] == CHANCE else 0.0
    for r in range(at.high.shape[0]):
        at.rooms[r], at.needs[r], at.available[r] = at.high[r], at.low[r], 0
    for i in range(at.state.shape[0]):
        if at.state[i] == IN:
            at.room -= at.ticks[i]
            take(at, i)
    if at.room < 0 or not decide_by_rows(at):
        return False
    end, at.n_sets, at.n_elements = 0, 0, 0
    for i in range(at.state.shape[0]):
        at.position[i] = -1
        if at.state[i] != OPEN:
            continue
        for e in range(at.indptr[i], at.indptr[i + 1]):
            a = at.indices[e]
            if at.place[a] == -1:
                at.place[a] = at.n_elements if is_open(at, a) else -2
                if at.place[a] >= 0:
                    at.elements[at.n_elements] = a
                    at.n_elements += 1
                    if at.kind[a] == CHANCE:
                        at.u[a] = rounded(min(at.u[a], at.floor[a]), at.whole[a], PARTS)
            if at.place[a] >= 0:
                at.degree[a] += 1
                at.edges[end] = a
                at.origin[end] = e
                end += 1
        at.sets[at.n_sets] = i
        at.position[i] = at.n_sets
        at.n_sets += 1
        at.starts[at.n_sets] = end
    return reach_floors(at)


def reach_floors(at):
    """Find what minima of value lack; return False if all open sets together do not reach one."""
    for r in range(at.floor_low.shape[0]):
        most = 0.0
        at.lacks[r] = at.floor_low[r]
        for e in range(at.floor_start[r], at.floor_start[r + 1]):
            at.lacks[r] -= given(at, at.floor_of[e])
            most += most_more(at, at.floor_of[e])
        if at.lacks[r] - most > LOOSE * at.floor_low[r]:
            return False
    return True


def given(at, a):
    """Return what element `a` gives by the chosen sets."""
    if at.kind[a] == BEST:
        return at.floor[a]
    if at.kind[a] == CHANCE:
        return at.weights[a] - at.floor[a]
    total = 0.0
    for k in range(at.step_start[a], at.step_start[a] + at.held[a]):
        total += at.steps[k]
    return total


def most_more(at, a):
    """Return what all open sets together would add to element `a`."""
    most = at.floor[a]
    if at.kind[a] == BEST or at.kind[a] == CHANCE:
        for e in range(at.edge_start[a], at.edge_start[a + 1]):
            if at.position[at.edge_set[e]] >= 0:
                if at.kind[a] == BEST:
                    most = max(most, at.edge_worth[e])
                else:
                    most *= 1.0 - at.edge_worth[e]
        return fabs(most - at.floor[a])
    first, total = at.step_start[a] + at.held[a], 0.0
    for k in range(first, min(at.step_start[a + 1], first + at.degree[a])):
        total += at.steps[k]
    return total


def take(at, i):
    """Count what set `i` adds to the sets taken before it, and what it uses of the limits."""
    for e in range(at.indptr[i], at.indptr[i + 1]):
        a = at.indices[e]
        if at.kind[a] == BEST:
            at.fixed_value += max(at.worth[e] - at.floor[a], 0.0)
            at.floor[a] = max(at.floor[a], at.worth[e])
        elif at.kind[a] == CHANCE:
            at.fixed_value += at.floor[a] * at.worth[e]
            at.floor[a] *= 1.0 - at.worth[e]
        elif at.step_start[a] + at.held[a] < at.step_start[a + 1]:
            at.fixed_value += at.steps[at.step_start[a] + at.held[a]]
            at.held[a] += 1
    for e in range(at.row_start[i], at.row_start[i + 1]):
        at.rooms[at.row_of[e]] -= at.row_ticks[e]
        at.needs[at.row_of[e]] -= at.row_ticks[e]


def decide_by_rows(at):
    """Leave out open sets that do not fit; return False if a limit cannot be kept any more."""
    for r in range(at.high.shape[0]):
        if at.rooms[r] < 0:
            return False
    for i in range(at.state.shape[0]):
        if at.state[i] == OPEN and at.ticks[i] > at.room:
            at.state[i] = OUT
        if at.state[i] != OPEN:
            continue
        for e in range(at.row_start[i], at.row_start[i + 1]):
            if at.row_ticks[e] > at.rooms[at.row_of[e]]:
                at.state[i] = OUT
        if at.state[i] == OPEN:
            for e in range(at.row_start[i], at.row_start[i + 1]):
                at.available[at.row_of[e]] += at.row_ticks[e]
    kept = True
    for r in range(at.high.shape[0]):
        kept = kept and at.available[r] >= at.needs[r]
    return kept


def is_open(at, a):
    """Whether element `a` can give more than it gives by the chosen sets."""
    if at.kind[a] == BEST:
        return True
    if at.kind[a] == CHANCE:
        return at.floor[a] > 0.0
    return at.step_start[a] + at.held[a] < at.step_start[a + 1]


def evaluate(at, u):
    """Return the bound at the shares `u`, with its best price and fractional solution."""
    bound = at.fixed_value
    if at.is_plain:
        for k in range(at.n_elements):
            bound += at.weights[at.elements[k]] - u[at.elements[k]]
        add_up(at.starts, at.edges, u, at.sums, at.n_sets)
    else:
        reward(at)
        for k in range(at.n_elements):
            a = at.elements[k]
            bound += at.gain[a] * constant(at, a, u[a])
        add_up_returns(at, u)
    if at.y.shape[0] > 0:
        bound += charge_rows(at)
    fill(at)
    bound += at.price * at.room
    for k in range(at.n_sets):
        bound += max(profit(at, k), 0.0)
    return bound


def reward(at):
    """Count the elements of minima of value 1 + reward times."""
    if at.floor_low.shape[0] == 0:
        return
    for k in range(at.n_elements):
        at.gain[at.elements[k]] = 1.0
    for r in range(at.floor_low.shape[0]):
        for e in range(at.floor_start[r], at.floor_start[r + 1]):
            at.gain[at.floor_of[e]] += at.y[at.high.shape[0] + r]


def constant(at, a, share):
    """Return the constant of the affine bound of element `a`, beyond what it gives already."""
    if at.kind[a] == BEST:
        return max(share - at.floor[a], 0.0)
    most, total, at.level[a] = 0.0, 0.0, 0.0
    if at.kind[a] == CHANCE:
        # Of all selections, some of the likeliest edges give most beyond what the shares pay.
        fails = at.floor[a]
        for e in range(at.edge_start[a], at.edge_start[a + 1]):
            if fails <= share:
                break
            if at.position[at.edge_set[e]] >= 0:
                most += at.edge_worth[e] * (fails - share)
                at.level[a] += at.edge_worth[e]
                fails *= 1.0 - at.edge_worth[e]
        return most
    first = at.step_start[a] + at.held[a]
    for k in range(first, min(at.step_start[a + 1], first + at.degree[a])):
        total += at.steps[k] - share
        if total >= most:
            most = total
            at.level[a] = k - first + 1
    return most


def add_up(starts, edges, u, sums, n):
    """Write the sum of the shares of the elements of each open set."""
    for k in range(n):
        total: cython.double = 0.0
        for e in range(starts[k], starts[k + 1]):
            total += u[edges[e]]
        sums[k] = total


def add_up_returns(at, u):
    """Write what each open set earns by the shares, where elements give returns."""
    for k in range(at.n_sets):
        total = 0.0
        for e in range(at.starts[k], at.starts[k + 1]):
            total += at.gain[at.edges[e]] * paid(at, e, u[at.edges[e]])
        at.sums[k] = total


def paid(at, e, share):
    """Return what the open edge `e` earns by the share of its element."""
    a = at.edges[e]
    if at.kind[a] == BEST:
        return max(at.worth[at.origin[e]] - max(share, at.floor[a]), 0.0)
    if at.kind[a] == CHANCE:
        return min(share, at.floor[a]) * at.worth[at.origin[e]]
    return share


def charge_rows(at):
    """Take off what the limits besides the budget charge; return what their ends are worth."""
    for k in range(at.n_sets):
        i = at.sets[k]
        for e in range(at.row_start[i], at.row_start[i + 1]):
            at.sums[k] -= at.y[at.row_of[e]] * at.row_ticks[e]
    worth: cython.double = 0.0
    for r in range(at.high.shape[0]):
        worth += at.y[r] * (at.rooms[r] if at.y[r] > 0.0 else at.needs[r])
    for r in range(at.floor_low.shape[0]):
        worth -= at.y[at.high.shape[0] + r] * at.lacks[r]
    return worth


def profit(at, k):
    """Return what the open set `k` earns beyond the price of its ticks."""
    return at.sums[k] - at.price * at.ticks[at.sets[k]]


def fill(at):
    """Fill the room with the sets of the largest sums per tick, by selection in linear time."""
    low, high, room = 0, 0, at.room
    at.price = 0.0
    for k in range(at.n_sets):
        ticks = at.ticks[at.sets[k]]
        at.x[k] = 1.0 if ticks == 0 and at.sums[k] > 0.0 else 0.0
        if ticks > 0 and at.sums[k] > 0.0:
            at.ratio[k] = at.sums[k] / ticks
            at.order[high] = k
            high += 1
    while low < high:
        pivot = median_ratio(at, low, high)
        # Before `more` the ratio is larger than the pivot, from there to `other` it is equal.
        more, other, less, dear, even = low, low, high, 0, 0
        while other < less:
            k = at.order[other]
            if at.ratio[k] > pivot:
                at.order[other] = at.order[more]
                at.order[more] = k
                dear += at.ticks[at.sets[k]]
                more += 1
                other += 1
            elif at.ratio[k] < pivot:
                less -= 1
                at.order[other] = at.order[less]
                at.order[less] = k
            else:
                even += at.ticks[at.sets[k]]
                other += 1
        if dear > room:
            high = more
            continue
        for j in range(low, more):
            at.x[at.order[j]] = 1.0
        room -= dear
        if even > room:
            at.price = cython.cast(cython.float, pivot)
            fill_even(at, pivot, room)
            return
        for j in range(more, less):
            at.x[at.order[j]] = 1.0
        room -= even
        low = less


def fill_even(at, pivot, room):
    """Fill the room with the sets of this ratio, lowest index first: so ties are broken."""
    for k in range(at.n_sets):
        ticks = at.ticks[at.sets[k]]
        if ticks > 0 and at.sums[k] > 0.0 and at.ratio[k] == pivot:
            at.x[k] = min(1.0, cython.cast(cython.double, room) / ticks)
            room -= min(room, ticks)


def median_ratio(at, low, high):
    """Return the median of three ratios of a range of `order`."""
    first = at.ratio[at.order[low]]
    middle = at.ratio[at.order[(low + high) // 2]]
    last = at.ratio[at.order[high - 1]]
    return max(min(first, middle), min(max(first, middle), last))


def fix(at, serial, bound):
    """Decide the sets whose reduced cost proves the opposite decision to stay below the goal."""
    at.n_fixed = 0
    for k in range(at.n_sets):
        earned = profit(at, k)
        if bound - fabs(earned) < at.goal and earned != 0.0:
            at.highest = max(at.highest, bound - fabs(earned))
            at.state[at.sets[k]] = IN if earned > 0.0 else OUT
            at.fixed[at.n_fixed] = k
            at.n_fixed += 1
    if at.n_fixed == 0:
        return False
    if at.keeps:
        point = record(at, False)
        for j in range(at.n_fixed):
            i = at.sets[at.fixed[j]]
            note(at, 2 * i + (at.state[i] == IN))
            note(at, ~point)
    return True


def step(at, bound):
    """Move the shares and prices by a step towards the target; return False if none can move."""
    length = slopes(at)
    if at.high.shape[0] > 0:
        length = row_slopes(at, length)
    if at.floor_low.shape[0] > 0:
        length = floor_slopes(at, length)
    if length < 1e-12:
        return False
    if at.patience > PATIENCE:
        at.factor *= SHRINK
        at.patience = 0
    pace = at.factor * (bound - at.target) / length
    for k in range(at.n_elements):
        a = at.elements[k]
        at.u[a] = rounded(at.u[a] - pace * at.pull[a], at.whole[a], PARTS)
    for r in range(at.high.shape[0]):
        price = at.y[r] - pace * at.y_pull[r] / at.row_scale[r]
        price = price if at.low[r] > 0 or price > 0.0 else 0.0
        price = price if at.high[r] < at.row_scale[r] * 1e15 or price < 0.0 else 0.0
        at.y[r] = cython.cast(cython.float, price)
    for r in range(at.high.shape[0], at.y.shape[0]):
        price = at.y[r] - pace * at.y_pull[r] / at.floor_low[r - at.high.shape[0]]
        at.y[r] = cython.cast(cython.float, max(price, 0.0))
    return True


def slopes(at):
    """Write the directions in which shares move; return the square of their length."""
    for k in range(at.n_elements):
        a = at.elements[k]
        at.slope[a] = -1.0 if at.is_plain or at.kind[a] == BEST else -at.level[a]
    if at.worth.shape[0] == 0:
        spread(at.starts, at.edges, at.x, at.slope, at.n_sets)
    else:
        for k in range(at.n_sets):
            for e in range(at.starts[k], at.starts[k + 1]):
                a = at.edges[e]
                if at.kind[a] == CHANCE:
                    at.slope[a] += at.x[k] * at.worth[at.origin[e]]
                elif at.kind[a] != BEST or at.worth[at.origin[e]] > max(at.u[a], at.floor[a]):
                    at.slope[a] += at.x[k]
    length: cython.double = 0.0
    for k in range(at.n_elements):
        a = at.elements[k]
        slope = at.slope[a]
        if at.kind[a] == BEST:
            slope = -slope if at.u[a] >= at.floor[a] else 0.0
        slope *= at.gain[a]
        slope += MEMORY * at.pull[a]
        if (at.u[a] <= 0.0 and slope > 0.0) or (at.u[a] >= at.whole[a] and slope < 0.0):
            slope = 0.0
        at.pull[a] = slope
        length += slope * slope
    return length


def spread(starts, edges, x, slope, n):
    """Add the solution of each open set to the slopes of its elements."""
    for k in range(n):
        part = x[k]
        if part > 0.0:
            for e in range(starts[k], starts[k + 1]):
                slope[edges[e]] += part


def row_slopes(at, length):
    """Write the directions in which prices move; return the square of the length with them."""
    for r in range(at.high.shape[0]):
        at.used[r] = 0.0
    for k in range(at.n_sets):
        i = at.sets[k]
        if at.x[k] > 0.0:
            for e in range(at.row_start[i], at.row_start[i + 1]):
                at.used[at.row_of[e]] += at.x[k] * at.row_ticks[e]
    for r in range(at.high.shape[0]):
        slope = at.rooms[r] - at.used[r] if at.y[r] > 0.0 else at.needs[r] - at.used[r]
        if at.y[r] == 0.0:  # a price of 0 moves only if a limit is not kept
            slope = max(slope, 0.0) if at.low[r] > 0 else 0.0
            slope = min(at.rooms[r] - at.used[r], 0.0) if slope == 0.0 else slope
        at.y_pull[r] = MEMORY * at.y_pull[r] + slope / at.row_scale[r]
        length += at.y_pull[r] * at.y_pull[r]
    return length


def floor_slopes(at, length):
    """Write the directions in which rewards move; return the square of the length with them."""
    for k in range(at.n_elements):
        at.flow[at.elements[k]] = constant(at, at.elements[k], at.u[at.elements[k]])
    for k in range(at.n_sets):
        if at.x[k] > 0.0:
            for e in range(at.starts[k], at.starts[k + 1]):
                at.flow[at.edges[e]] += at.x[k] * paid(at, e, at.u[at.edges[e]])
    for r in range(at.floor_low.shape[0]):
        slope = -at.lacks[r]
        for e in range(at.floor_start[r], at.floor_start[r + 1]):
            if at.place[at.floor_of[e]] >= 0:
                slope += at.flow[at.floor_of[e]]
        own = at.high.shape[0] + r
        if at.y[own] == 0.0:
            slope = min(slope, 0.0)
        at.y_pull[own] = MEMORY * at.y_pull[own] + slope / at.floor_low[r]
        length += at.y_pull[own] * at.y_pull[own]
    return length


def rounded(share, whole, parts):
    """Return a share as a multiple of `whole` / `parts`, from 0 to `whole`."""
    if not share > 0.0:
        return 0.0
    if share >= whole:
        return whole
    return whole * (floor(share / whole * parts + 0.5) / parts)


def record(at, is_leaf):
    """Write the current point to the proof, with as few bits as still prove what it proved.

    Returns the number of the point. A point of a leaf proves its bound, else what it fixed.
    """
    if not at.keeps:
        return 0
    at.point_start[at.n_points] = at.n_bytes
    at.n_points += 1
    parts = COARSE
    while parts <= MEDIUM:
        for k in range(at.n_elements):
            a = at.elements[k]
            at.trial[a] = rounded(at.u[a], at.whole[a], parts)
        most = proven(at, at.trial, is_leaf)
        if most < at.goal:
            at.highest = max(at.highest, most)
            write(at, at.trial, parts)
            return at.n_points - 1
        parts *= MEDIUM // COARSE
    if at.n_sets > 0:
        evaluate(at, at.u)
    write(at, at.u, cython.cast(int64_t, PARTS))
    return at.n_points - 1


def proven(at, u, is_leaf):
    """Return the highest bound that the shares `u` prove of the leaves of the current point."""
    if at.n_sets == 0:
        return -INF
    bound = evaluate(at, u)
    if is_leaf:
        return bound
    most = -INF
    for j in range(at.n_fixed):
        k = at.fixed[j]
        earned = profit(at, k)
        most = max(most, bound + (earned if at.state[at.sets[k]] == OUT else -earned))
    return most


def write(at, u, parts):
    """Write a point: its parts, its prices, and a share for each element, in such parts."""
    wide = parts > MEDIUM
    at.points[at.n_bytes] = 0 if wide else parts
    at.n_bytes += 1
    write_float(at, at.price if at.n_sets > 0 else 0.0)
    for r in range(at.y.shape[0]):
        write_float(at, at.y[r])
    m = at.weights.shape[0]
    for a in range(m):
        # Elements that are not open give no more than the chosen sets give.
        count = 0 if at.kind[a] == BEST else parts
        if at.n_sets > 0 and at.place[a] >= 0 and at.whole[a] > 0.0:
            count = cython.cast(int64_t, floor(u[a] / at.whole[a] * parts + 0.5))
        if wide:
            at.points[at.n_bytes + a] = count // 256
            at.points[at.n_bytes + m + a] = count % 256
        else:
            at.points[at.n_bytes + a] = count
    at.n_bytes += 2 * m if wide else m


def write_float(at, value):
    """Write a price in four bytes, the lowest first."""
    at.single[0] = value
    for k in range(4):
        at.points[at.n_bytes + k] = at.raw[k]
    at.n_bytes += 4


def note(at, entry):
    """Add to the log of the node at hand."""
    if at.keeps:
        at.log[at.n_log] = entry
        at.n_log += 1


def choose(at):
    """Choose the open set whose averaged solution is nearest to one half."""
    most = -1.0
    for k in range(at.n_sets):
        close = 0.5 - fabs(at.mean[at.sets[k]] - 0.5)
        if close > most:
            most = close
            at.choice = at.sets[k]
