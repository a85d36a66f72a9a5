"""Peers: summarizers of other packages, run by their own code on our sentences.

None of them is needed by maxcover. They choose a number of sentences, not words, so each is asked
for its ranking of all sentences, from which `Case.fill` takes sentences while they fit. Their own
sentence splitters need downloads (sumy) or take one text only (summa); here all get the same
sentences, and work offline.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

from maxcover.ground.extras import import_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maxcover.lab.evaluate.case import Case

    Ranking = Callable[[Case], list[int]]

# Words that sumy's tokenizer keeps.
_SUMY_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|['-])*")

# Module and class of each of sumy's summarizers.
SUMY = {
    "lexrank": ("lex_rank", "LexRankSummarizer"),
    "textrank": ("text_rank", "TextRankSummarizer"),
    "lsa": ("lsa", "LsaSummarizer"),
    "sumbasic": ("sum_basic", "SumBasicSummarizer"),
    "luhn": ("luhn", "LuhnSummarizer"),
}


def _imported(module: str) -> Any:
    """Import a module of another package; if missing, raise an error with the install command."""
    package = module.partition(".")[0]
    return import_extra(module, f"this method is {package}'s own code: pip install {package}")


class _Words:
    """Stand-in for sumy's tokenizer, without download: words of letters, apostrophes, hyphens."""

    def to_words(self, sentence: str) -> tuple[str, ...]:
        return tuple(_SUMY_WORD.findall(sentence))


@cache
def _sumy_summarizer(module: str, name: str) -> Any:
    """Make a summarizer as sumy's README does, with its English stemmer and stop words."""
    kind = getattr(_imported(f"sumy.summarizers.{module}"), name)
    summarizer = kind(_imported("sumy.nlp.stemmers").Stemmer("english"))
    summarizer.stop_words = _imported("sumy.utils").get_stop_words("english")
    return summarizer


def _sumy_document(sentences: Sequence[str]) -> Any:
    """Return sumy's model of a document whose one paragraph has these sentences."""
    dom, words = _imported("sumy.models.dom"), _Words()
    return dom.ObjectDocumentModel([dom.Paragraph([dom.Sentence(s, words) for s in sentences])])


def rank_with_sumy(case: Case, *, module: str, name: str) -> list[int]:
    """Rank sentences by the ratings of one of sumy's summarizers."""
    summarizer = _sumy_summarizer(module, name)
    n_sentences = len(case.sentences)
    ratings: Sequence[float] = ()
    with (
        mock.patch.object(summarizer, "_get_best_sentences", _sumy_ratings),
        suppress(np.linalg.LinAlgError),  # LSA's decomposition may not converge
    ):
        ratings = summarizer(_sumy_document(case.sentences), n_sentences)
    # Use reading order if the summarizer fails or finds no words.
    return _falling(ratings) if len(ratings) == n_sentences else list(range(n_sentences))


def _sumy_ratings(
    sentences: Sequence[Any], _count: int, rating: Any, *args: Any, **options: Any
) -> list[float]:
    """Return the ratings of all sentences; replaces sumy's method that picks the best ones."""
    rate = rating.__getitem__ if isinstance(rating, dict) else rating
    return [float(rate(sentence, *args, **options)) for sentence in sentences]


def rank_with_summa(case: Case) -> list[int]:
    """Rank sentences by summa's TextRank."""
    cleaner = _imported("summa.preprocessing.textcleaner")
    lines = [" ".join(text.split()) for text in case.sentences]
    with mock.patch.object(cleaner, "split_sentences", str.splitlines):
        scored = _imported("summa.summarizer").summarize(
            "\n".join(lines), ratio=1.0, split=True, scores=True
        )
    scores = dict(scored) if scored else {}
    return _falling([scores.get(line, 0.0) for line in lines])


def _falling(scores: Sequence[float]) -> list[int]:
    """Return indices by falling score; equal scores keep their order."""
    order: list[int] = np.argsort(-np.asarray(scores, np.float64), kind="stable").tolist()
    return order


#: Rankings of other packages; the names are those of `maxcover evaluate`.
PEERS: dict[str, Ranking] = {
    **{
        name: partial(rank_with_sumy, module=module, name=kind)
        for name, (module, kind) in SUMY.items()
    },
    "summa": rank_with_summa,
}
