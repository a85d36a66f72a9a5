"""Harness: run summarizers over data sets and score what they choose."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.errors import FileFormatError, OptionError
from maxcover.evaluate.case import Case
from maxcover.evaluate.datasets import LEAST_LENGTH, load, long_enough
from maxcover.evaluate.methods import SUMMARIZERS, find_summarizer
from maxcover.evaluate.passage import count_words
from maxcover.evaluate.rouge import Score, rouge_for
from maxcover.evaluate.versions import versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from maxcover.evaluate.case import Cluster
    from maxcover.evaluate.methods import Summarizer

SCHEMA = "maxcover.evaluation/3"
# Seconds between two writes of the file of results while tasks run.
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


@dataclass(frozen=True, kw_only=True)
class Result:
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
    bound : float or None
        Upper bound on the weight that any choice covers, if the method gives one.
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
    bound: float | None = None

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
    choice = task.summarizer.run(case, task.seed)
    seconds = time.perf_counter() - started
    lines = [" ".join(text.split()) for text in choice.sentences]
    scores = rouge_for(task.language).score("\n".join(lines), task.cluster.references)
    words = sum(count_words(line) for line in lines)
    if words > task.budget:
        raise AssertionError(f"{task.method} spent {words} words, the budget is {task.budget}")
    return Result(
        data=task.data,
        cluster=task.cluster.id,
        method=task.method,
        budget=task.budget,
        seed=task.seed,
        words=words,
        sentences=len(choice.sentences),
        value=choice.value,
        proven=choice.proven,
        seconds=seconds,
        bound=choice.bound,
        **scores,
    )


def evaluate(
    tasks: Sequence[EvaluationTask],
    *,
    known: Iterable[Result] = (),
    run_all: Callable[
        [Callable[[EvaluationTask], Result], Sequence[EvaluationTask]], Iterable[Result]
    ] = map,
    progress: Callable[[int, int], Any] | None = None,
    keep: Path | None = None,
) -> list[Result]:
    """Measure every task whose result is not known; return the results of all tasks.

    Parameters
    ----------
    tasks
    known
        Results of an earlier run; tasks that have one are not measured again.
    run_all
        A function like `map`, which may use a pool of processes.
    progress
        Called with the number of tasks done and of all.
    keep
        File for all results, known ones included; it is also written every minute, and when the
        work is interrupted, so that nothing is lost.

    Returns
    -------
    list of Result
        In the order of the tasks.
    """
    found = {result.key: result for result in known}
    missing = [task for task in tasks if task.key not in found]
    done = len(tasks) - len(missing)
    written = time.monotonic()
    try:
        for result in run_all(measure, missing):
            found[result.key] = result
            done += 1
            if progress is not None:
                progress(done, len(tasks))
            if keep is not None and time.monotonic() - written > KEEP_SECONDS:
                _write(keep, found.values())
                written = time.monotonic()
    finally:
        if keep is not None:
            _write(keep, found.values())
    return [found[task.key] for task in tasks]


def _write(path: Path, results: Iterable[Result]) -> None:
    """Write a temporary file and rename it to `path`, so that `path` is always whole."""
    fresh = path.with_name(f"{path.name}.part")
    fresh.write_text(to_json(list(results)), encoding="utf-8")
    fresh.replace(path)


def to_json(results: Sequence[Result]) -> str:
    """Return the results as JSON, with the versions of the packages that they depend on."""
    names = {result.method for result in results} & SUMMARIZERS.keys()
    packages = {SUMMARIZERS[name].package for name in names}
    head = {"schema": SCHEMA, "versions": versions(sorted(filter(None, packages)))}
    rows = ",\n".join(json.dumps(asdict(result)) for result in results)
    return f'{json.dumps(head)[:-1]}, "results": [\n{rows}\n]}}\n'


def from_json(path: str | Path) -> list[Result]:
    """Read results that `to_json` wrote.

    Raises
    ------
    FileFormatError
        The file is something else.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if content["schema"] != SCHEMA:
            raise ValueError(f"the schema is {content['schema']!r}")
        return [
            Result(
                **{
                    **row,
                    **{kind: Score(*row[kind]) for kind in ("rouge1", "rouge2", "rougeLsum")},
                }
            )
            for row in content["results"]
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise FileFormatError(
            f"{path}: expected an evaluation ({SCHEMA}) as --output writes it: {error}"
        ) from error
