"""Effort: how hard `auto` tries: one table."""

from __future__ import annotations

from typing import Literal, NamedTuple

#: The names of `EFFORTS`.
EffortName = Literal["fast", "normal", "thorough"]


class Effort(NamedTuple):
    """One effort level: an entry of the table `EFFORTS`.

    Attributes
    ----------
    title : str
        One line for tables and help texts.
    steps : tuple of int
        Dual steps before the first exchange search, and after it.
    proofs : tuple of int
        Edges that the tree may visit after the first search, and after more dual steps; a million
        take about three milliseconds.
    proof : float
        Edges that the tree may visit in all, see `proof_work`.
    restarts : int
        Number of restarts at the end.
    """

    title: str
    steps: tuple[int, int]
    proofs: tuple[int, int] = (0, 0)
    proof: float = 0.0
    restarts: int = 0

    def proof_work(self, n_edges: int) -> float:
        """Return how many edges the tree may visit in all: the one rule for the time of a proof.

        It is `proof` on problems of at most 20,000 edges. On larger ones, where the search takes
        about 1,000 visits to an edge, it is the same share of that: 100 visits with effort normal.
        """
        return self.proof if n_edges <= _FEW_EDGES else self.proof * n_edges / _MANY_EDGES


# `Effort.proof` holds for problems of at most `_FEW_EDGES` edges, and of `_MANY_EDGES` again.
_FEW_EDGES, _MANY_EDGES = 20_000, 4_000_000

EFFORTS: dict[str, Effort] = {
    "fast": Effort(
        title="greedy, a short exchange search and a short dual bound",
        steps=(40, 0),
        proof=1e6,
    ),
    "normal": Effort(
        title="also belief propagation, longer searches, and proofs that take up to a second",
        steps=(100, 200),
        proofs=(500_000, 2_000_000),
        proof=4e8,
    ),
    "thorough": Effort(
        title="also restarts, and proofs that take ten seconds",
        steps=(100, 200),
        proofs=(500_000, 2_000_000),
        proof=4e9,
        restarts=24,
    ),
}
