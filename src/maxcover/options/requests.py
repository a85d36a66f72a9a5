"""Requests: the options of a call as one JSON object, for the service and the tools of agents.

A request holds what the call is about (`maxcover.calls.ABOUT`) and those of its options that the
door offers. Its fields, its check and its JSON Schema are made from the same rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.calls import ABOUT, ALIASES, CALLS, LACKING, NEEDED, PROBLEM, offered
from maxcover.errors import OptionError
from maxcover.options.checking import MOST_FAULTS, join_faults, unknown_name
from maxcover.options.option_table import OPTIONS, find_option

if TYPE_CHECKING:
    from maxcover.options.row import Option


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

    `door` is a key of `maxcover.calls.LACKING`, such as "service" or "tools".

    Examples
    --------
    >>> list(fields_of("pack", "service"))[:3]
    ['passages', 'budget', 'unit']
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
