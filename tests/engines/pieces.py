"""A problem cut into shards and blocks in this process."""

import numpy as np

from maxcover import CoverageProblem
from maxcover.engines.graph import build_block, build_shard
from maxcover.engines.supersteps import InProcess


def in_process(problem: CoverageProblem, size: int) -> InProcess:
    """Cut by the remainder of the number of a set and of an element."""
    rows = np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr))
    columns = problem.indices.astype(np.int64)
    shards, blocks = [], []
    for piece in range(size):
        mine = rows % size == piece
        shards.append(build_shard(rows[mine], columns[mine], size))
        elements = np.arange(piece, problem.n_elements, size)
        blocks.append(build_block(elements, problem.weights[elements]))
    return InProcess(shards, blocks)
