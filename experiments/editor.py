"""Learn how likely an editor keeps a sentence, and write the weights that `maxcover.text` reads.

    python experiments/editor.py ../shared/data            # cross-validation, then the weights
    python experiments/editor.py ../shared/data --check    # cross-validation only

`labels.jsonl` has sentences of development clusters, by set and cluster: document, start, and why
an editor would strike it, if so (docs/lab/evaluation.md has the rules). Folds are whole clusters.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from maxcover.text.judge.editor import find_rough
from maxcover.text.judge.features import NAMES, find_features
from maxcover.text.read.kinds import find_transcripts
from maxcover.text.split.spans import Spans
from maxcover.text.weigh.presets import find_preset
from maxcover.text.weigh.reader import Reader
from maxcover.text.words.languages import find_language

HERE = Path(__file__).parent
WEIGHTS = HERE.parent / "src" / "maxcover" / "text" / "data" / "editor.tsv"
STRENGTH, LEAST, FOLDS = 0.03, 3, 10
# Features that mean much by themselves, whose weights are hardly shrunk: by how much they count.
STRONG = {
    "leans >= 1": 6.0,
    "points >= 1": 2.0,
    "pronoun first >= 1": 4.0,
    "no verb >= 1": 2.0,
    "open clause >= 1": 4.0,
    "no sure verb, short >= 1": 2.0,
}
SHARES = (0.1, 0.2, 0.4)


def read_labels() -> dict[tuple[str, str], dict]:
    """Return the judged sentences of each set and cluster."""
    lines = (HERE / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    return {(one["set"], one["cluster"]): one for one in map(json.loads, lines)}


def find_folder(data: Path, name: str) -> Path:
    """Return the folder of a set."""
    return next(path for path in (data / name, data / "fresh" / name) if path.is_dir())


def load(data: Path) -> tuple:
    """Return features, verdicts, clusters, unedited talk, and kinds of all judged sentences."""
    english = find_language("english")
    reader = Reader(find_preset("default"), english)
    labels = read_labels()
    parts, kept, groups, rough, kinds = [], [], [], [], []
    for name in sorted({name for name, _ in labels}):
        lines = (find_folder(data, name) / "clusters.jsonl").read_text(encoding="utf-8")
        for cluster in map(json.loads, lines.splitlines()):
            label = labels.get((name, cluster["id"]))
            if label is None or cluster.get("meta", {}).get("half") == "confirmation":
                continue
            texts = [document["text"] for document in cluster["documents"]]
            spans = Spans.of(texts, english, lines="auto", form="auto")
            terms = reader.read(
                spans.said, spoken=bool(find_transcripts(spans.kinds, spans.document).all())
            )
            where = {
                (int(document), int(start)): row
                for row, (document, start) in enumerate(
                    zip(spans.document, spans.starts, strict=True)
                )
            }
            judged = {where.get((a, b)): struck for a, b, struck in label["judged"]}
            judged.pop(None, None)
            rows = np.array(list(judged))
            found = find_features(terms, spans.said, document=spans.document, among=np.unique(rows))
            has = np.zeros((len(spans.said), len(NAMES)))
            for first, some in found:
                has[first : first + len(some)] = some[:, : len(NAMES)]
            matrix = sparse.csr_matrix(has)
            speech = np.array([kind == "speech" for kind in spans.kinds])
            parts.append(matrix[rows])
            rough += find_rough(terms, spans.document, speech)[rows].tolist()
            kept += [struck == "" for struck in judged.values()]
            kinds += [label["kind"]] * len(rows)
            groups += [f"{name} {cluster['id']}"] * len(rows)
    features = sparse.vstack(parts).tocsr()
    return features, np.array(kept), np.array(groups), np.array(rough), np.array(kinds)


def design(features: sparse.csr_matrix, rough: np.ndarray, scale: np.ndarray) -> sparse.csr_matrix:
    """Scale every feature, and give it a second weight in unedited talk."""
    features = features.multiply(scale).tocsr()
    talk = sparse.csr_matrix(rough.astype(float)[:, None])
    return sparse.hstack([features, features.multiply(talk), talk]).tocsr()


def fit(matrix: sparse.csr_matrix, kept: np.ndarray) -> LogisticRegression:
    """Fit the model."""
    return LogisticRegression(C=STRENGTH, max_iter=5000).fit(matrix, kept)


def validate(matrix: sparse.csr_matrix, kept: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the score of each sentence by a model that saw none of its cluster."""
    scores = np.zeros(len(kept))
    for train, test in GroupKFold(FOLDS).split(matrix, kept, groups):
        scores[test] = fit(matrix[train], kept[train]).predict_proba(matrix[test])[:, 1]
    return scores


def main() -> None:
    """Cross-validate and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    features, kept, groups, rough, kinds = load(options.data)
    often = np.asarray(features.sum(axis=0)).ravel() >= LEAST
    names = np.array(NAMES)[often]
    scale = np.array([STRONG.get(name, 1.0) for name in names])
    matrix = design(features[:, often], rough, scale)
    scores = validate(matrix, kept, groups)
    shares = " | ".join(f"kept in the best {share:.0%}" for share in SHARES)
    print(f"| kind | sentences | kept | area under the curve | {shares} |")
    print("|---|---:|---:|---:|" + "---:|" * len(SHARES))
    talk = np.where(rough, "meetings, unedited talk", kinds)
    for kind in sorted(set(talk)):
        here = talk == kind
        best = kept[here][np.argsort(-scores[here], kind="stable")]
        top = " | ".join(f"{best[: round(share * len(best))].mean():.2f}" for share in SHARES)
        area = roc_auc_score(kept[here], scores[here])
        print(f"| {kind} | {here.sum()} | {kept[here].mean():.2f} | {area:.2f} | {top} |")
    if options.check:
        return
    model = fit(matrix, kept)
    edited = np.concatenate((model.intercept_, model.coef_[0, : often.sum()] * scale))
    more = np.concatenate((model.coef_[0, -1:], model.coef_[0, often.sum() : -1] * scale))
    with WEIGHTS.open("w", encoding="utf-8") as file:
        file.write("feature\tedited text\tunedited talk\n")
        for name, first, second in zip(["(bias)", *names], edited, edited + more, strict=True):
            if max(abs(first), abs(second)) >= 0.01:
                file.write(f"{name}\t{first:.3f}\t{second:.3f}\n")


if __name__ == "__main__":
    main()
