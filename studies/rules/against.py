"""What is read and chosen now, against another version of the package: ROUGE and struck.

    python studies/rules/against.py DATA OTHER_PYTHON   # an interpreter that has the other version

The clusters are those of `rules.py`, and none is of a confirmation half. Both versions
choose by the guarded greedy; ROUGE is that of this version.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np


class Chosen(NamedTuple):
    """What a version chose of a case."""

    places: list[tuple[int, int]]
    texts: list[str]
    seconds: float


def choose(cases: list[list]) -> list[list]:
    """Choose by the version that runs this: only what both versions have is imported."""
    from maxcover import solve
    from maxcover.texts import prepare

    found = []
    for texts, budget, language, lines in cases:
        started = time.process_time()
        corpus = prepare(texts, language=language, lines=lines)
        seconds = time.process_time() - started
        chosen = solve(corpus.problem(budget), method="guarded-greedy").selected.tolist()
        places = [(int(corpus.document[k]), int(corpus.starts[k])) for k in chosen]
        found.append([places, [" ".join(corpus.texts[k].split()) for k in chosen], seconds])
    return found


def choose_by(python: str, cases: list[list]) -> list[Chosen]:
    """Let an interpreter choose."""
    said = subprocess.run(
        [python, __file__, "--choose"],
        input=json.dumps(cases),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    return [
        Chosen([tuple(place) for place in places], texts, seconds)
        for places, texts, seconds in json.loads(said)
    ]


def main() -> None:
    """Print a table for all clusters and one row for each set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("other", help="interpreter of the other version")
    parser.add_argument("--most", type=int, default=22, help="clusters of a set")
    parser.add_argument("--only", default="", help="sets whose names hold this")
    parser.add_argument("--without", default=" - ", help="no sets whose names hold this")
    parser.add_argument("--lines", default="auto", help="how this version reads line ends")
    options = parser.parse_args()

    from maxcover.lab.evaluate.rouge import rouge_for
    from rules import interval, load

    cases = [
        case
        for case in load(options.data, options.most)
        if options.only in case.name and options.without not in case.name
    ]
    asked, again = (
        [[case.texts, case.budget, case.language, lines] for case in cases]
        for lines in ("auto", options.lines)
    )
    versions = {"other": choose_by(options.other, asked), "now": choose_by(sys.executable, again)}
    rows: dict[str, dict[str, list]] = {}
    for version, results in versions.items():
        for case, result in zip(cases, results, strict=True):
            scores = rouge_for(case.language).score("\n".join(result.texts), case.references)
            verdicts = [case.judged[place] for place in result.places if place in case.judged]
            row = (
                *(scores["rouge1"].f, scores["rouge2"].f),
                *(sum(map(bool, verdicts)), len(verdicts)),
                result.seconds,
            )
            for name in ("all", case.name.split()[0]):
                rows.setdefault(name, {}).setdefault(version, []).append(row)
    print("| clusters | ROUGE-1 | ROUGE-2 | struck: other | now | seconds |")
    print(f"|{'---|' * 6}")
    for name, found in rows.items():
        other, now = (np.array(found[version], float) for version in ("other", "now"))
        rouge = [interval(now[:, k] - other[:, k]) for k in (0, 1)]
        counts = [f"{one[:, 2].sum():.0f} of {one[:, 3].sum():.0f}" for one in (other, now)]
        spent = f"{other[:, 4].sum():.1f}, {now[:, 4].sum():.1f}"
        print("|", " | ".join([f"{name}, {len(now)}", *rouge, *counts, spent]), "|")


if __name__ == "__main__":
    if sys.argv[1:] == ["--choose"]:
        json.dump(choose(json.load(sys.stdin)), sys.stdout)
    else:
        main()
