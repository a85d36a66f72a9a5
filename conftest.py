"""Settings for all tests: quick ones by default, every one with ``--all``."""

import signal
from pathlib import Path

import pytest
from hypothesis import settings
from tests import sweeps

# A deadline on the wall clock tells how busy the machine is, not whether the code is right.
settings.register_profile("house", deadline=None)
settings.load_profile("house")

# A shell starts what runs in the background without Ctrl-C, and children would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = Path(__file__).parent / "tests"
#: Folders whose tests start servers, browsers, Spark or other people's frameworks.
LARGE = {HERE / name for name in ("browser", "integrations", "lab/evaluate")}
LARGE |= {*HERE.parent.glob("packages/*/tests")}
#: Test functions that take more than a second or so in all, one a line; measured.
SLOW = set((HERE / "slow.txt").read_text(encoding="utf-8").split())


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--all` and `--tenth`."""
    parser.addoption("--all", action="store_true", help="also what takes more than two minutes")
    parser.addoption("--tenth", action="store_true", help="of their files a tenth, as of sweeps")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out folders that need `--all`, and files that are not of the tenth."""
    # a folder that the command line names is not asked about, its files are
    is_large = not LARGE.isdisjoint((collection_path, *collection_path.parents))
    if is_large and not config.getoption("--all"):
        return True
    is_left = config.getoption("--tenth") and not sweeps.is_taken(
        "/".join(collection_path.parts[-2:])
    )
    return True if is_left and collection_path.is_file() else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is slow, or run Spark first."""
    if config.getoption("--all"):
        # one worker takes all of Spark: first, so that the others have enough left to do
        items.sort(key=lambda item: not item.path.stem.endswith("_on_spark"))
    else:
        items[:] = [item for item in items if _name(item) not in SLOW]


def _name(item: pytest.Item) -> str:
    """Return file and function, without parameters."""
    file = item.path.relative_to(HERE).as_posix() if item.path.is_relative_to(HERE) else ""
    return f"{file}::{getattr(item, 'originalname', item.name)}"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail if all tests were asked for and one was skipped: a skipped test is a missing test."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.config.getoption("--all") and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
