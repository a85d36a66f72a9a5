"""Units: ways to measure a text, for the costs of sentences and for budgets."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxcover.errors import OptionError
from maxcover.texts.words.character_counts import Looks
from maxcover.texts.words.estimate import estimate_all, estimate_tokens
from maxcover.texts.words.tokens import unspaced

JOINER, LINE = " ", "\n"
"""Separators between the sentences of a summary: in a paragraph, and where a new line begins. Both
are white space, one character and one byte."""

_PHRASE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f]+")
# Units whose sizes add up even if no white space separates the sentences.
_SIMPLE = frozenset({"characters", "bytes", "sentences"})
_LETTERS_OR_DIGITS = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Unit:
    """A way of counting text.

    Attributes
    ----------
    name : str
    measure : callable
        Function that returns the size of a text.
    joint : float
        Size of the joiner between two sentences.
    additive : bool
        The size of a summary is ``sum(measure(t) + joint for t in sentences) - joint``, which is
        that of the joined text (a sentence is one sentence, whatever it holds). Then costs of
        ``measure + joint`` against a budget of ``budget + joint`` are exact. If False, the printed
        text has to be measured and, if it is too long, shortened.
    """

    name: str
    measure: Callable[[str], float]
    joint: float = 0.0
    additive: bool = True

    def unspaced(self) -> "Unit":
        """Return this unit for text without white space between its sentences."""
        # Words do not add up: "2 月。" and "3 月。" have two each, but "2 月。3 月。" has three.
        return replace(self, joint=0.0, additive=self.additive and self.name in _SIMPLE)

    def costs(self, sentences: Iterable[str], looks: Looks | None = None) -> NDArray[np.float64]:
        """Return the cost of each sentence including its joiner.

        `looks`, if given, are the character counts of the sentences, so that they are not counted
        again.

        Raises
        ------
        OptionError
            A caller's counter gave something that is no number, not finite or negative.
        """
        at_once = next((many for one, many in _MANY if one is self.measure), None)
        try:
            if at_once is not None:
                return at_once(list(sentences), looks) + self.joint
            costs = np.fromiter(map(self.measure, sentences), np.float64) + self.joint
        except (TypeError, ValueError) as error:
            raise OptionError(f"unit={self.name}: returned no number ({error})") from error
        if not np.isfinite(costs).all() or (costs < 0).any():
            raise OptionError(f"unit={self.name}: a cost has to be finite and not negative")
        return costs


def count_words(text: str) -> int:
    """Count words as ``wc -w`` does; scripts without spaces are counted as in word processors.

    A chunk between white space is one word if its script uses spaces. Otherwise every Han or kana
    character is a word, every five characters of Thai, Lao, Khmer or Burmese are one (the mean
    length of a word), and the rest of the chunk is one more if it has a letter or digit. The count
    is never less than ``len(text.split())``.

    Examples
    --------
    >>> count_words("A well-known fact - no more."), count_words("東京は晴れ。")
    (6, 5)
    """
    chunks = text.split()
    if text.isascii() or unspaced().search(text) is None:
        return len(chunks)
    return sum(map(_count_chunk, chunks))


def _count_all(texts: list[str], looks: Looks | None) -> NDArray[np.float64]:
    """Count the words of many texts as `count_words` does."""
    looks = looks or Looks.of(texts)
    counts = looks.chunks.astype(np.float64)
    for row in np.flatnonzero(~looks.spaced).tolist():
        counts[row] = count_words(texts[row])
    return counts


@cache
def _ideograph() -> re.Pattern[str]:
    return re.compile(
        "[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
        "\U00020000-\U0003ffff]"
    )


def _count_chunk(chunk: str) -> int:
    """Count the words of a chunk without white space."""
    rest, ideographs = _ideograph().subn(" ", chunk)
    phrases = sum(-(-len(run) // 5) for run in _PHRASE.findall(rest))
    rest = _PHRASE.sub(" ", rest)
    return max(1, ideographs + phrases + bool(_LETTERS_OR_DIGITS.search(rest)))


def count_bytes(text: str) -> int:
    """Count the bytes of a text in UTF-8; a lone surrogate, which has no UTF-8 form, counts 3."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _count_one(text: str) -> int:
    """Return 1 for any sentence, and 0 for an empty text."""
    return 1 if text else 0


#: The names of `UNITS`, for type checkers.
UnitName = Literal["words", "characters", "bytes", "sentences", "tokens"]

#: The units by name.
UNITS: dict[str, Unit] = {
    "words": Unit("words", count_words),
    "characters": Unit("characters", len, joint=1.0),
    "bytes": Unit("bytes", count_bytes, joint=1.0),
    "sentences": Unit("sentences", _count_one),
    "tokens": Unit("tokens", estimate_tokens),
}

# Faster versions of some counting functions, for many texts at once.
_AtOnce: TypeAlias = Callable[[list[str], Looks | None], NDArray[np.float64]]
_MANY: tuple[tuple[Callable[[str], float], _AtOnce], ...] = (
    (count_words, _count_all),
    (estimate_tokens, lambda texts, _: estimate_all(texts)),
)


def find_unit(unit: str | Callable[[str], float] | Unit) -> Unit:
    """Return the unit with this name, or make a unit of a caller's counting function.

    Parameters
    ----------
    unit : {"words", "characters", "bytes", "sentences", "tokens"} or callable
        A callable takes a text and returns its size. It is not assumed to be additive.

    Examples
    --------
    >>> find_unit("bytes").measure("é"), find_unit(str.__len__).additive
    (2, False)
    """
    if isinstance(unit, Unit):
        return unit
    if callable(unit):
        return Unit(getattr(unit, "__name__", "callable"), unit, additive=False)
    if unit not in UNITS:
        raise OptionError(
            f"unknown unit {unit!r}; expected {', '.join(UNITS)} or a function of a text"
        )
    return UNITS[unit]
