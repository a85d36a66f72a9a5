"""Names and defaults of options as they are written in the sources of the library.

A help text lists them. Importing the functions that they belong to would load NumPy and every
room below them; parsing the few files that they stand in takes a tenth of that.
"""

from __future__ import annotations

import ast
import pkgutil
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
    return _names(_parsed(module), name)


def written_default(function: str, name: str) -> Any:
    """Return what an option is by default, as `maxcover.options.default_of` does.

    Examples
    --------
    >>> written_default("summarize", "max_similarity"), written_default("summarize", "min_words")
    (0.8, 1)
    """
    for place in (FUNCTIONS[function], FUNCTIONS["prepare"]):
        module, _, title = place.partition(":")
        for line in _parsed(module):
            if isinstance(line, ast.FunctionDef) and line.name == title:
                named = zip(line.args.kwonlyargs, line.args.kw_defaults, strict=True)
                for option, value in named:
                    if option.arg == name and value is not None:
                        return ast.literal_eval(value)
    raise KeyError(f"{name} of {function}")


@cache
def _parsed(module: str) -> list[ast.stmt]:
    package, *path = module.split(".")
    return ast.parse(pkgutil.get_data(package, "/".join(path) + ".py") or b"").body


def _names(lines: list[ast.stmt], name: str) -> tuple[str, ...]:
    value = next(filter(None, (_assigned(line, name) for line in lines)))
    if isinstance(value, ast.Call) and isinstance(value.args[0], ast.Name):  # get_args(Name)
        return _names(lines, value.args[0].id)
    if isinstance(value, ast.Subscript):  # Literal["a", "b"]
        value = value.slice
    if isinstance(value, ast.Dict):
        return tuple(ast.literal_eval(key) for key in value.keys if key is not None)
    return tuple(ast.literal_eval(value))


def _assigned(line: ast.stmt, name: str) -> ast.expr | None:
    """Return what a line assigns to a name, if it does."""
    if isinstance(line, ast.AnnAssign):
        target: ast.expr = line.target
    elif isinstance(line, ast.Assign):
        target = line.targets[0]
    else:
        return None
    return line.value if isinstance(target, ast.Name) and target.id == name else None
