"""Client: the service from Python, sync and async. Needs the extra ``[client]``.

Answers are the JSON of the service as dictionaries, whose types are those of `maxcover.answers`;
options are those of the library's calls, and their types are made of the same table. A request
that is turned away because the service is busy is sent again when its Retry-After says so::

    from maxcover.client import AsyncClient, Client

    with Client("http://127.0.0.1:8080", token="...") as client:
        summary = client.summarize(["Cats purr.", "Dogs bark."], budget=4)
        print(summary["text"], summary["gap"])

    async with AsyncClient("http://127.0.0.1:8080") as client:
        packed = await client.pack(passages, query="What do dogs do?", budget=400)
"""

from __future__ import annotations

import asyncio
import functools
import time
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, Unpack

from maxcover.errors import MaxcoverError, MissingExtraError

try:
    import httpx
except ImportError as error:  # pragma: no cover - the tests have it
    raise MissingExtraError("the client needs httpx: pip install 'maxcover[client]'") from error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
    from typing import Self

    from maxcover import answers
    from maxcover import client_options as options

    Sets = Mapping[str, Sequence[str | int]] | Sequence[Sequence[str | int]]

__all__ = ["AsyncClient", "Client", "ServiceError"]

Parameters = ParamSpec("Parameters")
T = TypeVar("T")


class ServiceError(MaxcoverError):
    """The service refused a request; `status` and `code` say why, for programs."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"the service answered {status} ({code}): {message}")
        self.status, self.code = status, code


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


class _Sent(Generic[T]):
    """What is sent to an endpoint, and of which type the answer is."""

    def __init__(self, task: str, **content: Any) -> None:
        self.task, self.content = task, content


def _summarize(
    documents: options.Documents, **given: Unpack[options.SummarizeOptions]
) -> _Sent[answers.SummaryAnswer]:
    """Choose the sentences that cover the most of what the texts say."""
    return _Sent("summarize", documents=documents, **given)


def _pack(
    passages: options.Documents, **given: Unpack[options.PackOptions]
) -> _Sent[answers.PackedAnswer]:
    """Choose the passages that answer the question best."""
    return _Sent("pack", passages=passages, **given)


def _solve(sets: Sets, **given: Unpack[options.SolveOptions]) -> _Sent[answers.SolutionAnswer]:
    """Choose sets within a budget that cover the most weight."""
    return _Sent("solve", sets=sets, **given)


def _cover(sets: Sets, **given: Unpack[options.CoverOptions]) -> _Sent[answers.PlanAnswer]:
    """Choose the cheapest sets that cover enough."""
    return _Sent("cover", sets=sets, **given)


def _explain(
    sets: Sets, **given: Unpack[options.ExplainOptions]
) -> _Sent[answers.ExplanationAnswer]:
    """Say why sets are chosen or not, and what a change costs."""
    return _Sent("explain", sets=sets, **given)


def _alternatives(
    sets: Sets, **given: Unpack[options.AlternativesOptions]
) -> _Sent[answers.AlternativesAnswer]:
    """Find other selections that are nearly as good."""
    return _Sent("alternatives", sets=sets, **given)


def _plan(sets: Sets, **given: Unpack[options.PlanOptions]) -> _Sent[answers.PhasesAnswer]:
    """Choose in which order, for budgets that grow."""
    return _Sent("plan", sets=sets, **given)


def _sensitivity(
    sets: Sets, **given: Unpack[options.SensitivityOptions]
) -> _Sent[answers.SensitivityAnswer]:
    """Draw the weights again and see what the selection loses."""
    return _Sent("sensitivity", sets=sets, **given)


def _sites(
    sites: options.Places, demand: options.Places, **given: Unpack[options.SitesOptions]
) -> _Sent[answers.SolutionAnswer]:
    """Choose the sites on a map that reach the most."""
    return _Sent("sites", sites=sites, demand=demand, **given)


def _verify(
    sets: Sets, solution: Mapping[str, Any], **given: Unpack[options.VerifyOptions]
) -> _Sent[answers.VerificationAnswer]:
    """Have an answer of `solve` or `cover` checked in exact arithmetic."""
    return _Sent("verify", sets=sets, solution=solution, **given)


def _curve(
    documents: options.Documents, **given: Unpack[options.SummaryCurveOptions]
) -> _Sent[answers.CurveAnswer]:
    """Compute what each of many budgets would buy."""
    return _Sent("curve", documents=documents, **given)


def _now(body: Callable[Parameters, _Sent[T]]) -> Callable[Concatenate[Client, Parameters], T]:
    """Make a method of `Client` that sends what `body` returns."""

    def method(self: Client, /, *given: Parameters.args, **named: Parameters.kwargs) -> T:
        sent = body(*given, **named)
        answer: T = self.call(sent.task, sent.content)
        return answer

    return functools.update_wrapper(method, body)


def _later(
    body: Callable[Parameters, _Sent[T]],
) -> Callable[Concatenate[AsyncClient, Parameters], Awaitable[T]]:
    """Make a method of `AsyncClient` that sends what `body` returns."""

    async def method(
        self: AsyncClient, /, *given: Parameters.args, **named: Parameters.kwargs
    ) -> T:
        sent = body(*given, **named)
        answer: T = await self.call(sent.task, sent.content)
        return answer

    return functools.update_wrapper(method, body)


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

    def call(self, task: str, body: Any) -> Any:
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
                return end.value

    summarize = _now(_summarize)
    pack = _now(_pack)
    solve = _now(_solve)
    cover = _now(_cover)
    explain = _now(_explain)
    alternatives = _now(_alternatives)
    plan = _now(_plan)
    sensitivity = _now(_sensitivity)
    sites = _now(_sites)
    verify = _now(_verify)
    curve = _now(_curve)


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

    async def call(self, task: str, body: Any) -> Any:
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
                return end.value

    summarize = _later(_summarize)
    pack = _later(_pack)
    solve = _later(_solve)
    cover = _later(_cover)
    explain = _later(_explain)
    alternatives = _later(_alternatives)
    plan = _later(_plan)
    sensitivity = _later(_sensitivity)
    sites = _later(_sites)
    verify = _later(_verify)
    curve = _later(_curve)


def _with_token(token: str, options: dict[str, Any]) -> dict[str, Any]:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return {"timeout": 60.0, "headers": headers, **options}
