"""Local: many small problems on one machine: all cores, bounded memory, resumable."""

from __future__ import annotations

import queue
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.errors import OptionError
from maxcover.ground.machine import available_cores
from maxcover_scale.batch.cluster import (
    DEFAULT_LIMITS,
    WITH_TEXT,
    ClusterLimits,
    RawCluster,
    check_options,
)
from maxcover_scale.batch.json_lines import DEFAULT_COLUMNS, Columns
from maxcover_scale.batch.manifest import Report, manifest
from maxcover_scale.batch.readers import Input, open_input
from maxcover_scale.batch.run_directory import RunDirectory
from maxcover_scale.batch.workers import ShardCounts, Worker, refuse_in_worker, warm_up

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

# Limits of a shard (the clusters that a process works on at a time), in clusters and bytes of text.
# They are small: a killed process loses a few seconds of work, and a process holds few megabytes.
SHARD_CLUSTERS = 256
SHARD_BYTES = 2_000_000


class Tally(NamedTuple):
    """Progress of a run: counts of clusters, and `share`, the part of the input that is done."""

    clusters: int
    refused: int
    resumed: int
    share: float
    seconds: float


def batch(
    source: Any,
    out: str | os.PathLike[str],
    *,
    budget: float | str,
    columns: Columns = DEFAULT_COLUMNS,
    limits: ClusterLimits = DEFAULT_LIMITS,
    workers: int | None = None,
    with_text: bool = False,
    progress: Callable[[Tally], None] | None = None,
    **options: Any,
) -> Report:
    """Summarise every cluster of an input into Parquet tables.

    Parameters
    ----------
    source : path, URL, glob, or object with ``__arrow_c_stream__``
        Parquet or JSON Lines (also compressed), in files, directories or object stores; or a table
        in memory, such as those of pyarrow, Polars and DuckDB. One row per document, the rows of a
        cluster next to each other, or one row per cluster (see docs/scale.md).
    out : path
        Directory of the results: ``sentences``, ``clusters`` and ``quarantine``. To continue a run
        that was killed, call again with the same arguments.
    budget, **options
        As in `maxcover.summarize`. A ``time_limit`` bounds what one cluster may take, but makes the
        answer depend on the speed of the machine.
    columns : Columns
        Names of the input's columns.
    limits : ClusterLimits
        Larger clusters are quarantined unread.
    workers : int, optional
        Processes; one per core that this process may use by default. The rows do not depend on it.
    with_text : bool
        Whether the table of sentences has their text; otherwise that column is null.
    progress : callable, optional
        Called with a `Tally` whenever a shard is complete.

    Returns
    -------
    Report

    Raises
    ------
    OptionError
        An option is wrong, or `out` holds another run: another input (by its content), other
        options, or another version of this package. Or another run is at work there.
    FileFormatError
        The input cannot be read.

    Notes
    -----
    Memory: each process holds one shard and one cluster, the caller two shards per process.
    A large cluster is a shard of its own and keeps one process busy while the others go on.

    A process that dies does not affect the others. The clusters of its shard are tried again one by
    one; a cluster whose process dies three times more goes to quarantine. All processes end when
    the caller ends, however that happens.
    """
    started = time.monotonic()
    refuse_in_worker()
    workers = workers or available_cores()
    if workers < 1:
        raise OptionError(f"expected at least 1 worker, got {workers}")
    if "://" in str(out):
        raise OptionError(
            f"expected a local directory for the results, got {out}; copy them from there, or use "
            "--engine spark"
        )
    warm_up()
    given = {"budget": budget, **options, **({WITH_TEXT: True} if with_text else {})}
    check_options(given)
    found = open_input(source, columns, limits)
    about = manifest("local", found.fingerprint, columns, limits, given)
    with RunDirectory(Path(out), about) as directory:
        counter = _Counter(directory, started, found, progress)
        if not directory.complete:
            _work(found, directory, given, workers, counter)
            directory.seal()
        return counter.report()


class _Counter:
    """Counts the clusters that are done, and calls `progress` after each shard."""

    def __init__(
        self,
        directory: RunDirectory,
        started: float,
        found: Input,
        progress: Callable[[Tally], None] | None,
    ) -> None:
        counts = directory.counts()
        self.started, self.source, self.tell = started, found.source, progress
        self.refused = counts["quarantine"]
        self.clusters = self.resumed = counts["clusters"] + counts["quarantine"]
        self.handed_out = 0

    def shard_done(self, counts: ShardCounts) -> None:
        self.clusters += counts.clusters
        self.refused += counts.refused
        if self.tell is not None:
            share = self.source.read * self.clusters / max(self.handed_out, 1)
            self.tell(Tally(*self.report()[:3], share, self.report().seconds))

    def report(self) -> Report:
        seconds = time.monotonic() - self.started
        return Report(self.clusters, self.refused, self.resumed, seconds)


def _work(
    found: Input, directory: RunDirectory, options: dict[str, Any], workers: int, counter: _Counter
) -> None:
    """Give unfinished shards to worker processes; read at most two shards per process ahead."""
    waiting: set[Future[ShardCounts]] = set()
    free: queue.SimpleQueue[Worker] = queue.SimpleQueue()
    processes = [Worker(options) for _ in range(workers)]
    for process in processes:
        free.put(process)

    def run(number: int, shard: list[RawCluster]) -> ShardCounts:
        process = free.get()
        try:
            return process.run(directory.path, number, shard)
        finally:
            free.put(process)

    def settle() -> None:
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            waiting.remove(future)
            counter.shard_done(future.result())

    threads = ThreadPoolExecutor(workers)
    try:
        for number, shard in enumerate(cut(found.clusters())):
            counter.handed_out += len(shard)
            if directory.holds(number):
                continue
            waiting.add(threads.submit(run, number, shard))
            if len(waiting) > 2 * workers:
                settle()
        while waiting:
            settle()
    finally:
        threads.shutdown(cancel_futures=True)
        for process in processes:
            process.stop()


def cut(clusters: Iterator[RawCluster]) -> Iterator[list[RawCluster]]:
    """Cut a stream of clusters into shards; the same stream always gives the same shards."""
    shard: list[RawCluster] = []
    size = 0
    for cluster in clusters:
        held = 0 if cluster.refused else cluster.n_bytes
        if shard and (len(shard) == SHARD_CLUSTERS or size + held > SHARD_BYTES):
            yield shard
            shard, size = [], 0
        shard.append(cluster)
        size += held
    if shard:
        yield shard
