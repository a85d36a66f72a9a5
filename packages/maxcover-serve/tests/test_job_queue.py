"""The queue alone: order, large requests, expiry. No server."""

import asyncio
import random
import time

import pytest

from maxcover_serve.service.job_queue import LARGE, Job, JobQueue


def job(*, seconds=60.0, size=0):
    now = time.perf_counter()
    return Job(
        task="solve",
        format="json",
        body=bytes(size),
        arrived=now,
        expires=now + seconds,
        ends=now + seconds,
    )


def test_large_requests_leave_a_worker_to_others():
    async def run():
        queue = JobQueue(9, lambda: 1, large=1)
        first, second = (job(size=LARGE) for _ in range(2))
        small, other = job(size=LARGE - 1), job()
        for one in (first, second, small):
            queue.put(one)
        assert [queue.take() for _ in range(3)] == [first, small, None]
        waiter = asyncio.create_task(queue.get())
        await asyncio.sleep(0.01)
        queue.put(other)
        assert await asyncio.wait_for(waiter, 5) is other
        waiter = asyncio.create_task(queue.get())
        await asyncio.sleep(0.01)
        queue.done(small)
        await asyncio.sleep(0.01)
        assert not waiter.done()
        queue.done(first)
        assert await asyncio.wait_for(waiter, 5) is second

    asyncio.run(run())


def test_what_expires_is_answered_then_and_not_begun():
    async def run():
        queue = JobQueue(4, lambda: 1)
        late, next_one = job(seconds=0.05), job()
        queue.put(late)
        queue.put(next_one)
        assert (await asyncio.wait_for(late.answer, 60)).status == 429
        assert await queue.get() is next_one

    asyncio.run(run())


def test_a_job_that_was_taken_out_wakes_nobody():
    async def run():
        queue = JobQueue(4, lambda: 1)
        gone, kept = job(), job()
        queue.put(gone)
        assert queue.remove(gone)
        assert not queue.remove(gone)
        waiter = asyncio.create_task(queue.get())
        await asyncio.sleep(0.01)
        assert not waiter.done()
        queue.put(kept)
        assert await asyncio.wait_for(waiter, 5) is kept

    asyncio.run(run())


@pytest.mark.parametrize("seed", range(5))
def test_random_use_loses_and_doubles_nothing(seed):
    """Every job is begun once, the bound holds, and in the end nothing is left over."""
    rng = random.Random(seed)

    async def run():
        queue = JobQueue(6, lambda: 1)
        waiting, begun = set(), []
        for _ in range(400):
            step = rng.random()
            if step < 0.55:
                if not queue.is_full:
                    queue.put(one := job(size=rng.choice((0, 0, LARGE))))
                    waiting.add(one)
            elif step < 0.75 and len(queue):
                if (one := queue.take()) is not None:
                    begun.append(one)
                    waiting.remove(one)
                assert sum(one.is_large for one in begun) <= 1
            elif step < 0.85 and begun:
                queue.done(begun.pop(rng.randrange(len(begun))))
            elif waiting:
                gone = rng.choice(sorted(waiting, key=id))
                assert queue.remove(gone)
                waiting.remove(gone)
            assert len(queue) == len(waiting) <= 6
        for one in begun:
            queue.done(one)
        while len(queue):
            waiting.remove(one := queue.take())
            queue.done(one)
        assert not waiting

    asyncio.run(run())
