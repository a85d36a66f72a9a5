"""EML: mail files: the subject and text of a message, whatever parts it has."""

from __future__ import annotations

import re
from collections import Counter
from email import policy
from email.message import Message
from email.parser import BytesParser
from typing import TYPE_CHECKING, Any

from maxcover.errors import TextError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Limits on what one mail may have.
MOST = {
    "lines": 1_000_000,
    "headers": 10_000,
    "parts": 1_000,
    "parts that hold parts": 50,
    # number of lines times number of nested parts: the parser compares each line with the end
    # marker of every part around it
    "lines in parts of parts": 5_000_000,
}

LONGEST_HEADER = 4_000
"""Only this many characters of a header are read."""

# More headers at the start of a mail than are allowed. This is tested before parsing, because the
# parser puts all of them on a list before `_Part` can count them.
_MANY_HEADERS = re.compile(rb"(?:[^\s:]+:.*\n){%d}" % (MOST["headers"] + 1))
_HOLDS_PARTS = re.compile(rb"^content-type:\s*(?:multipart|message)/", re.IGNORECASE | re.MULTILINE)


def read_mail(name: str, data: bytes, main_text: Callable[[str, bytes], str]) -> str:
    r"""Return the subject and text of a mail; HTML is used only if no part is plain text.

    Parameters
    ----------
    name : str
        Name of the file, for error messages.
    data : bytes
        Content of the file.
    main_text : callable
        Function that returns the text of a web page: ``main_text(name, data)``.

    Raises
    ------
    TextError
        The mail has no text, or exceeds a limit of `MOST`.

    Examples
    --------
    >>> read_mail("a.eml", b"Subject: Ferries\n\nThe ferry is late.", lambda name, data: "")
    'Ferries\n\nThe ferry is late.'
    """
    found: Counter[str] = Counter()

    def count(what: str, more: int = 1) -> None:
        found[what] += more
        if found[what] > MOST[what]:
            raise TextError(
                f"expected at most {MOST[what]:,} {what} in {name}, got more; pass its text"
            )

    lines, holders = data.count(b"\n"), sum(1 for _ in _HOLDS_PARTS.finditer(data))
    count("lines", lines)
    count("parts that hold parts", holders)
    count("lines in parts of parts", lines * holders)
    if _MANY_HEADERS.match(data):
        count("headers", MOST["headers"] + 1)
    message = BytesParser(lambda **options: _Part(count, **options)).parsebytes(data)
    body = _body(message)
    if body is None:
        raise TextError(f"{name} is a mail without a text")
    charset = body.get_content_charset("ascii")
    try:
        text = body.get_payload(decode=True).decode(charset, "replace")  # type: ignore[union-attr] # decode=True gives bytes
    except LookupError:
        raise TextError(f"{name} is a mail in an unknown encoding: {charset}") from None
    if body.get_content_type() == "text/html":
        text = main_text(name, text.encode("utf-8", "replace"))
    subject = policy.default.header_fetch_parse("subject", str(message.get("subject", "")))
    return f"{subject}\n\n{text}".strip()


class _Part(Message):
    """A part of a mail; it counts itself and its headers, and truncates long headers.

    Headers are not decoded: `email.policy.default` would decode a header at each access, with
    memory quadratic in its length.
    """

    def __init__(self, count: Callable[[str], None], **options: Any) -> None:
        count("parts")
        super().__init__(**options)
        self._count = count

    def set_raw(self, name: str, value: str) -> None:
        """Add a header that the parser has read, cut to `LONGEST_HEADER` characters."""
        self._count("headers")
        super().set_raw(name, value[:LONGEST_HEADER])


def _body(message: Message) -> Message | None:
    """Return the part with the text of a mail: the first in plain text, else the first in HTML."""
    texts = [part for part in _own_parts(message) if not part.is_multipart()]
    for kind in ("text/plain", "text/html"):
        for part in texts:
            if part.get_content_type() == kind and part.get_content_disposition() != "attachment":
                return part
    return None


def _own_parts(message: Message) -> Iterator[Message]:
    """Yield the parts of a mail in order, without the parts of attached mails."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        yield part
        if part.get_content_maintype() == "multipart" and part.is_multipart():
            waiting += reversed(part.get_payload())  # type: ignore[arg-type] # a list of parts
