"""A real Spark cluster on loopback: a master and workers as processes of their own."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from random import Random

CLASSES = "org.apache.spark.deploy"
NO_PAGE = ("--webui-port", "0")
#: Where workers find the modules of these tests.
PLACES = os.pathsep.join(map(str, (Path(__file__).parent, Path(__file__).parents[3])))
#: For processes that live for seconds: compile once and quickly, one thread for garbage.
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


class Standalone:
    """A standalone master and its workers; only processes that it started are ever ended."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self.folder = folder
        self.spark_class = Path(pyspark.__file__).parent / "bin" / "spark-class"
        self.environment = {
            **os.environ,
            "JDK_JAVA_OPTIONS": SHORT_LIVED,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_NO_DAEMONIZE": "1",
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": PLACES,
        }
        self.processes: list[subprocess.Popen[bytes]] = []
        master = self._start("master.Master", *NO_PAGE, "--host", "127.0.0.1", "--port", "0")
        self.address = self._wait_for(master, r"Starting Spark master at (spark://\S+)")
        self.workers = [self.start_worker() for _ in range(2)]

    def start_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker with one core, on a host and with temporary files of its own."""
        number = len(self.processes)
        work, host = self._work(number), f"127.0.0.{number + 1}"
        work.mkdir()
        options = (*NO_PAGE, "--host", host, "--cores", "1", "--memory", "1g", "--work-dir", work)
        places = {"SPARK_LOCAL_IP": host, "SPARK_LOCAL_DIRS": str(work)}
        worker = self._start("worker.Worker", *options, self.address, **places)
        self._wait_for(worker, "Successfully registered with master")
        return worker

    def kill_worker(self, holding: str = "") -> None:
        """Kill a worker, and by that its executor, without notice; its disk is lost too.

        The one that holds a path, or the oldest.
        """
        folders = {worker: self._work(self.processes.index(worker)) for worker in self.workers}
        victim = next(w for w, folder in folders.items() if not holding or str(folder) in holding)
        self.workers.remove(victim)
        victim.kill()
        victim.wait()
        shutil.rmtree(folders[victim], ignore_errors=True)

    def kill_one(self, kind: str, choose: Random) -> bool:
        """Kill a host and start another, or kill a process of one; False if there is none.

        A worker of Spark has executors, an executor a Python daemon, and that has processes.
        """
        if kind == "host":
            self.kill_worker()
            self.workers.append(self.start_worker())
            return True
        found = [worker.pid for worker in self.workers]
        for _ in range(1 + ("executor", "daemon", "process").index(kind)):
            found = [child for parent in found for child in _children(parent)]
        if found:
            os.kill(choose.choice(found), signal.SIGKILL)
        return bool(found)

    def start_connect(self) -> str:
        """Start a server of Spark Connect with cores of its own, and return its address."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        settings = {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": port,
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": 2,
        }
        options = [part for each in settings.items() for part in ("--conf", "{}={}".format(*each))]
        name = "org.apache.spark.sql.connect.service.SparkConnectServer"
        command = ["SparkSubmit", "--master", "local[2]", "--class", name, *options]
        server = self._start(*command, "spark-internal", SPARK_DAEMON_MEMORY="1g")
        self._wait_for(server, "Spark Connect server started")
        return f"sc://127.0.0.1:{port}"

    def stop(self) -> None:
        """End every process of the cluster."""
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def _start(self, name: str, *options: object, **places: str) -> subprocess.Popen[bytes]:
        log = self._log(len(self.processes)).open("wb")
        command = [str(self.spark_class), f"{CLASSES}.{name}", *map(str, options)]
        environment = {**self.environment, **places}
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        self.processes.append(process)
        return process

    def _work(self, number: int) -> Path:
        return self.folder / f"work-{number}"

    def _log(self, number: int) -> Path:
        return self.folder / f"process-{number}.log"

    def _wait_for(self, process: subprocess.Popen[bytes], pattern: str) -> str:
        log = self._log(self.processes.index(process))
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline and process.poll() is None:
            found = re.search(pattern, log.read_text(errors="replace"))
            if found:
                return found.group(found.lastindex or 0)
            time.sleep(0.1)
        raise RuntimeError(f"no {pattern!r} in {log}:\n{log.read_text(errors='replace')[-2000:]}")


def _children(parent: int) -> list[int]:
    try:
        threads = list(Path(f"/proc/{parent}/task").iterdir())
        return [int(pid) for thread in threads for pid in (thread / "children").read_text().split()]
    except OSError:  # it has ended
        return []
