"""Prepare: documents in, a corpus with its coverage problem out."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, NamedTuple, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxcover.engine.core.validation import warn
from maxcover.errors import OptionError
from maxcover.ground.options import checked
from maxcover.texts.judge.candidates import FRAME, PART, SENTENCE, Verdict
from maxcover.texts.judge.rules import find_screen
from maxcover.texts.kernels.letters import number_runs
from maxcover.texts.read.blocks import Form
from maxcover.texts.read.given import Documents, find_documents
from maxcover.texts.read.kinds import find_transcripts, place_in_documents
from maxcover.texts.read.lines import LineMode
from maxcover.texts.split.display import put_label
from maxcover.texts.split.spans import Spans
from maxcover.texts.weigh.background import Background
from maxcover.texts.weigh.boosts import rank_candidates, weigh_sentences
from maxcover.texts.weigh.concepts import ConceptFunction, Occurrences, find_concepts
from maxcover.texts.weigh.corpus import Corpus
from maxcover.texts.weigh.incidence import Incidence
from maxcover.texts.weigh.presets import Preset, find_preset
from maxcover.texts.weigh.reader import Reader
from maxcover.texts.weigh.relevance import raise_early
from maxcover.texts.weigh.weights import WeightFunction, weigh
from maxcover.texts.words.character_counts import Looks
from maxcover.texts.words.detect import detect
from maxcover.texts.words.languages import Language, find_language
from maxcover.texts.words.terms import Terms
from maxcover.texts.words.units import Unit, UnitName, find_unit

LEAST_NEW = 0.2
"""If known texts have all concepts of a sentence, it keeps at least this share of its own weight:
"It did not close" may be news although its words are known."""

_Item = TypeVar("_Item", bound=np.generic)


class ReadingOptions(TypedDict, total=False):
    """The options of `prepare` except `unit`, for functions that pass them on."""

    language: str | Language
    preset: str | Preset
    concepts: str | ConceptFunction | None
    weights: str | WeightFunction | None
    stem: bool | str | None
    stop_words: bool | Collection[str] | None
    boost: float | None
    query: str
    background: Background | None
    lines: LineMode
    form: Form
    known: Documents


@checked
def prepare(
    documents: Documents,
    *,
    language: str | Language = "auto",
    preset: str | Preset = "default",
    concepts: str | ConceptFunction | None = None,
    weights: str | WeightFunction | None = None,
    stem: bool | str | None = None,
    stop_words: bool | Collection[str] | None = None,
    boost: float | None = None,
    query: str = "",
    background: Background | None = None,
    unit: UnitName | Callable[[str], float] | Unit = "words",
    lines: LineMode = "auto",
    form: Form = "auto",
    known: Documents = (),
) -> Corpus:
    """Turn documents into sentences, weighted concepts and costs.

    Parameters
    ----------
    documents : str, Path, mapping or iterable
        Texts, which are never changed, or anything else that `find_documents` reads.
    language : str or Language
        Language of the documents; see `LANGUAGES`. "auto" detects it; see `detect`.
    preset : str or Preset
        See `PRESETS`. The next five options, if given, override those of the preset.
    concepts, weights, stem, stop_words, boost
        See `Preset`.
    query : str
        Question or topic that sentences are matched with; see `Corpus.match`. Its stop words are
        ignored. Warns (`InputWarning`) if no sentence has a word of it.
    background : Background, optional
        Document frequencies for ``"tf-idf"``, made with the same stemmer.
    unit : str, callable or Unit
        Unit in which sentences cost; see `UNITS`.
    lines : {"auto", "break", "wrap"}
        Whether a line end ends a sentence; see `split_blocks`.
    form : {"auto", "text", "markdown", "transcript"}
        Markup of the documents, for readable presets; see `find_blocks`.
    known : str, Path, mapping or iterable
        Texts that the reader knows: their words and bigrams have no weight, and a sentence that
        they say already may not be chosen; see `find_retold`.

    Returns
    -------
    Corpus
        The same input always gives the same corpus. Concepts of weight zero are left out. There is
        no sentence if no document has a letter or digit.

    Notes
    -----
    Time and memory are linear in the length of the text, apart from sorting. The weight of a
    concept of any document's first sentence is multiplied by `boost`, once, however many first
    sentences contain it. The factor falls for later sentences, up to `Preset.reach`.

    Examples
    --------
    >>> documents = ["The cat sat. A cat ran.", "Dogs bark at the cat."]
    >>> corpus = prepare(documents, preset="plain")
    >>> len(corpus), corpus[1].text, corpus.labels, corpus.weights.tolist()
    (3, 'A cat ran.', ['the', 'cat', 'the cat'], [4.0, 6.0, 4.0])
    """
    given_documents = find_documents(documents)
    documents = given_documents.documents
    told = find_documents(known, option="known").documents
    size = find_unit(unit)
    language, sure = detect(documents) if language == "auto" else (find_language(language), True)
    size = size if language.spaced else size.unspaced()
    given = {"concepts": concepts, "weights": weights, "stem": stem, "stop_words": stop_words}
    how = _override(find_preset(preset), {**given, "boost": boost})
    reader = Reader(how, language)
    if background is not None:
        reader.check(background)
    forms = given_documents.forms(form) if how.readable else None
    reading = _read(reader, Spans.of(documents, language, lines=lines, forms=forms))
    worth = _weigh(reading, len(documents), background=background)
    own, standing = _weigh_sentences(reading, worth), reading.verdict.standing
    if told:
        news, retold = reader.forget(told, reading.terms, reading.concepts, worth)
        share = np.maximum(LEAST_NEW, _new_share(reading.incidence, worth, news, len(own)))
        share[retold] = 0.0
        own, worth = own * share, news
        standing = np.where(share > 0, standing, np.minimum(standing, FRAME)).astype(np.int8)
    spans, terms = reading.spans, reading.terms
    indptr, indices, elements = reading.incidence.compress(worth > 0)
    return Corpus(
        documents=documents,
        document=_frozen(spans.document),
        starts=_frozen(spans.starts),
        ends=_frozen(spans.ends),
        n_words=_frozen(np.diff(terms.indptr)),
        canonical=_frozen(reading.first),
        indptr=_frozen(indptr),
        indices=_frozen(indices),
        labels=reading.concepts.labels.only(elements),
        weights=_frozen(worth[elements]),
        costs=_frozen(_measure(reading, size)),
        unit=size,
        own=_frozen(own),
        match=_frozen(_match(reading, query)),
        standing=_frozen(standing),
        struck_by=tuple(reading.verdict.struck_by),
        texts=tuple(spans.said),
        speakers=tuple(spans.speakers),
        under=tuple(spans.labels),
        kinds=tuple(spans.kinds),
        terms=terms,
        language=language,
        sure=sure,
        n_known=len(told),
    )


class _Reading(NamedTuple):
    """The words, concepts and ratings (`Verdict`) of sentences, before concepts are weighed.

    Attributes
    ----------
    transcript : bool array
        Which sentences are in a transcript.
    first : int64 array
        For each sentence, the number of the first one with the same words.
    """

    reader: Reader
    spans: Spans
    terms: Terms
    concepts: Occurrences
    incidence: Incidence
    looks: Looks
    transcript: NDArray[np.bool_]
    first: NDArray[np.int64]
    verdict: Verdict


def _read(reader: Reader, spans: Spans) -> _Reading:
    """Read the words and concepts of sentences, and rate how suitable each is for a summary."""
    transcript = find_transcripts(spans.kinds, spans.document)
    terms = reader.read(spans.said, spoken=len(spans.kinds) > 0 and bool(transcript.all()))
    concepts = find_concepts(terms, reader.how.concepts)
    looks = Looks.of(spans.said, find_screen() if reader.how.readable else None)
    verdict = reader.judge(spans, looks)
    _strike_labels(verdict, spans)
    incidence = Incidence.of(concepts, len(spans.said))
    first = _find_first(terms)
    return _Reading(reader, spans, terms, concepts, incidence, looks, transcript, first, verdict)


def _strike_labels(verdict: Verdict, spans: Spans) -> None:
    """Exclude sentences that are labels of others, because labels are printed anyway."""
    labels = {*spans.labels} - {""}
    for row, said in enumerate(spans.said if labels else ()):
        if verdict.standing[row] > PART and said.rstrip(" :") in labels:
            verdict.standing[row], verdict.struck_by[row] = PART, "label"


def _weigh(
    reading: _Reading, n_documents: int, *, background: Background | None
) -> NDArray[np.float64]:
    """Return the weight of each concept, by its counts and its earliest place."""
    how, document = reading.reader.how, reading.spans.document
    incidence, standing = reading.incidence, reading.verdict.standing
    among = _among(standing, reading.first) if how.readable else np.ones(len(document), np.bool_)
    counts = incidence.count(document, n_documents, among=among, background=background)
    early = incidence.earliest(place_in_documents(document), among | (standing >= PART))
    worth = raise_early(weigh(counts, how.weights), early, boost=how.boost, reach=how.reach)
    if not np.isfinite(worth).all():
        raise OptionError("weights= and boost= together exceed the largest number; scale them down")
    return worth


def _match(reading: _Reading, query: str) -> NDArray[np.float64]:
    """Return how well each sentence matches the query; 0 for all without a query."""
    if not query:
        return np.zeros(len(reading.spans.said))
    match = reading.reader.match(query, reading.spans)
    if len(match) and not match.any():
        warn(
            f"query={query[:60]!r}: the documents have none of its words (stop words aside), so it "
            "changes nothing; ask with words of the documents"
        )
    return match


def _weigh_sentences(reading: _Reading, worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight that each sentence has besides its concepts; 0 if the preset gives none."""
    how, document = reading.reader.how, reading.spans.document
    if not how.lead:
        return np.zeros(len(document))
    among = reading.verdict.standing >= SENTENCE
    return weigh_sentences(
        how,
        document,
        transcript=reading.transcript,
        among=among,
        sizes=reading.looks.spaces + 1,
        ranks=rank_candidates(document, among),
        incidence=reading.incidence,
        worth=worth,
    )


def _measure(reading: _Reading, size: Unit) -> NDArray[np.float64]:
    """Return the cost of each sentence, printed with its label."""
    labels, said = reading.spans.labels, reading.spans.said
    if not any(labels):
        return size.costs(said, reading.looks)
    spaced = reading.reader.language.spaced
    return size.costs([put_label(*both, spaced=spaced) for both in zip(labels, said, strict=True)])


def _override(preset: Preset, given: dict[str, Any]) -> Preset:
    """Return the preset with the options of `given` that are not None."""
    changed = {name: value for name, value in given.items() if value is not None}
    return replace(preset, **changed) if changed else preset


def _among(standing: NDArray[np.int8], first: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which sentences count for weights: content without copies; all, if none is content."""
    among = (standing >= PART) & (first == np.arange(first.size))
    return among if among.any() else np.ones(first.size, np.bool_)


def _new_share(
    incidence: Incidence, worth: NDArray[np.float64], news: NDArray[np.float64], n_rows: int
) -> NDArray[np.float64]:
    """Return the share of each sentence's weight that is left when `news` replaces `worth`."""
    before, after = (
        np.bincount(incidence.rows, weights[incidence.ids], minlength=n_rows)
        for weights in (worth, news)
    )
    return np.divide(after, before, out=np.zeros(n_rows), where=before > 0)


def _find_first(terms: Terms) -> NDArray[np.int64]:
    """Return for each sentence the first sentence with the same words."""
    # Words are to a sentence what letters are to a spelling, which `number_runs` numbers.
    n_rows = terms.indptr.size - 1
    words, numbers = terms.words.view(np.uint32), np.empty(n_rows, np.int32)
    slots = np.full(1 << (2 * n_rows).bit_length(), -1, np.int32)
    room = np.empty(words.size, np.uint32), np.zeros(n_rows + 1, np.int64)
    number_runs(words, terms.indptr[:-1], terms.indptr[1:], slots, *room, 0, numbers)
    is_first = np.diff(np.maximum.accumulate(numbers), prepend=-1) > 0
    return np.flatnonzero(is_first)[numbers]


def _frozen(values: NDArray[_Item]) -> NDArray[_Item]:
    """Make an array read-only, in place, and return it."""
    values.flags.writeable = False
    return values
