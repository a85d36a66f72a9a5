"""Plain types: JSON values of options as Python types, with their check and JSON Schema.

A type is `float`, `int`, `str`, `bool`, `None`, `Any`, a Literal, a list, a dict by text, a
TypedDict, or a union of these. A whole number is accepted as `float`.
"""

import types
from collections.abc import Iterable
from typing import (
    Any,
    Literal,
    NotRequired,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

#: A set or an element, by its name or its number.
Label = str | int
#: A number for each set or element: by name, or in order.
Each = dict[str, float] | list[float]
#: One number for all groups, or one number for each group.
ByGroup = float | dict[str, float]
#: The group or region of each set or element, or several of each.
Grouping = dict[str, Label | list[Label]] | list[Label | list[Label] | None]
#: A number for each set, element or edge.
ByEdge = dict[str, float | dict[str, float] | list[float]] | list[float | list[float]]
#: Places: a table by columns, rows, GeoJSON, or pairs of coordinates.
Places = dict[str, Any] | list[Any]


class PlainRecord(TypedDict):
    """A document with a name."""

    text: str
    name: NotRequired[str]
    id: NotRequired[str]
    title: NotRequired[str]


class EncodedFile(TypedDict):
    """A file as it is on the disk of the client; its bytes in base64."""

    name: str
    content: str


#: A text, a document with a name, several of these, or an object from names to texts.
Documents = str | PlainRecord | list[str | PlainRecord] | dict[str, str]

_NAMES = {float: "number", int: "integer", str: "string", bool: "boolean", type(None): "null"}
_WORDS = {
    float: ("a number", "numbers"),
    int: ("a whole number", "whole numbers"),
    str: ("a text", "texts"),
    bool: ("true or false", "true or false"),
    type(None): ("null", "null"),
}
_TYPES: dict[Any, tuple[type, ...]] = {kind: (kind,) for kind in _NAMES} | {float: (float, int)}


def fits(value: Any, kind: Any) -> bool:
    """Whether a value that was read from JSON has the plain type `kind`.

    Examples
    --------
    >>> fits([1, 2.5], list[float]), fits(True, float), fits({"a": ["x"]}, dict[str, list[int]])
    (True, False, False)
    """
    return any(_fits_one(value, one) for one in parts_of(kind))


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the JSON Schema of a plain type.

    Examples
    --------
    >>> schema_of(list[float] | None)
    {'anyOf': [{'type': 'array', 'items': {'type': 'number'}}, {'type': 'null'}]}
    """
    kinds = [_schema_of_one(one) for one in parts_of(kind)]
    return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}


def words_of(kind: Any) -> str:
    """Return a plain type in words, for messages.

    Examples
    --------
    >>> words_of(float | dict[str, list[int]])
    'a number or an object of lists of whole numbers'
    """
    return " or ".join(_words_of_one(one, 0) for one in parts_of(kind))


def _words_of_one(kind: Any, many: int) -> str:
    held = get_args(kind)
    if get_origin(kind) in (list, dict):
        inside = " or ".join(_words_of_one(one, 1) for one in parts_of(held[-1]))
        return ("a list of ", "lists of ", "an object of ", "objects of ")[
            many + 2 * (get_origin(kind) is dict)
        ] + inside
    if is_typeddict(kind):
        return f"{('an object', 'objects')[many]} with {', '.join(sorted(kind.__required_keys__))}"
    return _WORDS.get(kind, ("any value", "any values"))[many]


def parts_of(kind: Any) -> tuple[Any, ...]:
    """Return the member types of a union; any other type as a tuple of one."""
    if get_origin(kind) in (Union, types.UnionType):
        return get_args(kind)
    return (type(None) if kind is None else kind,)


def _fits_one(value: Any, kind: Any) -> bool:
    held = get_args(kind)
    if kind is Any:
        return True
    if get_origin(kind) is Literal:
        return value in held
    if get_origin(kind) is list:
        return type(value) is list and _all_fit(value, held[0])
    if get_origin(kind) is dict:
        return type(value) is dict and _all_fit(value.values(), held[1])
    if is_typeddict(kind):
        hints = get_type_hints(kind)
        return (
            type(value) is dict
            and kind.__required_keys__ <= value.keys()
            and all(fits(own, hints[name]) for name, own in value.items() if name in hints)
        )
    return type(value) in _TYPES[kind]


def _all_fit(values: Iterable[Any], kind: Any) -> bool:
    """Whether all values fit `kind`; values of simple types are checked once per type."""
    rest = {*map(type, values)} - {own for one in parts_of(kind) for own in _TYPES.get(one, ())}
    return not rest or all(fits(value, kind) for value in values if type(value) in rest)


def _schema_of_one(kind: Any) -> dict[str, Any]:
    held = get_args(kind)
    if kind is Any:
        return {}
    if get_origin(kind) is Literal:
        return {"type": "string", "enum": list(held)}
    if get_origin(kind) is list:
        return {"type": "array", "items": schema_of(held[0])}
    if get_origin(kind) is dict:
        return {"type": "object", "additionalProperties": schema_of(held[1])}
    if is_typeddict(kind):
        return {
            "type": "object",
            "description": (kind.__doc__ or "").strip(),
            "properties": {name: schema_of(own) for name, own in get_type_hints(kind).items()},
            "required": [name for name in kind.__annotations__ if name in kind.__required_keys__],
        }
    return {"type": _NAMES[kind]}
