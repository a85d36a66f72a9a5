"""Calls: which options each call has, what they are by default, and which door lacks one, and why.

A new option is one row in `maxcover.options` and one entry here. The command line, the service and
its client, and the tools of agents offer it then; a door that does not says why in `LACKING`.
Tests hold the signatures against `CALLS`, and the doors against both.
"""

from __future__ import annotations

from typing import Any

#: The default of an option that has none.
NEEDED: Any = type("Needed", (), {"__repr__": lambda _: "needed"})()

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

#: The options of each call.
CALLS: dict[str, dict[str, Any]] = {
    "solve": {**_SEARCH, "bound": "dual", "checkable": False, "effort": "normal", **_EARLIER},
    "cover": {"target": None, "weight": None, **_SEARCH, "checkable": False, **_EARLIER},
    "summarize": {
        "budget": None, "unit": "words", "order": "reading", "required": (), "forbidden": (),
        "max_sentences_per_document": None, "max_cost_per_document": None, "max_similarity": 0.8,
        **_SEARCH, "effort": "normal", "callback": None, **_READING,
    },
    "compare": {"budget": None, "unit": "words", **_READING},
    "pack": {
        **_CONTEXT, "query": "", "scores": None, "granularity": "auto", "documents": None,
        "positions": None, "headers": None, "prefer": "all", "dates": None, "vectors": None,
        "query_vector": None, "least_score": None, "language": "english", "lines": "auto",
        "effort": "fast", **_SEARCH,
    },
    "pack_files": {**_CONTEXT, "query": NEEDED, "root": ".", "index": True},
    "select": {
        "budget": NEEDED, "vector": "embedding", "cost": None, "worth": None, "quota": None,
        "duplicates": None, "neighbours": 20, "metric": "cosine", "search": "auto",
        "effort": "fast", "time_limit": None, "target_gap": None, "seed": 0,
    },
    "explain": {"tight": None, "effort": None, "time_limit": None, "seed": 0},
    "plan": {"phases": None, "effort": "normal", "seed": 0},
    "alternatives": {"within": 0.01, "n": 5, "effort": "fast", "seed": 0},
    "sensitivity": {"spread": 0.1, "n": 100, "samples": None, "effort": "fast", "seed": 0},
}  # fmt: skip

_FUNCTION = "JSON holds no function"
_LINE = "a field of each line of passages says it"
_LISTS = "the records of a search say it"
_TUNING = "an agent gets the default: the answer is proven, and a choice more costs it tokens"
_NO_FILES = "the service opens no file of its machine"
_WHOLE = "rows with vectors are gigabytes: run it where they are"

#: Why a door lacks a call, an option of one call, or an option of every call.
LACKING: dict[str, dict[str, str]] = {
    "command line": {
        "callback": "the terminal shows progress by itself",
        "bound": "--checkable and --effort decide how hard it tries",
        "pack.scores": _LINE,
        "pack.documents": _LINE,
        "pack.positions": _LINE,
        "pack.headers": _LINE,
        "pack.dates": _LINE,
        "vectors": "a line of JSON is no place for vectors",
        "query_vector": "a line of JSON is no place for vectors",
        "after": "files of an earlier context are compared in Python",
        "stem": "it is part of the preset",
        "boost": "it is part of the preset",
        "cover.weight": "--target is a share; weights are known in Python",
        "samples": "weights of draws are arrays of Python",
        "compare.unit": "--budget counts words",
        **{
            f"compare.{name}": "compare reads texts as summarize does by default"
            for name in (
                "preset", "concepts", "weights", "stop_words", "query", "background", "min_words",
                "lines", "form", "known",
            )
        },
    },
    "service": {
        "callback": _FUNCTION,
        "bound": "`proof` asks for a bound that can be checked",
        "background": "it is a file, and " + _NO_FILES,
        "form": "the form of every document is found out",
        "checkable": "`proof` asks for it",
        "compare": "two requests of summarize with `known` say it",
        "pack_files": _NO_FILES,
        "select": _WHOLE,
        "vectors": "a request holds texts, not vectors",
        "query_vector": "a request holds texts, not vectors",
        "summarize.time_limit": "it counts from arrival, and is a field of every request",
        "pack.time_limit": "it counts from arrival, and is a field of every request",
        "solve.time_limit": "it counts from arrival, and is a field of every request",
        "cover.time_limit": "it counts from arrival, and is a field of every request",
    },
    "tools": {
        "callback": _FUNCTION,
        "compare": "summarize with `known` says it",
        "select": _WHOLE,
        **dict.fromkeys(
            (
                "method", "effort", "time_limit", "target_gap", "seed", "bound", "checkable",
                "start", "change_cost", "order", "separator", "lines", "prefer", "concepts",
                "weights", "stem", "stop_words", "boost", "preset", "min_words", "max_similarity",
                "max_sentences_per_document", "max_cost_per_document", "least_score", "index",
                "cover.weight", "form", "room", "per_document",
            ),
            _TUNING,
        ),
        "background": "it is a file of the user, not of the agent",
        "documents": _LISTS,
        "positions": _LISTS,
        "dates": _LISTS,
        "headers": "each part stands under its number or name",
        "vectors": "an agent has no vectors",
        "query_vector": "an agent has no vectors",
        "after": "each call stands alone",
        "pack_files.unit": "budgets of files count tokens",
        "pack_files.required": "the query says what is looked for",
        "summarize.required": "the query says what is looked for",
        "summarize.forbidden": "the query says what is looked for",
        "summarize.known": "leave what is known out of the texts",
    },
}  # fmt: skip


def default_of(call: str, name: str) -> Any:
    """Return what an option is by default.

    Examples
    --------
    >>> default_of("summarize", "max_similarity"), default_of("summarize", "min_words")
    (0.8, 1)
    """
    return CALLS[call][name]


def offered(door: str, call: str) -> tuple[str, ...]:
    """Return the options of a call that a door offers; none where it lacks the call.

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
