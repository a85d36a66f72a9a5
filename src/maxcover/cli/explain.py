"""``--explain``: a table of the chosen sentences with the gain of each as a bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxcover.cli.console import notices
from maxcover.report import verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.summary import Summary, SummarySentence

WIDTH = 12
"""Characters of the longest bar."""

_CONCEPTS = 6
_ROOMY = 100  # columns of a terminal that has room for the concepts


def explain(summary: Summary, names: Sequence[str]) -> None:
    """Draw the table on the error stream, so that it never mixes with a result."""
    from rich.table import Table
    from rich.text import Text

    console = notices()
    block = "█" if "utf" in console.encoding.lower() else "#"
    best = max(sentence.gain for sentence in summary.sentences)
    table = Table(box=None, pad_edge=False, show_edge=False)
    table.add_column("gain", justify="right")
    table.add_column("", min_width=WIDTH, no_wrap=True, style="cyan")
    table.add_column(summary.unit, justify="right")
    table.add_column("from", overflow="fold", max_width=20)
    table.add_column("sentence", ratio=2)
    if console.width >= _ROOMY:
        table.add_column("covers first", ratio=1, style="dim")
    for sentence in summary.sentences:
        length = round(WIDTH * sentence.gain / best) if best > 0 else 0
        cells = [
            f"{sentence.gain:g}",
            block * max(length, sentence.gain > 0),
            f"{sentence.cost:g}",
            f"{_clean(names[sentence.document])}:{sentence.start}",
            _clean(sentence.text),
            _concepts(sentence),
        ]
        table.add_row(*map(Text, cells[: len(table.columns)]))
    console.print(table)
    console.print(Text(verdict(summary)))
    if summary.runner_up is not None:
        other = summary.runner_up
        console.print(
            Text(f"Best sentence left out, worth {other.gain:g} more: {_clean(other.text)}"),
            style="dim",
        )


def _concepts(sentence: SummarySentence) -> str:
    shown = [_clean(str(covered.concept)) for covered in sentence.covers[:_CONCEPTS]]
    more = len(sentence.covers) - len(shown)
    return ", ".join(shown) + (f", {more} more" if more else "")


def _clean(text: str) -> str:
    """Leave out what could move the cursor of a terminal."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
