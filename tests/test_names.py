"""Names: a class stands once, a module begins with its own name, a function fits on a screen."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
FILES = (*HOME.glob("src/**/*.py"), *HOME.glob("packages/*/src/**/*.py"))
MODULES = sorted(path for path in FILES if path.name != "__main__.py")
# Lines of code in a body, its docstring and comments not counted.
MOST_LINES = 60


def relative(path):
    return path.relative_to(HOME).as_posix()


def words(text):
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def test_a_class_name_stands_once():
    homes = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(relative(path))
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_a_module_begins_with_its_own_name(path):
    """The first word of its docstring: its name, or the command or option that it is."""
    first = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split("\n")[0]
    name = path.parent.name if path.name == "__init__.py" else path.stem
    assert words(first).startswith(words(name)) or first.startswith("``")


def body_lines(function, source):
    """Count the lines of code of a function: not its docstring, comments or blank lines."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    if not body:
        return 0
    lines = source[body[0].lineno - 1 : body[-1].end_lineno]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in lines)


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_a_function_fits_on_a_screen(path):
    text = path.read_text("utf-8")
    long = {
        node.name: lines
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := body_lines(node, text.splitlines())) > MOST_LINES
    }
    assert not long
