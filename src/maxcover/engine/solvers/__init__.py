"""Solvers: one file per method, one table of methods, one function `solve`."""

from maxcover.engine.solvers.control import Progress
from maxcover.engine.solvers.curve import BudgetCurve, budget_curve
from maxcover.engine.solvers.effort import EFFORTS
from maxcover.engine.solvers.solve import METHODS, Method, MethodOptions, solve

__all__ = [
    "EFFORTS", "METHODS", "BudgetCurve", "Method", "MethodOptions", "Progress", "budget_curve",
    "solve",
]  # fmt: skip
