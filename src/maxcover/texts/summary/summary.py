"""Summary: chosen sentences with their places and reasons, and the certificate of the choice."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core import notebook
from maxcover.engine.core.ascending import difference
from maxcover.engine.core.solution import relative_gap
from maxcover.engine.core.wording import certificate_among
from maxcover.engine.solvers.curve import Point
from maxcover.engine.solvers.order import added_weight
from maxcover.texts.summary.contributions import (
    Covered,
    SummarySentence,
    chosen_sentences,
    left_out,
)
from maxcover.texts.summary.curves import SummaryCurve, compared_with, count_candidates, curve_of
from maxcover.texts.summary.phrases import Phrases, share_of_words

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from numpy.typing import NDArray

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Solution
    from maxcover.ground.files.listing import Skipped
    from maxcover.texts.summary.pose import Pose
    from maxcover.texts.weigh.corpus import Corpus

__all__ = ["SCHEMA", "Covered", "Summary", "SummarySentence", "build_summary"]

SCHEMA = "maxcover.summary/1"


@dataclass(frozen=True, eq=False, kw_only=True)
class Summary:
    """An extractive summary within its budget, certified.

    ``str(summary)`` is the text. Everything else says where it comes from and how good it is.
    Iterating gives the sentences. In a notebook it shows each sentence with what it adds, marked in
    its document.

    Attributes
    ----------
    sentences : tuple of SummarySentence
        In reading order (documents by date if all have one, else as given; sentences in place), or
        by gain if that was asked for.
    text : str
        The sentences, never larger than the budget. Those of one document are joined by one space;
        those of several documents, and those below a new label, stand on a line of their own.
    cost, budget : float
        The size of the text and its limit, in `unit`.
    unit : str
    value : float
        Weight of the concepts that the summary covers.
    upper_bound : float
        No selection of the candidates whose costs fit the budget covers more. (With a counter of
        the caller's that is not additive, "fit" means that the costs of the sentences alone do.)
    status : {"optimal", "within gap", "heuristic"}
    stopped : str
        Why the search stopped, in words. Both as in `Solution`.
    n_documents, n_sentences : int
        What there was to choose from.
    total_weight : float
        Weight of all concepts.
    seconds : float
        From texts to summary.
    corpus : Corpus
        The texts as they were read: sentences, their costs, and the concepts they hold.
    problem : CoverageProblem
        What was solved: sentences are its sets, with those that they refer to; concepts are its
        elements.
    pose : Pose
        The terms of the problem (`maxcover.texts.summary.pose`), for other budgets.
    names : tuple of str
        Of the documents; empty if they have none.
    skipped : tuple of Skipped
        Files of a folder that could not be read: path and reason.
    witness : str
        Whose word the bound is, such as HiGHS; empty where a dual point proves it.
    """

    sentences: tuple[SummarySentence, ...]
    text: str
    cost: float
    budget: float
    unit: str
    value: float
    upper_bound: float
    status: str
    stopped: str
    n_documents: int
    n_sentences: int
    total_weight: float
    seconds: float
    corpus: Corpus = field(repr=False)
    problem: CoverageProblem = field(repr=False)
    pose: Pose = field(repr=False)
    names: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    witness: str = ""

    @property
    def gap(self) -> float:
        """Missing share of the upper bound: the value is at least ``1 - gap`` of the best."""
        return relative_gap(self.value, self.upper_bound)

    @property
    def n_candidates(self) -> int:
        """Number of sentences that could be chosen.

        These are `Corpus.candidates` and the title.
        """
        return count_candidates(self.problem)

    @property
    def headline(self) -> int | None:
        """The sentence (`SummarySentence.index`) that is required as the title, or None."""
        return next(iter(self.pose.title(self.budget).tolist()), None)

    @property
    def certificate(self) -> str:
        """A sentence that says what the bound proves, and among how many candidates.

        Examples
        --------
        >>> from maxcover import summarize
        >>> summarize("Cats purr. Cats and dogs sleep all day.", budget=6).certificate
        '1 of 2 sentences was a candidate. It is chosen: there was nothing to choose.'
        """
        return certificate_among(
            self.n_candidates,
            self.n_sentences,
            status=self.status,
            gap=self.gap,
            within=compared_with(self.pose, self.budget),
            by=self.witness,
            chosen=len(self.sentences),
        )

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents, as given."""
        return self.corpus.documents

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences as printed; a label, such as a speaker, precedes its first sentence."""
        return tuple(self.corpus.lines([sentence.index for sentence in self.sentences]))

    @property
    def language(self) -> str:
        """The language that the documents were read in."""
        return self.corpus.language.name

    @cached_property
    def coverage(self) -> float:
        """Share of the content words of the documents, with repeats, that the summary uses."""
        return share_of_words(self.corpus, (sentence.index for sentence in self.sentences))

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """Phrases of the documents that the summary lacks, heaviest first."""
        return tuple(self._phrases.missing(self.problem, self._chosen))

    @cached_property
    def runner_up(self) -> SummarySentence | None:
        """The sentence left out that would add the most; None if no sentence would add anything."""
        added = added_weight(self.problem, self._chosen)
        added[self._chosen] = 0.0
        added[self.problem.forbidden] = 0.0
        if not added.any():
            return None
        best = left_out(self.corpus, self.problem, self._chosen, np.array([np.argmax(added)]))[0]
        return best if best.gain > 0 and best.index not in self._chosen else None

    @property
    def _chosen(self) -> NDArray[np.int64]:
        return np.array([sentence.index for sentence in self.sentences], dtype=np.int64)

    def reasons(self, sentence: SummarySentence) -> list[str]:
        """Return the phrases that a sentence adds, in its own words, heaviest first.

        Examples
        --------
        >>> from maxcover import summarize
        >>> summary = summarize("The cats sleep all day. Dogs bark at the cats.", budget=5)
        >>> summary.reasons(summary.sentences[0])
        ['cats', 'cats sleep', 'day']
        """
        return self._phrases.reasons(sentence.covers, sentence.index)

    @cached_property
    def _phrases(self) -> Phrases:
        return Phrases(self.corpus)

    @property
    def ranking(self) -> tuple[SummarySentence, ...]:
        """All sentences: the chosen ones by gain, then the others by what each would add.

        Ties are in reading order. Computed anew at each call, in about the time of a summary.
        """
        best_first = sorted(self.sentences, key=lambda sentence: (-sentence.gain, sentence.index))
        rest = difference(np.arange(self.n_sentences), self._chosen)
        others = left_out(self.corpus, self.problem, self._chosen, rest)
        others.sort(key=lambda sentence: -sentence.gain)
        return (*best_first, *others)

    def curve(
        self, budgets: Sequence[float | str], *, time_limit: float | None = None
    ) -> SummaryCurve:
        """Solve for other budgets: return value, bound and selection for each.

        Parameters
        ----------
        budgets : sequence of float or str
            In the unit of the summary, or percentages.
        time_limit : float, optional
            Seconds; the smallest budgets that were not reached in this time are missing.

        Returns
        -------
        SummaryCurve
            Each point is about the candidates of its budget, and `certificates` says how many.
            With the same candidates, values and bounds never fall from one budget to the next. At
            the budget of the summary the bound is that of the summary. A selection is an array of
            sentence numbers (`SummarySentence.index`).
            Required and forbidden sentences and limits per document hold at every point. Costs are
            added up sentence by sentence, joiners included. Sentences that the summary keeps apart
            because they say the same are kept apart at every point; others may stand side by side.

        Examples
        --------
        >>> from maxcover import summarize
        >>> summary = summarize("Cats purr. Dogs bark at cats. Cats and dogs sleep.", budget=4)
        >>> curve = summary.curve([2, 4, "100%"])
        >>> curve.budgets, bool(curve.values[0] < curve.values[1])
        (array([ 2.,  4., 10.]), True)
        """
        chosen = np.sort(self._chosen)
        known = Point(
            budget=self.problem.budget,
            value=self.value,
            cost=float(self.corpus.costs[chosen].sum()),
            upper_bound=self.upper_bound,
            selected=chosen,
            witness=self.witness,
        )
        return curve_of(
            self.pose,
            [self.corpus.budget(budget) for budget in budgets],
            solved=self.problem,
            known=known,
            time_limit=time_limit,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, schema ``maxcover.summary/1``: docs/reference/summary-schema.md."""
        proven = ("text", "budget", "unit", "cost", "value", "upper_bound", "gap", "status")
        names = (*proven, "certificate", "stopped", "language", "seconds")
        counts = ("n_documents", "n_sentences", "n_candidates", "total_weight", "coverage")
        return {
            "schema": SCHEMA,
            **{name: getattr(self, name) for name in (*names, *counts)},
            "left_out": list(self.left_out),
            "headline": self.headline,
            "sentences": [self._plain(sentence) for sentence in self.sentences],
            "runner_up": None if self.runner_up is None else self._plain(self.runner_up),
        }

    def _plain(self, sentence: SummarySentence) -> dict[str, Any]:
        covers = [{"concept": _name(c.concept), "weight": c.weight} for c in sentence.covers]
        plain = asdict(replace(sentence, covers=()))
        return plain | {"covers": covers, "reasons": self.reasons(sentence)}

    def to_json(self, **options: Any) -> str:
        """Return `to_dict` as JSON text; options go to `json.dumps`."""
        return json.dumps(self.to_dict(), **{"ensure_ascii": False, **options})

    def to_pandas(self) -> Any:
        """Return one row per sentence as a pandas DataFrame.

        Examples
        --------
        >>> from maxcover import summarize
        >>> summary = summarize("Cats purr. Dogs bark at cats.", budget=4)
        >>> summary.to_pandas()[["document", "start", "end", "text"]].values.tolist()
        [[0, 11, 29, 'Dogs bark at cats.']]
        """
        return notebook.to_pandas(self._columns())

    def to_arrow(self) -> Any:
        """Return one row per sentence as a pyarrow Table."""
        return notebook.to_arrow(self._columns())

    def _columns(self) -> dict[str, list[Any]]:
        names = (
            "document",
            "page",
            "line",
            "start",
            "end",
            "speaker",
            "under",
            "cost",
            "gain",
            "text",
        )
        return {name: [getattr(one, name) for one in self.sentences] for name in names}

    def _repr_html_(self) -> str:
        shown: str = notebook.call_above("maxcover.texts.report.html_view", "to_fragment", self)
        return shown

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[SummarySentence]:
        return iter(self.sentences)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return (
            f"Summary({len(self.sentences)} of {self.n_sentences} sentences, {self.cost:g} of "
            f"{self.budget:g} {self.unit}, value {self.value:g}, gap {self.gap:.2%})"
        )


def build_summary(
    pose: Pose,
    problem: CoverageProblem,
    solution: Solution,
    *,
    budget: float,
    by_gain: bool,
    names: tuple[str, ...] = (),
) -> Summary:
    """Turn a solution of the coverage problem into a summary with its text."""
    corpus = pose.corpus
    alone = pose.alone(budget)
    sentences = chosen_sentences(corpus, alone, pose.printed(solution.selected))
    if not by_gain:
        place = np.argsort(pose.order)
        sentences.sort(key=lambda sentence: (place[sentence.document], sentence.index))
    numbers = [sentence.index for sentence in sentences]
    return Summary(
        sentences=tuple(sentences),
        text=corpus.join(numbers),
        cost=corpus.measure(numbers),
        budget=budget,
        unit=corpus.unit.name,
        value=solution.value,
        upper_bound=solution.upper_bound,
        status=solution.status,
        stopped=solution.stopped,
        n_documents=len(corpus.documents),
        n_sentences=len(corpus),
        total_weight=float(problem.weights.sum()),
        seconds=solution.seconds,
        corpus=corpus,
        problem=problem,
        pose=pose,
        names=names,
        witness=solution.witness,
    )


def _name(concept: Hashable) -> str:
    """Return a concept of any type as a string for JSON; a tuple gives its words joined."""
    return " ".join(map(str, concept)) if isinstance(concept, tuple) else str(concept)
