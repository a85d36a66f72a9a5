"""Arrays: names for the arrays that cross into kernels, and for those that belong together.

`arrays.pxd` has the former for the compiler.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Costs, weights, messages."""
Offsets = NDArray[np.int64]
"""Row starts, ticks, rankings."""
Indices = NDArray[np.int32]
"""Elements of the sets, sets of the elements."""
Bools = NDArray[np.bool_]
"""Masks over sets or elements."""
Letters = NDArray[np.uint32]
"""Code points of texts."""


class CompressedRows(NamedTuple):
    """The elements of each set, or the sets of each element, in CSR form."""

    indptr: Offsets
    indices: Indices


class BudgetTicks(NamedTuple):
    """What may be selected together: ticks of each set, and of the budget."""

    ticks: Offsets
    limit: int


class RelaxationArrays(NamedTuple):
    """A linear relaxation: the sets' elements, the elements' sets, and the numbers of both."""

    rows: CompressedRows
    columns: CompressedRows
    costs: Floats
    weights: Floats
    budget: float
