"""Schemas: what requests hold, checked by pydantic and shown in the OpenAPI description.

Names of methods, units and so on come from their tables. Whether a value makes sense is decided by
the library, so that all doors give the same answer.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, RootModel, StrictInt, StrictStr
from pydantic import Tag as Kind

from maxcover.options import find_option
from maxcover.text import LANGUAGES


def _option(name: str, of: str = "") -> Any:
    """Describe a field by its row in the table of options; names are listed, not checked here."""
    row = find_option(name, of)
    return Field(
        description=row.help, json_schema_extra={"enum": list(row.names)} if row.table else None
    )


Label = StrictStr | StrictInt
Budget = (
    Annotated[float, Field(ge=0, le=1e15)]
    | Annotated[str, Field(pattern=r"^[0-9]{1,3}(\.[0-9]{1,6})?%$")]
)
Share = Annotated[float, Field(ge=0, le=1)]
Limit = Annotated[float, Field(ge=0, le=1e15)]
Number = Annotated[int, Field(ge=0, le=2**31 - 1)]


class Limited(BaseModel):
    """A request that takes time."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    time_limit: float | None = Field(
        None,
        ge=0,
        le=1e6,
        description="Seconds from arrival to answer, time in the queue included. The solver uses "
        "all of it unless it proves its answer best before. Without one the solver stops by "
        "itself, or at the service's own limit.",
    )


class _Seeded(Limited):
    seed: Annotated[Number, _option("seed")] = 0


class _Search(_Seeded):
    method: Annotated[str, _option("method")] = "auto"
    effort: Annotated[str, _option("effort")] = "normal"
    target_gap: Annotated[Share, _option("target_gap")] = 0.0


class _Texts(BaseModel):
    documents: list[str] = Field(min_length=1, description="The texts.")
    unit: Annotated[str, _option("unit")] = "words"
    required: list[StrictStr | Number] = Field(
        [], description="Sentences that must be there, by text or by number."
    )
    forbidden: list[StrictStr | Number] = Field([], description="Sentences that must not.")
    max_sentences_per_document: Annotated[
        Annotated[int, Field(ge=1, le=2**31 - 1)] | None, _option("max_sentences_per_document")
    ] = None
    max_cost_per_document: Annotated[Limit | None, _option("max_cost_per_document")] = None
    language: Annotated[str, Field(json_schema_extra={"enum": ["auto", *LANGUAGES]})] = "auto"
    preset: Annotated[str, _option("preset")] = "default"
    concepts: Annotated[str, _option("concepts")] | None = None
    weights: Annotated[str, _option("weights")] | None = None
    stem: Annotated[bool | None, _option("stem")] = None
    stop_words: Annotated[bool | None, _option("stop_words")] = None
    boost: Annotated[Annotated[float, Field(ge=0, le=1e6)] | None, _option("boost")] = None
    query: Annotated[str, _option("query")] = ""
    known: Annotated[list[str], _option("known")] = []
    min_words: Annotated[int, Field(ge=0, le=10_000), _option("min_words")] = 1
    lines: Annotated[Literal["auto", "break", "wrap"], _option("lines")] = "auto"

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
    order: Annotated[str, _option("order")] = "reading"
    max_similarity: Annotated[Share, _option("max_similarity")] = 0.8
    names: list[str] = Field([], description="Of the documents, for reports.")
    title: str = Field("", description="Of the summary, for reports.")


class PackRequest(_Seeded):
    """Passages that a retriever found, and how large the context may be."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "passages": ["Cats purr and cats sleep.", "Cats purr.", "Dogs bark."],
                    "query": "What do dogs do?",
                    "budget": 14,
                }
            ]
        }
    )
    passages: list[str] = Field(min_length=1, description="The texts, in the order found.")
    query: Annotated[
        str | Annotated[list[str], Field(max_length=100)], _option("query", "pack")
    ] = ""
    budget: Limit = Field(description="Largest size of the context, in `unit`.")
    scores: list[Annotated[float, Field(ge=-1e15, le=1e15)] | None] | None = Field(
        None, description="Of the retriever, the higher the better; one per passage, or null."
    )
    unit: str = Field("tokens", description="What the budget counts; tokens are an estimate.")
    granularity: Annotated[str, _option("granularity")] = "auto"
    language: Annotated[str, Field(json_schema_extra={"enum": [*LANGUAGES]})] = "english"
    effort: Annotated[str, _option("effort")] = "fast"

    def options(self) -> dict[str, Any]:
        """Return the options of `maxcover.pack`, but for the time limit."""
        return self.model_dump(exclude={"time_limit"})


class _Sets(BaseModel):
    sets: dict[str, list[Label]] | list[list[Label]] = Field(
        description="What each set covers: by name, or in order."
    )
    costs: dict[str, Limit] | list[Limit] | dict[str, dict[str, Limit] | list[Limit]] | None = (
        Field(None, description="1 each without. With budgets by name, one of these for each.")
    )
    weights: dict[str, Limit] | list[Limit] | None = Field(
        None,
        description="Of elements: by name; or in order, and then elements are numbers from 0.",
    )
    required: list[Label] = Field([], description="Sets that must be chosen, by name or number.")
    forbidden: list[Label] = Field([], description="Sets that must not.")
    groups: dict[str, Label | list[Label]] | list[Label | list[Label] | None] | None = Field(
        None, description="The group of each set, or a list of its groups."
    )
    max_items: Limit | dict[str, Limit] | None = Field(None, description="Sets from each group.")
    max_cost: Limit | dict[str, Limit] | None = Field(None, description="Cost from each group.")
    min_items: Limit | dict[str, Limit] | None = Field(
        None, description="At least so many sets from each group."
    )
    min_cost: Limit | dict[str, Limit] | None = Field(
        None, description="At least so much cost from each group."
    )
    min_share: Share | dict[str, Share] | None = Field(
        None, description="Cover at least this share of what the sets of a group cover together."
    )
    need: Number | dict[str, Number] | list[Number] | None = Field(
        None, description="How many chosen sets have to hold an element; 1 each without."
    )
    conflicts: list[list[Label]] = Field(
        [], description="Sets of which at most one may be chosen, by name or number."
    )
    returns: Literal["sqrt", "log"] | list[Limit] | None = Field(
        None, description="What an element gives for the first set, the second, and so on."
    )
    chance: Share | dict[str, Share | dict[str, Share]] | None = Field(
        None, description="Probability that a set covers: one, by set, by element, or by both."
    )
    worth: dict[str, Limit] | list[Limit] | None = Field(
        None, description="What a set is worth besides what it covers."
    )


class _Proven(BaseModel):
    start: Annotated[list[Number] | None, _option("start")] = None
    proof: bool = Field(
        False,
        description="Also return the dual point behind the bound, and prefer a bound that "
        "`/v1/verify` can check.",
    )


class SolveRequest(_Search, _Sets, _Proven):
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
    budget: Limit | dict[str, Limit] = Field(description="Largest cost; or several, by name.")
    change_cost: Annotated[Limit, _option("change_cost")] = 0.0


class CoverRequest(_Seeded, _Sets, _Proven):
    """A coverage problem, and how much of it has to be covered: a share or a weight."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "sets": {"unit": ["parser", "lexer"], "end-to-end": ["parser", "shell"]},
                    "costs": {"unit": 1, "end-to-end": 5},
                    "target": 0.6,
                }
            ]
        }
    )
    target: Annotated[Annotated[float, Field(gt=0, le=1)] | None, _option("target", "cover")] = None
    weight: Annotated[Limit | None, _option("weight", "cover")] = None
    method: Annotated[str, _option("method", "cover")] = "auto"
    target_gap: Annotated[Share, _option("target_gap")] = 0.0
    change_cost: Annotated[Share, _option("change_cost", "cover")] = 0.0


class Pieces(BaseModel):
    """Affine bounds of elements with a chance; see the certificates in the documentation."""

    elements: list[Number]
    shares: list[Annotated[float, Field(ge=0, allow_inf_nan=False)]]
    indptr: list[Annotated[int, Field(ge=0, lt=2**62)]]
    edges: list[Annotated[int, Field(ge=0, lt=2**62)]]


class DualPoint(BaseModel):
    """A price and one share per element, in the order in which the sets first name them."""

    model_config = ConfigDict(allow_inf_nan=False, frozen=True)

    price: float
    unit: float
    shares: list[float]
    rows: list[float] | None = Field(None, description="Prices of the limits but the budget.")
    floors: list[float] | None = Field(None, description="Rewards of minima of weight.")
    pieces: Pieces | None = Field(None, description="Bounds of elements with a chance.")


class Stated(BaseModel):
    """What an answer of `/v1/solve` or `/v1/cover` says; what is not checked may be left out."""

    model_config = ConfigDict(allow_inf_nan=False, frozen=True)

    selected: list[Number]
    labels: list[Label] | None = None
    value: float
    cost: float
    status: Literal["optimal", "within gap", "heuristic", "unverified"]
    bound_by: str
    dual: DualPoint | None = None


class StatedSolution(Stated):
    """An answer of `/v1/solve`."""

    upper_bound: float


class StatedPlan(Stated):
    """An answer of `/v1/cover`."""

    lower_bound: float
    target: float
    share: float | None = None


class VerifyRequest(Limited, _Sets):
    """A problem as it was sent to `/v1/solve` or `/v1/cover`, and the answer."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "sets": [[1, 2], [2, 3, 4]],
                    "budget": 1,
                    "solution": {
                        "selected": [1],
                        "value": 3,
                        "cost": 1,
                        "upper_bound": 3,
                        "status": "optimal",
                        "bound_by": "dual point",
                        "dual": {"price": 3, "unit": 1, "shares": [1, 1, 1, 1]},
                    },
                }
            ]
        }
    )
    budget: Limit | dict[str, Limit] | None = Field(
        None, description="As it was sent to `/v1/solve`."
    )
    solution: StatedSolution | StatedPlan


class TextCurveRequest(_Seeded, _Texts):
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


class ProblemCurveRequest(_Seeded, _Sets):
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


class File(BaseModel):
    """A file as it is on the disk of the client."""

    name: Annotated[str, Field(max_length=1000)]
    content: str = Field(
        description="Its bytes in base64.", json_schema_extra={"contentEncoding": "base64"}
    )


class ReadRequest(BaseModel):
    """Files to read as the command line does."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={
            "examples": [{"files": [{"name": "a.txt", "content": "Q2F0cyBwdXJyLg=="}]}]
        },
    )
    files: list[File] = Field(min_length=1)


class Nothing(BaseModel):
    """An empty request."""
