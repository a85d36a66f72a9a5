"""Options: lists each option of the public functions once, with its values in Python and JSON.

`maxcover.calls` says which call has an option, with its default, and why a door lacks it. The check
of every call (`checked`), the command line, the service, the client's types, the tools of agents
and the reference are generated from both.
"""

from maxcover.options.checking import (
    MOST_FAULTS,
    Field,
    check_names,
    checked,
    fields_of,
    join_faults,
    names_of,
    problem_schema,
    read_request,
    request_schema,
    unknown_name,
)
from maxcover.options.option_table import OPTIONS, find_option
from maxcover.options.row import Option

__all__ = [
    "MOST_FAULTS",
    "OPTIONS",
    "Field",
    "Option",
    "check_names",
    "checked",
    "fields_of",
    "find_option",
    "join_faults",
    "names_of",
    "problem_schema",
    "read_request",
    "request_schema",
    "unknown_name",
]
