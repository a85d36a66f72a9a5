"""A problem cut into shards and blocks in this process."""

import numpy as np

from maxcover import CoverageProblem
from maxcover.distributed.bsp import InProcess
from maxcover.distributed.partition import build_block, build_shard, read_messages
from maxcover.distributed.solve import Graph


def in_process(problem: CoverageProblem, size: int) -> InProcess:
    """Cut by the remainder of the number of a set and of an element."""
    rows = _rows(problem)
    columns = problem.indices.astype(np.int64)
    shards, blocks = [], []
    for piece in range(size):
        mine = rows % size == piece
        shards.append(build_shard(rows[mine], columns[mine], size))
        elements = np.arange(piece, problem.n_elements, size)
        blocks.append(build_block(elements, problem.weights[elements]))
    return InProcess(shards, blocks)


def messages(problem: CoverageProblem, graph: Graph) -> np.ndarray:
    """Return the messages of a graph in pieces in the order of the problem's edges."""
    size = graph.machines.size
    rows, columns, found = [], [], []
    for sets, (shard, r) in zip(graph.where, graph.machines.ask(read_messages), strict=True):
        touched = np.unique(problem.indices[np.isin(_rows(problem), sets)])
        touched = touched[np.argsort(touched % size, kind="stable")]  # as a shard numbers them
        rows.append(np.repeat(sets, np.diff(shard.indptr)))
        columns.append(touched[shard.indices])
        found.append(r)
    order = np.lexsort((np.concatenate(columns), np.concatenate(rows)))
    return np.concatenate(found)[order]


def _rows(problem: CoverageProblem) -> np.ndarray:
    return np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr))
