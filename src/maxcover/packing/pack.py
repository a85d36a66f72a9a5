"""The facade: passages in, a certified context out."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from maxcover.core.ascending import distinct
from maxcover.errors import InfeasibleError, OptionError
from maxcover.options import checked
from maxcover.packing.counters import Counter, find_counter, is_estimate
from maxcover.packing.facts import Requirement, find_facts, split_requirements
from maxcover.packing.layout import Layout, Shelf, price
from maxcover.packing.objective import rank, weigh
from maxcover.packing.passages import memory_for
from maxcover.packing.posing import pose
from maxcover.packing.result import Packed, describe
from maxcover.packing.said import collect
from maxcover.text.read.given import Documents, find_documents

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from maxcover.packing.said import Said
    from maxcover.solvers.effort import EffortName
    from maxcover.solvers.solve import MethodName
    from maxcover.text.read.lines import LineMode
    from maxcover.text.words.languages import Language

OrderName = Literal["retrieved", "document", "ends"]
GranularityName = Literal["auto", "passage", "sentence"]
GRANULARITIES: tuple[str, ...] = get_args(GranularityName)
SEPARATOR = "\n\n"
# Passages are taken whole where so many of them fit, if that is a share between these two; where a
# larger share fits, always.
_SEVERAL, _LARGE_SHARE = 5, (0.15, 0.3)


@checked
def pack(
    passages: Documents,
    *,
    budget: float,
    query: str | Sequence[str] = "",
    scores: Sequence[float | None] | NDArray[np.float64] | None = None,
    unit: Counter = "tokens",
    granularity: GranularityName = "auto",
    required: Iterable[Requirement] | Requirement = (),
    order: OrderName = "retrieved",
    documents: Sequence[Hashable] | None = None,
    positions: Sequence[float] | None = None,
    headers: Sequence[str] | None = None,
    separator: str = SEPARATOR,
    language: str | Language = "english",
    lines: LineMode = "auto",
    method: MethodName = "auto",
    effort: EffortName = "fast",
    time_limit: float | None = None,
    target_gap: float = 0.0,
    seed: int = 0,
) -> Packed:
    """Choose what to send to a language model of the passages that a retriever found.

    Parameters
    ----------
    passages : iterable or mapping
        What a retriever found, best first: texts, records ``{"text": ...}``, Paths, or a mapping
        from names to them. They are never changed; spans point into them.
    budget : float
        How large the text may be, in `unit`, headers and separators included.
    query : str or sequence of str
        The question, or the topic; or several questions, which share the budget: each has its own
        first passage and its own best sentence.
    scores : sequence of float, optional
        The retriever's, the higher the better, on any scale: only their order counts. Without
        scores the order given is the ranking. A passage whose score is None or NaN stays behind the
        one before it.
    unit : {"tokens", "words", "characters", "bytes"}, callable or tokenizer
        What is counted. "tokens" is an estimate that needs no vocabulary; for a hard limit pass the
        tokenizer (tiktoken, tokenizers, transformers) or a function of a text. The text that comes
        out is never larger than the budget, under any counter.
    granularity : {"auto", "passage", "sentence"}
        Whether passages are taken whole, or only those of their sentences that are worth their
        cost. "auto" takes sentences unless a large share of the passages fits.
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
    language : str or Language
        Of the passages: for sentence ends, stems and the estimate of tokens.
    lines : {"auto", "break", "wrap"}
        Whether a line end ends a sentence.
    method, effort, time_limit, target_gap, seed
        As in `solve`. With ``effort="fast"``, the default, choosing takes milliseconds and the
        certificate is made when it is asked for; "normal" and "thorough" search and prove.

    Returns
    -------
    Packed
        Deterministic. Every passage in it adds weight, so near-duplicates appear once. If there are
        no passages, or none fits, the text is empty.

    Raises
    ------
    InfeasibleError
        What is required does not fit.

    Notes
    -----
    `maxcover.packing.objective` says what is maximised. No parameter trades relevance for
    diversity. Time is linear in the length of the passages, but for sorting, and passages that were
    read before cost a look-up.

    Examples
    --------
    >>> found = ["Dogs bark; cats do not.", "Dogs bark, but cats do not.", "A dog sleeps a lot."]
    >>> packed = pack(found, query="What do dogs do?", budget=13)
    >>> print(packed)
    Dogs bark; cats do not.
    <BLANKLINE>
    A dog sleeps a lot.
    >>> packed.indices, packed.cost, packed.left_out[0].reason
    ((0, 2), 13.0, '92 % of what it says is in passage 0')
    """
    from maxcover.packing.choosing import Chooser
    from maxcover.packing.fit import Fitting

    started = time.perf_counter()
    texts = list(find_documents(passages, option="passages").documents)
    numbers, patterns = split_requirements(required, len(texts))
    ranks = rank(scores, len(texts))
    memory = memory_for(language, lines)
    said = collect(memory.read(texts))
    questions = [query] if isinstance(query, str) else query
    asked = [said.find(memory.ask(question)) for question in questions]
    unit = find_counter(unit, english=said.english)
    estimated = is_estimate(unit) and said.adds_up
    layout = Layout(
        texts=texts,
        **_pieces(texts, said, whole=granularity != "sentence", estimated=estimated),
        headers=_one_each(headers, "headers", texts) or [""] * len(texts),
        separator=separator,
        order=order,
        shelf=Shelf(
            ranks,
            _one_each(documents, "documents", texts) or [None] * len(texts),
            _one_each(positions, "positions", texts) or range(len(texts)),
        ),
        unit=unit,
    )
    whole = granularity != "sentence"
    prices = price(layout, whole=whole)
    share = float(np.clip(_SEVERAL / max(len(texts), 1), *_LARGE_SHARE))
    if granularity == "auto" and budget <= share * float(prices.pieces.sum()):
        whole = False
        layout = replace(layout, **_pieces(texts, said, whole=False, estimated=estimated))
        prices = price(layout, whole=False)
    musts = _must(layout, numbers, patterns)
    worth = weigh(said, ranks, asked, whole=whole)
    posed = pose(said, worth, [holders for _, holders in musts], prices, budget, whole=whole)

    options = {"time_limit": time_limit, "target_gap": target_gap, "seed": seed}
    for attempt in dict.fromkeys((method, "exact")):
        chooser = Chooser(attempt, effort, options)
        chosen, size = Fitting(posed.problem, layout, prices, budget, chooser).run()
        missing = [name for name, holders in musts if not set(chosen).intersection(holders)]
        # otherwise a method that is not exact may have overlooked the way to keep them
        if not missing:
            break
    else:
        raise _misfit(missing, len(musts), budget, layout)
    taken = describe(layout, posed, chosen, prices=prices, names=memory.names)
    return Packed(
        text=layout.render((one.index, one.text) for one in taken),
        passages=taken,
        cost=size,
        budget=float(budget),
        unit=layout.unit.name,
        value=float(posed.held.gains(chosen).sum()),
        total_weight=posed.total,
        n_passages=len(texts),
        granularity="passage" if whole else "sentence",
        order=order,
        seconds=time.perf_counter() - started,
        _language=memory.language,
        _bound=lambda: chooser.bound() - posed.extra,
        _rest=lambda: (
            layout,
            posed,
            chosen,
            prices,
            distinct(np.concatenate([ranks[:0], *asked])),
        ),
    )


def _one_each(values: Sequence[Any] | None, name: str, texts: list[str]) -> list[Any] | None:
    if values is not None and len(values) != len(texts):
        raise OptionError(
            f"expected {name} to have one entry per passage, {len(texts)}, got {len(values)}"
        )
    return None if values is None else list(values)


def _pieces(texts: list[str], said: Said, *, whole: bool, estimated: bool) -> dict[str, Any]:
    """Say where the pieces are, whole passages or their sentences, and their estimated sizes."""
    sizes = said.tokens if estimated else None
    if not whole:
        return {"passage": said.passage, "starts": said.starts, "ends": said.ends, "sizes": sizes}
    ends = np.array([len(text) for text in texts], dtype=np.int64)
    if sizes is not None:
        # pieces tile a passage, with white space between them, which is free
        sizes = np.bincount(said.passage, sizes, minlength=len(texts)).astype(np.float64)
    places = {"passage": np.arange(len(texts)), "starts": np.zeros_like(ends), "ends": ends}
    return {**places, "sizes": sizes}


def _must(
    layout: Layout, numbers: list[int], patterns: Sequence[Any]
) -> list[tuple[str, list[int]]]:
    """List what must stay, each with the pieces of which one has to be chosen."""
    facts = find_facts(layout.pieces(), patterns) if patterns else {}
    whole = [
        (f"passage {layout.passage[index]}", [index])
        for index in np.flatnonzero(np.isin(layout.passage, numbers)).tolist()
    ]
    return [*whole, *((repr(fact), holders) for fact, holders in facts.items())]


def _misfit(missing: list[str], n_musts: int, budget: float, layout: Layout) -> InfeasibleError:
    shown = ", ".join(missing[:5]) + (", …" if len(missing) > 5 else "")
    return InfeasibleError(
        f"expected all {n_musts} requirements to fit into {budget:g} {layout.unit.name}, found no "
        f"selection with {shown}; raise the budget or require less"
    )
