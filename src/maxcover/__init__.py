"""Budgeted maximum coverage with certified answers."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maxcover import errors, generate, plots
    from maxcover.core.io import load, save
    from maxcover.core.problem import CoverageProblem
    from maxcover.core.solution import Solution, certify
    from maxcover.core.verdict import Verification
    from maxcover.core.verify import verify
    from maxcover.packing import Packed, pack
    from maxcover.solvers.beliefs import Beliefs, beliefs
    from maxcover.solvers.control import Progress
    from maxcover.solvers.cover import cover
    from maxcover.solvers.curve import BudgetCurve, budget_curve
    from maxcover.solvers.effort import EFFORTS
    from maxcover.solvers.solve import METHODS, solve
    from maxcover.summary.comparison import Comparison, compare
    from maxcover.summary.summarize import summarize
    from maxcover.summary.summary import Summary

__all__ = [
    "EFFORTS",
    "METHODS",
    "Beliefs",
    "BudgetCurve",
    "Comparison",
    "CoverageProblem",
    "Packed",
    "Progress",
    "Solution",
    "Summary",
    "Verification",
    "beliefs",
    "budget_curve",
    "certify",
    "compare",
    "cover",
    "errors",
    "generate",
    "load",
    "pack",
    "plots",
    "save",
    "solve",
    "summarize",
    "verify",
]

# Where each name lives. They are imported when first used: `import maxcover` takes a few
# milliseconds, and NumPy, SciPy and the kernels are loaded by the first call that needs them.
_HOMES = {
    "EFFORTS": "maxcover.solvers",
    "METHODS": "maxcover.solvers",
    "Beliefs": "maxcover.solvers.beliefs",
    "BudgetCurve": "maxcover.solvers",
    "Comparison": "maxcover.summary.comparison",
    "CoverageProblem": "maxcover.core.problem",
    "Packed": "maxcover.packing",
    "Progress": "maxcover.solvers",
    "Solution": "maxcover.core.solution",
    "Summary": "maxcover.summary.summary",
    "Verification": "maxcover.core.verdict",
    "beliefs": "maxcover.solvers.beliefs",
    "budget_curve": "maxcover.solvers",
    "certify": "maxcover.core.solution",
    "compare": "maxcover.summary.comparison",
    "cover": "maxcover.solvers.cover",
    "errors": "maxcover.errors",
    "generate": "maxcover.generate",
    "load": "maxcover.core.io",
    "pack": "maxcover.packing",
    "plots": "maxcover.plots",
    "save": "maxcover.core.io",
    "solve": "maxcover.solvers",
    "summarize": "maxcover.summary.summarize",
    "verify": "maxcover.core.verify",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'maxcover' has no attribute {name!r}")
    home = importlib.import_module(_HOMES[name])
    return getattr(home, name, home)


def __dir__() -> list[str]:
    return list(__all__)
