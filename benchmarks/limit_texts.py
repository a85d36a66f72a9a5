"""What a limit per document costs a summary and a context: CPU time beside the same call without.

Invented news of ten documents. `summarize` with ``max_sentences_per_document=2`` and `pack` with
``per_document=`` a fifth of the budget, each in turn with the call without, the best of three.
"""

import time
from collections.abc import Callable
from statistics import median

import maxcover as mc
from _report import arguments, clock, heading, table
from _synthetic_news import news

ROUNDS = 3
# Documents of a cluster: ten articles, and a hundred.
SIZES = (10, 100)
BUDGET = {"summarize": 200, "pack": 1000}


def calls(texts: list[str]) -> dict[str, dict[str, Callable[[], object]]]:
    """Return both calls on the same texts, without a limit and with one."""
    words, tokens = BUDGET.values()
    query = " ".join(texts[0].split()[:8])
    return {
        "summarize": {
            "plain": lambda: mc.summarize(texts, budget=words),
            "limited": lambda: mc.summarize(texts, budget=words, max_sentences_per_document=2),
        },
        "pack": {
            "plain": lambda: mc.pack(texts, query=query, budget=tokens),
            "limited": lambda: mc.pack(texts, query=query, budget=tokens, per_document=tokens / 5),
        },
    }


def seconds(call: Callable[[], object]) -> float:
    """Return the CPU time of a call."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def main() -> None:
    """Print the table, and hold it against what is aimed at."""
    options = arguments(__doc__, clusters=10)
    sizes = SIZES[:1] if options.quick else SIZES
    n_clusters = 2 if options.quick else options.clusters
    rows = []
    for size in sizes:
        times: dict[str, list[tuple[float, float]]] = {}
        for cluster in news(n_clusters, documents=size, seed=options.seed):
            texts = [row.text.decode() for row in cluster]
            for name, both in calls(texts).items():
                plain, limited = (
                    min(seconds(call) for _ in range(ROUNDS)) for call in both.values()
                )
                times.setdefault(name, []).append((plain, limited))
        for name, found in times.items():
            ratio = median(limited / plain for plain, limited in found)
            plain, limited = (median(column) for column in zip(*found, strict=True))
            rows.append((name, size, f"{1e3 * plain:.1f}", f"{1e3 * limited:.1f}", f"{ratio:.2f}"))
            clock(f"limit per document, {name} of {size}, times plain", ratio, most=1.5)
    heading("A limit per document", seed=options.seed, clusters=n_clusters)
    table(("call", "documents", "plain ms", "limited ms", "median ratio"), rows)


if __name__ == "__main__":
    main()
