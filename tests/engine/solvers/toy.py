"""The toy solver of "Adding a solver" in CONTRIBUTING.md: its file, and its row in METHODS.

As a plugin of pytest it puts itself into the table, and the exam runs by itself:
``pytest -p tests.engine.solvers.toy tests/engine/solvers/test_all.py -k toy``.
"""

import numpy as np

from maxcover.engine.solvers import METHODS
from maxcover.engine.solvers.control import Control, Draft
from maxcover.engine.solvers.solve import Method
from maxcover.ground import options


def heaviest_first(problem, control: Control) -> Draft:
    """Take the sets by their own weight, each if it still fits.

    Guarantees nothing: costs are not looked at, and what sets share is counted for each of them.
    It costs a sort and one check of all limits per set, so it is slow above some thousand sets.
    """
    weights = np.array([problem.value([i]) for i in range(problem.n_sets)])
    selected = problem.required.tolist()
    for i in np.argsort(-weights, kind="stable").tolist():
        is_new = i not in selected and i not in problem.forbidden
        if is_new and not problem.violation(np.array([*selected, i])):
            selected.append(i)
    return Draft(np.array(selected, np.int64), "every set was tried")


def pytest_configure() -> None:
    """Add the row; not when the file is only imported, which a search for doctests does."""
    METHODS["toy"] = Method(run=heaviest_first, title="heaviest sets first, overlap or not")
    # in the package, the name stands in `maxcover.ground.names.METHODS`
    row = options.OPTIONS["method"]
    options.OPTIONS["method"] = row._replace(names=(*row.names, "toy"))
