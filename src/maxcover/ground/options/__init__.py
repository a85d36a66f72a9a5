"""Options: lists each option of the public functions once, with its values in Python and JSON.

`maxcover.ground.calls` says which call has an option, with its default, and why a door lacks it.
The check of every call (`checked`), the command line, the service, the client's types, the tools of
agents and the reference are generated from both.
"""

from maxcover.ground.options.checking import (
    Field,
    check_names,
    checked,
    fields_of,
    names_of,
    problem_schema,
    read_request,
    request_schema,
    unknown_name,
)
from maxcover.ground.options.option_table import OPTIONS, find_option

__all__ = [
    "OPTIONS",
    "Field",
    "check_names",
    "checked",
    "fields_of",
    "find_option",
    "names_of",
    "problem_schema",
    "read_request",
    "request_schema",
    "unknown_name",
]
