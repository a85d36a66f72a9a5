"""Attackers, and a prober that tells what others notice of them. For loopback addresses only."""

import contextlib
import os
import random
import re
import socket
import threading
import time
from pathlib import Path

import httpx

# A connection for each request, and no certificates to load.
HTTP = httpx.Client(
    timeout=90,
    verify=False,  # noqa: S501 - loopback
    limits=httpx.Limits(max_keepalive_connections=0),
)


def resident(pid):
    """Megabytes of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def processor(pid):
    """Seconds of the processor that a process has taken."""
    stat = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


class Prober(threading.Thread):
    """Asks for /healthz all the time; `worst` is the longest wait, `failed` counts the silent."""

    def __init__(self, url):
        super().__init__(daemon=True)
        self.url, self.worst, self.failed, self.asked = url, 0.0, 0, 0
        self.stopped = threading.Event()

    def run(self):
        while not self.stopped.wait(0.05):
            begin = time.monotonic()
            try:
                HTTP.get(f"{self.url}/healthz")
            except httpx.HTTPError:
                self.failed += 1
            self.asked += 1
            self.worst = max(self.worst, time.monotonic() - begin)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.join(10)


def large_curve():
    """A legal request that would take a worker a minute: many sets, many budgets, no limit."""
    rng = random.Random(1)
    sets = [[rng.randrange(40_000) for _ in range(10)] for _ in range(20_000)]
    return {"sets": sets, "budgets": list(range(1000, 1200))}


def endless_headers(port, stop):
    block = b"".join(b"x-%06d: %s\r\n" % (k, b"y" * 50) for k in range(1000))
    while time.monotonic() < stop:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
                while time.monotonic() < stop:
                    connection.sendall(block)
        except OSError:
            time.sleep(0.02)


def drip(port, count, stop):
    """Hold open so many connections that send a byte of a head now and then; open closed ones."""
    held = []
    while time.monotonic() < stop:
        for connection in list(held):
            try:
                connection.send(b"c")
            except OSError:
                connection.close()
                held.remove(connection)
        with contextlib.suppress(OSError):
            for _ in range(min(100, count - len(held))):
                connection = socket.create_connection(("127.0.0.1", port), timeout=5)
                connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nx-a: b")
                held.append(connection)
        time.sleep(0.2)
    for connection in held:
        connection.close()
