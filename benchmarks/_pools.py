"""Mixed pools: what an agent has at hand when it asks a question, and the facts it needs.

`mixed_pools.json` holds the material of eight invented companies: JSON, logs, stack traces, diffs,
tables, notes, turns and prose. Of each company there are ten pools, one of every kind, with a
question, a budget in estimated tokens and the strings that an answer needs. The first two companies
are for development, the others are only counted. All were written before anything was tuned, the
last four ("fresh") in other formats, after the code that reads these kinds was there.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import maxcover as mc
from _report import table

#: Which material of a company is in a pool of each kind, in an order that says nothing.
KINDS = {
    "JSON object": "prose json_object turns",
    "JSON list": "json_list prose settings",
    "log": "log notes",
    "trace": "prose trace code",
    "diff": "diff code prose trace",
    "CSV": "settings csv notes",
    "table": "prose settings table",
    "memory": "turns notes prose",
    "Markdown": "code markdown settings prose",
    "incident": (
        "turns notes prose table settings csv diff code markdown log json_object json_list trace"
    ),
}
HALVES = ("development", "development", "counted", "counted", *["fresh"] * 4)


class MixedPool(NamedTuple):
    """A pool, its question, and what has to be in the context.

    `raising` and `error` are the line of the frame that raised the exception of the trace, and the
    one error of the log, if the pool has them.
    """

    kind: str
    passages: list[str]
    query: str
    budget: int
    facts: list[str]
    company: dict[str, Any]


def pools(half: str) -> Iterator[MixedPool]:
    """List the pools of one half."""
    companies = json.loads(Path(__file__).with_name("mixed_pools.json").read_text("utf-8"))
    for company, own in zip(companies, HALVES, strict=True):
        for kind, names in KINDS.items() if own == half else ():
            given = [company[name] for name in names.split()]
            passages = [
                one for part in given for one in (part if isinstance(part, list) else [part])
            ]
            yield MixedPool(kind, passages, **company["asked"][kind], company=company)


def judge(pool: MixedPool, text: str) -> dict[str, bool]:
    """Tell whether the facts stand in a context, and whether its pieces can be read."""
    return {
        "facts": all(fact in text for fact in pool.facts),
        "JSON parses": all(map(_parses, _json_parts(pool, text))),
        "raising frame": _has(pool, text, "trace", "raising"),
        "rare error": _has(pool, text, "log", "error"),
    }


def _has(pool: MixedPool, text: str, name: str, part: str) -> bool:
    """Tell whether a context that shows something of a passage shows its most important part."""
    given = pool.company[name]
    others = "\n".join(one for one in pool.passages if one != given)
    own = [line for line in given.splitlines() if line.strip() and line not in others]
    shown = any(line in text for line in own)
    return given not in pool.passages or not shown or pool.company[part] in text


def _json_parts(pool: MixedPool, text: str) -> Iterator[str]:
    """List the parts of a context that come from JSON passages."""
    for passage in pool.passages:
        keys = set(re.findall(r'"(\w+)"\s*:', passage)) if _parses(passage) else set()
        for part in text.split("\n\n"):
            if keys & set(re.findall(r'"(\w+)"\s*:', part)):
                yield part


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return text[:1] in "{["


def pack_pool(pool: MixedPool) -> str:
    """Pack a pool as it stands."""
    return mc.pack(pool.passages, query=pool.query, budget=pool.budget).text


def report(fill: Callable[[MixedPool], str] = pack_pool) -> None:
    """Count both halves, kind by kind."""
    rows = []
    for half in dict.fromkeys(HALVES):
        found = [(pool, judge(pool, fill(pool))) for pool in pools(half)]
        for check in found[0][1]:
            missed = [pool.kind for pool, told in found if not told[check]]
            rows.append((half, check, len(found) - len(missed), len(found), ", ".join(missed)))
    table(("half", "check", "pools", "of", "missed"), rows)


if __name__ == "__main__":
    report()
