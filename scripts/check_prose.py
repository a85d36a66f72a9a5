"""Count words, figures and private words of the user pages: check_prose.py [--pages].

User pages are README.md and what docs/ holds for users, without laboratory notes, the reference,
decisions and pages for contributors. Code, front matter and targets of links are not counted.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
MOST_WORDS = 14_000
MOST_START_WORDS = 300
MOST_NUMBERS = 3.0
OTHERS = {"lab", "reference", "decisions", "_static", "figures"}
CONTRIBUTORS = {
    "architecture.md", "changelog.md", "contributing.md", "contributors.md", "releasing.md",
    "security.md",
}  # fmt: skip
PRIVATE = re.compile(
    r"\b(?:struck|strikes?|mended|standings?|(?<!data )frames|readings?|halves|an editor"
    r"|by eye|to the bit|for ever|(?:development|reported|confirmation|other) half"
    r"|the version before|0\.1\.0|gives way|of one make|the aims?|in work)\b",
    re.IGNORECASE,
)
HASH = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")
NUMBER = re.compile(r"(?<![\w.@/])(?<!\w-)\d(?:[\d,.]*\d)?(?!\w)")


def user_pages(root: Path = ROOT) -> list[Path]:
    """List the pages that are written for users."""
    docs = root / "docs"
    return [root / "README.md"] + [
        path
        for path in sorted(docs.rglob("*.md"))
        if not OTHERS & {*path.relative_to(docs).parts} and path.name not in CONTRIBUTORS
    ]


def prose(text: str) -> str:
    r"""Return what a reader reads: no code, no front matter, no directives, no targets of links.

    >>> prose("---\na: 1\n---\nSee [this](that.md#x), `y = 3`.\n```\ncode 5\n```\n").split()
    ['See', 'this', ',', 'code.']
    """
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    text = re.sub(r"^(`{3,})[^`\n]*\n.*?^\1\s*$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^(?::{3,}.*|:[\w-]+:.*|    .*)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"<[^>]+>|!\[[^]]*\]\([^)]*\)|^\[[^]]+\]: .*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\{[\w:-]+\}`([^`]+)`|`[^`]+`", lambda found: found[1] or "code", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"\$[^$\n]+\$|^\s*\d+\. |[|*#\[\]]|-{3,}", " ", text, flags=re.MULTILINE)


def numbers(text: str) -> list[str]:
    """List the numbers of a prose, written in digits.

    >>> numbers("With 1,000 tokens, Python 3.11 finds 88 % in UTF-8.")
    ['1,000', '3.11', '88']
    """
    return NUMBER.findall(text)


def faults(root: Path = ROOT) -> Iterator[str]:
    """Say what breaks a rule: too long, too many figures, hashes, private words."""
    total = 0
    for path in user_pages(root):
        name, text = path.relative_to(root).as_posix(), prose(path.read_text(encoding="utf-8"))
        count = len(text.split())
        total += count
        found = numbers(text)
        if len(found) > max(MOST_NUMBERS, MOST_NUMBERS * count / 100):
            share = 100 * len(found) / count
            yield f"{name}: {share:.1f} numbers per 100 words, at most {MOST_NUMBERS}"
        for kind, pattern in (("commit hash", HASH), ("private word", PRIVATE)):
            for match in pattern.finditer(text):
                around = text[max(0, match.start() - 30) : match.end() + 30].replace("\n", " ")
                yield f"{name}: {kind} {match[0]!r} in '{around}'; use the reader's word"
    if total > MOST_WORDS:
        yield f"{total} words on user pages, at most {MOST_WORDS}; move measurements to docs/lab/"
    start = (root / "docs" / "start.md").read_text(encoding="utf-8")
    first = len(prose(start.partition("<!-- first answer -->")[0]).split())
    if first > MOST_START_WORDS or "<!-- first answer -->" not in start:
        yield f"docs/start.md: {first} words to the first answer, at most {MOST_START_WORDS}"


if __name__ == "__main__":
    pages = user_pages()
    counts = {page: prose(page.read_text(encoding="utf-8")) for page in pages}
    for page, text in counts.items() if "--pages" in sys.argv else ():
        words = len(text.split())
        share = 100 * len(numbers(text)) / max(words, 1)
        print(f"{words:6} words {share:5.1f} numbers  {page.relative_to(ROOT)}")
    print(f"{len(pages)} pages, {sum(len(text.split()) for text in counts.values())} words")
    broken = list(faults())
    print(*broken, sep="\n")
    sys.exit(bool(broken))
