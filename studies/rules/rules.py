"""What every rule of reading is worth: each switched off by itself, and in groups.

    python studies/rules/rules.py ../shared/data  # prints the table of docs/lab/rules.md
    python studies/rules/rules.py --quick         # labelled lines only; fails without a row

A rule can change a summary only where it strikes a sentence, so only those clusters are read again.
Clusters of confirmation halves are never read: a rule is chosen by what this prints.
"""

import argparse
import ast
import io
import json
import sys
import time
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np

from maxcover import solve
from maxcover.lab.evaluate.rouge import rouge_for
from maxcover.texts import prepare
from maxcover.texts.judge.candidates import SENTENCE
from maxcover.texts.judge.rules import read_rules, switched_off

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "lab" / "rules.md"
# Folder, words, language.
SETS = {
    **dict.fromkeys(("bc3", "cl_scisumm", "mediqa_mas", "oposum"), (100, "english")),
    "convosumm_email": (65, "english"),
    "opinosis": (25, "english"),
    "squality_plot": (250, "english"),
    "fresh/govreport_mini": (600, "english"),
    "fresh/news_background": (140, "english"),
    "fresh/qmsum_meetings": (110, "english"),
    "fresh/multiling2011_en": (250, "english"),
    "fresh/multiling2011_ar": (250, "arabic"),
    "fresh/multiling2011_cs": (250, "czech"),
    "fresh/multiling2011_el": (250, "greek"),
    "fresh/multiling2011_fr": (250, "french"),
    "fresh/multiling2011_he": (250, "hebrew"),
    "fresh/multiling2011_hi": (250, "hindi"),
}
RESAMPLES = 2_000
_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    tokenize.ENDMARKER,
}
GROUPS = {
    "boilerplate": ("confidential", "copyright", "page of the web"),
    "reports": ("pointer", "template", "instruction"),
}


class Case(NamedTuple):
    """Documents to summarise."""

    name: str
    texts: list[str]
    references: list[str]
    budget: int
    language: str
    judged: dict[tuple[int, int], str]


class Measured(NamedTuple):
    """What came of a case."""

    chosen: list[tuple[int, int]]
    rouge: tuple[float, float]
    struck_by: Counter[str]
    seconds: float


def load(data: Path, most: int) -> Iterator[Case]:
    """Read the clusters that may choose, at most so many of a set, evenly spread."""
    lines = (ROOT / "studies" / "rules" / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    labels = {(one["set"], one["cluster"]): one["judged"] for one in map(json.loads, lines)}
    for name, (budget, language) in SETS.items():
        rows = (data / name / "clusters.jsonl").read_text(encoding="utf-8").strip().split("\n")
        clusters = [
            one
            for one in map(json.loads, rows)
            if one.get("meta", {}).get("half") != "confirmation"
            and sum(len(x["text"].split()) for x in one["documents"]) >= 3 * budget
        ]
        count = min(most, len(clusters))
        for one in (clusters[k * len(clusters) // count] for k in range(count)):
            key = name.removeprefix("fresh/"), one["id"]
            yield Case(
                name=" ".join(key),
                texts=[document["text"] for document in one["documents"]],
                references=one["references"],
                budget=budget,
                language=language,
                judged={(a, b): reason for a, b, reason in labels.get(key, ())},
            )


def measure(case: Case) -> Measured:
    """Summarise a case, by the guarded greedy: what is compared is the reading."""
    started = time.process_time()
    corpus = prepare(case.texts, language=case.language)
    chosen = solve(corpus.problem(case.budget), method="guarded-greedy").selected.tolist()
    seconds = time.process_time() - started
    lines = "\n".join(" ".join(corpus.texts[number].split()) for number in chosen)
    scores = rouge_for(case.language).score(lines, case.references)
    return Measured(
        chosen=[(int(corpus.document[number]), int(corpus.starts[number])) for number in chosen],
        rouge=(scores["rouge1"].f, scores["rouge2"].f),
        struck_by=Counter(corpus.struck_by),
        seconds=seconds,
    )


def parts() -> dict[str, tuple[Callable[[], AbstractContextManager[object]], set[str] | None]]:
    """List what can be switched off: how, and the names it strikes by (None: anywhere)."""
    found = {name: (lambda name=name: switched_off(name), {name}) for name in read_rules()}
    for group, names in GROUPS.items():
        found[f"group: {group}"] = (lambda names=names: switched_off(*names), set(names))
    letters = {"header", "greeting", "signature"}
    found["blocks: frames of letters"] = (_no_frames, letters)
    return found


@contextmanager
def _no_frames() -> Iterator[None]:
    with mock.patch(
        "maxcover.texts.read.blocks.mark_frames", lambda _, blocks, *__, **___: list(blocks)
    ):
        yield


def labelled_lines() -> dict[str, tuple[Counter[str], Counter[str], int, int, int]]:
    """For each half: hits of rules on content and on the rest, then the two sums and content lost.

    The sums are lines of content that lose their weight, and of boilerplate that can be chosen.
    """
    sys.path.insert(0, str(ROOT))
    from tests.texts.labelled_lines import FRESH, HELD, SEEN, labelled

    table = {}
    for half, names in {"seen": SEEN, "held": HELD, "fresh": FRESH}.items():
        content, rest = Counter(), Counter()
        lost = chosen = boilerplate = 0
        for name in names:
            text, lines = labelled(name)
            corpus = prepare([text], language="english")
            for label, start, end in lines:
                inside = np.flatnonzero((corpus.starts < end) & (corpus.ends > start)).tolist()
                best = max((int(corpus.standing[k]) for k in inside), default=0)
                rules = {corpus.struck_by[k] for k in inside} - {""}
                (content if label == "c" else rest).update(rules)
                lost += label == "c" and best == 0
                chosen += label == "b" and best >= SENTENCE
                boilerplate += label == "b"
        table[half] = content, rest, lost, chosen, boilerplate
    return table


def interval(values: Iterable[float]) -> str:
    """Write a mean with its interval."""
    array = np.array(list(values) or [0.0])
    draws = np.random.default_rng(0).integers(len(array), size=(RESAMPLES, len(array)))
    low, high = np.quantile(array[draws].mean(axis=1), [0.025, 0.975])
    return f"{array.mean():+.4f} [{low:+.4f}, {high:+.4f}]"


def struck_share(cases: list[Case], results: list[Measured]) -> tuple[int, int]:
    """Count the chosen sentences that were judged, and those that were struck."""
    verdicts = [
        case.judged[place]
        for case, result in zip(cases, results, strict=True)
        for place in result.chosen
        if place in case.judged
    ]
    return len(verdicts), sum(reason != "" for reason in verdicts)


def precision(name: str, half: tuple[Counter[str], Counter[str], int, int, int]) -> str:
    """Write how many of the labelled lines that a rule strikes are no content."""
    content, rest = half[0][name], half[1][name]
    return f"{rest} of {rest + content}" if rest + content else ""


def print_table(cases: list[Case]) -> None:
    """Print a row for everything that can be switched off."""
    lines = labelled_lines()
    usual = [measure(case) for case in cases]
    n_judged, n_struck = struck_share(cases, usual)
    hits = sum((one.struck_by for one in usual), Counter())
    spent = sum(one.seconds for one in usual)
    print(f"{len(cases)} clusters; of {n_judged} chosen sentences judged {n_struck} are struck.\n")
    columns = (
        *("off", "effect", "hits", "right on seen lines", "held", "fresh"),
        *("chosen changed", "ROUGE-1", "ROUGE-2", "struck", "seconds"),
    )
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for name, (off, strikes) in parts().items():
        results = list(usual)
        with off():
            for k, case in enumerate(cases):
                if strikes is None or any(usual[k].struck_by[one] for one in strikes):
                    results[k] = measure(case)
        changed = sum(
            len(set(a.chosen) - set(b.chosen)) for a, b in zip(results, usual, strict=True)
        )
        rouge = [
            interval(a.rouge[n] - b.rouge[n] for a, b in zip(results, usual, strict=True))
            for n in (0, 1)
        ]
        judged, struck = struck_share(cases, results)
        effect = read_rules()[name].effect if name in read_rules() else ""
        count = sum(hits[one] for one in strikes or ())
        row = (
            *(name, effect, str(count), *(precision(name, lines[half]) for half in lines)),
            *(str(changed), *rouge, f"{struck} of {judged}"),
            f"{sum(one.seconds for one in results) - spent:+.1f}",
        )
        print("|", " | ".join(row), "|", flush=True)


def missing_rows() -> set[str]:
    """Return what can be switched off and has no row in the page."""
    page = PAGE.read_text(encoding="utf-8")
    return {name for name in parts() if f"| {name} |" not in page}


def count_code(folder: Path) -> int:
    """Count lines of Python that hold code: no blank ones, comments and docstrings."""
    total = 0
    for path in folder.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        code = set()
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type not in _NO_CODE:
                code.update(range(token.start[0], token.end[0] + 1))
        for node in ast.walk(ast.parse(source)):
            # a string by itself is a docstring, or says what the name above it is
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                code.difference_update(range(node.lineno, (node.end_lineno or 0) + 1))
        total += len(code)
    return total


def main() -> None:
    """Print the table, or check that every rule has a row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--most", type=int, default=22, help="clusters of a set")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    for half, (_, _, lost, chosen, boilerplate) in labelled_lines().items():
        print(f"{half}: content lost {lost}; boilerplate that can be chosen {chosen}/{boilerplate}")
    text = ROOT / "src" / "maxcover" / "texts"
    lines = sum(path.read_bytes().count(b"\n") for path in text.rglob("*.py"))
    print(f"texts/: {lines} lines of Python, {count_code(text)} of code")
    if options.quick:
        if missing_rows():
            sys.exit(f"docs/lab/rules.md has no row for: {', '.join(sorted(missing_rows()))}")
        return
    print_table(list(load(options.data, options.most)))


if __name__ == "__main__":
    main()
