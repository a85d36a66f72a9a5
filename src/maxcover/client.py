"""Client: the service from Python, sync and async. Needs the extra ``[client]``.

Answers are the JSON of the service as dictionaries, whose types are those of `maxcover.answers`.
Methods and options are those of `maxcover.calls`. A request that is refused because the service is
busy is sent again after the seconds in its Retry-After header::

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
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

from maxcover.calls import ABOUT, TITLES, offered
from maxcover.errors import MaxcoverError, MissingExtraError

try:
    import httpx
except ImportError as error:  # pragma: no cover - the tests have httpx
    raise MissingExtraError("the client needs httpx: pip install 'maxcover[client]'") from error

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Self

    from maxcover.client_methods import AsyncMethods, Methods
else:
    Methods = AsyncMethods = object

__all__ = ["AsyncClient", "Client", "ServiceError"]

#: For each method: the call whose options it has, and its positional arguments.
ENDPOINTS = {
    "summarize": ("summarize", ("documents",)),
    "pack": ("pack", ("passages",)),
    "sites": ("sites", ("sites", "demand")),
    "curve": ("summary_curve", ("documents",)),
    "verify": ("verify", ("sets", "solution")),
    **{
        task: (task, ("sets",))
        for task in ("solve", "cover", "explain", "alternatives", "plan", "sensitivity")
    },
}


class ServiceError(MaxcoverError):
    """The service refused a request; `status` is the HTTP status, `code` names the error."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"the service answered {status} ({code}): {message}")
        self.status, self.code = status, code


def _steps(
    request: httpx.Request, patience: float
) -> Generator[httpx.Request | float, httpx.Response | None, Any]:
    """Yield a request to send or seconds to wait, until there is an answer; return the answer."""
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
    except (ValueError, KeyError, TypeError):  # a proxy, not the service, sent the answer
        return ServiceError(response.status_code, "unknown", response.reason_phrase)


def _with_methods(client: type) -> type:
    """Give a client one method for each endpoint; `client_methods.pyi` has their types."""
    for task, (call, placed) in ENDPOINTS.items():
        setattr(client, task, _method(task, call, placed))
    return client


def _method(task: str, call: str, placed: tuple[str, ...]) -> Any:
    def method(self: Any, *given: Any, **options: Any) -> Any:
        return self.call(task, dict(zip(placed, given, strict=False)) | options)

    method.__name__, method.__doc__ = task, TITLES[task]
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("self", *placed)]
    names = [name for name in (*ABOUT[call], *offered("service", call)) if name not in placed]
    parameters += [Parameter(name, Parameter.KEYWORD_ONLY, default=...) for name in names]
    method.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return method


@_with_methods
class Client(Methods):
    """A client of the service. Close it, or use it in a ``with`` statement.

    Parameters
    ----------
    url : str
        Address of the service.
    token : str
        A bearer token.
    patience : float
        Seconds that one call may wait in total before it sends refused requests again; 0 to raise
        at once.
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


@_with_methods
class AsyncClient(AsyncMethods):
    """Like `Client`, with methods to await. Close it, or use it in an ``async with`` statement."""

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


def _with_token(token: str, options: dict[str, Any]) -> dict[str, Any]:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return {"timeout": 60.0, "headers": headers, **options}
