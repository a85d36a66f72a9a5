"""A book of 300,000 words to 10 %, and one ten times as long: time, memory, growth.

    python benchmarks/book.py [--quick] [--words 300000] [--times 10]

Each book is summarised in a process of its own, after a summary of a few words that loads the
compiled kernels. The book is invented: Zipf's vocabulary, sentences of 5 to 35 words. Pinned: 10
seconds of processor time and 600 MB for 300,000 words, and growth of at most 1.5 times the growth
of the text.
"""

import json
import subprocess
import sys

from _report import arguments, clock, heading, hold, table
from text_pipeline import invent

PROGRAM = """
import json, resource, sys, time
import maxcover as mc
text = open(sys.argv[1], encoding="utf-8").read()
mc.summarize("Warm up. Up there.", budget=2)
begin, wall = time.process_time(), time.perf_counter()
summary = mc.summarize(text, budget="10%")
print(json.dumps({
    "seconds": time.process_time() - begin,
    "wall": time.perf_counter() - wall,
    "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    "sentences": len(summary.sentences),
    "of": summary.n_sentences,
    "gap": summary.gap,
}))
"""


def measure(n_words: int, folder: str, seed: int) -> dict[str, float]:
    path = f"{folder}/book.txt"
    with open(path, "w", encoding="utf-8") as file:
        file.write(invent(n_words, seed=seed))
    command = [sys.executable, "-c", PROGRAM, path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    import tempfile

    given = arguments("Books.", words=300_000, times=10)
    sizes = [given.words // 5] if given.quick else [given.words, given.words * given.times]
    heading("A book to 10 % of its words", words=sizes, seed=given.seed)
    with tempfile.TemporaryDirectory() as folder:
        found = [measure(size, folder, given.seed) for size in sizes]
    columns = ("words", "sentences", "chosen", "processor s", "wall s", "MB", "gap")
    table(
        columns,
        [
            (
                f"{size:,}",
                row["of"],
                row["sentences"],
                f"{row['seconds']:.1f}",
                f"{row['wall']:.1f}",
                f"{row['megabytes']:.0f}",
                f"{row['gap']:.3%}",
            )
            for size, row in zip(sizes, found, strict=True)
        ],
    )
    clock("processor seconds", found[0]["seconds"], most=10)
    hold("megabytes", found[0]["megabytes"], most=600)
    if len(found) > 1:
        growth = found[1]["seconds"] / found[0]["seconds"] / given.times
        clock("growth of the time, by growth of the text", growth, most=1.5)


if __name__ == "__main__":
    main()
