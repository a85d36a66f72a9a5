"""Schemas: what requests hold, checked by pydantic and shown in the OpenAPI description.

Names of methods, units and so on come from their tables. Whether a value makes sense is decided by
the library, so that all doors give the same answer.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Discriminator,
    FailFast,
    Field,
    PlainValidator,
    RootModel,
    StrictInt,
    StrictStr,
    WithJsonSchema,
)
from pydantic import Tag as Kind

from maxcover.calls import default_of
from maxcover.options import find_option
from maxcover.packing.layout import PackOrderName  # noqa: TC001 - pydantic reads it
from maxcover.packing.pack import GranularityName  # noqa: TC001 - pydantic reads it
from maxcover.packing.requirements import FactName  # noqa: TC001 - pydantic reads it
from maxcover.solvers.cover import CoverMethodName  # noqa: TC001 - pydantic reads it
from maxcover.solvers.effort import EffortName  # noqa: TC001 - pydantic reads it
from maxcover.solvers.solve import MethodName  # noqa: TC001 - pydantic reads it
from maxcover.text import LANGUAGES
from maxcover.text.read.given import find_documents
from maxcover.text.read.sources import Cluster
from maxcover.text.weigh.corpus import OrderName  # noqa: TC001 - pydantic reads it
from maxcover.text.words.units import UnitName  # noqa: TC001 - pydantic reads it


def _option(name: str, of: str) -> Any:
    """Make a field of an option: its line of help, its names, and the default of the function."""
    row = find_option(name, of)
    default = default_of(of, name)
    # the languages that can be named, and first what is taken if none is
    names = [*dict.fromkeys((default, *LANGUAGES))] if name == "language" else list(row.names)
    return Field(
        default=list(default) if isinstance(default, tuple) else default,
        description=row.help,
        json_schema_extra={"enum": names} if names and not row.optional else None,
    )


class _FirstFault(FailFast):
    """Ends the check of a list at its first fault: all of them take a hundred times its memory."""

    __hash__ = object.__hash__  # unions of such types want one


T = TypeVar("T")
Many = Annotated[list[T], _FirstFault()]
Named = Annotated[dict[str, T], _FirstFault()]


def _names(name: str) -> Any:
    return Field(json_schema_extra={"enum": list(find_option(name).names)})


def _cluster(option: str) -> Any:
    """Make a validator that reads documents as the library does, paths apart."""

    def read(given: Any) -> Cluster:
        found = find_documents(given, option=option, paths=False)
        if not found.documents and option != "known":
            raise ValueError(f"expected at least one of {option}, got none")
        return found

    return read


_RECORD = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("text", "name", "id", "title")},
    "required": ["text"],
    "additionalProperties": False,
}
_FORMS = {
    "anyOf": [
        {"type": "string"},
        _RECORD,
        {"type": "array", "items": {"anyOf": [{"type": "string"}, _RECORD]}, "minItems": 1},
        {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1},
    ]
}
Documents = Annotated[Cluster, PlainValidator(_cluster("documents")), WithJsonSchema(_FORMS)]
Passages = Annotated[Cluster, PlainValidator(_cluster("passages")), WithJsonSchema(_FORMS)]
Known = Annotated[
    Cluster,
    PlainValidator(_cluster("known")),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
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
    seed: Annotated[Number, _option("seed", "solve")]


class _Search(_Seeded):
    method: Annotated[MethodName, _option("method", "solve")]
    effort: Annotated[EffortName, _option("effort", "solve")]
    target_gap: Annotated[Share, _option("target_gap", "solve")]


class _Texts(BaseModel):
    documents: Documents = Field(
        validation_alias=AliasChoices("documents", "text"),
        description="A text, a list of texts, or an object from names to texts; `text` for one.",
    )
    unit: Annotated[UnitName, _option("unit", "summarize")]
    required: Many[StrictStr | Number] = Field(
        [], description="Sentences that must be there, by text or by number."
    )
    forbidden: Many[StrictStr | Number] = Field([], description="Sentences that must not.")
    max_sentences_per_document: Annotated[
        Annotated[int, Field(ge=1, le=2**31 - 1)] | None,
        _option("max_sentences_per_document", "summarize"),
    ]
    max_cost_per_document: Annotated[Limit | None, _option("max_cost_per_document", "summarize")]
    language: Annotated[str, _option("language", "summarize")]
    preset: Annotated[str, _option("preset", "summarize")]
    concepts: Annotated[Annotated[str, _names("concepts")] | None, _option("concepts", "summarize")]
    weights: Annotated[Annotated[str, _names("weights")] | None, _option("weights", "summarize")]
    stem: Annotated[bool | None, _option("stem", "summarize")]
    stop_words: Annotated[bool | None, _option("stop_words", "summarize")]
    boost: Annotated[Annotated[float, Field(ge=0, le=1e6)] | None, _option("boost", "summarize")]
    query: Annotated[str, _option("query", "summarize")]
    known: Known = Field(Cluster("", (), ()), description=find_option("known").help)
    min_words: Annotated[int, Field(ge=0, le=10_000), _option("min_words", "summarize")]
    lines: Annotated[Literal["auto", "break", "wrap"], _option("lines", "summarize")]

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
    budget: Annotated[Budget | None, _option("budget", "summarize")]
    order: Annotated[OrderName, _option("order", "summarize")]
    max_similarity: Annotated[Share, _option("max_similarity", "summarize")]
    names: Many[str] = Field([], description="Of the documents, for reports.")
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
    passages: Passages = Field(description="The texts, in the order found.")
    query: Annotated[str | Annotated[Many[str], Field(max_length=100)], _option("query", "pack")]
    budget: Limit = Field(description="Largest size of the context, in `unit`.")
    scores: Many[Annotated[float, Field(ge=-1e15, le=1e15)] | None] | None = Field(
        None, description="Of the retriever, the higher the better; one per passage, or null."
    )
    unit: Annotated[str, _option("unit", "pack")]
    granularity: Annotated[GranularityName, _option("granularity", "pack")]
    language: Annotated[str, _option("language", "pack")]
    effort: Annotated[EffortName, _option("effort", "pack")]
    order: Annotated[PackOrderName, _option("order", "pack")]
    documents: Many[str] | None = Field(
        None,
        description="Where each passage is from; a name that ends in .py and the like is code.",
    )
    headers: Many[str] | None = Field(None, description="What stands before each passage.")
    required: Many[int | FactName] = Field(
        [], description="Passages by number, and kinds of facts, that must stay."
    )
    positions: Annotated[Many[float] | None, _option("positions", "pack")]
    dates: Annotated[Many[str] | None, _option("dates", "pack")]
    separator: Annotated[str, _option("separator", "pack")]
    room: Annotated[Limit | str, _option("room", "pack")]
    per_document: Annotated[Limit | None, _option("per_document", "pack")]
    prefer: Annotated[str, _option("prefer", "pack")]
    after: Annotated[str | None, _option("after", "pack")]
    least_score: Annotated[float | None, _option("least_score", "pack")]
    lines: Annotated[str, _option("lines", "pack")]
    method: Annotated[MethodName, _option("method", "pack")]
    target_gap: Annotated[Share, _option("target_gap", "pack")]

    def options(self) -> dict[str, Any]:
        """Return the options of `maxcover.pack`, but for the time limit."""
        return {
            **self.model_dump(exclude={"time_limit", "passages"}),
            "passages": self.passages,
            "documents": self.documents or self.passages.names or None,
        }


class _Sets(BaseModel):
    sets: Named[Many[Label]] | Many[Many[Label]] = Field(
        description="What each set covers: by name, or in order."
    )
    costs: Named[Limit] | Many[Limit] | Named[Named[Limit] | Many[Limit]] | None = Field(
        None, description="1 each without. With budgets by name, one of these for each."
    )
    weights: Named[Limit] | Many[Limit] | None = Field(
        None,
        description="Of elements: by name; or in order, and then elements are numbers from 0.",
    )
    required: Many[Label] = Field([], description="Sets that must be chosen, by name or number.")
    forbidden: Many[Label] = Field([], description="Sets that must not.")
    groups: Named[Label | Many[Label]] | Many[Label | Many[Label] | None] | None = Field(
        None, description="The group of each set, or a list of its groups."
    )
    max_items: Limit | Named[Limit] | None = Field(None, description="Sets from each group.")
    max_cost: Limit | Named[Limit] | None = Field(None, description="Cost from each group.")
    min_items: Limit | Named[Limit] | None = Field(
        None, description="At least so many sets from each group."
    )
    min_cost: Limit | Named[Limit] | None = Field(
        None, description="At least so much cost from each group."
    )
    min_share: Share | Named[Share] | None = Field(
        None, description="Cover at least this share of what the sets of a group cover together."
    )
    need: Number | Named[Number] | Many[Number] | None = Field(
        None, description="How many chosen sets have to hold an element; 1 each without."
    )
    conflicts: Many[Many[Label]] = Field(
        [], description="Sets of which at most one may be chosen, by name or number."
    )
    returns: Literal["sqrt", "log"] | Many[Limit] | None = Field(
        None, description="What an element gives for the first set, the second, and so on."
    )
    chance: Share | Named[Share | Named[Share]] | None = Field(
        None, description="Probability that a set covers: one, by set, by element, or by both."
    )
    worth: Named[Limit] | Many[Limit] | None = Field(
        None, description="What a set is worth besides what it covers."
    )
    best: Named[Named[Limit] | Many[Limit]] | Many[Many[Limit]] | None = Field(
        None, description="How well each set serves its elements; the best chosen one counts."
    )
    regions: Named[Label | Many[Label]] | Many[Label | Many[Label] | None] | None = Field(
        None, description="The region of each element, or a list of its regions."
    )
    min_coverage: Share | Named[Share] | None = Field(
        None, description="Cover at least this share of the weight of each region."
    )
    set_labels: Many[Label] | None = Field(None, description="Names of sets that are in a list.")
    element_labels: Many[Label] | None = Field(None, description="All elements, in their order.")
    n_elements: Number | None = Field(None, description="Elements are numbers below this.")


class _Proven(BaseModel):
    start: Annotated[Many[Number] | None, _option("start", "solve")]
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
    budget: Limit | Named[Limit] = Field(description="Largest cost; or several, by name.")
    change_cost: Annotated[Limit, _option("change_cost", "solve")]


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
    target: Annotated[Annotated[float, Field(gt=0, le=1)] | None, _option("target", "cover")]
    weight: Annotated[Limit | None, _option("weight", "cover")]
    method: Annotated[CoverMethodName, _option("method", "cover")]
    target_gap: Annotated[Share, _option("target_gap", "cover")]
    change_cost: Annotated[Share, _option("change_cost", "cover")]


class Pieces(BaseModel):
    """Affine bounds of elements with a chance; see the certificates in the documentation."""

    elements: Many[Number]
    shares: Many[Annotated[float, Field(ge=0, allow_inf_nan=False)]]
    indptr: Many[Annotated[int, Field(ge=0, lt=2**62)]]
    edges: Many[Annotated[int, Field(ge=0, lt=2**62)]]


class DualPoint(BaseModel):
    """A price and one share per element, in the order in which the sets first name them."""

    model_config = ConfigDict(allow_inf_nan=False, frozen=True)

    price: float
    unit: float
    shares: Many[float]
    rows: Many[float] | None = Field(None, description="Prices of the limits but the budget.")
    floors: Many[float] | None = Field(None, description="Rewards of minima of weight.")
    pieces: Pieces | None = Field(None, description="Bounds of elements with a chance.")


class Stated(BaseModel):
    """What an answer of `/v1/solve` or `/v1/cover` says; what is not checked may be left out."""

    model_config = ConfigDict(allow_inf_nan=False, frozen=True)

    selected: Many[Number]
    labels: Many[Label] | None = None
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
    strict: bool = Field(
        default=False, description="Refuse a bound that rests on the word of HiGHS or a search."
    )


class TextCurveRequest(_Seeded, _Texts):
    """Texts, and the budgets to compare."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"documents": ["Cats purr. Cats and dogs sleep all day."], "budgets": [2, 6, 8]}
            ]
        }
    )
    budgets: Many[Budget] = Field(min_length=1)
    detail: bool = Field(False, description="Also return sentences and concepts.")


class ProblemCurveRequest(_Seeded, _Sets):
    """A coverage problem, and the budgets to compare."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"sets": [[1, 2], [3], [3, 4]], "costs": [1, 1, 3], "budgets": [1, 2, 4]}]
        }
    )
    budgets: Many[Limit] = Field(min_length=1)


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


def names_of(content: Any, model: type[BaseModel]) -> set[str]:
    """Return the names that a body may have; none if it is no object, or may have any."""
    if model is CurveRequest:
        model = ProblemCurveRequest if _kind(content) == "problem" else TextCurveRequest
    if not isinstance(content, dict) or model.model_config.get("extra") != "forbid":
        return set()
    names = set(model.model_fields)
    for field in model.model_fields.values():
        if isinstance(field.validation_alias, AliasChoices):
            names.update(map(str, field.validation_alias.choices))
    return names


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
    files: Many[File] = Field(min_length=1)


class Nothing(BaseModel):
    """An empty request."""
