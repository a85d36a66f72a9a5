"""Options: lists each option of the public functions once, with its values in Python and JSON.

The signature of a function says its options and their defaults; `maxcover.ground.calls` reads it
and says why a door lacks an option. The check of every call (`checked`), the command line, the
service, the tools of agents and the reference are made from both.
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
