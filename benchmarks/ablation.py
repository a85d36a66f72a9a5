"""What each stage of the solver is worth: it is left out, on eleven families and under limits.

Each problem is solved as it is, then without each stage that ran on it, then as it is again; the
tree gets a tenth of its usual work. A stage goes if all of these hold, fixed before the first run:
without it the value (of `cover`: the cost) is worse by less than .01 % in the mean of the problems
of its kind and by less than .02 % in the mean of each family, the CPU time rises by less than 2 %,
and the mean gap widens by less than a tenth. With ``--numbers yes`` each tuned number is halved and
doubled instead. ``--save`` writes the table; kinds and ``--only`` choose.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

import maxcover as mc
from _graphs import GRAPHS
from _report import arguments, heading, table
from limit_cost import limited
from maxcover.engine.solvers.auto import Auto
from maxcover.engine.solvers.cover_run import CoverRun
from maxcover.engine.solvers.effort import EFFORTS
from maxcover.engine.solvers.numbers import NUMBERS
from peers import dense
from promises import locations, planted, wide, zipf

MEAN, FAMILY, SECONDS, GAP = 1e-4, 2e-4, 0.02, 0.1
LIMITS = ("groups .7", "conflicts", "two budgets", "chances", "needs", "minima")
SEED = 7_300


def random_graph(edges: int, seed: int) -> mc.CoverageProblem:
    """Return a random graph whose costs are real numbers over two orders."""
    n_sets = edges // 8
    graph = mc.generate.erdos_renyi(n_sets, 2 * n_sets, 8.0, budget=1, seed=seed)
    costs = 10.0 ** np.random.default_rng(seed).uniform(0, 2, graph.n_sets)
    return graph.replace(costs=costs, budget=float(costs.sum() / 8))


def towns(seed: int) -> mc.CoverageProblem:
    """Return 20 of 500 sites, which lie in 40 towns as clients do."""
    rng = np.random.default_rng(seed)
    towns, sizes = rng.random((40, 2)), rng.dirichlet(np.full(40, 0.7))
    places = towns[rng.choice(40, 2500, p=sizes)] + rng.normal(0, 0.05, (2500, 2))
    far = np.hypot(*(places[:2000, None, :] - places[None, 2000:, :]).transpose(2, 0, 1))
    clients, sites = np.nonzero(far <= 0.25 / np.sqrt(20))
    weights = rng.integers(1, 100, 2000, endpoint=True)
    return mc.CoverageProblem.from_edges(
        sites, clients, budget=20, weights=weights, n_sets=500, n_elements=2000
    )


FAMILIES: dict[str, tuple[Callable[[int, int], mc.CoverageProblem], tuple[int, ...]]] = {
    **{name: (make, (4_500, 27_000, 90_000)) for name, make in GRAPHS.items()},
    "power law": (zipf, (4_000, 30_000)),
    "wide": (wide, (5_000,)),
    "planted": (lambda _, seed: planted(seed), (0,)),
    "towns": (lambda _, seed: towns(seed), (0,)),
    "locations": (lambda _, seed: locations(seed), (0,)),
    "dense": (dense, (300,)),
    "random": (random_graph, (4_000, 30_000)),
}


class Posed(NamedTuple):
    """A problem with what it belongs to, and how it is solved."""

    kind: str
    family: str
    name: str
    call: Callable[[], mc.Solution]


def posed(seeds: range, kinds: list[str]) -> Iterator[Posed]:
    """Yield plain problems, problems with limits, and targets."""
    for seed in seeds:
        for family, (make, sizes) in FAMILIES.items():
            for size in sizes:
                graph = make(size, seed)
                name = f"{family} {size} {seed}"
                if "plain" in kinds:
                    yield Posed("plain", family, name, lambda graph=graph: mc.solve(graph))
                small = family in GRAPHS and size == 27_000
                if "limits" in kinds and small and seed == seeds[0]:
                    yield from with_limits(family, graph, name, seed)
                if "cover" in kinds and size in (4_000, 4_500, 300) and seed == seeds[0]:
                    reached = graph.covered(np.arange(graph.n_sets))
                    full = float(graph.weights[reached].sum() / graph.weights.sum())
                    for share in (0.7 * full, full * (1 - 1e-9)):
                        call = lambda graph=graph, share=share: mc.cover(graph, target=share)  # noqa: E731
                        yield Posed("cover", family, f"{name} {share:.2f}", call)


def with_limits(family: str, graph: mc.CoverageProblem, name: str, seed: int) -> Iterator[Posed]:
    """Yield the graph under each limit of `limit_cost.py`."""
    plain = mc.solve(graph, effort="fast")
    sets = np.repeat(np.arange(graph.n_sets), np.diff(graph.indptr))
    for limit, given in limited(graph, plain, seed):
        if limit in LIMITS:
            options = {"costs": graph.costs, "budget": graph.budget, **given}
            problem = mc.CoverageProblem.from_edges(
                sets, graph.indices, weights=graph.weights, n_elements=graph.n_elements, **options
            )
            call = lambda problem=problem: mc.solve(problem)  # noqa: E731
            yield Posed("limits", f"{family}, {limit}", f"{name} {limit}", call)


@contextmanager
def without(name: str) -> Iterator[None]:
    """Leave a stage out of every schedule, also of those of runs inside a run."""

    def shorter(true: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda self: tuple(stage for stage in true(self) if stage.name != name)

    with (
        patch.object(Auto, "table", shorter(Auto.table)),
        patch.object(CoverRun, "table", shorter(CoverRun.table)),
    ):
        yield


def leaves(numbers: Any, before: str = "") -> Iterator[str]:
    """Yield the path of each number, such as "beliefs.hot"; pairs are left as they are."""
    for one in fields(numbers):
        value = getattr(numbers, one.name)
        if is_dataclass(value):
            yield from leaves(value, f"{one.name}.")
        elif not isinstance(value, tuple):
            yield before + one.name


def changed(path: str, factor: float) -> Any:
    """Return a context in which a tuned number is `factor` times as large."""
    part, _, name = path.rpartition(".")
    own = getattr(NUMBERS, part) if part else NUMBERS
    value = getattr(own, name)
    own = replace(own, **{name: type(value)(value * factor)})
    other = replace(NUMBERS, **{part: own}) if part else own
    return patch("maxcover.engine.solvers.solve.NUMBERS", other)


#: Stages that find the first selection and the first bound, which all others need.
NEEDED = ("first sets that fit", "start", "greedy", "relaxation", "first selection")


def variants(found: mc.Solution, *, numbers: bool) -> Iterator[tuple[str, Any]]:
    """Yield each stage that ran, to be left out, or each number, to be halved and doubled."""
    if not numbers:
        for stage in found.trace.stages:
            if not stage.why_not and stage.name not in NEEDED:
                yield stage.name, without(stage.name)
        return
    for path in leaves(NUMBERS):
        for factor in (0.5, 2.0):
            yield f"{path} x {factor:g}", changed(path, factor)


def run(problem: Posed) -> tuple[mc.Solution, tuple[float, float, float]]:
    """Return the answer; and its value (of a target: minus the cost), gap and CPU seconds."""
    begin = time.process_time()
    found = problem.call()
    took = time.process_time() - begin
    return found, (-found.cost if problem.kind == "cover" else found.value, found.gap, took)


def measured(options: Any) -> list[dict[str, Any]]:
    """Return a record of each problem: what it gives as it is, and with each variant."""
    rows = []
    kinds = options.parts or ["plain", "limits", "cover"]
    problems = posed(range(SEED, SEED + options.seeds), kinds)
    for one in islice(problems, 3 if options.quick else None):
        answer, (value, gap, _) = run(one)
        found = {}
        for name, variant in variants(answer, numbers=options.numbers == "yes"):
            if not options.only or name in options.only.split(","):
                with variant:
                    found[name] = run(one)[1]
        base = run(one)[1][2]
        rows.append(dict(zip(("kind", "family", "name"), one[:3], strict=True)))
        rows[-1] |= {"base": (value, gap, base), "parts": found}
        differ = (f"{k} {v[0] / value - 1:+.3%}" for k, v in found.items() if v[0] != value)
        print(one.name, f"{base:.2f}", *differ, flush=True)
    return rows


def verdict(name: str, kind: str, rows: list[dict[str, Any]]) -> tuple[Any, ...]:
    """Return the row of a part: what goes when it is left out."""
    change, widened, spent, base, families = [], 0.0, 0.0, 0.0, {}
    gaps, ran = 0.0, 0
    for row in rows:
        value, gap, took = row["base"]
        new = row["parts"].get(name, row["base"])
        ran += name in row["parts"]
        change.append((new[0] - value) / abs(value) if value else 0.0)
        families.setdefault(row["family"], []).append(change[-1])
        widened, gaps = widened + new[1] - gap, gaps + gap
        spent, base = spent + new[2], base + took
    rng = np.random.default_rng(0)
    means = rng.choice(change, (1000, len(change))).mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    worst = min(families, key=lambda family: np.mean(families[family]))
    least = float(np.mean(families[worst]))
    goes = (
        np.mean(change) > -MEAN and least > -FAMILY
        and spent / base - 1 < SECONDS and widened < GAP * gaps
    )  # fmt: skip
    return (
        name, kind, f"{ran} of {len(rows)}", f"{np.mean(change):+.4%}",
        f"{low:+.4%} to {high:+.4%}", f"{least:+.4%} ({worst})", f"{spent / base:.2f}",
        f"{gaps / len(rows):.3%} to {(gaps + widened) / len(rows):.3%}",
        "goes" if goes else "stays",
    )  # fmt: skip


def main() -> None:
    """Print the table."""
    options = arguments(
        __doc__, parts=("plain", "limits", "cover"), seeds=1, only="", save="", numbers="no"
    )
    mc.solve(GRAPHS["biregular"](900, 0))
    EFFORTS["normal"] = EFFORTS["normal"]._replace(proof=EFFORTS["normal"].proof / 10)
    rows = measured(options)
    heading("Ablation", seeds=f"{SEED} and on", problems=len(rows))
    verdicts = [
        verdict(name, kind, own)
        for kind in ("plain", "limits", "cover")
        if (own := [row for row in rows if row["kind"] == kind])
        for name in dict.fromkeys(name for row in own for name in row["parts"])
    ]
    columns = ("without", "kind", "ran on", "value", "interval", "worst family", "CPU", "gap", "")
    table(columns, verdicts)
    if options.save:
        Path(options.save).write_text(json.dumps({"columns": columns, "rows": verdicts}, indent=1))


if __name__ == "__main__":
    main()
