"""Spans: the sentences of all documents, where they stand and what they are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxcover.text.blocks import Form
from maxcover.text.languages import Language
from maxcover.text.lines import LineMode
from maxcover.text.sentences import read, split


@dataclass(frozen=True, slots=True)
class Spans:
    """Sentences of documents, one entry each.

    Attributes
    ----------
    document, starts, ends : int64 arrays
        ``documents[document][start:end]`` is the sentence.
    kinds : list of str
        Of the block that it stands in; see `KINDS`.
    texts, said : list of str
        The sentence, and the same without the name of a speaker.
    """

    document: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    kinds: list[str]
    texts: list[str]
    said: list[str]

    @property
    def spoken(self) -> bool:
        """Whether they are a transcript, or some of them."""
        return "speech" in self.kinds

    @classmethod
    def of(
        cls,
        documents: Sequence[str],
        language: Language,
        *,
        lines: LineMode,
        form: Form | None,
    ) -> "Spans":
        """Split every document; without a form, into sentences that are all of one kind."""
        document, starts, ends, kinds, texts, said = [], [], [], [], [], []
        for number, text in enumerate(documents):
            for start, end, body, kind in _pieces(text, language, lines, form):
                document.append(number)
                starts.append(start)
                ends.append(end)
                kinds.append(kind)
                texts.append(text[start:end])
                said.append(texts[-1] if body == start else text[body:end])
        places = [np.array(edge, np.int64) for edge in (document, starts, ends)]
        return cls(places[0], places[1], places[2], kinds, texts, said)


def _pieces(
    text: str, language: Language, lines: LineMode, form: Form | None
) -> Iterable[tuple[int, int, int, str]]:
    if form is not None:
        return read(text, language, lines=lines, form=form)
    return ((start, end, start, "paragraph") for start, end in split(text, language, lines=lines))
