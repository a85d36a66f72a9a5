"""A small HTTP client that costs little, and crowds of it. For loopback addresses only."""

import asyncio
import json
import time
from dataclasses import dataclass


@dataclass
class Result:
    """One request: its number, what came back, and how long that took.

    Status 0 is a connection that was cut, -1 one that was not taken.
    """

    number: int
    status: int
    body: bytes
    seconds: float


class Client:
    """Keeps one connection open and sends one request after the other."""

    def __init__(self, port, source="127.0.0.1"):
        self.port, self.source = port, source
        self.reader = self.writer = None

    async def post(self, path, body, number=0):
        begin = time.perf_counter()
        if self.reader is not None and self.reader.at_eof():
            self.close()  # the server has closed a connection that nobody used
        if self.writer is None:
            try:
                self.reader, self.writer = await asyncio.open_connection(
                    "127.0.0.1", self.port, local_addr=(self.source, 0)
                )
            except OSError:
                return Result(number, -1, b"", time.perf_counter() - begin)
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(body)}\r\n\r\n"
        try:
            self.writer.write(head.encode() + body)
            status, content, close = await self._read()
        except (OSError, asyncio.IncompleteReadError):
            status, content, close = 0, b"", True
        if close:
            self.close()
        return Result(number, status, content, time.perf_counter() - begin)

    async def _read(self):
        head = await self.reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines if line)
        content = await self.reader.readexactly(int(headers["content-length"]))
        return int(first.split()[1]), content, headers.get("connection") == "close"

    def close(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


async def crowd(port, make, *, seconds, clients):
    """Have clients ask without a pause; return all results. Ends early if nobody listens."""
    end = time.monotonic() + seconds
    found = []

    async def one(first):
        client = Client(port)
        number = first
        while time.monotonic() < end:
            body = json.dumps(make(number)).encode()
            result = await client.post("/v1/summarize", body, number)
            found.append(result)
            if result.status == -1:
                break
            number += clients
        client.close()

    await asyncio.gather(*(one(k + 1) for k in range(clients)))
    return found


async def paced(port, make, *, rate, seconds, connections=400):
    """Send requests at a rate, whatever comes back, as far as connections are free."""
    free, found, tasks = [], [], set()
    room = asyncio.Semaphore(connections)

    async def one(number):
        async with room:
            client = free.pop() if free else Client(port)
            body = json.dumps(make(number)).encode()
            found.append(await client.post("/v1/summarize", body, number))
            free.append(client)

    begin = time.monotonic()
    for number in range(1, int(rate * seconds) + 1):
        await asyncio.sleep(max(0.0, begin + number / rate - time.monotonic()))
        task = asyncio.create_task(one(number))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)
    for client in free:
        client.close()
    return found


def percentile(values, share):
    """Return the value below which `share` percent lie."""
    return sorted(values)[min(len(values) - 1, int(share / 100 * len(values)))]
