"""Worker: a process that computes. It reads tasks from its standard input until that ends."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from maxcover.service import frames
from maxcover.service.answers import Answer, error
from maxcover.service.settings import Settings


def main() -> None:
    """Warm the kernels up, say so, and then answer one task after the other."""
    # Ctrl-C and a stop of the whole group go to the front, which lets us finish what we have
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    tasks = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not end up between two frames
    settings = Settings(**json.loads(sys.argv[1]))
    _warm_up(settings)
    answers.write(frames.pack({"ready": os.getpid()}))
    answers.flush()
    while (frame := frames.read(tasks)) is not None:
        head, body = frame
        found = _answer(head, body, settings)
        answers.write(
            frames.pack((found.status, found.media, found.note, found.policy), found.body)
        )
        answers.flush()


def _answer(head: dict[str, Any], body: bytes, settings: Settings) -> Answer:
    from maxcover.service.tasks import Call, answer

    arrived = time.perf_counter() - head["waited"]
    call = Call(body, head["format"], arrived, settings)
    try:
        return answer(head["task"], call)
    except Exception as bug:  # a request must not end the worker
        # type and place only: a message may quote the text of a client
        last = traceback.extract_tb(bug.__traceback__)[-1]
        note = f"{type(bug).__name__} at {Path(last.filename).name}:{last.lineno}"
        return error(500, "internal", "the service failed on this request", note=note)


def _warm_up(settings: Settings) -> None:
    """Load everything that requests use, the template of the report too."""
    from maxcover.service.tasks import Call, answer

    text = "Cats purr. Cats and dogs sleep all day. Dogs bark at night. Birds sing and dogs listen."
    summary = json.dumps({"documents": [text, text[20:]], "budget": 9, "time_limit": 1}).encode()
    curve = json.dumps({"documents": [text], "budgets": [4, 9], "detail": True}).encode()
    for task, form, body in (("summarize", "html", summary), ("curve", "json", curve)):
        found = answer(task, Call(body, form, time.perf_counter(), settings))
        if found.status != 200:
            raise SystemExit(f"the first {task} failed: {found.body.decode()}")


if __name__ == "__main__":
    main()
