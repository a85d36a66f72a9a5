"""Oracle: how much ROUGE-1 recall any choice of whole sentences could reach.

Averaged over ``R`` references, the ``k``-th selected occurrence of word ``v`` adds to the recall

    gain(v, k) = (1/R) sum over references r of [r holds v at least k times] / (words of r),

which falls with ``k``. So an integer program with one 0/1 variable per sentence and one continuous
variable per slot ``k`` of a word states the oracle exactly, and its dual bound is a certificate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxcover.errors import OptionError
from maxcover.evaluate.passage import count_words
from maxcover.evaluate.rouge import Rouge

if TYPE_CHECKING:
    import highspy

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class OracleBound(NamedTuple):
    """The best selection found, its recall, and an upper bound on the recall of any selection."""

    selected: Ints
    recall: float
    bound: float


@dataclass(frozen=True)
class RecallModel:
    """ROUGE-1 recall, averaged over references, as a function of the chosen sentences.

    Attributes
    ----------
    counts
        ``counts[i, v]``: how often sentence ``i`` holds word ``v`` of the references, clipped at
        the largest number any reference asks for.
    slots
        Word ``v`` owns the slots ``slots[v]`` to ``slots[v + 1]``.
    gains
        Recall paid for each slot; falls within a word.
    costs
        Words of each sentence, as budgets count them.
    """

    counts: Ints
    slots: Ints
    gains: Floats
    costs: Floats

    def recall(self, selected: ArrayLike) -> float:
        """Return the recall of a selection, as ``Rouge`` gives it for the joined sentences."""
        chosen = np.asarray(selected, dtype=np.int64)
        filled = self.slots[:-1] + np.minimum(self.counts[chosen].sum(axis=0), np.diff(self.slots))
        paid = np.concatenate([[0.0], np.cumsum(self.gains)])
        return float((paid[filled] - paid[self.slots[:-1]]).sum())


def read_recall_model(
    sentences: Sequence[str],
    references: Sequence[str],
    *,
    rouge: Rouge | None = None,
    costs: ArrayLike | None = None,
) -> RecallModel:
    """Count how often every sentence holds each word of the references.

    Parameters
    ----------
    sentences
        The sentences that may be chosen, whole.
    references
        The summaries to match.
    rouge
        Whose stemming and stop words to use; the recall is always ROUGE-1, averaged.
    costs
        Cost of each sentence; its number of space-separated words by default.

    Returns
    -------
    RecallModel
        Memory: sentences times distinct reference words.

    Examples
    --------
    >>> model = read_recall_model(["the cat", "the dog", "a bird"], ["the cat and the dog"])
    >>> round(model.recall([0, 1]), 3)  # the, cat, the, dog: 4 of 5 words
    0.8
    """
    if not references:
        raise OptionError("the oracle needs at least one reference, got none")
    rouge = rouge or Rouge()
    targets = [rouge.read_reference(text).unigrams for text in references]
    words = sorted(set().union(*targets))
    needed = np.array([[target[word] for word in words] for target in targets], dtype=np.int64)
    needed = needed.reshape(len(targets), len(words))
    asked = needed.max(axis=0, initial=0)
    share = 1.0 / (len(targets) * np.maximum(needed.sum(axis=1), 1))
    gains = [share[needed[:, v] > k].sum() for v in range(len(words)) for k in range(int(asked[v]))]
    found = [rouge.read(text).unigrams for text in sentences]
    counts = np.array([[line[word] for word in words] for line in found], dtype=np.int64)
    prices = np.asarray(
        [count_words(text) for text in sentences] if costs is None else costs, dtype=np.float64
    )
    if prices.shape != (len(sentences),):
        raise OptionError(
            f"expected a cost each, got {prices.size} costs for {len(sentences)} sentences"
        )
    return RecallModel(
        counts=np.minimum(counts.reshape(len(found), len(words)), asked),
        slots=np.concatenate([[0], np.cumsum(asked)]).astype(np.int64),
        gains=np.array(gains, dtype=np.float64),
        costs=prices,
    )


def bound_recall(
    model: RecallModel, budget: float, *, time_limit: float = 10.0, seed: int = 0
) -> OracleBound:
    """Find the sentences with the highest recall within `budget`, and an upper bound on recall.

    Returns
    -------
    OracleBound
        ``bound`` holds whether or not the time sufficed; ``recall`` is that of ``selected``,
        recomputed. When HiGHS proved optimality the two agree to its relative gap of 1e-6. The
        bound and the budget hold to HiGHS's tolerance of 1e-6; whole-number costs hold exactly.

    Examples
    --------
    >>> model = read_recall_model(["the cat", "the dog", "a bird"], ["the cat and the dog"])
    >>> best = bound_recall(model, budget=4)
    >>> best.selected.tolist(), round(best.bound, 3)
    ([0, 1], 0.8)
    """
    import highspy

    if budget < 0:
        raise OptionError(f"the budget must be 0 or more, got {budget}")
    n_sentences, n_words = model.counts.shape
    if n_sentences == 0 or n_words == 0:
        return OracleBound(np.empty(0, np.int64), 0.0, 0.0)
    solver = highspy.Highs()
    for option, value in _OPTIONS.items():
        solver.setOptionValue(option, value)
    solver.setOptionValue("time_limit", float(time_limit))
    solver.setOptionValue("random_seed", seed)
    solver.passModel(_integer_program(model, budget))
    solver.run()
    values = np.asarray(solver.getSolution().col_value[:n_sentences])
    # If HiGHS found no feasible point within the time limit, nothing is selected; the bound is
    # still valid.
    selected = np.flatnonzero(values > 0.5) if values.size else np.empty(0, np.int64)
    bound = min(float(solver.getInfo().mip_dual_bound), float(model.gains.sum()))
    return OracleBound(selected, model.recall(selected), max(bound, model.recall(selected)))


_OPTIONS = {"output_flag": False, "threads": 1, "mip_rel_gap": 1e-6}


def _integer_program(model: RecallModel, budget: float) -> "highspy.HighsLp":
    """Build the program: slot k of a word counts if chosen sentences hold the word k times."""
    import highspy

    n_sentences, n_words = model.counts.shape
    n_slots = model.gains.size
    word_of_slot = np.repeat(np.arange(n_words), np.diff(model.slots))
    sentence, word = np.nonzero(model.counts)
    # Rows: one per word (slots - occurrences <= 0), then the budget. Columns: sentences, slots.
    rows = np.concatenate([word, word_of_slot, np.full(n_sentences, n_words)])
    columns = np.concatenate([sentence, n_sentences + np.arange(n_slots), np.arange(n_sentences)])
    entries = np.concatenate([-model.counts[sentence, word], np.ones(n_slots), model.costs])
    order = np.lexsort((columns, rows))
    program = highspy.HighsLp()
    program.num_col_ = n_sentences + n_slots
    program.num_row_ = n_words + 1
    program.sense_ = highspy.ObjSense.kMaximize
    program.col_cost_ = np.concatenate([np.zeros(n_sentences), model.gains])
    program.col_lower_ = np.zeros(n_sentences + n_slots)
    program.col_upper_ = np.concatenate(
        [(model.costs <= budget).astype(np.float64), np.ones(n_slots)]
    )
    program.row_lower_ = np.full(n_words + 1, -highspy.kHighsInf)
    program.row_upper_ = np.concatenate([np.zeros(n_words), [budget]])
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = np.searchsorted(rows[order], np.arange(n_words + 2))
    program.a_matrix_.index_ = columns[order]
    program.a_matrix_.value_ = entries[order]
    whole, real = highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous
    program.integrality_ = [whole] * n_sentences + [real] * n_slots
    return program
