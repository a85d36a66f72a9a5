"""A plugin of pytest: what each test takes of the CPU, as JSON from node id to seconds.

``-p _test_times`` with ``TEST_TIMES=FILE``. JUnit XML has wall time in milliseconds, which on a
shared machine says more about the other programs than about the tests. ``TEST_ORDER=NUMBER`` runs
files, classes and tests in another order; 0 leaves it.
"""

import json
import os
import time
from collections.abc import Iterator
from hashlib import sha256
from itertools import accumulate
from pathlib import Path

import pytest

taken: dict[str, float] = {}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    order = os.environ.get("TEST_ORDER", "0")
    if order != "0":
        items.sort(key=lambda item: _place(item.nodeid, order))


def _place(test: str, order: str) -> list[bytes]:
    """Return where a test comes: tests of a class, and of a file, stay together."""
    outer = accumulate(test.split("::"), "{}::{}".format)
    return [sha256(f"{order} {name}".encode()).digest() for name in outer]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    begin = time.process_time()
    try:
        return (yield)
    finally:
        taken[item.nodeid] = time.process_time() - begin


def pytest_sessionfinish() -> None:
    Path(os.environ["TEST_TIMES"]).write_text(json.dumps(taken), encoding="utf-8")
