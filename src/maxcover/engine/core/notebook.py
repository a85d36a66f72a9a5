"""Notebook: small pieces of HTML for displaying objects in notebooks, and tables of results.

Texts are escaped. There are no scripts, and only bars and marks have colours, so that the HTML can
be read in light and dark themes.
"""

from __future__ import annotations

import importlib
from html import escape
from typing import TYPE_CHECKING, Any

from maxcover.ground.extras import import_extra

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: Number of table rows that a notebook shows; of further rows only the number is given.
SHOWN = 12

_LINE = "border:0;border-top:1px solid rgba(128,128,128,.35);padding:.25em .6em;vertical-align:top"
_HEAD = "border:0;padding:.25em .6em;text-align:left"
# Columns of numbers that are drawn as bars.
_BARS = ("gain", "weight", "value", "share", "frequency")
_MARK = "background:rgba(230,159,0,.35);color:inherit"


class Html(str):
    """Text that is HTML already and must not be escaped; any other string is escaped."""

    __slots__ = ()


def card(title: str, *parts: str) -> Html:
    """Return an HTML block: a bold title with `parts` below it.

    Examples
    --------
    >>> card("1 < 2", Html("<br>"))
    '<div><p><strong>1 &lt; 2</strong></p><br></div>'
    """
    return Html(f"<div><p><strong>{_html(title)}</strong></p>{''.join(map(_html, parts))}</div>")


def paragraph(text: str) -> Html:
    """Return `text` as an HTML paragraph."""
    return Html(f"<p>{_html(text)}</p>")


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, total: int = 0) -> Html:
    """Return an HTML table; numbers are aligned right.

    Parameters
    ----------
    columns : sequence of str
        Names of the columns; empty for a table without a header.
    rows : iterable of sequences
        Texts, pieces of HTML, and numbers.
    total : int
        Number of all rows, if not all are given.

    Examples
    --------
    >>> "&lt;b&gt;" in table(["name"], [["<b>"]])
    True
    """
    body = [list(row) for row in rows]
    head = "".join(f'<th scope="col" style="{_HEAD}">{_html(name)}</th>' for name in columns)
    head = f"<thead><tr>{head}</tr></thead>" if head else ""
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in body)
    more = paragraph(f"and {total - len(body):,} more") if total > len(body) else ""
    return Html(
        f'<table style="border-collapse:collapse">{head}<tbody>{lines}</tbody></table>{more}'
    )


def column_table(columns: Mapping[str, Sequence[Any]], *, total: int = 0) -> Html:
    """Return the first rows of columns as an HTML table, and the number of the other rows.

    Columns in `_BARS` are drawn as bars, relative to their largest number that is shown. `total` is
    the number of all rows, if the columns do not hold all.

    Examples
    --------
    >>> shown = column_table({"set": ["a", "b"], "weight": [2.0, 1.0]})
    >>> "width:50.0%" in shown
    True
    """
    shown = {}
    for name, values in columns.items():
        first = values[:SHOWN]
        cells = first.tolist() if hasattr(first, "tolist") else list(first)
        if name in _BARS:
            most = max(cells, default=0.0) or 1.0
            cells = [bar(number / most, f"{number:,.6g}") for number in cells]
        shown[name.replace("_", " ")] = cells
    total = total or max(map(len, columns.values()), default=0)
    return table(list(shown), zip(*shown.values(), strict=True), total=total)


def bar(share: float, words: str) -> Html:
    """Return an HTML bar, filled up to `share` (0 to 1) of its width, followed by `words`.

    Examples
    --------
    >>> "width:50.0%" in bar(0.5, "half")
    True
    """
    width = 100 * min(max(share, 0.0), 1.0)
    return Html(
        '<span style="white-space:nowrap">'
        '<span style="display:inline-block;width:5em;height:.7em;margin-right:.6em;'
        'background:rgba(128,128,128,.3)" aria-hidden="true">'
        f'<span style="display:block;width:{width:.1f}%;height:100%;background:#0072B2"></span>'
        f"</span>{_html(words)}</span>"
    )


def folded(title: str, *parts: str) -> Html:
    """Return `parts` in an HTML block that unfolds when its title is clicked."""
    inside = "".join(map(_html, parts))
    return Html(f"<details><summary>{_html(title)}</summary>{inside}</details>")


def marked(text: str) -> Html:
    """Return `text` as highlighted HTML."""
    return Html(f'<mark style="{_MARK}">{_html(text)}</mark>')


def written(*parts: str) -> Html:
    """Return `parts` as an HTML block that keeps line breaks and scrolls if it is long."""
    inside = "".join(map(_html, parts))
    style = "white-space:pre-wrap;max-height:24em;overflow:auto"
    return Html(f'<div style="{style}" tabindex="0">{inside}</div>')


class Tabular:
    """Base class of results that are a table: for notebooks, pandas and Arrow.

    Subclasses define `_columns`.
    """

    __slots__ = ()

    def _columns(self) -> dict[str, Any]:
        raise NotImplementedError

    def _notes(self) -> Iterable[str]:
        """Return the sentences that a notebook shows above the table."""
        return ()

    def _shown(self) -> dict[str, Any]:
        """Return the columns that a notebook shows."""
        return self._columns()

    def _repr_html_(self) -> str:
        columns = self._shown()
        if "label" in columns:
            columns["set"] = list(map(str, columns.pop("label")))
        return card(repr(self), *map(paragraph, self._notes()), column_table(columns))

    def to_pandas(self) -> Any:
        """Return the rows as a pandas DataFrame."""
        return to_pandas(self._columns())

    def to_arrow(self) -> Any:
        """Return the rows as a pyarrow Table."""
        return to_arrow(self._columns())


def to_pandas(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return columns as a pandas DataFrame.

    Raises
    ------
    MissingExtraError
        pandas is not installed.
    """
    pd = import_extra("pandas", "to_pandas needs pandas: pip install pandas")
    return pd.DataFrame(dict(columns))


def to_arrow(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return columns as a pyarrow Table.

    Raises
    ------
    MissingExtraError
        pyarrow is not installed.
    """
    pa = import_extra("pyarrow", "to_arrow needs pyarrow: pip install 'maxcover[parquet]'")
    return pa.table(dict(columns))


def call_above(home: str, function: str, *arguments: Any, **options: Any) -> Any:
    """Import the module `home` when it is needed, and call its function `function`.

    Methods that only forward, such as `Solution.plot`, use this, so that no module imports one of a
    higher layer.
    """
    return getattr(importlib.import_module(home), function)(*arguments, **options)


def _html(text: Any) -> str:
    return text if isinstance(text, Html) else escape(str(text))


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        value = "yes" if value else "no"
    if isinstance(value, int | float):
        return f'<td style="{_LINE};text-align:right">{value:,.6g}</td>'
    return f'<td style="{_LINE};text-align:left">{_html(value)}</td>'
