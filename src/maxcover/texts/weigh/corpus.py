"""Corpus: sentences with their offsets, and the coverage problem made from them."""

import math
import sys
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from maxcover.engine.core.ascending import difference, union
from maxcover.engine.core.problem import CoverageProblem
from maxcover.errors import OptionError
from maxcover.texts.judge.candidates import PART, SENTENCE
from maxcover.texts.read.kinds import choosable
from maxcover.texts.split.display import put_label
from maxcover.texts.weigh.same_statement import find_stances, find_valued
from maxcover.texts.words.languages import Language
from maxcover.texts.words.terms import Terms
from maxcover.texts.words.units import JOINER, LINE, Unit
from maxcover.texts.words.vocabulary import ConceptNames

#: Ways to order chosen sentences: as in the documents, or the most valuable first.
OrderName = Literal["reading", "gain"]
ORDERS: tuple[str, ...] = get_args(OrderName)


LEAST, MOST = 50.0, 250.0
"""Smallest and largest default budget in words."""

CHARACTERS = 2.0
"""Factor for default budgets in Japanese and Chinese, where every character counts as a word."""

PLACE: Final = "(its place)"
"""The label of the element that stands for a sentence's own weight, which it has for its position
and for being readable alone."""


class Sentence(NamedTuple):
    """One sentence: ``documents[document][start:end] == text``."""

    document: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Documents as sentences and weighted concepts: what `prepare` returns.

    All arrays are read-only.

    Attributes
    ----------
    documents : tuple of str
        As given.
    document, starts, ends : int64 arrays (n_sentences)
        Where each sentence is, in reading order.
    n_words : int64 array (n_sentences)
        Words of each sentence, stop words included.
    canonical : int64 array (n_sentences)
        Number of the first sentence with the same words after normalisation, perhaps its own.
    indptr : int64 array (n_sentences + 1)
    indices : int32 array
        CSR: the concepts of sentence i are ``indices[indptr[i]:indptr[i + 1]]``, ascending.
    labels : ConceptNames
        The concepts by number. Each has positive weight and occurs in some sentence.
    weights : float64 array (n_concepts)
    costs : float64 array (n_sentences)
        Size of each sentence in `unit`, including the joiner; see `Unit.additive`.
    unit : Unit
    own : float64 array (n_sentences)
        Weight of each sentence itself, which no other sentence covers. Zero for most presets.
    match : float64 array (n_sentences)
        How well each sentence matches the query: 1 for the best, 0 without a query.
    standing : int8 array (n_sentences)
        How well a sentence is suited to a summary: FRAME (such as a greeting), PART (a fragment),
        LATE (an unusual shape) or SENTENCE. See `candidates`.
    struck_by : tuple of str (n_sentences)
        The rule (``data/rules.toml``) or kind of block that lowers `standing`; mostly "".
    texts : tuple of str (n_sentences)
        As a summary prints them: in one line, without Markdown markup. In English also without
        leading numbers and, in transcripts, without fillers and repetitions.
    speakers : tuple of str (n_sentences)
        Speaker of each sentence, in transcripts, mail and threads; otherwise "".
    under : tuple of str (n_sentences)
        Label of each sentence: its speaker, or the list item, line or heading without which it says
        too little; otherwise "". A summary prints a label where it changes. The cost of a sentence
        includes its label.
    editions : tuple of str (n_documents)
        What tells documents of a series apart, such as a date; a summary prints it where the
        document changes, and the costs include it. Empty unless the documents are a series.
    kinds : tuple of str (n_sentences)
        Kind of the block that holds the sentence; see `KINDS`.
    terms : Terms
        The words of all sentences.
    language : Language
        Language of the documents.
    sure : bool
        Whether the language was given, or detected with certainty.
    n_known : int
        Number of texts that the reader knows. Their concepts have no weight, and sentences that
        they say already are no candidates.
    """

    documents: tuple[str, ...]
    document: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    n_words: NDArray[np.int64]
    canonical: NDArray[np.int64]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    labels: ConceptNames
    weights: NDArray[np.float64]
    costs: NDArray[np.float64]
    unit: Unit
    own: NDArray[np.float64]
    match: NDArray[np.float64]
    standing: NDArray[np.int8]
    struck_by: tuple[str, ...]
    texts: tuple[str, ...]
    speakers: tuple[str, ...]
    under: tuple[str, ...]
    kinds: tuple[str, ...]
    terms: Terms
    language: Language
    sure: bool
    n_known: int = 0
    editions: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"Corpus({len(self)} sentences of {len(self.documents)} documents, "
            f"{len(self.labels)} concepts, unit={self.unit.name!r})"
        )

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> Sentence:
        """Return one sentence; its text is sliced out of the document at each call."""
        document = int(self.document[index])
        start, end = int(self.starts[index]), int(self.ends[index])
        return Sentence(document, start, end, self.documents[document][start:end])

    def __iter__(self) -> Iterator[Sentence]:
        return map(self.__getitem__, range(len(self)))

    @cached_property
    def _stances(self) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        return find_stances(self.terms), find_valued(self.terms)

    def statement(self, index: int) -> tuple[int, frozenset[int]]:
        """Return the stance of a sentence, and its numbers and names.

        Sentences for which they differ say different things, however similar they are.

        Examples
        --------
        >>> from maxcover.texts import prepare
        >>> corpus = prepare(["Rome is open. Rome is not open. Rome is open on 4 May. It is open."])
        >>> [corpus.statement(0) == corpus.statement(row) for row in range(4)]
        [True, False, False, True]
        """
        stance, valued = self._stances
        words = slice(*self.terms.indptr[index : index + 2].tolist())
        return int(stance[index]), frozenset(self.terms.ids[words][valued[words]].tolist())

    def lines(self, selected: Iterable[int]) -> list[str]:
        """Return chosen sentences as they are printed, in the order given, one per line.

        A line begins with its label if that is not the label of the line before. Before it stands
        the edition of its document, if the line before is of another document.
        """
        found = []
        before = "", -1
        for index in selected:
            label, document = self.under[index], int(self.document[index])
            edition = self.editions[document] if self.editions and document != before[1] else ""
            new = ", ".join(filter(None, (edition, label if label != before[0] else "")))
            found.append(put_label(new, self.texts[index], spaced=self.language.spaced))
            before = label, document
        return found

    def join(self, selected: Iterable[int]) -> str:
        """Join chosen sentences, in the order given, into the text of a summary.

        Sentences of one document form one paragraph. A line begins if there are several documents,
        if the label changes, and after text without a final mark, such as a title.
        """
        chosen = list(selected)
        lines = self.lines(chosen)
        if not self.language.spaced:
            return "".join(lines)
        if len(self.documents) > 1:
            return LINE.join(lines)
        parts: list[str] = []
        before, continues = "", True
        for index, line in zip(chosen, lines, strict=True):
            parts += [JOINER if continues and self.under[index] == before else LINE, line]
            before, continues = self.under[index], self.may_continue(index, line)
        return "".join(parts[1:])

    def may_continue(self, index: int, line: str) -> bool:
        """Return True if another sentence may follow on the same line.

        The line has to end with a punctuation mark, and the sentence must be no title or heading.
        """
        return not line[-1:].isalnum() and self.kinds[index] not in ("title", "heading")

    def measure(self, selected: Iterable[int]) -> float:
        """Return the size of the joined text in `unit`; this is the size that a budget limits.

        If the unit is additive, the size is never more than the sum of the costs.

        Examples
        --------
        >>> from maxcover.texts import prepare
        >>> corpus = prepare(["One here. Two there."], unit="characters")
        >>> corpus.join([0, 1]), corpus.measure([0, 1])
        ('One here. Two there.', 20.0)
        """
        chosen = list(selected)
        if not chosen:
            return 0.0
        if self.unit.additive and not (self.editions or any(map(self.under.__getitem__, chosen))):
            return float(self.costs[chosen].sum() - self.unit.joint)
        if self.unit.additive:
            lines = self.lines(chosen)
            return float(self.unit.costs(lines).sum() - self.unit.joint)
        return float(self.unit.measure(self.join(chosen)))

    def label(self, element: int) -> Hashable:
        """Return the name of an element of `problem`: its concept, or `PLACE` if it has none."""
        return self.labels[element] if element < len(self.labels) else PLACE

    def names(self, elements: NDArray[np.int32]) -> list[Hashable]:
        """Return the names of elements of `problem`; see `label`."""
        own = elements >= len(self.labels)
        found = list(self.labels.only(elements[~own]))
        for place in np.flatnonzero(own).tolist():
            found.insert(place, PLACE)
        return found

    def problem(self, budget: float, **limits: Any) -> CoverageProblem:
        """Return the coverage problem: set i is sentence i, element j concept j.

        After the concepts comes one element for each sentence that has weight of its own; copies of
        a sentence share the element. Sentences that are not `candidates` are forbidden, unless they
        are required.

        Parameters
        ----------
        budget : float
            In `unit`, without the joiner that every cost includes.
        **limits
            As in `CoverageProblem`; sentences in ``forbidden`` are forbidden in addition.
        """
        indptr, indices, weights = self.indptr, self.indices, self.weights
        owners = np.flatnonzero(self.own > 0)
        if owners.size:
            # Copies of a sentence share one element, so that a second copy adds nothing.
            worth = np.zeros(len(self))
            np.maximum.at(worth, self.canonical, self.own)
            originals, numbers = np.unique(self.canonical[owners], return_inverse=True)
            elements = numbers.astype(np.int32) + np.int32(len(self.labels))
            indices = np.insert(indices, indptr[owners + 1], elements)
            indptr = indptr + np.searchsorted(owners, np.arange(len(self) + 1)).astype(np.int64)
            weights = np.concatenate((weights, worth[originals]))
        required = np.asarray(limits.get("required", ()), dtype=np.int64)
        given = np.asarray(limits.get("forbidden", ()), dtype=np.int64)
        below = difference(np.flatnonzero(~self.candidates(budget, given)), required)
        limits["forbidden"] = union(given, below)
        return CoverageProblem(
            indptr=indptr,
            indices=indices,
            costs=self.costs,
            weights=weights,
            budget=budget + self.unit.joint,
            **limits,
        )

    def candidates(self, budget: float, forbidden: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return a mask of the sentences that may be chosen for a budget, without `forbidden` ones.

        Candidates are the whole sentences that fit.
        If all content but headings fits, all of it is a candidate. If no whole sentence fits,
        everything that fits is.
        """
        allowed = np.ones(len(self), np.bool_)
        allowed[forbidden] = False
        content = allowed & (self.standing >= PART)
        text = content & choosable(self.kinds)
        once = self.canonical == np.arange(len(self))
        everything = (text & once).any() and self._fit(text & once, budget)
        fits = self.costs - self.unit.joint <= budget
        sentences = allowed & (self.standing >= SENTENCE) & fits
        sentences = text if everything else sentences
        levels = (sentences, text, content)
        return next((level for level in levels if (level & fits).any()), allowed)

    def _fit(self, some: NDArray[np.bool_], budget: float) -> bool:
        return bool(self.costs[some].sum() - self.unit.joint <= budget)

    @property
    def size(self) -> float:
        """The size of the text of all sentences."""
        return self.measure(range(len(self)))

    def budget(self, given: float | str | None = None) -> float:
        """Return a budget as a number: `given` itself, or a percentage of `size`, rounded down.

        None means a tenth of the text, but at least 50 and at most 250 words. In Japanese and
        Chinese every character counts as a word, and these numbers are doubled.

        Raises
        ------
        OptionError
            `given` is neither a number above 0 nor a percentage.

        Examples
        --------
        >>> from maxcover.texts import prepare
        >>> prepare(["One two three four five."]).budget("50%")
        2.0
        """
        if given is None:
            return self._usual_budget()
        text = str(given).strip()
        is_share = text.endswith("%")
        try:
            number = float(text.removesuffix("%"))
        except ValueError:
            number = math.nan
        if not 0 < number <= (100 if is_share else sys.float_info.max):
            raise OptionError(
                f"expected a budget above 0, or a percentage such as '10%', got {given!r}"
            )
        return self._whole(number / 100 * self.size) if is_share else number

    def _usual_budget(self) -> float:
        """Return the default budget: a tenth of the text, within limits if words are counted."""
        tenth = 0.1 * self.size
        if self.unit.name == "words":
            factor = 1.0 if self.language.spaced else CHARACTERS
            tenth = min(max(factor * LEAST, tenth), factor * MOST)
        return max(1.0, self._whole(tenth))

    def _whole(self, size: float) -> float:
        """Round down to a whole number, if all costs are whole and the result is at least 1."""
        whole = float(math.floor(size * (1 + 1e-12)))  # in floats, 57 % of 100 is 56.99...
        return whole if whole and bool((self.costs % 1 == 0).all()) else size
