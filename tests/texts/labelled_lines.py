"""Lines written for these tests, each with a label by hand: what is content, what frames a text.

The first sign of a line is its label, the rest is the line: ``c`` content, ``h`` a title, heading,
caption or row of a table (gives weight, is not chosen), ``b`` boilerplate (gives none), ``.`` blank
or markup, not looked at, nor is a line without a letter or a digit. Files are named after the kind
of text. None of it is from an evaluation set. Lines were labelled before the code had read them.

The reader is mended by what the files in ``labelled`` show. Those in ``labelled/held`` and, by
another hand, in ``labelled/fresh`` are only measured: do not mend anything by them.
"""

from pathlib import Path

KINDS_OF_TEXT = ("mail", "transcript", "news", "report", "markdown")
FOLDER = Path(__file__).parent / "labelled"
SEEN = {path.stem: path for path in sorted(FOLDER.glob("*.txt"))}
HELD = {path.stem: path for path in sorted((FOLDER / "held").glob("*.txt"))}
FRESH = {path.stem: path for path in sorted((FOLDER / "fresh").glob("*.txt"))}


def of_kind(kind: str, half: dict[str, Path]) -> list[str]:
    """Return the names of the documents of a kind, of ``SEEN``, ``HELD`` or ``FRESH``."""
    return [name for name in half if name.startswith(f"{kind}-")]


def labelled(name: str) -> tuple[str, list[tuple[str, int, int]]]:
    """Return a document, and the label, start and end of each of its lines that has one."""
    text, found = "", []
    for line in (SEEN | HELD | FRESH)[name].read_text(encoding="utf-8").rstrip("\n").split("\n"):
        label, body = line[:1], line[2:]
        if label in "chb" and any(map(str.isalnum, body)):
            found.append((label, len(text), len(text) + len(body)))
        text += body + "\n"
    return text, found
