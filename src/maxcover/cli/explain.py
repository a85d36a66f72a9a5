"""``--explain``: a table of the chosen sentences with the gain of each as a bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxcover.cli.console import notices
from maxcover.core.wording import percent
from maxcover.report.summary_wording import left_out, struck, verdict
from maxcover.text.split.display import put_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.summary.summary import Summary

WIDTH = 12
"""Length of the longest bar, in characters."""

_CONCEPTS = 6
_ROOMY = 100  # least terminal width, in columns, at which concepts are shown


def explain(summary: Summary, names: Sequence[str]) -> None:
    """Print the table on stderr, so that it never mixes with the summary on stdout."""
    from rich.table import Table
    from rich.text import Text

    console = notices()
    block = "█" if "utf" in console.encoding.lower() else "#"
    best = max(sentence.gain for sentence in summary.sentences)
    table = Table(box=None, pad_edge=False, show_edge=False)
    table.add_column("adds", justify="right")
    table.add_column("", min_width=WIDTH, no_wrap=True, style="cyan")
    table.add_column(summary.unit, justify="right")
    table.add_column("from", overflow="fold", max_width=20)
    table.add_column("line", justify="right")
    table.add_column("sentence", overflow="fold", ratio=2)
    if console.width >= _ROOMY:
        table.add_column("first to say", ratio=1, style="dim")
    for sentence in summary.sentences:
        length = round(WIDTH * sentence.gain / best) if best > 0 else 0
        cells = [
            percent(sentence.gain / summary.value) if summary.value > 0 else "",
            block * max(length, sentence.gain > 0),
            f"{sentence.cost:g}",
            _clean(names[sentence.document]),
            f"{sentence.line}",
            _clean(put_label(sentence.under, sentence.text)),
            ", ".join(map(_clean, summary.reasons(sentence)[:_CONCEPTS])),
        ]
        table.add_row(*map(Text, cells[: len(table.columns)]))
    console.print(table)
    for rule, count, example in struck(summary):
        console.print(Text(f"{count:,} by the rule {rule!r}: {_clean(example)}"), style="dim")
    console.print(Text(verdict(summary)))
    console.print(Text(_clean(left_out(summary))))
    if summary.runner_up is not None:
        other = summary.runner_up
        more = f", {percent(other.gain / summary.value)} more weight" if summary.value > 0 else ""
        console.print(
            Text(f"Best sentence left out{more}: {_clean(other.text)}"),
            style="dim",
        )


def _clean(text: str) -> str:
    """Replace unprintable characters, which could move a terminal's cursor, by spaces."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
