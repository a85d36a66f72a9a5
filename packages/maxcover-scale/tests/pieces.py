"""A problem cut into chunks in this process, and the proof of an answer for the verifier."""

import numpy as np

import maxcover as mc
from maxcover.engine.core.bounds import Dual
from maxcover.engine.core.solution import Solution
from maxcover_scale.distributed.chunks import Edges, build, without
from maxcover_scale.distributed.coreset import solve_pieces, status_at_first
from maxcover_scale.distributed.pieces import added
from maxcover_scale.distributed.plan import DEFAULT_PLAN


class InProcess:
    """All pieces in this process, one after the other: a slow and simple stand-in for a cluster."""

    def __init__(self, pieces):
        self.pieces = pieces

    def add_up(self, ask, *, named=False):
        return added([ask(piece) for piece in self.pieces])

    def reduced(self, status):
        return InProcess([[without(chunk, status) for chunk in piece] for piece in self.pieces])

    def rest(self, status):
        return [without(chunk, status) for piece in self.pieces for chunk in piece]

    def close(self):
        self.pieces = []


def without_edges(problem: mc.CoverageProblem) -> mc.CoverageProblem:
    """Return the sets of a problem and their limits."""
    return problem.with_elements(
        np.zeros(problem.n_sets + 1, np.int64), np.zeros(0, np.int32), weights=np.zeros(0)
    )


def in_process(problem: mc.CoverageProblem, size: int) -> InProcess:
    """Cut by the remainder of the number of an element."""
    rows = np.repeat(np.arange(problem.n_sets, dtype=np.int32), np.diff(problem.indptr))
    columns = problem.indices.astype(np.int64)
    status = status_at_first(without_edges(problem))
    pieces = []
    for piece in range(size):
        mine = columns % size == piece
        ids = np.arange(piece, problem.n_elements, size)
        edges = Edges(columns[mine], rows[mine])
        pieces.append(list(build(edges, ids, problem.weights[ids], status)))
    return InProcess(pieces)


def answer(problem: mc.CoverageProblem, size: int, plan=DEFAULT_PLAN, **options):
    """Solve a problem in so many pieces in this process."""
    ids = np.arange(problem.n_sets)
    pieces = in_process(problem, size)
    return solve_pieces(pieces, without_edges(problem), ids=ids, plan=plan, **options)


def as_solution(problem: mc.CoverageProblem, found) -> Solution:
    """Return a selection with all shares of its dual point, which no machine holds otherwise."""
    proof, dual = found.proof, np.zeros(problem.n_elements)
    for chunk in in_process(problem, 1).pieces[0]:
        dual[chunk.ids] = proof.shares_of(chunk)
    # what no open set covers adds nothing to the bound once its share is its weight
    open_sets = np.flatnonzero(status_at_first(without_edges(problem)) == 0)
    lost = ~problem.covered(open_sets)
    dual[lost] = problem.weights[lost]
    return Solution(
        selected=found.sets,
        value=found.value,
        cost=found.cost,
        upper_bound=found.upper_bound,
        status="heuristic",
        stopped="",
        bound_by="dual point",
        dual=Dual(proof.price, dual, problem.ticks.unit),
    )
