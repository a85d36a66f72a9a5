"""A plugin of pytest: what each test takes of the CPU, as JSON from node id to seconds.

``-p _test_times`` with ``TEST_TIMES=FILE``. JUnit XML has wall time in milliseconds, which on a
shared machine says more about the other programs than about the tests.
"""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

taken: dict[str, float] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    begin = time.process_time()
    try:
        return (yield)
    finally:
        taken[item.nodeid] = time.process_time() - begin


def pytest_sessionfinish() -> None:
    Path(os.environ["TEST_TIMES"]).write_text(json.dumps(taken), encoding="utf-8")
