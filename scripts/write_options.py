"""Write what is made of the table of options: the client's types and the page of the reference.

``python scripts/write_options.py`` writes both; a test holds them against the table.
"""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, is_typeddict

from maxcover.ground.calls import CALLS, LACKING, NEEDED
from maxcover.ground.options import fields_of, find_option
from maxcover_serve.client import ENDPOINTS
from maxcover_serve.service.tasks import TASKS

ROOT = Path(__file__).parent.parent
TYPES = ROOT / "packages/maxcover-serve/src/maxcover_serve/client_methods.pyi"
PAGE = ROOT / "docs/reference/options.md"
MADE = "made by scripts/write_options.py out of maxcover.ground.options and maxcover.ground.calls"
_DOORS = {"command line": "command line", "service": "service", "tools": "agents"}


def written(kind: Any) -> str:
    """Return a plain type as a type checker reads it; any sequence or mapping will do."""
    held = get_args(kind)
    if get_origin(kind) in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(map(written, held)))
    if get_origin(kind) is Literal:
        return f"Literal[{', '.join(map(repr, held))}]"
    if get_origin(kind) is list:
        return f"Sequence[{written(held[0])}]"
    if get_origin(kind) is dict:
        return f"Mapping[str, {written(held[1])}]"
    if is_typeddict(kind):
        return "Mapping[str, Any]"
    return {None: "None", type(None): "None", Any: "Any"}.get(kind) or kind.__name__


def type_of(row: Any) -> str:
    """Return the type of an option."""
    kind = written(Literal[row.names]) if row.names and row.plain is str else written(row.plain)
    return f"{kind} | None" if row.optional else kind


def client_types() -> str:
    """Return the stub of the client's methods: their options, and the types of their answers."""
    kinds, methods = [], ["\nclass Methods:"]
    for task, (call, placed) in ENDPOINTS.items():
        fields = fields_of(call, "service")
        title = f"{task.capitalize()}Options"
        kinds += [f"\nclass {title}(TypedDict, total=False):"]
        kinds += [
            f"    {name}: {f'Required[{type_of(row)}]' if default is NEEDED else type_of(row)}"
            for name, (row, default) in fields.items()
            if name not in placed
        ]
        given = ", ".join(f"{name}: {type_of(fields[name].row)}" for name in placed)
        methods.append(
            f"    def {task}(self, {given}, "
            f"**options: Unpack[{title}]) -> answers.{TASKS[task].answer.__name__}: ..."
        )
    head = [
        f'"""Methods of the client and their types; {MADE}."""\n',
        "from collections.abc import Mapping, Sequence",
        "from typing import Any, Literal, Required, TypedDict, Unpack\n",
        "from maxcover.ground import answers",
    ]
    return "\n".join([*head, *kinds, *methods]) + "\n"


def page() -> str:
    """Return the page of the reference: every option of every call, and which door has it."""
    parts = [
        "# Options\n",
        "Every option of every call, with its default, and the interfaces that have it. Below each",
        f"table stands why an interface lacks an option. This page is {MADE}.\n",
    ]
    for call, options in CALLS.items():
        if not options or call == "sites":
            continue
        parts += [f"## `{call}`\n", "| option | default | what it is | at |", "|---|---|---|---|"]
        reasons: dict[str, list[str]] = {}
        for name, default in options.items():
            has = []
            for door, title in _DOORS.items():
                lacking = LACKING[door]
                reason = lacking.get(call) or lacking.get(f"{call}.{name}") or lacking.get(name)
                if reason:
                    reasons.setdefault(f"{title}: {reason}", []).append(f"`{name}`")
                else:
                    has.append(title)
            shown = "needed" if default is NEEDED else f"`{default!r}`"
            line = find_option(name, call).help.replace("|", "\\|")
            parts.append(f"| `{name}` | {shown} | {line} | {', '.join(has) or 'Python'} |")
        parts += [
            "",
            *(
                f"- {'all' if len(n) == len(options) else ', '.join(n)}, {why}."
                for why, n in reasons.items()
            ),
            "",
        ]
    return "\n".join(parts)


if __name__ == "__main__":
    TYPES.write_text(client_types(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
