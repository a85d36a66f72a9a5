"""Pool: worker processes, and the queue of what they have to do."""

from __future__ import annotations

import asyncio
import json
import math
import os
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from maxcover.service import frames
from maxcover.service.answers import Answer, error

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Callable

    from maxcover.service.settings import Settings

# A worker that cannot start is not started again at once.
_PAUSE = 1.0
# One thread each: there is a worker for every core.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class Busy(Exception):  # noqa: N818 - an answer, not a mistake
    """The queue is full; try again after so many seconds."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"the queue is full; try again in {seconds} s")
        self.seconds = seconds


@dataclass(eq=False)
class Job:
    """One request on its way through the pool."""

    task: str
    format: str
    body: bytes
    arrived: float
    answer: asyncio.Future[Answer] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class Pool:
    """Workers that are replaced when they die, and a bounded queue in front of them.

    Every job that was accepted is answered: by its worker, or with an error if the worker died or
    ran far beyond every deadline.

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
        self.busy = 0
        self.replaced = 0
        self.mean_seconds = 0.05
        self._queue: asyncio.Queue[Job] = asyncio.Queue(settings.n_waiting)
        self._keepers: list[asyncio.Task[None]] = []
        self._options = json.dumps({**asdict(settings), "tokens": [], "cors_origins": []})

    @property
    def waiting(self) -> int:
        """Number of jobs that no worker has begun."""
        return self._queue.qsize()

    def start(self) -> None:
        """Begin to start the workers; `ready` holds those that can work."""
        self._keepers = [
            asyncio.create_task(self._keep(number)) for number in range(self.settings.n_workers)
        ]

    async def run(self, job: Job) -> Answer:
        """Queue a job and wait for its answer; Busy, at once, if there is no room."""
        self.check_room()
        self._queue.put_nowait(job)
        return await job.answer

    def check_room(self) -> None:
        """Raise Busy if the queue is full."""
        if self._queue.full():
            ahead = self.waiting * self.mean_seconds / self.settings.n_workers
            raise Busy(max(1, math.ceil(ahead)))

    async def stop(self) -> None:
        """Finish what was accepted, then let the workers go."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.settings.max_seconds + self.settings.grace):
                await self._queue.join()
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)

    async def _keep(self, number: int) -> None:
        """Keep one place in the pool filled, whatever becomes of the worker in it."""
        while True:
            process = await self._spawn()
            reason = ""
            try:
                await self._serve(number, process)
            except Exception as end:  # each event loop has its own for a pipe that is closed
                reason = type(end).__name__
                if number not in self.ready:  # it never got as far as working
                    await asyncio.sleep(_PAUSE)
            finally:
                self.ready.discard(number)
                await _end(process)
            self.replaced += 1
            self.log("worker replaced", place=number, code=process.returncode, reason=reason)

    async def _spawn(self) -> Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "maxcover.service.worker",
            self._options,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **_ONE_THREAD},
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
                self.busy += 1
                try:
                    await self._do(job, process.stdin, process.stdout)
                finally:
                    self.busy -= 1
                    self._queue.task_done()
        finally:
            gone.cancel()

    async def _next_job(self, gone: asyncio.Task[int]) -> Job | None:
        """Wait for a job; None if the worker dies meanwhile: no job is given to a dead one."""
        if not gone.done() and not self._queue.empty():
            return self._queue.get_nowait()
        job = asyncio.create_task(self._queue.get())
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
        """Have a worker do a job; the job is answered in any case."""
        started = time.perf_counter()
        head = {"task": job.task, "format": job.format, "waited": started - job.arrived}
        failure = error(500, "worker_died", "the worker died on this request and was replaced")
        try:
            async with asyncio.timeout(self.settings.max_seconds + self.settings.grace):
                tasks.write(frames.pack(head, job.body))
                await tasks.drain()
                (status, media, note, policy), body = await frames.receive(answers)
        except TimeoutError:
            failure = error(504, "too_slow", "the request took longer than the service allows")
            raise ConnectionError("the worker does not come back") from None
        else:
            failure = Answer(status, media, body, note, policy)
            taken = time.perf_counter() - started
            self.mean_seconds += 0.05 * (taken - self.mean_seconds)
        finally:
            if not job.answer.done():
                job.answer.set_result(failure)


async def _end(process: Process) -> None:
    """End a worker that has nothing to do, or that no longer answers."""
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()
