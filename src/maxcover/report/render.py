"""Render: fills in the HTML template of a report."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from maxcover.report.html_view import make_view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.summary.summary import Summary


def _read(name: str) -> str:
    return files("maxcover.report").joinpath(name).read_text(encoding="utf-8")


def _policy() -> str:
    """Return a content-security policy that allows only the report's style sheet, by its hash."""
    digest = hashlib.sha256(_read("report.css").encode()).digest()
    style = base64.b64encode(digest).decode()
    return f"default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"


#: The content-security policy of a report: it runs nothing and loads nothing.
POLICY = _policy()


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.from_string(_read("report.html.j2"))


def to_html(summary: Summary, names: Sequence[str] = (), title: str = "") -> str:
    """Return a summary as one self-contained HTML page.

    Parameters
    ----------
    summary : Summary
    names : sequence of str
        Names of the documents; "Document 1" and so on without them.
    title : str
        Title of the page; "Summary" if empty.

    Returns
    -------
    str
        No script, no request to anywhere, and a policy that forbids both. Texts are escaped,
        isolated from the direction of the page, and free of characters that HTML forbids.

    Examples
    --------
    >>> from maxcover import summarize
    >>> page = to_html(summarize("Tags like <b> & <i> are text here. Dogs bark.", budget=8))
    >>> "Tags like &lt;b&gt; &amp; &lt;i&gt; are text here." in page
    True
    """
    view = make_view(summary, title=title or "Summary", names=names)
    page: str = _template().render(view=view, css=_read("report.css"), policy=POLICY)
    return page
