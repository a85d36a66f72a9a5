"""Attacks by one client, each a short form of one that once stopped the service.

The long forms, with figures, are in ``benchmarks/service.py``.
"""

import contextlib
import gzip
import json
import os
import random
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from benchmarks._report import clock

from tests.service.attackers import HTTP, Prober, drip, endless_headers, large_curve, resident
from tests.service.running import Running
from tests.service.test_pressure import ask, hard, is_right, text

# A request is answered or refused this long after its time limit; the cores are shared.
LATE = 0.5
ORIGIN = "https://app.example"
TOKENS = {
    "ann": "token-of-the-first-one name=ann rate=0.25 mb=0.001",
    "bea": "token-of-another-one name=bea",
    "cai": "token-of-the-third-one name=cai rate=0.01",
    "dan": "token-of-the-fourth-one name=dan",
}


def bearer(token):
    return {"authorization": f"Bearer {token.split()[0]}"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server with tokens, an origin and a host of its own."""
    file = tmp_path_factory.mktemp("tokens") / "tokens"
    file.write_text("# who may call\n" + "\n".join(TOKENS.values()))
    running = Running(
        workers=1,
        drain_seconds=0,
        queue=4,
        seconds=30.0,  # on a busy machine too, what waits gets its turn
        token_file=str(file),
        cors_origins=[ORIGIN],
        allowed_hosts=["api.example"],
    )
    running.tokens = file
    yield running
    assert running.stop() == 0


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


@pytest.mark.clock
def test_endless_headers_are_cut_off(start):
    """(b) Four connections with endless headers neither freeze the front nor fill its memory."""
    running = start()
    before = resident(running.process.pid)
    stop = time.monotonic() + 3
    with ThreadPoolExecutor(4) as crowd, Prober(running.url) as prober:
        list(crowd.map(lambda _: endless_headers(running.port, stop), range(4)))
    assert prober.failed == 0
    clock("health beside endless headers, s", prober.worst, most=0.5 + LATE)
    assert resident(running.process.pid) < 2 * before


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\nx: ",
        b"GET /",
        b"POST /v1/solve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\nx: ",
        b"POST /v1/solve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n1;x=",
    ],
    ids=["header", "path", "trailer", "chunk extension"],
)
def test_one_endless_field_is_cut_off(server, sent):
    """(b) Also where the parser never reports a complete header."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        connection.sendall(sent)
        total = 0
        with contextlib.suppress(OSError):  # a reset, or a broken pipe
            while total < 50_000_000:
                connection.sendall(b"y" * 65_536)
                total += 65_536
    assert total < 20_000_000


@pytest.mark.clock
def test_dripping_connections_do_not_keep_others_out(start):
    """(c) More open connections than allowed, all of one client that never ends its requests."""
    running = start(connections=300, client_connections=100)
    with Prober(running.url) as prober:
        attack = threading.Thread(target=drip, args=(running.port, 400, time.monotonic() + 3))
        attack.start()
        time.sleep(1.5)
        assert is_right(ask(running.url, 4), 4)
        attack.join()
    assert prober.failed == 0
    clock("health beside dripping connections, s", prober.worst, most=0.5 + LATE)


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


def test_errors_can_be_read_by_pages_of_listed_origins(guarded):
    """(f) 401, 413 and 429 carry the CORS headers that let a page read them."""
    call = {"json": {"sets": [[1]], "budget": 1}, "headers": {"origin": ORIGIN}}
    answers = [HTTP.post(f"{guarded.url}/v1/solve", **call)]
    call["headers"] |= bearer(TOKENS["cai"])
    answers += [HTTP.post(f"{guarded.url}/v1/solve", **call) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [401, 200, 429]
    for answer in answers:
        assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert "retry-after" in answers[-1].headers["access-control-expose-headers"].lower()


@pytest.mark.parametrize(
    ("host", "status"),
    [("127.0.0.1:80", 200), ("localhost", 200), ("[::1]", 200), ("evil.example", 400), ("", 400)],
)
def test_names_of_other_sites_are_refused(client, host, status):
    """(g) A page that points its own name at this machine gets nothing."""
    assert client.get("/healthz", headers={"host": host}).status_code == status


def test_listed_hosts_are_served(guarded):
    for host, status in (("api.example:8080", 200), ("API.example", 200), ("b.example", 400)):
        answer = HTTP.get(f"{guarded.url}/healthz", headers={"host": host})
        assert answer.status_code == status


def test_sighup_reads_the_tokens_again(guarded):
    """(h) The service stays; a token file that is broken changes nothing."""

    def status(token):
        return HTTP.get(f"{guarded.url}/metrics", headers=bearer(token)).status_code

    before = guarded.tokens.read_text()
    assert (status(TOKENS["bea"]), status("a-token-that-is-new")) == (200, 401)
    for added in ("a-token-that-is-new", "short", "another-token-here rate=x"):
        guarded.tokens.write_text(f"{before}\n{added}\n")
        told = guarded.log.count("reloaded")
        os.kill(guarded.process.pid, signal.SIGHUP)
        guarded.wait_until(lambda told=told: guarded.log.count("reloaded") > told)
        assert (status(TOKENS["bea"]), status("a-token-that-is-new")) == (200, 200)
        assert status(added) == (200 if added == "a-token-that-is-new" else 401)
    assert guarded.log.count('"tokens not reloaded"') == 2


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/metrics", "/openapi.json"])
def test_head_is_answered_as_get_without_a_body(client, path):
    """(h) Load balancers ask so."""
    head, full = client.head(path), client.get(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == full.headers["content-type"]


def packed(content):
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    return {"content": content, "headers": headers}


def test_a_gzip_body_is_read_within_the_limits(client):
    """(h) Packed bodies count as what they unpack to."""
    body = gzip.compress(json.dumps({"sets": [[1, 2]], "budget": 1}).encode())
    assert client.post("/v1/solve", **packed(body)).json()["value"] == 2
    bomb = gzip.compress(b" " * 200_000_000)
    assert client.post("/v1/solve", **packed(bomb)).status_code == 413
    for broken in (body[:-9], b"no gzip"):
        answer = client.post("/v1/solve", **packed(broken))
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_gzip")
    answer = client.post(
        "/v1/solve", content=body, headers={**packed(b"")["headers"], "content-encoding": "br"}
    )
    assert answer.status_code == 415


def test_each_token_has_its_own_rate_and_size(guarded):
    """(i) A token that asks too often or sends too much is refused; the other is not."""

    def post(who, size=0):
        content = {"sets": [[1], ["x" * size]], "budget": 1}
        return HTTP.post(f"{guarded.url}/v1/solve", json=content, headers=bearer(TOKENS[who]))

    assert post("ann", 2000).status_code == 413
    limited = post("ann")
    assert (limited.status_code, limited.json()["error"]["code"]) == (429, "rate_limited")
    assert [post("bea", 2000).status_code for _ in range(3)] == [200] * 3
    time.sleep(int(limited.headers["retry-after"]))
    assert post("ann").status_code == 200
    assert '"client": "ann"' in guarded.log


def test_one_client_cannot_fill_the_queue_for_others(guarded):
    """(i) A client that fills the queue is displaced by one that has nothing in it."""

    def post(who, content):
        return HTTP.post(f"{guarded.url}/v1/solve", json=content, headers=bearer(TOKENS[who]))

    with ThreadPoolExecutor(8) as crowd:
        greedy = [crowd.submit(post, "bea", hard(3.0)) for _ in range(5)]
        guarded.wait_until(lambda: guarded.gauge("queue_length", **bearer(TOKENS["bea"])) == 4)
        modest = post("dan", {"sets": [[1]], "budget": 1})
        statuses = sorted(one.result().status_code for one in greedy)
    assert modest.status_code == 200, modest.text
    assert 429 in statuses
