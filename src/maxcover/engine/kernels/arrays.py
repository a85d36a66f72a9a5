"""Arrays: type names for the arrays that kernels take, and tuples of arrays that belong together.

`arrays.pxd` has the same type names for the compiler.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Type of costs, weights and messages."""
Offsets = NDArray[np.int64]
"""Type of row starts, ticks and rankings."""
Indices = NDArray[np.int32]
"""Type of the element indices of sets, and of the set indices of elements."""
Bools = NDArray[np.bool_]
"""Type of masks over sets or elements."""
Letters = NDArray[np.uint32]
"""Type of texts as code points."""


class CompressedRows(NamedTuple):
    """The elements of each set, or the sets of each element, in CSR form."""

    indptr: Offsets
    indices: Indices


class BudgetTicks(NamedTuple):
    """The cost of each set and the budget, both in ticks (whole numbers)."""

    ticks: Offsets
    limit: int


class RelaxationArrays(NamedTuple):
    """A linear relaxation: elements of each set, sets of each element, costs, weights, budget."""

    rows: CompressedRows
    columns: CompressedRows
    costs: Floats
    weights: Floats
    budget: float
