"""Spans: the sentences of all documents, with their offsets, kinds and printed texts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from maxcover.texts.read.blocks import Form, find_mode, is_markdown
from maxcover.texts.read.lines import LineMode
from maxcover.texts.read.unmark import NOTHING, unmark
from maxcover.texts.split.display import (
    find_targets,
    has_breaks,
    has_tags,
    print_asides,
    print_item,
    print_line,
    print_links,
    print_markdown,
    print_spoken,
    print_tags,
    print_unmarked,
)
from maxcover.texts.split.sentences import SentencePieces, read, split_each
from maxcover.texts.words.codepoints import Written
from maxcover.texts.words.languages import Language

# Marks that follow the number or letter of a list item.
_BEHIND_NUMBER = frozenset(".)")


@dataclass(frozen=True, slots=True)
class Spans:
    """All sentences of all documents; each attribute has one entry per sentence.

    Attributes
    ----------
    document, starts, ends : int64 arrays
        ``documents[document][start:end]`` is the sentence.
    kinds : list of str
        Kind of the block that the sentence is in; see `KINDS`.
    said : Written
        The sentence as it is printed (`maxcover.texts.split.display`).
    speakers : list of str
        The speaker, in talk, mail and threads; otherwise "".
    labels : list of str
        The words printed before the sentence: its speaker, a heading or a lead-in; or "".
    """

    document: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    kinds: list[str]
    said: Written
    speakers: list[str]
    labels: list[str]

    @classmethod
    def of(
        cls,
        documents: Sequence[str],
        language: Language,
        *,
        lines: LineMode,
        forms: Sequence[Form] | None,
    ) -> "Spans":
        """Split every document; if `forms` is None, each sentence gets the kind "paragraph"."""
        starts: list[int] = []
        ends: list[int] = []
        kinds: list[str] = []
        said: list[str] = []
        speakers: list[str] = []
        labels: list[str] = []
        counts = []
        modes = [lines] * len(documents)
        if forms is not None:
            modes = list(map(find_mode, documents, forms, modes))
            documents = list(map(unmark, documents, forms))
        pieces = _pieces(documents, language, modes, forms)
        for text, own, form in zip(documents, pieces, forms or repeat(None), strict=False):
            words = _print(text, own, language, form)
            starts += own.starts
            ends += own.ends
            kinds += own.kinds
            said += words
            speakers += own.speakers
            labels += _print_labels(text, own, form)
            counts.append(len(words))
        return cls(
            document=np.repeat(np.arange(len(counts)), counts),
            starts=np.array(starts, np.int64),
            ends=np.array(ends, np.int64),
            kinds=kinds,
            said=Written(said),
            speakers=speakers,
            labels=labels,
        )


def _print_labels(text: str, found: SentencePieces, form: Form | None) -> list[str]:
    """Return the label of each sentence (its speaker, heading or lead-in), without markup."""
    if not any(found.labels):
        return found.speakers
    labels = [label or who for who, label in zip(found.speakers, found.labels, strict=True)]
    marked = form == "markdown" or (form == "auto" and is_markdown(text))
    shown: dict[str, str] = {"": ""}
    for label in {*found.labels} - {""}:
        words = print_unmarked(print_markdown(label) if marked else label)
        shown[label] = print_item(words) if words[:1] == "(" else words
    return [shown.get(label, label) for label in labels]


def _print(text: str, found: SentencePieces, language: Language, form: Form | None) -> list[str]:
    """Return the sentences of a document as a summary shows them, without speakers' names."""
    rows = zip(found.starts, found.bodies, found.ends, strict=True)
    words = [text[b:end] if b == a else _begin(text[b:end]) for a, b, end in rows]
    if NOTHING in text:
        words = [print_unmarked(one) if NOTHING in one else one for one in words]
    if has_breaks(text):
        words = [
            print_line(one, quoted=kind == "quotation", spaced=language.spaced)
            for one, kind in zip(words, found.kinds, strict=True)
        ]
    for row, kind in enumerate(found.kinds[:-1], 1):
        if kind == "greeting":  # German continues "Hallo Petra," in lower case.
            words[row] = words[row][:1].upper() + words[row][1:]
    if language.code == "en":
        words = [
            print_item(one) if one[:1] == "(" or not _BEHIND_NUMBER.isdisjoint(one[1:3]) else one
            for one in words
        ]
        for row, kind in enumerate(found.kinds):
            words[row] = print_spoken(words[row]) if kind == "speech" else words[row]
    steps: list[Callable[[str], str]] = []
    if form == "markdown" or (form == "auto" and is_markdown(text)):
        steps.append(partial(print_markdown, targets=find_targets(text)))
    elif form is not None and "](" in text:
        steps.append(print_links)
    if form is not None and "://" in text:
        steps.append(print_asides)
    if form is not None and has_tags(text):
        steps.append(print_tags)
    for step in steps:
        words = [step(one) or one for one in words]
    return words


def _begin(text: str) -> str:
    """Capitalise `text`, which followed a speaker's name, if its first word is all lower case."""
    first = text.partition(" ")[0].rstrip(",:;")
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text


def _pieces(
    texts: Sequence[str], language: Language, modes: list[LineMode], forms: Sequence[Form] | None
) -> Iterator[SentencePieces]:
    if forms is not None:
        yield from read(texts, language, forms, modes)
        return
    for spans in split_each(texts, language, lines=next(iter(modes), "auto")):
        starts, ends = [start for start, _ in spans], [end for _, end in spans]
        nothing = [""] * len(spans)
        yield SentencePieces(starts, ends, starts, ["paragraph"] * len(spans), nothing, nothing)
