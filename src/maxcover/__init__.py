"""Maxcover: budgeted maximum coverage with certified answers."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maxcover import errors, generate, plots
    from maxcover.engine.core.io import load, save
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Solution, certify
    from maxcover.engine.core.verdict import Verification, verify
    from maxcover.engine.decisions.alternatives import Alternatives, alternatives
    from maxcover.engine.decisions.explanation import Explanation, explain
    from maxcover.engine.decisions.planned import Plan, plan
    from maxcover.engine.decisions.sensitivity import Sensitivity, sensitivity
    from maxcover.engine.solvers.beliefs import Beliefs, beliefs
    from maxcover.engine.solvers.control import Progress
    from maxcover.engine.solvers.cover import cover
    from maxcover.engine.solvers.curve import BudgetCurve, budget_curve
    from maxcover.engine.solvers.effort import EFFORTS
    from maxcover.engine.solvers.solve import METHODS, solve
    from maxcover.texts.packing.pack import pack
    from maxcover.texts.packing.result import Packed
    from maxcover.texts.summary.comparison import Comparison, compare
    from maxcover.texts.summary.summarize import summarize
    from maxcover.texts.summary.summary import Summary
    from maxcover.uses.rows.select import Selected, select
    from maxcover.uses.sites.site_map import SiteMap

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

# The public names of each module, as in the imports above, which only type checkers see. A name is
# imported when it is first used, so `import maxcover` takes a few milliseconds; NumPy, SciPy and
# the kernels are loaded by the first call that needs them.
_NAMES = {
    "engine.core.io": "load save",
    "engine.core.problem": "CoverageProblem",
    "engine.core.solution": "Solution certify",
    "engine.core.verdict": "Verification verify",
    "engine.decisions.alternatives": "Alternatives alternatives",
    "engine.decisions.explanation": "Explanation explain",
    "engine.decisions.planned": "Plan plan",
    "engine.decisions.sensitivity": "Sensitivity sensitivity",
    "engine.solvers.beliefs": "Beliefs beliefs",
    "engine.solvers.control": "Progress",
    "engine.solvers.cover": "cover",
    "engine.solvers.curve": "BudgetCurve budget_curve",
    "engine.solvers.effort": "EFFORTS",
    "engine.solvers.solve": "METHODS solve",
    "errors": "errors",
    "generate": "generate",
    "plots": "plots",
    "texts.packing.pack": "pack",
    "texts.packing.result": "Packed",
    "texts.summary.comparison": "Comparison compare",
    "texts.summary.summarize": "summarize",
    "texts.summary.summary": "Summary",
    "uses.rows.select": "Selected select",
    "uses.sites.site_map": "SiteMap",
}
_HOMES = {one: f"maxcover.{home}" for home, names in _NAMES.items() for one in names.split()}


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
