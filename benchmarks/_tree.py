"""Memory of this process and all that it started, by kind."""

import os
import threading
from collections import defaultdict
from pathlib import Path

PROC = Path("/proc")


def _stat(pid: int) -> list[str]:
    return (PROC / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()


def tree() -> list[int]:
    """Return the ids of this process and its descendants."""
    parents = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int(_stat(int(entry.name))[1])
            except OSError:  # it has ended
                continue
    found = {os.getpid()}
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        grown = bool(more)
        found |= more
    return sorted(found)


def kind(pid: int) -> str:
    """Return what a process is: this one, Java, or a worker."""
    if pid == os.getpid():
        return "driver"
    return "java" if (PROC / str(pid) / "comm").read_text().strip() == "java" else "workers"


def megabytes() -> dict[str, float]:
    """Return the memory of all of them by kind; what processes share counts once."""
    held: dict[str, float] = defaultdict(float)
    for pid in tree():
        try:
            lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
            held[kind(pid)] += next(int(x.split()[1]) for x in lines if x.startswith("Pss:")) / 1e3
        except (OSError, StopIteration):
            continue
    return held


class Peak:
    """The largest memory, by kind and in all, while this context is open."""

    def __init__(self, every: float = 0.25) -> None:
        self.every = every
        self.found: dict[str, float] = defaultdict(float)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        while not self.ended.wait(self.every):
            now = megabytes()
            now["all"] = sum(now.values())
            for name, value in now.items():
                self.found[name] = max(self.found[name], value)

    def __enter__(self) -> "Peak":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()
