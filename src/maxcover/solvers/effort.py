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
        Open sets that branch and bound may examine: after the first search, after more dual steps,
        and at the end. 100,000 take about a millisecond.
    climbs : bool
        Whether to go on with belief propagation and with exchange searches from two starts.
    restarts : int
        Number of restarts at the end.
    more_proof : int
        Open sets that branch and bound may examine after the restarts.
    roots : bool
        Whether HiGHS gets the root node of a small model if the gap is still wide.
    """

    title: str
    steps: tuple[int, int]
    proofs: tuple[int, int, int]
    climbs: bool = True
    restarts: int = 0
    more_proof: int = 0
    roots: bool = False


EFFORTS: dict[str, Effort] = {
    "fast": Effort(
        title="greedy, a short exchange search and a short dual bound",
        steps=(40, 0),
        proofs=(0, 0, 0),
        climbs=False,
    ),
    "normal": Effort(
        title="also belief propagation, longer searches, and proofs that take milliseconds",
        steps=(100, 200),
        proofs=(100_000, 250_000, 1_000_000),
    ),
    "thorough": Effort(
        title="also restarts, proofs that take a second, and HiGHS where the gap stays wide",
        steps=(100, 200),
        proofs=(100_000, 250_000, 1_000_000),
        restarts=24,
        more_proof=50_000_000,
        roots=True,
    ),
}
