"""Schemas: what requests hold, checked by pydantic and shown in the OpenAPI description.

Names of methods, units and so on come from their tables. Whether a value makes sense is decided by
the library, so that all doors give the same answer.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, RootModel, StrictInt, StrictStr
from pydantic import Tag as Kind

from maxcover.solvers import METHODS
from maxcover.text import CONCEPTS, LANGUAGES, ORDERS, PRESETS, UNITS, WEIGHTS


def _one_of(names: Any) -> Any:
    return Field(json_schema_extra={"enum": list(names)})


Label = StrictStr | StrictInt
Budget = (
    Annotated[float, Field(ge=0, le=1e15)]
    | Annotated[str, Field(pattern=r"^[0-9]{1,3}(\.[0-9]{1,6})?%$")]
)
Share = Annotated[float, Field(ge=0, le=1)]
Limit = Annotated[float, Field(ge=0, le=1e15)]
Number = Annotated[int, Field(ge=0, le=2**31 - 1)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    time_limit: float | None = Field(
        None,
        ge=0,
        le=1e6,
        description="Seconds from arrival to answer, which the solver uses to the full unless it "
        "proves its answer best before. Without one the solver stops by itself, or at the "
        "service's own limit.",
    )
    seed: Number = Field(0, description="Of everything random.")


class _Search(_Request):
    method: Annotated[str, _one_of(METHODS)] = "auto"
    target_gap: Share = Field(0.0, description="Stop when proven this close to the best possible.")


class _Texts(BaseModel):
    documents: list[str] = Field(min_length=1, description="The texts.")
    unit: Annotated[str, _one_of(UNITS)] = Field("words", description="What the budget counts.")
    required: list[StrictStr | Number] = Field(
        [], description="Sentences that must be there, by text or by number."
    )
    forbidden: list[StrictStr | Number] = Field([], description="Sentences that must not.")
    max_sentences_per_document: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    max_cost_per_document: Limit | None = None
    language: Annotated[str, _one_of(LANGUAGES)] = "english"
    preset: Annotated[str, _one_of(PRESETS)] = "default"
    concepts: Annotated[str, _one_of(CONCEPTS)] | None = None
    weights: Annotated[str, _one_of(WEIGHTS)] | None = None
    stem: bool | None = None
    stop_words: bool | None = None
    boost: Annotated[float, Field(ge=0, le=1e6)] | None = None
    query: str = Field("", description="Prefer what answers this.")
    min_words: Annotated[int, Field(ge=0, le=10_000)] = 1
    lines: Literal["auto", "break", "wrap"] = "auto"

    def reading(self) -> dict[str, Any]:
        """Return the options of `maxcover.summarize` that every request about texts has."""
        return {name: getattr(self, name) for name in _Texts.model_fields if name != "documents"}


class SummarizeRequest(_Search, _Texts):
    """Texts to summarise, and how large the summary may be."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "documents": ["Cats purr. Cats and dogs sleep all day.", "Dogs bark."],
                    "budget": 8,
                }
            ]
        }
    )
    budget: Budget = Field(description="Largest size in `unit`, or a share of all, as in 10%.")
    order: Annotated[str, _one_of(ORDERS)] = "reading"
    max_similarity: Share = 0.8
    names: list[str] = Field([], description="Of the documents, for reports.")
    title: str = Field("", description="Of the summary, for reports.")


class _Sets(BaseModel):
    sets: dict[str, list[Label]] | list[list[Label]] = Field(
        description="What each set covers: by name, or in order."
    )
    costs: dict[str, Limit] | list[Limit] | None = Field(None, description="1 each without.")
    weights: dict[str, Limit] | list[Limit] | None = Field(
        None,
        description="Of elements: by name; or in order, and then elements are numbers from 0.",
    )
    required: list[Label] = Field([], description="Sets that must be chosen, by name or number.")
    forbidden: list[Label] = Field([], description="Sets that must not.")
    groups: dict[str, Label] | list[Label | None] | None = Field(
        None, description="The group of each set."
    )
    max_items: Limit | dict[str, Limit] | None = Field(None, description="Sets from each group.")
    max_cost: Limit | dict[str, Limit] | None = Field(None, description="Cost from each group.")


class SolveRequest(_Search, _Sets):
    """A coverage problem."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "sets": {"unit": ["parser", "lexer"], "end-to-end": ["parser", "shell"]},
                    "costs": {"unit": 1, "end-to-end": 5},
                    "weights": {"parser": 3, "lexer": 1, "shell": 2},
                    "budget": 5,
                }
            ]
        }
    )
    budget: Limit


class TextCurveRequest(_Request, _Texts):
    """Texts, and the budgets to compare."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"documents": ["Cats purr. Cats and dogs sleep all day."], "budgets": [2, 6, 8]}
            ]
        }
    )
    budgets: list[Budget] = Field(min_length=1)
    detail: bool = Field(False, description="Also return sentences and concepts.")


class ProblemCurveRequest(_Request, _Sets):
    """A coverage problem, and the budgets to compare."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"sets": [[1, 2], [3], [3, 4]], "costs": [1, 1, 3], "budgets": [1, 2, 4]}]
        }
    )
    budgets: list[Limit] = Field(min_length=1)


def _kind(value: Any) -> str:
    return "problem" if isinstance(value, dict) and "sets" in value else "text"


class CurveRequest(
    RootModel[
        Annotated[
            Annotated[TextCurveRequest, Kind("text")]
            | Annotated[ProblemCurveRequest, Kind("problem")],
            Discriminator(_kind),
        ]
    ]
):
    """What each of many budgets would buy: of texts, or of a coverage problem."""


class Sentence(BaseModel):
    """A sentence and why it is there."""

    text: str
    document: int
    start: int
    end: int
    index: int
    cost: float
    gain: float
    covers: list[dict[str, Any]]
    reasons: list[str]


class SummaryAnswer(BaseModel):
    """A summary with its certificate; schema ``maxcover.summary/1``."""

    schema_: str = Field(alias="schema")
    text: str
    budget: float
    unit: str
    cost: float
    value: float
    upper_bound: float
    gap: float
    status: Literal["optimal", "within gap", "heuristic"]
    stopped: str
    n_documents: int
    n_sentences: int
    total_weight: float
    coverage: float
    language: str
    seconds: float
    left_out: list[str]
    sentences: list[Sentence]
    runner_up: Sentence | None


class SolutionAnswer(BaseModel):
    """A selection of sets with its certificate."""

    selected: list[int]
    labels: list[Any] | None
    value: float
    cost: float
    upper_bound: float
    gap: float
    status: Literal["optimal", "within gap", "heuristic"]
    stopped: str
    bound_by: str
    method: str
    seconds: float


class CurveAnswer(BaseModel):
    """One entry a budget, ascending; sentences and concepts if they were asked for."""

    budgets: list[float]
    values: list[float]
    costs: list[float]
    upper_bounds: list[float]
    selections: list[list[int]]
    total_weight: float
    sentences: list[dict[str, Any]] | None = None
    concepts: list[dict[str, Any]] | None = None


class ErrorDetail(BaseModel):
    """What went wrong."""

    code: str
    message: str


class ErrorAnswer(BaseModel):
    """Every answer that is not a result."""

    error: ErrorDetail
