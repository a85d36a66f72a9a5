"""Client: the service from Python.

Answers are the JSON of the service as dictionaries, whose types are those of
`maxcover.ground.answers`. Methods and options are those of `maxcover.ground.calls`. A request that
is refused because the service is busy is sent again after the seconds in its Retry-After header::

    from maxcover_serve import Client

    with Client("http://127.0.0.1:8080", token="...") as client:
        summary = client.summarize(["Cats purr.", "Dogs bark."], budget=4)
        print(summary["text"], summary["gap"])

Threads may share a client: ``await asyncio.to_thread(client.pack, passages, budget=400)``.
"""

from __future__ import annotations

import time
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

import httpx

from maxcover.errors import MaxcoverError
from maxcover.ground.calls import ABOUT, TITLES, offered

if TYPE_CHECKING:
    from typing import Self

    from maxcover_serve.client_methods import Methods
else:
    Methods = object

__all__ = ["Client", "ServiceError"]

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


def _error(response: Any) -> ServiceError:
    try:
        found = response.json()["error"]
        return ServiceError(response.status_code, found["code"], found["message"])
    except (ValueError, KeyError, TypeError):  # a proxy, not the service, sent the answer
        return ServiceError(response.status_code, "unknown", response.reason_phrase)


def _method(task: str, call: str, placed: tuple[str, ...]) -> Any:
    def method(self: Any, *given: Any, **options: Any) -> Any:
        return self.call(task, dict(zip(placed, given, strict=False)) | options)

    method.__name__, method.__doc__ = task, TITLES[task]
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("self", *placed)]
    names = [name for name in (*ABOUT[call], *offered("service", call)) if name not in placed]
    parameters += [Parameter(name, Parameter.KEYWORD_ONLY, default=...) for name in names]
    method.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return method


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
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self.http = httpx.Client(base_url=url, **{"timeout": 60.0, "headers": headers, **options})
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
        request = self.http.build_request("POST", f"/v1/{task}", json=body)
        patience = self.patience
        while not (response := self.http.send(request)).is_success:
            seconds = float(response.headers.get("retry-after", "nan"))
            if response.status_code not in {429, 503} or not seconds <= patience:
                raise _error(response)
            patience -= seconds
            time.sleep(seconds)
        return response.json()


# `client_methods.pyi` has the types of these methods.
for _task, (_call, _placed) in ENDPOINTS.items():
    setattr(Client, _task, _method(_task, _call, _placed))
