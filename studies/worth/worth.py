"""Learn what sentences are worth, and measure it on texts of repositories that did not teach it.

    python studies/worth/worth.py                     # measures, by cross-validation over sources
    python studies/worth/worth.py --write             # writes src/maxcover/texts/data/worth.tsv
    python studies/worth/worth.py TEXTS --save        # computes features.npz again
    python studies/worth/worth.py TEXTS --summaries   # measures summaries, by kind

`features.npz` has the features and grades of the judged texts that could be rebuilt, no text.
TEXTS has one folder per text of `labels.jsonl`, named by its ``id``, with its documents as
files in order. The texts are not kept here; `source`, `commit` and `path` of a line say where each
comes from. A language model judged each sentence of each text, read as an editor reads: M tells the
main point, K is another one of a good summary of 80 words, O may stand; all others would be struck.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import maxcover as mc
from maxcover.texts import prepare
from maxcover.texts.summary.worth import ENGLISH, WORD, find_features, is_judged

HERE = Path(__file__).parent

FEATURES = HERE / "features.npz"
WEIGHTS = HERE.parents[1] / "src/maxcover/texts/data/worth.tsv"
GRADES = {"M": 1.0, "K": 3 / 7, "O": 1 / 7}
LEAST_TEXTS, LEAST_TEXTS_OF_A_WORD = 12, 100
"""A feature, or a word, is used if it is present in at least this many texts. Of 360 texts 30, 45
and 60 for a word made no difference, so the share of 60 was kept for 605."""
RIDGE, RIDGE_OF_A_WORD = 3.0, 10.0
"""Strength of the penalty on squared weights: 1, 3 and 10 differ by .003 in the area under the
curve."""
FOLDS = 8
BUDGET = 80


class Text(NamedTuple):
    """One judged text: its features and grades, sentence by sentence."""

    label: dict[str, Any]
    paths: list[Path]
    corpus: Any
    rows: NDArray[np.int64]
    features: dict[str, NDArray[np.float64]]
    grades: NDArray[np.float64]


def find_all(corpus: Any, rows: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    """Return the features of the sentences in `rows`, and in English how often they have a stem."""
    found = find_features(corpus, rows)
    if corpus.language.code != ENGLISH:
        return found
    terms = corpus.terms
    of_each = terms.ids.astype(np.int64) * len(corpus) + terms.rows
    pairs, counts = np.unique(of_each, return_counts=True)
    ids, place = np.divmod(pairs, len(corpus))
    for number in np.unique(ids).tolist():
        stem, mine = terms.labels[number], ids == number
        if not stem[:1].isdigit():
            values = np.zeros(len(corpus))
            values[place[mine]] = counts[mine]
            found[f"{WORD} {stem}"] = values[rows]
    return found


def read(texts: Path) -> Iterator[Text]:
    """Read the labels, and compute the features of each text."""
    for line in (HERE / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        if not (texts / label["id"]).is_dir():
            continue
        paths = sorted((texts / label["id"]).iterdir())
        corpus = prepare(paths if len(paths) > 1 else paths[0])
        rows = np.flatnonzero(is_judged(corpus))
        grades = np.zeros(len(corpus))
        for key in "OKM":
            for document, start, end in label[key]:  # the sentence that now holds its middle
                here = (corpus.document == document) & (corpus.starts <= (start + end) // 2)
                grades[np.flatnonzero(here)[-1:]] = GRADES[key]
        yield Text(label, paths, corpus, rows, find_all(corpus, rows), grades[rows])


def save(texts: list[Text], names: list[str]) -> None:
    """Write the features and grades of texts, sparse: the entries that are not 0, by sentence."""
    matrix, grades = table(texts, names)
    rows, columns = np.nonzero(matrix)
    np.savez_compressed(
        FEATURES,
        ids=np.array([text.label["id"] for text in texts]),
        sizes=np.array([len(text.rows) for text in texts]),
        names=np.array(names),
        grades=grades.astype(np.float32),
        counts=np.bincount(rows, minlength=len(matrix)).astype(np.uint16),
        columns=columns.astype(np.uint16),
        values=matrix[rows, columns].astype(np.float32),
    )


def load() -> Iterator[Text]:
    """Read the features and grades that `save` wrote."""
    lines = (HERE / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    labels = {label["id"]: label for label in map(json.loads, lines)}
    with np.load(FEATURES) as kept:
        matrix = np.zeros((len(kept["grades"]), len(kept["names"])))
        rows = np.repeat(np.arange(len(matrix)), kept["counts"])
        matrix[rows, kept["columns"]] = kept["values"]
        ends = np.cumsum(kept["sizes"]).tolist()
        for name, start, end in zip(kept["ids"].tolist(), [0, *ends], ends, strict=False):
            features = dict(zip(kept["names"].tolist(), matrix[start:end].T, strict=True))
            grades = kept["grades"][start:end].astype(np.float64)
            yield Text(labels[name], [], None, np.arange(end - start), features, grades)


def table(texts: list[Text], names: list[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the features, one column for each name, and the grades of all sentences."""
    columns = [
        [text.features.get(name, np.zeros(len(text.rows))) for name in names] for text in texts
    ]
    return (
        np.vstack([np.column_stack(one) for one in columns]),
        np.concatenate([text.grades for text in texts]),
    )


def learn(
    names: list[str], matrix: NDArray[np.float64], grades: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weights of a logistic model of grades between 0 and 1; the bias is the last."""
    matrix = np.c_[matrix, np.ones(len(matrix))]
    of_each = [RIDGE_OF_A_WORD if name.startswith(f"{WORD} ") else RIDGE for name in names]
    weights, ridge = np.zeros(matrix.shape[1]), np.array([*of_each, 1e-6])
    for _ in range(12):
        expected = 1 / (1 + np.exp(-matrix @ weights))
        spread = np.maximum(expected * (1 - expected), 1e-4)
        slope = matrix.T @ (grades - expected) - ridge * weights
        curve = (matrix * spread[:, None]).T @ matrix + np.diag(ridge)
        weights += np.linalg.solve(curve, slope)
    return weights


def area(values: NDArray[np.float64], good: NDArray[np.bool_]) -> float:
    """Return the probability that a good sentence has a larger value than another one."""
    ranks = np.empty(len(values))
    ranks[np.argsort(values, kind="stable")] = np.arange(1, len(values) + 1)
    n_good = int(good.sum())
    return float((ranks[good].sum() - n_good * (n_good + 1) / 2) / (n_good * (~good).sum()))


def say(name: str, texts: list[Text], chosen: list[set[int]]) -> None:
    """Print how often a main point is chosen, and how many sentences would be struck."""
    told, struck, count = [], 0, 0
    for text, rows in zip(texts, chosen, strict=True):
        grade = dict(zip(text.rows.tolist(), text.grades.tolist(), strict=True))
        grades = [grade[row] for row in rows if row in grade]
        if (text.grades == 1).any():
            told.append(1.0 in grades)
        struck, count = struck + grades.count(0.0), count + len(grades)
    print(
        f"{name:12} texts {len(texts):4}   main point {np.mean(told):.3f}   "
        f"sentences {count / len(texts):.1f}   struck {struck / max(1, count):.3f}"
    )


def summarize(text: Text) -> set[int]:
    """Return the sentences that a summary of a text chooses."""
    paths = text.paths
    summary = mc.summarize(paths if len(paths) > 1 else paths[0], budget=BUDGET)
    return {sentence.index for sentence in summary.sentences}


def lead(text: Text) -> set[int]:
    """Return the first sentences that fit."""
    cost = np.cumsum(np.where(text.corpus.standing >= 3, text.corpus.costs, 0))
    return set(np.flatnonzero((cost <= BUDGET) & (text.corpus.standing >= 3)).tolist())


def main() -> None:
    """Measure the model, and write it if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path, nargs="?")
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--summaries", action="store_true", help="measure summaries, by kind")
    given = parser.parse_args()
    texts = list(read(given.texts) if given.texts else load())
    uses = Counter(name for text in texts for name in text.features if text.features[name].any())
    names = sorted(
        name
        for name, count in uses.items()
        if count >= (LEAST_TEXTS_OF_A_WORD if name.startswith(f"{WORD} ") else LEAST_TEXTS)
    )
    if given.save:
        save(texts, names)
    matrix, grades = table(texts, names)
    sources = np.concatenate([[text.label["source"]] * len(text.rows) for text in texts])
    # texts of evaluation sets have no common author, so each is a source of its own
    single = np.concatenate([[text.label["commit"] == ""] * len(text.rows) for text in texts])
    owner = np.concatenate([[text.label["id"]] * len(text.rows) for text in texts])
    source = np.unique(np.where(single, owner, sources), return_inverse=True)[1]
    fold = np.random.default_rng(0).permutation(source.max() + 1)[source] % FOLDS
    worth = np.zeros(len(grades))
    for one in range(FOLDS):
        weights = learn(names, matrix[fold != one], grades[fold != one])
        worth[fold == one] = 1 / (1 + np.exp(-matrix[fold == one] @ weights[:-1] - weights[-1]))
    print(f"{len(texts)} texts, {len(grades)} sentences, {len(names)} features, {FOLDS} folds")
    for name, least in (("main point", 0.9), ("summary", 0.4), ("may stand", 0.1)):
        print(f"area under the curve, {name}: {area(worth, grades > least):.3f}")
    if given.summaries:
        for name, choose in (("now", summarize), ("lead", lead)):
            chosen = [choose(text) for text in texts]
            for kind in sorted({text.label["kind"] for text in texts}):
                mine = [n for n, text in enumerate(texts) if text.label["kind"] == kind]
                say(f"{name} {kind}", [texts[n] for n in mine], [chosen[n] for n in mine])
            say(name, texts, chosen)
    if given.write:
        weights = learn(names, matrix, grades)
        lines = [f"(bias)\t{weights[-1]:.3f}"]
        lines += [f"{name}\t{w:.3f}" for name, w in zip(names, weights, strict=False)]
        WEIGHTS.write_text("feature\tweight\n" + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
