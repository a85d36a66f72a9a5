"""Denials: words that negate a statement, or that say that it is only planned."""

from typing import Final

_NEGATIONS = """
not no never without cannot can't don't doesn't didn't isn't aren't wasn't weren't won't hasn't
haven't hadn't wouldn't couldn't shouldn't nor neither nobody nothing none nicht kein keine keinen
nie niemals ohne ne pas jamais sans sin nunca jamás ni не нет никогда без नहीं non senza mai niet
geen nooit zonder
"""
_PLANS = """
plan plans planned planning will would may might could should intends intend intended proposes
propose proposed expects expected wants considers considering going hopes likely
"""

NEGATIONS: Final = frozenset(_NEGATIONS.split())
"""Words that negate a statement, in several languages."""

PLANS: Final = frozenset(_PLANS.split())
"""English words that say that something is planned or expected and has not happened yet."""
