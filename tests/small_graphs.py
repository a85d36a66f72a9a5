"""Small random graphs that several tests share."""

import numpy as np


def to_csr(sets):
    """Row starts and elements of a list of lists."""
    indptr = np.cumsum([0, *(len(s) for s in sets)]).astype(np.int64)
    return indptr, np.array([a for s in sets for a in s], dtype=np.int32)


def random_forest(rng, n_sets, n_elements):
    """Edges added in random order wherever they close no cycle."""
    root = list(range(n_sets + n_elements))

    def find(x):
        while root[x] != x:
            x = root[x]
        return x

    sets = [[] for _ in range(n_sets)]
    for _ in range(6 * (n_sets + n_elements)):
        i, a = int(rng.integers(n_sets)), int(rng.integers(n_elements))
        x, y = find(i), find(n_sets + a)
        if x != y:
            root[x] = y
            sets[i].append(a)
    return [sorted(s) for s in sets]


def random_sets(rng, n_sets, n_elements, most):
    """Sets of up to `most` elements, some empty; loops abound."""
    return [
        sorted(rng.choice(n_elements, size=rng.integers(0, most + 1), replace=False).tolist())
        for _ in range(n_sets)
    ]


def biregular(rng, n_sets):
    """9 elements a set, 3 sets an element; repeated pairs are swapped away."""
    ends = rng.permutation(np.repeat(np.arange(3 * n_sets, dtype=np.int32), 3)).reshape(n_sets, 9)
    while True:
        ordered = np.sort(ends, axis=1)
        bad = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if bad.size == 0:
            return np.arange(0, 9 * n_sets + 1, 9), ordered.ravel()
        for i in bad:
            j, k, m = rng.integers(n_sets), rng.integers(9), rng.integers(9)
            ends[i, k], ends[j, m] = ends[j, m], ends[i, k]
