"""Manifest: the input, the options and the version of a run, for every engine alike.

A directory belongs to one run. A second call with another manifest is refused, since rows of two
runs in one table could not be told apart.
"""

from __future__ import annotations

import hashlib
import json
import pickle
from typing import TYPE_CHECKING, Any, NamedTuple

import maxcover
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from maxcover_scale.batch.cluster import ClusterLimits
    from maxcover_scale.batch.json_lines import Columns

_FORMAT = 4


class Report(NamedTuple):
    """Result of a run: the numbers of clusters in all, refused, and done by an earlier call."""

    clusters: int
    refused: int
    resumed: int
    seconds: float


def manifest(
    engine: str,
    fingerprint: dict[str, Any],
    columns: Columns,
    limits: ClusterLimits,
    options: dict[str, Any],
) -> str:
    """Return a run's input, options and version as JSON; equal manifests mean equal rows."""
    about = {
        "format": _FORMAT,
        "engine": engine,
        "version": maxcover.__version__,
        "input": fingerprint,
        "columns": columns._asdict(),
        "limits": vars(limits),
        "options": {name: _plain(value) for name, value in sorted(options.items())},
    }
    return json.dumps(about)


def check_same(where: str, found: str, wanted: str) -> None:
    """Raise OptionError if the manifest `found` in a directory differs from `wanted`; say how.

    Examples
    --------
    >>> check_same("out", '{"options": {"budget": 30}}', '{"options": {"budget": 31}}')
    Traceback (most recent call last):
        ...
    maxcover.errors.OptionError: out holds another run: options.budget was 30, is 31; ...
    """
    try:
        old, new = _flat(json.loads(found)), _flat(json.loads(wanted))
    except ValueError:
        raise OptionError(f"{where} holds a damaged run; give another directory") from None
    differs = [
        f"{name} was {old.get(name, 'not set')}, is {new.get(name, 'not set')}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
    if differs:
        raise OptionError(
            f"{where} holds another run: {'; '.join(differs)}; repeat that one, or give another "
            "directory"
        )


def _flat(found: Any, name: str = "") -> dict[str, Any]:
    """Flatten nested dicts into one dict with dotted names."""
    if not isinstance(found, dict):
        return {name: found}
    parts = (_flat(value, f"{name}.{key}" if name else key) for key, value in found.items())
    return {key: value for part in parts for key, value in part.items()}


def _plain(value: Any) -> Any:
    """Return an option for JSON: a function as its name, any other object as a checksum."""
    if value is None or isinstance(value, str | int | float):
        return value
    if hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return hashlib.sha256(pickle.dumps(value)).hexdigest()
