"""Spark errors: exceptions of Spark turned into maxcover's, with messages of one line."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from maxcover.errors import EngineError, FileFormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

# These words mean that a process or a machine died too often for Spark to go on.
_LOST = re.compile("ExecutorLostFailure|Python worker exited unexpectedly|FetchFailed")
# The last line of a Python traceback: the error that a worker raised.
_RAISED = re.compile(r"^\s*((?:\w+\.)*\w*(?:Error|Exception|Interrupt): .+)$", re.MULTILINE)
_OWN_MODULE = "No module named 'maxcover"


def spark_errors() -> tuple[type[Exception], ...]:
    """Return the exception types that Spark raises, in the classic API and in Spark Connect."""
    from pyspark.errors import PySparkException

    try:
        from py4j.protocol import Py4JJavaError
    except ImportError:  # a Spark Connect client has no py4j
        return (PySparkException,)
    return (PySparkException, Py4JJavaError)


def is_missing(error: Exception) -> bool:
    """Whether Spark's error says that a path does not exist."""
    return "PATH_NOT_FOUND" in str(error)


def cause_of(message: str) -> str:
    r"""Return the line of Spark's message that names the error, with a hint if maxcover is missing.

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
    """Turn an exception of Spark into a `kind` whose message is one line about `what`."""
    try:
        yield
    except spark_errors() as error:
        if _LOST.search(str(error)):  # a lost process is not the input's fault
            kind = EngineError
        raise kind(f"{what}: Spark cannot {verb} it: {cause_of(str(error))}") from error
