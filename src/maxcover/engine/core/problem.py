"""Problem: `CoverageProblem`, the sets, the elements they cover, their costs, and all limits.

Every check of what a user passes in lives in this file, in `validation`, `labels`, `groups`,
`limits`, `returns` and `converters`; `constructors` builds problems from other data. A problem that
a constructor built is valid, so solvers and bounds never check again.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core import arguments, notebook, validation
from maxcover.engine.core import limits as limit_rows
from maxcover.engine.core import returns as return_of
from maxcover.engine.core.constructors import Constructors
from maxcover.engine.core.labels import Labels
from maxcover.engine.core.ticks import common_unit, to_ticks
from maxcover.engine.core.wording import number
from maxcover.engine.kernels.rows import mark_columns
from maxcover.errors import InfeasibleError, ProblemError

if TYPE_CHECKING:
    from collections.abc import Hashable
    from pathlib import Path
    from typing import Self

    from numpy.typing import NDArray

    from maxcover.engine.core.labels import Selection
    from maxcover.engine.core.ticks import Ticks
    from maxcover.ground.array_types import AnyArray, Floats, Int32s, Int64s, Mask


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CoverageProblem(Constructors, notebook.Tabular):
    """Choose sets within a budget so that the elements they cover weigh the most.

    The graph is a compressed sparse row matrix: set ``i`` covers ``indices[indptr[i]:indptr[i +
    1]]``. Build one with `from_edges`, `from_sets`, `from_table`, `from_points` or another `from_`;
    the class itself takes arrays that are already in this form; it checks all but limits, floors
    and returns. All arrays are read-only. With float64 node arrays a problem takes 4 bytes per
    edge, and 4 more once a solver has asked for the transpose.

    Parameters
    ----------
    indptr : array of int64, length n_sets + 1
    indices : array of int32, length n_edges
        Elements of each set, ascending, without repetition.
    costs : array of float64, length n_sets
        Finite, at least 0. A set of cost 0 is free.
    weights : array of float64, length n_elements
        Finite, at least 0.
    budget : float
        Finite, at least 0. Costs that are whole multiples of a common unit (integers, cents,
        tenths) are added exactly; see `maxcover.engine.core.ticks`.
    required, forbidden : array of int64
        Sets that every solution contains, and sets that none may contain.
    limits : Limits
        Rows besides the budget: further budgets, groups, conflicts.
    floors : Limits
        Minima of the total value of some elements.
    returns : Returns
        How elements give value; by default each gives its weight as soon as a chosen set holds it.
    set_labels, element_labels : tuple or None
        The caller's names of the sets and elements.
    budget_name : str
        Name of the budget, if there are several.
    n_own : int
        Number of elements, at the end, that stand for the `worth` of sets.
    places : Places or None
        Coordinates of sets and elements, if `from_points` made the problem; carried for
        `maxcover.SiteMap`, and read by nothing in the engine. Not saved.

    Examples
    --------
    >>> problem = CoverageProblem.from_sets(
    ...     {"a": ["x", "y"], "b": ["y", "z"], "c": ["z"]}, costs={"a": 2, "b": 2, "c": 1}, budget=3
    ... )
    >>> problem
    CoverageProblem(3 sets, 3 elements, 5 edges, budget 3)
    """

    indptr: Int64s
    indices: Int32s
    costs: Floats
    weights: Floats
    budget: float
    required: Int64s = field(default_factory=lambda: validation.NO_INDICES)
    forbidden: Int64s = field(default_factory=lambda: validation.NO_INDICES)
    limits: limit_rows.Limits = limit_rows.NO_LIMITS
    floors: limit_rows.Limits = limit_rows.NO_LIMITS
    returns: return_of.Returns = return_of.ONCE
    set_labels: tuple[Hashable, ...] | None = None
    element_labels: tuple[Hashable, ...] | None = None
    budget_name: str = "cost"
    n_own: int = 0
    places: Any = None

    def __post_init__(self) -> None:
        put = partial(object.__setattr__, self)
        put("costs", validation.numbers(self.costs, "costs"))
        put("weights", validation.weights(self.weights))
        put("budget", validation.budget(self.budget, self.costs))
        indptr, indices = validation.csr(
            self.indptr, self.indices, n_sets=len(self.costs), n_elements=len(self.weights)
        )
        put("indptr", indptr)
        put("indices", indices)
        put("required", validation.index_list(self.required, "required", len(self.costs)))
        put("forbidden", validation.index_list(self.forbidden, "forbidden", len(self.costs)))
        for name, expected in (("set_labels", self.n_sets), ("element_labels", self.n_elements)):
            labels = getattr(self, name)
            if labels is not None and len(labels) != expected:
                raise ProblemError(f"expected {expected} {name}, got {len(labels)}")
        self.check_range()
        self._check_required()

    def check_range(self) -> None:
        """Raise ProblemError for numbers so extreme that their products or quotients overflow."""
        validation.check_range(self.costs, "costs")
        validation.check_range(self.limits.amounts, "amounts of limits")
        if self.returns.of.size or len(self.floors):
            # With returns or minima, the searches do not rescale the weights.
            validation.check_range(self.weights, "weights")
        validation.check_range(self.returns.steps, "returns")
        validation.check_range(self.returns.strength, "chances and strengths")

    def _check_required(self) -> None:
        if not self.required.size:
            return
        both = np.intersect1d(self.required, self.forbidden, assume_unique=True)
        if both.size:
            raise InfeasibleError(
                f"set {self.label(both[0])!r} is both required and forbidden; remove it from one "
                "of them"
            )
        if broken := self.excess(self.required):
            raise InfeasibleError(f"the required sets alone break a limit: {broken}")

    @property
    def n_sets(self) -> int:
        """Number of sets."""
        return len(self.costs)

    @property
    def n_elements(self) -> int:
        """Number of elements."""
        return len(self.weights)

    @property
    def n_edges(self) -> int:
        """Number of pairs (set, element it covers)."""
        return len(self.indices)

    @cached_property
    def names(self) -> tuple[Labels, Labels]:
        """Lookup tables of the labels: one for sets, one for elements."""
        return (
            Labels(self.set_labels, self.n_sets, "set"),
            Labels(self.element_labels, self.n_elements, "element"),
        )

    @cached_property
    def is_plain(self) -> bool:
        """Whether the budget is the only limit, and each element counts its weight once."""
        return not (len(self.limits) or len(self.floors) or self.returns.of.size)

    @cached_property
    def rows(self) -> limit_rows.CountedRows:
        """All limits in ticks, each row in its own unit; row 0 is the budget."""
        return limit_rows.rows_of(self.limits, self.ticks, self.costs, self.budget)

    @property
    def kind(self) -> NDArray[np.int8]:
        """COUNT, BEST or CHANCE (of `core.returns`) for each element; empty for plain coverage."""
        return self.returns.kind

    @cached_property
    def steps(self) -> tuple[Int64s, Floats]:
        """Weight that each further set adds to an element, as CSR arrays ``(indptr, weights)``."""
        return self.returns.steps_of(self.weights, self.degrees)

    @property
    def strength(self) -> Floats:
        """Similarity or probability of each edge; empty if no element uses it."""
        return self.returns.strength

    @cached_property
    def transpose(self) -> tuple[Int64s, Int32s]:
        """The sets of each element, ascending, as CSR arrays ``(indptr, indices)``."""
        return validation.transposed(self.indptr, self.indices, self.n_elements)

    @cached_property
    def degrees(self) -> Int64s:
        """Number of sets that hold each element."""
        return validation.frozen(np.bincount(self.indices, minlength=self.n_elements))

    @cached_property
    def ticks(self) -> Ticks:
        """Costs and budget as integers (ticks), which decide exactly what fits."""
        affordable = self.limits.fits_alone(self.n_sets) if len(self.limits) else None
        ticks = to_ticks(self.costs, self.budget, affordable)
        ticks.ticks.flags.writeable = False
        return ticks

    @cached_property
    def weight_unit(self) -> float | None:
        """The largest number that divides every weight, and so every value; None if there is none.

        Values are counted in this unit in floating point, so the largest value has fewer than 2**52
        units.
        """
        unit = common_unit(self.weights)
        if unit is not None and unit != np.floor(unit):
            off = np.abs(self.weights - np.rint(self.weights / unit) * unit).sum()
            unit = None if 16.0 * float(off) > unit else unit
        if self.returns.of.size:
            unit = self.returns.unit(unit)
        top = float(self.weights.sum())
        return None if unit is None or self.returns.most * top / unit >= 2.0**52 else unit

    @cached_property
    def counted_weights(self) -> Floats:
        """Weights as multiples of `weight_unit`, if any, so that equal gains compare as equal."""
        unit = self.weight_unit
        return (
            self.weights if unit in (None, 1.0) else validation.frozen(np.rint(self.weights / unit))
        )

    @cached_property
    def counted_costs(self) -> Floats:
        """Costs as multiples of their unit, if any, so that equal ratios compare as equal."""
        ticks = self.ticks
        if not ticks.exact or ticks.unit == 1.0:
            return self.costs
        return validation.frozen(ticks.ticks.astype(np.float64))

    @cached_property
    def choosable(self) -> Mask:
        """Mask of sets that may be chosen: not required, not forbidden, and each fits by itself."""
        mask = self.ticks.ticks <= self.ticks.limit
        if not self.is_plain:
            mask &= self.rows.fits_alone
        mask[self.required] = False
        mask[self.forbidden] = False
        return validation.frozen(mask)

    @property
    def is_required(self) -> Mask:
        """Mask of the required sets."""
        mask = np.zeros(self.n_sets, dtype=bool)
        mask[self.required] = True
        return mask

    @cached_property
    def coverable(self) -> Mask:
        """Mask of the elements that some required or choosable set covers."""
        usable = self.choosable.copy()
        usable[self.required] = True
        return validation.frozen(self.covered(np.flatnonzero(usable)))

    def label(self, index: int | np.integer[Any]) -> Hashable:
        """Return the label of a set; its index when the problem has no labels."""
        return int(index) if self.set_labels is None else self.set_labels[index]

    def elements_at(self, index: int) -> Int32s:
        """Return the elements that set number `index` covers, ascending."""
        return self.indices[self.indptr[index] : self.indptr[index + 1]]

    def elements_of(self, index: Hashable) -> Int32s:
        """Return the indices of the elements of a set; `index` is the label or index of the set.

        Examples
        --------
        >>> CoverageProblem.from_sets({"a": ["x"], "b": ["x", "y"]}, budget=1).elements_of("b")
        array([0, 1], dtype=int32)
        """
        return self.elements_at(int(self.names[0].find([index], "sets")[0]))

    def covered(self, selected: Selection) -> Mask:
        """Return which elements the selected sets cover together, as a mask.

        `selected` are labels or indices of sets, or a Solution.
        """
        chosen = self.names[0].find(selected)
        if self.returns.of.size:
            return self._shares(chosen) > 0
        mask = np.zeros(self.n_elements, dtype=bool)
        mark_columns(self.indptr, self.indices, chosen, mask)
        return mask

    def value(self, selected: Selection) -> float:
        """Return the weight that the selected sets cover together.

        `selected` are labels or indices of sets, or a Solution. An array of whole numbers holds
        indices, as ``solution.selected`` does.

        Examples
        --------
        >>> CoverageProblem.from_sets({"a": [1, 2], "b": [2, 3]}, budget=1).value(["a", "b"])
        3.0
        """
        return float(self.won(selected).sum())

    def won(self, selected: Selection) -> Floats:
        """Return the value of each covered element if the sets `selected` are chosen.

        Zeros for other elements are included if elements have returns.
        """
        if self.returns.of.size:
            return self.given(selected)
        return self.weights[self.covered(selected)]

    def given(self, selected: Selection) -> Floats:
        """Return the value that each element gives if the sets `selected` are chosen."""
        return self.weights * self._shares(self.names[0].find(selected))

    def _shares(self, chosen: Int64s) -> Floats:
        """Return the value of each element, as a multiple of its weight, for the sets `chosen`."""
        edges = validation.positions_of(self.indptr, chosen)
        return self.returns.shares(self.indices[edges], edges, self.n_elements)

    def violation(self, selected: Int64s) -> str:
        """Return a message on the first limit that `selected` breaks; empty if it breaks none.

        This checks the budget, the other limits and the minima of value, but not the required and
        forbidden sets.
        """
        if broken := self._excess_of_budget(selected):
            return broken
        if self.is_plain:
            return ""
        if broken := self.rows.broken(selected):
            return broken
        if not len(self.floors):
            return ""
        reached, low = self.floors.reached(self.given(selected)), self.floors.low
        for r in np.flatnonzero(reached < low * (1 - limit_rows.FLOOR_ROUNDING))[:1]:
            least, got = number(low[r]), number(reached[r])
            return f"expected {self.floors.names[r]} to be at least {least}, got {got}"
        return ""

    def excess(self, selected: Int64s) -> str:
        """Return a message on the first maximum that `selected` breaks; minima are not checked."""
        if broken := self._excess_of_budget(selected):
            return broken
        return "" if self.is_plain else self.rows.broken(selected, minima=False)

    def _excess_of_budget(self, selected: Int64s) -> str:
        total = float(self.costs[selected].sum())
        # Leave out sets that break another limit by themselves: their ticks are not their costs.
        counted = selected[
            (self.ticks.ticks[selected] <= self.ticks.limit) | (self.costs[selected] > self.budget)
        ]
        # The comparison of floats comes first because the sum of integers may overflow.
        if total > 2 * self.budget or int(self.ticks.ticks[counted].sum()) > self.ticks.limit:
            cost, most = number(total), number(self.budget)
            if len(selected) == 1:
                return f"1 set costs {cost}, the budget is {most}"
            return f"{len(selected)} sets cost {cost} together, the budget is {most}"
        return ""

    def replace(self, **changes: Any) -> Self:
        """Return the problem with some arguments changed; `copy.replace` does the same.

        Parameters
        ----------
        **changes
            Arguments of `from_edges` by their names, such as ``budget``, ``required``, ``costs``
            or ``max_items``, except the edges and labels. None takes a limit away. Of several
            budgets, a mapping changes those that it names; a number changes the first.

        Examples
        --------
        >>> problem = CoverageProblem.from_sets({"a": [1, 2], "b": [2]}, budget=1)
        >>> problem.replace(required=["b"], budget=2)
        CoverageProblem(2 sets, 2 elements, 3 edges, budget 2, 1 required)
        """
        if changes.keys() == {"budget"} and not isinstance(changes["budget"], Mapping):
            return self.with_budget(changes["budget"])
        made = type(self).from_edges(**arguments.changed(self.arguments(), changes))
        return made._with(places=self.places)

    __replace__ = replace

    def with_budget(self, budget: float | str) -> Self:
        """Return the same problem under another budget; the arrays are shared."""
        stale = ("ticks", "counted_costs", "choosable", "coverable", "rows")
        other = self._with(stale, budget=validation.budget(budget, self.costs))
        other._check_required()
        return other

    def arguments(self) -> dict[str, Any]:
        """Return arguments of `from_edges` that make the same problem, without `places`.

        Examples
        --------
        >>> problem = CoverageProblem.from_sets([[1, 2], [2]], budget=1, conflicts=[(0, 1)])
        >>> problem.arguments()["conflicts"]
        [[0, 1]]
        """
        n, names = self.n_elements - self.n_own, self.limits.names[: self.limits.n_budgets]
        stated = {**self.limits.stated, **self.floors.stated}
        if len(self.limits) + len(self.floors) > len(names) and not stated:
            raise ProblemError("expected limits that a constructor made, got others")
        sets, is_edge = np.repeat(np.arange(self.n_sets), np.diff(self.indptr)), self.indices < n
        found: dict[str, Any] = {"budget": self.budget, "costs": self.costs}
        if names:
            rows = {name: self.limits.row(r)[1] for r, name in enumerate(names)}
            ends = dict(zip(names, self.limits.high.tolist(), strict=False))
            found = {"budget": {self.budget_name: self.budget} | ends,
                     "costs": {self.budget_name: self.costs} | rows}  # fmt: skip
        if self.n_own:
            found["worth"] = np.zeros(self.n_sets)
            found["worth"][sets[~is_edge]] = self.weights[self.indices[~is_edge]]
        return found | {
            "sets": sets[is_edge],
            "elements": self.indices[is_edge],
            "n_sets": self.n_sets,
            "n_elements": n,
            "set_labels": self.set_labels,
            "element_labels": self.element_labels and self.element_labels[:n],
            "weights": self.weights[:n],
            "required": self.required,
            "forbidden": self.forbidden,
            **stated,
            **self.returns.arguments(n, is_edge),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the whole problem as plain data, which `from_dict` and JSON can hold.

        Labels that JSON does not know, and groups and regions, become texts.

        Examples
        --------
        >>> CoverageProblem.from_sets({"a": ["x"]}, budget=1).to_dict()["sets"]
        {'a': ['x']}
        """
        return arguments.to_plain(self.arguments())

    def write(self, path: str | Path) -> None:
        """Write the problem as an integer program, ``.mps`` or ``.lp``, for any solver.

        Column ``x3`` is set 3. Minus the value is minimised.

        Examples
        --------
        >>> import tempfile
        >>> problem = CoverageProblem.from_sets({"a": [1, 2], "b": [2]}, budget=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     problem.write(f"{folder}/problem.mps")
        """
        notebook.call_above("maxcover.engine.core.model_file", "write_model", self, path)

    def to_pandas(self) -> Any:
        """Return one row per edge as a pandas DataFrame: ``set, element, cost, weight``.

        Sets and elements are labels, or indices if there are no labels. Further columns are
        ``chance``, ``strength``, ``need`` and ``worth``, as far as the problem has them, so that
        `from_table` reads them again. Sets and elements without an edge are missing; limits and
        `returns` are no columns, and a problem with returns gives an InputWarning.

        Examples
        --------
        >>> problem = CoverageProblem.from_sets({"a": ["x", "y"]}, costs={"a": 2}, budget=3)
        >>> problem.to_pandas()["element"].tolist()
        ['x', 'y']
        """
        return super().to_pandas()

    def _columns(self) -> dict[str, Any]:
        given = self.arguments()
        sets, elements = given["sets"], given["elements"]
        if "returns" in given:
            validation.warn(
                "a table has no column for returns: pass them to from_table again, as in "
                f"returns={given['returns'][:4]}"
            )
        more = {"chance": given.get("chance"), "strength": given.get("best")}
        for name, ends in (("need", elements), ("worth", sets)):
            more[name] = given[name][ends] if name in given else None

        def named(numbers: AnyArray, labels: tuple[Hashable, ...] | None) -> Any:
            return numbers if labels is None else [labels[k] for k in numbers.tolist()]

        return {
            "set": named(sets, self.set_labels),
            "element": named(elements, self.element_labels),
            "cost": self.costs[sets],
            "weight": self.weights[elements],
            **{name: column for name, column in more.items() if column is not None},
        }

    def _repr_html_(self) -> str:
        shown = range(min(self.n_sets, notebook.SHOWN))
        held = [self.elements_at(k) for k in shown]
        columns = {
            "set": [str(self.label(k)) for k in shown],
            "cost": self.costs[: len(shown)].tolist(),
            "elements": [len(elements) for elements in held],
            "weight": [float(self.weights[elements].sum()) for elements in held],
        }
        return notebook.card(
            repr(self),
            notebook.column_table(columns, total=self.n_sets),
        )

    def with_elements(
        self,
        indptr: Int64s,
        indices: Int32s,
        *,
        weights: Floats,
        returning: return_of.Returns = return_of.ONCE,
        labels: tuple[Hashable, ...] | None = None,
    ) -> Self:
        """Return a problem of the same sets over other elements; the arrays are not checked."""
        stale = (
            "transpose", "degrees", "weight_unit", "counted_weights", "coverable", "steps",
            "is_plain", "names",
        )  # fmt: skip
        return self._with(
            stale,
            indptr=indptr,
            indices=indices,
            weights=weights,
            returns=returning,
            element_labels=labels,
            n_own=0,
        )

    def with_sets(self, kept: Int64s) -> Self:
        """Return the problem of the sets `kept`, ascending; set ``kept[k]`` becomes set ``k``.

        Required sets have to be kept. Costs and limits are counted in the same ticks as before, so
        the same selections fit.
        """
        edges = validation.positions_of(self.indptr, kept)
        place = np.full(self.n_sets, -1, dtype=np.int64)
        place[kept] = np.arange(len(kept))
        forbidden = place[self.forbidden]
        stale = (
            "transpose", "degrees", "counted_costs", "choosable", "coverable", "steps", "names",
            "rows",
        )  # fmt: skip
        changes: dict[str, Any] = {}
        if len(self.limits):
            changes["rows"] = self.rows.among(kept)
            changes["limits"] = self.limits.among(kept, self.n_sets)
        if self.strength.size:
            changes["returns"] = replace(self.returns, strength=self.strength[edges])
        if self.set_labels is not None:
            changes["set_labels"] = tuple(self.set_labels[i] for i in kept.tolist())
        return self._with(
            stale,
            indptr=np.append(0, np.cumsum(np.diff(self.indptr)[kept])).astype(np.int64),
            indices=self.indices[edges],
            costs=self.costs[kept],
            required=place[self.required],
            forbidden=forbidden[forbidden >= 0],
            ticks=self.ticks._replace(ticks=self.ticks.ticks[kept]),
            places=None,
            **changes,
        )

    def with_worth(self, worth: Floats) -> Self:
        """Return the problem in which choosing set ``i`` also adds ``worth[i]`` to the value.

        Each such set covers a further element of that weight, called ``("worth", label)``.
        """
        sets, labels = np.flatnonzero(worth > 0), self.element_labels
        if labels is not None:
            labels = (*labels, *(("worth", self.label(i)) for i in sets))
        made = self.with_own_elements(sets, worth[sets], labels)._with(n_own=sets.size)
        made.check_range()
        return made

    def with_own_elements(
        self, sets: Int64s, weights: Floats, labels: tuple[Hashable, ...] | None = None
    ) -> Self:
        """Return the problem with one new element per set of `sets`, covered by that set only."""
        if self.n_elements + sets.size > validation.MOST_NODES:
            raise ProblemError("expected a problem with room for one more element per set")
        places = self.indptr[sets + 1]
        own = self.n_elements + np.arange(sets.size)
        added = np.zeros(self.n_sets + 1, dtype=np.int64)
        added[sets + 1] = 1
        return self.with_elements(
            validation.frozen(self.indptr + np.cumsum(added)),
            validation.frozen(np.insert(self.indices, places, own)),
            weights=validation.frozen(np.append(self.weights, weights)),
            returning=return_of.with_once(self.returns, places, sets.size),
            labels=labels,
        )

    def with_choice(self, required: Int64s, forbidden: Int64s) -> CoverageProblem:
        """Return the problem with other required and forbidden sets, given as sorted indices."""
        other = self._with(
            ("choosable", "coverable"),
            required=validation.frozen(required),
            forbidden=validation.frozen(forbidden),
        )
        other._check_required()
        return other

    def _with(self, stale: tuple[str, ...] = (), **changes: Any) -> Self:
        """Return a copy with changed fields and all cached properties except those in `stale`."""
        other = copy(self)
        for name in stale:
            vars(other).pop(name, None)
        vars(other).update(changes)
        return other

    def __repr__(self) -> str:
        limits = {
            "required": len(self.required),
            "forbidden": len(self.forbidden),
            "limits": len(self.limits) + len(self.floors),
        }
        said = "".join(f", {count} {what}" for what, count in limits.items() if count)
        return (
            f"CoverageProblem({self.n_sets} sets, {self.n_elements} elements, {self.n_edges} "
            f"edges, budget {number(self.budget)}{said})"
        )
