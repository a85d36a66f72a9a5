"""All measures of a summary by one command, to judge a change or a deletion.

    python studies/summaries/measure.py DATA TEXTS --save base.json      # before
    python studies/summaries/measure.py DATA TEXTS --against base.json   # after

TEXTS is what `texts.py` writes. The samples are fixed: the first texts of each kind by id, and
clusters evenly spread over each set, none of a confirmation half. README.md has the margins.
"""

import argparse
import json
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import maxcover as mc
from maxcover.lab.evaluate.rouge import rouge_for

ROOT = Path(__file__).parents[2]
sys.path += [str(ROOT), str(ROOT / "studies" / "rules")]

from tests.texts.bed.bed import check_all  # noqa: E402
from tests.texts.bed.questions import read_questions  # noqa: E402

from rules import load  # noqa: E402 - the path is needed first

LABELS = ROOT / "studies" / "worth" / "labels.jsonl"
BUDGET = 80
LONG = 100
"""A document of at least so many sentences is long: then the places of what is chosen count."""


def judged(texts: Path, most: int) -> Iterator[tuple[dict[str, Any], list[Path]]]:
    """Yield labels and files of at most so many texts of each kind."""
    seen: defaultdict[str, int] = defaultdict(int)
    for label in map(json.loads, LABELS.read_text(encoding="utf-8").splitlines()):
        folder = texts / label["id"]
        if folder.is_dir() and seen[label["kind"]] < most:
            seen[label["kind"]] += 1
            yield label, sorted(folder.iterdir())


def measure_judged(texts: Path, most: int, found: dict[str, str]) -> dict[str, float]:
    """Measure told, struck, and the share of long documents that their first quarter gives."""
    told, struck, places = [], [], []
    for label, paths in judged(texts, most):
        summary = mc.summarize(paths if len(paths) > 1 else paths[0], budget=BUDGET)
        found[f"text {label['id']}"] = summary.text
        chosen = [(one.document, one.start, one.end) for one in summary.sentences]
        grades = {key: {_sentence(chosen, place) for place in label[key]} for key in "MKO"}
        if label["M"]:
            told.append(bool(grades["M"] - {-1}))
        good = set().union(*grades.values())
        kinds = [summary.corpus.kinds[one.index] for one in summary.sentences]
        text = [k for k, kind in enumerate(kinds) if kind not in ("title", "heading", "table")]
        struck += [k not in good for k in text]
        places += find_places(summary)
    return {
        "told": float(np.mean(told)),
        "struck": float(np.mean(struck)),
        "first quarter": float(np.mean(np.array(places) < 0.25)),
    }


def find_places(summary: mc.Summary) -> list[float]:
    """Return the places, from 0 to 1, of what is chosen of one long document."""
    corpus = summary.corpus
    if len(corpus.documents) > 1 or len(corpus) < LONG:
        return []
    last = int(corpus.ends[-1])
    return [one.start / last for one in summary.sentences if one.index != summary.headline]


def _sentence(chosen: list[tuple[int, int, int]], place: list[int]) -> int:
    """Return the number of the chosen sentence that holds the middle of a place, or -1."""
    document, start, end = place
    middle = (start + end) // 2
    held = (k for k, (d, a, b) in enumerate(chosen) if d == document and a <= middle < b)
    return next(held, -1)


def measure_rouge(data: Path, most: int, found: dict[str, str]) -> dict[str, float]:
    """Return ROUGE-1 of each set, and its mean over sets."""
    scores: defaultdict[str, list[float]] = defaultdict(list)
    for case in load(data, most):
        summary = mc.summarize(case.texts, budget=case.budget, language=case.language)
        found[f"rouge {case.name}"] = summary.text
        score = rouge_for(case.language).score("\n".join(summary.lines), case.references)
        scores[case.name.rsplit(" ", 1)[0]].append(score["rouge1"].f)
    each = {name: float(np.mean(values)) for name, values in scores.items()}
    return {"ROUGE-1": float(np.mean([*each.values()]))} | each


def measure_bed(data: Path, found: dict[str, str]) -> dict[str, float]:
    """Return how many expectations of each half are met, and how many questions are answered."""
    checks = check_all()
    found |= {f"bed {one.name} {one.what}": str(one.met) for one in checks}
    counts = {
        half: float(sum(one.met for one in checks if one.half == half))
        for half in ("development", "counted")
    }
    questions = [*read_questions(), *read_questions(data)]
    answers = [one.is_answered() for one in questions]
    found |= {f"question {q.text}": str(a) for q, a in zip(questions, answers, strict=True)}
    return counts | {"questions": float(sum(answers))}


def measure_folder(folder: Path, found: dict[str, str]) -> dict[str, float]:
    """Return the share that the first quarter of long documents of a folder gives, at 100 words."""
    places = []
    for path in sorted(one for one in folder.iterdir() if one.is_file()):
        summary = mc.summarize(path, budget=100)
        found[f"long {path.name}"] = summary.text
        places += find_places(summary)
    return {f"first quarter, {folder.parent.name}": float(np.mean(np.array(places) < 0.25))}


def measure_all(given: argparse.Namespace) -> tuple[dict[str, float], dict[str, str]]:
    """Return all figures, and what every summary printed."""
    found: dict[str, str] = {}
    figures = measure_bed(given.data, found)
    figures |= measure_judged(given.texts, given.most, found)
    if given.folder:
        figures |= measure_folder(given.folder, found)
    return figures | measure_rouge(given.data, given.clusters, found), found


def main() -> None:
    """Print what was measured, and what differs from an earlier run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--most", type=int, default=12, help="texts of a kind")
    parser.add_argument("--clusters", type=int, default=5, help="clusters of a set")
    parser.add_argument("--folder", type=Path, help="long documents")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--against", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    started = time.process_time()
    figures, found = measure_all(given)
    before = json.loads(given.against.read_text(encoding="utf-8")) if given.against else {}
    for name, value in figures.items():
        was = before.get("figures", {}).get(name)
        print(f"{name:32} {value:9.4f}" + ("" if was is None else f" {value - was:+9.4f}"))
    for name, text in before.get("found", {}).items():
        if name.startswith(("bed", "question")) and found.get(name) != text:
            print("+" if found.get(name) == "True" else "-", name)
    changed = [name for name, text in before.get("found", {}).items() if found.get(name) != text]
    print(f"{len(changed)} of {len(found)} outputs changed; {time.process_time() - started:.0f} s")
    if given.save:
        kept = {"figures": figures, "found": found}
        given.save.write_text(json.dumps(kept, ensure_ascii=False, indent=0), encoding="utf-8")


if __name__ == "__main__":
    main()
