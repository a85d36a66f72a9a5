"""Calls: the options of each call with their defaults, and why a door lacks an option.

The doors are the command line, the service (with its client) and the tools of agents. The options
of a call are the keyword-only parameters of its function, and every door offers them. If a door
lacks one, `LACKING` gives the reason.
"""

from __future__ import annotations

import ast
import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

#: Stands for the default of an option that must be given.
NEEDED: Any = type("Needed", (), {"__repr__": lambda _: "needed"})()

#: The functions behind each call, as module and name. Their keyword-only parameters are the options
#: of the call; of two with the same name, the first counts. A TypedDict stands for ``**options``.
_METHODS = "engine.solvers.solve:MethodOptions"
_SUMMARIZE = ("texts.summary.summarize:summarize", "texts.weigh.prepare:prepare", _METHODS)
_HOMES: dict[str, tuple[str, ...]] = {
    "solve": ("engine.solvers.solve:solve", _METHODS),
    "cover": ("engine.solvers.cover:cover",),
    "summarize": _SUMMARIZE,
    "compare": ("texts.summary.comparison:compare", "texts.weigh.prepare:prepare"),
    "pack": ("texts.packing.pack:pack",),
    "pack_files": ("texts.packing.located:pack_files",),
    "select": ("uses.rows.select:select",),
    "explain": ("engine.decisions.explanation:explain",),
    "plan": ("engine.decisions.planned:plan",),
    "alternatives": ("engine.decisions.alternatives:alternatives",),
    "sensitivity": ("engine.decisions.sensitivity:sensitivity",),
    "verify": ("engine.core.verdict:verify",),
    "budget_curve": ("engine.solvers.curve:budget_curve",),
    "map_files": ("texts.packing.file_map:map_files",),
    # Calls that take several steps in Python but one at other doors: make a problem of sites and
    # solve it, read files and summarise them, summarise texts for several budgets.
    "sites": ("engine.solvers.solve:solve", _METHODS),
    "summarize_files": _SUMMARIZE,
    "summary_curve": _SUMMARIZE,
    "read": (),
    "left_out": (),
}
# What a curve of summaries takes of the options of a summary, besides those about reading.
_OF_CURVE = {
    "unit", "required", "forbidden", "time_limit", "seed",
    "max_sentences_per_document", "max_cost_per_document",
}  # fmt: skip


class Parameter(NamedTuple):
    """An option in a signature: its annotation as written, and its default."""

    annotation: str
    default: Any


@cache
def _written(home: str) -> dict[str, Parameter]:
    """Return the keyword-only parameters of a function, or the keys of a TypedDict.

    They are read from the source: an import of the function would load NumPy, which the help of a
    command does without.
    """
    module, _, name = home.partition(":")
    source = (pkgutil.get_data("maxcover", f"{module.replace('.', '/')}.py") or b"").decode()
    # Only this statement is parsed: a whole module takes ten times as long.
    text = re.split(rf"^(?=(?:def|class) {name}\b)", source, flags=re.MULTILINE)[1]
    found = ast.parse(re.split(r"^(?=[\w@])", text, flags=re.MULTILINE)[1]).body[0]
    if isinstance(found, ast.ClassDef):
        keys = [one for one in found.body if isinstance(one, ast.AnnAssign)]
        return {ast.unparse(k.target): Parameter(ast.unparse(k.annotation), None) for k in keys}
    assert isinstance(found, ast.FunctionDef)  # noqa: S101 - a row of _HOMES, not what users give
    return {
        one.arg: Parameter(
            ast.unparse(one.annotation or ast.Constant(None)),
            NEEDED if default is None else ast.literal_eval(default),
        )
        for one, default in zip(found.args.kwonlyargs, found.args.kw_defaults, strict=True)
    }


@cache
def parameters_of(call: str) -> dict[str, Parameter]:
    """Return the options of a call in their order, as its functions write them."""
    first, *rest = [_written(home) for home in _HOMES[call]] or [{}]
    found = first | {name: own for more in rest for name, own in more.items() if name not in first}
    if call == "summary_curve":
        known = _OF_CURVE | _written(_SUMMARIZE[1]).keys()
        return {name: own for name, own in found.items() if name in known}
    return found


class _Calls(Mapping[str, dict[str, Any]]):
    """The defaults of the options of each call; a call is read when it is first asked for."""

    def __getitem__(self, call: str) -> dict[str, Any]:
        return {name: own.default for name, own in parameters_of(call).items()}

    def __iter__(self) -> Iterator[str]:
        return iter(_HOMES)

    def __len__(self) -> int:
        return len(_HOMES)


#: The options of each call, with their defaults.
CALLS = _Calls()

#: The keys of a problem as plain data, with their defaults.
PROBLEM: dict[str, Any] = {"sets": NEEDED, "budget": NEEDED} | dict.fromkeys((
    "costs", "weights", "required", "forbidden", "groups", "max_items", "max_cost", "min_items",
    "min_cost", "min_share", "regions", "min_coverage", "conflicts", "need", "returns", "chance",
    "best", "worth", "set_labels", "element_labels", "n_elements",
))  # fmt: skip
_CHOSEN: dict[str, Any] = {**PROBLEM, "solution": None}

#: Fields of a JSON request besides the options of its call, with their defaults.
ABOUT: dict[str, dict[str, Any]] = {
    "solve": {**PROBLEM, "proof": False},
    "cover": {**PROBLEM, "budget": None, "proof": False},
    "explain": {**_CHOSEN, "explain": None},
    "alternatives": _CHOSEN,
    "sensitivity": _CHOSEN,
    "plan": {**PROBLEM, "budget": None, "budgets": None},
    "verify": {**PROBLEM, "budget": None, "solution": NEEDED},
    "budget_curve": {**PROBLEM, "budget": None, "budgets": NEEDED},
    "sites": {
        "sites": NEEDED, "demand": NEEDED, "radius": NEEDED, "budget": NEEDED, "weights": None,
        "costs": None, "required": None, "forbidden": None, "need": None, "unit": None,
        "coordinates": None, "decay": None, "proof": False,
    },
    "summarize": {"documents": NEEDED, "names": (), "title": ""},
    "summary_curve": {"documents": NEEDED, "budgets": NEEDED, "detail": False},
    "pack": {"passages": NEEDED},
    "pack_files": {"paths": NEEDED},
    "map_files": {"paths": NEEDED},
    "summarize_files": {"paths": NEEDED},
    "left_out": {"call": 1, "first": 0, "count": 20},
    "read": {"files": NEEDED},
}  # fmt: skip

#: Other names that a request may use: alias -> name.
ALIASES = {"text": "documents", "texts": "documents"}

#: What each call does, in one line of at most 60 characters.
TITLES = {
    "solve": "Choose the sets that cover the most, with a certificate.",
    "cover": "Choose the cheapest sets that cover enough.",
    "sites": "Choose the sites on a map that reach the most.",
    "explain": "Say why sets are chosen or not, and what a change costs.",
    "alternatives": "Find other selections that are nearly as good.",
    "plan": "Choose sets step by step, for budgets that grow.",
    "sensitivity": "Vary the weights and report what the selection loses.",
    "verify": "Check a saved solution in exact arithmetic.",
    "summarize": "Choose the sentences that say the most, within a budget.",
    "compare": "Say what each of two texts says that the other does not.",
    "pack": "Choose the passages for a context window, within a budget.",
    "select": "Choose rows that represent all rows, by their vectors.",
    "curve": "Say what each of many budgets buys, for texts or sets.",
    "read": "Turn files into texts, as the command line does.",
}

_FUNCTION = "JSON cannot hold a function"
_LINE = "each line of the input has a field for it"
_RECORDS = "each passage has a field for it"
_TUNING = "agents get the default, because every further option costs them tokens"
_NO_FILES = "the service opens no files on its machine"
_QUERY = "agents say it in the query"
_WHOLE = "rows with vectors take gigabytes, so `select` runs where they are stored"
_ARRAYS = "the arrays of weights are too long"

#: Why a door lacks a call, an option of one call, or an option of every call.
LACKING: dict[str, dict[str, str]] = {
    "command line": {
        "callback": "the terminal shows progress by itself",
        "numbers": "they are for who changes the solver",
        "bound": "--checkable and --effort decide how much work the bound gets",
        **dict.fromkeys((
            "pack.scores", "pack.documents", "pack.positions", "pack.headers", "pack.dates",
        ), _LINE),
        "after": "the command line keeps no earlier context",
        "stem": "the preset sets it",
        "boost": "the preset sets it",
        "summarize.stop_words": "the preset sets it",
        "cover.weight": "--target takes a share of the weight instead",
        "samples": _ARRAYS,
        "budget_curve": "plan --budgets is similar, but each selection keeps the earlier one",
        "summary_curve": "the web page of the service draws it",
        "map_files": "it is made for agents",
        "summarize_files": "summarize reads files",
        "read": "summarize reads files",
        "compare.known": "each text is known to the other",
        "left_out": "pack --format table lists what was left out",
    },
    "service": {
        "callback": _FUNCTION,
        "bound": "`proof` asks for a bound that can be checked",
        "checkable": "`proof` sets it",
        "background": "it is a file; " + _NO_FILES,
        "form": "the service detects the markup of every document",
        "compare": "two requests of summarize with `known` compare two texts",
        "pack_files": _NO_FILES,
        "map_files": _NO_FILES,
        "summarize_files": _NO_FILES,
        "left_out": "the answer of pack lists what was left out",
        "select": _WHOLE,
        "threads": "the service gives each request one core",
        "dry_run": "it is for a terminal or a notebook",
        "numbers": "they are for who changes the solver",
    },
    "tools": {
        "callback": _FUNCTION,
        "compare": "an agent can summarise both texts",
        "select": _WHOLE,
        "verify": "the proof of a bound is too long for an agent; the command line checks files",
        "budget_curve": "plan answers a similar question",
        "summary_curve": "an agent knows its budget",
        "read": "the tools for files read the files below the root",
        "names": "documents can have names: {name: text}",
        "title": "an agent gets only the text",
        "proof": "the proof of a bound is too long for an agent; the command line checks files",
        **dict.fromkeys((
            "method", "effort", "time_limit", "target_gap", "seed", "bound", "checkable",
            "start", "change_cost", "order", "separator", "lines", "prefer", "concepts",
            "summarize.weights", "summarize_files.weights", "stem", "stop_words", "boost",
            "preset", "max_similarity",
            "max_sentences_per_document", "max_cost_per_document", "least_score", "index",
            "cover.weight", "form", "room", "per_document", "tight", "beta", "mu",
            "coverage", "max_sweeps", "tol", "damping", "schedule", "init", "batches", "threads",
        ), _TUNING),
        "dry_run": "it is for a terminal or a notebook",
        "numbers": "they are for who changes the solver",
        "samples": _ARRAYS,
        "background": "it is a file of the user, not of the agent",
        "pack.documents": _RECORDS,
        "positions": _RECORDS,
        "dates": _RECORDS,
        "headers": "each part begins with its number or name",
        "after": "each call is independent of earlier calls",
        "pack_files.unit": "budgets of files count tokens",
        "map_files.unit": "budgets of files count tokens",
        "pack_files.required": _QUERY,
        "summarize.required": _QUERY,
        "summarize.forbidden": _QUERY,
        "summarize_files.required": _QUERY,
        "summarize_files.forbidden": _QUERY,
        "known": "an agent can leave out known texts itself",
    },
}  # fmt: skip


def offered(door: str, call: str) -> tuple[str, ...]:
    """Return the options of `call` in `door`, such as "service"; () if `door` lacks the call.

    Examples
    --------
    >>> offered("service", "cover")[:3]
    ('target', 'weight', 'method')
    """
    lacking = LACKING[door]
    if call in lacking:
        return ()
    return tuple(
        name for name in CALLS[call] if name not in lacking and f"{call}.{name}" not in lacking
    )
