"""A real server in a process of its own, for tests and benchmarks."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import weakref
from pathlib import Path

_RUN = "import json, sys; from maxcover_serve.service.settings import Settings; "
_RUN += "from maxcover_serve.service.server import run; options = json.loads(sys.argv[1]); "
_RUN += "run(Settings(**{k: tuple(v) if isinstance(v, list) else v for k, v in options.items()}))"


class Running:
    """A server on a free port of the loopback address; end it with `stop`."""

    def __init__(self, *, environment=None, **settings):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        folder = tempfile.mkdtemp()
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.log_path = Path(folder) / "log"
        options = json.dumps({"port": self.port, **settings})
        started = time.monotonic()
        with self.log_path.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _RUN, options],
                stderr=log,
                env={**os.environ, **(environment or {})},
            )
        self._wait_until_ready()
        self.seconds_to_ready = time.monotonic() - started

    def _wait_until_ready(self):
        for _ in range(1200):
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended: {self.log_path.read_text()}")
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=5):  # noqa: S310 - loopback
                    return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.05)
        self.stop()
        raise RuntimeError(f"the server did not get ready: {self.log_path.read_text()}")

    @property
    def log(self):
        """All log lines so far, as text."""
        return self.log_path.read_text()

    @property
    def worker_pids(self):
        """The process ids of all workers that ever were ready, in order; waits for the first."""
        self.wait_until(lambda: '"worker ready"' in self.log)
        found = re.findall(r'"worker ready", "place": \d+, "pid": (\d+)', self.log)
        return [int(pid) for pid in found]

    def gauge(self, name, **headers):
        """Return what a gauge of the service says."""
        asked = urllib.request.Request(f"{self.url}/metrics", headers=headers)  # noqa: S310 - loopback
        with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310 - loopback
            return float(re.search(rf"\nmaxcover_{name} (\S+)", answer.read().decode())[1])

    def wait_until(self, condition):
        """Wait for something to be so, with the patience of a machine that is busy."""
        for _ in range(1200):
            if condition():
                return
            time.sleep(0.05)
        raise RuntimeError(f"waited for nothing: {self.log}")

    def stop(self, *, patience=30):
        """End the server as an operator would; return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(patience)


def free_port():
    """Return a port of the loopback address that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
