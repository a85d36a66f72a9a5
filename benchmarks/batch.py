"""`maxcover batch` against a bare process pool on the same clusters, and its memory."""

import multiprocessing
import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from _report import arguments, heading, hold, table
from maxcover.engines import local
from maxcover.engines.synthetic import news, write_news

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


def peaks() -> tuple[float, float]:
    """Return the peak memory so far of this process and of its largest child, in megabytes."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    mine, largest = (resource.getrusage(kind).ru_maxrss / 1024 for kind in kinds)
    return mine, largest


def memory(folder: Path, clusters: int, seed: int) -> list[tuple[object, ...]]:
    """Return peak memory after an input, and after one twenty times as large."""
    rows: list[tuple[object, ...]] = []
    for size in (clusters, 20 * clusters):
        source = folder / f"memory-{size}.parquet"
        write_news(source, size, documents=3, sentences=5, seed=seed, rows_per_group=500)
        local.batch(source, folder / f"memory-{size}", budget=30, workers=2)
        mine, largest = peaks()
        rows.append((size, f"{source.stat().st_size / 1e6:.1f}", f"{mine:.0f}", f"{largest:.0f}"))
    return rows


def main() -> None:
    options = arguments(__doc__ or "", clusters=2000, workers=2, rounds=3)
    clusters, rounds = (200, 1) if options.quick else (options.clusters, options.rounds)
    heading(
        "`maxcover batch` against a bare process pool",
        clusters=f"{clusters} of 10 documents x 25 sentences",
        workers=options.workers,
        seed=options.seed,
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = memory(folder, 50 if options.quick else 200, options.seed)
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
    table(("clusters", "input MB", "peak MB, reader", "peak MB, largest worker"), rows)
    hold("batch / bare pool", max(ratios), least=0.2 if options.quick else 0.85)


if __name__ == "__main__":
    main()
