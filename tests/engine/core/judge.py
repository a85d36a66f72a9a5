"""A second judge of solutions: brute force in exact rational arithmetic.

Nothing of the package is used here. A number means itself if it is whole, else the decimal that it
prints as. Instances are drawn to be unpleasant: budgets that mean "unlimited", limits far below the
budget, one weight that is 10^8 times the rest, subnormal and huge numbers.
"""

import math
import random
import sys
from dataclasses import dataclass, field
from fractions import Fraction

COSTS = ("integers", "ties", "decimals", "reals", "wild", "whole numbers above 2^53", "thirds")
WEIGHTS = (
    "integers",
    "ties",
    "decimals",
    "reals",
    "wild",
    "priority",
    "real priority",
    "subnormal",
    "1e300",
    "whole numbers above 2^53",
)
# Numbers of these kinds are multiples of something, and are judged without any tolerance.
EXACT = {"integers", "ties", "decimals", "priority", "whole numbers above 2^53"}


def read(number) -> Fraction:
    if isinstance(number, int) or number == math.floor(number):
        return Fraction(int(number))
    # the digits of a subnormal number are too few to be a decimal
    return Fraction(repr(float(number))) if number > 1e-290 else Fraction(number)


@dataclass
class Instance:
    sets: list[list[int]]
    costs: list
    weights: list
    budget: float
    cost_kind: str
    weight_kind: str
    required: list[int] = field(default_factory=list)
    forbidden: list[int] = field(default_factory=list)
    groups: list | None = None
    max_items: dict | None = None
    max_cost: dict | None = None

    def arguments(self) -> dict:
        """Return what `CoverageProblem.from_edges` takes."""
        given = {
            "sets": [i for i, members in enumerate(self.sets) for _ in members],
            "elements": [a for members in self.sets for a in members],
            "costs": self.costs,
            "weights": self.weights,
            "budget": self.budget,
            "required": self.required,
            "forbidden": self.forbidden,
        }
        if self.groups is not None:
            given |= {"groups": self.groups}
            given |= {"max_items": self.max_items} if self.max_items is not None else {}
            given |= {"max_cost": self.max_cost} if self.max_cost is not None else {}
        return given

    def limits(self) -> list[tuple[list[int], Fraction, int]]:
        """Return each limit as (sets it is about, cost, items)."""
        everyone = list(range(len(self.sets)))
        found = [(everyone, read(self.budget), len(everyone))]
        for group in {g for g in self.groups or [] if g is not None}:
            inside = [i for i in everyone if self.groups[i] == group]
            cost = (self.max_cost or {}).get(group, math.inf)
            items = (self.max_items or {}).get(group, len(everyone))
            found.append((inside, None if cost == math.inf else read(cost), items))
        return found

    def allows(self, chosen, *, slack: bool = False) -> bool:
        chosen = set(chosen)
        if not set(self.required) <= chosen or set(self.forbidden) & chosen:
            return False
        for sets, limit, items in self.limits():
            inside = [i for i in sets if i in chosen]
            cost = sum((read(self.costs[i]) for i in inside), Fraction())
            loose = slack and self.cost_kind not in EXACT
            factor = 1 + (len(inside) + 4) * Fraction(1, 2**50) if loose else 1
            if len(inside) > items or (limit is not None and cost > limit * factor):
                return False
        return True

    def covered(self, chosen) -> frozenset[int]:
        return frozenset(a for i in chosen for a in self.sets[i])

    def value(self, elements) -> Fraction:
        return sum((read(self.weights[a]) for a in elements), Fraction())

    def selections(self) -> list[tuple[Fraction, frozenset[int]]]:
        """Return value and elements of everything that is allowed."""
        n = len(self.sets)
        free = [i for i in range(n) if i not in self.required and i not in self.forbidden]
        found: dict[frozenset[int], Fraction] = {}
        for bits in range(1 << len(free)):
            chosen = self.required + [i for k, i in enumerate(free) if bits >> k & 1]
            elements = self.covered(chosen)
            if elements not in found and self.allows(chosen):
                found[elements] = self.value(elements)
        return [(value, elements) for elements, value in found.items()]


def numbers(rng: random.Random, kind: str, size: int) -> list:
    if kind == "integers":
        return [rng.randint(1, 10) for _ in range(size)]
    if kind == "ties":
        return [2] * size
    if kind == "decimals":
        places = rng.choice([1, 2, 3])
        return [round(rng.randint(1, 2000) / 10**places, places) for _ in range(size)]
    if kind == "reals":
        return [rng.random() for _ in range(size)]
    if kind == "wild":
        return [10.0 ** rng.uniform(-6, 6) for _ in range(size)]
    if kind == "thirds":
        return [rng.randint(1, 20) / 3 for _ in range(size)]
    if kind == "whole numbers above 2^53":
        return [int(float(rng.randint(2**53, 2**57))) for _ in range(size)]
    if kind == "subnormal":
        return [rng.randint(1, 100) * 5e-324 for _ in range(size)]
    if kind == "1e300":
        return [rng.uniform(1, 10) * 1e300 for _ in range(size)]
    drawn = numbers(rng, "integers" if kind == "priority" else "reals", size)
    drawn[rng.randrange(size)] = 10**8
    return drawn


def draw(rng: random.Random, *, most_sets: int = 8) -> Instance:
    n, m = rng.randint(1, most_sets), rng.randint(1, 12)
    density = rng.choice([0.1, 0.25, 0.5])
    cost_kind, weight_kind = rng.choice(COSTS), rng.choice(WEIGHTS)
    costs, weights = numbers(rng, cost_kind, n), numbers(rng, weight_kind, m)
    if rng.random() < 0.2:
        costs = [0 if rng.random() < 0.3 else c for c in costs]
    if rng.random() < 0.2:
        weights = [0 if rng.random() < 0.3 else w for w in weights]
    made = Instance(
        sets=[[a for a in range(m) if rng.random() < density] for _ in range(n)],
        costs=costs,
        weights=weights,
        budget=draw_limit(rng, costs),
        cost_kind=cost_kind,
        weight_kind=weight_kind,
    )
    if rng.random() < 0.3:
        made.budget = rng.choice([sys.maxsize, 1e15, 1e300, 2**62, float(2**53)])
    if rng.random() < 0.4:
        made.forbidden = [i for i in range(n) if rng.random() < 0.15]
    if rng.random() < 0.5:
        made.groups = [rng.choice([None, "a", "b"]) for _ in range(n)]
        used = sorted({g for g in made.groups if g is not None})
        if rng.random() < 0.6:
            made.max_items = {g: rng.randint(0, 3) for g in used}
        if rng.random() < 0.6 or made.max_items is None:
            made.max_cost = {
                g: draw_limit(
                    rng, [c for c, own in zip(costs, made.groups, strict=True) if own == g]
                )
                for g in used
            }
    if rng.random() < 0.4:
        for i in rng.sample(range(n), min(n, 2)):
            if i not in made.forbidden:
                made.required = sorted([*made.required, i])
                if not made.allows(made.required):
                    made.required.remove(i)
    return made


def draw_limit(rng: random.Random, costs: list):
    """Draw what some of the sets cost: nothing, a part, exactly what some cost together, a hair."""
    total = float(sum(read(c) for c in costs))
    kind = rng.choice(["part", "part", "some", "none", "tiny", "all"])
    if kind == "none" or not costs:
        return 0
    if kind == "tiny":
        return min(c for c in costs)
    if kind == "some":
        fitting = sum(read(c) for c in costs if rng.random() < 0.5)
        return float(fitting) if fitting.denominator > 1 else int(float(fitting))
    if kind == "all":
        return total if total != math.floor(total) else int(total)
    part = total * rng.random()
    if all(isinstance(c, int) for c in costs):
        return int(float(int(part)))
    return round(part, 2) if part > 1 else part


def judge(instance: Instance, solution, guarantee: float) -> list[str]:
    """Return what is wrong with a solution."""
    chosen = [int(i) for i in solution.selected]
    every = instance.selections()
    best = max(value for value, _ in every)
    value = instance.value(instance.covered(chosen))
    close = Fraction(1, 10**12)
    wrong = []
    if not instance.allows(chosen, slack=True):
        wrong.append(f"{chosen} breaks a limit")
    if abs(Fraction(solution.value) - value) > close * value:
        wrong.append(f"value {solution.value} is {float(value)}")
    if Fraction(solution.upper_bound) * (1 + Fraction(1, 2**48)) < best:
        wrong.append(f"bound {solution.upper_bound} is below {float(best)}")
    if not instance.groups and value < best * (Fraction(guarantee) - close):
        wrong.append(f"value {float(value)} is less than {guarantee} of {float(best)}")
    if solution.status == "optimal":
        spare = best - value
        if instance.weight_kind in EXACT:
            allowed = Fraction()
        else:
            shared = [elements for worth, elements in every if worth >= value]
            sure = frozenset.intersection(*shared) if shared else frozenset()
            allowed = (best - instance.value(sure)) / 10**9 + best / (2 * 10**12)
        if spare > allowed:
            wrong.append(f"optimal at {float(value)}, but {float(spare)} more is to be had")
    return wrong
