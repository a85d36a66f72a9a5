"""A real Spark cluster on loopback: a master and workers as processes of their own."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

CLASSES = "org.apache.spark.deploy"


class Standalone:
    """A standalone master and its workers; only processes that it started are ever ended."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self.folder = folder
        self.spark_class = Path(pyspark.__file__).parent / "bin" / "spark-class"
        self.environment = {
            **os.environ,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_NO_DAEMONIZE": "1",
            "PYSPARK_PYTHON": sys.executable,
        }
        self.processes: list[subprocess.Popen[bytes]] = []
        master = self._start("master.Master", "--host", "127.0.0.1", "--port", "0")
        self.address = self._wait_for(master, r"Starting Spark master at (spark://\S+)")
        self.workers = [self.start_worker() for _ in range(2)]

    def start_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker with one core."""
        work = self.folder / f"work-{len(self.processes)}"
        options = ("--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--work-dir", str(work))
        worker = self._start("worker.Worker", *options, self.address)
        self._wait_for(worker, "Successfully registered with master")
        return worker

    def kill_worker(self) -> None:
        """Kill the oldest worker, and by that its executor, without notice."""
        victim = self.workers.pop(0)
        victim.kill()
        victim.wait()

    def stop(self) -> None:
        """End every process of the cluster."""
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def _start(self, name: str, *options: str) -> subprocess.Popen[bytes]:
        log = self._log(len(self.processes)).open("wb")
        command = [str(self.spark_class), f"{CLASSES}.{name}", "--webui-port", "0", *options]
        process = subprocess.Popen(command, stdout=log, stderr=log, env=self.environment)
        self.processes.append(process)
        return process

    def _log(self, number: int) -> Path:
        return self.folder / f"process-{number}.log"

    def _wait_for(self, process: subprocess.Popen[bytes], pattern: str) -> str:
        log = self._log(self.processes.index(process))
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and process.poll() is None:
            found = re.search(pattern, log.read_text(errors="replace"))
            if found:
                return found.group(found.lastindex or 0)
            time.sleep(0.1)
        raise RuntimeError(f"no {pattern!r} in {log}:\n{log.read_text(errors='replace')[-2000:]}")
