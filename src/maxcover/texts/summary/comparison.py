"""Comparison: what each of two collections of documents says that the other does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.engine.core import notebook
from maxcover.errors import OptionError, TextError
from maxcover.ground.options import checked
from maxcover.texts import prepare
from maxcover.texts.read.given import Documents, find_documents
from maxcover.texts.summary.summarize import summarize

if TYPE_CHECKING:
    from maxcover.texts.read.sources import SourceCluster
    from maxcover.texts.summary.summary import Summary


class Comparison(NamedTuple):
    """Two summaries: of what only the first documents say, and of what only the second say.

    A summary is None if its documents say nothing that the others do not.
    """

    first: Summary | None
    second: Summary | None

    def __repr__(self) -> str:
        sizes = (
            "nothing"
            if side is None
            else f"{len(side)} of {side.n_sentences} sentences, {side.cost:g} {side.unit}"
            for side in self
        )
        return f"Comparison(only first: {next(sizes)}; only second: {next(sizes)})"

    def __str__(self) -> str:
        return self.to_text("the first", "the second")

    def to_text(self, first: str, second: str) -> str:
        """Return both summaries as text, each below the name of its documents.

        Examples
        --------
        >>> print(compare("The crane is old.", "The crane is new. It rains.").to_text("A", "B"))
        Only A says:
        The crane is old.
        <BLANKLINE>
        Only B says:
        The crane is new. It rains.
        """
        said = ["nothing" if side is None else side.text for side in self]
        return f"Only {first} says:\n{said[0]}\n\nOnly {second} says:\n{said[1]}"

    def to_dict(self) -> dict[str, Any]:
        """Return both summaries as plain data; None where there is none."""
        return {name: one and one.to_dict() for name, one in zip(self._fields, self, strict=True)}

    def _repr_html_(self) -> str:
        sides = [("Only the first says", self.first), ("Only the second says", self.second)]
        shown = [
            notebook.card(title, "nothing" if one is None else notebook.Html(one._repr_html_()))
            for title, one in sides
        ]
        return "".join(shown)


@checked
def compare(
    first: Documents,
    second: Documents,
    *,
    budget: float | str | None = None,
    **options: Any,
) -> Comparison:
    """Summarise what each of two collections says that the other does not.

    Parameters
    ----------
    first, second : str, Path, mapping or iterable
        Documents, as in `summarize`.
    budget : float or str, optional
        Maximum size of each summary, as in `summarize`.
    **options
        As in `summarize`, except for ``known``: each collection is known to the other.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> monday = "The harbour is closed after the storm. Nobody was hurt in the storm."
    >>> tuesday = "The harbour is closed after the storm. Ferries start again on Wednesday."
    >>> found = compare(monday, tuesday)
    >>> print(found.second)
    Ferries start again on Wednesday.
    """
    if "known" in options:
        raise OptionError("expected no known: each of the two collections is known to the other")
    one = find_documents(first, option="first")
    other = find_documents(second, option="second")
    return Comparison(
        _only("first", one, other, {**options, "budget": budget}),
        _only("second", other, one, {**options, "budget": budget}),
    )


def _only(
    side: str, mine: SourceCluster, theirs: SourceCluster, options: dict[str, Any]
) -> Summary | None:
    """Summarise what `mine` says and `theirs` does not; None if there is nothing."""
    try:
        return summarize(mine, known=theirs, **options)
    except TextError as error:
        # The documents have sentences, so the error means that none of them is new.
        if len(prepare(mine)):
            return None
        raise TextError(f"{side}: {error}") from None
