"""Clients that hang up: their work is stopped, and the next request does not wait for it."""

import json
import re
import socket
import time
from pathlib import Path

import pytest
from benchmarks._report import clock
from tests.hostile_folder import SECRET, hostile_folder

from attackers import HTTP
from test_pressure import hard

HEAD = "POST /v1/{} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
CANCELLED = 200
TINY = {"sets": [[1, 2], [3]], "budget": 1}


def hang_up(running, task, body, after):
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        text = json.dumps(body)
        head = f"{HEAD.format(task)}Content-Length: {len(text)}\r\n\r\n"
        connection.sendall((head + text).encode())
        time.sleep(after)


def seconds_of_tiny(running):
    begin = time.perf_counter()
    answer = HTTP.post(f"{running.url}/v1/solve", json=TINY)
    assert answer.json()["value"] == 2
    return time.perf_counter() - begin


@pytest.mark.clock
def test_two_hundred_cancelled_requests_leave_the_worker_free(rough):
    long_text = " ".join(
        f"Cat {k} sat on mat {k * k % 97} and saw dog {k % 13}." for k in range(3000)
    )
    asked = [
        ("solve", hard(20.0)),
        ("solve", {**hard(20.0), "method": "exact"}),
        ("summarize", {"documents": [long_text], "budget": 500, "time_limit": 20}),
    ]
    before = rough.worker_pids
    for k in range(CANCELLED):
        # most while they wait or are read, some in the middle of a search
        hang_up(rough, *asked[k % 3], after=0.2 if k % 20 == 0 else 0.01)
    clock("the next request after 200 that were cancelled, s", seconds_of_tiny(rough), most=0.1)
    waits = []
    for task, body in asked:
        hang_up(rough, task, body, after=1.0)
        begin = time.perf_counter()
        rough.wait_until(lambda: not rough.gauge("workers_busy"))
        waits.append(time.perf_counter() - begin)
    clock("a running request stops after its client hung up, s", max(waits), most=0.5)
    # each would have taken twenty seconds, and on a machine that is not busy none costs a worker
    assert max(waits) < 10
    clock("workers replaced", len(rough.worker_pids) - len(before), most=0)
    assert all(line.startswith("{") for line in rough.log.splitlines()), (
        "what clients sent is logged"
    )
    assert not [line for line in rough.log.splitlines() if '"status": 500' in line]


@pytest.mark.parametrize(
    "body",
    [
        '{"sets": [[1]], "budget": 1, "budget": 2}',
        '{"sets": {"a": [1], "a": [2]}, "budget": 1}',
        '{"sets": {"a:b": [1], "a\\u003ab": [2]}, "budget": 1}',
        '{"sets": [[1]], "budget": 1, "weights": {"1": 1, "1": 5}}',
    ],
)
def test_a_name_that_is_there_twice_is_refused(client, body):
    headers = {"content-type": "application/json"}
    answer = client.post("/v1/solve", content=body, headers=headers)
    assert answer.status_code == 400, answer.text
    assert "twice" in answer.json()["error"]["message"]


def test_colons_in_texts_are_no_names(client):
    body = {"sets": {"a::b": [":", '":"'], "c:": ["d"]}, "budget": 1}
    assert client.post("/v1/solve", json=body).status_code == 200


def peak(pid):
    """Return the most memory that a process ever had, in megabytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1000


def test_a_huge_need_takes_no_memory(rough):
    body = {"sets": [[1]], "budget": 1, "need": 150_000_000, "time_limit": 20}
    pid = rough.worker_pids[-1]
    before = peak(pid)
    answer = HTTP.post(f"{rough.url}/v1/solve", json=body)
    assert (answer.status_code, answer.json()["value"]) == (200, 0), answer.text
    assert peak(pid) < before + 50


def test_files_of_this_machine_are_never_looked_up(client):
    with hostile_folder() as root:
        for name in ("harbour.txt", ".ssh/key.txt", "out.txt", "pipe.txt", ".", "zeros.txt"):
            path = str(root / name)
            for documents in (path, [path], {"a": path}, [{"text": path}]):
                answer = client.post("/v1/summarize", json={"documents": documents, "budget": 9})
                assert answer.status_code in (200, 422), answer.text
                assert "harbour opens" not in answer.text
                assert SECRET not in answer.text
