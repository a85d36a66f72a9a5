"""Lookup: finds sentences of a corpus by text, number or pattern."""

import re
from collections.abc import Iterable
from operator import index as whole_number
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxcover.errors import OptionError
from maxcover.texts.weigh.corpus import Corpus

#: Names a sentence by its text, its number in reading order, or a pattern that matches in it.
Choice: TypeAlias = str | int | re.Pattern[str]


def find_sentences(
    corpus: Corpus, choices: Iterable[Choice] | Choice, *, option: str = "choices"
) -> NDArray[np.int64]:
    """Return the numbers of the sentences that `choices` name by text, number or pattern.

    Parameters
    ----------
    corpus : Corpus
    choices : str, int, compiled pattern, or an iterable of them
        A text names every sentence with the same text, as it stands in its document or as it is
        printed, ignoring white space. A number names the sentence with that number, from 0. A
        pattern names every sentence in which it matches.
    option : str
        Name of the option, for error messages.

    Returns
    -------
    int64 array
        Ascending, without repetitions.

    Raises
    ------
    OptionError
        One of the choices names no sentence.

    Examples
    --------
    >>> from maxcover.texts import prepare
    >>> corpus = prepare(["Cats purr. Dogs bark. Cats sleep."])
    >>> find_sentences(corpus, [1, "Cats  sleep."]), find_sentences(corpus, re.compile("^Cats"))
    (array([1, 2]), array([0, 2]))
    """
    if isinstance(choices, str | re.Pattern) or not isinstance(choices, Iterable):
        choices = [choices]
    found: set[int] = set()
    for choice in choices:
        meant = _matches(corpus, choice)
        if not meant:
            raise OptionError(
                f"{option}: no sentence is meant by {_shown(choice)}; expected the text of a whole "
                f"sentence, a number below {len(corpus)} or a compiled pattern that finds something"
            )
        found.update(meant)
    return np.array(sorted(found), dtype=np.int64)


def _matches(corpus: Corpus, choice: Choice) -> list[int]:
    if isinstance(choice, re.Pattern):
        return [i for i, sentence in enumerate(corpus) if choice.search(sentence.text)]
    if isinstance(choice, str):
        wanted = choice.split()
        rows = zip(corpus, corpus.texts, strict=True)
        return [
            i for i, (one, shown) in enumerate(rows) if wanted in (one.text.split(), shown.split())
        ]
    try:
        number = whole_number(choice)
    except TypeError:
        return []
    return [number] if 0 <= number < len(corpus) else []


def _shown(choice: Choice) -> str:
    return f"the pattern {choice.pattern!r}" if isinstance(choice, re.Pattern) else repr(choice)
