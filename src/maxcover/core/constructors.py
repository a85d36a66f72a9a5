"""Ways to build a CoverageProblem: from edges, matrices, sets, graphs, tables and similarities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from maxcover.core import converters, needs, validation
from maxcover.core import similarity as similarities
from maxcover.errors import ProblemError
from maxcover.options import checked

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

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
        budget: float,
        costs: ArrayLike | None = None,
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
        need: int | ArrayLike | None = None,
        set_labels: Iterable[Hashable] | None = None,
        element_labels: Iterable[Hashable] | None = None,
    ) -> Self:
        """Build a problem from an edge list: ``sets[k]`` covers ``elements[k]``.

        Parameters
        ----------
        sets, elements : array of int
            Two columns of the same length. Duplicate edges are merged; order does not matter.
        budget : float
            What the chosen sets may cost together.
        costs : array of float, optional
            One for each set; 1 each by default, so that the budget counts sets.
        weights : array of float, optional
            One for each element; 1 each by default.
        n_sets, n_elements : int, optional
            Needed only when the last sets or elements have no edge and no cost or weight array says
            how many there are.
        required, forbidden : array of int, optional
            Sets that must, and sets that must not, be chosen.
        groups : sequence of hashable, optional
            The group of each set, None for none.
        max_items, max_cost : number or mapping, optional
            At most so many sets, or at most so much cost, from each group: one number for every
            group, or a mapping from group to number (a group that is not named has no limit).
        min_items, min_cost : number or mapping, optional
            At least so many sets, or at least so much cost, from each group.
        min_share : number or mapping, optional
            The selection covers at least this share of the weight that the sets of a group cover
            together, by whichever sets.
        need : int or array of int, optional
            How many chosen sets have to hold an element for it to be covered; one number for all,
            or one for each.
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
        cost_array = None if costs is None else validation.numbers(costs, "costs")
        weight_array = None if weights is None else validation.numbers(weights, "weights")
        set_count = validation.node_count(rows, cost_array, n_sets, side="sets", array="costs")
        element_count = validation.node_count(
            columns, weight_array, n_elements, side="elements", array="weights"
        )
        indptr, indices = validation.csr_from_edges(rows, columns, set_count)
        limits = validation.group_limits(
            groups,
            set_count,
            max_items=max_items,
            max_cost=max_cost,
            min_items=min_items,
            min_cost=min_cost,
            min_share=min_share,
        )
        return cls(
            indptr=indptr,
            indices=indices,
            costs=np.ones(set_count) if cost_array is None else cost_array,
            weights=np.ones(element_count) if weight_array is None else weight_array,
            budget=budget,
            required=validation.index_list(required, "required", set_count),
            forbidden=validation.index_list(forbidden, "forbidden", set_count),
            needs=needs.needs(need, element_count),
            set_labels=None if set_labels is None else tuple(set_labels),
            element_labels=None if element_labels is None else tuple(element_labels),
            **limits,
        )

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
            Everything else that `from_edges` takes.

        Examples
        --------
        >>> from maxcover import CoverageProblem
        >>> import scipy.sparse
        >>> matrix = scipy.sparse.coo_array([[1, 1, 0], [0, 1, 1]])
        >>> CoverageProblem.from_sparse(matrix, costs=[2, 1], budget=2)
        CoverageProblem(2 sets, 3 elements, 4 edges, budget 2)
        """
        rows, columns, shape = converters.edges_of_matrix(matrix)
        return cls.from_edges(
            rows, columns, budget=budget, n_sets=shape[0], n_elements=shape[1], **options
        )

    @classmethod
    @checked
    def from_sets(
        cls,
        sets: Mapping[Any, Iterable[Hashable]] | Iterable[Iterable[Hashable]],
        *,
        budget: float,
        costs: Mapping[Any, float] | ArrayLike | None = None,
        weights: Mapping[Any, float] | None = None,
        required: Iterable[Hashable] = (),
        forbidden: Iterable[Hashable] = (),
        groups: Mapping[Any, Hashable] | Sequence[Hashable] | None = None,
        max_items: float | Mapping[Any, float] | None = None,
        max_cost: float | Mapping[Any, float] | None = None,
        min_items: float | Mapping[Any, float] | None = None,
        min_cost: float | Mapping[Any, float] | None = None,
        min_share: float | Mapping[Any, float] | None = None,
        need: int | Mapping[Any, int] | None = None,
    ) -> Self:
        """Build a problem from sets of anything hashable; the solution gives the labels back.

        Parameters
        ----------
        sets : mapping of label to iterable, or iterable of iterables
            In the second form the labels are 0, 1, 2, ...
        budget : float
        costs : mapping of set label to cost, or array in the order of the sets, optional
        weights : mapping of element to weight, optional
            Names every element, and nothing else.
        required, forbidden : iterable of set labels
        groups : mapping of set label to group, or sequence, optional
            A label that the mapping does not name is in no group.
        max_items, max_cost, min_items, min_cost, min_share : number or mapping, optional
            As in `from_edges`.
        need : int or mapping of element to int, optional
            How many chosen sets have to hold an element for it to be covered; an element that the
            mapping does not name needs one.

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
        set_index = converters.index_of(labels, "set")
        return cls.from_edges(
            rows,
            columns,
            budget=budget,
            costs=None if costs is None else converters.aligned(costs, labels, "costs"),
            weights=None
            if weights is None
            else converters.aligned(weights, element_labels, "weights"),
            n_sets=len(labels),
            n_elements=len(element_labels),
            required=converters.look_up(required, set_index, "required"),
            forbidden=converters.look_up(forbidden, set_index, "forbidden"),
            groups=converters.aligned(groups, labels, "groups", default=None),
            max_items=max_items,
            max_cost=max_cost,
            min_items=min_items,
            min_cost=min_cost,
            min_share=min_share,
            need=needs.aligned_need(need, element_labels),
            set_labels=labels,
            element_labels=element_labels,
        )

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
        budget: float,
        set: str = "set",  # noqa: A002 - the column of sets is called what it is
        element: str = "element",
        costs: str | Mapping[Any, float] | None = None,
        weights: str | Mapping[Any, float] | None = None,
        required: Iterable[Hashable] = (),
        forbidden: Iterable[Hashable] = (),
        groups: Mapping[Any, Hashable] | None = None,
        max_items: float | Mapping[Any, float] | None = None,
        max_cost: float | Mapping[Any, float] | None = None,
        min_items: float | Mapping[Any, float] | None = None,
        min_cost: float | Mapping[Any, float] | None = None,
        min_share: float | Mapping[Any, float] | None = None,
        need: int | Mapping[Any, int] | None = None,
    ) -> Self:
        """Build a problem from a pyarrow Table or pandas DataFrame with one row per edge.

        Parameters
        ----------
        table : pyarrow.Table or pandas.DataFrame
        budget : float
        set, element : str
            The columns that name the two ends of each edge. Labels may be of any type.
        costs, weights : str or mapping, optional
            A column, whose value must be the same in every row of a set (of an element), or a
            mapping from label to number. 1 each by default.
        required, forbidden, groups, max_items, max_cost, min_items, min_cost, min_share, need
            As in `from_sets`.

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
        set_index = converters.index_of(set_labels, "set")
        return cls.from_edges(
            rows,
            columns,
            budget=budget,
            costs=converters.node_column(table, costs, rows, set_labels, "costs"),
            weights=converters.node_column(table, weights, columns, element_labels, "weights"),
            n_sets=len(set_labels),
            n_elements=len(element_labels),
            required=converters.look_up(required, set_index, "required"),
            forbidden=converters.look_up(forbidden, set_index, "forbidden"),
            groups=converters.aligned(groups, set_labels, "groups", default=None),
            max_items=max_items,
            max_cost=max_cost,
            min_items=min_items,
            min_cost=min_cost,
            min_share=min_share,
            need=needs.aligned_need(need, element_labels),
            set_labels=set_labels,
            element_labels=element_labels,
        )

    @classmethod
    @checked
    def from_similarity(
        cls,
        similarity: Any = None,
        *,
        budget: float,
        points: ArrayLike | None = None,
        neighbours: int = 20,
        levels: int | None = None,
        **options: Any,
    ) -> Self:
        """Build a facility-location problem: each point counts its best similarity to a chosen set.

        Weighted coverage in disguise: a point becomes nested levels of similarity, and covering
        them up to a level is worth the similarity of that level.

        Parameters
        ----------
        similarity : array or scipy.sparse matrix, shape (n_sets, n_points)
            Similarities above 0 count; others are as good as none.
        budget : float
        points : array, shape (n_points, n_dimensions), instead of similarities
            The sets are the points themselves. Each counts its similarity 1 / (1 + distance) to
            the nearest chosen one among its `neighbours` nearest points, itself included.
        neighbours : int
        levels : int, optional
            At most so many levels per point; exact without. ``problem.rounding`` says what that
            costs at most: the true value of a selection is between its value here and
            ``rounding`` more, so no selection is truly worth more than
            ``solution.upper_bound + problem.rounding``.
        **options
            Everything else that `from_edges` takes, but weights.

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
            raise ProblemError("expected either similarities or points")
        matrix = similarity if points is None else similarities.nearest(points, neighbours)
        found = similarities.nested_levels(matrix, levels)
        return cls.from_edges(
            found.sets,
            found.elements,
            budget=budget,
            weights=found.weights,
            n_sets=np.shape(matrix)[0],
            **options,
        )._rounded(found.rounding)

    def _rounded(self, rounding: float) -> Self:
        object.__setattr__(self, "rounding", rounding)
        return self
