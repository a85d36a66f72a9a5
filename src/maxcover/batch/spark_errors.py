"""Spark errors: what Spark says when something fails, in a line and as an error of ours."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from maxcover.errors import EngineError, FileFormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

# A process or a machine died too often for Spark to go on.
_LOST = re.compile("ExecutorLostFailure|Python worker exited unexpectedly|FetchFailed")
# The last line of a Python traceback: the error that a worker raised.
_RAISED = re.compile(r"^\s*((?:\w+\.)*\w*(?:Error|Exception|Interrupt): .+)$", re.MULTILINE)
_OWN_MODULE = "No module named 'maxcover'"


def spark_errors() -> tuple[type[Exception], ...]:
    """Return the types of what Spark raises, on the classic API and on Spark Connect."""
    from pyspark.errors import PySparkException

    try:
        from py4j.protocol import Py4JJavaError
    except ImportError:  # a client of Spark Connect comes without it
        return (PySparkException,)
    return (PySparkException, Py4JJavaError)


def is_missing(error: Exception) -> bool:
    """Whether the reason is that a path does not exist."""
    return "PATH_NOT_FOUND" in str(error)


def cause_of(message: str) -> str:
    r"""Return the line of Spark's message that says what went wrong, with what mends it.

    Examples
    --------
    >>> cause_of("Python worker: Traceback (most recent call last)\n...\nValueError: no budget")
    'ValueError: no budget'
    """
    raised = _RAISED.findall(message) if "Traceback (most recent call last)" in message else []
    if raised:
        hint = "; install maxcover for the Python of the workers, which PYSPARK_PYTHON names"
        return f"{raised[-1]}{hint if _OWN_MODULE in raised[-1] else ''}"
    lines = [line.strip(" :") for line in message.splitlines()]
    return next((line for line in lines if line and "An error occurred" not in line), "")


@contextmanager
def told(what: str, verb: str = "read", kind: type[Exception] = FileFormatError) -> Iterator[None]:
    """Say in a line what Spark says in a page."""
    try:
        yield
    except spark_errors() as error:
        if _LOST.search(str(error)):  # not for what is in the files
            kind = EngineError
        raise kind(f"{what}: Spark cannot {verb} it: {cause_of(str(error))}") from error
