"""Plugin: options for every pytest run; their code is imported when one is used."""

from __future__ import annotations

import pytest

FILE = ".maxcover.npz"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for recording and for choosing tests."""
    group = parser.getgroup("maxcover", "maxcover: choose the tests to run")
    group.addoption(
        "--maxcover-record",
        action="store_true",
        help="Note which test runs which line, and how long it takes.",
    )
    group.addoption(
        "--maxcover-record-changed",
        action="store_true",
        help="Run and note only tests that are new, failed, or run lines that changed since they "
        "were noted.",
    )
    group.addoption(
        "--maxcover",
        metavar="BUDGET",
        help="Run the tests that cover the most in this time, the best first: 3min, 90s, or "
        "10%%time of the suite; or 90%% for that share of the lines in the least time.",
    )
    group.addoption(
        "--maxcover-since",
        metavar="REV",
        help="Also run the tests that run what changed since this git revision; without "
        "--maxcover only these, new ones and those that failed.",
    )
    group.addoption(
        "--maxcover-shadow",
        action="store_true",
        help="Run all tests, and say which failures the tests of --maxcover would have found.",
    )
    group.addoption(
        "--maxcover-file", metavar="FILE", default=FILE, help=f"The record. Default: {FILE}"
    )
    group.addoption(
        "--maxcover-source",
        metavar="NAME",
        action="append",
        default=[],
        help="Package or folder whose lines count. May be repeated. Default: the root folder.",
    )
    parser.addini("maxcover_source", "Packages or folders whose lines count.", type="args")


def pytest_configure(config: pytest.Config) -> None:
    """Register the hooks that the given options need."""
    option = config.option
    records = option.maxcover_record or option.maxcover_record_changed
    chooses = option.maxcover or option.maxcover_record_changed or option.maxcover_since
    has_times = True
    if option.maxcover_shadow and not chooses:
        raise pytest.UsageError(
            "expected --maxcover or --maxcover-since with --maxcover-shadow, got neither"
        )
    if chooses:
        from pytest_maxcover.running import Running

        running = Running(config)
        has_times = running.has_times
        config.pluginmanager.register(running, "maxcover-running")
    if records or not has_times:
        from pytest_maxcover.recording import Noting, Recording

        # With pytest-xdist only the workers run tests, so only they measure. `Noting` is registered
        # first, so that it stops before `Recording` writes the file.
        if hasattr(config, "workerinput") or getattr(option, "dist", "no") == "no":
            config.pluginmanager.register(Noting(config, lines=records), "maxcover-noting")
        config.pluginmanager.register(Recording(config, lines=records), "maxcover-recording")
