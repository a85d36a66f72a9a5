"""Oracle: how much ROUGE-1 recall any choice of whole sentences could reach.

Averaged over ``R`` references, the ``k``-th selected occurrence of word ``v`` adds to the recall

    gain(v, k) = (1/R) sum over references r of [r holds v at least k times] / (words of r),

which falls with ``k``. So an integer program with one 0/1 variable per sentence and one continuous
variable per slot ``k`` of a word states the oracle exactly, and its dual bound is a certificate.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxcover.errors import OptionError
from maxcover.ground.extras import import_extra
from maxcover.lab.evaluate.case import count_words
from maxcover.lab.evaluate.rouge import Rouge

_OPTIONS = {"output_flag": False, "threads": 1, "mip_rel_gap": 1e-6}


class OracleBound(NamedTuple):
    """The best selection found, its recall, and an upper bound on the recall of any selection."""

    selected: NDArray[np.int64]
    recall: float
    bound: float


def bound_recall(
    sentences: Sequence[str],
    references: Sequence[str],
    budget: float,
    *,
    time_limit: float = 10.0,
    seed: int = 0,
) -> OracleBound:
    """Find the sentences with the highest ROUGE-1 recall, and an upper bound on the recall.

    Parameters
    ----------
    sentences
        The sentences that may be chosen, whole.
    references
        The summaries to match; the recall is averaged over them, as by ``Rouge()``.
    budget
        Most space-separated words of the chosen sentences together.
    time_limit
        Seconds.
    seed
        Seed of HiGHS.

    Returns
    -------
    OracleBound
        ``bound`` holds whether or not the time sufficed; ``recall`` is that of ``selected``,
        recomputed. When HiGHS proved optimality the two agree to its relative gap of 1e-6. The
        bound holds to HiGHS's tolerance of 1e-6.

    Examples
    --------
    >>> best = bound_recall(["the cat", "the dog", "a bird"], ["the cat and the dog"], budget=4)
    >>> best.selected.tolist(), round(best.bound, 3)  # the, cat, the, dog: 4 of 5 words
    ([0, 1], 0.8)
    """
    if not references:
        raise OptionError("the oracle needs at least one reference, got none")
    if budget < 0:
        raise OptionError(f"the budget must be 0 or more, got {budget}")
    rouge = Rouge(kinds=("rouge1",))
    targets = [rouge.read_reference(text).unigrams for text in references]
    found = [rouge.read(text).unigrams for text in sentences]
    costs = np.array([count_words(text) for text in sentences], np.float64)
    highspy = import_extra("highspy", "the oracle needs HiGHS: pip install 'highspy<1.14'")
    solver = highspy.Highs()
    for option, value in {**_OPTIONS, "time_limit": float(time_limit), "random_seed": seed}.items():
        solver.setOptionValue(option, value)
    n = len(sentences)
    for cost in costs:
        solver.addVar(0.0, float(cost <= budget))
    solver.changeColsIntegrality(n, np.arange(n), [highspy.HighsVarType.kInteger] * n)
    solver.addRow(-highspy.kHighsInf, budget, n, np.arange(n), costs)
    for word in sorted(set().union(*targets)):
        # One slot for each occurrence that a reference asks for; no more slots of a word are paid
        # for than the chosen sentences fill.
        counts = np.array([line[word] for line in found])
        holders = np.flatnonzero(counts)
        slots = range(max(target[word] for target in targets))
        first = solver.getNumCol()
        for k in slots:
            paid = [1.0 / target.total() for target in targets if target[word] > k]
            solver.addCol(sum(paid) / len(targets), 0.0, 1.0, 0, [], [])
        columns = np.concatenate([first + np.array(slots), holders])
        entries = np.concatenate([np.ones(len(slots)), -np.minimum(counts[holders], len(slots))])
        solver.addRow(-highspy.kHighsInf, 0.0, len(columns), columns, entries)
    solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
    solver.run()
    values = np.asarray(solver.getSolution().col_value[:n])
    # HiGHS may find no feasible point within the time limit: then nothing is selected.
    selected = np.flatnonzero(values > 0.5)
    text = "\n".join(sentences[k] for k in selected.tolist())
    recall = rouge.score(text, references)["rouge1"].recall
    bound = min(float(solver.getInfo().mip_dual_bound), 1.0)
    return OracleBound(selected, recall, max(bound, recall))
