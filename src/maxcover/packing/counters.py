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

from maxcover.errors import FileFormatError, InfeasibleError, MissingExtraError, OptionError
from maxcover.text.words.estimate import estimate_all, estimate_tokens
from maxcover.text.words.units import UNITS, Unit, find_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

Counter = str | Callable[[str], float] | Unit | Any

#: The units that have a name; sentences are no measure of a context.
NAMES = ("tokens", "words", "characters", "bytes")

# What tells a tokenizer of each library apart, and how it counts without special tokens.
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


#: The estimate of tokens for texts that are not English.
ABROAD = Unit("tokens", partial(estimate_tokens, english=False))


def find_counter(unit: Counter, *, english: bool = True) -> Unit:
    """Make a unit of a name, a function of a text, or a tokenizer.

    Parameters
    ----------
    unit : {"tokens", "words", "characters", "bytes"}, callable or tokenizer
        A tokenizer is a tiktoken ``Encoding``, a Hugging Face ``tokenizers.Tokenizer`` or a
        tokenizer of transformers. It has to give the same answer for the same text. An object with
        ``count_all(texts)``, such as a remote service, is asked for many sizes in one call.
    english : bool
        Of what the estimate "tokens" is: words of other languages have more tokens.

    Examples
    --------
    >>> find_counter("tokens").measure("Two words."), find_counter(len).measure("abc")
    (3, 3)
    """
    if isinstance(unit, str) and unit not in NAMES:
        raise OptionError(
            f"expected unit to be one of {', '.join(NAMES)}, a function of a text or a "
            f"tokenizer, got {unit!r}"
        )
    if not isinstance(unit, str | Unit) and callable(getattr(unit, "count_all", None)):
        return Unit(type(unit).__name__, _Bound(unit, _ask_one), additive=False)
    for name, (mark, count) in TOKENIZERS.items():
        if not isinstance(unit, str) and hasattr(unit, mark):
            return Unit(f"tokens ({name})", _Bound(unit, count), additive=False)
    if not (isinstance(unit, str | Unit) or callable(unit)):
        raise OptionError(
            "expected unit to be a name, a function of a text or a tokenizer, got "
            f"{type(unit).__name__}"
        )
    return ABROAD if unit == "tokens" and not english else find_unit(unit)


def _ask_one(counter: Any, text: str) -> float:
    """Ask a counter of many texts for one."""
    (size,) = counter.count_all([text])
    return float(size)


class _Bound:
    """A tokenizer and how to count with it; two of the same tokenizer are equal: they are keys."""

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
        The file is not one, or is damaged.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError(
            "counting with a tokenizer.json needs the package tokenizers: pip install tokenizers"
        ) from error
    content = Path(path).read_bytes()
    try:
        return Tokenizer.from_buffer(content)
    except Exception as error:  # the package raises no narrower one
        raise FileFormatError(f"{path}: expected a tokenizer.json ({error})") from error


def count_all(unit: Unit, texts: Iterable[str]) -> NDArray[np.float64]:
    """Count each text once.

    The estimate of tokens counts all of them in one pass; of other counters the last few thousand
    answers are remembered.

    Raises
    ------
    OptionError
        A counter gave no number, or a negative or infinite one.
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


def _ask_all(unit: Unit, texts: list[str]) -> NDArray[np.float64]:
    """Ask for the sizes of all distinct texts in one call."""
    asked = list(dict.fromkeys(texts))
    found = unit.measure.tokenizer.count_all(asked)  # type: ignore[attr-defined] # a `_Bound`
    if len(found) != len(asked):
        raise OptionError(
            f"unit={unit.name}: expected count_all to return {len(asked)} sizes, got {len(found)}"
        )
    told = dict(zip(asked, found, strict=True))
    return replace(unit, measure=told.__getitem__).costs(texts)


def is_estimate(unit: Unit) -> bool:
    """Whether a unit is the estimate of tokens, which is known of passages that were read."""
    return unit is UNITS["tokens"] or unit is ABROAD


def count(unit: Unit, text: str) -> float:
    """Count one text, which is not worth remembering."""
    return float(unit.costs([text])[0]) - unit.joint


def remaining(unit: Unit, budget: float, taken: float | str) -> float:
    """Give what is left of a budget behind a size or a text."""
    return max(budget - (count(unit, taken) if isinstance(taken, str) else taken), 0.0)


def count_before(unit: Unit, before: str, budget: float) -> float:
    """Count the units of the text that the context begins with; raise if they exceed the budget.

    Raises
    ------
    InfeasibleError
        It does not.
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
