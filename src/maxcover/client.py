"""Client: the service from Python, sync and async. Needs the extra ``[client]``.

Answers are the JSON of the service as dictionaries, with types. A request that is turned away
because the service is busy is sent again when its Retry-After says so::

    from maxcover.client import AsyncClient, Client

    with Client("http://127.0.0.1:8080", token="...") as client:
        summary = client.summarize(["Cats purr.", "Dogs bark."], budget=4)
        print(summary["text"], summary["gap"])

    async with AsyncClient("http://127.0.0.1:8080") as client:
        packed = await client.pack(passages, query="What do dogs do?", budget=400)
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, TypeVar, Unpack

from maxcover.errors import MaxcoverError, MissingExtraError

try:
    import httpx
except ImportError as error:  # pragma: no cover - the tests have it
    raise MissingExtraError("the client needs httpx: pip install 'maxcover[client]'") from error

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from typing import Self

    Sets = Mapping[str, Sequence[str | int]] | Sequence[Sequence[str | int]]

__all__ = [
    "AsyncClient",
    "Client",
    "Curve",
    "Packed",
    "Plan",
    "ServiceError",
    "Solution",
    "Summary",
    "Verification",
]

T = TypeVar("T")


class ServiceError(MaxcoverError):
    """The service refused a request; `status` and `code` say why, for programs."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"the service answered {status} ({code}): {message}")
        self.status, self.code = status, code


class Common(TypedDict, total=False):
    """Options of every request."""

    time_limit: float
    seed: int


class Search(Common, total=False):
    """Options of requests that a solver answers."""

    method: str
    effort: str
    target_gap: float


class ReadingOptions(Common, total=False):
    """Options of requests about texts; as in `maxcover.summarize`."""

    unit: str
    required: Sequence[str | int]
    forbidden: Sequence[str | int]
    max_sentences_per_document: int
    max_cost_per_document: float
    language: str
    preset: str
    concepts: str
    weights: str
    stem: bool
    stop_words: bool
    boost: float
    query: str
    known: Sequence[str]
    min_words: int
    lines: str


class Summarizing(Search, ReadingOptions, total=False):
    """Options of `summarize`."""

    order: str
    max_similarity: float


class Packing(Common, total=False):
    """Options of `pack`."""

    query: str | Sequence[str]
    scores: Sequence[float | None]
    unit: str
    granularity: str
    language: str
    effort: str
    order: str
    documents: Sequence[str]
    headers: Sequence[str]
    required: Sequence[int | str]
    positions: Sequence[float]
    dates: Sequence[str]
    separator: str
    room: float | str
    per_document: float
    prefer: str
    after: str
    least_score: float
    lines: str
    method: str
    target_gap: float


class Problem(Common, total=False):
    """Options of requests about sets; as in `maxcover.CoverageProblem.from_sets`."""

    costs: Mapping[str, Any] | Sequence[float]
    weights: Mapping[str, float] | Sequence[float]
    required: Sequence[str | int]
    forbidden: Sequence[str | int]
    groups: Mapping[str, Any] | Sequence[Any]
    conflicts: Sequence[Sequence[str | int]]
    returns: str | Sequence[float]
    chance: float | Mapping[str, Any]
    worth: Mapping[str, float] | Sequence[float]
    max_items: float | Mapping[str, float]
    max_cost: float | Mapping[str, float]
    min_items: float | Mapping[str, float]
    min_cost: float | Mapping[str, float]
    min_share: float | Mapping[str, float]
    need: int | Mapping[str, int] | Sequence[int]
    best: Mapping[str, Any] | Sequence[Sequence[float]]
    regions: Mapping[str, Any] | Sequence[Any]
    min_coverage: float | Mapping[str, float]
    set_labels: Sequence[str | int]
    element_labels: Sequence[str | int]
    n_elements: int


class Solving(Search, Problem, total=False):
    """Options of `solve`; with `proof`, the answer has the dual point that `verify` checks."""

    start: Sequence[int]
    change_cost: float
    proof: bool


class Covering(Problem, total=False):
    """Options of `cover`: a `target` (share) or a `weight`, and how to search."""

    target: float
    weight: float
    method: str
    target_gap: float
    start: Sequence[int]
    change_cost: float
    proof: bool


class Checking(Problem, total=False):
    """Options of `verify`: the problem as it was sent, with its budget for a solution."""

    budget: float | Mapping[str, float]
    strict: bool


class Certified(TypedDict):
    """What every answer with a certificate has."""

    value: float
    cost: float
    gap: float
    status: str
    seconds: float


class Bounded(Certified):
    """A certificate that says how much more could be covered at most."""

    upper_bound: float


class Summary(Bounded):
    """The answer to `summarize`; see docs/reference/summary-schema.md."""

    text: str
    budget: float
    unit: str
    certificate: str
    stopped: str
    n_documents: int
    n_sentences: int
    n_candidates: int
    total_weight: float
    sentences: list[dict[str, Any]]
    runner_up: dict[str, Any] | None


class Packed(Bounded):
    """The answer to `pack`."""

    text: str
    budget: float
    unit: str
    passages: list[dict[str, Any]]


class Solution(Bounded):
    """The answer to `solve`."""

    selected: list[int]
    labels: list[str | int] | None
    stopped: str
    bound_by: str
    method: str
    dual: NotRequired[dict[str, Any]]


class Plan(Certified):
    """The answer to `cover`."""

    lower_bound: float
    selected: list[int]
    labels: list[str | int] | None
    target: float
    share: float | None
    stopped: str
    bound_by: str
    method: str
    dual: NotRequired[dict[str, Any]]


class Verification(TypedDict):
    """The answer to `verify`: what holds, what does not, and what was not checked."""

    outcome: str
    ok: bool
    status: str
    bound: float
    checked: list[str]
    refused: list[str]
    trusted: list[str]


class Curve(TypedDict):
    """The answer to `curve`: one entry per budget."""

    budgets: list[float]
    values: list[float]
    costs: list[float]
    upper_bounds: list[float]
    selections: list[list[int]]
    total_weight: float


def _steps(
    request: httpx.Request, patience: float
) -> Generator[httpx.Request | float, httpx.Response | None, Any]:
    """Say what to do next, a request to send or seconds to wait, until there is an answer."""
    while True:
        response = yield request
        if response is None:
            raise TypeError("expected the answer to a request, got none")
        if response.is_success:
            return response.json()
        seconds = float(response.headers.get("retry-after", "nan"))
        if response.status_code not in {429, 503} or not seconds <= patience:
            raise _error(response)
        patience -= seconds
        yield seconds


def _error(response: httpx.Response) -> ServiceError:
    try:
        found = response.json()["error"]
        return ServiceError(response.status_code, found["code"], found["message"])
    except (ValueError, KeyError, TypeError):  # not from the service, but from a proxy before it
        return ServiceError(response.status_code, "unknown", response.reason_phrase)


class Client:
    """The service, one call after the other. Close it, or use it in a ``with`` statement.

    Parameters
    ----------
    url : str
        Where the service is.
    token : str
        A bearer token.
    patience : float
        Seconds to wait at most, all waits of a call together, before a request that was turned
        away is sent again; 0 to raise at once.
    **options
        Further options of `httpx.Client`, such as `timeout`.
    """

    def __init__(
        self, url: str, *, token: str = "", patience: float = 60.0, **options: Any
    ) -> None:
        self.http = httpx.Client(base_url=url, **_with_token(token, options))
        self.patience = patience

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self.http.close()

    def call(self, _kind: type[T], task: str, body: Mapping[str, Any]) -> T:
        """Send a request to ``/v1/<task>`` and return its answer; ServiceError if refused."""
        steps = _steps(self.http.build_request("POST", f"/v1/{task}", json=body), self.patience)
        step = next(steps)
        while True:
            try:
                if isinstance(step, httpx.Request):
                    step = steps.send(self.http.send(step))
                else:
                    time.sleep(step)
                    step = next(steps)
            except StopIteration as end:
                found: T = end.value
                return found

    def summarize(
        self, documents: Sequence[str], *, budget: float | str, **options: Unpack[Summarizing]
    ) -> Summary:
        """Choose the sentences that cover the most of what the texts say."""
        return self.call(
            Summary, "summarize", {"documents": documents, "budget": budget, **options}
        )

    def pack(self, passages: Sequence[str], *, budget: float, **options: Unpack[Packing]) -> Packed:
        """Choose the passages that answer the question best."""
        return self.call(Packed, "pack", {"passages": passages, "budget": budget, **options})

    def solve(self, sets: Sets, *, budget: float, **options: Unpack[Solving]) -> Solution:
        """Choose sets within a budget that cover the most weight."""
        return self.call(Solution, "solve", {"sets": sets, "budget": budget, **options})

    def cover(self, sets: Sets, **options: Unpack[Covering]) -> Plan:
        """Choose the cheapest sets that cover enough."""
        return self.call(Plan, "cover", {"sets": sets, **options})

    def verify(
        self, sets: Sets, solution: Solution | Plan, **options: Unpack[Checking]
    ) -> Verification:
        """Have an answer of `solve` or `cover` checked in exact arithmetic."""
        return self.call(Verification, "verify", {"sets": sets, "solution": solution, **options})

    def curve(
        self,
        documents: Sequence[str],
        *,
        budgets: Sequence[float | str],
        **options: Unpack[ReadingOptions],
    ) -> Curve:
        """Compute what each of many budgets would buy."""
        return self.call(Curve, "curve", {"documents": documents, "budgets": budgets, **options})


class AsyncClient:
    """As `Client`, with methods to await. Close it, or use it in an ``async with`` statement."""

    def __init__(
        self, url: str, *, token: str = "", patience: float = 60.0, **options: Any
    ) -> None:
        self.http = httpx.AsyncClient(base_url=url, **_with_token(token, options))
        self.patience = patience

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self.http.aclose()

    async def call(self, _kind: type[T], task: str, body: Mapping[str, Any]) -> T:
        """Send a request to ``/v1/<task>`` and return its answer; ServiceError if refused."""
        steps = _steps(self.http.build_request("POST", f"/v1/{task}", json=body), self.patience)
        step = next(steps)
        while True:
            try:
                if isinstance(step, httpx.Request):
                    step = steps.send(await self.http.send(step))
                else:
                    await asyncio.sleep(step)
                    step = next(steps)
            except StopIteration as end:
                found: T = end.value
                return found

    async def summarize(
        self, documents: Sequence[str], *, budget: float | str, **options: Unpack[Summarizing]
    ) -> Summary:
        """Choose the sentences that cover the most of what the texts say."""
        return await self.call(
            Summary, "summarize", {"documents": documents, "budget": budget, **options}
        )

    async def pack(
        self, passages: Sequence[str], *, budget: float, **options: Unpack[Packing]
    ) -> Packed:
        """Choose the passages that answer the question best."""
        return await self.call(Packed, "pack", {"passages": passages, "budget": budget, **options})

    async def solve(self, sets: Sets, *, budget: float, **options: Unpack[Solving]) -> Solution:
        """Choose sets within a budget that cover the most weight."""
        return await self.call(Solution, "solve", {"sets": sets, "budget": budget, **options})

    async def cover(self, sets: Sets, **options: Unpack[Covering]) -> Plan:
        """Choose the cheapest sets that cover enough."""
        return await self.call(Plan, "cover", {"sets": sets, **options})

    async def verify(
        self, sets: Sets, solution: Solution | Plan, **options: Unpack[Checking]
    ) -> Verification:
        """Have an answer of `solve` or `cover` checked in exact arithmetic."""
        return await self.call(
            Verification, "verify", {"sets": sets, "solution": solution, **options}
        )

    async def curve(
        self,
        documents: Sequence[str],
        *,
        budgets: Sequence[float | str],
        **options: Unpack[ReadingOptions],
    ) -> Curve:
        """Compute what each of many budgets would buy."""
        return await self.call(
            Curve, "curve", {"documents": documents, "budgets": budgets, **options}
        )


def _with_token(token: str, options: dict[str, Any]) -> dict[str, Any]:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return {"timeout": 60.0, "headers": headers, **options}
