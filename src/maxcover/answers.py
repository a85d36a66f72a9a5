"""Answers: what the service and the tools of agents return, as typed dictionaries.

The client's types are these, and the service's OpenAPI description is made of them. Annotations are
evaluated here: a TypedDict whose annotations are texts does not know what is `NotRequired`.
"""

from typing import Any, Literal, NotRequired, TypedDict

Status = Literal["optimal", "within gap", "heuristic"]


class PiecesOfDual(TypedDict):
    """Affine bounds of elements with a chance; see the certificates in the documentation."""

    elements: list[int]
    shares: list[float]
    indptr: list[int]
    edges: list[int]


class DualPoint(TypedDict):
    """A price and one share per element, in the order in which the sets first name them."""

    price: float
    unit: float
    shares: list[float]
    rows: NotRequired[list[float] | None]
    floors: NotRequired[list[float] | None]
    pieces: NotRequired[PiecesOfDual | None]


class Certified(TypedDict):
    """What every answer with a certificate has."""

    value: float
    cost: float
    gap: float
    status: Status
    seconds: float


class Bounded(Certified):
    """A certificate that says how much more could be covered at most."""

    upper_bound: float


class ChosenSets(TypedDict):
    """Sets that were chosen, by number and, if they have some, by label; and how."""

    selected: list[int]
    labels: list[Any] | None
    stopped: str
    bound_by: str
    method: str
    dual: NotRequired[DualPoint]


class SolutionAnswer(Bounded, ChosenSets):
    """A selection of sets with its certificate."""


class PlanAnswer(Certified, ChosenSets):
    """A selection of sets that covers enough, with its certificate."""

    lower_bound: float
    target: float
    share: float | None


class StatedAnswer(TypedDict):
    """What an answer of `/v1/solve` or `/v1/cover` says; what is not checked may be left out."""

    selected: list[int]
    labels: NotRequired[list[str | int] | None]
    value: float
    cost: float
    status: Literal["optimal", "within gap", "heuristic", "unverified"]
    bound_by: str
    upper_bound: NotRequired[float]
    lower_bound: NotRequired[float]
    target: NotRequired[float]
    share: NotRequired[float | None]
    dual: NotRequired[DualPoint | None]


class VerificationAnswer(TypedDict):
    """What holds, what does not, and what was not checked."""

    outcome: Literal["proven", "trusted", "refused"]
    ok: bool
    status: Literal["optimal", "within gap", "heuristic", "unverified"]
    bound: float
    checked: list[str]
    refused: list[str]
    trusted: list[str]


class SentenceAnswer(TypedDict):
    """A sentence and why it is there."""

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


#: ``schema`` is no name of a class's field, so this one is written as a call.
class _Named(TypedDict):
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
    story: list[int]
    sentences: list[SentenceAnswer]
    runner_up: SentenceAnswer | None


class PackedAnswer(_Named):
    """A context with its certificate; schema ``maxcover.packed/1``."""

    cost: float
    passages: list[dict[str, Any]]


class CurveAnswer(TypedDict):
    """One entry per budget: of a problem as asked, of texts ascending; more if asked for."""

    budgets: list[float]
    values: list[float]
    costs: list[float]
    upper_bounds: list[float]
    selections: list[list[int]]
    total_weight: float
    certificates: NotRequired[list[str]]
    said: NotRequired[list[str]]
    sentences: NotRequired[list[dict[str, Any]]]
    concepts: NotRequired[list[dict[str, Any]]]


class ReadDocument(TypedDict):
    """A text and what it is called."""

    name: str
    text: str


class ReadAnswer(TypedDict):
    """The texts of the files; a JSON Lines file has one per document."""

    documents: list[ReadDocument]


class ErrorDetail(TypedDict):
    """What went wrong."""

    code: str
    message: str


class ErrorAnswer(TypedDict):
    """Every answer that is not a result."""

    error: ErrorDetail


class ExplanationAnswer(TypedDict):
    """What each set is worth, with bounds of what changing the decision about it loses."""

    value: float
    better: SolutionAnswer | None
    sets: list[dict[str, Any]]


class AlternativesAnswer(TypedDict):
    """Selections that are nearly as good, the best first, and which sets they share."""

    within: float
    solutions: list[SolutionAnswer]
    closest: SolutionAnswer | None
    sets: list[dict[str, Any]]


class PhasesAnswer(TypedDict):
    """A growing selection for growing budgets, and what it loses by having to grow."""

    budgets: list[float]
    values: list[float]
    upper_bounds: list[float]
    shares: list[float]
    worst: float
    mean: float
    mean_bound: float
    sets: list[dict[str, Any]]


class SensitivityAnswer(TypedDict):
    """What the selection loses if the weights are drawn again."""

    draws: int
    loss_at_most: float
    mean_loss_at_most: float
    steadiest: SolutionAnswer
    sets: list[dict[str, Any]]


class LeftOutPassage(TypedDict):
    """A passage that was left out; `beginning` are its first characters."""

    passage: int
    rank: int
    reason: str
    beginning: str


class LeftOutAnswer(TypedDict):
    """Passages that were left out, best first, and what is proven about the choice."""

    total: int
    passages: list[LeftOutPassage]
    certificate: str
