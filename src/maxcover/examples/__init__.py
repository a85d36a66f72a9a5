"""Examples: the small tables and texts that README and start page use.

``cities.csv`` has 57 European cities with their places and millions of people, rounded.
``hubs.csv`` says which cities a hub in each city would reach within 500 km. ``angelman`` holds
three texts about a rare disease, works of the US government in the public domain; they show
software, and are no medical advice.
"""

from __future__ import annotations

import shutil
from pathlib import Path


def write(folder: str | Path = "examples") -> Path:
    """Write the examples into a folder, which is made if it is not there; return its path.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sorted(path.name for path in write(folder).iterdir())
    ['angelman', 'cities.csv', 'hubs.csv']
    """
    unread = shutil.ignore_patterns("*.py", "*.pyc", "__pycache__")
    made = shutil.copytree(Path(__file__).parent, folder, ignore=unread, dirs_exist_ok=True)
    return Path(made)
