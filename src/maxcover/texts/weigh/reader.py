"""Reader: reads the words, concepts and standing of sentences for a preset and a language."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from maxcover.engine.core.ascending import distinct, is_new
from maxcover.errors import OptionError
from maxcover.texts.judge.candidates import SENTENCE, Verdict, judge
from maxcover.texts.judge.predicates import Asked
from maxcover.texts.judge.speech import FILLERS
from maxcover.texts.read.kinds import find_heads
from maxcover.texts.split.sentences import split_sentences
from maxcover.texts.split.spans import Spans
from maxcover.texts.weigh.background import Background
from maxcover.texts.weigh.concepts import Occurrences, find_concepts
from maxcover.texts.weigh.presets import Preset
from maxcover.texts.weigh.relevance import (
    NEIGHBOUR,
    UNDER_HEAD,
    share_with_neighbours,
    weigh_asked,
)
from maxcover.texts.weigh.same_statement import find_retold
from maxcover.texts.words.character_counts import Looks
from maxcover.texts.words.languages import Language
from maxcover.texts.words.terms import Terms, find_terms
from maxcover.texts.words.units import UNITS


@dataclass(frozen=True)
class Reader:
    """Reads the words and concepts of texts according to a preset and a language."""

    how: Preset
    language: Language

    @cached_property
    def stemmer(self) -> str | None:
        """The name of the Snowball algorithm, or None."""
        return self.language.find_stemmer(self.how.stem)

    def check(self, background: Background) -> None:
        """Raise an error if the background table was made with another stemmer."""
        if background.stemmer != self.stemmer:
            raise OptionError(
                f"the background table was made with the stemmer {background.stemmer or 'none'!r}, "
                f"the corpus uses {self.stemmer or 'none'!r}; build the table again or set stem="
            )

    def read(
        self, texts: Iterable[str], *, stop_words: bool = False, spoken: bool = False
    ) -> Terms:
        """Return the words of texts; `stop_words` removes stop words whatever the preset says."""
        common = self.language.stop_words
        if spoken and self.language.code == "en":
            common |= FILLERS
        if self.how.delete:
            deletion = str.maketrans("", "", self.how.delete)
            texts = (text.translate(deletion) for text in texts)
        return find_terms(
            texts,
            stemmer=self.stemmer,
            stop_words=self.language.leave_out(self.how.stop_words or stop_words),
            common=common,
            elides=self.language.elides,
        )

    def judge(self, spans: Spans, looks: Looks) -> Verdict:
        """Rate how suitable each sentence is; all may be chosen if the preset is not `readable`."""
        n_rows = len(spans.said)
        if not self.how.readable:
            return Verdict(np.full(n_rows, SENTENCE, np.int8), [""] * n_rows)
        labelled = np.array(
            [
                bool(label) and not who and kind == "list item"
                for label, who, kind in zip(spans.labels, spans.speakers, spans.kinds, strict=True)
            ],
            np.bool_,
        )
        asked = Asked(
            said=spans.said,
            kinds=spans.kinds,
            n_words=UNITS["words"].costs(spans.said, looks).astype(np.int64),
            looks=looks,
            language=self.language,
            labelled=labelled,
        )
        return judge(asked)

    def forget(
        self, known: Sequence[str], terms: Terms, found: Occurrences, worth: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return `worth` with 0 for the concepts of known texts, and a mask of known sentences.

        A sentence is known if the known texts say it already; see `find_retold`.
        """
        spans = ((text, *span) for text in known for span in split_sentences(text, self.language))
        told = self.read(text[a:b] for text, a, b in spans)
        again = find_concepts(told, self.how.concepts)
        old = {again.labels[number] for number in distinct(again.ids).tolist()}
        is_old = np.fromiter((x in old for x in found.labels), np.bool_, len(found.labels))
        return np.where(is_old, 0.0, worth), find_retold(terms, told)

    def match(self, query: str, spans: Spans) -> NDArray[np.float64]:
        """Return how well each sentence, printed with its label, matches a query: from 0 to 1.

        The best sentence has 1; all have 0 if no word of the query but stop words occurs.
        """
        if not isinstance(query, str):
            raise OptionError(f"query= expected a text, got {type(query).__name__}")
        n_rows = len(spans.said)
        labelled = zip(spans.labels, spans.said, strict=True)
        said = self.read(f"{label} {text}" for label, text in labelled)
        asked = {*self.read([query], stop_words=True).labels}
        ids = np.array([k for k, label in enumerate(said.labels) if label in asked], np.int64)
        ids = ids[~said.common[ids]]
        pairs = distinct(said.rows.astype(np.int64) * len(said.labels) + said.ids)
        rows, words = np.divmod(pairs, max(1, len(said.labels)))
        weights = weigh_asked(ids, words, n_words=len(said.labels), n_sentences=n_rows)
        found: NDArray[np.float64] = np.bincount(rows, weights[words], n_rows).astype(np.float64)
        heads = find_heads(spans.kinds, spans.document)
        under = (heads >= 0) & (heads < np.arange(n_rows))
        found[under] += UNDER_HEAD * found[heads[under]]
        matches = (found / (found.max(initial=0.0) or 1.0)) ** 2
        beside = ~is_new(spans.document)[1:]
        near = NEIGHBOUR * share_with_neighbours(matches, beside)
        return np.asarray(np.maximum(matches, near))
