"""Extras: optional packages, imported by the calls that need them."""

from __future__ import annotations

import importlib
from typing import Any

from maxcover.errors import MissingExtraError


def import_extra(name: str, missing: str) -> Any:
    """Import a module; raise MissingExtraError with the message `missing` if it is not installed.

    Examples
    --------
    >>> import_extra("no_such_package", "figures need it: pip install no-such-package")
    Traceback (most recent call last):
        ...
    maxcover.errors.MissingExtraError: figures need it: pip install no-such-package
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtraError(missing) from error
