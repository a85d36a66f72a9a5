"""Questions with what a retriever found for them: BM25, dense vectors, their fusion, and harder.

The data are questions with known answers (``../shared/data/qa``). Dense vectors are the mean of
the token vectors that the wheel of wordllama ships; nothing is downloaded.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import numpy as np

from maxcover.texts.words.languages import find_language
from maxcover.texts.words.terms import find_terms

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "qa"
ENGLISH = ("nq_open", "xquad_en", "hotpot_sample")
OTHERS = ("xquad_ar", "xquad_de", "xquad_es", "xquad_hi", "xquad_ru", "xquad_th", "xquad_zh")
FOUND = 50
UNSPACED = ("xquad_th", "xquad_zh")


class Asked(NamedTuple):
    """A question, what counts as its answer, and what a retriever found, best first."""

    set: str
    question: str
    language: str
    wanted: tuple[tuple[str, ...], ...]
    passages: list[str]
    scores: list[float | None] | None
    dense: bool = False


def holds(text: str, asked: Asked) -> bool:
    """Tell whether a context answers: one of the strings of every group stands in it."""
    spaced = asked.set not in UNSPACED
    plain = normal(text, spaced=spaced)
    return all(any(normal(one, spaced=spaced) in plain for one in group) for group in asked.wanted)


def normal(text: str, *, spaced: bool) -> str:
    """Lower case, no punctuation, one space between words; no spaces where a script has none."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = re.sub(r"[^\w\s]|_", " ", folded, flags=re.UNICODE).split()
    return f" {' '.join(words)} " if spaced else "".join(words)


class Corpus:
    """The passages of one set, to be searched by words and by vectors."""

    def __init__(self, name: str) -> None:
        self.name = name
        rows = [json.loads(line) for line in (DATA / name / "corpus.jsonl").open()]
        self.texts = [row["text"].replace("\ufeff", "") for row in rows]
        self.by_id = {row["id"]: text for row, text in zip(rows, self.texts, strict=True)}
        self.language = find_language(name[-2:] if name.startswith("xquad") else "english")
        self._cut = _overlapping(self.texts)

    def questions(self, half: str) -> list[dict]:
        rows = map(json.loads, (DATA / self.name / "questions.jsonl").open())
        return [row for row in rows if row["half"] == half]

    def search(self, query: str, *, by: str, chunks: bool = False) -> tuple[list[str], list[float]]:
        """Return the texts that match best with their scores."""
        texts = self._cut if chunks else self.texts
        if by == "fused":
            scores = sum(_reciprocal(self._score(query, one, chunks)) for one in ("bm25", "dense"))
        else:
            scores = self._score(query, by, chunks)
        best = np.argsort(-scores, kind="stable")[:FOUND]
        best = best[scores[best] > 0] if by == "bm25" else best
        return [texts[k] for k in best], scores[best].tolist()

    def _score(self, query: str, by: str, chunks: bool) -> np.ndarray:
        index, n_texts = self._bm25(chunks) if by == "bm25" else (None, 0)
        if index is None:
            return self._vectors(chunks) @ embed([query])[0]
        words = [word for word in self._words([query])[0] if word in index.vocab_dict]
        return index.get_scores(words) if words else np.zeros(n_texts)

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        language = self.language
        terms = find_terms(texts, stemmer=language.stemmer, elides=language.elides)
        names = np.array(terms.labels, dtype=object)[terms.ids].tolist()
        return [names[a:b] for a, b in zip(terms.indptr[:-1], terms.indptr[1:], strict=True)]

    @cache  # noqa: B019 - one corpus per set, kept to the end
    def _bm25(self, chunks: bool) -> tuple:
        from bm25s import BM25

        index = BM25(method="lucene")
        texts = self._cut if chunks else self.texts
        index.index(self._words(texts), show_progress=False)
        return index, len(texts)

    @cache  # noqa: B019
    def _vectors(self, chunks: bool) -> np.ndarray:
        return embed(self._cut if chunks else self.texts)


def _reciprocal(scores: np.ndarray) -> np.ndarray:
    """Reciprocal rank fusion's share of one retriever."""
    place = np.empty(len(scores))
    place[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return 1 / (60 + place)


def _overlapping(texts: Sequence[str], size: int = 320) -> list[str]:
    """Cut texts into chunks of about `size` characters that share half with the next one."""
    chunks = []
    for text in texts:
        starts = range(0, max(len(text) - size // 2, 1), size // 2)
        for start in starts:
            head = text.rfind(" ", 0, start + 1) + 1 if start else 0
            tail = text.find(" ", start + size)
            chunks.append(text[head : tail if tail > 0 else len(text)])
    return chunks


def near_duplicates(passages: list[str], rng: np.random.Generator) -> list[str]:
    """Put a copy behind each passage that lacks every twelfth word or so; drop the tail."""
    doubled = []
    for passage in passages:
        words = re.findall(r"\s*\S+", passage)
        kept = [word for word in words if rng.random() > 1 / 12]
        doubled += [passage, "".join(kept).strip() or passage]
    return doubled[: len(passages)]


@cache
def _model() -> tuple:
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    home = metadata.distribution("wordllama")
    weights = load_file(str(home.locate_file("wordllama/weights/l2_supercat_256.safetensors")))
    config = home.locate_file("wordllama/tokenizers/l2_supercat_tokenizer_config.json")
    tokenizer = Tokenizer.from_file(str(config))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, next(iter(weights.values())).astype(np.float32)


def embed(texts: Sequence[str]) -> np.ndarray:
    """Mean of the token vectors, normalised."""
    tokenizer, table = _model()
    rows = np.zeros((len(texts), table.shape[1]), np.float32)
    for row, found in enumerate(tokenizer.encode_batch(list(texts), add_special_tokens=False)):
        if found.ids:
            rows[row] = table[found.ids].mean(axis=0)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


# Odd scores: the order stays, but for NaN, where a passage keeps its place behind the one before.
def _flat(scores: list[float]) -> list[float]:
    return [0.80 + 0.02 * (x - scores[-1]) / max(scores[0] - scores[-1], 1e-9) for x in scores]


def _with_nan(scores: list[float]) -> list[float]:
    return [float("nan") if k % 7 == 3 else x for k, x in enumerate(scores)]


ODD: dict[str, Callable[[list[float]], list[float | None] | None]] = {
    "missing": lambda _scores: None,
    "one missing": lambda scores: [None if k == 5 else x for k, x in enumerate(scores)],
    "equal": lambda scores: [0.5] * len(scores),
    "flat": _flat,
    "negative": lambda scores: [x - 1000.0 for x in scores],
    "NaN": _with_nan,
}
# Source of candidates: sets, retriever, and whether chunks overlap or copies are put in.
SOURCES: dict[str, tuple[tuple[str, ...], str, str]] = {
    "BM25": (ENGLISH, "bm25", ""),
    "dense": (ENGLISH, "dense", ""),
    "fused": (ENGLISH, "fused", ""),
    "near-duplicates": (ENGLISH, "bm25", "duplicates"),
    "overlapping chunks": (ENGLISH, "bm25", "chunks"),
    "fused chunks": (ENGLISH, "fused", "chunks"),
    "other languages": (OTHERS, "bm25", ""),
}


@cache
def corpus_of(name: str) -> Corpus:
    return Corpus(name)


def ask(source: str, *, half: str, most: int, seed: int = 0) -> Iterator[Asked]:
    """Yield questions of one half with their candidates, at most `most` from each set."""
    names, by, harder = SOURCES[source]
    for name in names:
        corpus, rng = corpus_of(name), np.random.default_rng(seed)
        rows = corpus.questions(half)
        few = most // 4 if source == "other languages" else most
        chosen = rng.permutation(len(rows))[:few]
        for row in (rows[k] for k in np.sort(chosen)):
            passages, scores = corpus.search(row["question"], by=by, chunks=harder == "chunks")
            if harder == "duplicates":
                passages = near_duplicates(passages, rng)
                scores = [s for s in scores for _ in range(2)][: len(passages)]
            wanted = [(fact,) for fact in row["facts"]] or [tuple(row["answers"])]
            language = corpus.language.name
            yield Asked(
                name, row["question"], language, tuple(wanted), passages, scores, by == "dense"
            )
