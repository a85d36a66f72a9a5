"""Write the page of the reference that lists every option; a test holds it against signatures."""

from __future__ import annotations

from pathlib import Path

from maxcover.ground.calls import CALLS, LACKING, NEEDED
from maxcover.ground.options import find_option

PAGE = Path(__file__).parent.parent / "docs/reference/options.md"
_DOORS = {"command line": "command line", "service": "service", "tools": "agents"}


def page() -> str:
    """Return the page of the reference: every option of every call, and which door has it."""
    parts = [
        "# Options\n",
        "Every option of every call, with its default, and the interfaces that have it. Below each",
        "table stands why an interface lacks an option. This page is made",
        "by scripts/write_options.py.\n",
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
    PAGE.write_text(page(), encoding="utf-8")
