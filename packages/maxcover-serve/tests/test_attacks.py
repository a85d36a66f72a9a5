"""Attacks by one client, each a short form of one that once stopped the service.

What the proxy keeps off is in test_proxy.

The long forms, with figures, are in ``benchmarks/service.py``.
"""

import gzip
import json
import random
import socket
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from benchmarks._report import clock

from attackers import HTTP, Prober, large_curve, resident
from test_pressure import ask, hard, is_right, text

# A request is answered or refused this long after its time limit; the cores are shared.
LATE = 0.5


@pytest.mark.clock
def test_a_large_request_does_not_make_others_late(start):
    """(a) What waits is refused in time, with an honest Retry-After, and never worked on late."""
    running = start(seconds=2.0)
    body = json.dumps(large_curve()).encode()
    headers = {"content-type": "application/json"}
    with ThreadPoolExecutor(2) as other, Prober(running.url) as prober:
        large = other.submit(HTTP.post, f"{running.url}/v1/curve", content=body, headers=headers)
        running.wait_until(lambda: running.gauge("workers_busy"))
        refused = []
        while not large.done():
            begin = time.monotonic()
            answer = ask(running.url, 1, time_limit=0.05)
            clock("beside a large request, s late", time.monotonic() - begin - 0.05, most=LATE)
            refused += [answer] if answer.status_code == 429 else []
        assert refused
        assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
        found = large.result()  # it would take 60 s without a limit of the service's own
    assert found.status_code == 200
    assert len(found.json()["budgets"]) < 200
    assert prober.failed == 0
    clock("health beside a large request, s", prober.worst, most=0.5 + LATE)
    assert is_right(ask(running.url, 9), 9)


@pytest.mark.clock
def test_every_kind_of_request_ends_in_time(rough):
    """(a) Reading, searching and curves are interrupted; the worker stays and answers right."""
    running = rough
    words = " ".join(text(number) for number in range(1, 400))
    requests = {
        "summarize": {"documents": [words] * 4, "budget": 50},
        "solve": {**hard(0.2), "method": "auto"},
        "curve": large_curve(),
        "pack": {"passages": [words] * 4, "query": "word7", "budget": 50},
    }
    for task, content in requests.items():
        limited = {**content, "time_limit": 0.2}
        begin = time.monotonic()
        answer = HTTP.post(f"{running.url}/v1/{task}", json=limited)
        taken = time.monotonic() - begin - float(len(json.dumps(limited)) > 10**6)
        clock(f"{task} with a limit of 0.2 s, s late", taken - 0.2, most=LATE)
        assert answer.status_code in {200, 429, 504}, answer.text
    for number in range(1, 6):
        for _ in range(20):
            answer = ask(running.url, number)
            if answer.status_code == 200:
                break
        assert is_right(answer, number)


def test_interrupted_requests_leave_no_trace(rough):
    """(a) A worker that was interrupted anywhere gives right answers afterwards."""
    running = rough
    workers = running.worker_pids
    rng = random.Random(3)
    words = " ".join(text(number) for number in range(1, 40))
    expected = HTTP.post(f"{running.url}/v1/summarize", json={"documents": [words], "budget": 40})
    for _ in range(30):
        limited = {"documents": [words], "budget": 40, "time_limit": 0.05 * rng.random()}
        answer = HTTP.post(f"{running.url}/v1/summarize", json=limited)
        assert answer.status_code in {200, 429, 504}
    again = HTTP.post(f"{running.url}/v1/summarize", json={"documents": [words], "budget": 40})
    assert again.json()["sentences"] == expected.json()["sentences"]
    assert running.worker_pids == workers


def test_a_client_that_sends_first_reads_the_refusal(rough):
    """(d) urllib sends the whole body before it reads; the answer must still be there."""
    running = rough
    for size, status in ((60_000_000, 413), (100, 415)):
        asked = urllib.request.Request(  # noqa: S310 - loopback
            f"{running.url}/v1/solve",
            data=b" " * size,
            headers={"content-type": "application/json" if status == 413 else "text/plain"},
        )
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(asked, timeout=20)  # noqa: S310 - loopback
        assert refused.value.code == status
        refused.value.close()
    assert resident(running.process.pid) < 250


def hang_up(port, sent):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(sent)
        time.sleep(0.3)


@pytest.mark.clock
def test_a_client_that_hangs_up_is_no_failure_of_ours(rough):
    """(e) Half a body, or an answer nobody waits for: 499 in the log, and no worker for it."""
    running = rough
    head = "POST /v1/solve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    hang_up(running.port, f"{head}Content-Length: 500\r\n\r\n{{".encode())
    with ThreadPoolExecutor(1) as other:
        busy = other.submit(HTTP.post, f"{running.url}/v1/solve", json=hard(2.0))
        running.wait_until(lambda: running.gauge("workers_busy"))
        body = json.dumps(hard(20.0))
        hang_up(running.port, f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        busy.result()
        begin = time.monotonic()
        assert is_right(ask(running.url, 6), 6)
        # not behind the request that was given up, which would have taken 20 s
        clock("after a client that hung up, s", time.monotonic() - begin, most=5)
    given_up = 'maxcover_requests_total{route="/v1/solve",status="499"} 2.0'
    running.wait_until(lambda: given_up in HTTP.get(f"{running.url}/metrics").text)
    assert 'status="500"' not in HTTP.get(f"{running.url}/metrics").text


@pytest.mark.parametrize(
    ("host", "status"),
    [("127.0.0.1:80", 200), ("localhost", 200), ("[::1]", 200), ("evil.example", 400), ("", 400)],
)
def test_names_of_other_sites_are_refused(client, host, status):
    """(g) A page that points its own name at this machine gets nothing."""
    assert client.get("/healthz", headers={"host": host}).status_code == status


def test_listed_hosts_are_served(start):
    running = start(allowed_hosts=["api.example"])
    for host, status in (("api.example:8080", 200), ("API.example", 200), ("b.example", 400)):
        answer = HTTP.get(f"{running.url}/healthz", headers={"host": host})
        assert answer.status_code == status


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/metrics", "/openapi.json"])
def test_head_is_answered_as_get_without_a_body(client, path):
    """(h) Load balancers ask so."""
    head, full = client.head(path), client.get(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == full.headers["content-type"]


@pytest.mark.parametrize("coding", ["gzip", "br"])
def test_a_packed_body_is_refused(client, coding):
    """(h) Nothing is unpacked, so nothing small becomes large."""
    headers = {"content-type": "application/json", "content-encoding": coding}
    answer = client.post("/v1/solve", content=gzip.compress(b"{}"), headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_encoding")
