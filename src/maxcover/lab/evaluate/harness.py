"""Harness: run summarizers over data sets and score what they choose."""

from __future__ import annotations

import json
import platform
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from maxcover.errors import FileFormatError, OptionError
from maxcover.lab.evaluate.case import Case, count_words
from maxcover.lab.evaluate.datasets import LEAST_LENGTH, load, long_enough
from maxcover.lab.evaluate.methods import find_summarizer
from maxcover.lab.evaluate.processes import in_order
from maxcover.lab.evaluate.rouge import Score, rouge_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from maxcover.lab.evaluate.case import Cluster
    from maxcover.lab.evaluate.methods import Summarizer
    from maxcover.lab.evaluate.processes import Progress

SCHEMA = "maxcover.evaluation/4"
# Packages on which scores depend: ours, those that we use, and those that we compare with.
PACKAGES = ("maxcover", "numpy", "highspy", "sentencex", "PyStemmer", "sumy", "summa")
# Seconds between two writes of the file of scores while tasks run.
KEEP_SECONDS = 60.0


class EvaluationTask(NamedTuple):
    """One summarizer to run on one cluster."""

    data: str
    cluster: Cluster
    method: str
    summarizer: Summarizer
    budget: int
    seed: int
    language: str = "english"

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        """The key of the task's result: data set, cluster, method, budget and seed."""
        return self.data, self.cluster.id, self.method, self.budget, self.seed


class Result(NamedTuple):
    """The scores of one summarizer on one cluster.

    Attributes
    ----------
    data, cluster, method : str
        Names of the data set, the cluster and the summarizer.
    budget, seed : int
    words, sentences : int
        Length of the summary.
    rouge1, rouge2, rougeLsum : Score
    value : float or None
        Weight that it covers under the method's own objective, if it has one.
    proven : bool
        Whether it is proven that no choice covers more.
    seconds : float
    """

    data: str
    cluster: str
    method: str
    budget: int
    seed: int
    words: int
    sentences: int
    rouge1: Score
    rouge2: Score
    rougeLsum: Score  # noqa: N815 - the name that rouge-score gives it
    value: float | None
    proven: bool
    seconds: float

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        """The key of the result: data set, cluster, method, budget and seed."""
        return self.data, self.cluster, self.method, self.budget, self.seed


def plan(
    path: str | Path,
    *,
    methods: Sequence[str],
    budget: int,
    seed: int = 0,
    most_clusters: int | None = None,
    others: Mapping[str, Summarizer] | None = None,
    language: str = "english",
    half: str | None = None,
) -> list[EvaluationTask]:
    """List the tasks of one data set: every cluster with every summarizer, cluster by cluster.

    Clusters shorter than `LEAST_LENGTH` times the budget are left out; at most `most_clusters` of
    the rest are kept, evenly spread. `others` are summarizers that come after the `methods`. `half`
    keeps the clusters whose ``meta`` has this half: ``development`` is for choosing methods,
    ``confirmation`` only for reporting. `language` decides how ROUGE reads words (`rouge_for`).

    Raises
    ------
    OptionError
        No cluster is long enough for this budget, or a method is unknown.
    """
    summarizers = {**{name: find_summarizer(name) for name in methods}, **(others or {})}
    loaded = [one for one in load(path) if half is None or one.meta.get("half") == half]
    clusters = long_enough(loaded, budget, most=most_clusters)
    if not clusters:
        raise OptionError(
            f"{path}: expected clusters of at least {LEAST_LENGTH * budget} words, "
            f"{LEAST_LENGTH} times the budget, found none; lower the budget"
        )
    name = Path(path).resolve().name
    return [
        EvaluationTask(name, cluster, method, summarizer, budget, seed, language)
        for cluster in clusters
        for method, summarizer in summarizers.items()
    ]


def measure(task: EvaluationTask) -> Result:
    """Run one summarizer on one cluster and score its summary."""
    case = Case(task.cluster, task.budget, task.language)
    _ = case.costs  # split the sentences before the clock starts
    started = time.perf_counter()
    choice = task.summarizer(case, task.seed)
    seconds = time.perf_counter() - started
    lines = [" ".join(text.split()) for text in choice.sentences]
    scores = rouge_for(task.language).score("\n".join(lines), task.cluster.references)
    words = sum(count_words(line) for line in lines)
    if words > task.budget:
        raise AssertionError(f"{task.method} spent {words} words, the budget is {task.budget}")
    return Result(
        *task.key,
        words=words,
        sentences=len(choice.sentences),
        rouge1=scores["rouge1"],
        rouge2=scores["rouge2"],
        rougeLsum=scores["rougeLsum"],
        value=choice.value,
        proven=choice.proven,
        seconds=seconds,
    )


def evaluate(
    tasks: Sequence[EvaluationTask],
    *,
    scores: Path | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[Result]:
    """Measure every task whose result is not in the file `scores`; return the results of all tasks.

    Parameters
    ----------
    tasks
    scores
        File of results, read if it exists. All results go there, those of other tasks too: when the
        work ends or is interrupted, and every minute.
    jobs
        Number of processes; it does not change the scores.
    progress
        Called with the number of tasks measured and to be measured.

    Returns
    -------
    list of Result
        In the order of the tasks.
    """
    known = read_scores(scores) if scores is not None and scores.is_file() else []
    found = {result.key: result for result in known}
    missing = [task for task in tasks if task.key not in found]
    written = time.monotonic()
    try:
        for result in in_order(measure, missing, jobs=jobs, progress=progress):
            found[result.key] = result
            if scores is not None and time.monotonic() - written > KEEP_SECONDS:
                _write(scores, found.values())
                written = time.monotonic()
    finally:
        if scores is not None:
            _write(scores, found.values())
    return [found[task.key] for task in tasks]


def versions() -> dict[str, str]:
    """Return the versions of Python and of the installed `PACKAGES`."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _write(path: Path, results: Iterable[Result]) -> None:
    """Write a temporary file and rename it to `path`, so that `path` is always whole."""
    head = json.dumps({"schema": SCHEMA, "versions": versions()})
    rows = ",\n".join(json.dumps(result._asdict()) for result in results)
    fresh = path.with_name(f"{path.name}.part")
    fresh.write_text(f'{head[:-1]}, "results": [\n{rows}\n]}}\n', encoding="utf-8")
    fresh.replace(path)


def read_scores(path: Path) -> list[Result]:
    """Read the results that `evaluate` wrote to a file; raise FileFormatError if it is another."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["schema"] != SCHEMA:
            raise ValueError(f"the schema is {content['schema']!r}")
        kinds = ("rouge1", "rouge2", "rougeLsum")
        return [
            Result(**{**row, **{kind: Score(*row[kind]) for kind in kinds}})
            for row in content["results"]
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise FileFormatError(f"{path}: expected scores of this version: {error}") from error
