"""Names and defaults of options as they are written in the sources of the library.

A help text lists them. Importing the functions that they belong to would load NumPy and every
room below them; parsing the few files that they stand in takes a tenth of that.
"""

from __future__ import annotations

import ast
import pkgutil
import re
from functools import cache
from typing import Any

from maxcover.options import FUNCTIONS


def written_names(place: str) -> tuple[str, ...]:
    """Return the names of a table ``"module:NAME"``: a dict, a tuple or a Literal.

    Examples
    --------
    >>> written_names("maxcover.solvers.effort:EFFORTS")
    ('fast', 'normal', 'thorough')
    """
    module, _, name = place.partition(":")
    return _names(module, name)


def written_default(function: str, name: str) -> Any:
    """Return what an option is by default, as `maxcover.options.default_of` does.

    Examples
    --------
    >>> written_default("summarize", "max_similarity"), written_default("summarize", "min_words")
    (0.8, 1)
    """
    for place in (FUNCTIONS[function], FUNCTIONS["prepare"]):
        module, _, title = place.partition(":")
        for line in _parsed(module, rf"^def {title}\((?s:.*?):$", body=" ..."):
            if isinstance(line, ast.FunctionDef):
                named = zip(line.args.kwonlyargs, line.args.kw_defaults, strict=True)
                for option, value in named:
                    if option.arg == name and value is not None:
                        return ast.literal_eval(value)
    raise KeyError(f"{name} of {function}")


@cache
def _source(module: str) -> str:
    package, *path = module.split(".")
    return (pkgutil.get_data(package, "/".join(path) + ".py") or b"").decode()


@cache
def _parsed(module: str, pattern: str, body: str = "") -> list[ast.stmt]:
    """Parse what a pattern finds in a module; the whole of it would take ten times as long."""
    found = re.search(pattern, _source(module), re.MULTILINE)
    return ast.parse(found[0] + body).body if found else []


def _names(module: str, name: str) -> tuple[str, ...]:
    # lines that go on are indented, and a bracket of its own line closes them
    line = _parsed(module, rf"^{name}\b.*\n(?:[ #].*\n|\n)*(?:[)\]}}].*\n)?")[0]
    value = line.value if isinstance(line, ast.Assign | ast.AnnAssign) else None
    if isinstance(value, ast.Call) and isinstance(value.args[0], ast.Name):  # get_args(Name)
        return _names(module, value.args[0].id)
    if isinstance(value, ast.Subscript):  # Literal["a", "b"]
        value = value.slice
    if isinstance(value, ast.Dict):
        return tuple(ast.literal_eval(key) for key in value.keys if key is not None)
    if value is None:
        raise KeyError(f"{name} of {module}")
    return tuple(ast.literal_eval(value))
