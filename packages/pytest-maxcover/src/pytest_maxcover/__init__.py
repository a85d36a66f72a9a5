"""Pytest maxcover: recorded coverage and durations in, a certified selection of tests out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_maxcover.choosing import Selection, choose
    from pytest_maxcover.durations import with_durations
    from pytest_maxcover.reading import read_suite
    from pytest_maxcover.suite import Suite

__all__ = ["Selection", "Suite", "choose", "read_suite", "with_durations"]

_HOMES = {
    "Selection": "choosing",
    "Suite": "suite",
    "choose": "choosing",
    "read_suite": "reading",
    "with_durations": "durations",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: pytest records tests without loading any solver."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
