"""Run examples/try.ipynb and store its outputs: python scripts/notebook.py.

The notebook is for people who try maxcover on a notebook host, or who only read what comes out.
Its cells are run here without a kernel: what they print, and how their last line shows itself.
"""

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent.parent / "examples" / "try.ipynb"


def run(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    r"""Run a cell as a notebook does, and return its outputs.

    >>> run("x = 2\nprint(x)", {})
    [{'name': 'stdout', 'output_type': 'stream', 'text': ['2\n']}]
    """
    if source.startswith("%"):
        return []
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    shown = None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)  # noqa: S102 - our own cells
        if last is not None:
            shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307 - the same
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(text)})
    if shown is not None:
        data = {"text/html": lines(shown._repr_html_()), "text/plain": lines(repr(shown))}
        outputs.append({"data": data, "metadata": {}, "output_type": "display_data"})
    return outputs


def lines(text: str) -> list[str]:
    """Split a text as the notebook format stores it."""
    return text.splitlines(keepends=True)


def make() -> str:
    """Return the notebook with the outputs that its cells have now."""
    book = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = run("".join(cell["source"]), names)
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(make(), encoding="utf-8")
