"""Budgeted maximum coverage with certified answers."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maxcover import errors, generate
    from maxcover.belief import Beliefs, beliefs
    from maxcover.comparing import Comparison, compare
    from maxcover.files import load, save
    from maxcover.packing import Packed, pack
    from maxcover.plan import Plan
    from maxcover.problem import CoverageProblem
    from maxcover.solution import Solution, Verification, certify
    from maxcover.solvers.control import Progress
    from maxcover.solvers.cover import cover
    from maxcover.solvers.curve import BudgetCurve, budget_curve
    from maxcover.solvers.solve import METHODS, solve
    from maxcover.summarizer import summarize
    from maxcover.summary import Summary
    from maxcover.verification import verify

__all__ = [
    "METHODS",
    "Beliefs",
    "BudgetCurve",
    "Comparison",
    "CoverageProblem",
    "Packed",
    "Plan",
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
    "save",
    "solve",
    "summarize",
    "verify",
]

# Where each name lives. They are imported when first used: `import maxcover` takes a few
# milliseconds, and NumPy, SciPy and the kernels are loaded by the first call that needs them.
_HOMES = {
    "METHODS": "maxcover.solvers",
    "Beliefs": "maxcover.belief",
    "BudgetCurve": "maxcover.solvers",
    "Comparison": "maxcover.comparing",
    "CoverageProblem": "maxcover.problem",
    "Packed": "maxcover.packing",
    "Plan": "maxcover.plan",
    "Progress": "maxcover.solvers",
    "Solution": "maxcover.solution",
    "Summary": "maxcover.summary",
    "Verification": "maxcover.solution",
    "beliefs": "maxcover.belief",
    "budget_curve": "maxcover.solvers",
    "certify": "maxcover.solution",
    "compare": "maxcover.comparing",
    "cover": "maxcover.solvers.cover",
    "errors": "maxcover.errors",
    "generate": "maxcover.generate",
    "load": "maxcover.files",
    "pack": "maxcover.packing",
    "save": "maxcover.files",
    "solve": "maxcover.solvers",
    "summarize": "maxcover.summarizer",
    "verify": "maxcover.verification",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'maxcover' has no attribute {name!r}")
    home = importlib.import_module(_HOMES[name])
    return getattr(home, name, home)


def __dir__() -> list[str]:
    return list(__all__)
