"""`maxcover batch` against a bare process pool on the same clusters, and its memory."""

import multiprocessing
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from _report import arguments, clock, heading, table
from _synthetic_news import news, write_news
from _tree import Peak
from maxcover_scale.batch import local

BUDGET = 100
CHUNK = 8


def warm() -> None:
    import maxcover as mc

    mc.summarize("One two three. Two three four five.", budget=4)


def summarize(chunk: list[list[str]]) -> int:
    import maxcover as mc

    return sum(len(mc.summarize(documents, budget=BUDGET).sentences) for documents in chunk)


def bare(clusters: list[list[str]], workers: int) -> float:
    """Return clusters a second of a pool that has everything in memory and writes nothing."""
    context = multiprocessing.get_context("forkserver")
    chunks = [clusters[k : k + CHUNK] for k in range(0, len(clusters), CHUNK)]
    with ProcessPoolExecutor(workers, context, warm) as pool:
        list(pool.map(summarize, [clusters[:1]] * workers))
        started = time.perf_counter()
        list(pool.map(summarize, chunks))
        return len(clusters) / (time.perf_counter() - started)


def batch(source: Path, out: Path, workers: int) -> tuple[float, int]:
    """Return clusters a second, start-up of the processes included, and the number of clusters."""
    started = time.perf_counter()
    report = local.batch(source, out, budget=BUDGET, workers=workers)
    return report.clusters / (time.perf_counter() - started), report.clusters


def memory(folder: Path, clusters: int, seed: int) -> list[tuple[object, ...]]:
    """Return the peak memory of all processes for an input, and for 5 and 20 times as much."""
    rows: list[tuple[object, ...]] = []
    for times in (1, 5, 20):
        source = folder / f"memory-{times}.parquet"
        write_news(source, times * clusters, seed=seed, rows_per_group=500)
        text = sum(len(row.text) for found in news(clusters, seed=seed) for row in found)
        with Peak() as peak:
            local.batch(source, folder / f"memory-{times}", budget=30, workers=2, method="greedy")
        held = (f"{peak.found[name]:.0f}" for name in ("driver", "workers", "all"))
        rows.append((times * clusters, f"{times * text / 1e6:.0f}", *held))
    return rows


def main() -> None:
    options = arguments(__doc__ or "", clusters=1000, workers=2, rounds=3, memory=700)
    clusters, rounds = (200, 1) if options.quick else (options.clusters, options.rounds)
    heading(
        "`maxcover batch` against a bare process pool",
        clusters=f"{clusters} of 10 documents x 25 sentences",
        workers=options.workers,
        seed=options.seed,
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = memory(folder, 20 if options.quick else options.memory, options.seed)
        source = folder / "news.parquet"
        write_news(source, clusters, seed=options.seed)
        texts = [
            [row.text.decode() for row in found] for found in news(clusters, seed=options.seed)
        ]
        ratios, lines = [], []
        for turn in range(rounds):
            plain = bare(texts, options.workers)
            ours, _ = batch(source, folder / f"out-{turn}", options.workers)
            ratios.append(ours / plain)
            lines.append((turn + 1, f"{plain:.1f}", f"{ours:.1f}", f"{ours / plain:.2f}"))
    table(("round", "bare pool, clusters/s", "batch, clusters/s", "ratio"), lines)
    table(("clusters", "MB of text", "peak MB: reader", "workers", "all"), rows)
    clock("batch / bare pool", max(ratios), least=0.2 if options.quick else 0.85)


if __name__ == "__main__":
    main()
