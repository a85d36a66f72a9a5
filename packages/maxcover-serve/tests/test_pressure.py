"""Under pressure: full queues, slow clients, dead workers and a shutdown in the middle."""

import json
import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest
from benchmarks._report import clock

from attackers import HTTP, processor
from running import Running


def text(number):
    """A text whose summary is known to be its own: the number is in every sentence."""
    return " ".join(f"Case{number} part{k} says word{k * number % 97}." for k in range(60))


def ask(url, number, **options):
    body = {"documents": [text(number)], "budget": 12, **options}
    return HTTP.post(f"{url}/v1/summarize", json=body)


def ask_again(url, number):
    """Ask as a client does: a request that waited too long for a new worker is sent again."""
    while (answer := ask(url, number)).status_code == 429:
        assert int(answer.headers["retry-after"]) >= 1
    return answer


def is_right(answer, number):
    return all(f"Case{number} " in sentence["text"] for sentence in answer.json()["sentences"])


def hard(seconds):
    """A dense problem that no solver settles soon: it keeps a worker busy till the deadline."""
    random = np.random.default_rng(1)
    member = random.random((300, 300)) < 0.1
    sets = [np.flatnonzero(row).tolist() for row in member]
    costs, weights = random.integers(20, 40, (2, 300)).tolist()
    content = {"sets": sets, "costs": costs, "weights": weights, "budget": 300}
    return {**content, "method": "exact", "time_limit": seconds}


def test_a_full_queue_says_so_and_mixes_nothing_up(start):
    running = start(queue=2)
    with ThreadPoolExecutor(12) as crowd:
        answers = list(crowd.map(lambda k: (k, ask(running.url, k)), range(1, 61)))
    statuses = [answer.status_code for _, answer in answers]
    strange = [answer.text for _, answer in answers if answer.status_code not in {200, 429}]
    assert strange == []
    assert 429 in statuses
    for number, answer in answers:
        if answer.status_code == 200:
            assert is_right(answer, number)
        else:
            assert int(answer.headers["retry-after"]) >= 1


@pytest.mark.clock
def test_health_is_answered_while_workers_compute(rough):
    running = rough
    with ThreadPoolExecutor(1) as other:
        busy = other.submit(HTTP.post, f"{running.url}/v1/solve", json=hard(2.0))
        running.wait_until(lambda: running.gauge("workers_busy"))
        started = time.monotonic()
        assert HTTP.get(f"{running.url}/healthz").status_code == 200
        clock("health while workers compute, s", time.monotonic() - started, most=1)
        assert busy.result().status_code == 200


@pytest.mark.clock
def test_a_deadline_is_kept(server):
    ask(server.url, 1)
    started = time.monotonic()
    answer = HTTP.post(f"{server.url}/v1/solve", json=hard(0.3))
    assert answer.status_code == 200
    assert answer.json()["status"] == "heuristic"
    clock("a request with a deadline of 0.3 s, s", time.monotonic() - started, most=0.8)


def test_a_killed_worker_is_replaced_and_its_request_answered(rough):
    running = rough
    workers = running.worker_pids
    worker = workers[-1]
    before = processor(worker)
    with ThreadPoolExecutor(1) as other:
        doomed = other.submit(HTTP.post, f"{running.url}/v1/solve", json=hard(60.0))
        running.wait_until(lambda: processor(worker) > before + 0.3)  # it computes
        os.kill(worker, signal.SIGKILL)
        answer = doomed.result()
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "worker_died"
    running.wait_until(lambda: HTTP.get(f"{running.url}/readyz").status_code == 200)
    answer = ask_again(running.url, 7)
    assert answer.status_code == 200
    assert is_right(answer, 7)
    assert len(running.worker_pids) == len(workers) + 1


def test_no_request_is_given_to_a_dead_worker(rough):
    running = rough
    for number in (1, 2):
        os.kill(running.worker_pids[-1], signal.SIGKILL)
        answer = ask_again(running.url, number)  # waits for the next worker
        assert answer.status_code == 200
        assert is_right(answer, number)


def test_a_worker_that_does_not_come_back_is_replaced(start):
    running = start(max_seconds=0.5, seconds=0.5, grace=0.5)
    os.kill(running.worker_pids[-1], signal.SIGSTOP)
    answer = ask(running.url, 3)
    assert (answer.status_code, answer.json()["error"]["code"]) == (504, "too_slow")


def test_sigterm_finishes_what_was_accepted(start):
    running = start(drain_seconds=0.5)
    answers, refused = [], []

    def keep_asking(number):
        while True:
            try:
                answers.append((number, ask(running.url, number)))
            except (httpx.ConnectError, httpx.ConnectTimeout):
                return  # nobody listens any more: the request was never accepted
            except httpx.HTTPError as lost:
                refused.append(lost)
                return

    threads = [threading.Thread(target=keep_asking, args=(k,)) for k in range(1, 5)]
    for thread in threads:
        thread.start()
    while len(answers) < 5:
        time.sleep(0.1)
    running.process.send_signal(signal.SIGTERM)
    for thread in threads:
        thread.join(60)
    assert running.process.wait(60) == 0
    assert refused == []
    assert len(answers) > 4
    assert all(a.status_code == 200 and is_right(a, number) for number, a in answers)


def test_connections_above_the_limit_are_refused(start):
    running = start(connections=5)
    held = [socket.create_connection(("127.0.0.1", running.port), timeout=5) for _ in range(8)]
    time.sleep(0.2)
    assert HTTP.get(f"{running.url}/healthz").status_code == 503
    for connection in held:
        connection.close()
    running.wait_until(lambda: HTTP.get(f"{running.url}/healthz").status_code == 200)


@pytest.fixture(scope="module")
def strict():
    """A server that allows little."""
    running = Running(workers=1, drain_seconds=0, body_bytes=1000, sentences=50, edges=50)
    yield running
    assert running.stop() == 0


def test_a_large_body_is_refused_before_it_is_read(strict):
    answer = HTTP.post(f"{strict.url}/v1/solve", json={"sets": [["x" * 2000]], "budget": 1})
    assert answer.status_code == 413
    stream = iter([b'{"sets": [["', b"x" * 2000, b'"]]}'])
    headers = {"content-type": "application/json"}
    answer = HTTP.post(f"{strict.url}/v1/solve", content=stream, headers=headers)
    assert answer.status_code == 413


def test_too_many_sentences_or_edges_are_refused(strict):
    for task, content, said in (
        ("summarize", {"documents": ["One here. " * 60], "budget": 5}, "sentences"),
        ("solve", {"sets": [list(range(60))], "budget": 1}, "edges"),
    ):
        answer = HTTP.post(f"{strict.url}/v1/{task}", json=content)
        assert answer.status_code == 413
        assert said in answer.text


def test_the_log_is_json(server):
    for line in server.log.splitlines():
        assert json.loads(line)["event"]
