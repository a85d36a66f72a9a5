"""Methods: the one table of summarizers that `maxcover evaluate` compares."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.engine.solvers import solve
from maxcover.errors import OptionError
from maxcover.lab.evaluate.baselines import rank_by_mmr, rank_lead, rank_randomly
from maxcover.lab.evaluate.oracle import bound_recall
from maxcover.lab.evaluate.peers import PEERS
from maxcover.texts import prepare
from maxcover.texts.summary.summarize import summarize

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxcover.engine.solvers.solve import MethodName
    from maxcover.lab.evaluate.case import Case

    Summarizer = Callable[[Case, int], "Choice"]


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
    """

    sentences: list[str]
    value: float | None = None
    proven: bool = False


# Time limit in seconds of one exact solve. If the limit is reached, no optimum is proven.
EXACT_SECONDS = 20.0


def run_summarize(case: Case, seed: int, **reading: Any) -> Choice:
    """Summarise the case with `maxcover.summarize`, as a user would."""
    options = {"language": case.language, **reading}
    summary = summarize(case.documents, budget=case.budget, seed=seed, **options)
    # Score the lines as printed: the budget pays for names of speakers, so names are scored too.
    return Choice(list(summary.lines), summary.value, summary.status == "optimal")


def _solve(
    case: Case, seed: int, *, method: MethodName, time_limit: float | None = None, **reading: Any
) -> Choice:
    """Read the documents with the options `reading`; solve their coverage problem by `method`."""
    corpus = prepare(case.documents, **{"language": case.language, **reading})
    problem = corpus.problem(case.budget)
    solution = solve(problem, method=method, time_limit=time_limit, seed=seed, bound="quick")
    chosen = [corpus.texts[index] for index in solution.selected.tolist()]
    return Choice(chosen, solution.value, solution.status == "optimal")


def _ranked(case: Case, _seed: int, *, rank: Callable[[Case], list[int]]) -> Choice:
    """Rank the sentences by `rank`, and take them in that order as long as they fit."""
    return Choice(case.texts(case.fill(rank(case))))


def _random(case: Case, seed: int) -> Choice:
    return Choice(case.texts(case.fill(rank_randomly(case, seed))))


def _oracle(case: Case, seed: int) -> Choice:
    """Choose the sentences with the highest ROUGE-1 recall against the references."""
    references = case.cluster.references
    found = bound_recall(
        case.sentences, references, case.budget, time_limit=EXACT_SECONDS, seed=seed
    )
    proven = found.bound <= found.recall * (1 + 1e-5)
    return Choice(case.texts(found.selected.tolist()), found.recall, proven)


_exact = partial(_solve, method="exact", time_limit=EXACT_SECONDS)

#: Each takes a case and a seed, and keeps to the budget of the case.
SUMMARIZERS: dict[str, Summarizer] = {
    # summarize() as it is
    "default": run_summarize,
    # summarize() without the story: the most weight
    "coverage": partial(run_summarize, preset="coverage"),
    # summarize() as it was in 0.1.0: every sentence may be chosen
    "plain": partial(run_summarize, preset="plain"),
    # summarize() with the paper's words and weights, stop words removed; then with them
    "paper": partial(run_summarize, preset="paper"),
    "paper-with-stop-words": partial(run_summarize, preset="paper-with-stop-words"),
    # default concepts and weights: the paper's Algorithm 1, and HiGHS
    "g-greedy": partial(_solve, method="g-greedy"),
    "exact": _exact,
    # bigrams by number of sentences, HiGHS
    "bigram-ilp": partial(_exact, preset="plain", concepts="bigrams", boost=1.0),
    # the first sentence of each document, then the second of each
    "lead": partial(_ranked, rank=rank_lead),
    "random": _random,
    # maximal marginal relevance, TF-IDF, 0.7
    "mmr": partial(_ranked, rank=rank_by_mmr),
    # the best that whole sentences could reach, knowing the references
    "oracle": _oracle,
    **{name: partial(_ranked, rank=rank) for name, rank in PEERS.items()},
}
# Summarizers whose value is the weight of the default concepts, so that values can be compared.
DEFAULT_OBJECTIVE = ("coverage", "g-greedy", "exact")


def find_summarizer(name: str) -> Summarizer:
    """Return the summarizer with this name; raise OptionError if there is none."""
    if name not in SUMMARIZERS:
        raise OptionError(f"unknown summarizer {name!r}; expected {', '.join(SUMMARIZERS)}")
    return SUMMARIZERS[name]
