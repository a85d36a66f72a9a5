"""The default against 0.1.0's, `lead` and the peers, on clusters that chose nothing.

    python studies/presets/confirmation.py ../shared/data/fresh --scores confirmation.json
    python studies/presets/confirmation.py ../shared/data/fresh --scores confirmation.json --peers

Clusters marked ``confirmation`` only. Every kind of text weighs the same, and within a kind every
set. Intervals hold 95 %, by a bootstrap over topics (MultiLing, whose languages share five) and
events (news_background, seven), over clusters elsewhere. A run that was interrupted goes on.
"""

import argparse
from collections import Counter
from pathlib import Path

import numpy as np

from maxcover.lab.evaluate import harness

# Kind, budget, language.
SETS = {
    "news_background": ("news, English", 140, "english"),
    "multiling2011_en": ("news, English", 250, "english"),
    "multiling2011_ar": ("news, six languages", 250, "arabic"),
    "multiling2011_cs": ("news, six languages", 250, "czech"),
    "multiling2011_el": ("news, six languages", 250, "greek"),
    "multiling2011_fr": ("news, six languages", 250, "french"),
    "multiling2011_he": ("news, six languages", 250, "hebrew"),
    "multiling2011_hi": ("news, six languages", 250, "hindi"),
    "qmsum_meetings": ("meetings", 110, "english"),
    "govreport_mini": ("reports", 600, "english"),
}
OURS = ("default", "plain", "lead")
PEERS = ("sumbasic", "textrank", "luhn", "lexrank", "lsa", "summa", "mmr", "bigram-ilp")
RESAMPLES = 10_000


def group_of(result: harness.Result) -> str:
    """Return what is drawn together: a topic, an event, or the cluster itself."""
    if result.data.startswith("multiling"):
        return result.cluster.split("-")[0]
    if result.data == "news_background":
        return result.cluster[:-11]  # without the date
    return result.cluster


def resample(
    values: np.ndarray, weights: np.ndarray, groups: list[str], rng: np.random.Generator
) -> np.ndarray:
    """Return weighted means of samples of groups drawn with replacement."""
    names, inverse = np.unique(groups, return_inverse=True)
    sums, sizes = np.bincount(inverse, values * weights), np.bincount(inverse, weights)
    draws = rng.integers(len(names), size=(RESAMPLES, len(names)))
    return np.asarray(sums[draws].sum(axis=1) / sizes[draws].sum(axis=1))


def difference(first: dict, second: dict, measure: str, kinds: list[str]) -> str:
    """Write the mean difference over kinds with its interval."""
    rng = np.random.default_rng(0)
    means, draws = [], []
    for kind in kinds:
        keys = [k for k in first if SETS[k[0]][0] == kind and k in second]
        if not keys:
            continue
        values = np.array(
            [getattr(first[k], measure).recall - getattr(second[k], measure).recall for k in keys]
        )
        sizes = Counter(data for data, _ in keys)
        weights = np.array([1 / sizes[data] / len(sizes) for data, _ in keys])
        means.append((values * weights).sum())
        draws.append(resample(values, weights, [group_of(first[k]) for k in keys], rng))
    if not means:
        return ""
    low, high = np.quantile(np.mean(draws, axis=0), [0.025, 0.975])
    return f"{np.mean(means):+.4f} [{low:+.4f}, {high:+.4f}]"


def print_table(results: list[harness.Result]) -> None:
    """Print one row for each kind, then the mean over kinds, then the scores."""
    by_method: dict[str, dict] = {}
    for one in results:
        by_method.setdefault(one.method, {})[one.data, one.cluster] = one
    ours = by_method["default"]
    kinds = list(dict.fromkeys(SETS[data][0] for data, _ in ours))
    print("| kind | clusters | against | ROUGE-1 | ROUGE-2 |\n|---|---:|---|---:|---:|")
    for name, theirs in by_method.items():
        if name == "default":
            continue
        for group in [*([kind] for kind in kinds), kinds]:
            count = sum(k in ours and SETS[k[0]][0] in group for k in theirs)
            title = group[0] if len(group) == 1 else "all kinds"
            cells = [difference(ours, theirs, m, group) for m in ("rouge1", "rouge2")]
            if count:
                print(f"| {title} | {count} | {name} | {cells[0]} | {cells[1]} |")
    print("\n| kind | method | ROUGE-1 | ROUGE-2 |\n|---|---|---:|---:|")
    for kind in kinds:
        for name, found in by_method.items():
            here = [x for (data, _), x in found.items() if SETS[data][0] == kind]
            if here:
                scores = [
                    np.mean([getattr(x, m).recall for x in here]) for m in ("rouge1", "rouge2")
                ]
                row = " | ".join(f"{x:.3f}" for x in scores)
                print(f"| {kind} | {name} | {row} |")


def main() -> None:
    """Run what the file of scores does not hold yet, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--scores", type=Path, default=Path("confirmation.json"))
    parser.add_argument("--half", default="confirmation")
    parser.add_argument("--peers", action="store_true", help="other packages too, English only")
    options = parser.parse_args()
    tasks = []
    for name, (_, budget, language) in SETS.items():
        methods = [*OURS, *(PEERS if options.peers and language == "english" else ())]
        tasks += harness.plan(
            options.data / name,
            methods=methods,
            budget=budget,
            language=language,
            half=options.half,
        )
    print_table(harness.evaluate(tasks, scores=options.scores))


if __name__ == "__main__":
    main()
