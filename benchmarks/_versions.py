"""Versions of one statement among other passages: made ones, and releases of one document.

Made: a paragraph of XQuAD whose answer is a number, a date or a name, with the answer replaced, or
with its statement negated. Natural: paragraphs of a document of a Git repository that differ in a
value between two releases of it; the question is what both releases of the sentence share. Both
stand among other paragraphs, in the order of BM25.
"""

import difflib
import re
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from _retrieval import corpus_of

KINDS = ("numbers", "dates", "names", "negations")
OTHERS = 30
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w])")
_YEAR = re.compile(r"\b1[0-9]{3}\b|\b20[0-2][0-9]\b")
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_NAME = re.compile(r"(?:[A-Z][\w.'\u2019-]+)(?: (?:of |the |de |von )?[A-Z][\w.'\u2019-]+)*")
_VERB = re.compile(
    r"\b(is|are|was|were|can|could|will|would|has|had|should|must|may|does|did)\b(?! not)"
)
_DENIAL = {"not", "no", "never", "cannot", "without"}
_CODE = re.compile(r">>>|\{%|\bdef |\bclass |self|\$ |\.\.\. |[{}=]")
_SENTENCE = re.compile(r"[^.!?]+(?:[.!?](?!\s|$)[^.!?]*)*[.!?]*")


class VersionsAsked(NamedTuple):
    """A question, what every version says, and what a retriever found, best first."""

    kind: str
    question: str
    wanted: tuple[str, ...]
    passages: list[str]
    language: str = "english"
    scores: None = None


def share_held(text: str, asked: VersionsAsked) -> float:
    plain = " ".join(text.split())
    return float(np.mean([one in plain for one in asked.wanted]))


def _other_number(found: str, rng: np.random.Generator) -> str:
    digits = [c for c in found if c.isdigit()]
    fresh = [str(rng.integers(1, 10)) for _ in digits]
    if "".join(fresh) == "".join(digits):
        fresh[0] = str(int(fresh[0]) % 9 + 1)
    supply = iter(fresh)
    return "".join(next(supply) if c.isdigit() else c for c in found)


def _other_date(found: str, rng: np.random.Generator) -> str:
    year = _YEAR.search(found)
    if year:
        moved = str(int(year.group()) + int(rng.choice([-7, -4, -2, 3, 6, 9])))
        return found[: year.start()] + moved + found[year.end() :]
    for month in _MONTHS:
        if month in found:
            return found.replace(
                month, _MONTHS[(_MONTHS.index(month) + int(rng.integers(1, 11))) % 12]
            )
    return found


def _kind(answer: str) -> str:
    if _YEAR.search(answer) or any(month in answer for month in _MONTHS):
        return "dates"
    if _NUMBER.search(answer):
        return "numbers"
    return "names" if _NAME.fullmatch(answer) else "negations"


def made(half: str, most: int, seed: int = 0) -> Iterator[VersionsAsked]:
    """Yield questions about XQuAD paragraphs in two or three versions, at most `most` per kind."""
    rng = np.random.default_rng(seed)
    corpus = corpus_of("xquad_en")
    rows = corpus.questions(half)
    names = sorted({a for row in rows for a in row["answers"] if _kind(a) == "names"})
    counts = dict.fromkeys(KINDS, 0)
    for row in (rows[k] for k in rng.permutation(len(rows))):
        answer = row["answers"][0]
        kind = _kind(answer)
        text = corpus.by_id[row["gold"][0]]
        if counts[kind] == most or text.count(answer) != 1:
            continue
        versions = _versions(text, answer, kind, names, rng)
        if versions is None:
            continue
        texts, wanted = versions
        found, _ = corpus.search(row["question"], by="bm25")
        others = [other for other in found if other != text][:OTHERS]
        place = found.index(text) if text in found else 0
        passages = [*others[:place], *texts, *others[place:]]
        counts[kind] += 1
        yield VersionsAsked(kind, row["question"], wanted, passages)


def _versions(text, answer, kind, names, rng):
    at = text.index(answer)
    sentence = next(m for m in _SENTENCE.finditer(text) if m.end() > at)
    start, end = sentence.start(), max(sentence.end(), at + len(answer))
    if kind == "negations":
        verb = _VERB.search(text, start, end)
        if verb is None:
            return None
        other = f"{text[: verb.end()]} not{text[verb.end() :]}"
        spans = [(start, end), (start, end + 4)]
        texts = [text, other]
    else:
        fresh: list[str] = [answer]
        for _ in range(20):
            one = {
                "numbers": lambda: _NUMBER.sub(lambda m: _other_number(m.group(), rng), answer),
                "dates": lambda: _other_date(answer, rng),
                "names": lambda: str(rng.choice(names)),
            }[kind]()
            if one not in fresh and len(fresh) < 3:
                fresh.append(one)
        if len(fresh) < 3:
            return None
        texts = [text[:at] + one + text[at + len(answer) :] for one in fresh]
        spans = [(start, end + len(one) - len(answer)) for one in fresh]
    order = rng.permutation(len(texts))
    texts, spans = [texts[k] for k in order], [spans[k] for k in order]
    # what tells versions apart: the changed place with what stands around it
    wanted = []
    for text_, (a, b) in zip(texts, spans, strict=True):
        whole = text_[a:b]
        wanted.append(" ".join(whole.split()))
    return texts, tuple(_told_apart(wanted))


def _told_apart(sentences: list[str]) -> list[str]:
    """Cut each sentence to where it differs from the others, and a few words on both sides."""
    rows = [sentence.split() for sentence in sentences]
    head = 0
    while all(len(row) > head and row[head] == rows[0][head] for row in rows):
        head += 1
    tail = 0
    while all(len(row) > head + tail and row[-1 - tail] == rows[0][-1 - tail] for row in rows):
        tail += 1
    return [" ".join(row[max(head - 3, 0) : len(row) - max(tail - 3, 0)]) for row in rows]


def natural(repository: str, releases: list[str], folders: list[str], half: str):
    """Yield statements that differ in a value between two releases of a document."""
    kept = 0
    listed = _git(repository, "ls-tree", "-r", "--name-only", releases[-2], *folders).split()
    paths = [path for path in listed if path.endswith((".txt", ".rst", ".md"))]
    seen: set[str] = set()
    for path in paths:
        texts = [_git(repository, "show", f"{release}:{path}") for release in releases]
        for old, new in pairwise(texts):
            for asked in _pairs(old, new, seen):
                kept += 1
                if ("development", "reported")[kept % 2] == half:
                    yield asked


def _git(repository: str, *arguments: str) -> str:
    command = ["git", "-C", repository, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout  # noqa: S603


def _paragraphs(text: str) -> list[str]:
    parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    return [
        part
        for part in parts
        if 12 <= len(part.split()) <= 150 and not part.startswith(("|", "```", ".. ", "#"))
    ]


def _pairs(old: str, new: str, seen: set[str]):
    before, after = _paragraphs(old), _paragraphs(new)
    gone, come = [p for p in before if p not in after], [p for p in after if p not in before]
    for one in gone:
        close = difflib.get_close_matches(one, come, n=1, cutoff=0.75)
        if not close:
            continue
        other = close[0]
        for a in map(str.strip, _SENTENCE.findall(one)):
            if a in other or len(a.split()) < 8:
                continue
            b = difflib.get_close_matches(
                a, [s.strip() for s in _SENTENCE.findall(other)], n=1, cutoff=0.75
            )
            if not b or a in seen or b[0] in one:
                continue
            changes = _changes(a, b[0])
            if changes is None:
                continue
            seen.add(a)
            shared, wanted = changes
            rest = [p for p in after if p != other]
            passages = _by_words(shared, [one, other, *rest])
            yield VersionsAsked("natural", " ".join(shared), wanted, passages[:OTHERS])


def _changes(a: str, b: str):
    """Find what two sentences share and where they differ, if in a number, name or negation."""
    left, right = a.split(), b.split()
    blocks = difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    changed = [(left[i:j], right[k:m]) for tag, i, j, k, m in blocks if tag != "equal"]
    words = [set(re.findall(r"\w+", side.casefold())) for side in (a, b)]
    for ours, theirs in changed:
        new = [
            [w for w in re.findall(r"\w+", " ".join(side)) if w.casefold() not in other]
            for side, other in ((ours, words[1]), (theirs, words[0]))
        ]
        denied = _DENIAL & {w.casefold() for w in ours} ^ _DENIAL & {w.casefold() for w in theirs}
        first = (left[0], right[0])
        told = all(any(re.search(r"\d|^[A-Z]", w) and w not in first for w in side) for side in new)
        if not (told or denied) or len(ours) + len(theirs) > 10:
            return None
    if not 1 <= len(changed) <= 2 or any(_CODE.search(side) for side in (a, b)):
        return None
    shared = [w for tag, i, j, k, m in blocks if tag == "equal" for w in left[i:j]]
    shared = [re.sub(r"[^\w'-]", "", w) for w in shared]
    return [w for w in shared if len(w) > 2][:12], tuple(_told_apart([a, b]))


def _by_words(query: list[str], texts: list[str]) -> list[str]:
    from bm25s import BM25

    index = BM25(method="lucene")
    tokens = [re.findall(r"\w+", text.casefold()) for text in texts]
    index.index(tokens, show_progress=False)
    known = [w.casefold() for w in query if w.casefold() in index.vocab_dict]
    scores = index.get_scores(known) if known else np.zeros(len(texts))
    return [texts[k] for k in np.argsort(-scores, kind="stable")]
