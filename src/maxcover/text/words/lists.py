"""Lists: the tables of ``text/data``, which are files and no code."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"


@cache
def read_table(name: str) -> dict[str, Any]:
    """Read a file of lists.

    Examples
    --------
    >>> read_table("speech")["fillers"].split()[:2]
    ['um', 'uh']
    """
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))
