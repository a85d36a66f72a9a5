"""Workers: processes that summarise shards. A crash ends one only; none outlives its parent."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from maxcover.errors import MaxcoverError, OptionError, TooLargeError
from maxcover.ground.machine import confined
from maxcover_scale.batch.cluster import (
    Done,
    RawCluster,
    Refused,
    check_options,
    refusal,
    summarize_cluster,
)
from maxcover_scale.batch.result_tables import nested_batch
from maxcover_scale.batch.run_directory import write_shard

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.context import BaseContext
    from pathlib import Path

T = TypeVar("T")

DIED = "its process ended without notice, alone with it: a crash, or killed for lack of memory"
# A cluster is quarantined after this many processes died while they worked on it alone.
TRIES = 3
# Seconds to wait before each attempt to start a process; a killed fork server takes a while to end.
PAUSES = (0.0, 0.2, 1.0, 5.0)
# Memory in bytes and CPU time in seconds for one cluster; far more than the largest one needs.
MEMORY, SECONDS = 4_000_000_000, 600.0


class ShardCounts(NamedTuple):
    """How many clusters a shard has, and how many of them were refused."""

    clusters: int
    refused: int


def warm_up() -> None:
    """Start the fork server early: it loads the package while the caller reads the input."""
    if _context().get_start_method() == "forkserver":
        from multiprocessing import forkserver

        forkserver.ensure_running()


def refuse_in_worker() -> None:
    """Raise `OptionError` in a process that runs a script again because it was started by it."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise OptionError(
            "expected batch below if __name__ == '__main__' in a script, got a call that runs "
            "whenever the script is imported, as every worker process does"
        )


def _context() -> BaseContext:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["maxcover_scale.batch.workers", "maxcover.texts.summary.summarize"]
    )
    return context


class Worker:
    """A worker process that summarises one shard at a time, and is restarted when it dies."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.pool = self._started()

    def _started(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, _context(), _begin, (self.options,))

    def run(self, out: Path, number: int, shard: list[RawCluster]) -> ShardCounts:
        """Summarise a shard; if the process dies, try the clusters one by one to find the cause."""
        try:
            return self._call(_run_shard, out, number, shard)
        except BrokenProcessPool:
            self._restart()
            return _write(out, number, [self._alone(cluster) for cluster in shard])

    def _call(self, task: Callable[..., T], *arguments: Any) -> T:
        """Run a task in the process; raise BrokenProcessPool if it dies or cannot be started."""
        try:
            future = self.pool.submit(task, *arguments)
        except (OSError, EOFError) as error:
            raise BrokenProcessPool(str(error)) from error
        return future.result()

    def _alone(self, cluster: RawCluster) -> Done | Refused:
        """Summarise one cluster; if the process dies of it, try again, `TRIES` times in all."""
        for _ in range(TRIES):
            try:
                return self._call(_run_cluster, cluster)
            except BrokenProcessPool:
                self._restart()
        return refusal(cluster, DIED)

    def _restart(self) -> None:
        """Start a new process and check that it runs; raise MaxcoverError if all attempts fail."""
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
        """End the process after its current task."""
        self.pool.shutdown(cancel_futures=True)


_options: dict[str, Any] = {}


def _begin(options: dict[str, Any]) -> None:
    """Initialise a worker process: watch the parent, store the options, load the kernels."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    _options.update(options)
    check_options(options)


def _end_with(sentinel: Any) -> None:
    """Wait until the parent process ends, then end this process at once, even at work.

    `sentinel` is a pipe that only the parent holds open, so the system closes it however the parent
    ends. Kernels release the GIL, so this thread never has to wait for them.
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
