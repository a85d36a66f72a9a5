"""Reading: a million rows by label beside the same rows by position, in CPU seconds.

``python benchmarks/reading.py`` prints, for frames of pandas, Polars and Arrow, how long
`CoverageProblem.from_table` takes where sets and elements are numbers and where they are texts, and
how long costs take by label and in order.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from maxcover import CoverageProblem

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS, SETS, ELEMENTS = 10**6, 20_000, 50_000


def seconds(run: Callable[[], Any]) -> float:
    """Return the least CPU time of five runs."""
    found = []
    for _ in range(5):
        began = time.process_time()
        run()
        found.append(time.process_time() - began)
    return min(found)


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(0)
    sets, elements = rng.integers(0, SETS, ROWS), rng.integers(0, ELEMENTS, ROWS)
    names = np.array([f"set {i}" for i in range(SETS)], dtype=object)
    called = np.array([f"element {i}" for i in range(ELEMENTS)], dtype=object)
    numbered = pd.DataFrame({"set": sets, "element": elements})
    labelled = pd.DataFrame({"set": names[sets], "element": called[elements]})
    for library, make in (
        ("pandas", lambda frame: frame),
        ("pandas, text as Arrow", lambda frame: frame.convert_dtypes(dtype_backend="pyarrow")),
        ("Polars", pl.from_pandas),
        ("Arrow", lambda frame: pa.Table.from_pandas(frame, preserve_index=False)),
    ):
        tables = [make(frame) for frame in (numbered, labelled)]
        position, label = (
            seconds(lambda table=table: CoverageProblem.from_table(table, budget=9))
            for table in tables
        )
        print(f"{library:22} numbers {position:.3f} s, texts {label:.3f} s: {label / position:.2f}")
    costs = pd.Series(rng.integers(1, 9, SETS).astype(float), index=names)
    options = {"budget": 9, "set_labels": names.tolist(), "n_elements": ELEMENTS}
    position = seconds(
        lambda: CoverageProblem.from_edges(sets, elements, costs=costs.to_numpy(), **options)
    )
    turned = costs.sample(frac=1, random_state=1)
    label = seconds(lambda: CoverageProblem.from_edges(sets, elements, costs=turned, **options))
    print(f"{'costs of 20,000 sets':22} in order {position:.3f} s, by label {label:.3f} s: "
          f"{label / position:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
