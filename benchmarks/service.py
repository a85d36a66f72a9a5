"""The service under load: throughput, overload, deadlines, attacks, failures, fuzz.

Load goes to a server of our own on the loopback address, bounded in count and time.
"""

import asyncio
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

import maxcover as mc
from _clients import Client, Result, crowd, paced, percentile
from _report import arguments, clock, heading, hold, table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "packages" / "maxcover-serve" / "tests"))
from attackers import Prober, drip, endless_headers, large_curve  # noqa: E402
from proxied import Proxied  # noqa: E402
from running import Running  # noqa: E402

# Requests of wrk: bodies in turn, and about so many milliseconds between an answer and the next
# request of a connection; statuses are counted.
_LUA = """
local bodies, threads = {}, {}
for line in io.lines("%(bodies)s") do bodies[#bodies + 1] = line end
local next = 0
good, refused, other = 0, 0, 0
setup = function(thread) threads[#threads + 1] = thread end
request = function()
  next = next %% #bodies + 1
  return wrk.format("POST", "/v1/summarize", {["content-type"] = "application/json"}, bodies[next])
end
delay = function() return math.random(0, 2 * %(wait)d) end
response = function(status)
  if status == 200 then good = good + 1
  elseif status == 429 then refused = refused + 1
  else other = other + 1 end
end
done = function()
  for _, thread in ipairs(threads) do
    print("statuses", thread:get("good"), thread:get("refused"), thread:get("other"))
  end
end
"""


def texts(seed: int) -> list[str]:
    """Ten documents of 400 words with Zipf frequencies, in sentences of 5 to 30 words."""
    rng = np.random.default_rng(seed)
    chance = 1.0 / np.arange(1, 3001)
    documents = []
    for _ in range(10):
        words = [f"word{k}" for k in rng.choice(3000, 400, p=chance / chance.sum()).tolist()]
        ends = np.cumsum(rng.integers(5, 31, 80))
        sentences = np.split(words, ends[ends < 400])
        documents.append(" ".join(" ".join(s).capitalize() + "." for s in sentences))
    return documents


def marked(number: int) -> dict:
    """Make a small request whose answer shows which request it belongs to."""
    text = " ".join(f"Case{number} part{k} says word{k * number % 97}." for k in range(60))
    return {"documents": [text], "budget": 12}


def is_right(body: bytes, number: int) -> bool:
    sentences = json.loads(body)["sentences"]
    return bool(sentences) and all(f"Case{number} " in s["text"] for s in sentences)


def _loop(requests: list[list[str]], seconds: float, done: "multiprocessing.Queue") -> None:
    mc.summarize(requests[0], budget=100)
    done.put(0)
    begin = time.perf_counter()
    count = 0
    while time.perf_counter() - begin < seconds:
        mc.summarize(requests[count % len(requests)], budget=100).to_json()
        count += 1
    done.put(count / (time.perf_counter() - begin))


def bare_rate(requests: list[list[str]], seconds: float) -> float:
    """Return requests a second of the bare library, one process per core."""
    context = multiprocessing.get_context("spawn")
    done = context.Queue()
    cores = os.cpu_count() or 1
    processes = [
        context.Process(target=_loop, args=(requests[k::cores], seconds, done))
        for k in range(cores)
    ]
    for process in processes:
        process.start()
    total = sum(done.get() for _ in range(2 * cores))
    for process in processes:
        process.join()
    return total


class Load(NamedTuple):
    """How often each status came back, and the 99th percentile of the latency in ms."""

    statuses: Counter
    p99: float


def wrk(
    server: Running | Proxied, requests: list[dict], *, crowd: int, seconds: float, wait: int = 0
) -> Counter:
    """Return how often each status came back to `load`."""
    return load(server, requests, crowd=crowd, seconds=seconds, wait=wait).statuses


def load(
    server: Running | Proxied, requests: list[dict], *, crowd: int, seconds: float, wait: int = 0
) -> Load:
    """Have wrk send requests over so many connections.

    It takes a tenth of the processor time that a client in Python takes.
    """
    program = shutil.which("wrk")
    if program is None:
        raise SystemExit("expected wrk, the load generator: scripts/system-packages installs it")
    with tempfile.TemporaryDirectory() as folder:
        bodies, script = Path(folder) / "bodies", Path(folder) / "wrk.lua"
        bodies.write_text("\n".join(map(json.dumps, requests)))
        script.write_text(_LUA % {"bodies": bodies, "wait": wait})
        command = [program, "--latency", "-t1", f"-c{crowd}", f"-d{seconds:g}s", "--timeout", "30"]
        found = subprocess.run(  # noqa: S603 - our own server
            [*command, "-s", str(script), server.url], capture_output=True, text=True, check=True
        ).stdout
    good, refused, other = re.search(r"statuses\s+(\d+)\s+(\d+)\s+(\d+)", found).groups()
    if "Socket errors" in found or int(other):
        raise SystemExit(f"expected only 200 and 429, got\n{found}")
    p99, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", found).groups()
    statuses = Counter({200: int(good), 429: int(refused)})
    return Load(statuses, float(p99) * {"us": 1e-3, "ms": 1.0, "s": 1e3}[unit])


def throughput(server: Running, *, quick: bool) -> None:
    requests = [texts(seed) for seed in range(40)]
    posted = [{"documents": one, "budget": 100} for one in requests]
    rounds, seconds = (1, 4.0) if quick else (3, 15.0)
    bare, served = [], []
    wrk(server, posted, crowd=8, seconds=1)
    for _ in range(rounds):
        bare.append(bare_rate(requests, seconds))
        served.append(wrk(server, posted, crowd=8, seconds=seconds)[200] / seconds)
    table(
        ["", "requests a second"],
        [
            ["library in a loop, one process per core", f"{np.mean(bare):.1f}"],
            ["service, wrk with 8 connections", f"{np.mean(served):.1f}"],
        ],
    )
    ratio = sum(served) / sum(bare)
    clock("throughput against the bare library", ratio, least=0.5 if quick else 0.7)


async def capacity(server: Running, seconds: float) -> float:
    """Small requests that the service answers in a second when it is never idle."""
    await crowd(server.port, marked, seconds=3, clients=1)  # what came before is done by then
    found = await crowd(server.port, marked, seconds=seconds, clients=6)
    return sum(result.status == 200 for result in found) / seconds


def memory(server: Running) -> float:
    """Megabytes of the server and its workers."""
    pids = [server.process.pid, *server.worker_pids]
    total = 0
    for pid in pids:
        status = Path(f"/proc/{pid}/status")
        if status.exists():
            total += int(re.search(r"VmRSS:\s+(\d+)", status.read_text())[1])
    return total / 1024


def wait_for_workers(server: Running) -> None:
    """Wait until every worker is ready, not only the first."""
    for _ in range(600):
        if len(server.worker_pids) >= (os.cpu_count() or 1):
            return
        time.sleep(0.1)


def check_answers(found: list, *, allowed: set[int]) -> Counter:
    """Count statuses; no other status, no lost and no mixed-up answer."""
    for result in found:
        if result.status == 200 and not is_right(result.body, result.number):
            raise SystemExit(f"request {result.number} got the answer of another one")
    counts = Counter(result.status for result in found)
    if not set(counts) <= allowed:
        raise SystemExit(f"expected only {allowed}, got {dict(counts)}")
    return counts


def overload(server: Running, *, quick: bool) -> None:
    """Send four times what the service can answer, and judge one request in some dozens."""
    limit, seconds, crowd = 1.0, 5 if quick else 60, 400

    def limited(number: int) -> dict:
        return {**marked(number), "time_limit": limit, "method": "guarded-greedy"}

    requests = [limited(number) for number in range(1, 41)]
    wait_for_workers(server)
    wrk(server, requests, crowd=2, seconds=3)
    before = memory(server)
    free = 2 if quick else 10
    most = wrk(server, requests, crowd=8, seconds=free)[200] / free
    with ThreadPoolExecutor(1) as other:
        # a connection waits so long between two requests, and meanwhile for its answer
        wait = int(1000 * crowd / (4.3 * most))
        crowded = other.submit(wrk, server, requests, crowd=crowd, seconds=seconds, wait=wait)
        found = asyncio.run(paced(server.port, limited, rate=10, seconds=seconds))
        counts = crowded.result() + check_answers(found, allowed={200, 429})
    accepted = [result.seconds for result in found if result.status == 200]
    sent = counts.total() / seconds
    table(
        ["capacity", "sent", "200", "429", "p50 of 200", "p99 of 200", "memory before", "after"],
        [
            [
                f"{most:.0f}/s",
                f"{sent:.0f}/s for {seconds} s",
                counts[200],
                counts[429],
                f"{1000 * percentile(accepted, 50):.0f} ms",
                f"{1000 * percentile(accepted, 99):.0f} ms",
                f"{before:.0f} MB",
                f"{memory(server):.0f} MB",
            ]
        ],
    )
    clock("requests sent against the capacity", sent / most, least=2 if quick else 4)
    clock(
        "p99 of answered requests under overload against the time limit",
        percentile(accepted, 99) / limit,
        most=4 if quick else 2,
    )
    kept = counts[200] / seconds / most
    clock("capacity kept under overload", kept, least=0.5 if quick else 0.8)
    hold("memory after overload against before", memory(server) / before, most=1.15)


def deadline(server: Running, *, quick: bool) -> None:
    def hurried(number: int) -> dict:
        return {**marked(number), "time_limit": 0.05}

    most = asyncio.run(capacity(server, 2))
    found = asyncio.run(paced(server.port, hurried, rate=most / 2, seconds=5 if quick else 30))
    counts = check_answers(found, allowed={200, 429, 504} if quick else {200, 429})
    p99 = percentile([result.seconds for result in found if result.status == 200], 99)
    table(["requests a second", "200", "429"], [[f"{most / 2:.0f}", counts[200], counts[429]]])
    # a shared machine in CI has pauses of its own
    clock("p99 with a deadline of 50 ms at half capacity, s", p99, most=1.0 if quick else 0.15)


def _large_curves(port: int, stop: float) -> None:
    """Send legal requests of eight megabytes without a time limit, one after the other."""
    content = large_curve()
    content["sets"] *= 6
    body = json.dumps(content).encode()

    async def send() -> None:
        client = Client(port)
        while time.monotonic() < stop:
            await client.post("/v1/curve", body)

    asyncio.run(send())


def _headers(port: int, stop: float) -> None:
    with ThreadPoolExecutor(4) as crowd:
        list(crowd.map(lambda _: endless_headers(port, stop), range(4)))


def _drip(port: int, stop: float) -> None:
    drip(port, 1000, stop)


#: Who attacks, with how many processes.
ATTACKS = {
    "legal curves of 8 MB, two at a time": (_large_curves, 2),
    "endless headers, four connections": (_headers, 1),
    "1,000 dripping connections": (_drip, 1),
}


def attacks(server: Running, *, quick: bool) -> None:
    """Let one client attack while another asks small things that have a time limit."""
    limit, seconds = 0.25, 6 if quick else 60

    def hurried(number: int) -> dict:
        return {**marked(number), "time_limit": limit}

    rows, figures = [], []
    wait_for_workers(server)
    idle = memory(server)
    context = multiprocessing.get_context("spawn")
    for name, (attack, count) in ATTACKS.items():
        stop = time.monotonic() + seconds + 3
        attackers = [context.Process(target=attack, args=(server.port, stop)) for _ in range(count)]
        for process in attackers:
            process.start()
        time.sleep(3)
        peak = Peak(server)
        with Prober(server.url) as prober, peak:
            found = asyncio.run(paced(server.port, hurried, rate=20, seconds=seconds))
        for process in attackers:
            process.join()
        counts = check_answers(found, allowed={200, 429, 504})
        late = max(result.seconds for result in found) - limit
        statuses = ", ".join(f"{status}: {number}" for status, number in sorted(counts.items()))
        rows.append(
            [
                name,
                f"{prober.worst:.2f} s",
                f"{prober.failed} of {prober.asked}",
                statuses,
                f"{late:+.2f} s",
                f"{idle:.0f}",
                f"{peak.most:.0f}",
            ]
        )
        figures += [
            (f"{name}: longest wait for healthz, s", prober.worst, 2 if quick else 0.5),
            (f"{name}: healthz failed", prober.failed, 0),
            (f"{name}: latest answer after its time limit, s", late, 1 if quick else 0.2),
            (f"{name}: memory against idle", peak.most / idle, 2.5 if quick else 2),
        ]
    table(
        ["attack", "healthz at worst", "failed", "small requests", "latest", "MB idle", "at most"],
        rows,
    )
    for what, value, most in figures:
        hold(what, value, most=most)


class Peak(threading.Thread):
    """The most memory that the server and its workers had together."""

    def __init__(self, server: Running) -> None:
        super().__init__(daemon=True)
        self.server, self.most = server, 0.0
        self.stopped = threading.Event()

    def run(self) -> None:
        """Look four times a second."""
        while not self.stopped.wait(0.25):
            self.most = max(self.most, memory(self.server))

    def __enter__(self) -> "Peak":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self.join()


def killing(server: Running, *, quick: bool) -> None:
    kills = 1 if quick else 5

    async def kill() -> None:
        for _ in range(kills):
            await asyncio.sleep(1)
            alive = [pid for pid in server.worker_pids if Path(f"/proc/{pid}").exists()]
            os.kill(alive[0], signal.SIGKILL)
            for _ in range(100):
                await asyncio.sleep(0.1)
                if len(server.worker_pids) > len(set(server.worker_pids) - {alive[0]}) + 1:
                    break

    async def both() -> list:
        load = asyncio.create_task(
            crowd(server.port, marked, seconds=3 + 11 * kills if not quick else 6, clients=4)
        )
        await kill()
        return await load

    found = asyncio.run(both())
    counts = check_answers(found, allowed={200, 500, 429})
    table(["workers killed", "200", "500"], [[kills, counts[200], counts[500]]])
    hold("failed requests for each killed worker", counts[500] / kills, most=1)


def terminating(*, quick: bool) -> None:
    lost = answered = 0
    for _ in range(1 if quick else 3):
        server = Running()

        async def both(server: Running = server) -> list:
            load = asyncio.create_task(crowd(server.port, marked, seconds=20, clients=6))
            await asyncio.sleep(2)
            server.process.send_signal(signal.SIGTERM)
            return await load

        found = asyncio.run(both())
        server.process.wait(30)
        # status 0: the connection was cut; -1: nobody listened any more
        lost += sum(result.status == 0 for result in found)
        answered += check_answers(found, allowed={200, 0, -1})[200]
    table(["answered", "lost"], [[answered, lost]])
    # a request that crosses the closing of a kept connection cannot be told from a lost one
    hold("requests lost at SIGTERM", lost, most=2 if quick else 0)


def fuzz(server: Running, *, quick: bool, seed: int) -> None:
    count = 2_000 if quick else 100_000
    rng = random.Random(seed)  # noqa: S311 - no secrets
    seeds = [json.dumps(marked(3)), json.dumps({"sets": [[1, 2], [3]], "budget": 1})]
    seeds.append(json.dumps({"documents": ["Cats purr. Dogs bark."], "budgets": [2, "50%"]}))

    def body() -> bytes:
        kind = rng.randrange(4)
        if kind == 0:
            return rng.randbytes(rng.randrange(200))
        text = rng.choice(seeds)
        if kind == 1:  # cut
            return text[: rng.randrange(len(text))].encode()
        if kind == 2:  # a few characters replaced
            chars = list(text)
            for _ in range(rng.randrange(1, 4)):
                chars[rng.randrange(len(chars))] = rng.choice('{}[]",:0-9e.\\\u2028 ntf')
            return "".join(chars).encode()
        content = json.loads(text)
        odd = [None, -1, 1e308, "", [], {}, True, "50%", [[]], "\u0000", 10**30, [None]]
        content[rng.choice([*content, "unit", "method", "required", "groups", "costs"])] = (
            rng.choice(odd)
        )
        return json.dumps(content).encode()

    async def run() -> Counter:
        async def one(share: int) -> list[int]:
            client = Client(server.port)
            paths = ("/v1/summarize", "/v1/solve", "/v1/curve")
            return [(await client.post(rng.choice(paths), body())).status for _ in range(share)]

        parts = await asyncio.gather(*(one(count // 8) for _ in range(8)))
        return Counter(status for part in parts for status in part)

    before, begin = memory(server), time.perf_counter()
    counts = asyncio.run(run())
    taken = time.perf_counter() - begin
    rows = [[status, number] for status, number in sorted(counts.items())]
    table(["status", f"of {count} random bodies in {taken:.0f} s"], rows)
    hold(
        "random bodies that gave a 5xx or no answer",
        sum(number for status, number in counts.items() if status >= 500 or status < 100),
        most=0,
    )
    hold("memory after random bodies against before", memory(server) / before, most=1.2)


def schemathesis(server: Running, *, quick: bool) -> None:
    program = Path(sys.executable).parent / "schemathesis"
    if not program.exists():
        print("schemathesis is not installed: the description is not tried")
        return
    checks = "not_a_server_error,status_code_conformance,content_type_conformance"
    checks += ",response_schema_conformance"
    found = subprocess.run(  # noqa: S603 - our own server
        [
            program, "run", f"{server.url}/openapi.json", "--checks", checks, "--no-color",
            "--max-examples", "10" if quick else "200", "--seed", "1",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if found.returncode:
        raise SystemExit(f"schemathesis found something:\n{found.stdout[-6000:]}")
    # not its own last line: "1 warning in 15 s" reads as if a test runner had run no test
    print(f"schemathesis found nothing against {checks}")


def processor_seconds(pid: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def starting(*, quick: bool) -> None:
    Running().stop()  # kernels are warm from here on
    ready, used = [], []
    for _ in range(1 if quick else 3):
        server = Running()
        ready.append(server.seconds_to_ready)
        used.append(sum(map(processor_seconds, (server.process.pid, server.worker_pids[0]))))
        server.stop()
    # the front and then a worker: what the start takes where nothing else runs
    clock("processor seconds from start to ready, warm kernels", min(used), most=3)
    clock("seconds from start to ready, warm kernels", min(ready), most=20 if quick else 3)


def proxy(*, quick: bool) -> None:
    """Compare the service behind nginx with the service alone, both in turn."""
    rounds, seconds = (1, 3.0) if quick else (5, 10.0)
    requests = [{"documents": texts(seed), "budget": 100} for seed in range(40)]
    # All load comes from one address, to which the file that we ship allows far less.
    proxied = Proxied(workers=0, rate=1_000_000, at_once=100)
    wait_for_workers(proxied.service)
    rows, figures = [], []
    for many in (1, 16):
        wrk(proxied, requests, crowd=many, seconds=2)
        alone, behind = [], []
        for _ in range(rounds):
            alone.append(load(proxied.service, requests, crowd=many, seconds=seconds))
            behind.append(load(proxied, requests, crowd=many, seconds=seconds))
        rates = [
            sum(r.statuses[200] for r in found) / rounds / seconds for found in (alone, behind)
        ]
        p99 = [float(np.median([r.p99 for r in found])) for found in (alone, behind)]
        rows.append([many, *(f"{x:.1f}" for x in rates), *(f"{x:.0f} ms" for x in p99)])
        figures.append(
            (f"rate behind the proxy against alone, {many} at once", rates, {"least": 0.9})
        )
        figures.append((f"p99 behind the proxy against alone, {many} at once", p99, {"most": 1.2}))
    proxied.stop()
    table(["at once", "alone, a second", "behind, a second", "p99 alone", "p99 behind"], rows)
    for name, (one, other), aim in figures:
        clock(name, other / one, **aim)


def flood(*, quick: bool) -> None:
    """Flood the proxy from one address, and measure what another one waits."""
    rounds, seconds, crowd, pause = (1, 4, 40, 20) if quick else (5, 12, 40, 20)
    proxied = Proxied(workers=0)
    wait_for_workers(proxied.service)

    refused = Counter()

    async def ask() -> list[Result]:
        """Ask from an address of our own, a tenth of a second after each answer."""
        client, found = Client(proxied.port, "127.0.0.2"), []
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            body = json.dumps(marked(len(found) + 1)).encode()
            found.append(await client.post("/v1/summarize", body, len(found) + 1))
            await asyncio.sleep(0.1)
        return found

    def waited() -> list[float]:
        found = asyncio.run(ask())
        refused.update(check_answers(found, allowed={200, 429}))
        return [1000 * result.seconds for result in found if result.status == 200]

    waited()
    quiet, flooded, sent = [], [], Counter()
    for _ in range(rounds):
        quiet += waited()
        with ThreadPoolExecutor(1) as other:
            requests = [marked(number) for number in range(40)]
            attack = other.submit(
                wrk, proxied, requests, crowd=crowd, seconds=seconds + 1, wait=pause
            )
            time.sleep(0.5)
            flooded += waited()
            sent += attack.result()
    proxied.stop()
    before, during = percentile(quiet, 99), percentile(flooded, 99)
    table(
        [
            "flood, requests a second",
            "of them answered",
            "p99 quiet",
            "p99 flooded",
            "p50 quiet",
            "p50 flooded",
            "refused of the other",
        ],
        [
            [
                f"{sent.total() / rounds / (seconds + 1):.0f}",
                f"{sent[200] / sent.total():.1%}",
                f"{before:.0f} ms",
                f"{during:.0f} ms",
                *(f"{percentile(found, 50):.0f} ms" for found in (quiet, flooded)),
                f"{refused[429]} of {refused.total()}",
            ]
        ],
    )
    clock("p99 of another address during a flood against before", during / before, most=2)


#: What is measured on one server, in this order; the parts around them start their own.
PARTS = (throughput, overload, deadline, attacks, schemathesis, killing, fuzz)


def main() -> None:
    options = arguments(
        __doc__, parts=[part.__name__ for part in (starting, *PARTS, proxy, flood, terminating)]
    )
    heading("service", load=f"{os.getloadavg()[0]:.1f}")
    missed = []

    def measure(part: Callable[..., None], *given: object) -> None:
        """Go on after a figure that is out of its range; the end tells."""
        if options.parts and part.__name__ not in options.parts:
            return
        also = {"seed": options.seed} if part is fuzz else {}
        try:
            part(*given, quick=options.quick, **also)
        except SystemExit as miss:
            print(f"MISSED: {miss}", flush=True)
            missed.append(str(miss))

    measure(starting)
    server = Running()
    try:
        for part in PARTS:
            measure(part, server)
    finally:
        server.stop()
    for part in (proxy, flood, terminating):
        measure(part)
    if missed:
        raise SystemExit("\n".join(missed))


if __name__ == "__main__":
    main()
