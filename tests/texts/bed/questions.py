"""Questions: thirty, over ten sets of texts, each with the words of the sentence that answers it.

python studies/rules/bed.py --questions    # those whose answer is not printed
"""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import maxcover as mc

HERE = Path(__file__).parent
TOP = HERE.parents[2]
DATA = TOP.parent / "shared" / "data"
"""Where the open data sets are, if they lie beside the repository."""


class Question(NamedTuple):
    """A question to a set of texts: one of `answers` is printed if it is answered."""

    name: str
    documents: Any
    budget: float
    text: str
    answers: list[str]

    def is_answered(self) -> bool:
        """Tell whether a summary for the question prints an answer."""
        printed = mc.summarize(self.documents, query=self.text, budget=self.budget).text
        return any(answer in printed for answer in self.answers)


def read_questions(data: Path | None = None) -> Iterator[Question]:
    """Yield the questions to texts of the repository, or to those of the open data sets."""
    table = tomllib.loads((HERE / "questions.toml").read_text(encoding="utf-8"))
    for name, row in table.items():
        if ("files" in row) == (data is None):
            documents = _read(row, data)
            for text, *answers in row["questions"]:
                yield Question(name, documents, row["budget"], text, answers)


def _read(row: dict[str, Any], data: Path | None) -> Any:
    if data is None:
        return [TOP / name for name in row["files"]]
    if "cluster" in row:
        folder, name = row["cluster"]
        return next(
            [one["text"] for one in cluster["documents"]]
            for cluster in _lines(data / folder / "clusters.jsonl")
            if cluster["id"] == name
        )
    folder, title = row["passages"]
    return [one["text"] for one in _lines(data / folder / "corpus.jsonl") if one["title"] == title]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)
