"""Draw packages and wings for docs/architecture.md, from the import contracts of pyproject.toml.

``python scripts/draw_house.py`` puts the drawing into the page; a test holds it against this.
"""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
FENCE = re.compile(r"(?<=```text house\n).*?(?=```\n)", re.DOTALL)


def draw() -> str:
    """Return the drawing: packages, their rooms, and what each wing has inside, importer first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found = [one for one in project["tool"]["importlinter"]["contracts"] if "layers" in one]
    inside = {one["containers"][0]: one["layers"] for one in found if "containers" in one}
    packages: list[str] = next(one["layers"] for one in found if "containers" not in one)
    lines = []
    for package in packages[0].split(" | ") + packages[1:]:
        lines += ["", package]
        for floor in inside[package]:
            rooms = re.split(" [|:] ", floor)
            below = [_chain(room, inside.get(f"{package}.{room}", ())) for room in rooms]
            lines.append(f"    {', '.join(below)}")
    return "\n".join(lines[1:]) + "\n"


def _chain(room: str, floors: Sequence[str]) -> str:
    """Return a room with the floors inside it, from the top to the bottom."""
    return f"{room}: {' > '.join(floors).replace(' |', ',')}" if floors else room


if __name__ == "__main__":
    PAGE.write_text(FENCE.sub(draw(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
