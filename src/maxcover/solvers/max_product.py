"""Max-product: belief propagation at zero temperature, where sums become maxima.

Let h be what a set tells an element: its field less that element's own message. The element answers
with the gain that it still offers, ``clip(-max of the others' h, 0, w)``: nothing if another set is
chosen anyway, all of its weight if none comes near.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.kernels.propagate import no_longer_shrink

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem

    Floats = NDArray[np.float64]


def max_product(
    problem: CoverageProblem,
    mu: float,
    *,
    hard: bool,
    damping: float,
    max_sweeps: int,
    tol: float,
    sent: Floats | None,
    watch: Callable[[Floats], bool] | None,
) -> dict[str, Any]:
    """Sweep until no message moves; return the numbers of `Beliefs`, in units of weight."""
    owners = np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr))
    order = np.argsort(problem.indices, kind="stable")
    elements, sets = problem.indices[order], owners[order]
    weights = problem.weights[elements]
    starts = np.flatnonzero(np.append(True, elements[1:] != elements[:-1]))[: elements.size]
    sizes = np.diff(np.append(starts, elements.size))
    field = -mu * problem.costs
    field[problem.required], field[problem.forbidden] = np.inf, -np.inf
    answers = weights.copy() if sent is None else np.clip(sent[order], 0.0, weights)
    top = float(problem.weights.max(initial=0.0)) or 1.0
    residuals: list[float] = []

    def heard(now: Floats) -> tuple[Floats, Floats]:
        """Return what sets tell elements, and the largest of each element, edge by edge."""
        told = (field + np.bincount(sets, weights=now, minlength=problem.n_sets))[sets] - now
        if not starts.size:
            return told, told
        return told, np.repeat(np.maximum.reduceat(told, starts), sizes)

    moved = np.inf
    while len(residuals) < max_sweeps and moved > tol * top:
        others = _others(*heard(answers), starts, sizes)
        wanted = np.clip(-others, 0.0, weights)
        fresh = damping * answers + (1.0 - damping) * wanted
        moved = float(np.abs(fresh - answers).max(initial=0.0))
        residuals.append(moved / top)
        answers = fresh
        if watch is not None and watch(np.array(residuals)):
            break
    told, _ = heard(answers)
    support = np.bincount(sets, weights=answers, minlength=problem.n_sets).astype(np.float64)
    fields = field + support
    best = np.full(problem.n_elements, -np.inf)
    wish = np.zeros(problem.n_elements)
    np.maximum.at(best, elements, told)
    np.add.at(wish, elements, np.maximum(told, 0.0))
    covered = np.where(best > 0, wish, best)
    free = np.isfinite(fields)
    degrees = np.bincount(owners, minlength=problem.n_sets)
    value = float(((1.0 - degrees) * np.maximum(np.where(free, fields, 0.0), 0.0)).sum())
    held = problem.covered(problem.required)
    given = np.where(
        held,
        problem.weights + _finite(wish, elements, told),
        np.maximum(problem.weights + covered, 0.0),
    )
    value += float(given.sum()) - mu * float(problem.costs[problem.required].sum())
    back = np.empty_like(answers)
    back[order] = answers
    converged = bool(residuals) and moved <= tol * top
    return {
        "sets": np.where(fields > 0, 1.0, np.where(fields < 0, 0.0, 0.5)),
        "elements": np.where(problem.weights + covered > 0, 1.0, 0.0),
        "fields": fields,
        "element_fields": problem.weights + (covered if hard else np.minimum(best, 0.0)),
        "support": support,
        "messages": back,
        "sweeps": len(residuals),
        "converged": converged,
        "oscillating": not converged and no_longer_shrink(np.array(residuals)),
        "residuals": np.array(residuals),
        "free_energy": -value,
    }


def _others(told: Floats, largest: Floats, starts: Any, sizes: Any) -> Floats:
    """Return for each edge the largest that its element hears from other sets."""
    if not starts.size:
        return largest
    first = told == largest
    rest = np.where(first, -np.inf, told)
    several = np.repeat(np.add.reduceat(first.astype(np.int64), starts), sizes) > 1
    second = np.repeat(np.maximum.reduceat(rest, starts), sizes)
    return np.where(first & ~several, second, largest)


def _finite(wish: Floats, elements: NDArray[np.int32], told: Floats) -> Floats:
    """Return the sums of what is wished without the required sets, whose wish has no end."""
    kept = np.isfinite(told)
    return np.bincount(
        elements[kept], weights=np.maximum(told[kept], 0.0), minlength=wish.size
    ).astype(np.float64)
