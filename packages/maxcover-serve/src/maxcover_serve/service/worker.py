"""Worker: a process that computes. It reads tasks from its standard input until that ends."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxcover.errors import InputWarning
from maxcover_serve.service import frames
from maxcover_serve.service.frames import Answer, error
from maxcover_serve.service.settings import Settings

if TYPE_CHECKING:
    from types import FrameType

# Seconds between two interrupts: the time a solver has to return its best solution after the first.
_AGAIN = 0.3


def main() -> None:
    """Warm the kernels up, report that the worker is ready, then answer tasks one by one."""
    # Ignore signals to the process group: the front process handles them and lets workers finish.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    tasks = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    # Silence exceptions that Python cannot raise: it would print them, perhaps with a client's
    # text.
    sys.unraisablehook = lambda _: None
    warnings.simplefilter("ignore", InputWarning)  # they quote it, too; the answer has them
    os.dup2(2, 1)  # output of libraries goes to stderr: it would corrupt the frames in the pipe
    settings = Settings(**json.loads(sys.argv[1]))
    _warm_up(settings)
    alarm = Alarm()
    answers.write(frames.pack({"ready": os.getpid()}))
    answers.flush()
    while (frame := frames.read(tasks)) is not None:
        head, body = frame
        found = _answer(head, body, settings, alarm)
        answers.write(
            frames.pack((found.status, found.media, found.note, found.policy), found.body)
        )
        answers.flush()
        if found.note.startswith(ImportError.__name__):
            break  # an interrupted import keeps failing in this process: a new worker takes over


class Alarm:
    """Raises KeyboardInterrupt when a request's time is over, and again every `_AGAIN` seconds.

    SIGUSR1 has the same effect; the front sends it repeatedly when the client has hung up.

    A solver then returns the best it has, as after Ctrl-C; any other work is abandoned. Windows has
    no alarms: there the front replaces the worker.
    """

    def __init__(self) -> None:
        self._armed = False
        if hasattr(signal, "SIGALRM"):
            signal.signal(signal.SIGALRM, self._ring)
            signal.signal(signal.SIGUSR1, self._ring)

    def set(self, seconds: float) -> None:
        """Raise KeyboardInterrupt `seconds` from now; an earlier alarm is cancelled."""
        self._armed = True
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, max(0.001, seconds), _AGAIN)

    def stop(self) -> None:
        """Cancel the alarm, and ignore signals that still arrive."""
        self._armed = False
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, _signal: int, _frame: FrameType | None) -> None:
        if self._armed:
            raise KeyboardInterrupt


def _answer(head: dict[str, Any], body: bytes, settings: Settings, alarm: Alarm) -> Answer:
    from maxcover_serve.service.call import LATE, Call
    from maxcover_serve.service.tasks import answer

    arrived = time.perf_counter() - head["waited"]
    call = Call(body, head["format"], arrived, settings, alarm.set)
    try:
        try:
            alarm.set(head["left"] + LATE)
            return answer(head["task"], call)
        finally:
            alarm.stop()
    except KeyboardInterrupt:
        alarm.stop()  # the interrupt may have come before `finally` had stopped the alarm
        late = "the time limit passed before there was anything to answer; allow more time"
        return error(504, "too_slow", late)
    except Exception as bug:  # No error of a request may end the worker.
        # Log only the type and line of the error: its message may quote a client's text.
        last = traceback.extract_tb(bug.__traceback__)[-1]
        note = f"{type(bug).__name__} at {Path(last.filename).name}:{last.lineno}"
        return error(500, "internal", "the service failed on this request", note=note)


def _warm_up(settings: Settings) -> None:
    """Answer the examples, so that all modules and the report's template are loaded."""
    from maxcover import METHODS
    from maxcover.engine.solvers.highs import why_missing
    from maxcover_serve.service.call import Call
    from maxcover_serve.service.description import EXAMPLES
    from maxcover_serve.service.tasks import TASKS, answer

    why_missing()  # imports HiGHS; the small problems below are solved without it

    every = [(task, call) for task, row in TASKS.items() for call in row.calls]
    asked = [(task, "json", EXAMPLES[call]) for task, call in every]
    asked.append(("summarize", "html", EXAMPLES["summarize"]))
    asked += [("solve", "json", {**EXAMPLES["solve"], "method": method}) for method in METHODS]
    for task, form, content in asked:
        body = json.dumps(content).encode()
        found = answer(task, Call(body, form, time.perf_counter(), settings))
        if found.status != 200:
            raise SystemExit(f"the first {task} failed: {found.body.decode()}")


if __name__ == "__main__":
    main()
