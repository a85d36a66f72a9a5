"""Answers: what the service and the tools of agents return, as typed dictionaries.

The client returns these types, and the OpenAPI description of the service is made from them. This
module has no ``from __future__ import annotations``, because a TypedDict cannot see `NotRequired`
in annotations that are strings.
"""

from typing import Any, Literal, NotRequired, TypedDict

Status = Literal["optimal", "within gap", "heuristic"]


class DualPoint(TypedDict, total=False):
    """The dual point that proves a bound, as in a saved solution: prices, and shares of elements.

    Elements are in the order in which sets name them. `pieces` are affine upper bounds of elements
    that are covered with a probability (`chance`). A price of None is infinite. `tree` is a proof
    by cases, as in a saved solution.
    """

    price: float | None
    price_unit: float
    shares: list[float]
    row_prices: list[float]
    floor_rewards: list[float]
    pieces_elements: list[int]
    pieces_shares: list[float]
    pieces_indptr: list[int]
    pieces_edges: list[int]
    tree_format: int
    tree_nodes: str
    tree_points: str
    tree_rates: list[float]
    tree_most: float


class Told(TypedDict):
    """What Python would warn of (`InputWarning`); missing if there is nothing."""

    warnings: NotRequired[list[str]]


class Certified(Told):
    """Fields of every answer with a certificate."""

    value: float
    cost: float
    gap: float
    status: Status
    seconds: float


class Bounded(Certified):
    """A certificate with an upper bound on the value of any selection."""

    upper_bound: float


class ChosenSets(DualPoint):
    """The chosen sets by index and, if they have labels, by label; and how they were found.

    With `proof`, the answer also has what a saved solution has: `maxcover.load` reads it.
    """

    selected: list[int]
    labels: list[Any] | None
    stopped: str
    bound_by: str
    method: str
    format: NotRequired[str]
    version: NotRequired[int]
    kind: NotRequired[str]
    trace: NotRequired[list[Any]]


class SolutionAnswer(Bounded, ChosenSets):
    """A selection of sets with its certificate; with `proof`, `target` and `share` are null."""

    target: NotRequired[None]
    share: NotRequired[None]


class PlanAnswer(Certified, ChosenSets):
    """A selection of sets that covers the target, with a lower bound on the cost.

    With `proof`, `upper_bound` is null.
    """

    upper_bound: NotRequired[None]
    lower_bound: float
    target: float
    share: float | None


class StatedAnswer(DualPoint):
    """An answer of `/v1/solve` or `/v1/cover` to be verified; fields not checked may be missing."""

    selected: list[int]
    labels: NotRequired[list[str | int] | None]
    value: float
    cost: float
    status: Literal["optimal", "within gap", "heuristic", "unverified"]
    bound_by: str
    upper_bound: NotRequired[float | None]
    lower_bound: NotRequired[float]
    target: NotRequired[float | None]
    share: NotRequired[float | None]


class VerificationAnswer(Told):
    """The statements that were checked, refused, or trusted without a check; and the outcome."""

    outcome: Literal["proven", "trusted", "refused"]
    ok: bool
    status: Literal["optimal", "within gap", "heuristic", "unverified"]
    bound: float | None
    unchecked: str
    checked: list[str]
    refused: list[str]
    trusted: list[str]


class SentenceAnswer(TypedDict):
    """A sentence of a summary: its place, cost, gain, and the concepts that it covers."""

    text: str
    document: int
    start: int
    end: int
    index: int
    cost: float
    gain: float
    covers: list[dict[str, Any]]
    speaker: str
    line: int
    reasons: list[str]


#: Fields that a summary and a context share.
class _Named(Told):
    schema: str
    text: str
    budget: float
    unit: str


class SummaryAnswer(Bounded, _Named):
    """A summary with its certificate; schema ``maxcover.summary/1``."""

    certificate: str
    stopped: str
    n_documents: int
    n_sentences: int
    n_candidates: int
    total_weight: float
    coverage: float
    language: str
    left_out: list[str]
    headline: int | None
    sentences: list[SentenceAnswer]
    runner_up: SentenceAnswer | None


class PackedAnswer(_Named):
    """A context with its certificate; schema ``maxcover.packed/1``."""

    cost: float
    passages: list[dict[str, Any]]


class CurveAnswer(Told):
    """Results, one entry per budget; for texts the budgets are in ascending order."""

    budgets: list[float]
    values: list[float]
    costs: list[float]
    upper_bounds: list[float]
    selections: list[list[int]]
    missing: list[float]
    total_weight: float
    certificates: NotRequired[list[str]]
    said: NotRequired[list[str]]
    usual_budget: NotRequired[float]
    sentences: NotRequired[list[dict[str, Any]]]
    concepts: NotRequired[list[dict[str, Any]]]


class ReadDocument(TypedDict):
    """A document that was read: its name and its text."""

    name: str
    text: str


class ReadAnswer(TypedDict):
    """The documents in the files; a JSON Lines file may have several."""

    documents: list[ReadDocument]


class ErrorDetail(TypedDict):
    """An error: a code for programs, and a message."""

    code: str
    message: str


class ErrorAnswer(TypedDict):
    """The answer to a request that failed."""

    error: ErrorDetail


class ExplanationAnswer(Told):
    """For each set, bounds on the value lost if the decision about the set were reversed."""

    value: float
    better: SolutionAnswer | None
    unfinished: str
    sets: list[dict[str, Any]]


class AlternativesAnswer(Told):
    """Selections that are nearly as good, the best first, and which sets they share."""

    within: float
    solutions: list[SolutionAnswer]
    closest: SolutionAnswer | None
    unfinished: str
    sets: list[dict[str, Any]]


class PhasesAnswer(Told):
    """A growing selection for growing budgets, with each phase's share of its upper bound."""

    budgets: list[float]
    values: list[float]
    upper_bounds: list[float]
    shares: list[float]
    worst: float
    mean: float
    mean_bound: float
    unfinished: str
    sets: list[dict[str, Any]]


class SensitivityAnswer(Told):
    """How much the selection loses when weights are drawn at random around the given ones."""

    draws: int
    asked: int
    loss_at_most: float
    mean_loss_at_most: float
    steadiest: SolutionAnswer
    unfinished: str
    sets: list[dict[str, Any]]


class LeftOutPassage(TypedDict):
    """A passage that was left out; `beginning` is the beginning of its text."""

    passage: int
    rank: int
    reason: str
    beginning: str


class LeftOutAnswer(TypedDict):
    """Passages that were left out, best first, and what is proven about the choice."""

    total: int
    passages: list[LeftOutPassage]
    certificate: str
