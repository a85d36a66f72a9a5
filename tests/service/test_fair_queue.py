"""The queue alone: shares, displacement, expiry. No server."""

import asyncio
import random
import time
from collections import Counter

import pytest

from maxcover.service.fair_queue import LARGE, FairQueue, Job


def job(client, *, seconds=60.0, size=0):
    now = time.perf_counter()
    return Job(
        task="solve",
        format="json",
        body=bytes(size),
        client=client,
        arrived=now,
        expires=now + seconds,
        ends=now + seconds,
    )


def test_workers_go_to_the_client_with_the_fewest_in_work():
    async def run():
        queue = FairQueue(20, lambda: 3)
        for _ in range(8):
            queue.put(job("greedy"))
        for _ in range(2):
            queue.put(job("modest"))
        begun = [queue.take() for _ in range(4)]
        assert Counter(one.client for one in begun) == {"greedy": 2, "modest": 2}
        for one in begun:
            queue.done(one)
        assert [queue.take().client for _ in range(6)] == ["greedy"] * 6
        assert len(queue) == 0

    asyncio.run(run())


def test_a_full_queue_gives_the_heaviest_client_s_latest_away():
    async def run():
        queue = FairQueue(4, lambda: 3)
        greedy = [job("greedy") for _ in range(4)]
        for one in greedy:
            queue.put(one)
        assert not queue.has_room("greedy")
        assert queue.has_room("modest")
        queue.put(job("modest"))
        assert (greedy[-1].answer.result().status, greedy[-1].answer.result().retry) == (429, 3)
        assert not any(one.answer.done() for one in greedy[:-1])
        queue.put(job("modest"))  # two each: now nobody has more than another
        assert not queue.has_room("modest")
        assert queue.has_room("third")

    asyncio.run(run())


def test_large_requests_leave_a_worker_to_others():
    async def run():
        queue = FairQueue(9, lambda: 1, large=1)
        first, second = (job("a", size=LARGE) for _ in range(2))
        small, other = job("a", size=LARGE - 1), job("b")
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
        queue = FairQueue(4, lambda: 1)
        late, next_one = job("a", seconds=0.05), job("a")
        queue.put(late)
        queue.put(next_one)
        assert (await asyncio.wait_for(late.answer, 60)).status == 429
        assert await queue.get() is next_one

    asyncio.run(run())


def test_a_job_that_was_taken_out_wakes_nobody():
    async def run():
        queue = FairQueue(4, lambda: 1)
        gone, kept = job("a"), job("b")
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
    """Every job is begun once or refused, the bound holds, and in the end nothing is left over."""
    rng = random.Random(seed)

    async def run():
        queue = FairQueue(6, lambda: 1)
        waiting, begun, refused = set(), [], set()
        for _ in range(400):
            step = rng.random()
            if step < 0.55:
                one = job(rng.choice("abc"), size=rng.choice((0, 0, LARGE)))
                if queue.has_room(one.client):
                    queue.put(one)
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
            displaced = {one for one in waiting if one.answer.done()}
            refused |= displaced
            waiting -= displaced
            assert len(queue) == len(waiting) <= 6
        assert refused
        for one in begun:
            queue.done(one)
        while len(queue):
            waiting.remove(one := queue.take())
            queue.done(one)
        assert not waiting

    asyncio.run(run())
