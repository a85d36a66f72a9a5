"""Choose the default preset by leaving out one data set after the other.

    python studies/presets/default_preset.py ../shared/data --scores scores.json

Every candidate summarises every cluster that is long enough: greedy and exchange search, which is
within a percent of the optimum and takes milliseconds. For each data set left out, the simplest
candidate within one standard error of the best on the *other* sets is chosen. Which one that is
goes to `default_preset.json` beside this file; `evaluation.py` reads it and scores each choice on
the set it knows nothing of. About six minutes of one core.
"""

import argparse
import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from maxcover.engine.core.problem import CoverageProblem
from maxcover.engine.solvers.control import Control
from maxcover.engine.solvers.exchange import Exchange
from maxcover.engine.solvers.greedy import guarded_greedy
from maxcover.lab.evaluate import Cluster, Rouge, load, long_enough
from maxcover.lab.evaluate.harness import versions
from maxcover.texts import Counts, Preset, prepare

BUDGETS = {"opinosis": 25, "convosumm_email": 65, "squality_plot": 250}
SETS = ("bc3", "cl_scisumm", "convosumm_email", "mediqa_mas", "opinosis", "oposum", "squality_plot")
ROUGE = Rouge(kinds=("rouge1",))
CHOICE = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class Frequency:
    """Weigh by a power of the number of sentences, from `least` on; bigrams count `bigrams`."""

    least: int = 2
    power: float = 1.0
    bigrams: float = 1.0

    def __call__(self, counts: Counts) -> np.ndarray:
        """Return the weights."""
        frequency = counts.sentences.astype(float) ** self.power
        factor = [self.bigrams if " " in str(label) else 1.0 for label in counts.labels]
        weights = np.where(counts.sentences >= self.least, frequency, 0.0) * np.array(factor)
        return weights if weights.any() else counts.occurrences.astype(float)


def documents(counts: Counts) -> np.ndarray:
    """Weigh by the number of documents."""
    return np.where(counts.sentences > 1, counts.documents, 0).astype(float)


def with_skips(words: list[str]) -> list[str]:
    """List words, neighbours, and words with one between them."""
    near = [f"{a} {b}" for a, b in pairwise(words)]
    return [*words, *near, *(f"{a} _ {b}" for a, b in zip(words, words[2:], strict=False))]


def with_trigrams(words: list[str]) -> list[str]:
    """List words, pairs and triples of neighbours."""
    near = [f"{a} {b}" for a, b in pairwise(words)]
    triples = zip(words, words[1:], words[2:], strict=False)
    return [*words, *near, *(" ".join(triple) for triple in triples)]


@dataclass(frozen=True)
class Candidate:
    """A way to read, and how many things one has to know to explain it."""

    preset: Preset
    parts: int

    @property
    def reading(self) -> dict[str, Any]:
        """The options of `summarize`."""
        return {"preset": self.preset}


def mixed(parts: int = 1, **options: Any) -> Candidate:
    """Return words and bigrams with something changed."""
    return Candidate(Preset(**{"concepts": "words+bigrams", **options}), parts)


CANDIDATES = {
    "paper": Candidate(Preset(weights="tf-idf", stem="porter", stop_words=True, delete="!()"), 0),
    "paper, stop words kept": Candidate(Preset(weights="tf-idf", stem="porter", delete="!()"), 0),
    "words": Candidate(Preset(), 0),
    "words, tf": Candidate(Preset(weights="tf"), 0),
    "bigrams": Candidate(Preset(concepts="bigrams"), 0),
    "mixed": mixed(),
    "mixed, boost 1": mixed(boost=1.0),
    "mixed, boost 2": mixed(boost=2.0),
    "mixed, boost 3": mixed(boost=3.0),
    "mixed, tf": mixed(weights="tf"),
    "mixed, stop words removed": mixed(stop_words=True),
    "mixed, not stemmed": mixed(stem=False),
    "mixed, documents": mixed(2, weights=documents),
    "mixed, in 3 sentences": mixed(2, weights=Frequency(least=3)),
    "mixed, in 1 sentence": mixed(2, weights=Frequency(least=1)),
    "mixed, square root": mixed(2, weights=Frequency(power=0.5)),
    "mixed, power 1.5": mixed(2, weights=Frequency(power=1.5)),
    "mixed, bigrams half": mixed(2, weights=Frequency(bigrams=0.5)),
    "mixed, bigrams twice": mixed(2, weights=Frequency(bigrams=2.0)),
    "mixed, bigrams four times": mixed(2, weights=Frequency(bigrams=4.0)),
    "mixed, boost 2 to 4": mixed(2, boost=2.0, reach=4),
    "mixed, boost 2 to 8": mixed(2, boost=2.0, reach=8),
    "mixed, boost 2 to 16": mixed(2, boost=2.0, reach=16),
    "mixed, boost 3 to 4": mixed(2, boost=3.0, reach=4),
    "mixed, skips": mixed(2, concepts=with_skips, weights=Frequency()),
    "mixed, trigrams": mixed(2, concepts=with_trigrams, weights=Frequency()),
    "mixed, skips, boost 2 to 8": mixed(
        3, concepts=with_skips, weights=Frequency(), boost=2.0, reach=8
    ),
    "mixed, bigrams twice, boost 2 to 8": mixed(
        3, weights=Frequency(bigrams=2.0), boost=2.0, reach=8
    ),
}


def score(candidate: Candidate, cluster: Cluster, budget: int) -> float:
    """Return ROUGE-1 recall of a summary."""
    texts = [document.text for document in cluster.documents]
    corpus = prepare(texts, **candidate.reading)
    problem = CoverageProblem(
        indptr=corpus.indptr,
        indices=corpus.indices,
        costs=corpus.costs,
        weights=corpus.weights,
        budget=budget,
    )
    control = Control()
    start = guarded_greedy(problem, control).selected
    found = np.sort(Exchange(problem, seed=1).improve(start, effort=0.3, control=control))
    return ROUGE.score(corpus.join(found.tolist()), cluster.references)["rouge1"].recall


def difference(
    first: dict[str, Any], second: dict[str, Any], sets: list[str]
) -> tuple[float, float]:
    """Return the mean difference over data sets, and its standard error."""
    parts = [np.subtract(first[data], second[data]) for data in sets]
    error = sum(part.var(ddof=1) / len(part) for part in parts) ** 0.5 / len(parts)
    return float(np.mean([part.mean() for part in parts])), float(error)


def choose(scores: dict[str, Any], sets: list[str]) -> str:
    """Return the simplest candidate within one standard error of the best; the better of equals."""
    mean = {
        name: np.mean([np.mean(found[data]) for data in sets]) for name, found in scores.items()
    }
    best = max(mean, key=lambda name: mean[name])
    near = []
    for name, found in scores.items():
        behind, error = difference(scores[best], found, sets)
        if behind <= error:
            near.append(name)
    return min(near, key=lambda name: (CANDIDATES[name].parts, -mean[name]))


def outcome(scores: dict[str, Any]) -> dict[str, Any]:
    """Return what is worth keeping: means, differences to the paper, and the choices."""
    sizes = {data: len(found) for data, found in scores["paper"].items()}
    candidates = {}
    for name, found in scores.items():
        means = {data: round(float(np.mean(found[data])), 5) for data in SETS}
        above, error = difference(found, scores["paper"], list(SETS))
        candidates[name] = {
            "parts": CANDIDATES[name].parts,
            "mean": round(float(np.mean([np.mean(found[data]) for data in SETS])), 5),
            "above_paper": [round(above, 5), round(error, 5)],
            "above_mixed": [round(x, 5) for x in difference(found, scores["mixed"], list(SETS))],
            "means": means,
        }
    without = {data: choose(scores, [other for other in SETS if other != data]) for data in SETS}
    return {
        "versions": versions(),
        "clusters": sizes,
        "candidates": candidates,
        "without": without,
        "all": choose(scores, list(SETS)),
    }


def main() -> None:
    """Measure what the file does not hold yet, then leave out one set after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--scores", type=Path, default=Path("default_preset_scores.json"))
    parser.add_argument("--clusters", type=int, help="most clusters of a data set; all by default")
    parser.add_argument("--out", type=Path, default=CHOICE)
    options = parser.parse_args()
    stored = json.loads(options.scores.read_text()) if options.scores.is_file() else {}
    budgets = {data: BUDGETS.get(data, 100) for data in SETS}
    clusters = {
        data: long_enough(load(options.data / data), budgets[data], most=options.clusters)
        for data in SETS
    }
    scores = {}
    for name, candidate in CANDIDATES.items():
        known = stored.get(name, {})
        scores[name] = {
            data: known[data]
            if len(known.get(data, ())) == len(clusters[data])
            else [score(candidate, cluster, budgets[data]) for cluster in clusters[data]]
            for data in SETS
        }
        options.scores.write_text(json.dumps({**stored, **scores}))
        ahead, error = difference(scores[name], scores["paper"], list(SETS))
        means = [np.mean(scores[name][data]) for data in SETS]
        row = " ".join(f"{mean:.3f}" for mean in means)
        print(f"{name:36} {np.mean(means):.4f} {ahead:+.4f} ± {error:.4f}  {row}", flush=True)
    found = outcome(scores)
    options.out.write_text(json.dumps(found, indent=1) + "\n")
    for data, name in found["without"].items():
        print(f"without {data}: {name}; on {data} {found['candidates'][name]['means'][data]:.4f}")
    left_out = [found["candidates"][name]["means"][data] for data, name in found["without"].items()]
    print(f"left-out mean {np.mean(left_out):.4f}; chosen on all: {found['all']}")


if __name__ == "__main__":
    main()
