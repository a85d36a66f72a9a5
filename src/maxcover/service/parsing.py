"""Parsing: the body of a request as JSON, refused before it takes much time or memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from maxcover.files.opening import parse_json
from maxcover.service.call import TooLarge

if TYPE_CHECKING:
    from maxcover.service.call import Call

# Largest number of names in the top-level object. No valid request has more; without the limit,
# each unknown name would be reported as an error.
_MOST_NAMES = 100
# Options that are lists of texts. The number of texts is checked before the texts themselves.
_TEXTS = ("documents", "passages", "known", "names", "files")
# With more colons than this, strings are not cached: so many names are mostly distinct, and looking
# each up takes longer than making it anew.
_MANY_NAMES = 100_000


class NotJson(Exception):  # noqa: N818 - an answer, not a mistake
    """The body of a request is not valid JSON."""


def read_body(call: Call) -> Any:
    """Check the size of a request's body and parse it as JSON; refuse duplicate names."""
    call.check_body()
    try:
        names = call.body.count(b":")
        content = from_json(
            call.body, allow_inf_nan=False, cache_strings="none" if names > _MANY_NAMES else "all"
        )
        # colons outnumber names if a name occurs twice or a text has a colon: parse_json tells
        if names != _count_names(content):
            parse_json(call.body)
    except ValueError as broken:
        raise NotJson(str(broken)) from None
    if isinstance(content, dict) and len(content) > _MOST_NAMES:
        raise TooLarge(f"expected at most {_MOST_NAMES} names in a request, got {len(content)}")
    for name in _TEXTS:
        given = content.get(name) if isinstance(content, dict) else None
        call.check_count(len(given) if isinstance(given, list | dict) else 1, "documents")
    return content


def _count_names(content: Any) -> int:
    """Count the names in all JSON objects of `content`, nested objects included."""
    total, rest = 0, [content]
    while rest:
        here = rest.pop()
        inside = here
        if isinstance(here, dict):
            total += len(here)
            inside = here.values()
        if isinstance(here, dict | list):
            rest += [one for one in inside if isinstance(one, dict | list)]
    return total
