"""Spans: the sentences of all documents, where they stand and what they are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxcover.text.blocks import Form, is_markdown
from maxcover.text.languages import Language
from maxcover.text.lines import LineMode
from maxcover.text.printed import (
    has_tags,
    print_item,
    print_labelled,
    print_line,
    print_markdown,
    print_speech,
    print_tags,
)
from maxcover.text.sentences import read, split_each

# What the number or letter of an item begins with.
_NUMBERED = frozenset("(0123456789abcdefghijklmnopqrstuvwxyz")


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
        The sentence as it is printed (`maxcover.text.printed`), and the same without the name of a
        speaker.
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
        tidy = language.code == "en"
        found = _pieces(documents, language, lines, form)
        for number, (text, pieces) in enumerate(zip(documents, found, strict=True)):
            marked = form == "markdown" or (form == "auto" and is_markdown(text))
            tagged = form is not None and has_tags(text)
            for start, end, body, kind in pieces:
                document.append(number)
                starts.append(start)
                ends.append(end)
                kinds.append(kind)
                quoted = kind == "quotation"
                words = print_line(text[body:end], quoted=quoted, spaced=language.spaced)
                if tidy and words[:1] in _NUMBERED:
                    words = print_item(words)
                if tidy and form is not None and ": " in words and kind != "speech":
                    words = print_labelled(words)
                if kind == "speech" and tidy:
                    words = print_speech(words) or words
                elif marked:
                    words = print_markdown(words) or words
                if tagged:
                    words = print_tags(words) or words
                said.append(words)
                texts.append(words if body == start else print_line(text[start:body]) + words)
        places = [np.array(edge, np.int64) for edge in (document, starts, ends)]
        return cls(places[0], places[1], places[2], kinds, texts, said)


def _pieces(
    texts: Sequence[str], language: Language, lines: LineMode, form: Form | None
) -> Iterable[Iterable[tuple[int, int, int, str]]]:
    if form is not None:
        return read(texts, language, lines=lines, form=form)
    return (
        [(start, end, start, "paragraph") for start, end in spans]
        for spans in split_each(texts, language, lines=lines)
    )
