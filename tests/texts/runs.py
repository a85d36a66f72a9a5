"""Long runs of the same characters: what a splitter or a pattern may be slow in."""

import random

PLAIN = "The ferry to the island was late again on Monday, and the office gave no reason for it. "

#: What is repeated.
RUNS = {
    "blanks": " ", "tabs": "\t", "no-break spaces": "\u00a0", "zero width": "\u200b",
    "line ends": "\n", "CR LF": "\r\n", "form feeds": "\f", "dots": ".", "spaced dots": ". ",
    "ellipses": "… ", "question marks": "?", "exclamations": "! ", "commas": ", ",
    "quotes": '"', "single quotes": "'", "opening quotes": "“", "guillemets": "«",
    "backticks": "`", "brackets": "(", "square brackets": "[", "bracket pairs": "() ",
    ">": ">", "> lines": "> a\n", "dashes": "-", "bars": "| a ", "stars": "*", "items": "- a\n",
    "hashes": "#", "www.": "www.", "addresses": "http://a.b/c ", "mails": "a@b.c ",
    "initials": "A. ", "bare initials": "A.", "names": "J. R. Smith ", "endings": "ab COM.",
    "speakers": "Anna: Yes.\n", "numbers": "1. ", "digits": "7", "letters": "a", "titles": "Mr. ",
    "tags": "<a>", "entities": "&amp;", "combining marks": "e\u0301", "unclosed": "«a. “b. ",
}  # fmt: skip


def run_of(name: str, size: int) -> str:
    """Return a run between two sentences, so many characters together."""
    room = size - 2 * len(PLAIN)
    return PLAIN + (RUNS[name] * (room // len(RUNS[name]) + 1))[:room] + PLAIN


def plain(size: int) -> str:
    """Return sentences of invented words, so many characters."""
    rng = random.Random(0)
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) for _ in range(5_000)]
    text: list[str] = []
    while sum(map(len, text)) < size:
        some = [rng.choices(words, k=rng.randint(6, 30)) for _ in range(100)]
        text += [" ".join(each).capitalize() + ". " for each in some]
    return "".join(text)[:size]
