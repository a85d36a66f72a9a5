"""Budgeted maximum coverage with certified answers."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maxcover import errors, generate, plots
    from maxcover.core.io import load, save
    from maxcover.core.problem import CoverageProblem
    from maxcover.core.solution import Solution, certify
    from maxcover.core.verdict import Verification, verify
    from maxcover.decisions.alternatives import Alternatives, alternatives
    from maxcover.decisions.explanation import Explanation, explain
    from maxcover.decisions.planned import Plan, plan
    from maxcover.decisions.sensitivity import Sensitivity, sensitivity
    from maxcover.packing.pack import pack
    from maxcover.packing.result import Packed
    from maxcover.rows.select import Selected, select
    from maxcover.sites.site_map import SiteMap
    from maxcover.solvers.beliefs import Beliefs, beliefs
    from maxcover.solvers.control import Progress
    from maxcover.solvers.cover import cover
    from maxcover.solvers.curve import BudgetCurve, budget_curve
    from maxcover.solvers.effort import EFFORTS
    from maxcover.solvers.solve import METHODS, solve
    from maxcover.summary.comparison import Comparison, compare
    from maxcover.summary.summarize import summarize
    from maxcover.summary.summary import Summary

__version__: str

__all__ = [
    "EFFORTS",
    "METHODS",
    "Alternatives",
    "Beliefs",
    "BudgetCurve",
    "Comparison",
    "CoverageProblem",
    "Explanation",
    "Packed",
    "Plan",
    "Progress",
    "Selected",
    "Sensitivity",
    "SiteMap",
    "Solution",
    "Summary",
    "Verification",
    "__version__",
    "alternatives",
    "beliefs",
    "budget_curve",
    "certify",
    "compare",
    "cover",
    "errors",
    "explain",
    "generate",
    "load",
    "pack",
    "plan",
    "plots",
    "save",
    "select",
    "sensitivity",
    "solve",
    "summarize",
    "verify",
]

# The module of each public name, as in the imports above, which only type checkers see. A name is
# imported when it is first used, so `import maxcover` takes a few milliseconds; NumPy, SciPy and
# the kernels are loaded by the first call that needs them.
_HOMES = {
    "EFFORTS": "maxcover.solvers.effort",
    "METHODS": "maxcover.solvers.solve",
    "Alternatives": "maxcover.decisions.alternatives",
    "Beliefs": "maxcover.solvers.beliefs",
    "BudgetCurve": "maxcover.solvers.curve",
    "Comparison": "maxcover.summary.comparison",
    "CoverageProblem": "maxcover.core.problem",
    "Explanation": "maxcover.decisions.explanation",
    "Packed": "maxcover.packing.result",
    "Plan": "maxcover.decisions.planned",
    "Progress": "maxcover.solvers.control",
    "Selected": "maxcover.rows.select",
    "Sensitivity": "maxcover.decisions.sensitivity",
    "SiteMap": "maxcover.sites.site_map",
    "Solution": "maxcover.core.solution",
    "Summary": "maxcover.summary.summary",
    "Verification": "maxcover.core.verdict",
    "alternatives": "maxcover.decisions.alternatives",
    "beliefs": "maxcover.solvers.beliefs",
    "budget_curve": "maxcover.solvers.curve",
    "certify": "maxcover.core.solution",
    "compare": "maxcover.summary.comparison",
    "cover": "maxcover.solvers.cover",
    "errors": "maxcover.errors",
    "explain": "maxcover.decisions.explanation",
    "generate": "maxcover.generate",
    "load": "maxcover.core.io",
    "pack": "maxcover.packing.pack",
    "plan": "maxcover.decisions.planned",
    "plots": "maxcover.plots",
    "save": "maxcover.core.io",
    "select": "maxcover.rows.select",
    "sensitivity": "maxcover.decisions.sensitivity",
    "solve": "maxcover.solvers.solve",
    "summarize": "maxcover.summary.summarize",
    "verify": "maxcover.core.verdict",
}


if not TYPE_CHECKING:  # type checkers would accept any name if they saw `__getattr__`

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            return _version()
        if name not in _HOMES:
            raise AttributeError(f"module 'maxcover' has no attribute {name!r}{_hint(name)}")
        home = importlib.import_module(_HOMES[name])
        found = globals()[name] = getattr(home, name, home)
        return found


def __dir__() -> list[str]:
    return list(__all__)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("maxcover")
    except PackageNotFoundError:  # maxcover runs from its sources and is not installed
        return "0"


def _hint(name: str) -> str:
    import difflib

    known = {one.lower(): one for one in _HOMES}
    near = difflib.get_close_matches(name.lower(), known, n=1)
    return f"; did you mean {known[near[0]]!r}?" if near else ""
