"""Checking: arguments of public calls, and requests in JSON, checked by the rows of options.

A request holds what the call is about (`maxcover.ground.calls.ABOUT`) and those of its options that
the door offers. Its fields, its check and its JSON Schema are made from the same rows.
"""

from __future__ import annotations

import difflib
import functools
import types
from inspect import CO_VARKEYWORDS
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

from maxcover.errors import OptionError
from maxcover.ground.calls import ABOUT, ALIASES, CALLS, LACKING, NEEDED, PROBLEM, offered
from maxcover.ground.options.option_table import OPTIONS, find_option, row_in
from maxcover.ground.options.row import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from maxcover.ground.options.row import Option


# Most faults of a request that a message lists.
MOST_FAULTS = 10
# Names that other packages give to an option, each with the name that it has here.
FAMILIAR = {
    **dict.fromkeys(("max_words", "max_tokens", "max_length", "length", "limit"), "budget"),
    "question": "query",
    "max_sentences": "max_sentences_per_document",
}

# What callers ask for that no problem has.
NOT_MODELLED = {
    **dict.fromkeys(("capacity", "capacities"), "capacities are not modelled; spopt has them"),
}

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def check_names(names: Iterable[str], known: Iterable[str], owner: str) -> None:
    """Raise OptionError for the first name not in `known`, and suggest the most similar one."""
    known = list(known)
    for name in names:
        if name not in known:
            said = unknown_name(name, known, f" of {owner}")
            if "problem" in known and f"from.{name}" in OPTIONS:
                raise OptionError(
                    f"{said}; it belongs to the problem: pass problem.replace({name}=...)"
                )
            if "did you mean" not in said:
                said += f"; it takes {', '.join(known) or 'no options'}"
            raise OptionError(said)


def unknown_name(name: str, known: Iterable[str], owner: str = "") -> str:
    """Return a message that option `name` is unknown, with the known name that is likely meant."""
    known = list(known)
    if name in NOT_MODELLED:
        return f"unknown option {name!r}{owner}: {NOT_MODELLED[name]}"
    near = [FAMILIAR[name]] if FAMILIAR.get(name) in known else []
    near = near or difflib.get_close_matches(str(name)[:100], known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"unknown option {str(name)[:100]!r}{owner}{hint}"


def join_faults(faults: Iterable[tuple[str, str]], *, total: int | None = None) -> str:
    """Join pairs of place and fault into one message, which lists at most ten.

    Examples
    --------
    >>> join_faults([("budget", "expected a number"), ("unit", "expected a text")])
    'budget: expected a number; unit: expected a text'
    """
    found = [f"{where[:200]}: {what[:500]}" if where else what[:500] for where, what in faults]
    more = (len(found) if total is None else total) - MOST_FAULTS
    return "; ".join(found[:MOST_FAULTS]) + (f" (and {more} more)" if more > 0 else "")


def checked(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate a function so that each call checks its arguments by their rows in `OPTIONS`.

    An argument that the function does not take is an OptionError too, and so is a required argument
    that is missing. A function that takes further options by ``**`` checks their names itself.

    Examples
    --------
    >>> @checked
    ... def pause(*, time_limit): ...
    >>> pause(time_limit=-1)
    Traceback (most recent call last):
        ...
    maxcover.errors.OptionError: expected time_limit to be a number of seconds, at least 0...
    >>> pause(timelimit=1)
    Traceback (most recent call last):
        ...
    maxcover.errors.OptionError: unknown option 'timelimit' of pause; did you mean 'time_limit'?...
    """
    code = function.__code__
    names = names_of(function)
    placed, title = names[: code.co_argcount], function.__name__
    owner = "from" if title.startswith("from_") else title
    needed = {*names} - {*(function.__kwdefaults__ or {})} - {*_defaulted(function, placed)}
    is_open = bool(code.co_flags & CO_VARKEYWORDS)

    @functools.cache
    def row_of(name: str) -> Option | None:
        written = row_in(str(function.__annotations__.get(name)))
        return written or OPTIONS.get(f"{owner}.{name}") or OPTIONS.get(name)

    def check(given: tuple[Any, ...], options: dict[str, Any]) -> None:
        if len(given) > len(placed):
            further = names[len(placed)] if len(names) > len(placed) else ""
            advice = f"; write {further}={shown(given[len(placed)])}" if further else ""
            raise OptionError(
                f"expected at most {len(placed)} arguments of {title} without a name, got "
                f"{len(given)}{advice}"
            )
        if not is_open:
            check_names(options, [name for name in names if name != "cls"], title)
        elif owner == "from":  # constructors pass further options on to `from_edges`
            shared = [row[5:] for row in OPTIONS if row.startswith("from.")]
            check_names(options, dict.fromkeys((*names[1:], *shared)), title)
        values = {**dict(zip(placed, given, strict=False)), **options}
        for name, value in values.items():
            row = row_of(name)
            if row is not None:
                row.check(name, value)
        if missing := needed - values.keys():
            first = min(missing, key=names.index)
            raise OptionError(f"expected {first} of {title}, got nothing")

    def call(*given: Any, **options: Any) -> Any:
        check(given, options)
        return function(*given, **options)

    # Use the globals of `function`: doctest skips functions that belong to another module.
    made = types.FunctionType(call.__code__, function.__globals__, title, None, call.__closure__)
    return functools.update_wrapper(made, function)


def names_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a function's parameters, without ``*`` and ``**`` ones."""
    code = getattr(function, "__wrapped__", function).__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return tuple(names)


def _defaulted(function: Callable[..., Any], placed: tuple[str, ...]) -> tuple[str, ...]:
    return placed[len(placed) - len(function.__defaults__ or ()) :]


class Field(NamedTuple):
    """One field of a request: its row in the option table, and its default."""

    row: Option
    default: Any

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the field, with its default unless that is None."""
        stated = list(self.default) if isinstance(self.default, tuple) else self.default
        has_default = self.default is not NEEDED and stated is not None
        return {**self.row.schema, **({"default": stated} if has_default else {})}


def fields_of(call: str, door: str) -> dict[str, Field]:
    """Return the fields that a request for `call` may have at the interface `door`, by name.

    `door` is a key of `maxcover.ground.calls.LACKING`, such as "service" or "tools".

    Examples
    --------
    >>> list(fields_of("pack", "service"))[:3]
    ['passages', 'budget', 'query']
    """
    about, lacking = ABOUT[call], LACKING[door]
    is_problem = PROBLEM.keys() <= about.keys()
    # Agents get one field for the whole problem: a field for each of its keys would cost tokens.
    if is_problem and door == "tools":
        about = {"problem": NEEDED} | {n: own for n, own in about.items() if n not in PROBLEM}
    found = {}
    for name, default in about.items():
        if name in lacking:
            continue
        own = (f"{door}.{call}", door, call, "service", "from")
        owners = ("from",) if is_problem and name in PROBLEM else own
        found[name] = _field(find_option(name, *owners), default)
    for name in offered(door, call):
        found[name] = _field(find_option(name, f"{door}.{call}", door, call), CALLS[call][name])
    if door == "service":
        found.setdefault("time_limit", Field(OPTIONS["service.time_limit"], None))
    return found


def _field(row: Option, default: Any) -> Field:
    return Field(row._replace(optional=False) if default is NEEDED else row, default)


def read_request(content: Any, fields: dict[str, Field]) -> dict[str, Any]:
    """Check a request that was read from JSON against `fields`; return it.

    Raises
    ------
    OptionError
        Something is missing, unknown, or not what it has to be; up to ten faults are listed.

    Examples
    --------
    >>> read_request({"passages": ["Cats purr."], "budgt": 3}, fields_of("pack", "service"))
    Traceback (most recent call last):
        ...
    maxcover.errors.OptionError: unknown option 'budgt'; did you mean 'budget'?; expected budget...
    """
    if not isinstance(content, dict):
        raise OptionError(f"expected an object with {', '.join(fields)}, got another value")
    for name in ALIASES.keys() & content.keys():
        if ALIASES[name] in fields and ALIASES[name] not in content:
            content[ALIASES[name]] = content.pop(name)
    unknown = [name for name in content if name not in fields]
    # Only the first unknown names get a suggestion: finding it is slow, and there may be a million.
    faults = [unknown_name(name, fields) for name in unknown[:MOST_FAULTS]]
    total = len(unknown)
    for name, field in fields.items():
        try:
            if name in content:
                field.row.check_plain(name, content[name])
            elif field.default is NEEDED:
                raise OptionError(f"expected {name}, got nothing")
        except OptionError as error:
            faults.append(str(error))
            total += 1
    if total:
        raise OptionError(join_faults([("", fault) for fault in faults], total=total))
    return content


def request_schema(fields: dict[str, Field]) -> dict[str, Any]:
    """Return the JSON Schema of a request."""
    return {
        "type": "object",
        "properties": {name: field.schema for name, field in fields.items()},
        "required": [name for name, field in fields.items() if field.default is NEEDED],
        "additionalProperties": False,
    }


def problem_schema() -> dict[str, Any]:
    """Return the JSON Schema of a problem as plain data, as `CoverageProblem.from_dict` reads it.

    Examples
    --------
    >>> problem_schema()["required"]
    ['sets', 'budget']
    """
    rows = {name: _field(OPTIONS[f"from.{name}"], default) for name, default in PROBLEM.items()}
    title = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Coverage problem"}
    return {**title, **request_schema(rows)}
