"""Result: the chosen passages with their places, the certificate, and why the others are not."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core.ascending import difference
from maxcover.texts.packing.context import Context, LeftOut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from maxcover.engine.core.solution import Solution
    from maxcover.ground.array_types import Int64s, Mask
    from maxcover.texts.packing.fitting import Posed
    from maxcover.texts.packing.objective import Worth
    from maxcover.texts.packing.occurrences import PassageOccurrences
    from maxcover.texts.packing.statements import Versions


SCHEMA = "maxcover.packed/2"


@dataclass(frozen=True, eq=False, kw_only=True)
class PackedPassage:
    """A chosen passage, whole or in part.

    Attributes
    ----------
    index : int
        Its number among the passages given.
    text : str
        What stands in the context, without header and separator.
    spans : tuple of (start, end)
        Where that is in the passage; between two of them, the text has "…". Sentences that are
        neighbours in the passage are one span.
    cost : float
        What it takes of the budget, header and separator included, counted by itself.
    rank : int
        Its place in the order of the scores, from 1.
    gain : float
        The weight that it is the first to cover, when pieces are taken from the one that adds most
        to the one that adds least. The gains of all passages sum to the value.
    given : str, mapping or object
        The passage as it was given, with its id and metadata.
    """

    index: int
    text: str
    spans: tuple[tuple[int, int], ...]
    cost: float
    rank: int
    gain: float
    given: Any = field(repr=False)

    def provenance(self) -> dict[str, Any]:
        """Return index, cost, rank, gain and spans as plain values."""
        names = ("index", "cost", "rank", "gain")
        spans = [list(span) for span in self.spans]
        return {name: getattr(self, name) for name in names} | {"spans": spans}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {"text": self.text, **self.provenance()}


@dataclass(frozen=True, eq=False, kw_only=True)
class Packed(Context):
    """A context within its budget, certified. ``str(packed)`` is the text.

    In a notebook it is shown as a table of what was taken and what was left out.

    Attributes
    ----------
    text : str
        The passages with headers and separators; never larger than the budget.
    passages : tuple of PackedPassage
        In the order in which they stand in the text.
    cost, budget : float
        The size of the text and what it may be, in `unit`.
    unit : str
    value : float
        Weight of the words and phrases that the text covers.
    upper_bound, gap : float
        No selection within the budget covers more (and keeps what is required). If your
        tokenizer is not additive, the bound only covers selections measured piece by piece.
        Computed when first asked for, in milliseconds. The gap is the share of the bound that is
        missing: the value is at least ``1 - gap`` of the best possible.
    status : {"optimal", "heuristic"}
        Whether the bound proves that the value is the best possible.
    total_weight : float
        Weight of all words and phrases.
    left_out : tuple of LeftOut
        The passages of which nothing was taken, best first, each with the reason. Worked out when
        first asked for.
    n_passages : int
        What there was to choose from.
    granularity : {"passage", "sentence", "mixed"}
        What "auto" decided, or as asked for; mixed if some passages were taken whole.
    order : str
        As asked for.
    seconds : float
    """

    passages: tuple[PackedPassage, ...]
    n_passages: int
    granularity: str
    order: str
    seconds: float

    @property
    def pieces(self) -> str:
        """What was chosen among, in the plural: "sentences"."""
        return f"{self.granularity}s"

    @property
    def remark(self) -> str:
        """What the bound proves, in a sentence."""
        return self.certificate

    def _columns(self) -> dict[str, list[Any]]:
        names = ("index", "rank", "cost", "gain", "text")
        return {name: [getattr(one, name) for one in self.passages] for name in names}

    def __len__(self) -> int:
        return len(self.passages)

    def __iter__(self) -> Iterator[PackedPassage]:
        return iter(self.passages)

    @property
    def indices(self) -> tuple[int, ...]:
        """The numbers of the chosen passages, as they stand in the text."""
        return tuple(passage.index for passage in self.passages)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values: schema ``maxcover.packed/2``.

        `maxcover.texts.packing.read_schema` returns the JSON Schema that it keeps to.
        """
        own = {name: getattr(self, name) for name in ("n_passages", "granularity", "order")}
        passages = [passage.to_dict() for passage in self.passages]
        return {
            "schema": SCHEMA,
            **super().to_dict(),
            **own,
            "seconds": self.seconds,
            "passages": passages,
        }

    def __repr__(self) -> str:
        return (
            f"Packed({len(self.passages)} of {self.n_passages} passages, {self.cost:g} of "
            f"{self.budget:g} {self.unit}, value {self.value:g} of {self.total_weight:g})"
        )


def describe(
    posed: Posed,
    chosen: list[int],
    prove: Callable[[], Solution],
    given: Sequence[Any],
    **about: Any,
) -> Packed:
    """Build the result from the chosen pieces, with the gain of each passage.

    `chosen` is sorted by gain. Requirements add nothing to gains.
    """
    layout, n_passages = posed.layout, len(posed.layout.texts)
    passages = layout.passage[chosen]
    own = posed.gains(chosen, counted=False)
    added = np.bincount(passages, own, n_passages).tolist()
    costs = np.bincount(passages, posed.prices.pieces[chosen], n_passages).tolist()
    taken = tuple(
        PackedPassage(
            index=passage,
            text=layout.show(passage, spans),
            spans=tuple(spans),
            cost=costs[passage],
            rank=int(layout.ranks[passage]),
            gain=added[passage],
            given=given[passage],
        )
        for passage, spans in layout.shown(chosen)
    )
    return Packed(
        passages=taken,
        n_passages=n_passages,
        order=layout.order,
        **certified(posed, chosen, prove),
        **about,
    )


def certified(posed: Posed, chosen: list[int], prove: Callable[[], Solution]) -> dict[str, Any]:
    """Return the text of the chosen pieces with its limits and proof, as `Context` takes them."""

    def bound() -> tuple[float, str]:
        proof = prove()
        return proof.upper_bound - posed.extra, proof.witness

    return {
        "text": posed.layout.render(posed.layout.shown(chosen)),
        "unit": posed.layout.unit.name,
        "budget": float(posed.budget),
        "value": float(posed.gains(chosen, counted=False).sum()),
        "total_weight": float(posed.problem.weights.sum()) - posed.extra,
        "_prove": bound,
    }


def read_schema() -> dict[str, Any]:
    """Return the JSON Schema of `Packed.to_json`.

    Examples
    --------
    >>> read_schema()["properties"]["schema"]
    {'const': 'maxcover.packed/2'}
    """
    text = Path(__file__).with_name("packed.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


# The most passages that a reason names.
_NAMED = 3


def find_left_out(
    posed: Posed,
    chosen: list[int],
    *,
    said: PassageOccurrences,
    worth: Worth,
    versions: Versions,
    questions: Sequence[Int64s],
) -> Iterator[LeftOut]:
    """Say why each passage that is not shown was left out; best rank first."""
    layout = posed.layout
    asked, n_passages = np.concatenate((layout.ranks[:0], *questions)), len(layout.texts)
    taken = np.isin(layout.piece, chosen)

    def any_of(sentences: Int64s | Mask) -> Mask:
        """Return a mask of the passages that have at least one of the sentences."""
        return np.bincount(said.passage[sentences], minlength=n_passages) > 0

    rows, words = said.word_pairs
    smallest = np.full(n_passages, np.inf)
    np.minimum.at(smallest, layout.passage, posed.prices.pieces)
    worded, close, kept = any_of(rows), any_of(worth.close), any_of(worth.kept)
    matched = any_of(rows[np.isin(words, asked)]) | (asked.size == 0)
    # Pairs of sentences (inner, outer) where outer was taken and says all that inner says.
    inner, outer = (side[taken[versions.within[1]]] for side in versions.within)
    missing = np.ones(said.n_sentences, dtype=bool)
    missing[inner] = False
    whole, lacking = ~any_of(missing), any_of(missing & worth.close)
    twins: dict[int, Counter[int]] = {}
    pairs = zip(said.passage[inner].tolist(), said.passage[outer].tolist(), strict=True)
    for passage, twin in pairs:
        if not lacking[passage] and passage != twin:
            twins.setdefault(passage, Counter())[twin] += 1
    out = difference(np.arange(n_passages), layout.passage[chosen])
    ranks = layout.ranks
    for passage in out[np.argsort(ranks[out], kind="stable")].tolist():
        counts = twins.get(passage, Counter())
        same = tuple(sorted(counts, key=lambda twin: (-counts[twin], twin))[:_NAMED])
        if not worded[passage]:
            told = "empty", "it has no words"
        elif same:
            what = "its sentences" if whole[passage] else "its best matches"
            told = "repeats", f"{what} stand in {_listed(same)}"
        elif smallest[passage] > posed.budget:
            told = "too long", "it does not fit even by itself"
        elif not matched[passage]:
            told = "matches nothing", "it holds no content word of the query"
        elif not close[passage]:
            told = "matches little", "it holds few words of the query, or common ones"
        elif not kept[passage]:
            told = "no room", "other passages say as much, or something newer"
        else:
            told = "no room", "what was taken adds more for its size"
        yield LeftOut(passage, int(ranks[passage]), *told, same)


def _listed(passages: tuple[int, ...]) -> str:
    *names, last = map(str, passages)
    return f"passages {', '.join(names)} and {last}" if names else f"passage {last}"
