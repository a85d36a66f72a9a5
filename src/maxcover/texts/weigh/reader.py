"""Reader: reads the words, concepts and standing of sentences for a preset and a language."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from maxcover.engine.core.ascending import distinct
from maxcover.errors import OptionError
from maxcover.texts.judge.candidates import SENTENCE, Verdict, judge
from maxcover.texts.judge.predicates import Asked
from maxcover.texts.judge.speech import FILLERS
from maxcover.texts.split.sentences import split_sentences
from maxcover.texts.split.spans import Spans
from maxcover.texts.weigh.background import Background
from maxcover.texts.weigh.concepts import Occurrences, find_concepts
from maxcover.texts.weigh.presets import Preset
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

    def judge(self, spans: Spans, terms: Terms, looks: Looks) -> Verdict:
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
            document=spans.document,
            terms=terms,
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

    def ask(self, query: str, labels: Sequence[Hashable]) -> NDArray[np.int64]:
        """Return the indices of the labels that are concepts of the query."""
        if not isinstance(query, str):
            raise OptionError(f"query= expected a text, got {type(query).__name__}")
        asked = find_concepts(self.read([query], stop_words=True), self.how.concepts)
        wanted = {asked.labels[number] for number in asked.ids.tolist()}
        return np.flatnonzero(np.fromiter((x in wanted for x in labels), np.bool_, len(labels)))
