"""Families of large graphs, each of about so many edges."""

import numpy as np

import maxcover as mc


def text_like(n_sets: int, seed: int) -> mc.CoverageProblem:
    """Return sentences of 8 to 39 words from a Zipf vocabulary; frequent words weigh more."""
    rng = np.random.default_rng(seed)
    words = int(20 * n_sets**0.7)
    lengths = rng.integers(8, 40, n_sets)
    sets = np.repeat(np.arange(n_sets), lengths)
    keys = np.unique(sets * words + (words ** rng.random(sets.size)).astype(np.int64) - 1)
    sets, elements = np.divmod(keys, words)
    return mc.CoverageProblem.from_edges(
        sets,
        elements,
        costs=lengths.astype(np.float64),
        weights=np.bincount(elements, minlength=words) ** 0.5,
        budget=0.05 * lengths.sum(),
    )


def geometric(n_sets: int, seed: int) -> mc.CoverageProblem:
    """Return disks around random points of a square; each holds 9 of three times as many points."""
    from scipy.spatial import cKDTree

    rng = np.random.default_rng(seed)
    radius = (3.0 / (n_sets * np.pi)) ** 0.5
    sites, points = rng.random((n_sets, 2)), rng.random((3 * n_sets, 2))
    near = cKDTree(sites).sparse_distance_matrix(cKDTree(points), radius, output_type="ndarray")
    return mc.CoverageProblem.from_edges(
        near["i"],
        near["j"],
        costs=rng.integers(1, 11, n_sets),
        weights=rng.integers(1, 11, 3 * n_sets),
        budget=n_sets,
    )


GRAPHS = {
    "biregular": lambda edges, seed: mc.generate.biregular(
        edges // 9, edges // 3, 9, 3, budget=edges // 9, seed=seed
    ),
    "text-like": lambda edges, seed: text_like(int(edges / 21.5), seed),
    "geometric": lambda edges, seed: geometric(edges // 9, seed),
    "Zipf": lambda edges, seed: mc.generate.zipf(
        edges // 7, edges // 7, 10 * (edges // 7), budget=edges // 70, seed=seed
    ),
}
