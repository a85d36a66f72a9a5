"""Many small problems on one machine: all cores, bounded memory, resumable."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import queue
import time
from concurrent.futures import (
    FIRST_COMPLETED,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.batch.cluster import (
    DEFAULT_LIMITS,
    Done,
    Limits,
    RawCluster,
    Refused,
    check_options,
    summarize_cluster,
)
from maxcover.batch.readers import DEFAULT_COLUMNS, Columns, Source, open_source
from maxcover.batch.run_directory import RunDirectory, write_shard
from maxcover.batch.tables import as_tables
from maxcover.errors import MaxcoverError, OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# A shard ends after so many clusters or bytes of text, by the input alone: a few seconds of work,
# which is what a kill loses, and megabytes, which is what a process holds.
SHARD_CLUSTERS = 256
SHARD_BYTES = 2_000_000
DIED = "its process ended without notice, alone with it: a crash, or killed for lack of memory"


class Progress(NamedTuple):
    """Where a run stands; `share` is the part of the input that is done."""

    clusters: int
    refused: int
    resumed: int
    share: float
    seconds: float


class Report(NamedTuple):
    """What a run did: clusters in all, of them quarantined, and of them found done already."""

    clusters: int
    refused: int
    resumed: int
    seconds: float


def batch(
    source: str | Path,
    out: str | Path,
    *,
    budget: float | str,
    columns: Columns = DEFAULT_COLUMNS,
    limits: Limits = DEFAULT_LIMITS,
    workers: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Report:
    """Summarise every cluster of a file into Parquet tables.

    Parameters
    ----------
    source : path
        Parquet with a row a document, the rows of a cluster next to each other; or JSON Lines with
        a line a cluster. A file, or a directory of files of one kind.
    out : path
        Directory of the results: ``sentences``, ``clusters`` and ``quarantine``. A run that was
        killed goes on there when it is called again with the same arguments.
    budget, **options
        As in `maxcover.summarize`. A ``time_limit`` bounds what one cluster may take, but makes the
        answer depend on the speed of the machine.
    columns : Columns
        What the columns of the Parquet input are called.
    limits : Limits
        Larger clusters are quarantined unread.
    workers : int, optional
        Processes; one a core by default. The rows do not depend on it.
    progress : callable, optional
        Called with a `Progress` whenever a shard is complete.

    Returns
    -------
    Report

    Notes
    -----
    Memory: in every process a shard, and one cluster at work; in the caller two shards a process.
    A large cluster is a shard of its own and keeps one process busy while the others go on.

    A process that dies takes no other with it. The clusters of its shard are tried again one by
    one; a cluster whose process dies again goes to quarantine.
    """
    started = time.monotonic()
    out = Path(out)
    workers = workers or os.cpu_count() or 1
    if workers < 1:
        raise OptionError(f"expected at least 1 worker, got {workers}")
    given = {"budget": budget, **options}
    check_options(given)
    reader = open_source(Path(source), columns, limits)
    about = {"input": reader.fingerprint, "columns": columns, "limits": vars(limits)}
    plain = {name: _plain(value) for name, value in given.items()}
    directory = RunDirectory(out, {**about, "options": plain})
    counted = _Counter(directory.finished(), started, reader, progress)
    _work(reader, out, given, workers, counted)
    directory.seal()
    return counted.report()


def _plain(value: Any) -> Any:
    """Return an option as JSON holds it; of a table or a function, a digest that tells it apart."""
    if value is None or isinstance(value, str | int | float):
        return value
    return hashlib.sha256(pickle.dumps(value)).hexdigest()


class _Counter:
    """How many clusters are done, and who wants to know."""

    def __init__(
        self,
        finished: dict[int, dict[str, int]],
        started: float,
        source: Source,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.finished, self.started, self.source, self.tell = finished, started, source, progress
        self.clusters = self.refused = self.handed_out = 0
        for counts in finished.values():
            self.add(counts)
        self.resumed = self.clusters

    def add(self, counts: dict[str, int]) -> None:
        self.clusters += counts["clusters"] + counts["quarantine"]
        self.refused += counts["quarantine"]

    def shard_done(self, counts: dict[str, int]) -> None:
        self.add(counts)
        if self.tell is not None:
            share = self.source.read * self.clusters / max(self.handed_out, 1)
            self.tell(Progress(*self.report()[:3], share, self.report().seconds))

    def report(self) -> Report:
        seconds = time.monotonic() - self.started
        return Report(self.clusters, self.refused, self.resumed, seconds)


def _work(
    source: Source, out: Path, options: dict[str, Any], workers: int, counter: _Counter
) -> None:
    """Hand shards that are not done yet to processes, never more than two each."""
    waiting: set[Future[dict[str, int]]] = set()
    free: queue.SimpleQueue[_Process] = queue.SimpleQueue()
    processes = [_Process(options) for _ in range(workers)]
    for process in processes:
        free.put(process)

    def run(number: int, shard: list[RawCluster]) -> dict[str, int]:
        process = free.get()
        try:
            return process.run(out, number, shard)
        finally:
            free.put(process)

    threads = ThreadPoolExecutor(workers)
    try:
        for number, shard in enumerate(cut(source.clusters())):
            counter.handed_out += len(shard)
            if number in counter.finished:
                continue
            waiting.add(threads.submit(run, number, shard))
            if len(waiting) > 2 * workers:
                waiting = _settle(waiting, counter)
        while waiting:
            waiting = _settle(waiting, counter)
    finally:
        threads.shutdown(cancel_futures=True)
        for process in processes:
            process.stop()


def _settle(waiting: set[Future[dict[str, int]]], counter: _Counter) -> set[Future[dict[str, int]]]:
    """Wait until a shard is done; return those that are not."""
    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
    for future in done:
        counter.shard_done(future.result())
    return waiting


def cut(clusters: Iterator[RawCluster]) -> Iterator[list[RawCluster]]:
    """Cut a stream of clusters into shards, always at the same places."""
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


class _Process:
    """A process of its own for one shard at a time, started again when it died."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.pool = self._started()

    def _started(self) -> ProcessPoolExecutor:
        methods = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        if "forkserver" in methods:
            context.set_forkserver_preload(["maxcover.batch.local", "maxcover.summarizer"])
        return ProcessPoolExecutor(1, context, _begin, (self.options,))

    def run(self, out: Path, number: int, shard: list[RawCluster]) -> dict[str, int]:
        """Summarise a shard; if the process dies of it, find the cluster that it dies of."""
        try:
            return self.pool.submit(_run_shard, out, number, shard).result()
        except BrokenProcessPool:
            self._restart()
            return write_shard(out, number, as_tables([self._alone(each) for each in shard]))

    def _alone(self, cluster: RawCluster) -> Done | Refused:
        try:
            return self.pool.submit(_run_cluster, cluster).result()
        except BrokenProcessPool:
            self._restart()
            return Refused(cluster.id, DIED, cluster.n_documents)

    def _restart(self) -> None:
        """Start again; one that dies before any work says nothing about a cluster."""
        self.pool.shutdown()
        self.pool = self._started()
        try:
            self.pool.submit(os.getpid).result()
        except BrokenProcessPool:
            raise MaxcoverError(
                "a worker process died and a new one cannot start, perhaps for lack of memory; "
                "call again to go on from where it stopped, with fewer workers or smaller limits"
            ) from None

    def stop(self) -> None:
        self.pool.shutdown(cancel_futures=True)


_options: dict[str, Any] = {}


def _begin(options: dict[str, Any]) -> None:
    """Prepare a process: load the kernels once, keep the options."""
    _options.update(options)
    check_options(options)


def _run_cluster(cluster: RawCluster) -> Done | Refused:
    return summarize_cluster(cluster, _options)


def _run_shard(out: Path, number: int, shard: list[RawCluster]) -> dict[str, int]:
    outcomes = map(_run_cluster, shard)
    return write_shard(out, number, as_tables(outcomes))
