"""The document collections beside the repository, if they are there, and text of every kind."""

import json
from pathlib import Path

import pytest
from hypothesis import strategies as st

DATA = Path(__file__).parents[2].parent / "shared" / "data"
COLLECTIONS = sorted(DATA.glob("*/clusters.jsonl")) or [None]


def load_clusters(path: Path | None) -> list[list[str]]:
    """Read the documents of each cluster; skip the test where the collections are not."""
    if path is None:
        pytest.skip("no collections beside the repository", allow_module_level=True)
    rows = map(json.loads, path.read_text(encoding="utf-8").split("\n")[:-1])
    return [[document["text"] for document in row["documents"]] for row in rows]


def name_of(path: Path | None) -> str:
    return path.parent.name if path else "none"


#: Signs that have broken text tools: line ends, marks, joiners, directions, surrogates, NUL.
_AWKWARD = st.sampled_from(
    [
        *".!?\"«»“”()[]'-*>#•…。！？।؟ \t\n\r\v\f\0_",
        *("\r\n", "\n\n", "\x1c", "\x85", "\u2028", "\u2029", "\ud800", "\udfff"),
        *("\u00ad", "\u200b", "\u200d", "\ufeff", "\u0301", "\u202e", "\u05d0", "\u0645"),
        *("\u0e01", "\u6771", "\u3042", "\U0001f600", "\U0001f468\u200d\U0001f469"),
        *("ﬁ", "ß", "İ", "½", "ͺ", "don't", "3.14", "1. ", "- ", "> ", "\n(a) "),
        *(" Dr. ", "e.g. ", "The cat ", "sat on the mat. "),
    ]
)
any_text = st.lists(st.one_of(_AWKWARD, st.text(st.characters(), max_size=4)), max_size=60).map(
    "".join
)
