"""Rest: the undecided part of a graph in pieces, as a problem for one machine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.engine.core.problem import CoverageProblem
from maxcover.engine.core.validation import transposed
from maxcover.engine.solvers import solve
from maxcover_scale.distributed.chunks import DROPPED, FIXED, from_here

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.ground.array_types import Int64s
    from maxcover_scale.distributed.chunks import Bytes, Chunk


class Rest(NamedTuple):
    """The undecided part as a problem, the indices of its sets among all sets, and element ids."""

    kept: Int64s
    ids: Int64s
    problem: CoverageProblem


def gather(sets: CoverageProblem, status: Bytes, chunks: Sequence[Chunk]) -> Rest:
    """Make a problem of the undecided part; fixed sets are required in it, and cover nothing."""
    kept = np.flatnonzero(status != DROPPED)
    taken = np.flatnonzero(status[kept] == FIXED)
    weights = np.concatenate([np.empty(0), *(chunk.weights for chunk in chunks)])
    no_numbers = np.empty(0, np.int64)
    degrees = np.concatenate([no_numbers, *(np.diff(chunk.indptr) for chunk in chunks)])
    ids = np.concatenate([no_numbers, *(chunk.ids for chunk in chunks)])
    order = np.argsort(ids, kind="stable")
    starts = np.concatenate(([0], np.cumsum(degrees)))
    edges = np.concatenate([np.empty(0, np.int32), *(chunk.indices for chunk in chunks)])
    indptr = np.concatenate(([0], np.cumsum(degrees[order])))
    shift = np.repeat(starts[order] - indptr[:-1], degrees[order])
    place = np.zeros(sets.n_sets, dtype=np.int32)
    place[kept] = np.arange(kept.size, dtype=np.int32)
    shift += np.arange(edges.size)
    indices = place[edges[shift]]
    del edges, shift
    given: dict[str, Any] = {"costs": sets.costs[kept], "budget": sets.budget, "required": taken}
    limits = sets.limits.among(kept, sets.n_sets)
    nested = np.concatenate([np.empty(0, np.bool_), *(chunk.nested for chunk in chunks)])[order]
    if nested.any():
        # A run of nested elements becomes one element, which gives what its best chosen set gives.
        degrees = degrees[order]
        best = np.repeat(from_here(weights[order], nested), degrees)
        element = np.repeat(np.cumsum(~nested) - 1, degrees)
        rest = CoverageProblem.from_edges(indices, element, best=best, n_sets=kept.size, **given)
        rest = replace(rest, limits=limits)
    else:
        rows, columns = transposed(indptr, indices, kept.size)
        rest = CoverageProblem(
            indptr=rows, indices=columns, weights=weights[order], limits=limits, **given
        )
    return Rest(kept, ids[order], rest)


def decide_rest(
    sets: CoverageProblem, status: Bytes, chunks: Sequence[Chunk], options: dict[str, Any]
) -> Int64s:
    """Solve the rest on this machine; return the chosen sets, fixed ones included."""
    if not any(chunk.weights.size for chunk in chunks):
        return np.flatnonzero(status == FIXED)
    rest = gather(sets, status, chunks)
    return rest.kept[solve(rest.problem, **options).selected]
