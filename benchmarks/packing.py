"""Context packing: how much of what people found worth saying is in the context, and the time.

Documents are cut into passages of whole sentences, BM25 retrieves up to 50 that match the query (or
the title), and the context is filled by each method within the same number of (estimated) tokens.
Reported on every second cluster; the others were for development. Clusters whose passages fit the
budget whole are left out, and sets of which fewer than five clusters are left.

``--old`` takes the folder of the sources of an earlier version, and compares with it only. With
``--quick`` only the time is measured, on invented passages: that needs no data and no other
package.
"""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import maxcover as mc
from _old import Timed, pack_with
from _report import arguments, clock, heading, loop_milliseconds, table
from maxcover.lab.evaluate import Cluster, Rouge, difference_interval, load, mean_interval
from maxcover.texts import split_sentences
from maxcover.texts.packing.passages import memory_for
from maxcover.texts.words.languages import find_language
from maxcover.texts.words.units import estimate_tokens

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = ("bc3", "cl_scisumm", "convosumm_email", "mediqa_mas", "opinosis", "oposum", "squality_plot")
PASSAGE, RETRIEVED, CLUSTERS = 100, 50, 60
FEWEST = 5  # a set of one cluster would weigh as much as others, and its interval would be a point
STOP_WORDS = frozenset(find_language("english").stop_words)


class Found(NamedTuple):
    """What a retriever found: passages, best first, with scores and vectors for MMR."""

    query: str
    passages: list[str]
    scores: list[float]
    vectors: np.ndarray
    asked: np.ndarray


def query_of(cluster: Cluster) -> str:
    titles = [document.title for document in cluster.documents if document.title]
    domain = str(cluster.meta.get("domain", "")).replace("_", " ")
    return str(cluster.meta.get("query") or cluster.meta.get("title") or (titles or [domain])[0])


def cut(text: str) -> list[str]:
    """Cut a document into passages of whole sentences, of about as many tokens as PASSAGE."""
    passages: list[list[str]] = [[]]
    room = PASSAGE
    for start, end in split_sentences(text):
        sentence = text[start:end]
        size = estimate_tokens(sentence)
        if passages[-1] and size > room:
            passages.append([])
            room = PASSAGE
        passages[-1].append(sentence)
        room -= size
    return [" ".join(sentences) for sentences in passages if sentences]


def retrieve(cluster: Cluster) -> Found:
    from bm25s import BM25

    passages = [passage for document in cluster.documents for passage in cut(document.text)]
    read = Rouge(stop_words=STOP_WORDS).read
    words, query = [read(passage).words for passage in passages], read(query_of(cluster)).words
    bm25 = BM25(method="lucene")
    bm25.index([list(text) for text in words], show_progress=False)
    known = [word for word in query if any(word in text for text in words)]
    scores = bm25.get_scores(known) if known else np.zeros(len(words))
    ranked = np.argsort(-scores, kind="stable")[:RETRIEVED]
    best = ranked[scores[ranked] > 0]  # a retriever returns what matches
    index = {word: k for k, word in enumerate(dict.fromkeys(w for text in words for w in text))}
    counts = np.zeros((len(words) + 1, len(index)))
    for row, text in enumerate([*words, [word for word in query if word in index]]):
        np.add.at(counts[row], [index[word] for word in text], 1.0)
    idf = np.log((1 + len(words)) / np.maximum((counts[:-1] > 0).sum(axis=0), 1))
    vectors = counts * idf + 1e-9
    return Found(
        query_of(cluster),
        [passages[k] for k in best],
        scores[best].tolist(),
        vectors[best],
        vectors[-1],
    )


def fill(order: Sequence[int], found: Found, budget: int, *, stop: bool) -> list[str]:
    """Take passages in an order while they fit; stop at the first that does not, or go on."""
    chosen: list[str] = []
    for index in order:
        if estimate_tokens("\n\n".join([*chosen, found.passages[index]])) <= budget:
            chosen.append(found.passages[index])
        elif stop:
            break
    return chosen


def top_until_full(found: Found, budget: int) -> str:
    return "\n\n".join(fill(range(len(found.passages)), found, budget, stop=True))


def top_that_fit(found: Found, budget: int) -> str:
    return "\n\n".join(fill(range(len(found.passages)), found, budget, stop=False))


def mmr(found: Found, budget: int) -> str:
    from langchain_core.vectorstores.utils import maximal_marginal_relevance

    order = maximal_marginal_relevance(
        found.asked, found.vectors.tolist(), k=min(len(found.passages), budget // 10)
    )
    return "\n\n".join(fill(order, found, budget, stop=False))


def first_sentences(found: Found, budget: int) -> str:
    """Take the first sentence of every passage, then the second of every passage, and so on."""
    sentences = [[text[a:b] for a, b in split_sentences(text)] for text in found.passages]
    depth = max(map(len, sentences))
    order = [own[k] for k in range(depth) for own in sentences if k < len(own)]
    chosen = fill(range(len(order)), found._replace(passages=order), budget, stop=False)
    return "\n\n".join(chosen)


def packed(granularity: str) -> Callable[[Found, int], str]:
    return lambda found, budget: (
        mc.pack(
            found.passages,
            query=found.query,
            scores=found.scores,
            budget=budget,
            granularity=granularity,
        ).text
    )


def against_old(old: str, remainder: int, budget: int) -> None:
    """Print ROUGE recall of `pack` against whole passages and sentences of an earlier version."""
    names: list[str] = []
    pairs = []
    for name in SETS:
        some = [(retrieve(c), c) for c in load(DATA / name)[remainder::2][:CLUSTERS]]
        some = [pair for pair in some if sum(map(estimate_tokens, pair[0].passages)) > budget]
        pairs += some if len(some) >= FEWEST else []
        names += [name] * (len(some) if len(some) >= FEWEST else 0)
    ours = [judge(packed("auto")(found, budget), c.references) for found, c in pairs]
    heading(f"ROUGE recall of auto minus that of the earlier version, {budget} tokens")
    rows = []
    for granularity in ("passage", "sentence"):
        given = [
            {
                "passages": found.passages,
                "question": found.query,
                "scores": found.scores,
                "budget": budget,
                "granularity": granularity,
                "language": "english",
            }
            for found, _ in pairs
        ]
        texts = pack_with(old, given)
        theirs = [judge(text, c.references) for text, (_, c) in zip(texts, pairs, strict=True)]
        figures = np.array([ours, theirs]).transpose(1, 0, 2)
        rows.append((f"earlier, {granularity}s", len(pairs), *differences(figures, names, 0, 1)))
    table(("method", "clusters", *MEASURES[:3]), rows)


def time_against_old(old: str, seed: int) -> None:
    """Print CPU seconds for passages that were not seen before, the two versions asked in turn."""
    names = ("nq_open", "hotpot_sample", "xquad_en")
    lines = [line for name in names for line in (DATA / "qa" / name / "corpus.jsonl").open()]
    texts = [json.loads(line)["text"] for line in lines]
    texts += [text[: len(text) // 2] for text in texts[: 10_000 - len(texts)]]
    rng = np.random.default_rng(seed)
    timed = Timed(old, texts, "when was the first king of england crowned in london")
    rows = []
    for n_passages, rounds in ((100, 30), (500, 10), (2000, 5), (10_000, 2)):
        draws = [rng.permutation(len(texts))[:n_passages].tolist() for _ in range(rounds)]
        took = np.array([timed.ask(draw) for draw in draws])
        medians = [f"{1e3 * x:.1f}" for x in np.median(took, axis=0)]
        rows.append((n_passages, *medians, f"{np.median(took[:, 1] / took[:, 0]):.2f}"))
    heading("CPU milliseconds, passages not seen before, 4,000 tokens", seed=seed)
    table(("passages", "earlier", "this version", "median of the ratios"), rows)


METHODS: dict[str, Callable[[Found, int], str]] = {
    "top-k until full": top_until_full,
    "top-k, all that fit": top_that_fit,
    "MMR (LangChain), all that fit": mmr,
    "first sentences": first_sentences,
    "pack, passages": packed("passage"),
    "pack, sentences": packed("sentence"),
    "pack, auto": packed("auto"),
}
MEASURES = ("ROUGE-1 recall", "ROUGE-2 recall", "content words", "repeated trigrams")


def judge(text: str, references: Sequence[str]) -> list[float]:
    rouge = Rouge(kinds=("rouge1", "rouge2"))
    scores = rouge.score(text, references)
    content = Rouge(stop_words=STOP_WORDS).read
    said = set(content(text).words)
    wanted = [set(content(reference).words) for reference in references]
    words = rouge.read(text).words
    trigrams = list(zip(words, words[1:], words[2:], strict=False))
    repeated = 1 - len(set(trigrams)) / max(len(trigrams), 1)
    share = float(np.mean([len(said & own) / max(len(own), 1) for own in wanted]))
    return [scores["rouge1"].recall, scores["rouge2"].recall, share, repeated]


def compare(budget: int, remainder: int) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return sets, (cluster, method, measure) figures and (cluster, method) milliseconds."""
    names: list[str] = []
    figures: list[list[list[float]]] = []
    times: list[list[float]] = []
    for name in SETS:
        found = [
            (retrieve(cluster), cluster) for cluster in load(DATA / name)[remainder::2][:CLUSTERS]
        ]
        found = [pair for pair in found if sum(map(estimate_tokens, pair[0].passages)) > budget]
        for retrieved, cluster in found if len(found) >= FEWEST else []:
            row, clock = [], []
            for method in METHODS.values():
                begin = time.process_time()
                text = method(retrieved, budget)
                clock.append(1e3 * (time.process_time() - begin))
                if estimate_tokens(text) > budget:
                    raise SystemExit(f"{name} {cluster.id}: a context above its budget")
                row.append(judge(text, cluster.references))
            names.append(name)
            figures.append(row)
            times.append(clock)
    return names, np.array(figures), np.array(times)


def evidence(budget: int, remainder: int) -> None:
    names, figures, times = compare(budget, remainder)
    counts = {name: names.count(name) for name in SETS}
    heading(f"Reference content at {budget} tokens, mean over sets", clusters=counts)
    table(
        ("method", *MEASURES, "CPU ms, median"),
        [
            (
                method,
                *(f"{mean_interval(figures[:, k, m], sets=names).mean:.4f}" for m in range(4)),
                f"{np.median(times[:, k]):.1f}",
            )
            for k, method in enumerate(METHODS)
        ],
    )
    ours = [k for k, method in enumerate(METHODS) if method.startswith("pack")]
    table(
        ("difference (95 % interval)", *MEASURES[:3]),
        [
            (f"{list(METHODS)[k]} - {list(METHODS)[other]}", *differences(figures, names, k, other))
            for k in ours
            for other in range(4)
        ],
    )
    table(
        ("set", *(f"{list(METHODS)[k]} - {method}" for k in ours for method in list(METHODS)[1:3])),
        [(name, *by_set(figures, names, name, ours)) for name in SETS if counts[name]],
    )


def differences(figures: np.ndarray, names: list[str], one: int, two: int) -> list[str]:
    spans = [
        difference_interval(figures[:, one, m], figures[:, two, m], sets=names) for m in range(3)
    ]
    return [f"{s.mean:+.4f} ({s.low:+.4f}, {s.high:+.4f})" for s in spans]


def by_set(figures: np.ndarray, names: list[str], name: str, ours: list[int]) -> list[str]:
    """ROUGE-2 recall of the packs against the two baselines that fill the budget, for one set."""
    own = figures[[k for k, other in enumerate(names) if other == name]]
    spans = [difference_interval(own[:, k, 1], own[:, other, 1]) for k in ours for other in (1, 2)]
    return [f"{s.mean:+.4f} ({s.low:+.4f}, {s.high:+.4f})" for s in spans]


def invented(rng: np.random.Generator, n_passages: int) -> list[str]:
    """Passages of about 200 tokens, words as frequent as Zipf has them."""
    words = [
        f"{'bcdfghklmnprstvw'[k % 16]}{'aeiou'[k % 5]}{'lmnrst'[k % 6]}{k}" for k in range(9000)
    ]
    passages = []
    for _ in range(n_passages):
        numbers = np.minimum(rng.zipf(1.3, 100), 9000) - 1
        sentences = [" ".join(words[k] for k in part) for part in np.array_split(numbers, 7)]
        passages.append(". ".join(sentences) + ".")
    return passages


def speed(seed: int, rounds: int) -> None:
    """Print milliseconds of `pack` with the defaults, passages seen before and not."""
    rng = np.random.default_rng(seed)
    pool = invented(rng, 1000)
    rows = []
    for n_passages, seen in ((100, False), (100, True), (500, False)):
        draws = [rng.choice(1000, n_passages, replace=False) for _ in range(20)]
        took = []
        for number in range(-20 if seen else -2, rounds if n_passages == 100 else rounds // 4):
            passages = [pool[k] for k in draws[number % 20]]
            if not seen:
                memory_for("english", "auto").forget()
            wall, cpu = time.perf_counter(), time.process_time()
            mc.pack(passages, query=passages[0][:40], budget=4000)
            if number >= 0:  # those before load what is needed, and are seen
                took.append((time.perf_counter() - wall, time.process_time() - cpu))
        p50, p99 = 1e3 * np.quantile(np.array(took), [0.5, 0.99], axis=0)
        state = "seen before" if seen else "not seen before"
        rows.append((n_passages, state, *(f"{x:.1f}" for x in (p50[0], p99[0], p50[1], p99[1]))))
    loop = loop_milliseconds()
    tokens = np.mean([estimate_tokens(text) for text in pool])
    heading(
        "Milliseconds, budget 4,000 tokens",
        tokens_per_passage=round(float(tokens)),
        seed=seed,
        rounds=rounds,
        python_loop_of_200_000_ms=round(loop, 1),
    )
    table(("passages", "state", "p50 ms", "p99 ms", "p50 CPU ms", "p99 CPU ms"), rows)
    # by how fast this machine is today: 200,000 turns of a loop in Python take about 12 ms
    clock("not seen, p50 of CPU by the loop", float(rows[0][4]) / loop, most=1.7)
    clock("seen, p50 of CPU by the loop", float(rows[1][4]) / loop, most=0.9)


def main() -> None:
    options = arguments(__doc__, rounds=200, remainder=1, old="")
    if options.old:
        time_against_old(options.old, options.seed)
        for budget in (500, 1000):
            against_old(options.old, options.remainder, budget)
        return
    speed(options.seed, 40 if options.quick else options.rounds)
    if not options.quick:
        for budget in (500, 1000):
            evidence(budget, options.remainder)


if __name__ == "__main__":
    main()
