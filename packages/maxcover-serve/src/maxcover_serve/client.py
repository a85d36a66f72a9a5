"""Client: the service from Python.

Answers are the JSON of the service as dictionaries, whose types are those of
`maxcover.ground.answers`. The options of a method are the fields of a request, see ``/docs`` of the
service and docs/reference/options.md; the service refuses any other by its name. A request that is
refused because the service is busy is sent again after the seconds in its Retry-After header::

    from maxcover_serve import Client

    with Client("http://127.0.0.1:8080", token="...") as client:
        summary = client.summarize(["Cats purr.", "Dogs bark."], budget=4)
        print(summary["text"], summary["gap"])

Threads may share a client: ``await asyncio.to_thread(client.pack, passages, budget=400)``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import httpx

from maxcover.errors import MaxcoverError

if TYPE_CHECKING:
    from typing import Self

    from maxcover.ground import answers

__all__ = ["Client", "ServiceError"]


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


class Client:
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

    def summarize(self, documents: Any, **options: Any) -> answers.SummaryAnswer:
        """Choose the sentences that say the most, within a budget."""
        answer: answers.SummaryAnswer = self.call("summarize", {"documents": documents, **options})
        return answer

    def pack(self, passages: Any, **options: Any) -> answers.PackedAnswer:
        """Choose the passages for a context window, within a budget."""
        answer: answers.PackedAnswer = self.call("pack", {"passages": passages, **options})
        return answer

    def curve(self, documents: Any, **options: Any) -> answers.CurveAnswer:
        """Say what each of many budgets buys, for texts."""
        answer: answers.CurveAnswer = self.call("curve", {"documents": documents, **options})
        return answer

    def solve(self, sets: Any, **options: Any) -> answers.SolutionAnswer:
        """Choose the sets that cover the most, with a certificate."""
        answer: answers.SolutionAnswer = self.call("solve", {"sets": sets, **options})
        return answer

    def cover(self, sets: Any, **options: Any) -> answers.PlanAnswer:
        """Choose the cheapest sets that cover enough."""
        answer: answers.PlanAnswer = self.call("cover", {"sets": sets, **options})
        return answer

    def sites(self, sites: Any, demand: Any, **options: Any) -> answers.SolutionAnswer:
        """Choose the sites on a map that reach the most."""
        answer: answers.SolutionAnswer = self.call(
            "sites", {"sites": sites, "demand": demand, **options}
        )
        return answer

    def explain(self, sets: Any, **options: Any) -> answers.ExplanationAnswer:
        """Say why sets are chosen or not, and what a change costs."""
        answer: answers.ExplanationAnswer = self.call("explain", {"sets": sets, **options})
        return answer

    def alternatives(self, sets: Any, **options: Any) -> answers.AlternativesAnswer:
        """Find other selections that are nearly as good."""
        answer: answers.AlternativesAnswer = self.call("alternatives", {"sets": sets, **options})
        return answer

    def plan(self, sets: Any, **options: Any) -> answers.PhasesAnswer:
        """Choose sets step by step, for budgets that grow."""
        answer: answers.PhasesAnswer = self.call("plan", {"sets": sets, **options})
        return answer

    def sensitivity(self, sets: Any, **options: Any) -> answers.SensitivityAnswer:
        """Vary the weights and report what the selection loses."""
        answer: answers.SensitivityAnswer = self.call("sensitivity", {"sets": sets, **options})
        return answer

    def verify(self, sets: Any, solution: Any, **options: Any) -> answers.VerificationAnswer:
        """Check a saved solution in exact arithmetic."""
        answer: answers.VerificationAnswer = self.call(
            "verify", {"sets": sets, "solution": solution, **options}
        )
        return answer
