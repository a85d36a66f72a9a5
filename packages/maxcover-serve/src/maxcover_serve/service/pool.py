"""Pool: worker processes, and the queue of their jobs."""

from __future__ import annotations

import asyncio
import json
import math
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

from maxcover_serve.service import frames, logs
from maxcover_serve.service.frames import Answer, error
from maxcover_serve.service.job_queue import Job, JobQueue

if TYPE_CHECKING:
    from asyncio.subprocess import Process

    from maxcover_serve.service.metrics import Metrics
    from maxcover_serve.service.settings import Settings

# Seconds to wait before a worker that failed to start is started again.
_PAUSE = 1.0
# Seconds after a job's deadline (`Job.ends`) at which the client gets 504 if no answer has come.
_LATE = 0.18
# Interval in seconds at which SIGUSR1 is sent again to a worker whose client has hung up.
_RING = 0.02
# A request that timed out gets 429 (busy) rather than 504 if it waited in the queue for more than
# this part of its time limit.
_SHARE = 0.25
# If a worker ends within this many seconds after it got a job, it was probably dying before, and
# the job is tried once more.
_DYING = 0.1
# One thread per worker, because there is one worker per core. The MALLOC settings make glibc return
# the memory of large requests to the system; by default glibc keeps it.
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": "1048576",
    "MALLOC_TRIM_THRESHOLD_": "1048576",
}
_TOO_SLOW = error(504, "too_slow", "there was no answer within the time limit; allow more time")
_DIED = error(500, "worker_died", "the worker died on this request and was replaced")


class Pool:
    """Workers that are replaced when they die, and a bounded queue in front of them.

    Every job that was accepted is answered in its time: by its worker, with 429 if no worker
    became free, or with an error if the worker died or did not answer.

    Parameters
    ----------
    settings : Settings
    metrics : Metrics
        Counts the workers that were replaced, or could not be started.
    """

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self.settings, self.metrics = settings, metrics
        self.ready: set[int] = set()
        self.started = False
        self._last_ready = time.monotonic()
        self.mean_seconds = 0.05
        large = max(1, settings.n_workers - 1)
        self.queue = JobQueue(settings.n_waiting, self.retry_after, large)
        self.running: set[Job] = set()
        self._keepers: list[asyncio.Task[None]] = []
        self._options = json.dumps(asdict(settings))

    @property
    def seconds_without(self) -> float:
        """Seconds since the last ready worker died; 0 while a worker is ready."""
        return 0.0 if self.ready else time.monotonic() - self._last_ready

    def start(self) -> None:
        """Begin to start the workers; `ready` holds the numbers of those that have started."""
        self._keepers = [
            asyncio.create_task(self._keep(number)) for number in range(self.settings.n_workers)
        ]

    async def run(self, job: Job) -> Answer:
        """Queue a job and return its answer; return 429 at once if the queue has no room."""
        if self.queue.is_full:
            return self.queue.refusal("the queue is full")
        # Let the job expire in the queue once too little time is left to finish it.
        job.expires = min(job.expires, job.ends - min(self.mean_seconds, _SHARE * job.limit))
        self.queue.put(job)
        found = _TOO_SLOW
        with suppress(TimeoutError):  # the worker is stuck; `_do` replaces it
            async with asyncio.timeout(job.ends + _LATE - time.perf_counter()):
                found = await asyncio.shield(job.answer)
        if found.status == 504 and job.began - job.arrived > _SHARE * job.limit:
            return self.queue.refusal("the request waited too long for a worker")
        return found

    def drop(self, job: Job, answer: Answer) -> None:
        """Give up a job whose client has gone: take it off the queue, or have its worker stop."""
        self.queue.remove(job)
        job.settle(answer)
        if job in self.running and job.deadline is not None:
            # the worker is replaced if it does not give the job up
            patience = self.settings.grace if hasattr(signal, "SIGUSR1") else 0.0
            job.deadline.reschedule(asyncio.get_running_loop().time() + patience)
            self._ring(job)

    def _ring(self, job: Job) -> None:
        """Repeat SIGUSR1 until the job is over: a worker ignores it while it reads its task.

        The worker takes no other job before its answer was read, so no signal hits the next job.
        """
        if job in self.running and job.process is not None and hasattr(signal, "SIGUSR1"):
            with suppress(ProcessLookupError):
                job.process.send_signal(signal.SIGUSR1)
            asyncio.get_running_loop().call_later(_RING, self._ring, job)

    def retry_after(self) -> int:
        """Estimate the seconds until all jobs that now wait or run are done; at least 1."""
        now, work = time.perf_counter(), len(self.queue) * self.mean_seconds
        for job in self.running:
            # Assume that a running job needs as long again as it has taken so far.
            left = max(self.mean_seconds, now - job.began)
            work += min(left, max(0.0, job.ends - now))
        return max(1, math.ceil(work / self.settings.n_workers))

    async def stop(self) -> None:
        """Wait until all accepted jobs are done, within their time limits, then end the workers."""
        end = time.monotonic() + self.settings.max_seconds + self.settings.grace
        while (len(self.queue) or self.running) and time.monotonic() < end:
            await asyncio.sleep(0.02)
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)

    async def _keep(self, number: int) -> None:
        """Keep worker slot `number` filled: start a new process whenever the old one ends."""
        while True:
            process, reason = None, ""
            try:
                process = await self._spawn()
                await self._serve(number, process)
            except Exception as end:  # event loops differ in what a closed pipe raises
                reason = type(end).__name__
            finally:
                if process is not None:
                    await _end(process)
                worked = number in self.ready
                self.ready.discard(number)
            code = None if process is None else process.returncode
            if worked:
                self.metrics.replaced.inc()
                self._last_ready = time.monotonic()
                logs.event("worker replaced", place=number, code=code, reason=reason)
            else:
                self.metrics.failed.inc()
                logs.event("worker not started", place=number, code=code, reason=reason)
                await asyncio.sleep(_PAUSE)

    async def _spawn(self) -> Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "maxcover_serve.service.worker",
            self._options,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **_ENVIRONMENT},
        )

    async def _serve(self, number: int, process: Process) -> None:
        """Pass jobs to a worker process one after the other, until it dies or must be replaced."""
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("expected a worker with pipes")
        head, _ = await frames.receive(process.stdout)
        self.ready.add(number)
        self.started = True
        logs.event("worker ready", place=number, pid=head["ready"])
        gone = asyncio.create_task(process.wait())
        try:
            while (job := await self._next_job(gone)) is not None:
                job.process, job.began = process, time.perf_counter()
                self.running.add(job)
                try:
                    await self._do(job, process.stdin, process.stdout)
                finally:
                    self.running.remove(job)
                    self.queue.done(job)
        finally:
            gone.cancel()

    async def _next_job(self, gone: asyncio.Task[int]) -> Job | None:
        """Wait for a job; return None if the worker process dies before a job comes."""
        if not gone.done() and (waiting := self.queue.take()) is not None:
            return waiting
        job = asyncio.create_task(self.queue.get())
        await asyncio.wait({job, gone}, return_when=asyncio.FIRST_COMPLETED)
        if job.done():
            return job.result()
        job.cancel()
        with suppress(asyncio.CancelledError):
            return await job
        return None

    async def _do(
        self, job: Job, tasks: asyncio.StreamWriter, answers: asyncio.StreamReader
    ) -> None:
        """Have a worker do a job and answer it; if the worker was dying, requeue the job once."""
        started = job.began
        head = {
            "task": job.task,
            "format": job.format,
            "waited": started - job.arrived,
            "left": job.ends - started,
        }
        failure = _DIED
        try:
            async with asyncio.timeout(job.ends - started + self.settings.grace) as job.deadline:
                tasks.write(frames.pack(head, job.body))
                await tasks.drain()
                (status, media, note, policy), body = await frames.receive(answers)
        except TimeoutError:
            failure = _TOO_SLOW
            raise ConnectionError("the worker does not come back") from None
        else:
            failure = Answer(status, media, body, note, policy)
            taken = time.perf_counter() - started
            self.mean_seconds += 0.05 * (taken - self.mean_seconds)
        finally:
            was_dying = failure is _DIED and time.perf_counter() - started < _DYING
            # the worker most likely died before it read the job, so the job may be tried again
            if was_dying and not job.retried and not job.answer.done():
                job.retried = True
                self.queue.put(job)
            else:
                job.settle(failure)


async def _end(process: Process) -> None:
    """Kill a worker process and wait until it has ended."""
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()
