"""Does a summary tell the main point? Blind readings, kept as data.

    python studies/readings/readings.py summarize pool.jsonl new.jsonl
    python studies/readings/readings.py summarize pool.jsonl lead.jsonl --lead
    python studies/readings/readings.py sheets pool.jsonl sheets/ new.jsonl old.jsonl lead.jsonl
    python studies/readings/readings.py table studies/readings/fourteenth

ROUGE counts shared words and cannot say whether a reader learns what happened, was proposed or was
decided. Here a reader is asked. `summarize` runs the version that is installed, or takes the first
sentences of the texts in turn. `sheets` draws texts of every kind, shows the summaries of each
under letters in random order, and writes which letter is which, with the hashes of all sheets, to
``key.json``. A reader sees a sheet and the main point in one sentence (``points.tsv``, written from
the reference or the text before any summary was made), never the key, and answers with one line per
letter:

    T07 A partly 1 0 none

which says: the text; the letter; is the main point there (yes, partly, no); how many sentences to
strike; how many sentences a reader would give to the wrong person; is the outcome there (yes, no,
none if there is none). ``false`` may follow if something is false as it stands. A file of verdicts
begins with who or what read, on lines that begin with ``#``. `table` prints, per kind and method,
yes/partly/no, strikes per 100 words, wrong speakers and outcomes; differences of methods with an
interval of 95 % (bootstrap over texts); and the agreement of two readers (kappa, linear weights).
Scores are means over readers: yes 1, partly 0.5, no 0.
"""

import argparse
import hashlib
import json
import random
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np

SCORES = {"yes": 1.0, "partly": 0.5, "no": 0.0}
OUTCOMES = ("yes", "no", "none")
RESAMPLES = 10_000
SEED = 20261116
# Summaries nobody should get wrong: what a reader is tested by.
CONTROLS = 5
EMPTY = "The text makes several points.\nSome of them are discussed at more length than others."


def read_lines(path: Path) -> list[dict]:
    """Read a file of JSON lines."""
    with path.open(encoding="utf-8", newline="\n") as file:
        return [json.loads(line) for line in file]


def summarize_pool(pool: Path, out: Path, *, lead: bool) -> None:
    """Summarise every cluster of the pool with the installed version."""
    import maxcover as mc

    with out.open("w", encoding="utf-8") as file:
        for cluster in read_lines(pool):
            texts = [one["text"] for one in cluster["documents"]]
            budget = cluster["budget"]
            if lead:
                lines = first_sentences(texts, budget)
            else:
                summary = mc.summarize(texts, budget=budget)
                # earlier versions have no lines
                lines = getattr(summary, "lines", [one.text for one in summary.sentences])
            print(
                json.dumps({"id": cluster["id"], "lines": list(lines)}, ensure_ascii=False),
                file=file,
            )


def first_sentences(texts: list[str], budget: int) -> list[str]:
    """Take the first sentence of each text, then the second, while they fit; in reading order.

    Headings, tables, frames of letters and the signs of Markdown are left out, so that the looks of
    a summary do not tell who made it.
    """
    from maxcover.texts import prepare

    corpus = prepare(texts)
    fit = [
        number
        for number, kind in enumerate(corpus.kinds)
        if kind in ("paragraph", "list item", "speech") and corpus.texts[number].count(" ") >= 3
    ]
    place: Counter[int] = Counter()
    ranked = []
    for number in fit:
        document = int(corpus.document[number])
        ranked.append((place[document], number))
        place[document] += 1
    chosen, room = [], budget
    for _, number in sorted(ranked):
        size = corpus.texts[number].count(" ") + 1
        if size > room:
            break
        chosen.append(number)
        room -= size
    return [corpus.texts[number] for number in sorted(chosen)]


def draw(pool: list[dict], counts: dict[str, int], rng: random.Random) -> list[dict]:
    """Draw so many clusters of each kind."""
    by_kind: dict[str, list[dict]] = defaultdict(list)
    for cluster in pool:
        by_kind[cluster["kind"]].append(cluster)
    return [
        cluster
        for kind, members in by_kind.items()
        for cluster in rng.sample(members, min(counts.get(kind, counts["other"]), len(members)))
    ]


def write_sheets(
    pool: Path,
    folder: Path,
    files: list[Path],
    *,
    points: dict[str, str],
    counts: dict[str, int],
    seed: int,
) -> None:
    """Write one sheet per text, and the key; `seed` shuffles the letters, not the texts."""
    rng = random.Random(seed)
    systems = {file.stem: {one["id"]: one["lines"] for one in read_lines(file)} for file in files}
    drawn = draw(read_lines(pool), counts, random.Random(SEED))
    controlled = set(rng.sample(range(len(drawn)), CONTROLS)) if len(drawn) >= CONTROLS else set()
    folder.mkdir(parents=True, exist_ok=True)
    key, hashes = {}, {}
    for number, cluster in enumerate(drawn):
        name = f"T{number + 1:02d}"
        shown: dict[str, list[str]] = defaultdict(list)
        for system, summaries in systems.items():
            shown["\n".join(summaries[cluster["id"]])].append(system)
        if number in controlled and cluster["id"] in points:
            shown[EMPTY].append("control: empty")
            shown[points[cluster["id"]]].append("control: good")
        order = rng.sample(sorted(shown), len(shown))
        letters = dict(zip("ABCDEFGH", order, strict=False))
        key[name] = {
            "id": cluster["id"],
            "kind": cluster["kind"],
            "letters": {letter: sorted(shown[text]) for letter, text in letters.items()},
            "words": {letter: len(text.split()) for letter, text in letters.items()},
            "sentences": {letter: text.count("\n") + 1 for letter, text in letters.items()},
        }
        point = points.get(cluster["id"], "(write it from the text first)")
        parts = [f"# {name} ({cluster['kind']}, {cluster['budget']} words)", f"Main point: {point}"]
        parts += [f"## {letter}\n{text or '(nothing)'}" for letter, text in letters.items()]
        sheet = "\n\n".join(parts) + "\n"
        (folder / f"{name}.md").write_text(sheet, encoding="utf-8")
        hashes[name] = hashlib.sha256(sheet.encode()).hexdigest()
    text = json.dumps({"seed": seed, "texts": key, "sheets": hashes}, indent=1) + "\n"
    (folder / "key.json").write_text(text, encoding="utf-8")
    print(f"{len(drawn)} sheets; key: sha256 {hashlib.sha256(text.encode()).hexdigest()}")


def read_verdicts(path: Path) -> dict[tuple[str, str], dict]:
    """Read what one reader said."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        text, letter, main, strike, speakers, outcome, *rest = line.split()
        if main not in SCORES or outcome not in OUTCOMES:
            raise SystemExit(f"{path.name}: expected yes, partly or no, and an outcome: {line!r}")
        found[text, letter] = {
            "main": main,
            "strike": int(strike),
            "speakers": int(speakers),
            "outcome": outcome,
            "false": bool(rest),
        }
    return found


def gather(key: dict, readers: list[dict]) -> list[dict]:
    """List one row per text, method and reader."""
    rows = []
    for text, about in key["texts"].items():
        for letter, methods in about["letters"].items():
            for number, verdicts in enumerate(readers):
                if (text, letter) not in verdicts:
                    continue
                shown = {"words": about["words"][letter], **verdicts[text, letter]}
                about_it = {"text": text, "kind": about["kind"], "reader": number, **shown}
                rows.extend({**about_it, "method": method} for method in methods)
    return rows


def score_of(rows: list[dict]) -> dict[str, float]:
    """Return the mean score of each text over its readers."""
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        found[row["text"]].append(SCORES[row["main"]])
    return {text: float(np.mean(values)) for text, values in found.items()}


def kappa(pairs: list[tuple[str, str]]) -> float:
    """Return Cohen's kappa with linear weights; 1 if both say the same of everything.

    >>> kappa([("yes", "yes"), ("no", "no")]), kappa([("yes", "no"), ("no", "yes")])
    (1.0, -1.0)
    """
    first, second = (np.array([SCORES[pair[side]] for pair in pairs]) for side in (0, 1))
    apart = np.abs(first[:, None] - second[None, :]).mean()
    return 1.0 if apart == 0 else float(1 - np.abs(first - second).mean() / apart)


def print_table(folder: Path) -> None:
    """Print the table of a folder with a key and verdicts."""
    key = json.loads((folder / "key.json").read_text(encoding="utf-8"))
    paths = sorted(folder.glob("verdicts*.txt"))
    readers = [read_verdicts(path) for path in paths]
    rows = gather(key, readers)
    print_controls(rows, paths)
    rows = [row for row in rows if not row["method"].startswith("control")]
    methods = list(dict.fromkeys(row["method"] for row in rows))
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    print("| kind | texts | method | yes/partly/no | score | strikes per 100 words | wrong speakers"
          " | outcome | false |\n|---|---:|---|---|---:|---:|---:|---|---:|")  # fmt: skip
    for kind in [*kinds, "all"]:
        for method in sorted(methods):
            here = [r for r in rows if r["method"] == method and kind in (r["kind"], "all")]
            print(f"| {kind} | {len({r['text'] for r in here})} | {method} | {_cells(here)} |")
    for first, second in combinations(sorted(methods, key=lambda name: name != "new"), 2):
        print(f"{first} - {second}: {_difference(rows, first, second)}")
    for (a, one), (b, other) in combinations(enumerate(readers), 2):
        shared = sorted(set(one) & set(other))
        for kind in [*kinds, "all"]:
            pairs = [(one[k]["main"], other[k]["main"]) for k in shared
                     if kind in (key["texts"][k[0]]["kind"], "all")]  # fmt: skip
            if pairs:
                same = np.mean([first == second for first, second in pairs])
                print(f"readers {a + 1} and {b + 1}, {kind}: kappa {kappa(pairs):.2f}, "
                      f"the same {same:.0%} of {len(pairs)}")  # fmt: skip


def _cells(here: list[dict]) -> str:
    counts = Counter(row["main"] for row in here)
    words = sum(row["words"] for row in here)
    ends = Counter(row["outcome"] for row in here)
    score = np.mean([SCORES[row["main"]] for row in here])
    strikes = 100 * sum(row["strike"] for row in here) / max(1, words)
    return (
        f"{counts['yes']}/{counts['partly']}/{counts['no']} | {score:.2f} | {strikes:.2f} | "
        f"{sum(row['speakers'] for row in here)} | {ends['yes']} of {ends['yes'] + ends['no']} | "
        f"{sum(row['false'] for row in here)}"
    )


def _difference(rows: list[dict], first: str, second: str) -> str:
    ours, theirs = (score_of([r for r in rows if r["method"] == name]) for name in (first, second))
    shared = sorted(set(ours) & set(theirs))
    values = np.array([ours[text] - theirs[text] for text in shared])
    draws = np.random.default_rng(0).integers(len(values), size=(RESAMPLES, len(values)))
    low, high = np.quantile(values[draws].mean(axis=1), [0.025, 0.975])
    return f"{values.mean():+.3f} [{low:+.3f}, {high:+.3f}] over {len(shared)} texts"


def print_controls(rows: list[dict], paths: list[Path]) -> None:
    """Say how many controls each reader got wrong."""
    right = {"control: empty": "no", "control: good": "yes"}
    for number, path in enumerate(paths):
        mine = [row for row in rows if row["reader"] == number and row["method"] in right]
        wrong = sum(row["main"] != right[row["method"]] for row in mine)
        print(f"{path.name}: {wrong} of {len(mine)} controls wrong")


def read_points(path: Path) -> dict[str, str]:
    """Read the main points: the name of a cluster, a tab, one sentence."""
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines if line.strip())


def main() -> None:
    """Run one of the three steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    making = steps.add_parser("summarize")
    making.add_argument("pool", type=Path)
    making.add_argument("out", type=Path)
    making.add_argument("--lead", action="store_true")
    writing = steps.add_parser("sheets")
    writing.add_argument("pool", type=Path)
    writing.add_argument("folder", type=Path)
    writing.add_argument("files", type=Path, nargs="+")
    writing.add_argument("--points", type=Path, default=Path("points.tsv"))
    writing.add_argument("--count", action="append", default=[], metavar="KIND=N")
    writing.add_argument("--seed", type=int, default=SEED)
    reading = steps.add_parser("table")
    reading.add_argument("folder", type=Path)
    options = parser.parse_args()
    if options.step == "summarize":
        summarize_pool(options.pool, options.out, lead=options.lead)
    elif options.step == "sheets":
        counts = {"other": 4} | {
            kind: int(number) for kind, number in (one.split("=") for one in options.count)
        }
        points = read_points(options.points)
        write_sheets(
            options.pool,
            options.folder,
            options.files,
            points=points,
            counts=counts,
            seed=options.seed,
        )
    else:
        print_table(options.folder)


if __name__ == "__main__":
    main()
