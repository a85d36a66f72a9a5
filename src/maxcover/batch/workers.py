"""Workers: processes that summarise shards; each dies alone, and none outlives its parent."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from maxcover.batch.cluster import (
    Done,
    RawCluster,
    Refused,
    check_options,
    refusal,
    summarize_cluster,
)
from maxcover.batch.result_tables import nested_batch
from maxcover.batch.run_directory import write_shard
from maxcover.errors import MaxcoverError, TooLargeError
from maxcover.machine import confined

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.context import BaseContext
    from pathlib import Path

T = TypeVar("T")

DIED = "its process ended without notice, alone with it: a crash, or killed for lack of memory"
# How often a process dies alone with a cluster before the cluster is held to be the cause.
TRIES = 3
# Seconds between attempts to start a process: a fork server that was killed takes a while to go.
PAUSES = (0.0, 0.2, 1.0, 5.0)
# Bytes and seconds of CPU that one cluster may take; far more than the largest one needs.
MEMORY, SECONDS = 4_000_000_000, 600.0


class ShardCounts(NamedTuple):
    """How many clusters a shard has, and how many of them were refused."""

    clusters: int
    refused: int


def warm_up() -> None:
    """Start the process that others are forked from: it loads the package in the meantime."""
    if _context().get_start_method() == "forkserver":
        from multiprocessing import forkserver

        forkserver.ensure_running()


def _context() -> BaseContext:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["maxcover.batch.workers", "maxcover.summary.summarize"])
    return context


class Worker:
    """A process of its own for one shard at a time, started again when it died."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.pool = self._started()

    def _started(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, _context(), _begin, (self.options,))

    def run(self, out: Path, number: int, shard: list[RawCluster]) -> ShardCounts:
        """Summarise a shard; if the process dies of it, find the cluster that it dies of."""
        try:
            return self._call(_run_shard, out, number, shard)
        except BrokenProcessPool:
            self._restart()
            return _write(out, number, [self._alone(cluster) for cluster in shard])

    def _call(self, task: Callable[..., T], *arguments: Any) -> T:
        """Run a task; a process that cannot be started, its fork server dead, has died too."""
        try:
            future = self.pool.submit(task, *arguments)
        except (OSError, EOFError) as error:
            raise BrokenProcessPool(str(error)) from error
        return future.result()

    def _alone(self, cluster: RawCluster) -> Done | Refused:
        """Summarise one cluster; a process may also be killed by somebody else, so try again."""
        for _ in range(TRIES):
            try:
                return self._call(_run_cluster, cluster)
            except BrokenProcessPool:
                self._restart()
        return refusal(cluster, DIED)

    def _restart(self) -> None:
        """Start again; one that dies before any work says nothing about a cluster."""
        for pause in PAUSES:
            time.sleep(pause)
            self.pool.shutdown()
            self.pool = self._started()
            try:
                self._call(os.getpid)
            except BrokenProcessPool:
                continue
            return
        raise MaxcoverError(
            "a worker process died and a new one cannot start. In a script, call batch below "
            "if __name__ == '__main__'. If memory is short, call again with fewer workers or "
            "smaller limits; the run goes on from where it stopped"
        )

    def stop(self) -> None:
        """End the process when it has finished what it does."""
        self.pool.shutdown(cancel_futures=True)


_options: dict[str, Any] = {}


def _begin(options: dict[str, Any]) -> None:
    """Prepare a process: end with the parent, load the kernels once, keep the options."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    _options.update(options)
    check_options(options)


def _end_with(sentinel: Any) -> None:
    """Wait for the end of a process, and end this one at once, in the middle of its work.

    The sentinel is a pipe that only the other process holds open, so that the system closes it
    however that process ends. Kernels release the GIL, so that this thread is never kept waiting.
    """
    wait([sentinel])
    os._exit(1)


def _run_cluster(cluster: RawCluster) -> Done | Refused:
    try:
        with confined(memory=MEMORY, seconds=SECONDS):
            return summarize_cluster(cluster, _options)
    except TooLargeError as error:
        return refusal(cluster, str(error))


def _run_shard(out: Path, number: int, shard: list[RawCluster]) -> ShardCounts:
    return _write(out, number, list(map(_run_cluster, shard)))


def _write(out: Path, number: int, outcomes: list[Done | Refused]) -> ShardCounts:
    write_shard(out, number, nested_batch(outcomes))
    return ShardCounts(len(outcomes), sum(isinstance(each, Refused) for each in outcomes))
