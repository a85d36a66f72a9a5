"""Judged: answers to small problems with everything mixed, held against brute force in fractions.

``python benchmarks/judged.py --part 0 --parts 10`` takes every tenth of 20,000 problems in the
ordinary range of numbers and of 20,000 from 1e-300 to 1e300, asks `solve` and `cover`, and has
every answer verified. The judge (``tests/engine/core/model_judge.py``) imports nothing of the
package. ``--covers`` takes 2,000 covers with a budget of 0 instead.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from fractions import Fraction
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.engine.core.model_judge import draw, stretched
from tests.engine.core.test_model_judge import planned, solved

from maxcover import CoverageProblem, cover, verify
from maxcover.errors import MaxcoverError

CASES = 20_000
COVERS = 2_000


def judge(part: int, parts: int, seconds: float) -> None:
    """Judge a part of the problems; print what is wrong, and how much was looked at."""
    began, looked, wrong, raw, statuses = time.monotonic(), 0, [], [], dict[str, int]()
    for k in range(part, CASES, parts):
        if time.monotonic() - began > seconds:
            break
        for name, make in (("ordinary", draw), ("stretched", stretched)):
            try:
                given = make(k)
                found, status = solved(k, given)
                found += planned(k, given)
            except MaxcoverError as error:
                found, status = [f"{type(error).__name__}: {error}"], None
            except Exception as error:
                raw.append(f"{name} {k}: {type(error).__name__}: {error}")
                continue
            looked += 1
            statuses[str(status)] = statuses.get(str(status), 0) + 1
            wrong += [f"{name} {k}: {words}" for words in found]
    print(f"{looked} problems, two questions each: {len(wrong)} wrong or refused, "
          f"{len(raw)} raw errors; status of solve {statuses}; last case {k}")  # fmt: skip
    for line in (*wrong, *raw):
        print(line)


def judge_covers() -> None:
    """Judge covers with a budget of 0 and costs of a few hundredths or thousandths."""
    refused = wrong = 0
    for k in range(COVERS):
        rng = random.Random(k)  # noqa: S311 - drawn cases, no secrets
        m = rng.randint(3, 8)
        sets = [rng.sample(range(m), rng.randint(1, min(4, m))) for _ in range(rng.randint(3, 7))]
        places = rng.choice([2, 3, 3])
        costs = [round(rng.randint(1, 9) / 10**places, places) for _ in sets]
        problem = CoverageProblem.from_sets(sets, costs=costs, budget=0)
        share = rng.choice([0.3, 0.5, 0.8, 1.0])
        plan = cover(problem, target=share, checkable=k % 2 == 0, seed=k)
        refused += bool(verify(problem, plan).refused)
        total = len({a for own in sets for a in own})
        least = min(
            sum(Fraction(str(costs[i])) for i in chosen)
            for size in range(len(sets) + 1)
            for chosen in combinations(range(len(sets)), size)
            if len({a for i in chosen for a in sets[i]}) >= Fraction(str(share)) * total
        )
        wrong += Fraction(plan.lower_bound) > least * (1 + Fraction(1, 2**50))
        wrong += plan.status == "optimal" and abs(Fraction(plan.cost) - least) > least / 2**50
    print(f"{COVERS} covers with budget=0: {wrong} wrong, {refused} true ones refused")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--part", type=int, default=0)
    options.add_argument("--parts", type=int, default=10)
    options.add_argument("--seconds", type=float, default=280.0)
    options.add_argument("--covers", action="store_true")
    asked = options.parse_args()
    judge_covers() if asked.covers else judge(asked.part, asked.parts, asked.seconds)
