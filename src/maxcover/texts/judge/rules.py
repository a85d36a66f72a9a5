"""Rules: why a sentence is not chosen, or chosen late. The table is ``data/rules.toml``."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maxcover.texts.judge.predicates import PREDICATES, Asked
from maxcover.texts.words.keywords import EDGE, Screen
from maxcover.texts.words.lists import read_table

Bools = NDArray[np.bool_]

EFFECTS: Final = ("no weight", "no candidate", "later")
"""Effects of rules, strongest first. Effect k lowers the standing of a sentence to k: 0 is FRAME, 1
PART, 2 LATE."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule that lowers the standing of sentences: a row of ``data/rules.toml``.

    The head of that file explains the columns.

    Attributes
    ----------
    pattern : re.Pattern or None
    words : tuple of str
        Keywords, written as `Screen` takes them; every sentence that the rule strikes has one.
    """

    name: str
    effect: str
    languages: frozenset[str] = frozenset()
    pattern: re.Pattern[str] | None = None
    predicate: Callable[[Asked, Bools], Bools] | None = None
    words: tuple[str, ...] = ()
    hit: str
    miss: str

    def strike(self, asked: Asked, maybe: Bools) -> Bools:
        """Return a mask: True for the sentences of the mask `maybe` that the rule applies to."""
        if self.predicate is not None:
            return maybe & self.predicate(asked, maybe)
        assert self.pattern is not None  # noqa: S101 - the table is checked when it is read
        found = np.zeros(len(maybe), np.bool_)
        search, said = self.pattern.search, asked.said
        for row in np.flatnonzero(maybe).tolist():
            found[row] = search(said[row]) is not None
        return found


@cache
def read_rules() -> dict[str, Rule]:
    """Return the rules of ``data/rules.toml`` by name.

    Examples
    --------
    >>> read_rules()["courtesy"].effect
    'no candidate'
    """
    return {row["name"]: _rule(row) for row in read_table("rules")["rule"]}


def _rule(row: dict[str, Any]) -> Rule:
    pattern, predicate = row.get("pattern"), row.get("predicate")
    if (pattern is None) == (predicate is None) or row["effect"] not in EFFECTS:
        raise ValueError(f"{row['name']}: expected a pattern or a predicate, and one of {EFFECTS}")
    return Rule(
        name=row["name"],
        effect=row["effect"],
        languages=frozenset(row.get("languages", ())),
        pattern=None if pattern is None else re.compile(pattern.replace("\n", ""), re.IGNORECASE),
        predicate=None if predicate is None else PREDICATES[predicate],
        words=tuple(word.replace("|", EDGE) for word in row.get("words", ())),
        hit=row["hit"],
        miss=row["miss"],
    )


_off: frozenset[str] = frozenset()


@contextmanager
def switched_off(*names: str) -> Iterator[None]:
    """Switch rules off within a ``with`` block, to measure what they are worth."""
    global _off  # noqa: PLW0603 - for experiments, which run one at a time
    before, _off = _off, _off.union(names)
    try:
        yield
    finally:
        _off = before


def active_rules() -> tuple[Rule, ...]:
    """Return the rules that are not switched off, the strongest effects first."""
    return _active(_off)


@cache
def _active(off: frozenset[str]) -> tuple[Rule, ...]:
    rules = [rule for rule in read_rules().values() if rule.name not in off]
    return tuple(sorted(rules, key=lambda rule: EFFECTS.index(rule.effect)))


def find_screen() -> Screen:
    """Return the automaton of all keywords; bit k is for the k-th active rule with keywords."""
    return _screen(_off)


@cache
def _screen(off: frozenset[str]) -> Screen:
    return Screen.of(*(rule.words for rule in _active(off) if rule.words))
