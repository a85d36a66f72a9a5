"""Runs of `maxcover batch` that are killed at random, and resumed until they are complete."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

SIGNALS = (signal.SIGKILL, signal.SIGTERM)
# Exit codes of a run that is complete.
COMPLETE = (0, 3)


def session_of(leader: int) -> list[int]:
    """Return the processes of a session, zombies left out."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:  # it has ended
                continue
            if int(fields[3]) == leader and fields[0] != "Z":
                found.append(int(entry.name))
    return sorted(found)


def seconds_until_gone(leader: int, patience: float = 10.0) -> float:
    """Wait until no process of a session is left; return how long that took."""
    started = time.monotonic()
    while left := session_of(leader):
        if time.monotonic() - started > patience:
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            raise AssertionError(f"processes left after {patience} s: {left}")
        time.sleep(0.02)
    return time.monotonic() - started


class Killer:
    """Starts a command again and again, kills it or a process of it, and counts."""

    def __init__(self, command: list[str], *, seed: int, longest: float) -> None:
        self.command, self.longest = command, longest
        self.random = random.Random(seed)  # noqa: S311 - not for secrets
        self.parents = self.workers = self.starts = 0
        self.slowest_end = 0.0

    @property
    def kills(self) -> int:
        return self.parents + self.workers

    def run(self, kills: int) -> int:
        """Kill so often, fewer times if the command is done before; then let it end.

        Returns the exit code.
        """
        wanted = self.kills + kills
        while True:
            code = self._once(wanted)
            if code in COMPLETE:
                return code
            if code > 0:
                raise AssertionError(f"the command ended with {code}")

    def _once(self, wanted: int) -> int:
        self.starts += 1
        # the pipe is read to its end: a process that is left behind would hold it open
        run = subprocess.Popen(  # noqa: S603 - our own command
            self.command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        while self.kills < wanted:
            try:
                run.wait(self.random.uniform(0.1, self.longest))
                break
            except subprocess.TimeoutExpired:
                self._kill_one(run.pid)
        _, said = run.communicate(timeout=600)
        self.slowest_end = max(self.slowest_end, seconds_until_gone(run.pid))
        if run.returncode > 0 and run.returncode not in COMPLETE:
            sys.stderr.write(said.decode()[-2000:])
        return run.returncode

    def _kill_one(self, leader: int) -> None:
        """Kill the parent, or some other process of its session."""
        others = [pid for pid in session_of(leader) if pid != leader]
        if others and self.random.random() < 0.7:
            victim = self.random.choice(others)
            self.workers += 1
        else:
            victim = leader
            self.parents += 1
        with suppress(ProcessLookupError):
            os.kill(victim, self.random.choice(SIGNALS))


def batch_command(source: Path, out: Path, *options: str) -> list[str]:
    """Return the command line of `maxcover batch`."""
    program = str(Path(sys.executable).with_name("maxcover"))
    return [program, "batch", str(source), str(out), "--quiet", *options]
