"""The bed: texts of every kind, and what a summary of each has to print. Expectations are data.

python -m tests.texts.bed.bed                 # every expectation that is not met
python -m tests.texts.bed.bed --print NAME    # the summary of one text
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

import maxcover as mc

HERE = Path(__file__).parent
TEXTS = HERE / "texts"


class Check(NamedTuple):
    """One expectation: of which text, what was expected, and whether it is met."""

    name: str
    half: str
    what: str
    met: bool


def read_expected() -> dict[str, dict]:
    """Return the expectations by file."""
    return tomllib.loads((HERE / "expected.toml").read_text(encoding="utf-8"))


def check(name: str, expected: dict) -> list[Check]:
    """Summarise a text, and hold it against what is expected of it."""
    summary = mc.summarize(TEXTS / name, budget=expected["budget"])
    text, found = summary.text, []

    def note(what: str, *, met: bool) -> None:
        found.append(Check(name, expected["half"], what, met))

    for words in expected.get("prints", ()):
        note(f"prints {words!r}", met=words in text)
    for words in expected.get("never", ()):
        note(f"never prints {words!r}", met=words not in text)
    for choices in expected.get("some", ()):
        note(f"prints one of {choices!r}", met=any(words in text for words in choices))
    for words in expected.get("once", ()):
        note(f"prints once {words!r}", met=text.count(words) <= 1)
    for label, *items in expected.get("under", ()):
        printed = [item for item in items if item in text]
        met = bool(printed) and all(is_under(text, label, item) for item in printed)
        note(f"one of {items!r} is printed, and under {label!r}", met=met)
    for who, words in expected.get("says", ()):
        said = [one for one in summary.sentences if words in one.text]
        note(f"{who} says {words!r}", met=any(one.speaker == who for one in said))
    for number, words in expected.get("page", ()):
        said = [one for one in summary.sentences if words in one.text]
        note(f"{words!r} is on page {number}", met=any(one.page == number for one in said))
    return found


def is_under(text: str, label: str, words: str) -> bool:
    """Tell whether words stand in a line, or below a line, that begins with the label."""
    lines = text.split("\n")
    at = next(k for k, line in enumerate(lines) if words in line)
    return label in lines[at][: lines[at].index(words)] or any(
        line.startswith(label) for line in lines[max(0, at - 3) : at]
    )


def check_all() -> list[Check]:
    """Return all expectations, in order."""
    return [one for name, expected in read_expected().items() for one in check(name, expected)]
