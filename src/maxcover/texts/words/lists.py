"""Lists: reads the word lists and tables that are stored as TOML files in ``text/data``."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"


@cache
def read_table(name: str) -> dict[str, Any]:
    """Read ``data/NAME.toml``.

    Examples
    --------
    >>> read_table("speech")["fillers"].split()[:2]
    ['um', 'uh']
    """
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))
