import httpx
import pytest
from tests.browser.conftest import chromium, find_violations, watch  # noqa: F401 - fixtures

from running import Running


@pytest.fixture(scope="session")
def server():
    running = Running(workers=1, drain_seconds=0)
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="session")
def site(server):
    return server.url


@pytest.fixture(scope="session")
def client(server):
    with httpx.Client(base_url=server.url, timeout=60) as session:
        yield session


@pytest.fixture(scope="module")
def rough():
    """A server of the module's own, for tests that may kill its workers or fill its log."""
    running = Running(workers=1, drain_seconds=0)
    yield running
    assert running.stop() == 0


@pytest.fixture
def start():
    """Start further servers with settings of their own; they are ended after the test."""
    started = []

    def begin(**settings):
        running = Running(**{"workers": 1, "drain_seconds": 0, **settings})
        started.append(running)
        return running

    yield begin
    for running in started:
        running.stop()
