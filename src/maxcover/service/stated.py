"""Stated: answers of the service that clients send back, read as solutions not yet checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxcover.core.bounds import AffinePieces, Dual
from maxcover.core.solution import Solution
from maxcover.errors import OptionError

_WHOLE = {"elements": np.int32, "indptr": np.int64, "edges": np.int64}


def read_solution(stated: dict[str, Any]) -> Solution:
    """Return the solution that an answer of the service states, without checking it."""
    known = ("value", "cost", "status", "bound_by", "upper_bound", "lower_bound", "target", "share")
    labels, dual = stated.get("labels"), stated.get("dual")
    try:
        return Solution(
            selected=np.array(stated["selected"], dtype=np.int64),
            labels=None if labels is None else tuple(labels),
            stopped="",
            dual=None if dual is None else Dual(**_columns(dual)),
            **{name: stated[name] for name in known if name in stated},
        )
    except OverflowError as error:
        raise OptionError(f"expected the numbers of an answer in solution, got {error}") from None


def write_dual(dual: Dual) -> dict[str, Any]:
    """Return a dual point as numbers, lists and dicts, which JSON can hold."""

    def plain(part: Any) -> Any:
        if isinstance(part, tuple):
            return {name: plain(own) for name, own in part._asdict().items()}  # type: ignore[attr-defined]
        return part.tolist() if isinstance(part, np.ndarray) else part

    return {name: plain(part) for name, part in dual._asdict().items()}


def _columns(stated: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a dual point, with lists turned back into arrays."""
    found: dict[str, Any] = {
        name: np.array(own, dtype=_WHOLE.get(name, np.float64)) if isinstance(own, list) else own
        for name, own in stated.items()
    }
    if found.get("pieces") is not None:
        found["pieces"] = AffinePieces(**_columns(found["pieces"]))
    return found
