"""Files for an agent: how many of the lines that a real fix changes are in the context.

``--clones`` is a folder of Git repositories; `_fixes.py` says which, and what is asked. Without
``--bed`` the second bed is measured, whose commits ``fixes.json`` names. A bed in a file of its own
has a development and a reported half, the even and the odd fixes of each repository. Plain BM25
over the same blocks, taken from the top while they fit, is what `pack_files` is compared with;
``--old`` takes the sources of an earlier version, which is asked too.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from _fixes import Fix, judge, read_bed
from _report import heading, table
from maxcover.lab.evaluate import difference_interval
from maxcover.texts.packing import located, pack_files
from maxcover.texts.packing.file_blocks import ending_of, find_blocks
from maxcover.texts.packing.file_index import count_words, hash_words
from maxcover.texts.packing.ranking import rank_blocks, words_of
from maxcover.texts.words.estimate import estimate_all

BUDGETS = (2_000, 8_000, 30_000)
K, B = 1.5, 0.75
Parts = list[tuple[str, int, int]]
# An earlier version, which reads questions and writes the parts that it shows.
_EARLIER = """
import json, sys
sys.path.insert(0, sys.argv[1])
from maxcover.texts.packing import located, pack_files
for line in sys.stdin:
    root, names, query, budget = json.loads(line)
    print(json.dumps(pack_files(names, query=query, budget=budget, root=root).parts), flush=True)
"""


class RankedOnce:
    """Ranks the blocks of files for a question once, whatever the budgets are."""

    def __init__(self) -> None:
        self._asked, self._found = "", []

    def __call__(self, names, texts, queries, folder=None):
        """Rank blocks, or give those of the question before again."""
        if queries[0] != self._asked:
            self._asked, self._found = queries[0], rank_blocks(names, texts, queries, folder)
        return self._found


class Functions:
    """BM25 over the blocks of files; what was cut and read is kept."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[Parts, np.ndarray, object]] = {}

    def rank(self, root: Path, names: list[str], query: str) -> Iterator[tuple[tuple, float]]:
        """List the blocks that hold a word of the question, best first, with their sizes."""
        asked = hash_words(words_of(query))
        places, sizes, counts, lengths = [], [], [], []
        for name in names:
            text = (root / name).read_text("utf-8", "replace")
            if text not in self._held:
                lines = text.split("\n")
                blocks = find_blocks(ending_of(name), text)
                shown = ["\n".join(lines[one.first : one.last + 1]) for one in blocks]
                spans = [(one.first + 1, one.last + 1) for one in blocks]
                self._held[text] = spans, estimate_all(shown), count_words(shown)
            spans, size, counted = self._held[text]
            places += [(name, *span) for span in spans]
            sizes.append(size)
            counts.append(counted.of(asked))
            lengths.append(counted.lengths)
        held, length = np.concatenate(counts, axis=1), np.concatenate(lengths)
        found = (held > 0).sum(axis=1)[:, None]
        rarity = np.log(1 + (len(length) - found + 0.5) / (found + 0.5))
        norm = K * (1 - B + B * length / length.mean())
        score = (rarity * held * (K + 1) / (held + norm)).sum(axis=0)
        size = np.concatenate(sizes)
        for k in np.argsort(-score, kind="stable").tolist():
            if score[k] > 0:
                yield places[k], float(size[k])

    def show(self, ranked: list[tuple[tuple, float]], budget: float) -> Parts:
        """Take blocks from the top while they fit, each with the line that names it."""
        parts = []
        heads = estimate_all([f"{path}:{first}-{last}\n" for (path, first, last), _ in ranked])
        for (place, size), head in zip(ranked, heads.tolist(), strict=True):
            if size + head + 1 <= budget:
                parts.append(place)
                budget -= size + head + 1
        return parts


def halves(bed: list[tuple[str, Fix]], half: str) -> list[Fix]:
    """Keep the even or the odd fixes of each repository."""
    names = dict.fromkeys(fix.repository for fix in bed)
    rows = ([fix for fix in bed if fix.repository == name] for name in names)
    return list(chain(*(own[int(half == "reported") :: 2] for own in rows)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--bed", default="", help="a file with all of each fix")
    parser.add_argument("--half", choices=("development", "reported", "all"), default="all")
    parser.add_argument("--only", default="", help="one repository")
    parser.add_argument("--tests", action="store_true", help="tests are in the pool")
    parser.add_argument("--most", type=int, default=60, help="fixes of each repository")
    parser.add_argument("--old", default="", help="sources of an earlier version")
    parser.add_argument("--budgets", type=int, nargs="*", default=BUDGETS)
    parser.add_argument("--out", type=Path, help="where every figure of every fix is written")
    options = parser.parse_args()
    rows: list[dict[str, object]] = []
    located.rank_blocks = RankedOnce()
    with TemporaryDirectory() as folder:
        bed = list(read_bed(options.clones, Path(folder), options.bed))
        repositories = {fix.repository: repository for repository, fix in bed}
        fixes = [fix for _, fix in bed if options.only in ("", fix.repository)]
        fixes = fixes if options.half == "all" else halves(fixes, options.half)
        plain, earlier = Functions(), _start(options.old)
        taken: dict[str, int] = {}
        for fix in fixes:
            taken[fix.repository] = taken.get(fix.repository, 0) + 1
            if taken[fix.repository] > options.most:
                continue
            repository = repositories[fix.repository]
            names = repository.check_out(fix, tests=options.tests)
            ranked = list(plain.rank(repository.folder, names, fix.query))
            for budget in options.budgets:
                started = time.process_time()
                shown = pack_files(
                    names, query=fix.query, budget=budget, root=repository.folder, index=folder
                )
                seconds = time.process_time() - started
                ways = {"pack_files": shown.parts, "BM25": plain.show(ranked, budget)}
                if earlier:
                    ways["earlier"] = _ask(earlier, repository.folder, names, fix.query, budget)
                for way, parts in ways.items():
                    lines, hit = judge(fix, parts)
                    own = {"repository": fix.repository, "commit": fix.commit, "budget": budget}
                    rows.append({**own, "way": way, "lines": lines, "hit": hit, "s": seconds})
            print(fix.repository, taken[fix.repository], file=sys.stderr, flush=True)
    if options.out:
        options.out.write_text(json.dumps(rows))
    report(rows, options)


def _start(old: str) -> subprocess.Popen | None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    if not old:
        return None
    program = [sys.executable, "-c", _EARLIER, old]
    return subprocess.Popen(program, **pipes)  # noqa: S603 - our own program


def _ask(earlier: subprocess.Popen, root: Path, names: list[str], query: str, budget: int) -> Parts:
    print(json.dumps([str(root), names, query, budget]), file=earlier.stdin, flush=True)
    return [tuple(part) for part in json.loads(earlier.stdout.readline())]


def report(rows: list[dict[str, object]], options: argparse.Namespace) -> None:
    """Print recall of changed lines and hit-file for each way, and our difference to the others."""
    tests = "with tests" if options.tests else "without tests"
    heading(f"Changed lines in the context, half {options.half}, {tests}")
    for repository in ["", *dict.fromkeys(row["repository"] for row in rows)]:
        own = [row for row in rows if repository in ("", row["repository"])]
        cells = []
        for budget in options.budgets:
            ours = _column(own, "pack_files", budget, "lines")
            for way in dict.fromkeys(row["way"] for row in own):
                theirs = _column(own, way, budget, "lines")
                found = difference_interval(ours, theirs, resamples=4_000)
                hits = _column(own, way, budget, "hit").mean()
                told = f"{found.mean:+.3f} ({found.low:+.3f}, {found.high:+.3f})"
                cells.append((budget, way, len(ours), f"{theirs.mean():.3f}", f"{hits:.3f}", told))
        print(repository or "all")
        table(("tokens", "way", "fixes", "lines", "hit-file", "pack_files minus it"), cells)
    took = [row["s"] for row in rows if row["way"] == "pack_files"]
    print(f"median CPU seconds of a call: {np.median(took):.2f}")


def _column(rows: list[dict], way: str, budget: int, name: str) -> np.ndarray:
    kept = [row[name] for row in rows if (row["way"], row["budget"]) == (way, budget)]
    return np.array(kept, float)


if __name__ == "__main__":
    main()
