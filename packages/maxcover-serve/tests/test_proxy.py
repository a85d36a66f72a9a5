"""The service behind the proxy of deploy/, attacked from one address and used from another."""

import contextlib
import json
import socket
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from attackers import drip, endless_headers, resident
from maxcover_serve import Client
from proxied import Proxied
from test_pressure import hard, is_right, text

TOKEN = "0123456789abcdef-of-ann"  # noqa: S105 - opens nothing
CALL = {"json": {"sets": [[1]], "budget": 1}}


@pytest.fixture(scope="module")
def proxied():
    running = Proxied()
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def guarded():
    running = Proxied(tokens=f'"Bearer {TOKEN}" ann;')
    yield running
    assert running.stop() == 0


def summary_of(client, number):
    return client.post("/v1/summarize", json={"documents": [text(number)], "budget": 12})


def test_what_the_service_answers_comes_through(proxied):
    with proxied.client() as client:
        assert is_right(summary_of(client, 3), 3)
        assert "maxcover" in client.get("/").text
        assert (
            client.get("/healthz", headers={"x-request-id": "a-1"}).headers["x-request-id"] == "a-1"
        )
        refused = client.post("/v1/solve", json={"sets": 3, "budget": 1})
        assert (refused.status_code, "error" in refused.json()) == (422, True)


def test_tokens_open_the_api(guarded):
    with guarded.client() as client:
        for header in ({}, {"authorization": f"Bearer {TOKEN}x"}, {"authorization": "Bearer"}):
            answer = client.post("/v1/solve", headers=header, **CALL)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
            assert answer.json()["error"]["code"] == "unauthorized"
            assert client.get("/metrics", headers=header).status_code == 401
        right = {"authorization": f"Bearer {TOKEN}"}
        assert client.post("/v1/solve", headers=right, **CALL).status_code == 200
        assert client.get("/metrics", headers=right).status_code == 200
        assert client.get("/healthz").status_code == client.get("/").status_code == 200
    with Client(guarded.url, token=TOKEN) as ours:
        assert ours.solve([[1]], budget=1)["value"] == 1


def test_a_changed_token_file_is_read_at_a_reload(guarded):
    new = {"authorization": "Bearer a-token-that-is-new"}
    with guarded.client() as client:
        assert client.post("/v1/solve", headers=new, **CALL).status_code == 401
    with (guarded.folder / "tokens.conf").open("a") as file:
        file.write('\n"Bearer a-token-that-is-new" bea;')
    guarded.reload()
    for _ in range(100):
        with guarded.client() as client:
            if client.post("/v1/solve", headers=new, **CALL).status_code == 200:
                return
        time.sleep(0.1)
    pytest.fail("the new token is not known")


def test_a_flood_from_one_address_is_refused_and_another_is_served(proxied):
    stop = time.monotonic() + 3
    statuses = []

    def flood(_):
        with proxied.client("127.0.0.1") as client:
            while time.monotonic() < stop:
                answer = client.post("/v1/solve", **CALL)
                statuses.append(answer.status_code)
                if answer.status_code == 429:
                    assert int(answer.headers["retry-after"]) >= 1
                    assert answer.json()["error"]["code"] in {"rate_limited", "busy"}

    with ThreadPoolExecutor(8) as crowd, proxied.client("127.0.0.2") as other:
        attack = [crowd.submit(flood, k) for k in range(8)]
        found = []
        while time.monotonic() < stop:
            found.append(summary_of(other, len(found)))
            time.sleep(0.1)
        for one in attack:
            one.result()
    assert statuses.count(429) > statuses.count(200)
    assert set(statuses) == {200, 429}
    assert [answer.status_code for answer in found] == [200] * len(found)


@pytest.mark.parametrize("attack", ["heads", "bodies", "endless"])
def test_slow_and_endless_requests_do_not_keep_others_out(proxied, attack):
    stop = time.monotonic() + 3
    before = resident(proxied.service.process.pid)

    def slow_bodies():
        head = b"POST /v1/solve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += b"Content-Length: 5000\r\n\r\n"
        with contextlib.ExitStack() as held:
            for _ in range(200):
                connection = socket.create_connection(("127.0.0.1", proxied.port), timeout=5)
                held.enter_context(connection)
                with contextlib.suppress(OSError):
                    connection.sendall(head + b"{")
            time.sleep(max(0.0, stop - time.monotonic()))

    target = {
        "heads": lambda: drip(proxied.port, 400, stop),
        "bodies": slow_bodies,
        "endless": lambda: endless_headers(proxied.port, stop),
    }[attack]
    thread = threading.Thread(target=target)
    thread.start()
    time.sleep(0.5)
    with proxied.client("127.0.0.2") as other:
        while time.monotonic() < stop:
            assert is_right(summary_of(other, 4), 4)
            time.sleep(0.1)  # below the rate that each address has
    thread.join()
    assert resident(proxied.service.process.pid) < 2 * before


def test_large_requests_are_refused_by_the_proxy(proxied):
    with proxied.client() as client:
        huge = client.get("/healthz", headers={"x-much": "y" * 60_000})
        assert huge.status_code in {400, 431}
    asked = urllib.request.Request(  # noqa: S310 - loopback
        f"{proxied.url}/v1/solve",
        data=b" " * 30_000_000,
        headers={"content-type": "application/json"},
    )
    # a client that sends all of its request before it reads the answer
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(asked, timeout=20)  # noqa: S310 - loopback
    assert refused.value.code == 413
    assert json.load(refused.value)["error"]["code"] == "body_too_large"


def test_two_hosts_are_refused(proxied):
    with socket.create_connection(("127.0.0.1", proxied.port), timeout=5) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 400 ")


def test_a_client_that_hangs_up_frees_its_worker(proxied):
    body = json.dumps(hard(20.0)).encode()
    head = b"POST /v1/solve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    connection = socket.create_connection(("127.0.0.1", proxied.port))
    connection.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    proxied.service.wait_until(lambda: proxied.service.gauge("workers_busy"))
    connection.close()
    proxied.service.wait_until(lambda: not proxied.service.gauge("workers_busy"))


def test_a_service_that_is_away_is_said_in_json(proxied):
    lonely = Proxied()
    lonely.service.stop()
    answer = lonely.get("/readyz")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "away")
    assert lonely.stop() == 0
