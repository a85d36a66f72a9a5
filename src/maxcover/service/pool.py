"""Pool: worker processes, and the queue of what they have to do."""

from __future__ import annotations

import asyncio
import json
import math
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from maxcover.service import frames
from maxcover.service.fair_queue import FairQueue, Job
from maxcover.service.frames import Answer, error

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Callable

    from maxcover.service.settings import Settings

# A worker that cannot start is not started again at once.
_PAUSE = 1.0
# Seconds that a worker has to answer after the time of a request is over.
_LATE = 0.18
# Seconds after which a worker is told again that nobody waits for its answer.
_RING = 0.02
# A request that waited for more than this part of its time is late because of others.
_SHARE = 0.25
# A worker that ends within so many seconds after it got a request was dying before.
_DYING = 0.1
# One thread each: there is a worker for every core. What a large request took goes back to the
# system: without these glibc keeps it.
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": "1048576",
    "MALLOC_TRIM_THRESHOLD_": "1048576",
}
_TOO_SLOW = error(504, "too_slow", "there was no answer within the time limit; allow more time")
FULL = "the queue is full"
_DIED = error(500, "worker_died", "the worker died on this request and was replaced")


class Pool:
    """Workers that are replaced when they die, and a bounded queue in front of them.

    Every job that was accepted is answered in its time: by its worker, with 429 if no worker
    became free, or with an error if the worker died or did not answer.

    Parameters
    ----------
    settings : Settings
    log : callable
        Called with the name of an event and its numbers.
    """

    def __init__(self, settings: Settings, log: Callable[..., None]) -> None:
        self.settings = settings
        self.log = log
        self.ready: set[int] = set()
        self.started = False
        self.replaced = self.failed = 0
        self._last_ready = time.monotonic()
        self.mean_seconds = 0.05
        large = max(1, settings.n_workers - 1)
        self.queue = FairQueue(settings.n_waiting, self.retry_after, large)
        self.running: dict[Job, Work] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._options = json.dumps(asdict(settings))

    @property
    def seconds_without(self) -> float:
        """Seconds since there was a worker that could work; 0 while there is one."""
        return 0.0 if self.ready else time.monotonic() - self._last_ready

    def start(self) -> None:
        """Begin to start the workers; `ready` holds those that can work."""
        self._keepers = [
            asyncio.create_task(self._keep(number)) for number in range(self.settings.n_workers)
        ]

    async def run(self, job: Job) -> Answer:
        """Queue a job and wait for its answer; 429, at once, if there is no room."""
        if not self.queue.has_room(job.client):
            return self.queue.refusal(FULL)
        # what would be begun too late to be finished is not begun
        job.expires = min(job.expires, job.ends - min(self.mean_seconds, _SHARE * job.limit))
        self.queue.put(job)
        found = _TOO_SLOW
        with suppress(TimeoutError):  # then its worker is stuck, and is replaced if it stays so
            async with asyncio.timeout(job.ends + _LATE - time.perf_counter()):
                found = await asyncio.shield(job.answer)
        if found.status == 504 and job.began - job.arrived > _SHARE * job.limit:
            return self.queue.refusal("the request waited too long for a worker")
        return found

    def drop(self, job: Job, answer: Answer) -> None:
        """Answer a job that nobody waits for any more; it is not begun, or it is stopped."""
        self.queue.remove(job)
        job.settle(answer)
        if (work := self.running.get(job)) is not None:
            work.stop(self.settings.grace)

    def retry_after(self) -> int:
        """Estimate the seconds until the queue, as it is now, has been worked off."""
        now, work = time.perf_counter(), len(self.queue) * self.mean_seconds
        for job, work_on in self.running.items():
            # what has taken long takes about as long again
            left = max(self.mean_seconds, now - work_on.since)
            work += min(left, max(0.0, job.ends - now))
        return max(1, math.ceil(work / self.settings.n_workers))

    async def stop(self) -> None:
        """Finish what was accepted, then let the workers go."""
        end = time.monotonic() + self.settings.max_seconds + self.settings.grace
        while (len(self.queue) or self.running) and time.monotonic() < end:
            await asyncio.sleep(0.02)
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)

    async def _keep(self, number: int) -> None:
        """Keep one place in the pool filled, whatever becomes of the worker in it."""
        while True:
            process, reason = None, ""
            try:
                process = await self._spawn()
                await self._serve(number, process)
            except Exception as end:  # each event loop has its own for a pipe that is closed
                reason = type(end).__name__
            finally:
                if process is not None:
                    await _end(process)
                worked = number in self.ready
                self.ready.discard(number)
            code = None if process is None else process.returncode
            if worked:
                self.replaced += 1
                self._last_ready = time.monotonic()
                self.log("worker replaced", place=number, code=code, reason=reason)
            else:
                self.failed += 1
                self.log("worker not started", place=number, code=code, reason=reason)
                await asyncio.sleep(_PAUSE)

    async def _spawn(self) -> Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "maxcover.service.worker",
            self._options,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **_ENVIRONMENT},
        )

    async def _serve(self, number: int, process: Process) -> None:
        """Give one job after the other to a worker, until it dies or has to be ended."""
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("expected a worker with pipes")
        head, _ = await frames.receive(process.stdout)
        self.ready.add(number)
        self.started = True
        self.log("worker ready", place=number, pid=head["ready"])
        gone = asyncio.create_task(process.wait())
        try:
            while (job := await self._next_job(gone)) is not None:
                work = self.running[job] = Work(process, time.perf_counter())
                try:
                    await self._do(job, work, process.stdin, process.stdout)
                finally:
                    del self.running[job]
                    work.is_over = True
                    self.queue.done(job)
        finally:
            gone.cancel()

    async def _next_job(self, gone: asyncio.Task[int]) -> Job | None:
        """Wait for a job; None if the worker dies meanwhile: no job is given to a dead one."""
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
        self, job: Job, work: Work, tasks: asyncio.StreamWriter, answers: asyncio.StreamReader
    ) -> None:
        """Have a worker do a job; the job is answered, or put back once if the worker was dying."""
        started = job.began = work.since
        head = {
            "task": job.task,
            "format": job.format,
            "waited": started - job.arrived,
            "left": job.ends - started,
        }
        failure = _DIED
        try:
            async with asyncio.timeout(job.ends - started + self.settings.grace) as work.deadline:
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
            # most likely before it had the job
            if was_dying and not job.retried and not job.answer.done():
                job.retried = True
                self.queue.put(job)
            else:
                job.settle(failure)


@dataclass(eq=False)
class Work:
    """What a worker is doing: in which process, since when, and until when it is waited for."""

    process: Process
    since: float
    deadline: asyncio.Timeout | None = None
    is_over: bool = False

    def stop(self, grace: float) -> None:
        """Have the worker give up what it does; one that does not, after some seconds, is replaced.

        The worker takes no other task before its answer was read, so no signal meets the next one.
        """
        if self.deadline is not None:
            patience = grace if hasattr(signal, "SIGUSR1") else 0.0
            self.deadline.reschedule(asyncio.get_running_loop().time() + patience)
            self._ring()

    def _ring(self) -> None:
        """Ring again until it is over: a worker that reads its task does not hear it yet."""
        if not self.is_over and hasattr(signal, "SIGUSR1"):
            with suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGUSR1)
            asyncio.get_running_loop().call_later(_RING, self._ring)


async def _end(process: Process) -> None:
    """End a worker that has nothing to do, or that no longer answers."""
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()
