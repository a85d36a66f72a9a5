"""Counters: how large a text is for a language model, by the tokenizer that the caller has.

Nothing is ever downloaded: a tokenizer comes in as an object that is already loaded, or as a file
on this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.errors import FileFormatError, InfeasibleError, OptionError
from maxcover.ground.extras import import_extra
from maxcover.texts.words.estimate import estimate_all, estimate_tokens
from maxcover.texts.words.units import UNITS, Unit, find_unit

if TYPE_CHECKING:
    from maxcover.ground.array_types import Floats

Counter = str | Callable[[str], float] | Unit | Any

#: The units that have a name. Sentences are not among them: they do not measure a context.
NAMES = ("tokens", "words", "characters", "bytes")

# Rough number of characters of code or prose per unit; 1 for units not listed.
_CHARACTERS = {"tokens": 3.0, "words": 6.0}

# By library: the attribute by which its tokenizers are recognised, and a function that counts
# tokens without special tokens.
TOKENIZERS: dict[str, tuple[str, Callable[[Any, str], int]]] = {
    "tiktoken": ("encode_ordinary", lambda tokenizer, text: len(tokenizer.encode_ordinary(text))),
    "transformers": (
        "convert_ids_to_tokens",
        lambda tokenizer, text: len(tokenizer.encode(text, add_special_tokens=False)),
    ),
    "tokenizers": (
        "get_vocab_size",
        lambda tokenizer, text: len(tokenizer.encode(text, add_special_tokens=False).ids),
    ),
}


#: The token estimate for texts that are not English.
ABROAD = Unit("tokens", partial(estimate_tokens, english=False))


def find_counter(unit: Counter, *, english: bool = True) -> Unit:
    """Return the unit for a name, a function that measures a text, or a tokenizer.

    Parameters
    ----------
    unit : {"tokens", "words", "characters", "bytes"}, callable or tokenizer
        A tokenizer is a tiktoken ``Encoding``, a Hugging Face ``tokenizers.Tokenizer`` or a
        tokenizer of transformers. It has to give the same answer for the same text. An object with
        ``count_all(texts)``, such as a remote service, is asked for many sizes in one call.
    english : bool
        Whether "tokens" is estimated as for English: words of other languages have more tokens.

    Examples
    --------
    >>> find_counter("tokens").measure("Two words."), find_counter(len).measure("abc")
    (3, 3)
    """
    if not isinstance(unit, str | Unit) and callable(getattr(unit, "count_all", None)):
        return Unit(type(unit).__name__, _Bound(unit, _ask_one), additive=False)
    for name, (mark, count) in TOKENIZERS.items():
        if not isinstance(unit, str) and hasattr(unit, mark):
            return Unit(f"tokens ({name})", _Bound(unit, count), additive=False)
    if not (unit in NAMES if isinstance(unit, str) else isinstance(unit, Unit) or callable(unit)):
        raise OptionError(
            f"expected unit to be one of {', '.join(NAMES)}, a function of a text or a tokenizer, "
            f"got {unit!r}"
        )
    return ABROAD if unit == "tokens" and not english else find_unit(unit)


def _ask_one(counter: Any, text: str) -> float:
    """Measure one text with a counter that takes a list of texts."""
    (size,) = counter.count_all([text])
    return float(size)


class _Bound:
    """A tokenizer with its counting function; equal if the tokenizer is the same object."""

    def __init__(self, tokenizer: Any, count: Callable[[Any, str], float]) -> None:
        self.tokenizer, self.count = tokenizer, count

    def __call__(self, text: str) -> float:
        return self.count(self.tokenizer, text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Bound) and self.tokenizer is other.tokenizer

    def __hash__(self) -> int:
        return id(self.tokenizer)


def load_tokenizer(path: str | Path) -> Any:
    """Read a Hugging Face ``tokenizer.json`` from this machine.

    Raises
    ------
    MissingExtraError
        The package tokenizers is not installed.
    FileFormatError
        The file is not a ``tokenizer.json``, or is damaged.
    """
    needed = "counting with a tokenizer.json needs the package tokenizers: pip install tokenizers"
    tokenizers = import_extra("tokenizers", needed)
    content = Path(path).read_bytes()
    try:
        return tokenizers.Tokenizer.from_buffer(content)
    except Exception as error:  # the package tokenizers raises plain Exception
        raise FileFormatError(f"{path}: expected a tokenizer.json ({error})") from error


def count_all(unit: Unit, texts: Iterable[str]) -> Floats:
    """Return the size of each text.

    The token estimate measures all texts in one pass. For other counters, the last few thousand
    sizes are cached.

    Raises
    ------
    OptionError
        The counter returned something other than a number, or a negative or infinite number.
    """
    if is_estimate(unit):
        return estimate_all(list(texts), english=unit is not ABROAD)
    if isinstance(unit.measure, _Bound) and unit.measure.count is _ask_one:
        return _ask_all(unit, list(texts))
    try:
        hash(unit)
    except TypeError:
        return unit.costs(texts) - unit.joint
    return np.array([_count(unit, text) for text in texts], dtype=np.float64)


def _ask_all(unit: Unit, texts: list[str]) -> Floats:
    """Measure all distinct texts with one call of `count_all`."""
    asked = list(dict.fromkeys(texts))
    found = unit.measure.tokenizer.count_all(asked)  # type: ignore[attr-defined] # it is a `_Bound` here
    if len(found) != len(asked):
        raise OptionError(
            f"unit={unit.name}: expected count_all to return {len(asked)} sizes, got {len(found)}"
        )
    told = dict(zip(asked, found, strict=True))
    return replace(unit, measure=told.__getitem__).costs(texts)


def characters_in(size: float, unit: Unit) -> float:
    """Return roughly how many characters a text of a size has."""
    return size * _CHARACTERS.get(unit.name.split()[0], 1.0)


def is_estimate(unit: Unit) -> bool:
    """Whether a unit is the built-in token estimate, which each `Reading` already holds."""
    return unit is UNITS["tokens"] or unit is ABROAD


def count(unit: Unit, text: str) -> float:
    """Return the size of one text; the result is not cached."""
    return float(unit.costs([text])[0]) - unit.joint


def remaining(unit: Unit, budget: float, taken: float | str) -> float:
    """Return the budget left after `taken`, a size or a text.

    Raises
    ------
    InfeasibleError
        It takes more than the budget.
    """
    size = count(unit, taken) if isinstance(taken, str) else taken
    if size > budget:
        raise InfeasibleError(
            f"expected room to be part of the budget of {budget:g} {unit.name}, got {size:g}; "
            "raise the budget by as much"
        )
    return budget - size


def count_before(unit: Unit, before: str, budget: float) -> float:
    """Return the size of the text that the context begins with.

    Raises
    ------
    InfeasibleError
        The text is larger than the budget.
    """
    size = count(unit, before) if before else 0.0
    if size > budget:
        raise InfeasibleError(
            f"expected after to fit into {budget:g} {unit.name}, it takes {size:g}; raise the "
            "budget"
        )
    return size


@lru_cache(maxsize=8192)
def _count(unit: Unit, text: str) -> float:
    return count(unit, text)
