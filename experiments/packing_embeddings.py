"""Whether vectors of sentences would help `pack`: a trial on the development half.

    python experiments/packing_embeddings.py --most 70

Two ways to use them beside words and phrases. "match": a sentence also matches the question by the
cosine of the two, rescaled to 0 to 1 over all sentences. "levels": a sentence also says what
sentences like it say; each has elements, one for each level of similarity, held by all sentences at
least as similar. Vectors are those that wordllama's wheel ships, as in `benchmarks/answers.py`.
"""

import argparse
import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import maxcover as mc
from _report import table
from _retrieval import Asked, ask, embed, holds
from maxcover.evaluate import difference_interval
from maxcover.packing import objective
from maxcover.packing.occurrences import Said

# the module, whose name is also that of its function
facade = importlib.import_module("maxcover.packing.pack")
SOURCES = ("BM25", "dense", "near-duplicates")
BUDGETS = (200, 500)
LEVELS = (0.5, 0.65, 0.8)


class Vectors:
    """The vectors of one question and the sentences found for it."""

    def __init__(self) -> None:
        self.asked: Asked | None = None

    def of(self, said: Said) -> np.ndarray:
        """Return the vectors of sentences; those of the last question are kept."""
        if self.kept is None:
            places = zip(said.passage, said.starts, said.ends, strict=True)
            self.kept = embed([self.asked.passages[p][a:b] for p, a, b in places])
        return self.kept

    def turn(self, asked: Asked) -> None:
        """Turn to another question."""
        if asked is not self.asked:
            self.asked, self.kept = asked, None


VECTORS = Vectors()


def by_match(part: float) -> dict[str, Callable]:
    """Let a sentence match by its cosine, too, up to `part` of the best match by words."""

    def match(said: Said, words: np.ndarray):
        found = PLAIN["match"](said, words)
        cosines = VECTORS.of(said) @ embed([VECTORS.asked.question])[0]
        low, high = np.median(cosines), cosines.max()
        close = part * np.clip((cosines - low) / max(high - low, 1e-9), 0, 1) ** 2
        matches, best = found or (np.zeros(said.n_sentences), np.zeros(said.n_passages))
        return np.maximum(matches, close), best

    return {"match": match}


class More:
    """What was said, with elements put behind the phrases."""

    def __init__(self, said: Said, rows: np.ndarray, ids: np.ndarray, count: int) -> None:
        self._said = said
        old_rows, old_ids = said.phrase_pairs
        n_phrases = len(said.phrase_codes)
        self.phrase_pairs = (
            np.concatenate((old_rows, rows)),
            np.concatenate((old_ids, ids + n_phrases)),
        )
        self.phrase_codes = np.concatenate((said.phrase_codes, np.zeros(count, np.int64)))

    def __getattr__(self, name: str):
        return getattr(self._said, name)


def by_levels(part: float) -> dict[str, Callable]:
    """Give levels of similarity `part` of the weight that phrases have together."""

    def pose(said: Said, worth: tuple, *rest, **options):
        words, phrases = worth
        rows, ids = said.phrase_pairs
        own = np.zeros(said.n_sentences)
        np.maximum.at(own, rows, phrases[ids])
        vectors = VECTORS.of(said)
        likeness = vectors @ vectors.T
        pairs = [np.nonzero(likeness >= level) for level in LEVELS]
        n = said.n_sentences
        more = More(
            said,
            np.concatenate([found[0] for found in pairs]),
            np.concatenate([found[1] + k * n for k, found in enumerate(pairs)]),
            n * len(LEVELS),
        )
        weights = np.tile(own, len(LEVELS))
        weights *= part * phrases.sum() / max(weights.sum(), 1e-12)
        both = words, np.concatenate((phrases, weights))
        return PLAIN["pose"](more, both, *rest, **options)

    return {"pose": pose}


PLAIN = {"match": objective.match, "pose": facade.pose}
WAYS = {
    "as it is": {},
    "match, half": by_match(0.5),
    "match, full": by_match(1.0),
    "levels, 0.25": by_levels(0.25),
    "levels, 1": by_levels(1.0),
}


def answered(asked: Asked, budget: int, way: dict[str, Callable]) -> bool:
    """Tell whether the answer is in the context that is made in one of the ways."""
    VECTORS.turn(asked)
    objective.match = way.get("match", PLAIN["match"])
    facade.pose = way.get("pose", PLAIN["pose"])
    packed = mc.pack(
        asked.passages, query=asked.question, scores=asked.scores, budget=budget, unit="tokens"
    )
    return holds(packed.text, asked)


def main() -> None:
    """Print the share of answers of each way, and its difference to the present one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=70, help="questions of each set")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found: dict[tuple[str, int, str], np.ndarray] = {}
    for source in SOURCES:
        questions = list(ask(source, half="development", most=options.most, seed=options.seed))
        hits = np.array(
            [
                [[answered(one, budget, way) for way in WAYS.values()] for budget in BUDGETS]
                for one in questions
            ],
            dtype=float,
        )
        for b, budget in enumerate(BUDGETS):
            for w, way in enumerate(WAYS):
                found[source, budget, way] = hits[:, b, w]
        print(source, len(questions), hits.mean(axis=0), file=sys.stderr, flush=True)
    rows = []
    for way in WAYS:
        cells = [way]
        for budget in BUDGETS:
            one, two = (
                np.array([found[source, budget, name] for source in SOURCES])
                for name in (way, "as it is")
            )
            # all sources have the same questions, so that their mean is taken for each
            pairs = [*zip(one, two, strict=True), (one.mean(axis=0), two.mean(axis=0))]
            cells += [said(*pair) for pair in pairs]
        rows.append(cells)
    heads = [f"{source}, {budget}" for budget in BUDGETS for source in (*SOURCES, "all")]
    table(("way", *heads), rows)


def said(one: np.ndarray, two: np.ndarray) -> str:
    """Mean, and the difference with its 95 % interval."""
    span = difference_interval(one, two, resamples=4_000)
    return f"{one.mean():.3f}; {span.mean:+.3f} ({span.low:+.3f}, {span.high:+.3f})"


if __name__ == "__main__":
    main()
