"""Background: in how many documents of a large collection each word occurs, and its file format."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxcover.errors import FileFormatError, OptionError
from maxcover.texts.words.languages import find_language
from maxcover.texts.words.stems import stem_words
from maxcover.texts.words.tokens import find_runs, normalize

VERSION = 1
"""Version of the file format; a file of any other version is refused."""

_TITLE = "# maxcover background"


@dataclass(frozen=True, slots=True)
class Background:
    """The number of documents, in a large collection, that contain each term.

    Attributes
    ----------
    documents : int
        Number of documents read.
    counts : dict
        For each term, the number of documents that contain it.
    stemmer : str or None
        The algorithm that made the terms; a corpus has to be prepared with the same one.
    """

    documents: int
    counts: dict[str, int]
    stemmer: str | None = None

    def frequencies(self, labels: Sequence[Hashable]) -> NDArray[np.float64]:
        """Return the number of documents that contain each label; 0 for labels not in the table."""
        counts: dict[Any, int] = self.counts  # labels of a caller's own concepts may be any type
        return np.fromiter((counts.get(label, 0) for label in labels), np.float64, len(labels))

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[str],
        *,
        language: str = "english",
        stem: bool | str = True,
        max_terms: int | None = None,
    ) -> "Background":
        """Count document frequencies over a stream, one document in memory at a time.

        Parameters
        ----------
        documents : iterable of str
        language, stem
            As in `prepare`.
        max_terms : int, optional
            Upper limit for the size of the table, which bounds the memory. Whenever the table has
            more than twice as many terms, only the `max_terms` most frequent stay (ties in
            alphabetical order). So a rare term may be dropped and counted from 0 again.

        Examples
        --------
        >>> table = Background.from_documents(["Cats purr.", "A cat!"])
        >>> table.documents, table.counts["cat"]
        (2, 2)
        """
        if max_terms is not None and max_terms < 1:
            raise OptionError(f"max_terms={max_terms}: expected a positive number or None")
        known = find_language(language)
        stemmer = known.find_stemmer(stem)
        counts: Counter[str] = Counter()
        n_documents = 0
        for document in documents:
            runs = set(find_runs(document, elides=known.elides))
            words = {word for run in runs for word in normalize(run)}
            counts.update(set(stem_words(list(words), stemmer)))
            n_documents += 1
            if max_terms is not None and len(counts) > 2 * max_terms:
                counts = Counter(dict(_most_frequent(counts)[:max_terms]))
        return cls(n_documents, dict(_most_frequent(counts)[:max_terms]), stemmer)

    def save(self, path: str | Path) -> None:
        """Write the table: three header lines, a line ``term TAB count`` per term, and an end line.

        The file is UTF-8 text. The most frequent term is first, ties are in alphabetical order, so
        that equal tables give equal files.
        """
        with Path(path).open("w", encoding="utf-8", newline="\n") as file:
            file.write(f"{_TITLE} {VERSION}\n# documents {self.documents}\n")
            file.write(f"# stemmer {self.stemmer or 'none'}\n")
            file.writelines(f"{term}\t{count}\n" for term, count in _most_frequent(self.counts))
            file.write(f"# end {len(self.counts)}\n")

    @classmethod
    def load(cls, path: str | Path) -> "Background":
        """Read a table that `save` wrote.

        Raises
        ------
        FileFormatError
            The file is something else, of a newer version, cut short or altered; the message
            names the line.
        """
        try:
            lines = Path(path).read_text(encoding="utf-8").split("\n")
        except UnicodeDecodeError as error:
            raise FileFormatError(f"{path}: not a background table (not UTF-8 text)") from error
        return _parse(str(path), lines)


def _most_frequent(counts: dict[str, int]) -> list[tuple[str, int]]:
    """Return the terms with their counts, most frequent first, ties in alphabetical order."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _parse(path: str, lines: list[str]) -> Background:
    """Parse the lines of a table; the last one is the empty string after the final line end."""
    version = _number(path, lines, 0, _TITLE)
    if version != VERSION:
        raise FileFormatError(
            f"{path}: format {version}, this maxcover reads {VERSION}; upgrade maxcover or build "
            "the table again"
        )
    documents = _number(path, lines, 1, "# documents")
    stemmer = _field(path, lines, 2, "# stemmer")
    last = len(lines) - 2
    if lines[-1] or last < 3 or _number(path, lines, last, "# end") != last - 3:
        raise FileFormatError(f"{path}: cut short or altered, its last line does not fit")
    counts: dict[str, int] = {}
    for row in range(3, last):
        term, _, digits = lines[row].partition("\t")
        valid = digits.isascii() and digits.isdigit() and len(digits) < 19
        if not term or not valid or not 0 < int(digits) <= documents or term in counts:
            raise FileFormatError(
                f"{path}, line {row + 1}: expected a new term, a tab and a count of at most "
                f"{documents}; found {lines[row][:60]!r}"
            )
        counts[term] = int(digits)
    return Background(documents, counts, None if stemmer == "none" else stemmer)


def _field(path: str, lines: list[str], row: int, name: str) -> str:
    """Return the value after `name` in line `row` (from 0); raise an error if there is none."""
    if len(lines) <= row or not lines[row].startswith(f"{name} "):
        found = lines[row][:60] if len(lines) > row else "the end of the file"
        raise FileFormatError(f"{path}, line {row + 1}: expected {name!r}, found {found!r}")
    return lines[row][len(name) + 1 :]


def _number(path: str, lines: list[str], row: int, name: str) -> int:
    """Return the whole number after `name` in line `row` (from 0)."""
    value = _field(path, lines, row, name)
    if not (value.isascii() and value.isdigit() and len(value) < 19):
        raise FileFormatError(f"{path}, line {row + 1}: expected a number, found {value[:60]!r}")
    return int(value)
