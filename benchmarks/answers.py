"""Context packing: whether the answer to a question is in the context.

For each question a retriever finds up to 50 candidates, a method fills a budget of estimated
tokens, and the normalised answer (for HotpotQA: every supporting fact) stands in the text or not.
Everything was chosen on the half ``development``; the half ``reported`` is for the published
figures. ``--old`` takes the folder of the sources of an earlier version to compare with.

With ``--quick`` the questions are invented, so that no data is needed, and floors are held.
"""

import sys
import time
from collections.abc import Iterable
from itertools import chain, zip_longest
from multiprocessing import Pool
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import maxcover as mc
from _code import KINDS as CODE_KINDS
from _code import PACKAGES, CodeAsked, ask_code, ask_folder, holds_function
from _fillers import OURS, PEERS, RANKED, TOP
from _old import pack_with
from _report import heading, hold, table
from _retrieval import ODD, SOURCES, Asked, ask, holds
from _versions import made, share_held
from _versions import natural as natural_versions
from maxcover.lab.evaluate import difference_interval
from maxcover.texts.packing.located import pack_files
from maxcover.texts.packing.ranking import rank_blocks
from maxcover.texts.words.estimate import estimate_all, estimate_tokens

METHODS = {**OURS, **RANKED, **PEERS}
AUTO = next(iter(OURS))
PARTS = ("top", "odd", "ranked", "peers", "several", "after", "code", "files", "versions")
BUDGETS = (200, 500, 1000, 2000, 4000)


def answered(task: tuple[list[Asked], str, int]) -> list[bool]:
    questions, method, budget = task
    return [holds(METHODS[method](asked, budget), asked) for asked in questions]


class Judge:
    """Asks methods on all cores."""

    def __init__(self, workers: int) -> None:
        self.pool = Pool(workers)

    def ask(self, questions: list[Asked], method: str, budget: int) -> np.ndarray:
        """Return for each question whether its answer is in the context."""
        parts = [questions[k : k + 25] for k in range(0, len(questions), 25)]
        tasks = [(part, method, budget) for part in parts]
        return np.concatenate(self.pool.map(answered, tasks, chunksize=1)).astype(float)


def difference(one: np.ndarray, two: np.ndarray) -> str:
    """Mean of the difference over questions, with a paired bootstrap interval."""
    found = difference_interval(one, two, resamples=4_000)
    return f"{found.mean:+.3f} ({found.low:+.3f}, {found.high:+.3f})"


def against_top(judge: Judge, questions: dict[str, list[Asked]]) -> dict[tuple, np.ndarray]:
    """Print auto against top-k for every source and budget."""
    found: dict[tuple, np.ndarray] = {}
    rows = []
    for source, own in questions.items():
        cells = []
        for budget in BUDGETS:
            # where most of it fits, methods differ little and every second question will do
            some = own if budget <= 500 else own[::2]
            for method in (TOP, AUTO):
                found[source, budget, method] = judge.ask(some, method, budget)
            top, ours = found[source, budget, TOP], found[source, budget, AUTO]
            cells.append(f"{top.mean():.3f} → {ours.mean():.3f}: {difference(ours, top)}")
        rows.append((source, len(own), *cells))
        print(rows[-1], file=sys.stderr, flush=True)
    table(("candidates", "questions", *(f"{budget} tokens" for budget in BUDGETS)), rows)
    return found


def against_others(
    judge: Judge, questions: dict[str, list[Asked]], methods: Iterable[str], budgets: Iterable[int]
) -> None:
    """Print every method, and auto's difference to it on the same questions."""
    for budget in budgets:
        rows = []
        ours = {source: judge.ask(own, AUTO, budget) for source, own in questions.items()}
        for method in methods:
            cells = []
            for source, own in questions.items():
                theirs = judge.ask(own, method, budget)
                cells.append(f"{theirs.mean():.3f}; {difference(ours[source], theirs)}")
            rows.append((method, *cells))
            print(rows[-1], file=sys.stderr, flush=True)
        counts = [f"{source} ({len(own)})" for source, own in questions.items()]
        heading(f"Answer in context at {budget} tokens; then auto minus it")
        table(("method", *counts), rows)


def odd_scores(judge: Judge, questions: list[Asked], budget: int) -> None:
    """Print what scores that say little do to auto; top-k takes the order given."""
    top = judge.ask(questions, TOP, budget)
    rows = []
    for name, change in ODD.items():
        changed = [asked._replace(scores=change(asked.scores)) for asked in questions]
        ours = judge.ask(changed, AUTO, budget)
        rows.append((name, f"{ours.mean():.3f}", difference(ours, top)))
    heading(f"Scores that are missing or odd, BM25, {budget} tokens", questions=len(questions))
    table(("scores", AUTO, f"minus {TOP}"), rows)


def against_old(judge: Judge, questions: dict[str, list[Asked]], old: str, budget: int) -> None:
    """Print auto against whole passages and sentences of an earlier version."""
    rows = []
    for source, own in questions.items():
        ours = judge.ask(own, AUTO, budget)
        cells = []
        for granularity in ("passage", "sentence"):
            rows_in = [
                {**asked._asdict(), "budget": budget, "granularity": granularity} for asked in own
            ]
            texts = pack_with(old, rows_in)
            theirs = np.array([holds(t, a) for t, a in zip(texts, own, strict=True)], float)
            cells.append(f"{theirs.mean():.3f}; {difference(ours, theirs)}")
        rows.append((source, len(own), f"{ours.mean():.3f}", *cells))
    heading(f"Against the earlier version at {budget} tokens; then auto minus it")
    table(("candidates", "questions", AUTO, "earlier, passages", "earlier, sentences"), rows)


def several(questions: list[Asked], seed: int, together: int, *, in_turn: bool) -> None:
    """Print how many of several questions at once are answered: as one text, and as a list."""
    rng = np.random.default_rng(seed)
    groups = []
    for name in ("nq_open", "xquad_en"):
        own = [asked for asked in questions if asked.set == name]
        order = rng.permutation(len(own)).tolist()
        starts = range(0, len(own) - together + 1, together)
        groups += [[own[k] for k in order[start : start + together]] for start in starts]
    rows = []
    for budget in (300, 600, 1200):
        found: dict[str, list[float]] = {TOP: [], "one text": [], "a list": []}
        for group in groups:
            lists = [asked.passages[:25] for asked in group]
            merged = chain(*(zip_longest(*lists) if in_turn else lists))
            passages = list(dict.fromkeys(filter(None, merged)))
            asked = [one.question for one in group]
            texts = {
                TOP: RANKED[TOP](group[0]._replace(passages=passages), budget),
                "one text": mc.pack(passages, query=" ".join(asked), budget=budget).text,
                "a list": mc.pack(passages, query=asked, budget=budget).text,
            }
            for name, text in texts.items():
                found[name].append(np.mean([holds(text, one) for one in group]))
        arrays = {name: np.array(values) for name, values in found.items()}
        means = [f"{values.mean():.3f}" for values in arrays.values()]
        rows.append((budget, *means, difference(arrays["a list"], arrays["one text"])))
    way = "in turn" if in_turn else "behind each other"
    heading(f"{together} questions at once, candidates {way}", groups=len(groups), seed=seed)
    table(("tokens", *found, "a list minus one text"), rows)


def grown(questions: list[Asked]) -> None:
    """Print what becomes of a context that grows: packed anew, and behind the one before it."""
    rows = []
    for name in dict.fromkeys(asked.set for asked in questions):
        own = [asked for asked in questions if asked.set == name]
        for small, large in ((400, 600), (1000, 1500)):
            told = []
            for asked in own:
                options = {"query": asked.question, "scores": asked.scores}
                before = mc.pack(asked.passages, budget=small, **options).text
                anew = mc.pack(asked.passages, budget=large, **options).text
                longer = mc.pack(asked.passages, budget=large, after=before, **options).text
                kept = [text.startswith(before) for text in (anew, longer)]
                told.append((*kept, *(holds(text, asked) for text in (before, anew, longer))))
            *prefix, small_holds, anew_holds, holds_after = np.array(told, float).T
            means = [f"{part.mean():.3f}" for part in (*prefix, small_holds, anew_holds)]
            last = f"{holds_after.mean():.3f}", difference(holds_after, anew_holds)
            rows.append((name, f"{small} to {large}", len(own), *means, *last))
    heading("A context that grows: how often it begins with the one before, and answers")
    columns = ("begins, anew", "begins, after", "before", "anew", "after", "after minus anew")
    table(("set", "tokens", "questions", *columns), rows)


def code(half: str, most: int) -> None:
    """Print how often the function that a question is about stands whole in the context."""
    rows = []
    for kind in CODE_KINDS:
        questions = list(ask_code(kind, half=half, most=most))
        for budget in (1000, 2000, 4000):
            found = [
                np.array([holds_function(fill(one, budget), one) for one in questions], float)
                for fill in (RANKED[TOP], pack_code)
            ]
            means = [f"{values.mean():.3f}" for values in found]
            rows.append((kind, len(questions), budget, *means, difference(*found[::-1])))
    heading(f"Whole function in the context, half {half}: {', '.join(PACKAGES)}")
    table(("candidates", "questions", "tokens", TOP, AUTO, "difference"), rows)


def pack_code(asked: CodeAsked, budget: int) -> str:
    call = {"query": asked.question, "budget": budget, "documents": asked.paths}
    return mc.pack(asked.passages, **call).text


def files(half: str, seed: int, budget: int = 8000) -> None:
    """Print how often `pack_files` shows a function whole, beside other ways to send files.

    Whole files, by their best block, while they fit; and the beginning of every file, all of the
    same size, as programs do that put a repository into one text and cut it.
    """
    rows = []
    for package in PACKAGES:
        sources, questions = ask_folder(package, half=half, seed=seed)
        texts = [source.text for source in sources]
        sizes = estimate_all(texts)
        shares = budget / sizes.sum()
        begun = "\n".join(text[: int(shares * len(text))] for text in texts)
        found: dict[str, list[bool]] = {"pack_files": [], "whole files": [], "cut": []}
        largest, slowest = 0.0, 0.0
        with TemporaryDirectory() as folder:
            for source in sources:
                path = Path(folder) / source.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(source.text)
            for asked in questions:
                started = time.process_time()
                packed = pack_files("**/*.py", query=asked.question, budget=budget, root=folder)
                slowest = max(slowest, time.process_time() - started)
                largest = max(largest, estimate_tokens(packed.text) / budget)
                blocks = rank_blocks([source.path for source in sources], texts, [asked.question])
                order = dict.fromkeys([*(one.file for one in blocks), *range(len(texts))])
                ranked = asked._replace(passages=[texts[k] for k in order])
                ways = (packed.text, RANKED[TOP](ranked, budget), begun)
                for name, text in zip(found, ways, strict=True):
                    found[name].append(holds_function(text, asked))
        means = [f"{np.mean(held):.2f}" for held in found.values()]
        rows.append((package, len(questions), *means, f"{largest:.2f}", f"{slowest:.2f}"))
    heading(f"Function shown whole, 40 files into {budget} tokens, half {half}", seed=seed)
    table(("package", "questions", *found, "largest, of the budget", "slowest, CPU-s"), rows)


def versions(half: str, most: int, seed: int, releases: list[str]) -> None:
    """Print how often all versions of a statement stand in the context."""
    asked = list(made(half, most, seed))
    if releases:
        repository, names, *folders = releases
        asked += natural_versions(repository, names.split(","), folders, half)
    rows = []
    for kind in dict.fromkeys(one.kind for one in asked):
        own = [one for one in asked if one.kind == kind]
        cells = []
        for budget in (300, 600, 1000, 2000):
            means = [
                np.mean([share_held(fill(one, budget), one) == 1 for one in own])
                for fill in (RANKED[TOP], OURS[AUTO])
            ]
            cells.append(f"{means[0]:.3f} → {means[1]:.3f}")
        rows.append((kind, len(own), *cells))
    heading(f"All versions of a statement in the context, half {half}", seed=seed)
    table(("differ in", "questions", "300 tokens", "600", "1,000", "2,000"), rows)


def invented(seed: int, n: int) -> list[Asked]:
    """Questions about invented facts among passages of invented talk, copies put in."""
    rng = np.random.default_rng(seed)
    talk = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("l", "n", "r", "st")]
    questions = []
    for number in range(n):
        name, value = f"Zor{number}", f"{rng.integers(10**5, 10**6)}"
        passages = []
        for _ in range(30):
            said = [" ".join(rng.choice(talk, 12)).capitalize() + "." for _ in range(6)]
            passages.append(" ".join(said))
        fact = f"The height of {name} is {value} feet."
        place = int(rng.integers(0, 6))
        passages[place] = passages[place][:200] + " " + fact + passages[place][199:]
        for copy in range(0, 10, 2):
            passages[copy + 1] = passages[copy].replace("a", "e", 1)
        if place % 2 == 1:
            passages[place] += " " + fact
        wanted = ((value,),)
        questions.append(
            Asked("made", f"What is the height of {name}?", "english", wanted, passages, None)
        )
    return questions


def quick(judge: Judge, seed: int) -> None:
    questions = invented(seed, 60)
    rows = []
    for budget in (200, 500, 1000):
        top, ours = (judge.ask(questions, method, budget).mean() for method in (TOP, AUTO))
        rows.append((budget, f"{top:.3f}", f"{ours:.3f}"))
        hold(f"answer in context, {budget} tokens", ours, least=max(float(top), 0.95))
    heading("Invented questions", questions=len(questions), seed=seed)
    table(("tokens", TOP, AUTO), rows)


def main() -> None:
    options = parse()
    judge = Judge(options.workers)
    if options.quick:
        quick(judge, options.seed)
        return
    main_sources = ("BM25", "dense", "near-duplicates", "other languages")
    wanted = SOURCES if "top" in options.parts or options.old else main_sources
    wanted = ("BM25",) if {"several", "after"}.issuperset(options.parts) else wanted
    asked = not {"code", "files", "versions"}.issuperset(options.parts) or options.old
    questions = {
        source: list(ask(source, half=options.half, most=options.most, seed=options.seed))
        for source in (wanted if asked else ())
    }

    def some(most: int, sources: Iterable[str] = main_sources) -> dict[str, list[Asked]]:
        chosen = {source: questions[source] for source in sources}
        return {source: own[:: max(len(own) // most, 1)] for source, own in chosen.items()}

    if "top" in options.parts:
        heading(f"Auto against {TOP}, half {options.half}", seed=options.seed)
        against_top(judge, questions)
    if "odd" in options.parts:
        odd_scores(judge, some(options.ranked)["BM25"], 500)
    if options.old:
        against_old(judge, some(options.ranked, SOURCES), options.old, 500)
    if "ranked" in options.parts:
        against_others(judge, some(options.ranked), [*OURS, *RANKED], (200, 500))
    if "several" in options.parts:
        for together, in_turn in ((2, True), (2, False), (4, True)):
            several(questions["BM25"], options.seed, together, in_turn=in_turn)
    if "after" in options.parts:
        grown(questions["BM25"])
    if "code" in options.parts:
        code(options.half, options.most // 8)
    if "files" in options.parts:
        files(options.half, options.seed)
    if "versions" in options.parts:
        versions(options.half, options.most // 10, options.seed, options.releases)
    if "peers" in options.parts:
        against_others(judge, some(options.peers), PEERS, (200, 500))


def parse():
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the small form that CI runs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--half", choices=("development", "reported"), default="development")
    parser.add_argument(
        "--parts", nargs="*", default=PARTS, choices=PARTS, help="the comparisons to make"
    )
    parser.add_argument("--most", type=int, default=400, help="questions of each set")
    parser.add_argument("--ranked", type=int, default=200, help="questions for other methods")
    parser.add_argument("--peers", type=int, default=100, help="questions for slow peers")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--releases",
        nargs="*",
        default=[],
        help="a Git repository, its releases with commas between, and folders of documents",
    )
    parser.add_argument("--old", help="sources of an earlier version")
    return parser.parse_args()


if __name__ == "__main__":
    main()
