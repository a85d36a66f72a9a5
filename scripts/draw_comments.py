"""Draw comments and docstrings for a stranger to read: draw_comments.py [--count 60] [--seed 51].

The same tree and the same seed give the same places. A reader says of each whether it had to be
read twice.
"""

import argparse
import ast
import io
import random
import textwrap
import tokenize
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "maxcover"


def comments(path: Path) -> list[tuple[int, str]]:
    """List the comments of a file, neighbouring lines as one."""
    found: list[tuple[int, int, str]] = []
    text = path.read_text(encoding="utf-8")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        words = token.string.lstrip("#: ").strip()
        if token.type != tokenize.COMMENT or words.startswith(("noqa", "type:", "fmt:")):
            continue
        row = token.start[0]
        if found and found[-1][1] == row - 1:
            first, _, said = found.pop()
            found.append((first, row, f"{said} {words}"))
        else:
            found.append((row, row, words))
    return [(first, said) for first, _, said in found]


def docstrings(path: Path) -> list[tuple[int, str]]:
    """List the docstrings of a file, and the strings below constants, without their sections."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        body = getattr(node, "body", [])
        for inside in body if isinstance(body, list) else []:
            if isinstance(inside, ast.Expr) and isinstance(inside.value, ast.Constant):
                said = inside.value.value
                if isinstance(said, str):
                    head = said.split("\n    Parameters\n")[0].split("\n    Examples\n")[0]
                    head = head.split("\n    Attributes\n")[0].split("\n    Returns\n")[0]
                    found.append((inside.lineno, " ".join(head.split())))
    return found


def main() -> None:
    """Print the drawn places with what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=51)
    options = parser.parse_args()
    places = [
        (path.relative_to(ROOT).as_posix(), line, said)
        for path in sorted(SOURCES.rglob("*.py"))
        for line, said in sorted(comments(path) + docstrings(path))
    ]
    drawn = random.Random(options.seed).sample(places, options.count)  # noqa: S311 - no secret
    for number, (name, line, said) in enumerate(sorted(drawn), 1):
        print(f"{number}. {name}:{line}")
        print(textwrap.indent(textwrap.fill(said, 110), "   "))


if __name__ == "__main__":
    main()
