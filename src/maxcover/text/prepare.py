"""Prepare: documents in, a corpus with its coverage problem out."""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxcover.errors import OptionError
from maxcover.text.background import Background
from maxcover.text.concepts import ConceptFunction, find_concepts
from maxcover.text.corpus import Corpus
from maxcover.text.incidence import Incidence, is_new
from maxcover.text.languages import Language, find_language
from maxcover.text.lines import LineMode
from maxcover.text.presets import Preset, find_preset
from maxcover.text.relevance import raise_early, raise_relevant
from maxcover.text.sentences import split
from maxcover.text.stems import find_stemmer
from maxcover.text.stopwords import find_stop_words
from maxcover.text.terms import Terms, find_terms
from maxcover.text.units import Unit, find_unit
from maxcover.text.weights import WeightFunction, weigh

_Item = TypeVar("_Item", bound=np.generic)


class Reading(TypedDict, total=False):
    """The options of `prepare`, but for `unit`: for functions that hand them through."""

    language: str | Language
    preset: str | Preset
    concepts: str | ConceptFunction | None
    weights: str | WeightFunction | None
    stem: bool | str | None
    stop_words: bool | Collection[str] | None
    boost: float | None
    query: str
    background: Background | None
    min_words: int
    lines: LineMode


def prepare(
    documents: Sequence[str],
    *,
    language: str | Language = "english",
    preset: str | Preset = "default",
    concepts: str | ConceptFunction | None = None,
    weights: str | WeightFunction | None = None,
    stem: bool | str | None = None,
    stop_words: bool | Collection[str] | None = None,
    boost: float | None = None,
    query: str = "",
    background: Background | None = None,
    min_words: int = 1,
    unit: str | Callable[[str], float] | Unit = "words",
    lines: LineMode = "auto",
) -> Corpus:
    """Turn documents into sentences, weighted concepts and costs.

    Parameters
    ----------
    documents : sequence of str
        Read as they are, never changed.
    language : str or Language
        Of the documents; see `LANGUAGES`.
    preset : str or Preset
        See `PRESETS`. The next five options, where given, take the place of the preset's.
    concepts, weights, stem, stop_words, boost
        See `Preset`.
    query : str
        Raises the weight of what it asks for, as `raise_relevant` says. Stop words in it are
        passed over.
    background : Background, optional
        Document frequencies for ``"tf-idf"``, made with the same stemmer.
    min_words : int
        Shorter sentences (in words) are left out; their words still count for the weights.
    unit : str, callable or Unit
        What sentences cost; see `UNITS`.
    lines : {"auto", "break", "wrap"}
        Whether a line end ends a sentence; see `split_blocks`.

    Returns
    -------
    Corpus
        The same for the same input. Concepts of weight zero are left out. There may be no
        sentence at all, if no document holds a letter or digit.

    Notes
    -----
    Time and memory are linear in the length of the text, but for sorting. A concept of any
    document's first sentence has `boost` times its weight, once, however many first sentences hold
    it; the sentences after it less and less, as far as `Preset.reach`.

    Examples
    --------
    >>> corpus = prepare(["The cat sat. A cat ran.", "Dogs bark at the cat."])
    >>> len(corpus), corpus[1].text, corpus.labels, corpus.weights.tolist()
    (3, 'A cat ran.', ['the', 'cat', 'the cat'], [4.0, 6.0, 4.0])
    """
    documents = _check_documents(documents)
    known, size = find_language(language), find_unit(unit)
    given = {"concepts": concepts, "weights": weights, "stem": stem, "stop_words": stop_words}
    how = _override(find_preset(preset), {**given, "boost": boost})
    reader = _Reader(how, known)
    if background is not None:
        reader.check(background)

    document, starts, ends = _find_spans(documents, known, lines)
    places = zip(document.tolist(), starts.tolist(), ends.tolist(), strict=True)
    texts = [documents[d][start:end] for d, start, end in places]
    terms = reader.read(texts)
    incidence = Incidence.of(find_concepts(terms, how.concepts), len(texts))
    worth = weigh(incidence.count(document, len(documents), background), how.weights)
    early = incidence.earliest(_places(document))
    worth = raise_early(worth, early, boost=how.boost, reach=how.reach)
    if query:
        asked = reader.ask(query, incidence.found.labels)
        worth = raise_relevant(worth, asked, rows=incidence.rows, indices=incidence.ids)
    if not np.isfinite(worth).all():
        raise OptionError("weights= and boost= together exceed the largest number; scale them down")

    n_words = np.diff(terms.indptr)
    kept = n_words >= min_words
    indptr, indices, elements = incidence.compress(kept, worth > 0)
    return Corpus(
        documents=documents,
        document=_frozen(document[kept]),
        starts=_frozen(starts[kept]),
        ends=_frozen(ends[kept]),
        n_words=_frozen(n_words[kept]),
        canonical=_frozen(_find_first(terms, np.flatnonzero(kept))),
        indptr=_frozen(indptr),
        indices=_frozen(indices),
        labels=[incidence.found.labels[element] for element in elements.tolist()],
        weights=_frozen(worth[elements]),
        costs=_frozen(size.costs(compress(texts, kept.tolist()))),
        unit=size,
    )


class _Reader:
    """Reads words and concepts the way a preset and a language say."""

    def __init__(self, how: Preset, language: Language) -> None:
        self.how = how
        self.language = language
        self.stemmer = find_stemmer(how.stem, language)
        self._deletion = str.maketrans("", "", how.delete)

    def check(self, background: Background) -> None:
        """Refuse a background table whose terms are made in another way."""
        if background.stemmer != self.stemmer:
            raise OptionError(
                f"the background table was made with the stemmer {background.stemmer or 'none'!r}, "
                f"the corpus uses {self.stemmer or 'none'!r}; build the table again or set stem="
            )

    def read(self, texts: Iterable[str], *, stop_words: bool = False) -> Terms:
        """Read the words of sentences; `stop_words` removes them even if the preset does not."""
        if self.how.delete:
            texts = (text.translate(self._deletion) for text in texts)
        return find_terms(
            texts,
            stemmer=self.stemmer,
            stop_words=find_stop_words(self.how.stop_words or stop_words, self.language),
            elides=self.language.elides,
        )

    def ask(self, query: str, labels: list[Hashable]) -> NDArray[np.int64]:
        """Find the concepts of a query among those of the corpus."""
        if not isinstance(query, str):
            raise OptionError(f"query= expected a text, got {type(query).__name__}")
        asked = find_concepts(self.read([query], stop_words=True), self.how.concepts)
        wanted = {asked.labels[number] for number in asked.ids.tolist()}
        return np.flatnonzero(np.fromiter((x in wanted for x in labels), np.bool_, len(labels)))


def _check_documents(documents: Sequence[str]) -> tuple[str, ...]:
    """Refuse what is not a sequence of texts, above all one text, whose items are characters."""
    if isinstance(documents, str):
        raise OptionError("expected a list of documents, got one text; write [text]")
    documents = tuple(documents)
    for number, document in enumerate(documents):
        if not isinstance(document, str):
            raise OptionError(
                f"documents[{number}]: expected a text (str), got {type(document).__name__}"
            )
    return documents


def _override(preset: Preset, given: dict[str, Any]) -> Preset:
    """Replace what the caller gave."""
    return replace(preset, **{name: value for name, value in given.items() if value is not None})


def _find_spans(
    documents: Sequence[str], language: Language, lines: LineMode
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Split every document: number of the document, start and end of each sentence."""
    spans = [split(document, language, lines=lines) for document in documents]
    counts = [len(found) for found in spans]
    flat = np.array([edge for found in spans for span in found for edge in span], np.int64)
    return np.repeat(np.arange(len(spans)), counts), flat[0::2], flat[1::2]


def _places(document: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give each sentence its place in its document, from 0."""
    starts = np.flatnonzero(is_new(document))
    lengths = np.diff(np.append(starts, document.size))
    return np.arange(document.size) - np.repeat(starts, lengths)


def _find_first(terms: Terms, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each of `rows`, the place in it of the first one with the same words."""
    seen: dict[bytes, int] = {}
    starts, ends = terms.indptr[rows].tolist(), terms.indptr[rows + 1].tolist()
    keys = (terms.words[a:b].tobytes() for a, b in zip(starts, ends, strict=True))
    firsts = (seen.setdefault(key, place) for place, key in enumerate(keys))
    return np.fromiter(firsts, np.int64, len(rows))


def _frozen(values: NDArray[_Item]) -> NDArray[_Item]:
    """Make an array of our own read-only."""
    values.flags.writeable = False
    return values
