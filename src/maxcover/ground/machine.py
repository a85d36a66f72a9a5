"""Machine: the cores that this process may use, and limits on memory and CPU time."""

from __future__ import annotations

import math
import os
import signal
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from maxcover.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

if sys.platform != "win32":
    import resource


@cache
def available_cores(root: str = "/") -> int:
    """Return how many cores this process may use, by its affinity and its container's quota.

    A quota of two and a half cores counts as three. `root` is the folder of ``/proc`` and ``/sys``.

    Examples
    --------
    >>> available_cores() >= 1
    True
    """
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return max(1, math.ceil(min(cores, _quota(Path(root)))))


def _quota(root: Path) -> float:
    """Return the least CPU quota, in cores, of the process's control group and its parents."""
    least = math.inf
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        groups = root / "sys/fs/cgroup"
        if controllers and "cpu" not in controllers.split(","):
            continue
        places = [groups] if not controllers else [groups / controllers, groups / "cpu"]
        for top in places:
            group = top / path.lstrip("/")
            for each in (group, *group.parents):
                least = min(least, _quota_of(each))
                if each == top:
                    break
    return least


def _quota_of(group: Path) -> float:
    """Return the CPU quota of one control group, version 2 or 1, in cores; inf if it has none."""
    limits = " ".join(_lines(group / "cpu.max")).split() or [
        *_lines(group / "cpu.cfs_quota_us"),
        *_lines(group / "cpu.cfs_period_us"),
    ]
    if len(limits) != 2 or not all(limit.isdecimal() for limit in limits):
        return math.inf  # the file is missing or sets no quota ("max" or -1)
    quota, period = map(int, limits)
    return quota / period if period else math.inf


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


@contextmanager
def confined(*, memory: int, seconds: float) -> Iterator[None]:
    """Limit the code inside to `memory` more bytes and `seconds` of CPU time.

    Where the system cannot do that (memory on macOS, both on Windows), there is no limit. Call it
    in the main thread of a process that does nothing else.

    Raises
    ------
    TooLargeError
        The code inside took more.
    """
    if sys.platform == "win32":
        yield
        return

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise TooLargeError(f"took more than {seconds:g} s of CPU time")

    before = resource.getrlimit(resource.RLIMIT_AS)
    now = int((_lines(Path("/proc/self/statm")) or ["0"])[0].split()[0]) * resource.getpagesize()
    handler = signal.signal(signal.SIGPROF, ring)
    # The timer repeats every 0.1 s, because a parser inside may catch the first exception.
    try:
        if now:
            most = now + memory if before[1] < 0 else min(now + memory, before[1])
            resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
        signal.setitimer(signal.ITIMER_PROF, seconds, 0.1)
        yield
    except MemoryError:
        raise TooLargeError(f"took more than {memory:,} bytes of memory") from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)
