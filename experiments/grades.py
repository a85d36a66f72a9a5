"""How far the readability rules agree with people: 580 summaries with human grades.

    python experiments/grades.py ../shared/data/fresh/multiling2011_grades

Rank correlation of each share with the mean grade within a topic, averaged over topics, with a 95 %
interval by a bootstrap over topics. The rules were written before they were measured here.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from maxcover.evaluate.readability import Readability, read
from maxcover.text import split_sentences

RESAMPLES = 10_000


def correlations(topics: list[list[tuple[float, Readability]]], rule: str) -> np.ndarray:
    """Return the rank correlation of grade and share for each topic; 0 where one never varies."""
    found = []
    for topic in topics:
        grades = np.array([grade for grade, _ in topic])
        shares = np.array([getattr(shown, rule) for _, shown in topic])
        varies = np.ptp(grades) > 0 and np.ptp(shares) > 0
        found.append(np.corrcoef(rankdata(grades), rankdata(shares))[0, 1] if varies else 0.0)
    return np.array(found)


def main() -> None:
    """Print one row for each language."""
    topics: dict[str, dict[str, list]] = defaultdict(lambda: defaultdict(list))
    for line in Path(sys.argv[1], "grades.jsonl").read_text(encoding="utf-8").rstrip().split("\n"):
        row = json.loads(line)
        text, language = row["text"], row["language"]
        shares = read([text[a:b] for a, b in split_sentences(text, language)], language)
        grade = float(np.mean([one["grade"] for one in row["grades"]]))
        topics[language][row["topic"]].append((grade, shares))
    rng = np.random.default_rng(0)
    print(f"| language | {' | '.join(Readability._fields)} |")
    print("|---" * (1 + len(Readability._fields)) + "|")
    for language, found in topics.items():
        cells = []
        for rule in Readability._fields:
            values = correlations(list(found.values()), rule)
            draws = values[rng.integers(len(values), size=(RESAMPLES, len(values)))].mean(axis=1)
            low, high = np.quantile(draws, [0.025, 0.975])
            cells.append(f"{values.mean():+.2f} [{low:+.2f}, {high:+.2f}]")
        print(f"| {language} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
