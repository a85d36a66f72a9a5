"""The facade: passages in, a certified context out."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.errors import InfeasibleError, OptionError
from maxcover.packing.counters import Counter, find_counter
from maxcover.packing.facts import Requirement, find_facts, split_requirements
from maxcover.packing.layout import ORDERS, Layout, Shelf, price
from maxcover.packing.packed import Packed, describe
from maxcover.packing.readings import Reader, collect
from maxcover.packing.relevance import PACKING, relevance_of, weigh_concepts
from maxcover.problem import CoverageProblem

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from maxcover.packing.layout import Prices
    from maxcover.packing.readings import Collected
    from maxcover.text.background import Background
    from maxcover.text.presets import Preset

GRANULARITIES = ("passage", "sentence")
SEPARATOR = "\n\n"


def pack(
    passages: Sequence[str],
    *,
    budget: float,
    query: str = "",
    scores: Sequence[float] | NDArray[np.float64] | None = None,
    unit: Counter = "tokens",
    granularity: str = "passage",
    required: Iterable[Requirement] | Requirement = (),
    order: str = "retrieved",
    documents: Sequence[Hashable] | None = None,
    positions: Sequence[float] | None = None,
    headers: Sequence[str] | None = None,
    separator: str = SEPARATOR,
    method: str = "quick",
    time_limit: float | None = None,
    target_gap: float = 0.0,
    seed: int = 0,
    preset: str | Preset = PACKING,
    background: Background | None = None,
    **reading: Any,
) -> Packed:
    """Choose the passages that together say the most of what was asked for, within a hard budget.

    Parameters
    ----------
    passages : sequence of str
        What a retriever found. They are never changed; spans point into them as they are.
    budget : float
        How large the text may be, in `unit`, headers and separators included.
    query : str
        Raises the weight of what it asks for.
    scores : sequence of float, optional
        The retriever's, the higher the better. Scores of zero or more keep their ratios; if some
        are below zero, the lowest counts as zero. A passage whose score comes to zero contributes
        nothing. Equal scores are the same as none.
    unit : {"tokens", "words", "characters", "bytes"}, callable or tokenizer
        What is counted. "tokens" is an estimate that needs no vocabulary; for a hard limit pass the
        tokenizer (tiktoken, tokenizers, transformers) or a function of a text. The text that comes
        out is never larger than the budget, under any counter.
    granularity : {"passage", "sentence"}
        Whether passages are taken whole, or only those of their sentences that are worth their
        cost.
    required : int, str, pattern, or an iterable of them
        What must stay: passages by number; facts by a compiled pattern or a name out of `FACTS`
        ("identifiers", "dates", "amounts", "urls", "emails"). Of every distinct string that a
        pattern finds, at least one mention stays.
    order : {"retrieved", "document", "ends"}
        As given; by document, each in reading order; or the most relevant at both ends.
    documents, positions : sequence, optional
        For the order "document": which document each passage is from, and its place there (by
        default, places are as given).
    headers : sequence of str, optional
        What stands before each passage, its white space included.
    separator : str
        What stands between two passages.
    method : str
        "quick" takes milliseconds; the names of `METHODS`, such as "auto", search and prove for
        longer.
    time_limit, target_gap, seed
        As in `solve`; "quick" needs no limit.
    preset, background, **reading
        How texts become weighted concepts, as in `summarize`: ``language``, ``concepts``,
        ``weights``, ``stem``, ``stop_words``, ``boost``, ``lines``. The preset of its own counts
        what is said once too; with ``preset="plain"`` and equal scores, the weights are those of
        a summary.

    Returns
    -------
    Packed
        Deterministic. Nothing in it adds nothing, so of passages that say the same only one is. If
        there are no passages, or none fits, the text is empty.

    Raises
    ------
    InfeasibleError
        What is required does not fit.

    Notes
    -----
    The weights are those of the summary of the passages, in which every sentence counts as much as
    its passage is relevant; see `maxcover.packing.relevance.weigh_concepts`. There is no parameter
    that trades relevance for diversity. Time is linear in the length of the passages, and passages
    that were read before cost a look-up.

    Examples
    --------
    >>> found = ["Cats purr and cats sleep.", "Cats purr.", "Dogs bark; cats do not."]
    >>> packed = pack(found, query="What do dogs do?", budget=14)
    >>> print(packed)
    Cats purr and cats sleep.
    <BLANKLINE>
    Dogs bark; cats do not.
    >>> packed.indices, packed.cost, packed.status
    ((0, 2), 13.0, 'optimal')
    """
    from maxcover.packing.choosing import Chooser
    from maxcover.packing.fit import Fitting, covered_weight

    started = time.perf_counter()
    texts = _check_texts(passages)
    _check_options(budget, granularity, order)
    numbers, patterns = split_requirements(required, len(texts))
    relevance = relevance_of(scores, len(texts))
    counted = np.flatnonzero((relevance > 0) | np.isin(np.arange(len(texts)), numbers))
    reader = Reader.of(preset=preset, **reading)
    said = collect(reader.read([texts[index] for index in counted.tolist()]))
    weights = weigh_concepts(
        said,
        relevance[counted],
        how=reader.how,
        asked=reader.ask(query) if query else (),
        background=background,
    )
    whole = granularity == "passage"
    layout = Layout(
        texts=texts,
        **_pieces(texts, counted, said, whole=whole),
        headers=_one_each(headers, "headers", texts) or [""] * len(texts),
        separator=separator,
        order=order,
        shelf=Shelf(
            relevance,
            _one_each(documents, "documents", texts) or [None] * len(texts),
            _one_each(positions, "positions", texts) or range(len(texts)),
        ),
        unit=find_counter(unit),
    )
    musts = _must(layout, numbers, patterns)
    prices = price(layout, whole=whole)
    posed = _pose(said, weights, [holders for _, holders in musts], prices, budget, whole=whole)

    options = {"time_limit": time_limit, "target_gap": target_gap, "seed": seed}
    for attempt in dict.fromkeys((method, "exact")):
        chooser = Chooser(attempt, options)
        chosen, size = Fitting(posed.problem, layout, prices, budget, chooser).run()
        missing = [name for name, holders in musts if not set(chosen).intersection(holders)]
        if (
            not missing
        ):  # otherwise a method that is not exact may have overlooked the way to keep them
            break
    else:
        raise _misfit(missing, len(musts), budget, layout)
    return Packed(
        text=layout.render(chosen),
        passages=describe(
            layout,
            posed.problem,
            chosen,
            labels=posed.labels,
            n_concepts=posed.n_concepts,
            costs=prices.pieces,
        ),
        cost=size,
        budget=float(budget),
        unit=layout.unit.name,
        value=max(0.0, covered_weight(posed.problem, chosen) - posed.extra),
        total_weight=float(weights.sum()),
        n_passages=len(texts),
        granularity=granularity,
        order=order,
        seconds=time.perf_counter() - started,
        _bound=lambda: chooser.bound() - posed.extra,
    )


def _check_texts(passages: Sequence[str]) -> list[str]:
    if isinstance(passages, str):
        raise OptionError("expected a list of passages, got one text; write [text]")
    texts = list(passages)
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise OptionError(f"passages[{number}]: expected a text, got {type(text).__name__}")
    return texts


def _check_options(budget: float, granularity: str, order: str) -> None:
    if not isinstance(budget, int | float | np.number) or not 0 <= budget < np.inf:
        raise OptionError(f"expected budget to be a number, zero or more, got {budget!r}")
    for name, value, known in (
        ("granularity", granularity, GRANULARITIES),
        ("order", order, tuple(ORDERS)),
    ):
        if value not in known:
            raise OptionError(f"expected {name} to be one of {', '.join(known)}, got {value!r}")


def _one_each(values: Sequence[Any] | None, name: str, texts: list[str]) -> list[Any] | None:
    if values is not None and len(values) != len(texts):
        raise OptionError(
            f"expected {name} to have one entry a passage, {len(texts)}, got {len(values)}"
        )
    return None if values is None else list(values)


def _pieces(
    texts: list[str], counted: NDArray[np.int64], said: Collected, *, whole: bool
) -> dict[str, NDArray[np.int64]]:
    """Say where the pieces are: whole passages, or their sentences."""
    if not whole:
        return {"passage": counted[said.passage], "starts": said.starts, "ends": said.ends}
    ends = np.array([len(texts[index]) for index in counted.tolist()], dtype=np.int64)
    return {"passage": counted, "starts": np.zeros_like(ends), "ends": ends}


def _must(
    layout: Layout, numbers: list[int], patterns: Sequence[Any]
) -> list[tuple[str, list[int]]]:
    """List what must stay, each with the pieces of which one has to be chosen."""
    facts = (
        find_facts([layout.piece(i) for i in range(len(layout.passage))], patterns)
        if patterns
        else {}
    )
    whole = [
        (f"passage {layout.passage[index]}", [index])
        for index in np.flatnonzero(np.isin(layout.passage, numbers)).tolist()
    ]
    return [*whole, *((repr(fact), holders) for fact, holders in facts.items())]


@dataclass(frozen=True, slots=True, eq=False)
class _Posed:
    """The coverage problem: concepts first, then requirements, which outweigh all concepts."""

    problem: CoverageProblem
    elements: NDArray[np.int64]  # the concepts that weigh something
    index: dict[Hashable, int]
    extra: float  # what the requirements weigh together

    @property
    def n_concepts(self) -> int:
        return len(self.elements)

    def labels(self) -> list[Hashable]:
        """Name the concepts of the problem."""
        names = list(self.index)
        return [names[element] for element in self.elements.tolist()]


def _pose(
    said: Collected,
    weights: NDArray[np.float64],
    musts: list[list[int]],
    prices: Prices,
    budget: float,
    *,
    whole: bool,
) -> _Posed:
    """Pose the coverage problem; a requirement is an element that some piece has to cover."""
    rows, ids = (said.holders, said.held) if whole else (said.rows, said.ids)
    elements = np.flatnonzero(weights > 0)
    renumbered = np.full(weights.size, -1, dtype=np.int64)
    renumbered[elements] = np.arange(elements.size)
    kept = renumbered[ids] >= 0
    must_rows = np.array([index for holders in musts for index in holders], dtype=np.int64)
    must_ids = np.repeat(np.arange(len(musts)), [len(holders) for holders in musts])
    width = elements.size + len(musts)
    pairs = np.concatenate(
        (
            rows[kept] * np.int64(width) + renumbered[ids[kept]],
            must_rows * width + elements.size + must_ids,
        )
    )
    pairs.sort()
    degrees = np.bincount(pairs // max(width, 1), minlength=len(prices.pieces))
    heavy = float(weights.sum()) + 1.0
    # some passage is there and has its charge, so that only the rest is for the pieces
    charge = prices.charges.min() if prices.charges.size else 0.0
    problem = CoverageProblem(
        indptr=np.concatenate(([0], np.cumsum(degrees))),
        indices=(pairs % max(width, 1)).astype(np.int32),
        costs=prices.pieces,
        weights=np.concatenate((weights[elements], np.full(len(musts), heavy))),
        budget=max(0.0, budget + prices.credit - charge),
    )
    return _Posed(problem, elements, said.index, heavy * len(musts))


def _misfit(missing: list[str], n_musts: int, budget: float, layout: Layout) -> InfeasibleError:
    shown = ", ".join(missing[:5]) + (", …" if len(missing) > 5 else "")
    return InfeasibleError(
        f"expected all {n_musts} requirements to fit into {budget:g} {layout.unit.name}, found no "
        f"selection with {shown}; raise the budget or require less"
    )
