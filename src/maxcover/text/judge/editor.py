"""Editor: how likely an editor would keep a sentence in a summary, read by itself. English.

A sentence means little in a summary if its pronoun refers to another sentence, if it has the broken
grammar of speech, or if it answers a question that is not shown. A logistic model of
`maxcover.text.judge.features` estimates how likely a sentence is kept. Its weights are in
``data/editor.tsv``, learned from sentences judged by hand (``experiments/editor.py``).
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maxcover.core.ascending import is_new
from maxcover.text.judge.features import NAMES, WIDTH, weigh_features
from maxcover.text.words.terms import Terms

ROUGH = 0.2
"""A transcript is unedited talk if at least this share of its utterances have fewer than five
words."""

SHORT = 5

GOOD = 0.5
"""Sentences at or above this probability of being kept are always candidates. With 0.8 instead,
ROUGE-1 recall falls by 0.013."""

LEANING = 0.45
"""Highest probability of being kept for a sentence whose first words refer to another sentence, so
that other sentences are preferred."""


def find_kept(
    terms: Terms,
    said: Sequence[str],
    *,
    document: NDArray[np.int64],
    speech: NDArray[np.bool_],
    among: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Estimate the probability that an editor keeps each sentence of `among`; 0 for all others.

    Parameters
    ----------
    terms : Terms
        The words of all sentences.
    said : sequence of str
        All sentences.
    document : int64 array
        Document number of each sentence.
    speech : bool array
        Which sentences are utterances.
    among : int64 array
        Numbers of the sentences to judge, ascending.

    Examples
    --------
    >>> from maxcover.text.words.terms import find_terms
    >>> said = ["The port of Bremen needs a new crane this year.", "But it was not really that."]
    >>> kept = find_kept(
    ...     find_terms(said, stemmer="english"),
    ...     said,
    ...     document=np.zeros(2, np.int64),
    ...     speech=np.zeros(2, np.bool_),
    ...     among=np.arange(2),
    ... )
    >>> kept.round(1)
    array([0.7, 0.1])
    """
    bias, weights = _read_weights()
    rough = find_rough(terms, document, speech).astype(np.uint8)
    logits, leaning = weigh_features(
        terms, said, document=document, among=among, weights=weights, table=rough
    )
    kept = np.zeros(len(said))
    kept[among] = 1 / (1 + np.exp(-logits[among] - bias[rough[among]]))
    kept[leaning] = np.minimum(kept[leaning], LEANING)
    return kept


def find_rough(
    terms: Terms, document: NDArray[np.int64], speech: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return True for utterances in unedited talk, that is, where many utterances are short."""
    if not speech.any():
        return speech
    short = speech & (np.diff(terms.indptr) < SHORT)
    number = np.cumsum(is_new(document)) - 1
    share = np.bincount(number, short) / np.maximum(1, np.bincount(number, speech))
    return np.asarray(speech & (share[number] >= ROUGH))


@cache
def _read_weights() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read the bias and the feature weights; entry 0 is for edited text, 1 for unedited talk."""
    number = {name: place for place, name in enumerate(NAMES)}
    bias, weights = np.zeros(2), np.zeros((2, WIDTH))
    table = Path(__file__).parents[1] / "data" / "editor.tsv"
    for line in table.read_text(encoding="utf-8").splitlines()[1:]:
        name, edited, talk = line.split("\t")
        if name == "(bias)":
            bias[:] = float(edited), float(talk)
        else:
            weights[:, number[name]] = float(edited), float(talk)
    return bias, weights
