"""A judge of the whole model: brute force in exact rational arithmetic, for any limits and returns.

Nothing of the package is used here. A number means itself if it is whole, else the decimal that it
prints as; curves of returns and sums that the package rounds are compared to 1e-11.
"""

import math
import random
from fractions import Fraction
from itertools import combinations

from tests.engine.core.judge import read

WEIGHTS = ("whole", "ties", "decimal", "real", "third", "wide")
RETURNS = ("once", "need", "sequence", "sqrt", "log", "chance", "best")
LOOSE = 1 + Fraction(1, 10**11)


def number(rng: random.Random, kind: str):
    return {
        "whole": lambda: rng.randint(1, 9),
        "ties": lambda: 2,
        "decimal": lambda: round(rng.uniform(0.1, 3), rng.choice([1, 2])),
        "real": rng.random,
        "third": lambda: rng.randint(1, 20) / 3,
        "wide": lambda: rng.randint(1, 9) * 10.0 ** rng.randint(-3, 9),
    }[kind]()


def draw(k: int, *, least_sets: int = 2, most_sets: int = 7) -> dict:
    """Draw what `from_edges` takes, with limits and returns of every kind mixed."""
    rng = random.Random(k)
    n, m = rng.randint(least_sets, most_sets), rng.randint(1, 10 + most_sets // 2)
    density = rng.choice([0.2, 0.4, 0.6])
    pairs = [(i, a) for i in range(n) for a in range(m) if rng.random() < density]
    kind, cost_kind = rng.choice(WEIGHTS), rng.choice(WEIGHTS[:-1])
    costs = [0 if rng.random() < 0.05 else number(rng, cost_kind) for _ in range(n)]
    given = {
        "sets": [i for i, _ in pairs],
        "elements": [a for _, a in pairs],
        "n_sets": n,
        "n_elements": m,
        "costs": costs,
        "weights": [number(rng, kind) for _ in range(m)],
        "budget": float(rng.uniform(0.2, 1.1) * sum(costs)),
        "required": [rng.randrange(n)] if rng.random() < 0.2 else [],
        "forbidden": [],
    }
    if rng.random() < 0.2:
        given["forbidden"] = sorted({rng.randrange(n)} - {*given["required"]})
    if rng.random() < 0.4:
        other = [number(rng, cost_kind) for _ in range(n)]
        given["costs"] = {"money": costs, "hours": other}
        given["budget"] = {
            "money": given["budget"],
            "hours": float(rng.uniform(0.3, 1) * sum(other)),
        }
    if rng.random() < 0.3 and n > 2:
        given["conflicts"] = [
            tuple(rng.sample(range(n), rng.choice([2, 2, 3]))) for _ in range(rng.randint(1, 3))
        ]
    if rng.random() < 0.6:
        given |= groups(rng, n, costs)
    given |= returns(rng, m, len(pairs))
    if rng.random() < 0.2:
        given["worth"] = [number(rng, kind) if rng.random() < 0.7 else 0 for _ in range(n)]
    return given


def stretched(k: int) -> dict:
    """Draw numbers from one end of the range of floats to the other; half of them plain."""
    rng, given = random.Random(f"stretched {k}"), draw(k)
    kinds = {
        "whole": lambda: rng.randint(1, 9),
        "wide": lambda: rng.randint(1, 9) * 10.0 ** rng.randint(-84, 84),
        "extreme": lambda: rng.randint(1, 9) * 10.0 ** rng.randint(-300, 300),
        "subnormal": lambda: rng.randint(1, 100) * 5e-324,
        "1e296": lambda: rng.uniform(1, 9) * 1e296,
    }
    # most costs are in the range that is taken
    of_weights = kinds[rng.choice([*kinds])]
    of_costs = kinds[rng.choice([*kinds, "whole", "wide", "whole", "wide"])]
    given["weights"] = [of_weights() for _ in given["weights"]]
    costs = [of_costs() for _ in range(given["n_sets"])]
    if k % 2:
        named = ("sets", "elements", "n_sets", "n_elements", "weights", "required", "forbidden")
        given = {name: given[name] for name in named}
        return {**given, "costs": costs, "budget": rng.choice([*costs, 0.6 * sum(costs)])}
    if "worth" in given:
        given["worth"] = [of_weights() for _ in costs]
    if isinstance(given["costs"], dict):
        given["costs"]["hours"] = costs
        given["budget"]["hours"] = rng.choice([sum(costs) * rng.random(), 1e301, 1e308])
    else:
        given |= {"costs": costs, "budget": rng.uniform(0.2, 1.1) * sum(costs)}
    return given


def groups(rng: random.Random, n: int, costs: list) -> dict:
    own = [rng.choice(["a", "b", None, ["a", "b"]]) for _ in range(n)]
    used = sorted(
        {one for each in own for one in (each if isinstance(each, list) else [each]) if one}
    )
    drawn = {
        "min_items": lambda: rng.randint(0, 2),
        "min_cost": lambda: float(rng.choice(costs)),
        "min_share": lambda: rng.choice([0.25, 0.5, 0.6]),
        "max_items": lambda: rng.randint(0, 3),
        "max_cost": lambda: float(rng.uniform(0, 0.7) * sum(costs)),
    }
    found = {}
    for name in rng.sample(sorted(drawn), rng.randint(1, 3)) if used else ():
        found[name] = {one: drawn[name]() for one in rng.sample(used, rng.randint(1, len(used)))}
    return {"groups": own, **found} if found else {}


def returns(rng: random.Random, m: int, n_edges: int) -> dict:
    kind = rng.choice(RETURNS)
    if kind == "need":
        return {"need": [rng.choice([1, 1, 2, 3]) for _ in range(m)]}
    if kind == "sequence":
        return {"returns": sorted((round(rng.uniform(0, 1), 2) for _ in range(3)), reverse=True)}
    if kind in ("sqrt", "log"):
        return {"returns": kind}
    if kind in ("chance", "best"):
        return {kind: [round(rng.uniform(0.05, 1), 2) for _ in range(n_edges)]}
    return {}


def budgets(given: dict) -> list[tuple[list, object]]:
    """Return costs and budget, the first one first."""
    if not isinstance(given["budget"], dict):
        return [(given["costs"], given["budget"])]
    return [(given["costs"][name], given["budget"][name]) for name in given["budget"]]


def worth_of(given: dict, chosen) -> Fraction:
    """Return what a selection is worth."""
    return sum(_given(given, chosen).values(), Fraction()) + sum(
        (read(given["worth"][i]) for i in chosen if "worth" in given), Fraction()
    )


def _given(given: dict, chosen) -> dict[int, Fraction]:
    inside = {*chosen}
    held: dict[int, list[Fraction]] = {}
    strengths = given.get("chance") or given.get("best") or [1] * len(given["sets"])
    for i, a, s in zip(given["sets"], given["elements"], strengths, strict=True):
        if i in inside:
            held.setdefault(a, []).append(read(s))
    return {a: read(given["weights"][a]) * _share(given, a, own) for a, own in held.items()}


def _share(given: dict, a: int, strengths: list[Fraction]) -> Fraction:
    count = len(strengths)
    if "need" in given:
        return Fraction(count >= given["need"][a])
    if "chance" in given:
        return 1 - math.prod(1 - s for s in strengths)
    if "best" in given:
        return max(strengths)
    curve = given.get("returns")
    if curve == "sqrt":
        return Fraction(math.sqrt(count))
    if curve == "log":
        return Fraction(math.log2(1 + count))
    return Fraction(1) if curve is None else sum(map(read, curve[:count]), Fraction())


def allows(given: dict, chosen, loose: Fraction, *, budget: bool = True) -> bool:
    """Whether a selection keeps every limit, up to a factor; without the first budget if asked."""
    chosen = [*chosen]
    if not {*given["required"]} <= {*chosen} or {*given["forbidden"]} & {*chosen}:
        return False
    for costs, most in budgets(given)[0 if budget else 1 :]:
        if sum((read(costs[i]) for i in chosen), Fraction()) > read(most) * loose:
            return False
    if any(len({*one} & {*chosen}) > 1 for one in given.get("conflicts", ())):
        return False
    costs, each = [read(c) for c in budgets(given)[0][0]], given.get("groups", ())
    for g in ("a", "b"):
        members = {
            i for i, own in enumerate(each) if own == g or (isinstance(own, list) and g in own)
        }
        inside = [i for i in chosen if i in members]
        cost = sum((costs[i] for i in inside), Fraction())

        def end(name, default, g=g):
            return given.get(name, {}).get(g, default)

        if not end("min_items", 0) <= len(inside) <= end("max_items", len(costs)):
            return False
        if cost * loose < read(end("min_cost", 0)):
            return False
        if (
            "max_cost" in given
            and g in given["max_cost"]
            and cost > read(end("max_cost", 0)) * loose
        ):
            return False
        if end("min_share", 0):
            mine = {
                a for i, a in zip(given["sets"], given["elements"], strict=True) if i in members
            }
            least = read(end("min_share", 0)) * sum(
                (read(given["weights"][a]) for a in mine), Fraction()
            )
            have = sum((v for a, v in _given(given, chosen).items() if a in mine), Fraction())
            if have * loose < least:
                return False
    return True


def selections(given: dict):
    every = range(given["n_sets"])
    free = [i for i in every if i not in given["required"] and i not in given["forbidden"]]
    for size in range(len(free) + 1):
        for one in combinations(free, size):
            yield sorted((*one, *given["required"]))


def best_of(given: dict) -> Fraction | None:
    """Return what the best selection is worth; None if there is none."""
    return max(
        (worth_of(given, one) for one in selections(given) if allows(given, one, 1)), default=None
    )


def cheapest_of(given: dict, target: Fraction) -> Fraction | None:
    """Return what the cheapest selection costs that is worth a target; None if there is none."""
    costs = [read(c) for c in budgets(given)[0][0]]
    return min(
        (
            sum((costs[i] for i in one), Fraction())
            for one in selections(given)
            if worth_of(given, one) >= target and allows(given, one, 1, budget=False)
        ),
        default=None,
    )


def judge(given: dict, solution, best: Fraction) -> list[str]:
    """Return what is wrong with an answer of `solve`."""
    chosen = solution.selected.tolist()
    value, close = worth_of(given, chosen), Fraction(1, 10**11)
    wrong = [] if allows(given, chosen, LOOSE) else [f"{chosen} breaks a limit"]
    if abs(Fraction(solution.value) - value) > close * value:
        wrong.append(f"value {solution.value} is {float(value)}")
    if Fraction(solution.upper_bound) < best * (1 - close):
        wrong.append(f"bound {solution.upper_bound} is below {float(best)}")
    if solution.status == "optimal" and value < best * (1 - Fraction(1, 10**8)):
        wrong.append(f"optimal at {float(value)}, but {float(best)} is to be had")
    return wrong


def judge_cover(given: dict, plan, target: Fraction, least: Fraction) -> list[str]:
    """Return what is wrong with an answer of `cover`."""
    chosen, close = plan.selected.tolist(), Fraction(1, 10**9)
    cost = sum((read(budgets(given)[0][0][i]) for i in chosen), Fraction())
    wrong = [] if allows(given, chosen, LOOSE, budget=False) else [f"{chosen} breaks a limit"]
    if worth_of(given, chosen) * LOOSE < target:
        wrong.append(f"{float(worth_of(given, chosen))} misses {float(target)}")
    if Fraction(plan.lower_bound) > least * (1 + close):
        wrong.append(f"bound {plan.lower_bound} is above {float(least)}")
    if plan.status == "optimal" and cost > least * (1 + close):
        wrong.append(f"optimal at {float(cost)}, but {float(least)} is enough")
    return wrong
