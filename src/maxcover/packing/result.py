"""Packed: the chosen passages with their places and reasons, and the certificate of the choice."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core import notebook, wording
from maxcover.core.solution import relative_gap
from maxcover.packing.chosen import PackedPassage
from maxcover.text.words.stems import stem_words
from maxcover.text.words.surface import find_written
from maxcover.text.words.tokens import locate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from maxcover.packing.coverage import Posed
    from maxcover.packing.layout import Layout, Prices
    from maxcover.packing.passages import Memory
    from maxcover.packing.receipts import LeftOut
    from maxcover.summary.contributions import Covered
    from maxcover.text.words.languages import Language

SCHEMA = "maxcover.packed/2"

# Words and phrases that are looked at for those that are shown: many are or hold stop words.
_LOOKED_AT = 60


@dataclass(frozen=True, eq=False, kw_only=True)
class Packed(notebook.Tabular):
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
    upper_bound : float
        No selection within the budget covers more (and keeps what is required). If your
        tokenizer is not additive, the bound only covers selections measured piece by piece.
        Computed when first asked for, in milliseconds.
    gap : float
        How much of the upper bound is missing: the value is at least ``1 - gap`` of the best
        possible.
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

    text: str
    passages: tuple[PackedPassage, ...]
    cost: float
    budget: float
    unit: str
    value: float
    total_weight: float
    n_passages: int
    granularity: str
    order: str
    seconds: float
    _language: Language = field(repr=False)
    _bound: Callable[[], float] = field(repr=False)
    _rest: Callable[[], tuple[Layout, Posed, list[int], Prices, NDArray[np.int64]]] = field(
        repr=False
    )

    @cached_property
    def upper_bound(self) -> float:
        """No selection within the budget covers more; computed when first asked for."""
        return max(self.value, self._bound())

    @property
    def status(self) -> str:
        """Whether the bound proves the value the best possible: "optimal" or "heuristic"."""
        return "optimal" if self.gap <= 1e-9 else "heuristic"

    @property
    def gap(self) -> float:
        """How much of the upper bound is missing, from 0 (nothing) to 1 (all)."""
        return relative_gap(self.value, self.upper_bound)

    @property
    def certificate(self) -> str:
        """What the bound proves, in a sentence."""
        proven = wording.certificate(
            status=self.status,
            gap=self.gap,
            within=f"of {self.granularity}s within {wording.amount(self.budget, self.unit)}",
            beats="has more weight",
        )
        return f"{proven} It is about the choice, not about whether the answer is in the passages."

    def __getstate__(self) -> dict[str, Any]:
        """Hand over what was found, not how: what is worked out when asked for is asked for."""
        found = {"upper_bound": self.upper_bound, "left_out": self.left_out}
        return {**vars(self), **found, "_bound": None, "_rest": None}

    @cached_property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The passages of which nothing was taken, best first, each with the reason."""
        from maxcover.packing.receipts import find_left_out

        layout, posed, chosen, prices, asked = self._rest()
        return find_left_out(layout, posed, chosen, prices=prices, asked=asked, budget=self.budget)

    def explain(self) -> str:
        """Return a table of what was taken and what was left out, as plain text."""
        from maxcover.packing.receipts import as_text

        return as_text(repr(self), self._taken(), self.left_out, self.certificate)

    def _taken(self) -> list[tuple[str, ...]]:
        """List what was taken: passage, rank, size, share of the value, what it adds."""
        return [
            (
                str(one.index),
                str(one.rank),
                f"{one.cost:g}",
                f"{100 * one.gain / max(self.value, 1e-300):.0f} %",
                ", ".join(self._written(one)),
            )
            for one in self.passages
        ]

    def _written(self, one: PackedPassage, most: int = 4) -> list[str]:
        """List what a passage is the first to say, as it writes it, heaviest first."""
        from maxcover.summary.phrases import pick

        language = self._language
        runs = locate(one.text, elides=language.elides)
        places = [(a, b, word) for a, b, words in runs for word in words]
        stems = stem_words([word for _, _, word in places], language.find_stemmer())
        stops = language.stop_words
        said = [None if at[2] in stops else stem for at, stem in zip(places, stems, strict=True)]
        where = [(a, b) for a, b, _ in places]
        shown = (str(covered.concept).split() for covered in one.covers[:_LOOKED_AT])
        return pick((find_written(one.text, where, said, parts) for parts in shown), most)

    def _repr_html_(self) -> str:
        from maxcover.packing.receipts import as_html

        shown = (repr(self), self._taken(), self.left_out, self.certificate)
        return as_html(*shown, text=self.text)

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
        """Return everything as plain values: schema ``maxcover.packed/2``."""
        names = [
            "text",
            "cost",
            "budget",
            "unit",
            "value",
            "upper_bound",
            "gap",
            "status",
            "total_weight",
            "n_passages",
            "granularity",
            "order",
            "seconds",
        ]
        plain: dict[str, Any] = {"schema": SCHEMA}
        plain |= {name: getattr(self, name) for name in names}
        return plain | {
            "certificate": self.certificate,
            "passages": [passage.to_dict() for passage in self.passages],
            "left_out": [one.to_dict() for one in self.left_out],
        }

    def to_json(self, **options: Any) -> str:
        """Return `to_dict` as JSON text; options go to `json.dumps`.

        `maxcover.packing.read_schema` returns the JSON Schema that it keeps to.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, **options)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return (
            f"Packed({len(self.passages)} of {self.n_passages} passages, {self.cost:g} of "
            f"{self.budget:g} {self.unit}, value {self.value:g} of {self.total_weight:g})"
        )


def describe(
    layout: Layout,
    posed: Posed,
    chosen: list[int],
    *,
    prices: Prices,
    memory: Memory,
    given: Sequence[Any],
) -> tuple[PackedPassage, ...]:
    """Say of each chosen passage what it is the first to cover.

    Pieces come by gain. Requirements are nobody's gain.
    """
    passages, n_passages = layout.passage[chosen], len(layout.texts)
    gains = np.bincount(passages, posed.held.gains(chosen), n_passages).tolist()
    costs = np.bincount(passages, prices.pieces[chosen], n_passages).tolist()
    ranks = layout.shelf.ranks.tolist()
    covering = Covering(layout, posed, chosen, memory)
    found = []
    for passage, pieces in layout.group(chosen).items():
        spans = layout.spans(pieces)
        found.append(
            PackedPassage(
                index=passage,
                text=layout.show(passage, spans),
                spans=tuple(spans),
                cost=costs[passage],
                rank=ranks[passage],
                gain=gains[passage],
                given=given[passage],
                _covers=covering.of,
            )
        )
    return tuple(found)


class Covering:
    """What each chosen passage is the first to cover; worked out when first asked for."""

    def __init__(self, layout: Layout, posed: Posed, chosen: list[int], memory: Memory) -> None:
        self.layout, self.posed, self.chosen, self.memory = layout, posed, chosen, memory

    @cached_property
    def _new(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Passage and element of all that is covered, by passage, heaviest first."""
        places, elements = self.posed.concepts.new(self.chosen)
        passages = self.layout.passage[self.chosen][places]
        order = np.lexsort((elements, -self.posed.concepts.weights[elements], passages))
        return passages[order], elements[order]

    def of(self, passage: int) -> tuple[Covered, ...]:
        """List what one passage covers, heaviest first."""
        from maxcover.summary.contributions import Covered

        passages, elements = self._new
        first, last = np.searchsorted(passages, [passage, passage + 1])
        weights = self.posed.concepts.weights
        return tuple(
            Covered(self.posed.name(element, self.memory), float(weights[element]))
            for element in elements[first:last].tolist()
        )
