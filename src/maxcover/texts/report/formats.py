"""Formats: a summary as text, Markdown, JSON or HTML. One table of formats."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from maxcover.errors import OptionError
from maxcover.texts.report.summary_wording import (
    left_out,
    named_lines,
    paragraphs,
    place_of,
    verdict,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from maxcover.texts.summary.summary import Summary

_MARKUP = re.compile(r"([\\`*_\[\]|~#])")


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format in which a summary can be written.

    Attributes
    ----------
    write : callable
        ``(summary, names, title) -> str``, which ends with a line end. `names` are the names of the
        documents; the title may be empty.
    endings : tuple of str
        Endings of file names that mean this format.
    between : str or None
        Text between two reports in one file; None if a file holds one report only.
    """

    write: Callable[[Summary, Sequence[str], str], str]
    endings: tuple[str, ...]
    between: str | None = None


def to_text(summary: Summary, names: Sequence[str] = (), title: str = "") -> str:
    r"""Return the text of a summary, below its title if it has one.

    With several documents there is one sentence per line, after the name of its document if that
    has a name.

    Examples
    --------
    >>> from maxcover import summarize
    >>> to_text(summarize("Cats purr. Dogs bark.", budget=2))
    'Cats purr.\n'
    >>> print(to_text(summarize({"cats": "Cats purr all night.", "dogs": "Dogs bark."}, budget=9)))
    cats: Cats purr all night.
    dogs: Dogs bark.
    <BLANKLINE>
    """
    return (f"{title}\n" if title else "") + "\n".join(named_lines(summary, names)) + "\n"


def to_markdown(summary: Summary, names: Sequence[str] = (), title: str = "") -> str:
    r"""Return Markdown: paragraphs with numbered citations, and the place of each sentence.

    Characters that Markdown would read as markup are escaped. Lines are counted from 1.

    Examples
    --------
    >>> from maxcover import summarize
    >>> print(to_markdown(summarize("Cats purr. Dogs bark.", budget=2), ["pets.txt"]))
    Cats purr. [1]
    <BLANKLINE>
    1. pets.txt, line 1
    <BLANKLINE>
    *2 of 2 words; 1 of 2 sentences from 1 document. 50\u202f% of the content words ...*
    <BLANKLINE>
    Left out, heaviest first: Dogs bark.
    <BLANKLINE>
    """
    told = (
        " ".join(f"{_escaped(one.text)} [{one.number}]" for one in paragraph)
        for paragraph in paragraphs(summary)
    )
    places = (
        f"{number}. {_escaped(place_of(summary, names, sentence))}"
        for number, sentence in enumerate(summary.sentences, start=1)
    )
    heading = f"## {_escaped(title)}\n\n" if title else ""
    parts = [*told, "\n".join(places), f"*{verdict(summary)}*", _escaped(left_out(summary))]
    return heading + "\n\n".join(part for part in parts if part) + "\n"


def to_json(
    summary: Summary, names: Sequence[str] = (), title: str = "", *, indent: int | None = 2
) -> str:
    """Return everything as JSON, on one line if `indent` is None.

    Its schema is in docs/reference/summary-schema.md.
    """
    plain = summary.to_dict()
    named: dict[str, Any] = {"title": title} if title else {}
    if names or summary.names:
        named["documents"] = list(names or summary.names)
    plain = {"schema": plain.pop("schema"), **named, **plain}
    return json.dumps(plain, ensure_ascii=False, indent=indent) + "\n"


def to_html(summary: Summary, names: Sequence[str] = (), title: str = "") -> str:
    """Return an HTML page; its module `html_view` is imported only when this is called."""
    from maxcover.texts.report import html_view

    return html_view.to_html(summary, names, title)


FORMATS: dict[str, Format] = {
    "text": Format(write=to_text, endings=(".txt",), between="\n"),
    "markdown": Format(
        write=to_markdown,
        endings=(".md", ".markdown"),
        between="\n",
    ),
    "json": Format(
        write=to_json,
        endings=(".json",),
    ),
    "jsonl": Format(
        write=partial(to_json, indent=None),
        endings=(".jsonl", ".ndjson"),
        between="",
    ),
    "html": Format(
        write=to_html,
        endings=(".html", ".htm"),
    ),
}


def find_format(name: str | None, path: Path | None = None) -> Format:
    """Return the format of a name or of a file ending; text if both are None.

    Examples
    --------
    >>> from pathlib import Path
    >>> find_format(None, Path("digest.md")).endings
    ('.md', '.markdown')
    """
    if name is not None:
        if name not in FORMATS:
            raise OptionError(f"unknown format {name!r}; expected {', '.join(FORMATS)}")
        return FORMATS[name]
    if path is None:
        return FORMATS["text"]
    ending = path.suffix.lower()
    found = next((row for row in FORMATS.values() if ending in row.endings), None)
    if found is None:
        endings = ", ".join(ending for row in FORMATS.values() for ending in row.endings)
        raise OptionError(
            f"expected a file that ends in {endings}, got {path.name!r}; or say which format: "
            f"{', '.join(FORMATS)}"
        )
    return found


def _escaped(text: str) -> str:
    # Markup of HTML is escaped as entities, because some Markdown readers ignore backslashes before
    # it.
    return html.escape(_MARKUP.sub(r"\\\1", text), quote=False)
