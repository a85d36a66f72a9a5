"""What is sent to break the service is answered: little time and memory, nothing is lost."""

import asyncio
import base64
import contextlib
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import httpx
import pytest
from tests import sweeps
from tests.hostile_files import FILES

from attackers import HTTP, processor
from hostile_bodies import BODIES
from maxcover_serve.service.routes import create_app
from maxcover_serve.service.settings import Settings
from running import Running

# Runs a command from a process that is small: the peak of a child begins with that of its parent.
_MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=False)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_maxrss / 1024, used.ru_utime + used.ru_stime)
"""


def test_workers_that_cannot_be_started_are_tried_again(start):
    """Attack 3: without files to open there is no pipe to a worker; then there is one again."""
    count = sweeps.size(100)
    running = start(workers=2)
    running.wait_until(lambda: len(running.worker_pids) == 2)
    pid = running.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (6, before[1]))
    for worker in running.worker_pids:
        os.kill(worker, signal.SIGKILL)
    running.wait_until(lambda: running.log.count("worker not started") >= count)
    assert running.process.poll() is None
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
    mended = time.monotonic()
    running.wait_until(lambda: len(running.worker_pids) == 4)
    assert time.monotonic() - mended < 5 or not sweeps.WHOLE
    page = HTTP.get(f"{running.url}/metrics").text
    failed = re.search(r"^maxcover_worker_starts_failed_total (\d+)", page, re.MULTILINE)
    assert int(failed[1]) == running.log.count("worker not started")
    assert "maxcover_workers_replaced_total 2.0" in page
    assert '"reason": "OSError"' in running.log


def test_the_service_is_not_alive_without_workers_for_long():
    async def ask(seconds):
        # nothing starts the workers of this application
        transport = httpx.ASGITransport(create_app(Settings(worker_seconds=seconds)))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return (await client.get("/healthz")).status_code

    assert asyncio.run(ask(60.0)) == 200
    assert asyncio.run(ask(0.0)) == 503


def test_invalid_bodies_are_cheap():
    """Attack 8: a fault is found without building all of them."""
    names = [list(BODIES)[number] for number in sweeps.cases(len(BODIES))]
    run = [sys.executable, Path(__file__).with_name("hostile_bodies.py"), *names]
    done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=600)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(names)
    for name, (status, _, seconds, megabytes) in zip(names, lines, strict=True):
        assert status in {400, 413, 422}, name
        assert megabytes < 300, name
        assert seconds < 1 or not sweeps.WHOLE, name


@pytest.mark.parametrize("number", sweeps.cases(len(FILES)))
def test_files_are_read_or_refused(client, server, number, tmp_path):
    """Attacks 1, 6, 7 through the service and the command line."""
    name = list(FILES)[number]
    data = FILES[name]()
    content = base64.b64encode(data).decode()
    worker = server.worker_pids[-1]
    before = processor(worker)
    answer = client.post("/v1/read", json={"files": [{"name": name, "content": content}]})
    assert answer.status_code in {200, 413, 422}
    assert processor(worker) - before < 2 or not sweeps.WHOLE
    status = Path(f"/proc/{worker}/status").read_text()
    assert int(status.partition("VmHWM:")[2].split()[0]) < 300_000
    path = tmp_path / name
    path.write_bytes(data)
    run = [sys.executable, "-m", "maxcover", "summarize", str(path), "--budget", "20"]
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, *run],
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    assert "Traceback" not in done.stderr
    megabytes, seconds = map(float, done.stdout.split())
    assert megabytes < 300
    assert seconds < 2 or not sweeps.WHOLE


def test_reading_is_held_to_limits_whatever_the_format():
    from maxcover.errors import TooLargeError
    from maxcover.ground.machine import confined

    def spin():
        while True:
            pass

    with (
        pytest.raises(TooLargeError, match=r"0\.1 s of CPU time"),
        confined(memory=10**9, seconds=0.1),
    ):
        spin()
    with pytest.raises(TooLargeError, match="bytes of memory"), confined(memory=10**8, seconds=9):
        bytearray(10**9)
    bytearray(2 * 10**8)  # the limit is gone


def test_two_hosts_are_refused(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(
            b"GET /healthz HTTP/1.1\r\nhost: evil.example\r\nhost: localhost\r\n\r\n"
        )
        assert connection.recv(12) == b"HTTP/1.1 400"


class Starting(Running):
    """A server whose workers are not waited for."""

    def _wait_until_ready(self):
        for _ in range(1200):
            with contextlib.suppress(urllib.error.URLError, ConnectionError):
                urllib.request.urlopen(f"{self.url}/healthz", timeout=5).close()  # noqa: S310 - loopback
                return
            time.sleep(0.02)


def test_the_description_waits_for_the_first_worker():
    running = Starting(workers=1, drain_seconds=0)
    try:
        assert HTTP.get(f"{running.url}/openapi.json").status_code == 200
    finally:
        running.stop()
