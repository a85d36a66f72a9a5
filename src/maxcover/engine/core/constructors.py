"""Constructors: ways to build a CoverageProblem, from edges, matrices, sets and tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import numpy as np

from maxcover.engine.core import (
    arguments,
    converters,
    edge_tables,
    notebook,
    validation,
    wording,
)  # fmt: skip
from maxcover.engine.core import returns as return_of
from maxcover.engine.core.ascending import difference
from maxcover.engine.core.groups import group_limits, named_budgets
from maxcover.engine.core.labels import OF_ELEMENTS, count_nodes, first_list
from maxcover.ground.options import checked

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from maxcover.engine.core.labels import Selection
    from maxcover.ground.array_types import Floats


_Problem = TypeVar("_Problem")


class Constructors:
    """The constructors that CoverageProblem inherits."""

    if TYPE_CHECKING:

        def __init__(self, **arrays: Any) -> None: ...

        def with_worth(self, worth: NDArray[np.float64]) -> Self:
            """Return the problem in which choosing set ``i`` also adds ``worth[i]``."""

    @classmethod
    @checked
    def from_edges(
        cls,
        sets: ArrayLike,
        elements: ArrayLike,
        *,
        budget: float | str | Mapping[str, float | str],
        costs: Mapping[Any, Any] | ArrayLike | None = None,
        weights: Mapping[Any, float] | ArrayLike | None = None,
        n_sets: int | None = None,
        n_elements: int | None = None,
        required: Selection = (),
        forbidden: Selection = (),
        groups: Mapping[Any, Hashable] | Sequence[Hashable] | None = None,
        max_items: float | Mapping[Any, float] | None = None,
        max_cost: float | Mapping[Any, float] | None = None,
        min_items: float | Mapping[Any, float] | None = None,
        min_cost: float | Mapping[Any, float] | None = None,
        min_share: float | Mapping[Any, float] | None = None,
        regions: Mapping[Any, Hashable] | Sequence[Hashable] | None = None,
        min_coverage: float | Mapping[Any, float] | None = None,
        conflicts: Iterable[Iterable[Hashable]] = (),
        need: int | Mapping[Any, int] | ArrayLike | None = None,
        returns: str | Sequence[float] | None = None,
        chance: float | Mapping[Any, Any] | ArrayLike | None = None,
        best: Mapping[Any, Any] | ArrayLike | None = None,
        worth: Mapping[Any, float] | ArrayLike | None = None,
        set_labels: Iterable[Hashable] | None = None,
        element_labels: Iterable[Hashable] | None = None,
    ) -> Self:
        """Build a problem from an edge list: ``sets[k]`` covers ``elements[k]``.

        Data of sets or elements may be an array in their order, or be given by label: a mapping, a
        pandas Series, a table of two columns. Without `set_labels` and
        `element_labels` the labels are 0, 1, 2, ...

        Parameters
        ----------
        sets, elements : array of int
            Two columns of the same length. Duplicate edges are merged; order does not matter.
        budget : float, str, or mapping of name to them
            The largest total cost of the chosen sets, or a share of the cost of all sets, such as
            "50%"; several budgets by name, as in ``budget={"money": 100, "hours": 8}``.
        costs : array or by label, optional
            One for each set; 1 each by default, so that the budget counts sets. With budgets by
            name, a mapping of the same names to costs; the first one counts for `max_cost`,
            `min_cost` and ``solution.cost``.
        weights : array or by label, optional
            One for each element; 1 each by default. An element that no set holds counts as out
            of reach.
        n_sets, n_elements : int, optional
            Needed only when the last sets or elements have no edge, and no costs, weights or
            labels say how many there are.
        required, forbidden : labels or indices of sets, or a Solution
            Sets that must, and sets that must not, be chosen.
        groups : sequence or by label, optional
            The group of each set, None for none, a list of groups where a set is in several.
        max_items, max_cost : number or mapping, optional
            At most so many sets, or at most so much cost, from each group: one number for every
            group, or a mapping from group to number (a group that is not named has no limit).
        min_items, min_cost : number or mapping, optional
            At least so many sets, or at least so much cost, from each group.
        min_share : number or mapping, optional
            The selection covers at least this share of the weight that the sets of a group cover
            together, by whichever sets.
        regions : sequence or by label, optional
            The region of each element, None for none, a list where it is in several.
        min_coverage : number or mapping, optional
            At least this share of the weight of each region is covered.
        conflicts : iterable of tuples of labels or indices
            Sets of which at most one may be chosen.
        need : int, array or by label, optional
            How many chosen sets have to hold an element for it to be covered; 1 where a mapping
            does not name it.
        returns : {"sqrt", "log"} or decreasing sequence, optional
            What an element gives by how many chosen sets hold it, as multiples of its weight:
            ``[1, 0.5]`` gives half as much again for the second set, "sqrt" the square root of the
            number of sets, "log" the logarithm of one more to the base 2.
        chance : number, array or mapping, optional
            The probability that an edge works: one for all, one for each edge, by set label, by
            element, or by set label and then by element (or in the order of its elements). An
            element gives its weight times the probability that one of its chosen edges works.
        best : array or mapping, optional
            How well each edge serves, given as `chance` is: an element gives its weight times the
            best of its chosen edges, as in facility location.
        worth : array or by label, optional
            What a set is worth besides what it covers; 0 where a mapping does not name it.
        set_labels, element_labels : iterable of hashable, optional
            Names for the sets and elements; a solution gives the set labels back.

        Examples
        --------
        >>> from maxcover import CoverageProblem
        >>> CoverageProblem.from_edges([0, 0, 1], [0, 1, 1], costs=[2, 1], weights=[5, 3], budget=2)
        CoverageProblem(2 sets, 2 elements, 3 edges, budget 2)
        """
        rows = validation.edge_column(sets, "sets")
        columns = validation.edge_column(elements, "elements")
        first, costs, others = named_budgets(budget, costs)
        set_names = count_nodes(rows, costs, n_sets, set_labels, side="set", array="costs")
        names = count_nodes(
            columns, weights, n_elements, element_labels, side="element", array="weights"
        )
        cost_array = set_names.numbers(costs, "costs")
        weight_array = names.numbers(weights, "weights")
        found = validation.csr_from_edges(rows, columns, set_names.count)
        returning = return_of.returns_of(
            (rows, columns),
            found,
            (set_names, names),
            need=need,
            returns=returns,
            chance=chance,
            best=best,
        )
        made = cls(
            indptr=found[0],
            indices=found[1],
            costs=cost_array,
            weights=weight_array,
            budget=first,
            budget_name=next(iter(budget)) if isinstance(budget, Mapping) else "cost",
            required=set_names.find(required, "required"),
            forbidden=set_names.find(forbidden, "forbidden"),
            returns=returning,
            set_labels=set_names.names,
            element_labels=names.names,
            **group_limits(
                groups, cost_array, (*found, weight_array), labels=(set_names, names),
                others=others, conflicts=conflicts, regions=regions, min_coverage=min_coverage,
                max_items=max_items, max_cost=max_cost, min_items=min_items, min_cost=min_cost,
                min_share=min_share,
            ),
        )  # fmt: skip
        if worth is None:
            return made
        # Worth becomes the weight of a further element that only this set covers, so that every
        # method, bound and proof counts it.
        return made.with_worth(set_names.numbers(set_names.align(worth, "worth", 0.0), "worth"))

    @classmethod
    @checked
    def from_sparse(
        cls, matrix: Any, *, budget: float | str | Mapping[str, float | str], **options: Any
    ) -> Self:
        """Build a problem from a matrix: row i covers the columns of its non-zeros.

        Parameters
        ----------
        matrix : scipy.sparse matrix or array, or NumPy array, shape (n_sets, n_elements)
            Only which entries are non-zero counts; explicit zeros are no edges. The labels of a
            pandas DataFrame become those of sets and elements.
        budget : float
        **options
            Everything else that `from_edges` takes; with ``chance=True`` the entries are the
            probabilities.

        Examples
        --------
        >>> from maxcover import CoverageProblem
        >>> import scipy.sparse
        >>> matrix = scipy.sparse.coo_array([[1, 1, 0], [0, 1, 1]])
        >>> CoverageProblem.from_sparse(matrix, costs=[2, 1], budget=2)
        CoverageProblem(2 sets, 3 elements, 4 edges, budget 2)
        """
        rows, columns, values, shape = converters.matrix_entries(matrix, "entries")
        options = converters.frame_labels(matrix) | options
        options |= {"n_sets": shape[0], "n_elements": shape[1]}
        if options.get("chance") is True:
            options["chance"] = values
        elif (odd := values[(values < 0) | (values % 1 != 0)]).size:
            validation.warn(
                f"every entry but 0 counts as 1, such as {odd[0]:g}; from_similarity takes "
                "similarities, chance=True probabilities; write matrix > 0 if 1 is meant"
            )
        return told(cls.from_edges(rows, columns, budget=budget, **options))

    @classmethod
    @checked
    def from_sets(
        cls,
        sets: Mapping[Any, Iterable[Hashable]] | Iterable[Iterable[Hashable]],
        *,
        budget: float | str | Mapping[str, float | str],
        weights: Mapping[Any, float] | ArrayLike | None = None,
        set_labels: Iterable[Hashable] | None = None,
        element_labels: Iterable[Hashable] | None = None,
        **options: Any,
    ) -> Self:
        """Build a problem from sets of anything hashable; the solution gives the labels back.

        Parameters
        ----------
        sets : mapping of label to iterable, or iterable of iterables
            In the second form the labels are 0, 1, 2, ..., or `set_labels`.
        budget : float, str, or mapping of name to them
        weights : by element label, or in the order of `element_labels`, optional
            Names every element; elements that no set holds count as out of reach. A list without
            `element_labels` (of weights, needs or regions) says that elements are indices from 0:
            its entry k belongs to element k.
        element_labels : iterable, optional
            All elements, in their order; by default the order in which they first appear.
        **options
            Everything else that `from_edges` takes; with ``n_elements``, elements are numbers
            from 0 and have no labels.

        Examples
        --------
        >>> from maxcover import CoverageProblem
        >>> problem = CoverageProblem.from_sets(
        ...     {"unit": ["parser", "lexer"], "end-to-end": ["parser", "shell"]},
        ...     costs={"unit": 1, "end-to-end": 5},
        ...     weights={"parser": 3, "lexer": 1, "shell": 2},
        ...     budget=5,
        ... )
        >>> problem.set_labels, problem.element_labels
        (('unit', 'end-to-end'), ('parser', 'lexer', 'shell'))
        """
        labels, members = converters.labelled_sets(sets, set_labels)
        because, known = "n_elements", element_labels
        if element_labels is None and "n_elements" not in options:
            given = options | {"weights": weights}
            listed = first_list({name: given.get(name) for name in OF_ELEMENTS})
            because, options["n_elements"] = listed or (because, None)
        is_numbered = options.get("n_elements") is not None
        if is_numbered:
            known = range(options["n_elements"])
        rows, columns, elements = converters.number_elements(members, known, because)
        if not is_numbered:
            options["element_labels"] = converters.with_unreached(elements, weights)
        made = cls.from_edges(
            rows, columns, budget=budget, weights=weights, set_labels=labels, **options
        )
        if misread := converters.misread(labels, members, elements):
            validation.warn(misread)
        return told(made)

    @classmethod
    @checked
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Build a problem from plain data, as JSON holds it.

        Parameters
        ----------
        given : mapping
            ``sets`` and ``budget``, and what else `from_sets` takes, by the same names. In place of
            labels, ``n_elements`` says that elements are numbers from 0; a list of weights without
            labels says so too. A key such as "1" means the label 1 where labels are numbers.

        Examples
        --------
        >>> from maxcover import CoverageProblem
        >>> CoverageProblem.from_dict({"sets": {"a": [1, 2], "b": [2]}, "budget": 1})
        CoverageProblem(2 sets, 2 elements, 3 edges, budget 1)
        """
        return cls.from_sets(**arguments.from_plain(given))

    @classmethod
    @checked
    def from_table(
        cls,
        table: Any,
        *,
        budget: float | str | Mapping[str, float | str],
        sets: Any = None,
        elements: Any = None,
        set: str = "set",  # noqa: A002 - the column of sets is called what it is
        element: str = "element",
        sep: str | None = None,
        **options: Any,
    ) -> Self:
        """Build a problem from a table with one row per edge, or one row per set.

        Parameters
        ----------
        table : table
            Of pandas, Polars, Arrow or DuckDB, a list of dicts, or a dict of columns.
        budget : float, str, or mapping of name to them
            With several budgets, the columns ``cost:NAME`` hold the costs.
        sets, elements : table, optional
            One row per set and one row per element, with their costs, weights and so on. Sets and
            elements without an edge count too.
        set, element : str
            The columns that name the two ends of each edge. Labels may be of any type. Where a
            cell of `element` holds a list, or a text such as "[1, 2]", the row stands for several
            edges.
        sep : str, optional
            Splits the cells of `element`, as in ``sep=";"``.
        **options
            Everything else that `from_edges` takes. A text is the name of a column. Without a
            name, these columns are read if the table has them: ``cost``, ``weight``, ``group``,
            ``strength`` (as `best`), ``chance``, ``worth``, ``need`` and ``region``;
            `required` and `forbidden` may be columns of yes and no. A value of a set (an element)
            must be the same in all its rows.

        Warns
        -----
        InputWarning
            A column is not used; or cells look like lists that `sep` would split.

        Examples
        --------
        >>> from maxcover import CoverageProblem
        >>> import pyarrow as pa
        >>> table = pa.table({"set": ["a", "a", "b"], "element": [1, 2, 2], "price": [3, 3, 1]})
        >>> CoverageProblem.from_table(table, costs="price", budget=3).costs
        array([3., 1.])
        """
        reader = edge_tables.EdgeTables(table, sets, elements, set=set, element=element, sep=sep)
        return told(cls.from_edges(**reader.arguments(options, budget), budget=budget))

    @classmethod
    @checked
    def from_similarity(
        cls,
        similarity: Any,
        *,
        budget: float,
        **options: Any,
    ) -> Self:
        """Build a facility-location problem: each point counts its best similarity to a chosen set.

        Parameters
        ----------
        similarity : array or scipy.sparse matrix, shape (n_sets, n_points)
            Only similarities above 0 count.
        budget : float
        **options
            Everything else that `from_edges` takes, but returns; `weights` are those of the points.

        See Also
        --------
        maxcover.select : Finds the nearest neighbours of vectors, and chooses among the vectors.

        Examples
        --------
        >>> from maxcover import CoverageProblem, solve
        >>> similarity = [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]
        >>> problem = CoverageProblem.from_similarity(similarity, budget=1)
        >>> solution = solve(problem)
        >>> solution.selected, solution.value, solution.status
        (array([1]), 2.0, 'optimal')
        """
        rows, columns, values, shape = converters.matrix_entries(similarity, "similarities")
        similar = values > 0
        n_pairs = int(np.count_nonzero(similar & (rows != columns)))
        if shape[0] == shape[1] > 1 and rows.size == n_pairs == shape[0] * (shape[0] - 1):
            validation.warn(
                "only the diagonal is 0, as if these were distances, and the largest count most; "
                "write numpy.exp(-distances)"
            )
        options = converters.frame_labels(similarity) | options
        options |= {"n_sets": shape[0], "n_elements": shape[1], "best": values[similar]}
        return told(cls.from_edges(rows[similar], columns[similar], budget=budget, **options))

    @classmethod
    def from_points(
        cls,
        sites: Any,
        demand: Any,
        *,
        radius: Any,
        budget: float | str | Mapping[str, float | str],
        unit: str | None = None,
        coordinates: Literal["xy", "lonlat", "latlon"] | None = None,
        decay: str | Callable[[Floats], Floats] | None = None,
        **options: Any,
    ) -> Self:
        """Build a problem from places: a site covers the demand within its radius.

        `maxcover.uses.sites.from_points` does the work, and describes every option.

        Examples
        --------
        >>> from maxcover import CoverageProblem
        >>> sites, demand = [[0, 0], [9, 9]], [[3, 4], [0, 2], [9, 8]]
        >>> CoverageProblem.from_points(sites, demand, radius=5, budget=1)
        CoverageProblem(2 sets, 3 elements, 3 edges, budget 1)
        """
        options |= {"unit": unit, "coordinates": coordinates, "decay": decay}
        made: Self = notebook.call_above(
            "maxcover.uses.sites", "from_points", cls, sites, demand,
            radius=radius, budget=budget, **options,
        )  # fmt: skip
        return made

    @classmethod
    def from_travel_times(
        cls,
        times: Any,
        *,
        limit: float,
        budget: float | str | Mapping[str, float | str],
        sites: Any = None,
        demand: Any = None,
        decay: str | Callable[[Floats], Floats] | None = None,
        **options: Any,
    ) -> Self:
        """Build a problem from travel times: a site covers the demand within the limit.

        `maxcover.uses.sites.from_travel_times` does the work, and describes every option.

        Examples
        --------
        >>> from maxcover import CoverageProblem
        >>> import numpy as np
        >>> minutes = np.array([[4, 12], [np.inf, 7]])
        >>> CoverageProblem.from_travel_times(minutes, limit=8, budget=1)
        CoverageProblem(2 sets, 2 elements, 2 edges, budget 1)
        """
        options |= {"sites": sites, "demand": demand, "decay": decay}
        made: Self = notebook.call_above(
            "maxcover.uses.sites", "from_travel_times", cls, times,
            limit=limit, budget=budget, **options,
        )  # fmt: skip
        return made


def told(problem: _Problem) -> _Problem:
    """Return `problem`; warn (`InputWarning`) if no choice among its sets can matter."""
    if nothing := _nothing_to_choose(problem):
        validation.warn(nothing)
    return problem


def _nothing_to_choose(problem: Any) -> str:
    """Return why no choice among the sets can matter, with what to write instead; "" if it can."""
    if not problem.n_sets:
        return "the problem has no sets: is the table or the list empty?"
    if not problem.n_edges:
        return (
            "no set covers an element, so nothing can be chosen; from_sets takes the elements of "
            "each set, from_similarity numbers above 0, as in numpy.exp(-distances)"
        )
    if not problem.weights.any():
        return "all weights are 0, so nothing is worth choosing; is it the right column?"
    if problem.forbidden.size == problem.n_sets:
        return "all sets are forbidden; name only those that must not be chosen"
    # a budget of 0, or one that required sets use up, may well be meant
    return nothing_fits(problem) if problem.budget and not problem.required.size else ""


def nothing_fits(problem: Any) -> str:
    """Return a message if no set fits the limits, which is rarely intended; else empty text."""
    usable = difference(np.flatnonzero(np.diff(problem.indptr)), problem.forbidden)
    if not usable.size or problem.choosable.any():
        return ""
    cheapest = int(usable[np.argmin(problem.costs[usable])])
    least = float(problem.costs[cheapest])
    if least <= problem.budget:
        return "nothing fits: every set alone breaks a limit"
    share = (
        f"; for a share write budget='{100 * problem.budget:g}%'" if 0 < problem.budget < 1 else ""
    )
    return (
        f"nothing fits: the cheapest set, {problem.label(cheapest)!r}, costs "
        f"{wording.number(least)}, and the budget is {wording.number(problem.budget)}{share}"
    )
