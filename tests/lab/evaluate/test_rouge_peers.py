"""Equality with rouge-score and sumeval on 1,000 real pairs, wherever the definitions agree."""

import functools

import pytest

from maxcover.lab.evaluate.rouge import KINDS, Rouge
from tests import sweeps

EXACT = 1e-6
N_GRAMS = ("rouge1", "rouge2")


@functools.cache
def _nltk_stem(word):
    """rouge-score's stemmer: NLTK's Porter in its default mode, which is not Porter's of 1980."""
    return _nltk_porter().stem(word)


@functools.cache
def _nltk_porter():
    return pytest.importorskip("nltk.stem.porter").PorterStemmer()


class _NltkStemmer:
    stem = staticmethod(_nltk_stem)


def _rouge_score(kinds, stemmer=None):
    """Return rouge-score with its own tokenizer; only the stemmer's answers are remembered."""
    rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")
    tokenize = pytest.importorskip("rouge_score.tokenize")

    class Tokenizer:
        def tokenize(self, text):
            return tokenize.tokenize(text, stemmer)

    return rouge_scorer.RougeScorer(list(kinds), tokenizer=Tokenizer())


def _differences(ours, theirs, pairs):
    """For each pair, the largest difference in recall, precision or F of any kind."""
    for summary, references in pairs:
        mine = ours.score(summary, references)
        found = theirs.score_multi(references, summary)
        yield max(
            abs(a - b)
            for kind in ours.kinds
            for a, b in zip(
                mine[kind],
                (found[kind].recall, found[kind].precision, found[kind].fmeasure),
                strict=True,
            )
        )


@pytest.fixture(scope="module")
def single_pairs(real_pairs):
    assert len(real_pairs) == 1000
    taken = (real_pairs[case] for case in sweeps.cases(len(real_pairs)))
    return [(summary, references[:1]) for summary, references in taken]


def test_rouge_score_without_stemming(single_pairs):
    ours = Rouge(kinds=KINDS, stem="none")
    assert max(_differences(ours, _rouge_score(KINDS), single_pairs)) < EXACT


def test_rouge_score_takes_the_reference_of_the_best_f(real_pairs):
    ours = Rouge(kinds=KINDS, stem="none", aggregate="best")
    assert max(_differences(ours, _rouge_score(KINDS), real_pairs[::20])) < EXACT


def test_rouge_score_with_its_stemmer_in_ours(single_pairs):
    ours = Rouge(kinds=N_GRAMS, stem=_nltk_stem)
    theirs = _rouge_score(N_GRAMS, _NltkStemmer)
    assert max(_differences(ours, theirs, single_pairs)) < EXACT


def test_rouge_score_stems_differently_but_the_scores_stay_close(single_pairs):
    ours, theirs = Rouge(kinds=["rouge1"]), _rouge_score(["rouge1"], _NltkStemmer)
    differences = list(_differences(ours, theirs, single_pairs))
    assert EXACT < max(differences) < 0.05
    assert sum(differences) / len(differences) < 0.003


def _assert_equal_to_sumeval(ours, theirs, pairs):
    """Compare recall (sumeval's F with alpha 0) and F, which fix the precision."""
    methods = {"rouge1": theirs.rouge_1, "rouge2": theirs.rouge_2, "rougeL": theirs.rouge_l}
    for summary, references in pairs:
        mine = ours.score(summary, references)
        for kind in ours.kinds:
            found = [methods[kind](summary, references, alpha) for alpha in (0, 0.5)]
            assert [mine[kind].recall, mine[kind].f] == pytest.approx(found, abs=EXACT)


def _sumeval(**options):
    """Return sumeval without stemming: it stems references but not summaries, so nothing agrees."""
    rouge = pytest.importorskip("sumeval.metrics.rouge")
    return rouge.RougeCalculator(stemming=False, **options)


def test_sumeval_pools_the_references(real_pairs):
    ours = Rouge(kinds=N_GRAMS, stem="none", aggregate="pooled")
    _assert_equal_to_sumeval(ours, _sumeval(stopwords=False), real_pairs)


def test_sumeval_rouge_l_is_the_sentence_level(real_pairs):
    ours = Rouge(kinds=["rougeL"], stem="none", aggregate="pooled")
    _assert_equal_to_sumeval(ours, _sumeval(stopwords=False), real_pairs[::20])


def test_sumeval_without_stop_words(real_pairs):
    theirs = _sumeval(stopwords=True)
    theirs._lang.load_stopwords()
    ours = Rouge(kinds=N_GRAMS, stem="none", aggregate="pooled", stop_words=theirs._lang._stopwords)
    _assert_equal_to_sumeval(ours, theirs, real_pairs[::20])
