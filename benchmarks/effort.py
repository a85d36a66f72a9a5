"""What `effort` costs and what it finds: text, the paper's ensemble, and BMCP.

Every problem is solved with each effort in turn in one process, and processor time is counted. The
text problems are those of `maxcover.summarize` with its default reading: synthetic news, and every
fifth cluster of the seven open sets where the data is. Values are fractions of the best that any
effort found.
"""

import json
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

import maxcover as mc
from _report import arguments, clock, heading, hold, table
from _synthetic_news import news
from maxcover_scale.batch import local

DATA = Path(__file__).parents[2] / "shared" / "data"
SETS = (
    "bc3", "cl_scisumm", "convosumm_email", "mediqa_mas", "opinosis", "oposum", "squality_plot",
)  # fmt: skip
BUDGET = 100


def of_texts(texts: list[str]) -> mc.CoverageProblem:
    from maxcover.texts import prepare

    corpus = prepare(texts)
    return corpus.problem(corpus.budget(BUDGET))


def of_news(*, seed: int) -> Iterator[mc.CoverageProblem]:
    for rows in news(10**6, seed=seed):
        yield of_texts([row.text.decode() for row in rows])


def of_open_sets(*, seed: int) -> Iterator[mc.CoverageProblem]:
    del seed
    for name in SETS:
        for line in (DATA / name / "clusters.jsonl").read_text().splitlines()[::5]:
            yield of_texts([document["text"] for document in json.loads(line)["documents"]])


def of_graphs(*, seed: int) -> Iterator[mc.CoverageProblem]:
    for k in range(10**6):
        yield mc.generate.biregular(100, 300, 9, 3, budget=100, seed=seed + 10_000 + k)


def of_literature(*, seed: int) -> Iterator[mc.CoverageProblem]:
    from bmcp import instances

    del seed
    yield from instances().values()


def measure(problems: Iterator[mc.CoverageProblem]) -> dict[str, np.ndarray]:
    """Return value, processor seconds, gap, and whether it was proven, for each effort."""
    found: dict[str, list[tuple[float, ...]]] = {effort: [] for effort in mc.EFFORTS}
    for problem in problems:
        for effort, rows in found.items():
            begin = time.process_time()
            # a problem of its own: what was computed for one effort is not there for the next
            solution = mc.solve(problem.with_budget(problem.budget), effort=effort)
            took = time.process_time() - begin
            rows.append((solution.value, took, solution.gap, solution.status == "optimal"))
    return {effort: np.array(rows) for effort, rows in found.items()}


def shown(name: str, found: dict[str, np.ndarray]) -> list[tuple[str, ...]]:
    best = np.max([rows[:, 0] for rows in found.values()], axis=0)
    usual = found["normal"][:, 1].mean()
    lines = []
    for effort, rows in found.items():
        fraction = np.where(best > 0, rows[:, 0] / np.where(best > 0, best, 1.0), 1.0)
        error = fraction.std() / np.sqrt(len(fraction))
        lines.append(
            (
                f"{name}, {len(rows)}",
                effort,
                f"{1e3 * rows[:, 1].mean():.1f}",
                f"{rows[:, 1].mean() / usual:.2f}",
                f"{fraction.mean():.5f} ± {2 * error:.5f}",
                f"{fraction.min():.4f}",
                f"{rows[:, 3].mean():.0%}",
                f"{rows[:, 2].mean():.2%}",
            )
        )
    return lines


def batch_rates(clusters: int, workers: int, seed: int) -> dict[str, tuple[float, float]]:
    """Return clusters a second and the value covered of `maxcover batch`, for two efforts."""
    import tempfile

    import pyarrow.parquet as pq

    from _synthetic_news import write_news

    found = {}
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "news.parquet"
        write_news(source, clusters, seed=seed)
        for effort in ("fast", "normal"):
            out = Path(name) / effort
            begin = time.perf_counter()
            local.batch(source, out, budget=BUDGET, workers=workers, effort=effort)
            took = time.perf_counter() - begin
            values = pq.read_table(out / "clusters").column("value").to_numpy()
            found[effort] = clusters / took, float(values.sum())
    return found


def main() -> None:
    options = arguments(__doc__, clusters=1000, workers=2, texts=157, graphs=1000, news=100)
    quick = options.quick
    families = {
        "synthetic news": (of_news, 6 if quick else options.news),
        "open text sets": (of_open_sets, 0 if quick else options.texts),
        "(9,3)-biregular, N = 100": (of_graphs, 10 if quick else options.graphs),
        "BMCP": (of_literature, 0 if quick else 30),
    }
    rows, results = [], {}
    for name, (make, count) in families.items():
        if count:
            results[name] = measure(islice(make(seed=options.seed), count))
            rows += shown(name, results[name])
    heading("effort", seed=options.seed, budget=f"{BUDGET} words")
    table(
        (
            *("family, problems", "effort", "ms of CPU", "of normal", "of the best"),
            *("least", "proven", "gap"),
        ),
        rows,
    )
    rates = batch_rates(40 if quick else options.clusters, options.workers, options.seed)
    table(
        ("batch, synthetic news", "clusters a second, start included", "value, of normal"),
        [
            (effort, f"{rate:.0f}", f"{value / rates['normal'][1]:.5f}")
            for effort, (rate, value) in rates.items()
        ],
    )
    for name, found in results.items():
        took = {effort: measured[:, 1].mean() for effort, measured in found.items()}
        value = {effort: measured[:, 0].sum() for effort, measured in found.items()}
        clock(f"{name}, time of fast, of normal", took["fast"] / took["normal"], most=0.8)
        hold(f"{name}, value of fast, of normal", value["fast"] / value["normal"], least=0.98)
        hold(
            f"{name}, value of normal, of thorough",
            value["normal"] / value["thorough"],
            least=0.999,
        )
    of_normal = rates["fast"][1] / rates["normal"][1]
    hold("batch, value of fast, of normal", of_normal, least=0.99 if quick else 0.999)


if __name__ == "__main__":
    main()
