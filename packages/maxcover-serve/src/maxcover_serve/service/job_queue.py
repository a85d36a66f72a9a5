"""Job queue: requests that wait for a worker, first come, first served.

Large requests may not use all workers: each of them takes long, and a hundred megabytes. One client
cannot fill the queue: the reverse proxy limits the requests of each.
"""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from maxcover_serve.service.frames import Answer, error

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Callable

# A body of at least this many bytes is large.
LARGE = 1_000_000


@dataclass(eq=False, kw_only=True)
class Job:
    """One request on its way from the front process to a worker.

    Times are those of the front's `time.perf_counter`.

    Attributes
    ----------
    task, format, body
        What to do.
    arrived : float
    expires : float
        If no worker has begun by then, the job is answered with 429.
    ends : float
        The deadline of the answer.
    began : float
        When a worker began; infinite before.
    process : Process
        The worker that has the job.
    deadline : asyncio.Timeout
        When the worker is replaced.
    retried : bool
        Whether the job was put back into the queue because its worker was dying.
    """

    task: str
    format: str
    body: bytes
    arrived: float
    expires: float
    ends: float
    began: float = math.inf
    process: Process | None = None
    deadline: asyncio.Timeout | None = None
    retried: bool = False
    answer: asyncio.Future[Answer] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    timer: asyncio.TimerHandle | None = None

    @property
    def is_large(self) -> bool:
        """Whether the body is large: large jobs may not occupy all workers at the same time."""
        return len(self.body) >= LARGE

    @property
    def limit(self) -> float:
        """Seconds from arrival to the deadline."""
        return self.ends - self.arrived

    def settle(self, answer: Answer) -> None:
        """Set the job's answer, unless it has one, and cancel its timer."""
        if self.timer is not None:
            self.timer.cancel()
        if not self.answer.done():
            self.answer.set_result(answer)


class JobQueue:
    """A bounded queue of jobs.

    Parameters
    ----------
    size : int
    retry : callable
        Returns the seconds after which a client that is refused should try again.
    large : int
        How many large requests may be in work at the same time.
    """

    def __init__(self, size: int, retry: Callable[[], int], large: int = 1) -> None:
        self.size, self.retry, self.large = size, retry, large
        self._waiting: dict[Job, None] = {}  # in the order of arrival
        self._news = asyncio.Event()  # the event is set when a job was added or is done
        self._large_running = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        """Whether no further job is accepted."""
        return len(self._waiting) >= self.size

    def put(self, job: Job) -> None:
        """Add a job; it gets 429 if it expires in the queue."""
        self._waiting[job] = None
        late = "the time limit passed while the request waited for a worker"
        job.timer = asyncio.get_running_loop().call_later(
            max(0.0, job.expires - time.perf_counter()), self._turn_away, job, late
        )
        self._news.set()

    def _turn_away(self, job: Job, why: str) -> None:
        """Remove a job from the queue and answer it with 429; do nothing if it was taken."""
        if self.remove(job):
            job.settle(self.refusal(why))

    def refusal(self, why: str) -> Answer:
        """Return an answer 429 that says `why`, and after how many seconds to try again."""
        seconds = self.retry()
        return error(429, "busy", f"{why}; try again in {seconds} s", retry=seconds)

    def remove(self, job: Job) -> bool:
        """Remove a job from the queue; return whether it was still waiting."""
        if job not in self._waiting:
            return False
        del self._waiting[job]
        return True

    async def get(self) -> Job:
        """Wait for the next job and return it; call `done` when the job is finished."""
        while (job := self.take()) is None:
            self._news.clear()
            await self._news.wait()
        return job

    def take(self) -> Job | None:
        """Take the first job that may start; None if there is none."""
        full = self._large_running >= self.large
        job = next((job for job in self._waiting if not (full and job.is_large)), None)
        if job is None:
            return None
        self.remove(job)
        if job.timer is not None:
            job.timer.cancel()
        self._large_running += job.is_large
        return job

    def done(self, job: Job) -> None:
        """Note that a worker has finished a job."""
        self._large_running -= job.is_large
        self._news.set()
