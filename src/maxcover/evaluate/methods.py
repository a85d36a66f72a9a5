"""Methods: the one table of summarizers that `maxcover evaluate` compares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.errors import OptionError
from maxcover.evaluate.baselines import rank_by_mmr, rank_lead, rank_randomly
from maxcover.evaluate.oracle import bound_recall, read_recall_model
from maxcover.evaluate.peers import PEERS
from maxcover.solvers import solve
from maxcover.summary.summarize import summarize
from maxcover.text import prepare

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxcover.evaluate.case import Case
    from maxcover.solvers.solve import MethodName


class Choice(NamedTuple):
    """The sentences that a summarizer chose, and their value if it has an objective.

    Attributes
    ----------
    sentences : list of str
        In the order of the summary.
    value : float or None
        Weight that they cover under the method's own objective, if it has one.
    proven : bool
        Whether it is proven that no choice covers more.
    bound : float or None
        Upper bound on the weight that any choice covers, if the method gives one.
    """

    sentences: list[str]
    value: float | None = None
    proven: bool = False
    bound: float | None = None


@dataclass(frozen=True, kw_only=True)
class Summarizer:
    """A summarizer that can be evaluated: a value of SUMMARIZERS.

    Attributes
    ----------
    run : callable
        ``(case, seed) -> Choice``, within the budget of the case.
    title : str
        One line for tables and help texts.
    package : str or None
        The package on PyPI whose code it is; None for maxcover.
    default_objective : bool
        Whether its objective is that of the default concepts, so that its value can be compared.
    """

    run: Callable[[Case, int], Choice]
    title: str
    package: str | None = None
    default_objective: bool = False


# Time limit in seconds of one exact solve. If the limit is reached, no optimum is proven.
EXACT_SECONDS = 20.0


def run_summarize(case: Case, seed: int, **reading: Any) -> Choice:
    """Summarise the case with `maxcover.summarize`, as a user would."""
    options = {"language": case.language, **reading}
    summary = summarize(case.documents, budget=case.budget, seed=seed, **options)
    # Score the lines as printed: the budget pays for names of speakers, so names are scored too.
    return Choice(
        list(summary.lines), summary.value, summary.status == "optimal", summary.upper_bound
    )


def _solve(
    case: Case, seed: int, *, method: MethodName, time_limit: float | None = None, **reading: Any
) -> Choice:
    """Read the documents with the options `reading`; solve their coverage problem by `method`."""
    corpus = prepare(case.documents, **{"language": case.language, **reading})
    problem = corpus.problem(case.budget)
    solution = solve(problem, method=method, time_limit=time_limit, seed=seed, bound="quick")
    proven = solution.status == "optimal"
    chosen = [corpus.texts[index] for index in solution.selected.tolist()]
    return Choice(chosen, solution.value, proven, solution.upper_bound)


def _ranked(case: Case, seed: int, *, rank: Callable[..., Any], seeded: bool = False) -> Choice:
    """Rank the sentences by `rank`, and take them in that order as long as they fit."""
    return Choice(case.texts(case.fill(rank(case, seed) if seeded else rank(case))))


def _oracle(case: Case, seed: int) -> Choice:
    """Choose the sentences with the highest ROUGE-1 recall against the references."""
    model = read_recall_model(case.sentences, case.cluster.references)
    found = bound_recall(model, case.budget, time_limit=EXACT_SECONDS, seed=seed)
    proven = found.bound <= found.recall * (1 + 1e-5)
    return Choice(case.texts(found.selected.tolist()), found.recall, proven, found.bound)


_exact = partial(_solve, method="exact", time_limit=EXACT_SECONDS)

SUMMARIZERS: dict[str, Summarizer] = {
    "default": Summarizer(run=run_summarize, title="summarize() as it is"),
    "coverage": Summarizer(
        run=partial(run_summarize, preset="coverage"),
        title="summarize() without the story: the most weight",
        default_objective=True,
    ),
    "plain": Summarizer(
        run=partial(run_summarize, preset="plain"),
        title="summarize() as it was in 0.1.0: every sentence may be chosen",
    ),
    "paper": Summarizer(
        run=partial(run_summarize, preset="paper"),
        title="summarize() with the paper's words and weights, stop words removed",
    ),
    "paper-with-stop-words": Summarizer(
        run=partial(run_summarize, preset="paper-with-stop-words"),
        title="the same with stop words kept",
    ),
    "g-greedy": Summarizer(
        run=partial(_solve, method="g-greedy"),
        title="default concepts and weights, the paper's Algorithm 1",
        default_objective=True,
    ),
    "exact": Summarizer(
        run=_exact, title="default concepts and weights, HiGHS", default_objective=True
    ),
    "bigram-ilp": Summarizer(
        run=partial(_exact, preset="plain", concepts="bigrams", boost=1.0),
        title="bigrams by number of sentences, HiGHS",
    ),
    "lead": Summarizer(
        run=partial(_ranked, rank=rank_lead),
        title="the first sentence of each document, then the second of each",
    ),
    "random": Summarizer(
        run=partial(_ranked, rank=rank_randomly, seeded=True), title="sentences in random order"
    ),
    "mmr": Summarizer(
        run=partial(_ranked, rank=rank_by_mmr), title="maximal marginal relevance, TF-IDF, 0.7"
    ),
    "oracle": Summarizer(
        run=_oracle,
        title="the best that whole sentences could reach, knowing the references",
    ),
    **{
        name: Summarizer(run=partial(_ranked, rank=rank), title=title, package=package)
        for name, (package, title, rank) in PEERS.items()
    },
}


def find_summarizer(name: str) -> Summarizer:
    """Return the summarizer with this name; raise OptionError if there is none.

    Examples
    --------
    >>> find_summarizer("lexrank").package
    'sumy'
    """
    if name not in SUMMARIZERS:
        raise OptionError(f"unknown summarizer {name!r}; expected {', '.join(SUMMARIZERS)}")
    return SUMMARIZERS[name]
