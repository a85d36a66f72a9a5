"""Security: headers of every answer, and the tokens that open the API."""

from __future__ import annotations

import hashlib
import hmac

# Nothing of an answer of the API is ever shown or run by a browser.
API_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
# The page runs its own script and style sheet, talks to its own service, and nothing else.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)

_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=()",
}
_COMMON = list(_HEADERS.items())
_FOR_PAGES = [*_COMMON, (b"cache-control", b"no-cache")]
_FOR_API = [*_COMMON, (b"cache-control", b"no-store")]


def headers(path: str, policy: str = "") -> list[tuple[bytes, bytes]]:
    """Return the security headers of an answer; the policy, if it has one of its own."""
    if path == "/" or path.startswith("/static/"):
        return [*_FOR_PAGES, (b"content-security-policy", PAGE_POLICY.encode())]
    return [*_FOR_API, (b"content-security-policy", (policy or API_POLICY).encode())]


class Tokens:
    """Bearer tokens, compared in constant time.

    Examples
    --------
    >>> tokens = Tokens(["0123456789abcdef"])
    >>> tokens.allow(b"Bearer 0123456789abcdef"), tokens.allow(b"Bearer guess"), tokens.allow(b"")
    (True, False, False)
    """

    def __init__(self, tokens: tuple[str, ...] | list[str]) -> None:
        # of equal length, so that not even the length of a token shows
        self._digests = [hashlib.sha256(token.encode()).digest() for token in tokens]

    def __bool__(self) -> bool:
        return bool(self._digests)

    def allow(self, authorization: bytes) -> bool:
        """Say whether an Authorization header holds one of the tokens."""
        scheme, _, token = authorization.partition(b" ")
        digest = hashlib.sha256(token.strip()).digest()
        found = [hmac.compare_digest(digest, known) for known in self._digests]
        return scheme.lower() == b"bearer" and any(found)
