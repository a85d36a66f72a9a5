"""Summarize: texts in, a certified summary out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from maxcover.engine.core.ascending import difference, distinct
from maxcover.engine.core.wording import all_of
from maxcover.engine.solvers import MethodOptions, solve
from maxcover.errors import InfeasibleError, OptionError, TextError
from maxcover.ground.options import check_names, checked, names_of
from maxcover.texts import ReadingOptions, find_sentences, prepare
from maxcover.texts.judge.candidates import FRAME
from maxcover.texts.read.given import Documents, find_documents
from maxcover.texts.summary.dates import order_by_date
from maxcover.texts.summary.editions import name_editions
from maxcover.texts.summary.pose import Pose, weigh_own
from maxcover.texts.summary.repair import Repair
from maxcover.texts.summary.summary import Summary, build_summary
from maxcover.texts.weigh.presets import find_preset

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Solution
    from maxcover.engine.solvers.control import Callback
    from maxcover.engine.solvers.effort import EffortName
    from maxcover.engine.solvers.solve import MethodName
    from maxcover.texts import Choice, Corpus, Unit
    from maxcover.texts.read.sources import SourceCluster
    from maxcover.texts.weigh.corpus import OrderName
    from maxcover.texts.words.units import UnitName


class SummaryOptions(ReadingOptions, MethodOptions, total=False):
    """The options of `summarize` that it passes on: to the reader, and to the method."""


@checked
def summarize(
    documents: Documents,
    *,
    budget: float | str | None = None,
    unit: UnitName | Callable[[str], float] | Unit = "words",
    order: OrderName = "reading",
    required: Iterable[Choice] | Choice = (),
    forbidden: Iterable[Choice] | Choice = (),
    max_sentences_per_document: int | None = None,
    max_cost_per_document: float | None = None,
    max_similarity: float = 0.8,
    method: MethodName = "auto",
    effort: EffortName = "normal",
    time_limit: float | None = None,
    target_gap: float = 0.0,
    seed: int = 0,
    callback: Callback | None = None,
    **further: Unpack[SummaryOptions],
) -> Summary:
    """Choose the sentences that together cover the most of what the documents say.

    Parameters
    ----------
    documents : str, Path, mapping or iterable
        A text, a file or folder (`pathlib.Path`), ``{"text": ...}``, several of these in a list,
        or a mapping from names to them. Texts are never changed; spans point into them as they
        are. The text of a file is in `Summary.documents`.
    budget : float or str, optional
        Maximum size of the summary, in `unit`, or a share of the text such as ``"10%"``. By default
        a tenth of the text, 50 to 250 words. See `Corpus.budget`.
    unit : {"words", "characters", "bytes", "sentences", "tokens"} or callable
        What is counted. A callable takes a text and returns its size. The text that comes out never
        exceeds the budget, joiners included, under any counter. "tokens" is an estimate; pass your
        tokenizer for a hard limit.
    order : {"reading", "gain"}
        Order of the sentences: as in the documents, or the most valuable first. Documents are
        ordered by date if all have one (``Date:`` of mail or of a page), and otherwise as given.
    required, forbidden : str, int, compiled pattern, or an iterable of them
        Sentences that must, and that must not, be in the summary: by text, by number in reading
        order, or all that a regular expression finds something in.
    max_sentences_per_document, max_cost_per_document : optional
        Maximum number of sentences, and maximum size, from one document.
    max_similarity : float
        No two chosen sentences share a larger part of their concepts (those of both, divided by
        those of either), required ones apart, unless they differ in a value, a name or a denial.
        With 1, only sentences that add nothing are avoided.
    method, effort, time_limit, target_gap, seed, callback
        As in `solve`.
    **further
        How texts become weighted concepts: ``preset``, ``language``, ``concepts``, ``weights``,
        ``stem``, ``stop_words``, ``boost``, ``query``, ``background``, ``lines``,
        ``form``, ``known``; see `maxcover.texts.weigh.prepare`. Or options of the method, such as
        ``beta`` and ``mu`` of "bp"; see `solve`.

    Returns
    -------
    Summary
        Deterministic, and never empty. A sentence is printed with its speaker or with the heading,
        version or list item that it needs, in a series of documents also with the date or number of
        its own; that counts towards the budget (`Summary.lines`). The title is there
        (`Summary.headline`). Every sentence adds something to the others, required ones apart, so
        near-duplicates appear once. On a page (documents with headings, or one short text) what an
        editor would strike is left out, unless everything fits. Headings, fragments and greetings
        are chosen only if nothing else fits. With ``preset="coverage"`` only words decide.

    Raises
    ------
    TextError
        There is no sentence, none fits (the message has the cost of the shortest), or everything
        is ``known``.
    InfeasibleError
        The required sentences alone break a limit.
    OptionError
        An option is unknown or out of its range.

    Examples
    --------
    >>> text = "Cats purr. Dogs bark at cats. All cats and dogs sleep a lot."
    >>> summary = summarize(text, budget=4)
    >>> print(summary)
    Dogs bark at cats.
    >>> [(s.document, s.start, s.end, s.cost) for s in summary.sentences]
    [(0, 11, 29, 4.0)]
    """
    started = time.perf_counter()
    check_names(further, (*names_of(summarize), *SummaryOptions.__annotations__), "summarize")
    reading: Any = {**further}
    of_method = {
        name: reading.pop(name) for name in MethodOptions.__annotations__ if name in reading
    }
    given, corpus = _read(documents, unit, reading)
    size = corpus.budget(budget)
    chosen, out = find_sentences(corpus, required, option="required"), _find_any(corpus, forbidden)
    _check_something_fits(corpus, size, chosen, out)
    told = order_by_date(corpus.documents)
    story = find_preset(reading.get("preset", "default")).story
    corpus = weigh_own(corpus, told, story=story, budget=size)
    pose = Pose(
        corpus=corpus,
        order=told,
        required=chosen,
        forbidden=out,
        limits=_limits(corpus, max_sentences_per_document, max_cost_per_document),
        story=story,
        max_similarity=max_similarity,
    )

    def solve_within(problem: CoverageProblem) -> Solution:
        left = None if time_limit is None else max(0.0, time_limit - time.perf_counter() + started)
        return solve(
            problem,
            method=method,
            effort=effort,
            time_limit=left,
            target_gap=target_gap,
            seed=seed,
            callback=callback,
            **of_method,
        )

    by_gain = order == "gain"
    repair = Repair(pose=pose, budget=size, by_gain=by_gain, solve=solve_within)
    problem, solution = repair.choose()
    summary = build_summary(
        pose, problem, solution, budget=size, by_gain=by_gain, names=given.names
    )
    if summary.cost > size:  # the counter is inconsistent: this text fitted when it was chosen
        raise TextError(
            f"the text takes {summary.cost:g} {summary.unit} of {size:g}, but took less when it "
            "was measured before; a counter has to give the same answer for the same text"
        )
    return replace(summary, seconds=time.perf_counter() - started, skipped=given.skipped)


def _read(documents: Documents, unit: Any, reading: ReadingOptions) -> tuple[SourceCluster, Corpus]:
    """Read the documents; raise if there is no sentence, or nothing new."""
    given = find_documents(documents)
    known = find_documents(reading.get("known", ()), option="known")
    reading["known"] = known
    corpus = prepare(given, unit=unit, **reading)
    if not len(corpus):
        raise TextError(
            f"expected at least one sentence, got none in {len(given.documents)} documents; they "
            "may be empty, or hold no letters"
        )
    if known.documents and not (corpus.standing > FRAME).any():
        raise TextError(
            f"nothing in {len(given.documents)} documents is new: expected words or pairs of words "
            "that the known texts do not use"
        )
    return given, name_editions(corpus)


def _find_any(corpus: Corpus, choices: Iterable[Choice] | Choice) -> NDArray[np.int64]:
    """Return the forbidden sentences; a pattern, unlike a text or number, may match none."""
    if isinstance(choices, str) or not isinstance(choices, Iterable):
        choices = [choices]
    found = []
    for choice in choices:
        try:
            found.append(find_sentences(corpus, choice, option="forbidden"))
        except OptionError:
            if not hasattr(choice, "search"):
                raise
    return distinct(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)


def _check_something_fits(
    corpus: Corpus, budget: float, required: NDArray[np.int64], forbidden: NDArray[np.int64]
) -> None:
    """Raise if the budget is below the shortest sentence, or below the required ones."""
    allowed = np.arange(len(corpus))
    if forbidden.size:
        allowed = difference(allowed, forbidden)
    unit = corpus.unit
    if not allowed.size:
        raise TextError(f"expected a sentence to choose from, all {len(corpus)} are forbidden")
    shortest = int(allowed[np.argmin(corpus.costs[allowed])])
    cost = float(corpus.costs[shortest]) - unit.joint
    if cost > budget:
        share = f"; for a share write '{100 * budget:g}%'" if budget < 1 else ""
        raise TextError(
            f"no sentence fits into {budget:g} {unit.name}; the shortest takes {cost:g}: "
            f"{corpus[shortest].text[:60]!r}{share}"
        )
    needed = float(corpus.costs[required].sum()) - unit.joint
    if needed > budget:
        raise InfeasibleError(
            f"{all_of(len(required), 'sentences', 'required')} "
            f"{'takes' if len(required) == 1 else 'take'} {needed:g} {unit.name}, more than the "
            f"budget of {budget:g}"
        )


def _limits(corpus: Corpus, sentences: int | None, cost: float | None) -> dict[str, float]:
    """Return the limits per document as arguments of `group_limits`."""
    most = None if cost is None else cost + corpus.unit.joint
    given = {"max_items": sentences, "max_cost": most}
    return {name: value for name, value in given.items() if value is not None}
