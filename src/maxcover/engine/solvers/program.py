"""Program: the linear program of a problem with every limit row and return, for HiGHS.

The columns are the sets, and the values that elements give: one column for each run of equal steps
of a COUNT element, and one for each BEST or CHANCE element. The latter is bounded by *pieces*,
affine bounds of what the element can give (the same as in `maxcover.engine.core.bounds`), which are
added where a fractional selection violates them. Minimising the cost of meeting a target is the
same program with another objective and one more row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.engine.core.bounds import AffinePieces, Dual

if TYPE_CHECKING:
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import Floats, Int64s, Mask


# If coefficients of the objective differ by more than this factor, HiGHS's bound is not trusted.
WIDEST = 1e8
# A limit row whose maximum is below this stays in whole ticks; larger rows are scaled down to it.
_SIZE = 2.0**20


class ProgramColumns(NamedTuple):
    """Columns for the value of COUNT elements: one for each run of equal steps of an element."""

    element: Int64s
    gain: Floats  # Value of one unit of the column.
    need: Floats  # Number of chosen sets that one unit needs.
    most: Floats  # Upper bound of the column, in units.


class ProgramRows(NamedTuple):
    """Rows of a model: their entries, and the least and the most that the sum of each may be."""

    row: Int64s
    column: Int64s
    factor: Floats
    low: Floats
    high: Floats


class Piece(NamedTuple):
    """An affine bound of an element's value, by a set T of edges (CHANCE) or a level (BEST)."""

    element: int
    edges: Int64s
    level: float


class Program:
    """The linear program of a problem: its columns and rows.

    Parameters
    ----------
    problem : CoverageProblem
    value : float
        A value that is already reached. Elements without which no selection is worth that much have
        to be covered. Their weight is left out of the objective, where it would hide the others.
    target : float, optional
        The value to reach for as little cost as possible.
    """

    def __init__(
        self, problem: CoverageProblem, *, value: float = 0.0, target: float | None = None
    ) -> None:
        self.problem, self.target = problem, target
        usable = problem.choosable.copy()
        usable[problem.required] = True
        self.sets = np.flatnonzero(usable)
        self.column_of = np.full(problem.n_sets, -1, dtype=np.int64)
        self.column_of[self.sets] = np.arange(self.sets.size)
        holders = np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr))
        self.edges = np.flatnonzero(usable[holders])
        order = np.argsort(problem.indices[self.edges], kind="stable")
        self.edges = self.edges[order]
        self.elements = problem.indices[self.edges].astype(np.int64)
        self.holders = holders[self.edges]
        self.degree = np.bincount(self.elements, minlength=problem.n_elements)
        self.starts = np.append(0, np.cumsum(self.degree))
        self.counting = problem.kind == 0 if problem.kind.size else np.ones(len(self.degree), bool)
        self.gains = np.zeros(problem.n_sets)
        self.columns = self._columns()
        self.others = np.flatnonzero(~self.counting & (self.degree > 0))
        self.other_of = np.full(problem.n_elements, -1, dtype=np.int64)
        self.other_of[self.others] = np.arange(self.others.size)
        self.most = problem.given(self.sets)
        self.must = self._must(value if target is None else target)
        self.sure = float((self.columns.gain * self.columns.most)[self.must].sum())
        # Leave value that is certain out of the objective: beside a huge weight HiGHS would not see
        # small ones.
        if target is None:
            self.sure += float(self.gains[problem.required].sum())
            self.gains[problem.required] = 0.0
        self.pieces: list[Piece] = []

    def _columns(self) -> ProgramColumns:
        """Return columns of COUNT elements; an element in only one set becomes gain of that set."""
        problem = self.problem
        pointer, step = problem.steps
        sizes = np.diff(pointer)
        owner = np.repeat(np.arange(problem.n_elements), sizes)
        place = np.arange(step.size) - np.repeat(pointer[:-1], sizes)
        first = place == 0
        rises = np.zeros(problem.n_elements, dtype=bool)
        rises[owner[1:][~first[1:] & (step[1:] > step[:-1])]] = True
        begins = first | np.append(True, step[1:] != step[:-1])
        begins &= ~rises[owner] | first
        at = np.flatnonzero(begins)
        length = np.diff(np.append(at, step.size)).astype(np.float64)
        element, gain = owner[at], step[at]
        room = np.maximum(self.degree[element] - place[at], 0)
        need, most = np.ones(at.size), np.minimum(length, room)
        late = rises[element]
        gain = np.where(late, np.add.reduceat(step, at) if at.size else 0.0, gain)
        need[late], most[late] = length[late], (length <= self.degree[element])[late]
        kept = self.counting[element] & (gain > 0) & (most > 0)
        # Elements without a column keep their largest step as share: those that no set can cover,
        # and those that only one set holds.
        self.shares = np.zeros(problem.n_elements)
        np.maximum.at(self.shares, owner, step)
        alone = kept & (self.degree[element] == 1) & (need == 1) & (not len(problem.floors.low))
        holder = self.holders[self.starts[element[alone]]]
        np.add.at(self.gains, holder, gain[alone])
        kept &= ~alone
        return ProgramColumns(element[kept], gain[kept], need[kept], most[kept])

    def _must(self, value: float) -> Mask:
        """Return a mask of the columns that are full in every selection worth `value`."""
        columns = self.columns
        worth = columns.gain * columns.most
        total = float(self.most.sum()) * (1 + 1e-9)
        return np.asarray(worth > total - value)

    @property
    def is_idle(self) -> bool:
        """Whether no set that may be chosen can add any value."""
        free = self.problem.choosable[self.holders]
        reach = np.zeros(self.problem.n_elements, dtype=bool)
        reach[self.columns.element] = reach[self.others] = True
        return not (self.gains[self.problem.choosable].any() or reach[self.elements[free]].any())

    @property
    def is_wide(self) -> bool:
        """Whether objective coefficients differ by more than the factor `WIDEST`."""
        numbers = np.concatenate(
            (self.columns.gain[~self.must], self.gains[self.gains > 0], self.most[self.others])
        )
        numbers = numbers[numbers > 0]
        return bool(numbers.size and numbers.max() > WIDEST * numbers.min())

    def top(self) -> float:
        """Return the largest coefficient of the objective."""
        tops = [self.columns.gain[~self.must], self.gains, self.most[self.others]]
        return max((float(part.max(initial=0.0)) for part in tops), default=0.0) or 1.0

    def scale(self) -> float:
        """Return the divisor of the objective: whole weights stay whole if they are small."""
        top, unit = self.top(), self.problem.weight_unit
        return unit if unit is not None and top / unit < 1e6 else top / 1e3

    def pass_to(self, highs: Any, scale: float, *, whole: bool) -> None:
        """Pass the model to `highs`: maximise the value that is not certain, or minimise cost.

        Values are divided by `scale`. With `whole`, the columns of sets and of units that need
        several sets are integer variables. Numpy arrays are passed whole: the attributes of a
        `HighsLp` convert number by number, which takes ten times as long.
        """
        import highspy

        n_sets, columns = self.sets.size, self.columns
        n_counted, n_others = columns.gain.size, self.others.size
        n_columns = n_sets + n_counted + n_others
        lower = np.zeros(n_columns)
        lower[self.column_of[self.problem.required]] = 1.0
        lower[n_sets : n_sets + n_counted][self.must] = columns.most[self.must]
        # Only pieces bound the columns of BEST and CHANCE elements, so that the dual prices of the
        # pieces of an element add up to one.
        endless = highspy.kHighsInf
        ends = (np.ones(n_sets), columns.most, np.full(n_others, endless))
        kinds = np.full(n_columns, int(highspy.HighsVarType.kContinuous), dtype=np.int32)
        if whole:
            is_whole = np.concatenate((np.full(n_sets, True), columns.need > 1))
            kinds[: is_whole.size][is_whole] = int(highspy.HighsVarType.kInteger)
        rows = self._rows(scale)
        order = np.argsort(rows.row, kind="stable")
        highs.passModel(
            n_columns,
            rows.low.size,
            rows.row.size,
            int(highspy.MatrixFormat.kRowwise),
            int(highspy.ObjSense.kMinimize),
            0.0,
            self._objective(scale),
            lower,
            np.concatenate(ends),
            np.clip(rows.low, -endless, endless),
            np.clip(rows.high, -endless, endless),
            np.append(0, np.cumsum(np.bincount(rows.row, minlength=rows.low.size))),
            rows.column[order],
            rows.factor[order],
            kinds,
        )

    def _objective(self, scale: float) -> Floats:
        """Return the factors to minimise: the negative value divided by `scale`, or the cost."""
        gains, columns = self.gains[self.sets] / scale, self.columns
        if self.target is not None:
            others = np.zeros(columns.gain.size + self.others.size)
            costs = self.problem.costs[self.sets] / self.cost_scale()
            return np.concatenate((costs, others))
        counted = np.where(self.must, 0.0, columns.gain / scale)
        return -np.concatenate((gains, counted, np.ones(self.others.size)))

    def _rows(self, scale: float) -> ProgramRows:
        """Return all rows but pieces: COUNT elements, then limits, then minima of value."""
        n_sets, columns = self.sets.size, self.columns
        # Rows of COUNT elements: the units used may not need more sets than are chosen.
        counted, row_of = np.unique(columns.element, return_inverse=True)
        self.counted = counted
        number = np.full(self.problem.n_elements, -1, dtype=np.int64)
        number[counted] = np.arange(counted.size)
        inside = number[self.elements] >= 0
        limits = self._limits()
        rows = [number[self.elements[inside]], row_of.astype(np.int64), counted.size + limits.row]
        places = [self.column_of[self.holders[inside]], n_sets + np.arange(columns.gain.size)]
        places.append(limits.column)
        values = [np.full(int(inside.sum()), -1.0), columns.need, limits.factor]
        low = [np.full(counted.size, -np.inf), limits.low]
        high = [np.zeros(counted.size), limits.high]
        first = counted.size + limits.low.size
        for k, (members, factors, span) in enumerate(self._floors(scale)):
            rows.append(np.full(members.size, first + k))
            places.append(members)
            values.append(factors)
            low.append(np.array([span[0]]))
            high.append(np.array([span[1]]))
        return ProgramRows(*map(np.concatenate, (rows, places, values, low, high)))

    def cost_scale(self) -> float:
        """Return the divisor of costs in the objective: small whole costs stay whole."""
        costs, ticks = self.problem.costs[self.sets], self.problem.ticks
        top = float(costs.max(initial=0.0)) or 1.0
        unit = ticks.unit if ticks.exact else 0.0
        return unit if unit and top / unit < 1e6 else top / 1e3

    def _limits(self) -> ProgramRows:
        """Return the rows of the problem that some selection can break."""
        rows = self.problem.rows
        n_rows, ticks = len(rows.low), rows.ticks.astype(np.float64)
        row = np.repeat(np.arange(n_rows), np.diff(rows.indptr))
        column = self.column_of[rows.sets]
        kept = (column >= 0) & (ticks > 0)
        row, column, ticks = row[kept], column[kept], ticks[kept]
        low, high = rows.low.astype(np.float64), rows.high.astype(np.float64)
        endless = high >= 2.0**61
        breakable = (low > 0) | (high < np.bincount(row, weights=ticks, minlength=n_rows))
        largest = np.ones(n_rows)
        np.maximum.at(largest, row, ticks)
        size = np.maximum(np.where(endless, largest, high) / _SIZE, 1.0)
        self.limit_rows, self.limit_sizes = np.flatnonzero(breakable), size[breakable]
        own = breakable[row]
        low = np.where(low > 0, low / size, -np.inf)[breakable]
        high = np.where(endless, np.inf, high / size)[breakable]
        number = np.cumsum(breakable) - 1
        return ProgramRows(number[row[own]], column[own], (ticks / size[row])[own], low, high)

    def _floors(self, scale: float) -> list[tuple[Int64s, Floats, tuple[float, float]]]:
        """Return the rows of value minima and of the target: (columns, factors, (low, high))."""
        floors, n_sets, columns = self.problem.floors, self.sets.size, self.columns
        counted = columns.gain / scale
        found = []
        for k in range(len(floors.low)):
            inside = np.zeros(self.problem.n_elements, dtype=bool)
            inside[floors.members[floors.indptr[k] : floors.indptr[k + 1]]] = True
            own, other = inside[columns.element], inside[self.others]
            places = (np.flatnonzero(own), columns.gain.size + np.flatnonzero(other))
            factors = np.concatenate((counted[own], np.ones(int(other.sum()))))
            found.append(
                (n_sets + np.concatenate(places), factors, (floors.low[k] / scale, np.inf))
            )
        if self.target is not None:
            worth = np.concatenate(
                (self.gains[self.sets] / scale, counted, np.ones(self.others.size))
            )
            used = np.flatnonzero(worth)
            # Ask for slightly less: HiGHS works with tolerances, and its selection is checked
            # exactly.
            ends = (self.target / scale * (1 - 1e-9), np.inf)
            found.append((used, worth[used], ends))
        return found

    def first_pieces(self) -> list[Piece]:
        """Return the piece with empty T and level 0 of each BEST or CHANCE element."""
        nobody = np.empty(0, dtype=np.int64)
        return [Piece(int(a), nobody, 0.0) for a in self.others]

    def violated(self, x: Floats, given: Floats, tolerance: float) -> list[Piece]:
        """Return the most violated piece of each BEST or CHANCE element, if one is violated.

        `x` has one entry for each set, `given` one for each of these elements. Levels of BEST are
        tried at each strength; for CHANCE, T is a prefix of the edges by falling x.
        """
        problem, found = self.problem, list[Piece]()
        inside = self.other_of[self.elements] >= 0
        edges, owner = self.edges[inside], self.other_of[self.elements[inside]]
        strength, chosen = problem.strength[edges], x[self.holders[inside]]
        best = problem.kind[self.others][owner] == 1
        order = np.lexsort((np.where(best, -strength, -chosen), owner))
        edges, owner, strength, chosen = edges[order], owner[order], strength[order], chosen[order]
        best = best[order]
        if not edges.size:
            return found
        starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
        weight = problem.weights[self.others]

        def before(values: Floats) -> Floats:
            """Return for each edge the sum of `values` before it within its element."""
            running = np.cumsum(values) - values
            return np.asarray(running - running[starts][owner])

        # CHANCE: for each prefix T of the edges, the bound w (1 - r) + w r * (sum of p x outside
        # T), where r is the probability that all edges of T fail.
        miss = np.where(strength < 1.0, np.log1p(-np.minimum(strength, 1 - 1e-16)), -800.0)
        product = strength * chosen
        after = np.add.reduceat(product, starts)[owner] - before(product)
        kept = np.exp(before(np.where(best, 0.0, miss)))
        chance = weight[owner] * (1.0 - kept + kept * after)
        # BEST: for each strength v, the bound v + (sum of (s - v) x over strengths s > v).
        level = strength + before(strength * chosen) - strength * before(chosen)
        value = np.where(best, weight[owner] * level, chance)
        least = np.minimum.reduceat(value, starts)
        everything = weight * (1.0 - np.exp(np.add.reduceat(miss, starts)))
        everything = np.where(best[starts], np.inf, everything)
        ends = np.append(starts[1:], edges.size)
        at = np.flatnonzero(value == least[owner])
        first = at[np.unique(owner[at], return_index=True)[1]]
        first = np.where(everything <= least, ends, first)
        for a in np.flatnonzero(np.minimum(least, everything) < given - tolerance).tolist():
            k = int(first[a])
            if best[starts[a]]:
                found.append(Piece(int(self.others[a]), edges[:0], float(strength[k])))
            else:
                found.append(Piece(int(self.others[a]), edges[starts[a] : k], 0.0))
        return found

    def rows_of(self, pieces: list[Piece], scale: float) -> tuple[Any, ...]:
        """Return pieces as rows for HiGHS: upper ends, starts, columns, values."""
        problem, n_pieces = self.problem, np.arange(len(pieces))
        element = np.array([each.element for each in pieces])
        level = np.array([each.level for each in pieces])
        length = self.starts[element + 1] - self.starts[element]
        begin = np.cumsum(length) - length
        piece = np.repeat(n_pieces, length)
        at = np.arange(piece.size) + (self.starts[element] - begin)[piece]
        edge, column = self.edges[at], self.column_of[self.holders[at]]
        strength, weight = problem.strength[edge], problem.weights[element] / scale
        # `own` gives the edges of T other numbers in each piece, so that one `isin` serves all
        # pieces.
        own = [k * problem.n_edges + each.edges for k, each in enumerate(pieces)]
        inside = np.isin(piece * problem.n_edges + edge, np.concatenate(own))
        missed = np.ones(n_pieces.size)
        if piece.size:
            factor = np.where(inside, 1.0 - strength, 1.0)
            missed[length > 0] = np.multiply.reduceat(factor, begin[length > 0])
        best = problem.kind[element] == 1
        constant = np.where(best, level, 1.0 - missed)
        chance = np.where(inside, 0.0, missed[piece] * strength)
        factor = np.where(best[piece], np.maximum(strength - level[piece], 0.0), chance)
        used = factor > 0
        row = np.concatenate((n_pieces, piece[used]))
        sort = np.argsort(row, kind="stable")
        first = self.sets.size + self.columns.gain.size + self.other_of[element]
        places = np.concatenate((first, column[used]))[sort]
        values = np.concatenate((np.ones(n_pieces.size), -(weight[piece] * factor)[used]))[sort]
        starts = np.append(0, np.cumsum(np.bincount(row, minlength=n_pieces.size)))
        return weight * constant, starts, places, values

    def dual(self, prices: Floats, scale: float) -> Dual:
        """Return the dual point of HiGHS's row prices; the rows of the pieces come last."""
        problem, rows = self.problem, self.problem.rows
        shares = self.shares.copy()
        shares[self.counted] = -prices[: self.counted.size] * scale
        at = self.counted.size
        signed = np.zeros(len(rows.low))
        n_limits = self.limit_rows.size
        signed[self.limit_rows] = -prices[at : at + n_limits] * scale / self.limit_sizes
        at += n_limits
        floors = np.maximum(prices[at : at + len(problem.floors.low)], 0.0)
        at += len(floors)
        price, rate = max(float(signed[0]), 0.0), 1.0
        if self.target is not None:
            # With a target, prices are in units of cost. Divided by the price of the target row
            # they are in units of value.
            rate = max(float(prices[at]), 1e-12)
            price = problem.ticks.unit * scale / (self.cost_scale() * rate)
            with np.errstate(over="ignore"):  # infinite shares are clipped later
                shares[self.counted] /= rate
            at += 1
        theta = np.maximum(-prices[at:], 0.0)
        return Dual(
            price,
            shares,
            problem.ticks.unit,
            rows=signed[1:] / rows.unit[1:] / rate,
            floors=floors / rate,
            pieces=self._combined(theta, shares),
        )

    def _combined(self, theta: Floats, shares: Floats) -> AffinePieces | None:
        """Return CHANCE pieces, weighted by `theta`; write the mean levels of BEST to `shares`."""
        if not self.others.size:
            return None
        element = np.array([piece.element for piece in self.pieces], dtype=np.int64)
        total = np.bincount(element, weights=theta, minlength=self.problem.n_elements)
        part = theta / np.maximum(total[element], 1e-300)
        first = np.unique(element, return_index=True)[1]
        part[first[total[element[first]] <= 0]] = 1.0
        level = np.array([piece.level for piece in self.pieces])
        best = self.problem.kind[element] == 1
        own = np.bincount(element[best], weights=(part * level)[best], minlength=total.size)
        chosen = self.problem.kind == 1
        shares[chosen] = (own * self.problem.weights)[chosen]
        kept = np.flatnonzero(~best & (part > 0))
        kept = kept[np.argsort(element[kept], kind="stable")]
        spans = [np.sort(self.pieces[k].edges) for k in kept.tolist()]
        sizes = [span.size for span in spans]
        return AffinePieces(
            element[kept].astype(np.int32),
            part[kept],
            np.append(0, np.cumsum(sizes)).astype(np.int64),
            np.concatenate([*spans, np.empty(0, dtype=np.int64)]),
        )
