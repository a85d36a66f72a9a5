"""Stoppable: a call in a thread of its own, which is interrupted if its task is cancelled."""

from __future__ import annotations

import asyncio
import ctypes
import threading
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

R = TypeVar("R")

# Seconds between two interrupts of a cancelled call that has not ended.
_AGAIN = 0.05


async def run_stoppable(call: Callable[[], R]) -> R:
    """Run a call in a thread; if the task is cancelled, the call is interrupted as by Ctrl-C.

    The interrupt takes effect between two Python instructions, so a compiled search first ends its
    current step. It is repeated until the thread has ended, because a solver responds to the first
    interrupt by returning its best solution.
    """
    answer: Future[R] = Future()
    answer.set_running_or_notify_cancel()

    def work() -> None:
        with suppress(KeyboardInterrupt):  # a repeated one, which comes while the first is kept
            try:
                answer.set_result(call())
            except BaseException as failed:
                answer.set_exception(failed)

    thread = threading.Thread(target=work, name="maxcover tool", daemon=True)
    thread.start()
    try:
        return await asyncio.wrap_future(answer)
    except asyncio.CancelledError:
        _interrupt(thread, asyncio.get_running_loop())
        raise


def _interrupt(thread: threading.Thread, loop: asyncio.AbstractEventLoop) -> None:
    """Raise KeyboardInterrupt in a thread, repeatedly until the thread has ended."""
    if thread.is_alive() and thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt)
        )
        loop.call_later(_AGAIN, _interrupt, thread, loop)
