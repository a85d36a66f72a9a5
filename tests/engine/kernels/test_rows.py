"""Edges sorted into rows and back, against SciPy."""

import numpy as np
import pytest
import scipy.sparse

from maxcover import CoverageProblem
from maxcover.engine.core.validation import csr_from_edges, positions_of, transposed
from maxcover.engine.kernels.rows import mark_columns
from maxcover.errors import ProblemError


# few columns: every edge many times; few rows: rows too long for insertion
@pytest.mark.parametrize(("n_rows", "n_columns"), [(1, 500), (40, 6), (40, 300), (300, 40)])
@pytest.mark.parametrize("n_edges", [0, 1, 700])
@pytest.mark.parametrize("order", ["random", "by row", "backwards"])
def test_rows_and_columns_are_those_of_scipy(rng, n_rows, n_columns, n_edges, order):
    rows, columns = rng.integers(0, n_rows, n_edges), rng.integers(0, n_columns, n_edges)
    if order != "random":
        at = np.lexsort((columns, rows))[:: 1 if order == "by row" else -1]
        rows, columns = rows[at], columns[at]
    theirs = scipy.sparse.csr_array(
        (np.ones(n_edges, dtype=bool), (rows, columns)), shape=(n_rows, n_columns)
    )
    theirs.sum_duplicates()
    ours = csr_from_edges(rows, columns, n_rows)
    np.testing.assert_array_equal(ours[0], theirs.indptr)
    np.testing.assert_array_equal(ours[1], theirs.indices)
    turned = transposed(*ours, n_columns)
    np.testing.assert_array_equal(turned[0], theirs.tocsc().indptr)
    np.testing.assert_array_equal(turned[1], theirs.tocsc().indices)


def test_edges_of_any_kind_of_integer_and_layout():
    edges = np.array([[2, 0, 1, 1, 2, 1], [3, 1, 2, 0, 1, 2]], dtype=np.uint16)
    plain = CoverageProblem.from_edges(*edges.astype(np.int64), budget=1)
    strided = CoverageProblem.from_edges(*np.asfortranarray(edges), budget=1)
    assert plain.n_edges == 5
    np.testing.assert_array_equal(plain.indptr, strided.indptr)
    np.testing.assert_array_equal(plain.indices, strided.indices)
    np.testing.assert_array_equal(edges[0], [2, 0, 1, 1, 2, 1])


def test_marked_columns_are_those_of_the_rows(rng):
    rows, columns = rng.integers(0, 50, 400), rng.integers(0, 80, 400)
    indptr, indices = csr_from_edges(rows, columns, 50)
    for size in (0, 1, 7, 60):
        some = rng.integers(0, 50, size)
        marked = np.zeros(80, dtype=bool)
        mark_columns(indptr, indices, some, marked)
        expected = np.zeros(80, dtype=bool)
        expected[indices[positions_of(indptr, some)]] = True
        np.testing.assert_array_equal(marked, expected)


@pytest.mark.parametrize("absent", [-1, 2, 2**40])
def test_a_row_that_there_is_not(absent):
    problem = CoverageProblem.from_sets([[1], [2]], budget=1)
    with pytest.raises(ProblemError, match=f"got {absent}, which no set is called"):
        problem.covered([0, absent])
