"""Decisions: how close the intervals of `explain` are, and what plans and alternatives reach.

Each part prints one table and holds its figures against pinned floors; parts can be named. Times
are CPU times in one process. The ten families are those that other benchmarks draw from, at the
sizes that are named here.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import maxcover as mc
from _graphs import geometric, text_like
from _report import arguments, clock, heading, hold, table


def edges(n: int, rng: np.random.Generator, degree: int) -> tuple[Any, Any]:
    """Return `degree` elements for each set, some of them popular."""
    return np.repeat(np.arange(n), degree), (2 * n * rng.random(n * degree) ** 1.5).astype(int)


def drawn(n: int, seed: int, degree: int = 8, **options: Any) -> mc.CoverageProblem:
    """Return a problem with whole costs and weights, and about a twentieth of the sets chosen."""
    rng = np.random.default_rng(seed)
    sets, elements = edges(n, rng, degree)
    given = {
        "costs": rng.integers(1, 20, n).astype(float),
        "weights": rng.integers(1, 100, 2 * n).astype(float),
        "budget": float(n / 2),
        "n_sets": n,
        "n_elements": 2 * n,
    }
    made = {name: make(rng, n, len(sets)) for name, make in options.items()}
    return mc.CoverageProblem.from_edges(sets, elements, **{**given, **made})


def two_budgets(n: int, seed: int) -> mc.CoverageProblem:
    """Return a problem with money and hours."""
    return drawn(
        n,
        seed,
        costs=lambda rng, n, _: {
            "money": rng.integers(1, 20, n).astype(float),
            "hours": rng.integers(1, 20, n).astype(float),
        },
        budget=lambda _, n, __: {"money": n / 2, "hours": n / 2},
    )


def in_groups(n: int, seed: int) -> mc.CoverageProblem:
    """Return a problem with at most three sets of each of ten groups."""
    return drawn(
        n,
        seed,
        groups=lambda rng, n, _: rng.integers(0, 10, n).tolist(),
        max_items=lambda *_: 3,
    )


FAMILIES: dict[str, Callable[[int, int], mc.CoverageProblem]] = {
    "biregular": lambda n, k: mc.generate.biregular(n, 3 * n, 9, 3, budget=n, seed=k),
    "unit costs": lambda n, k: mc.generate.biregular(
        n, 3 * n, 9, 3, budget=n // 10, high=1, seed=k
    ),
    "Zipf": lambda n, k: mc.generate.zipf(n, n, 10 * n, budget=n / 4, seed=k),
    "Erdős-Rényi": lambda n, k: mc.generate.erdos_renyi(n, 2 * n, 6.0, budget=n / 2, seed=k),
    "text-like": text_like,
    "geometric": geometric,
    "popular elements": drawn,
    "two budgets": two_budgets,
    "groups": in_groups,
    "chance": lambda n, k: drawn(n, k, chance=lambda rng, _, m: rng.uniform(0.3, 1, m).round(2)),
}


def cpu(call: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a call gives, and the CPU seconds that it took."""
    begin = time.process_time()
    found = call()
    return found, time.process_time() - begin


def intervals(*, quick: bool, seed: int) -> None:
    """Explain sets of ten families: how many losses are exact, how close the lower ends are."""
    small, large, sample = (60, 300, 10) if quick else (200, 1000, 40)
    rows, exact, lower, upper, times = [], [], [], [], []
    for name, make in FAMILIES.items():
        few, many = make(small, seed), make(large, seed)
        answer, proven = mc.solve(few), "no"
        if answer.status == "optimal":
            asked = np.random.default_rng(seed).permutation(small)[:sample]
            found = mc.explain(few, answer, asked)
            proven = (found.loss_at_least >= found.loss_at_most - 1e-9 * answer.value).mean()
            exact.append(proven)
            proven = f"{proven:.0%}"
        answer, seconds = cpu(lambda many=many: mc.solve(many))
        asked = np.random.default_rng(seed).permutation(many.n_sets)[: sample // 2]
        found, took = cpu(lambda many=many, answer=answer, asked=asked: mc.explain(
            many, answer, asked))  # fmt: skip
        ends = np.isfinite(found.loss_at_most)
        least, most = (x[ends].mean() for x in (found.loss_at_least, found.loss_at_most))
        lower.append(max(least, 0.0) / answer.value)
        upper.append(max(most, 0.0) / answer.value)
        share = f"{lower[-1] / upper[-1]:.2f}" if upper[-1] > 0 else "-"
        times.append(took / len(asked) / seconds)
        rows.append((name, proven, f"{upper[-1]:.3%}", share, f"{times[-1]:.2f}"))
    heading("intervals of the loss", sets=(small, large), seed=seed)
    head = ("family", f"exact at {small}", f"loss at {large:,}", "at least / loss", "time / solve")
    table(head, rows)
    hold("exact losses where the answer is proven", float(np.mean(exact)), least=0.5)
    hold("lower ends of 1,000 sets, of the loss", sum(lower) / sum(upper), least=0.6)
    clock("a single set, of the solve's time, slowest family", max(times), most=1.0)


def speed(*, quick: bool, seed: int) -> None:
    """Bound the losses of all sets at once, beside the solve."""
    n = 1000 if quick else 10_000
    problem = drawn(n, seed, degree=10)
    answer, seconds = cpu(lambda: mc.solve(problem))
    found, took = cpu(lambda: mc.explain(problem, answer))
    heading("all sets at once", sets=n, edges=problem.n_edges)
    table(
        ("solve, ms", "explain, ms", "share", "mean loss at least"),
        [
            (
                f"{1e3 * seconds:.0f}",
                f"{1e3 * took:.1f}",
                f"{took / seconds:.1%}",
                f"{found.loss_at_least.mean() / answer.value:.4%}",
            )
        ],
    )
    clock("explaining all sets, of the solve's time", took / seconds, most=0.05)


def chain(problem: mc.CoverageProblem, budgets: list[float], **options: Any) -> np.ndarray:
    """Return what is covered when each phase is solved after the one before."""
    held, values = problem.required, []
    for budget in budgets:
        stage = problem.with_budget(budget).with_choice(held, problem.forbidden)
        held = mc.solve(stage, **options).selected
        values.append(problem.value(held))
    return np.array(values)


def plans(*, quick: bool, seed: int) -> None:
    """Plan five phases: beside phase by phase, and beside greedy."""
    count, n = (4, 60) if quick else (60, 100)
    shares: dict[str, list[tuple[float, float]]] = {"plan": [], "phase by phase": [], "greedy": []}
    names = [*FAMILIES]
    for k in range(count):
        problem = FAMILIES[names[k % len(names)]](n, seed + k)
        plan = mc.plan(problem, phases=5)
        budgets = plan.budgets.tolist()
        for name, values in (
            ("plan", plan.values),
            ("phase by phase", chain(problem, budgets)),
            ("greedy", chain(problem, budgets, method="g-greedy", bound="trivial")),
        ):
            each = values / plan.upper_bounds
            shares[name].append((each.min(), each.mean()))
    found = {name: np.array(each) for name, each in shares.items()}
    table_of_hubs = Path(__file__).parents[1] / "examples" / "hubs.csv"
    hubs = mc.CoverageProblem.from_table(pd.read_csv(table_of_hubs), weights="weight", budget=5)
    hubs_plan = mc.plan(hubs, phases=5)
    large = drawn(300 if quick else 1000, seed)
    plan, seconds = cpu(lambda: mc.plan(large, phases=5))
    heading("plans of five phases", problems=count, sets=n, seed=seed)
    table(
        ("", "worst share, mean", "mean share", "worst behind the plan's", "mean behind"),
        [
            (
                name,
                f"{each[:, 0].mean():.4f}",
                f"{each[:, 1].mean():.4f}",
                *(f"{(each[:, k] < found['plan'][:, k] - 1e-9).mean():.0%}" for k in (0, 1)),
            )
            for name, each in found.items()
        ],
    )
    for name in ("phase by phase", "greedy"):
        ahead = found["plan"][:, 0] - found[name][:, 0]
        hold(f"plan, worst share against {name}", float(ahead.min()), least=-1e-9)
        mean = float((found["plan"][:, 1] - found[name][:, 1]).mean())
        hold(f"plan, mean share against {name}", mean, least=0.0)
    hold("hubs, worst share", hubs_plan.worst, least=0.97)
    hold("hubs, mean share less its bound", hubs_plan.mean - hubs_plan.mean_bound, least=-1e-9)
    clock("a plan of five phases, seconds", seconds, most=5.0)


def others(*, quick: bool, seed: int) -> None:
    """Find five alternatives: how far apart, beside five runs with other seeds."""
    count, n = (3, 60) if quick else (30, 100)
    rows = []
    names = [*FAMILIES]
    for k in range(count):
        problem = FAMILIES[names[k % len(names)]](n, seed + k)
        found = mc.alternatives(problem)
        runs = [{*mc.solve(problem, seed=s).selected.tolist()} for s in range(5)]
        apart = [len(one - other) for one in runs for other in runs if one is not other]
        rows.append((len(found), found.difference, float(np.mean(apart))))
    several, ours, seeds = np.array(rows).T
    heading("alternatives within 1 %", problems=count, sets=n, seed=seed)
    table(
        ("selections", "sets apart", "with other seeds", "at least twice as far"),
        [
            (
                f"{several.mean():.1f}",
                f"{ours.mean():.2f}",
                f"{seeds.mean():.2f}",
                f"{(ours >= 2 * seeds).mean():.0%}",
            )
        ],
    )
    hold("alternatives, sets apart less twice that", float((ours - 2 * seeds).mean()), least=0.0)


PARTS = {"intervals": intervals, "speed": speed, "plans": plans, "others": others}


def main() -> None:
    """Run the parts that are named, or all."""
    options = arguments(__doc__, parts=tuple(PARTS))
    mc.solve(drawn(30, 0)).explain()  # loads what is compiled
    for name in options.parts or PARTS:
        PARTS[name](quick=options.quick, seed=options.seed)


if __name__ == "__main__":
    main()
