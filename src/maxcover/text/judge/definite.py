"""Definite: sentences about a thing that their paragraph named before."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from maxcover.text.split.spans import Spans

ARTICLE = "The "


def find_definite(
    documents: Sequence[str], spans: Spans, among: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Find sentences inside a paragraph that begin with "The" and no name, in English prose.

    A paragraph that starts so explains its subject or may take it for known. Later in it, the
    sentence before has mostly named it: of such sentences in news an editor strikes every second.

    Parameters
    ----------
    documents : sequence of str
    spans : Spans
        Their sentences.
    among : int64 array
        Those asked about, ascending.

    Examples
    --------
    >>> from maxcover.text.words.languages import find_language
    >>> documents = ["The old doctor spoke. The jury left.", "The Senate met. The Senate left."]
    >>> spans = Spans.of(documents, find_language("english"), lines="auto", form="auto")
    >>> find_definite(documents, spans, np.arange(4)).tolist()
    [1]
    """
    said = spans.said
    rows = [row for row in among.tolist() if said[row].startswith(ARTICLE)]
    definite = [row for row in rows if said[row][len(ARTICLE) : len(ARTICLE) + 1].islower()]
    return np.array([row for row in definite if _continues(documents, spans, row)], np.int64)


def find_later(
    documents: Sequence[str], spans: Spans, among: NDArray[np.int64]
) -> NDArray[np.int64]:
    r"""Find the sentences of `among` that are not the first of their paragraph.

    Examples
    --------
    >>> from maxcover.text.words.languages import find_language
    >>> documents = ["Le port ferme. La grue est vieille.\n\nLe maire parle."]
    >>> spans = Spans.of(documents, find_language("french"), lines="auto", form="auto")
    >>> find_later(documents, spans, np.arange(3)).tolist()
    [1]
    """
    return np.array([row for row in among.tolist() if _continues(documents, spans, row)], np.int64)


def _continues(documents: Sequence[str], spans: Spans, row: int) -> bool:
    """Tell whether another sentence stands before this one in its paragraph."""
    before = row - 1
    if row == 0 or spans.document[before] != spans.document[row]:
        return False
    text = documents[int(spans.document[row])]
    start, middle = int(spans.starts[before]), int(spans.ends[before])
    between = text[middle : int(spans.starts[row])]
    if between.strip() or spans.kinds[before] != spans.kinds[row]:
        return False
    # a line end ends a paragraph, unless lines are wrapped: then sentences hold some too
    wrapped = "\n" in text[start:middle] or "\n" in text[int(spans.starts[row]) : spans.ends[row]]
    return between.count("\n") <= int(wrapped)
