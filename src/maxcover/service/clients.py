"""Clients: who is calling, and how much each may ask for.

A client is a token, or the address of the other side where there are no tokens.
"""

from __future__ import annotations

import hashlib
import math
import time
from dataclasses import dataclass
from pathlib import Path

from maxcover.errors import OptionError

# Clients whose rates are remembered; beyond this, the client that was silent longest is forgotten.
_MOST = 10_000


@dataclass(frozen=True)
class Caller:
    """A client: its name for limits and logs, requests per second, and largest body in bytes.

    With `rate` 0, any number of requests is allowed. `named` is true if the operator gave the name;
    only such names are logged.
    """

    name: str
    rate: float
    body_bytes: int
    named: bool = False


class Tokens:
    """Bearer tokens, each with a client name, a rate and a body size; known by their digests only.

    Parameters
    ----------
    lines : list of str
        ``TOKEN [name=NAME] [rate=REQUESTS_PER_SECOND] [mb=MEGABYTES]``; blank lines and lines that
        begin with # do not count.
    rate, body_bytes
        For tokens whose line has no ``rate`` or ``mb``; no ``mb`` can exceed `body_bytes`.

    Examples
    --------
    >>> tokens = Tokens(["0123456789abcdef name=ann rate=5"], rate=0, body_bytes=100)
    >>> tokens.find(b"Bearer 0123456789abcdef")
    Caller(name='ann', rate=5.0, body_bytes=100, named=True)
    >>> tokens.find(b"Bearer guess"), tokens.find(b"")
    (None, None)
    """

    def __init__(self, lines: list[str], *, rate: float, body_bytes: int) -> None:
        # the time that it takes to look up a digest says nothing of the token
        self._known: dict[bytes, Caller] = {}
        for number, line in enumerate(lines, start=1):
            token, *fields = line.split() or ["#"]
            if token.startswith("#"):
                continue
            if not token.isascii() or len(token) < 16:
                raise OptionError(
                    f"expected a token of at least 16 ASCII characters in line {number} of the "
                    "token file, got another"
                )
            client = _client(number, fields, rate=rate, body_bytes=body_bytes)
            self._known.setdefault(hashlib.sha256(token.encode()).digest(), client)

    @classmethod
    def read(cls, path: str, *, rate: float, body_bytes: int) -> Tokens | None:
        """Read a token file; return None if `path` is empty: then the API needs no token."""
        if not path:
            return None
        try:
            lines = Path(path).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise OptionError(f"expected a readable token file, got {path!r}: {error}") from None
        return cls(lines, rate=rate, body_bytes=body_bytes)

    def find(self, authorization: bytes) -> Caller | None:
        """Return the client whose bearer token is in an Authorization header; None if unknown."""
        scheme, _, token = authorization.partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        return self._known.get(hashlib.sha256(token.strip()).digest())


def _client(number: int, fields: list[str], *, rate: float, body_bytes: int) -> Caller:
    given = dict(field.partition("=")[::2] for field in fields)
    name = given.pop("name", f"line-{number}")
    try:
        rate = float(given.pop("rate", rate))
        body_bytes = min(body_bytes, int(1e6 * float(given.pop("mb", body_bytes / 1e6))))
    except (ValueError, OverflowError):
        given["a number"] = ""
    if given or not rate >= 0 or not body_bytes >= 0:
        raise OptionError(
            f"expected name=, rate= or mb= after the token in line {number} of the token file, "
            f"with numbers of at least 0; got something else"
        )
    return Caller(name, rate, body_bytes, named=True)


class Rates:
    """A token bucket per client: it fills at the client's rate, and holds one second's requests.

    Examples
    --------
    >>> rates, client = Rates(), Caller("ann", rate=2.0, body_bytes=100)
    >>> [rates.wait(client, now=now) for now in (0.0, 0.0, 0.0, 0.5)]
    [0, 0, 1, 0]
    """

    def __init__(self) -> None:
        self._left: dict[str, tuple[float, float]] = {}

    def wait(self, client: Caller, *, now: float | None = None) -> int:
        """Count a request; return 0 if it may pass, else the seconds after which to try again."""
        if not client.rate:
            return 0
        now = time.monotonic() if now is None else now
        burst = max(1.0, client.rate)
        left, since = self._left.pop(client.name, (burst, now))
        left = min(burst, left + client.rate * (now - since))
        passes = left >= 1.0
        # The client is inserted at the end again, so that the dict begins with the client that was
        # silent longest.
        self._left[client.name] = (left - passes, now)
        if len(self._left) > _MOST:
            del self._left[next(iter(self._left))]
        return 0 if passes else max(1, math.ceil((1.0 - left) / client.rate))
