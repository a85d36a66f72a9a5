"""Ways to build a CoverageProblem: from edges, matrices, sets, graphs, tables and similarities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from maxcover.core import converters, limits, validation
from maxcover.core import returns as return_of
from maxcover.core import similarity as similarities
from maxcover.errors import ProblemError
from maxcover.options import checked

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import ArrayLike


class Constructors:
    """The constructors that CoverageProblem inherits."""

    if TYPE_CHECKING:

        def __init__(self, **arrays: Any) -> None: ...

    @classmethod
    @checked
    def from_edges(
        cls,
        sets: ArrayLike,
        elements: ArrayLike,
        *,
        budget: float | Mapping[str, float],
        costs: ArrayLike | Mapping[str, ArrayLike] | None = None,
        weights: ArrayLike | None = None,
        n_sets: int | None = None,
        n_elements: int | None = None,
        required: ArrayLike = (),
        forbidden: ArrayLike = (),
        groups: Sequence[Hashable] | None = None,
        max_items: float | Mapping[Any, float] | None = None,
        max_cost: float | Mapping[Any, float] | None = None,
        min_items: float | Mapping[Any, float] | None = None,
        min_cost: float | Mapping[Any, float] | None = None,
        min_share: float | Mapping[Any, float] | None = None,
        conflicts: Iterable[Iterable[int]] = (),
        need: int | ArrayLike | None = None,
        returns: str | Sequence[float] | None = None,
        chance: float | ArrayLike | None = None,
        best: ArrayLike | None = None,
        worth: ArrayLike | None = None,
        set_labels: Iterable[Hashable] | None = None,
        element_labels: Iterable[Hashable] | None = None,
    ) -> Self:
        """Build a problem from an edge list: ``sets[k]`` covers ``elements[k]``.

        Parameters
        ----------
        sets, elements : array of int
            Two columns of the same length. Duplicate edges are merged; order does not matter.
        budget : float, or mapping of name to float
            What the chosen sets may cost together; several budgets by name, as in
            ``budget={"money": 100, "hours": 8}``.
        costs : array of float, optional
            One for each set; 1 each by default, so that the budget counts sets. With budgets by
            name, a mapping of the same names to such arrays; the first one counts for `max_cost`,
            `min_cost` and ``solution.cost``.
        weights : array of float, optional
            One for each element; 1 each by default.
        n_sets, n_elements : int, optional
            Needed only when the last sets or elements have no edge and no cost or weight array says
            how many there are.
        required, forbidden : array of int, optional
            Sets that must, and sets that must not, be chosen.
        groups : sequence of hashable, optional
            The group of each set, None for none, a list of groups where a set is in several.
        max_items, max_cost : number or mapping, optional
            At most so many sets, or at most so much cost, from each group: one number for every
            group, or a mapping from group to number (a group that is not named has no limit).
        min_items, min_cost : number or mapping, optional
            At least so many sets, or at least so much cost, from each group.
        min_share : number or mapping, optional
            The selection covers at least this share of the weight that the sets of a group cover
            together, by whichever sets.
        conflicts : iterable of tuples of int, optional
            Sets of which at most one may be chosen.
        need : int or array of int, optional
            How many chosen sets have to hold an element for it to be covered; one number for all,
            or one for each.
        returns : {"sqrt", "log"} or decreasing sequence, optional
            What an element gives by how many chosen sets hold it, as multiples of its weight:
            ``[1, 0.5]`` gives half as much again for the second set, "sqrt" the square root of the
            number of sets, "log" the logarithm of one more to the base 2.
        chance : number or array of float, optional
            The probability that an edge works; one for all, or one for each edge. An element gives
            its weight times the probability that at least one of its chosen edges works.
        best : array of float, optional
            How well each edge serves: an element gives its weight times the best of its chosen
            edges, as in facility location.
        worth : array of float, optional
            What each set is worth besides what it covers.
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
        budget, costs, others = limits.named_budgets(budget, costs)
        cost_array = None if costs is None else validation.numbers(costs, "costs")
        weight_array = None if weights is None else validation.numbers(weights, "weights")
        set_count = validation.node_count(rows, cost_array, n_sets, side="sets", array="costs")
        element_count = validation.node_count(
            columns, weight_array, n_elements, side="elements", array="weights"
        )
        cost_array = np.ones(set_count) if cost_array is None else cost_array
        found = validation.csr_from_edges(rows, columns, set_count)
        returning = return_of.returns_of(
            (rows, columns),
            found,
            element_count,
            need=need,
            returns=returns,
            chance=chance,
            best=best,
        )
        names = None if set_labels is None else tuple(set_labels)
        worths = np.ones(element_count) if weight_array is None else weight_array
        return cls(
            indptr=found[0],
            indices=found[1],
            costs=cost_array,
            weights=worths,
            budget=budget,
            required=required,
            forbidden=forbidden,
            returns=returning,
            set_labels=names,
            element_labels=None if element_labels is None else tuple(element_labels),
            **limits.group_limits(
                groups, cost_array, (*found, worths), names=names, others=others,
                conflicts=conflicts, max_items=max_items, max_cost=max_cost, min_items=min_items,
                min_cost=min_cost, min_share=min_share,
            ),
        )._worth(worth)  # fmt: skip

    @classmethod
    @checked
    def from_sparse(cls, matrix: Any, *, budget: float, **options: Any) -> Self:
        """Build a problem from a SciPy sparse matrix: row i covers the columns of its non-zeros.

        Parameters
        ----------
        matrix : scipy.sparse matrix or array, any format, shape (n_sets, n_elements)
            Only which entries are non-zero counts; explicit zeros are no edges.
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
        rows, columns, values, shape = converters.edges_of_matrix(matrix)
        if options.get("chance") is True:
            options["chance"] = values
        return cls.from_edges(
            rows, columns, budget=budget, n_sets=shape[0], n_elements=shape[1], **options
        )

    @classmethod
    @checked
    def from_sets(
        cls,
        sets: Mapping[Any, Iterable[Hashable]] | Iterable[Iterable[Hashable]],
        *,
        budget: float | Mapping[str, float],
        costs: Mapping[Any, Any] | ArrayLike | None = None,
        weights: Mapping[Any, float] | None = None,
        required: Iterable[Hashable] = (),
        forbidden: Iterable[Hashable] = (),
        groups: Mapping[Any, Hashable] | Sequence[Hashable] | None = None,
        conflicts: Iterable[Iterable[Hashable]] = (),
        need: int | Mapping[Any, int] | None = None,
        chance: float | Mapping[Any, Any] | None = None,
        worth: Mapping[Any, float] | ArrayLike | None = None,
        **options: Any,
    ) -> Self:
        """Build a problem from sets of anything hashable; the solution gives the labels back.

        Parameters
        ----------
        sets : mapping of label to iterable, or iterable of iterables
            In the second form the labels are 0, 1, 2, ...
        budget : float, or mapping of name to float
        costs : mapping of set label to cost, or array in the order of the sets, optional
            With budgets by name, a mapping of the same names to these.
        weights : mapping of element to weight, optional
            Names every element, and nothing else.
        required, forbidden : iterable of set labels
        groups : mapping of set label to group, or sequence, optional
            A label that the mapping does not name is in no group; a list stands for several groups.
        conflicts : iterable of tuples of set labels
            Sets of which at most one may be chosen.
        need : int or mapping of element to int, optional
            How many chosen sets have to hold an element for it to be covered; an element that the
            mapping does not name needs one.
        chance : number or mapping, optional
            The probability that an edge works: one for all, by set label, by element, or by set
            label and then by element.
        worth : mapping of set label to number, or array, optional
            What a set is worth besides what it covers; 0 where the mapping does not name it.
        **options
            ``returns``, ``max_items``, ``max_cost``, ``min_items``, ``min_cost`` and ``min_share``
            as in `from_edges`.

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
        labels, members = converters.labelled_sets(sets)
        rows, columns, element_labels = converters.number_elements(members)
        return cls.from_edges(
            rows,
            columns,
            budget=budget,
            weights=None
            if weights is None
            else converters.aligned(weights, element_labels, "weights"),
            **converters.by_label(
                (rows, columns), labels, element_labels, is_named=limits.is_named(budget),
                costs=costs, required=required, forbidden=forbidden, groups=groups,
                conflicts=conflicts, need=need, chance=chance, worth=worth,
            ),
            **options,
        )  # fmt: skip

    @classmethod
    @checked
    def from_networkx(
        cls,
        graph: Any,
        *,
        budget: float,
        sets: Iterable[Hashable] | None = None,
        cost: str = "cost",
        weight: str = "weight",
        **options: Any,
    ) -> Self:
        """Build a problem from a bipartite networkx graph.

        Parameters
        ----------
        graph : networkx.Graph or DiGraph
            Edges join sets and elements, in either direction.
        budget : float
        sets : iterable of nodes, optional
            The nodes that are sets; by default those with the attribute ``bipartite=0``, as
            networkx's own bipartite generators set it. All other nodes are elements.
        cost, weight : str
            Node attributes; a node without it counts 1.
        **options
            ``required``, ``forbidden``, ``groups``, its limits, and ``need`` as in `from_sets`.

        Examples
        --------
        >>> from maxcover import CoverageProblem
        >>> import networkx as nx
        >>> graph = nx.Graph([("s1", "w1"), ("s1", "w2"), ("s2", "w2")])
        >>> CoverageProblem.from_networkx(graph, sets=["s1", "s2"], budget=1)
        CoverageProblem(2 sets, 2 elements, 3 edges, budget 1)
        """
        members, costs, weights = converters.sets_of_graph(graph, sets, cost, weight)
        return cls.from_sets(members, budget=budget, costs=costs, weights=weights, **options)

    @classmethod
    @checked
    def from_table(
        cls,
        table: Any,
        *,
        budget: float | Mapping[str, float],
        set: str = "set",  # noqa: A002 - the column of sets is called what it is
        element: str = "element",
        costs: str | Mapping[Any, Any] | None = None,
        weights: str | Mapping[Any, float] | None = None,
        required: Iterable[Hashable] = (),
        forbidden: Iterable[Hashable] = (),
        groups: Mapping[Any, Hashable] | None = None,
        conflicts: Iterable[Iterable[Hashable]] = (),
        need: int | Mapping[Any, int] | None = None,
        chance: str | float | Mapping[Any, Any] | None = None,
        worth: str | Mapping[Any, float] | None = None,
        **options: Any,
    ) -> Self:
        """Build a problem from a pyarrow Table or pandas DataFrame with one row per edge.

        Parameters
        ----------
        table : pyarrow.Table or pandas.DataFrame
        budget : float, or mapping of name to float
        set, element : str
            The columns that name the two ends of each edge. Labels may be of any type.
        costs, weights, worth : str or mapping, optional
            A column, whose value must be the same in every row of a set (of an element), or a
            mapping from label to number. 1 each by default, 0 for worth. With budgets by name,
            `costs` is a mapping of the same names to these.
        chance : str, number or mapping, optional
            A column of probabilities, one for each edge; or as in `from_sets`.
        required, forbidden, groups, conflicts, need
            As in `from_sets`.
        **options
            ``returns``, ``max_items``, ``max_cost``, ``min_items``, ``min_cost`` and ``min_share``
            as in `from_edges`.

        Examples
        --------
        >>> from maxcover import CoverageProblem
        >>> import pyarrow as pa
        >>> table = pa.table({"set": ["a", "a", "b"], "element": [1, 2, 2], "price": [3, 3, 1]})
        >>> CoverageProblem.from_table(table, costs="price", budget=3).costs
        array([3., 1.])
        """
        rows, set_labels = converters.encode_column(table, set)
        columns, element_labels = converters.encode_column(table, element)

        def of_sets(source: Any, name: str) -> Any:
            if not isinstance(source, str):
                return source
            return converters.node_column(table, source, rows, set_labels, name)

        is_named = limits.is_named(budget)
        if is_named and isinstance(costs, Mapping):
            costs = {name: of_sets(source, name) for name, source in costs.items()}
        return cls.from_edges(
            rows,
            columns,
            budget=budget,
            weights=converters.node_column(table, weights, columns, element_labels, "weights"),
            **converters.by_label(
                (rows, columns), set_labels, element_labels, costs=of_sets(costs, "costs"),
                is_named=is_named, required=required, forbidden=forbidden, groups=groups,
                conflicts=conflicts, need=need, worth=of_sets(worth, "worth"),
                chance=converters.edge_values(table, chance),
            ),
            **options,
        )  # fmt: skip

    @classmethod
    @checked
    def from_similarity(
        cls,
        similarity: Any = None,
        *,
        budget: float,
        points: ArrayLike | None = None,
        neighbours: int = 20,
        **options: Any,
    ) -> Self:
        """Build a facility-location problem: each point counts its best similarity to a chosen set.

        Parameters
        ----------
        similarity : array or scipy.sparse matrix, shape (n_sets, n_points)
            Similarities above 0 count; others are as good as none.
        budget : float
        points : array, shape (n_points, n_dimensions), instead of similarities
            The sets are the points themselves. Each counts its similarity 1 / (1 + distance) to
            the nearest chosen one among its `neighbours` nearest points, itself included.
        neighbours : int
        **options
            Everything else that `from_edges` takes, but returns; `weights` are those of the points.

        Examples
        --------
        >>> from maxcover import CoverageProblem, solve
        >>> similarity = [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]
        >>> problem = CoverageProblem.from_similarity(similarity, budget=1)
        >>> solution = solve(problem)
        >>> solution.selected, solution.value, solution.status
        (array([1]), 2.0, 'optimal')
        """
        if (similarity is None) == (points is None):
            got = "neither" if points is None else "both"
            raise ProblemError(f"expected either similarities or points, got {got}")
        matrix = similarity if points is None else similarities.nearest(points, neighbours)
        rows, columns, values, shape = similarities.entries(matrix)
        return cls.from_edges(
            rows,
            columns,
            budget=budget,
            best=values,
            n_sets=shape[0],
            n_elements=shape[1],
            **options,
        )

    def _worth(self, worth: ArrayLike | None) -> Self:
        """Return the problem in which each set also covers an element of its own, which weighs it.

        So every method, bound and proof counts what a set is worth by itself.
        """
        if worth is None:
            return self
        problem: Any = self
        each = validation.numbers(worth, "worth")
        if len(each) != problem.n_sets:
            raise ProblemError(f"expected worth of {problem.n_sets} sets, got {len(each)}")
        sets = np.flatnonzero(each > 0)
        labels = problem.element_labels
        if labels is not None:
            labels = (*labels, *(("worth", problem.label(i)) for i in sets))
        made: Self = problem.with_own_elements(sets, each[sets], labels)
        return made
