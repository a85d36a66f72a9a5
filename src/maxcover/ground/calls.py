"""Calls: the options of each call with their defaults, and why a door lacks an option.

The doors are the command line, the service (with its client) and the tools of agents. A new option
is one row in `maxcover.ground.options.option_table` and one entry here; then every door offers it.
If a door lacks the option, `LACKING` gives the reason. Tests compare signatures and doors with
these tables.
"""

from __future__ import annotations

from typing import Any

#: Stands for the default of an option that must be given.
NEEDED: Any = type("Needed", (), {"__repr__": lambda _: "needed"})()

#: The options of single methods, as `maxcover.engine.solvers.METHODS` lists them. None stands for
#: the method's own default.
METHOD_OPTIONS: dict[str, Any] = dict.fromkeys((
    "beta", "mu", "coverage", "max_sweeps", "tol", "damping", "schedule", "init", "batches",
    "threads",
))  # fmt: skip

_SEARCH: dict[str, Any] = {"method": "auto", "time_limit": None, "target_gap": 0.0, "seed": 0}
_EARLIER: dict[str, Any] = {"start": None, "change_cost": 0.0, "callback": None}
_READING: dict[str, Any] = {
    "language": "auto", "preset": "default", "concepts": None, "weights": None, "stem": None,
    "stop_words": None, "boost": None, "query": "", "background": None, "min_words": 1,
    "lines": "auto", "form": "auto", "known": (),
}  # fmt: skip
_CONTEXT: dict[str, Any] = {
    "budget": NEEDED, "unit": "tokens", "required": (), "order": "retrieved", "separator": "\n\n",
    "room": 0.0, "per_document": None, "after": None,
}  # fmt: skip

#: The options of each call, with their defaults.
CALLS: dict[str, dict[str, Any]] = {
    "solve": {
        **_SEARCH, "bound": "dual", "checkable": False, "effort": "normal", **_EARLIER,
        "dry_run": False, "numbers": None, **METHOD_OPTIONS,
    },
    "cover": {"target": None, "weight": None, **_SEARCH, "checkable": False, **_EARLIER},
    "summarize": {
        "budget": None, "unit": "words", "order": "reading", "required": (), "forbidden": (),
        "max_sentences_per_document": None, "max_cost_per_document": None, "max_similarity": 0.8,
        **_SEARCH, "effort": "normal", "callback": None, **_READING, **METHOD_OPTIONS,
    },
    "compare": {"budget": None, "unit": "words", **_READING},
    "pack": {
        **_CONTEXT, "query": "", "scores": None, "granularity": "auto", "documents": None,
        "positions": None, "headers": None, "prefer": "all", "dates": None,
        "least_score": None, "language": "english", "lines": "auto",
        "effort": "fast", **_SEARCH,
    },
    "pack_files": {**_CONTEXT, "query": NEEDED, "root": ".", "index": True},
    "select": {
        "budget": NEEDED, "vector": "embedding", "cost": None, "worth": None, "quota": None,
        "duplicates": None, "neighbours": 20, "metric": "cosine", "search": "auto",
        "effort": "fast", "time_limit": None, "target_gap": None, "seed": 0,
    },
    "explain": {"tight": None, "effort": None, "time_limit": 10.0, "seed": 0},
    "plan": {"phases": None, "effort": "normal", "time_limit": 10.0, "seed": 0},
    "alternatives": {"within": 0.01, "n": 5, "effort": "fast", "time_limit": 10.0, "seed": 0},
    "sensitivity": {
        "spread": 0.1, "n": 100, "samples": None, "effort": None, "time_limit": 10.0, "seed": 0,
    },
    "verify": {"strict": False},
    "budget_curve": {"seed": 0, "time_limit": 10.0},
    "map_files": {"budget": NEEDED, "query": "", "root": ".", "unit": "tokens", "index": True},
}  # fmt: skip
#: Calls that take several steps in Python but one at other doors: make a problem of sites and solve
#: it, read files and summarise them, summarise texts for several budgets.
CALLS["sites"] = CALLS["solve"]
CALLS["summarize_files"] = CALLS["summarize"]
CALLS["read"] = CALLS["left_out"] = {}
CALLS["summary_curve"] = {
    name: default
    for name, default in CALLS["summarize"].items()
    if name in {"unit", "required", "forbidden", "time_limit", "seed", *_READING}
    or name.endswith("_per_document")
}

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
            "preset", "min_words", "max_similarity",
            "max_sentences_per_document", "max_cost_per_document", "least_score", "index",
            "cover.weight", "form", "room", "per_document", "tight", *METHOD_OPTIONS,
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


def default_of(call: str, name: str) -> Any:
    """Return the default of an option of a call.

    Examples
    --------
    >>> default_of("summarize", "max_similarity"), default_of("summarize", "min_words")
    (0.8, 1)
    """
    return CALLS[call][name]


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
