"""Names for the arrays that cross into kernels; `arrays.pxd` has the same for the compiler."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Costs, weights, messages."""
Offsets = NDArray[np.int64]
"""Row starts, ticks, rankings."""
Indices = NDArray[np.int32]
"""Elements of the sets, sets of the elements, the group of each set (-1 for none)."""
Left = NDArray[np.uint8] | NDArray[np.float64]
"""Weights still to be covered, as bytes where they are small counts."""
Bools = NDArray[np.bool_]
"""Masks over sets or elements."""
