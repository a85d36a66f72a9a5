"""Versions: the versions of the packages that results depend on."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

PACKAGES = ("maxcover", "numpy", "highspy", "sentencex", "PyStemmer")


def versions(others: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of Python, of maxcover, of packages that it uses, and of `others`.

    Examples
    --------
    >>> versions(["no-such-package"])["no-such-package"]
    'not installed'
    """
    names = (*PACKAGES, *others)
    return {"python": platform.python_version(), **{name: _version(name) for name in names}}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
