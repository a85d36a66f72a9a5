"""ROUGE-1, -2 and -L against several references.

``docs/lab/rouge.md`` says where ROUGE-1.5.5, rouge-score and sumeval differ, and which options give
which.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from maxcover.errors import OptionError
from maxcover.lab.evaluate.lcs import lcs_length, union_lcs
from maxcover.texts.words.languages import find_language
from maxcover.texts.words.stems import stem_words
from maxcover.texts.words.tokens import words as any_words

# Names of stemmers, each with what `Language.find_stemmer` calls it.
STEMMERS: Mapping[str, bool | str] = {"porter": "porter", "language": True, "none": False}
TOKENS = ("ascii", "unicode")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_LETTER = re.compile(r"[^\W\d_]")


def beyond_ascii(texts: Iterable[str]) -> float:
    """Return the share of letters outside ASCII, at which ``tokens="ascii"`` cuts words apart.

    Examples
    --------
    >>> beyond_ascii(["Cats", "Käse"])
    0.125
    """
    letters = [letter for text in texts for letter in _LETTER.findall(text)]
    return sum(not letter.isascii() for letter in letters) / max(1, len(letters))


@dataclass(frozen=True)
class RougePassage:
    """The words of a text, line by line, with cached counts of words and of pairs of words."""

    lines: tuple[tuple[str, ...], ...]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words in order; a line end is no boundary for n-grams, as in ROUGE-1.5.5."""
        return tuple(word for line in self.lines for word in line)

    @cached_property
    def unigrams(self) -> Counter[str]:
        """How often each word occurs."""
        return Counter(self.words)

    @cached_property
    def bigrams(self) -> Counter[tuple[str, str]]:
        """How often each pair of neighbouring words occurs."""
        return Counter(zip(self.words, self.words[1:], strict=False))


class Score(NamedTuple):
    """Recall, precision and their harmonic mean, each between 0 and 1."""

    recall: float
    precision: float
    f: float


class RougeMatch(NamedTuple):
    """How many units (words, pairs of words) two texts share, and how many each text has."""

    hits: int
    in_reference: int
    in_summary: int

    def score(self) -> Score:
        """Turn counts into a score; a text without units scores 0."""
        recall = self.hits / max(self.in_reference, 1)
        precision = self.hits / max(self.in_summary, 1)
        both = recall + precision
        return Score(recall, precision, 2 * recall * precision / both if both else 0.0)


def _shared(reference: Counter[Any], summary: Counter[Any]) -> RougeMatch:
    """Count shared n-grams, each at most as often as it occurs in the reference."""
    hits = sum(min(count, reference.get(unit, 0)) for unit, count in summary.items())
    return RougeMatch(hits, reference.total(), summary.total())


def _rouge_1(reference: RougePassage, summary: RougePassage) -> RougeMatch:
    return _shared(reference.unigrams, summary.unigrams)


def _rouge_2(reference: RougePassage, summary: RougePassage) -> RougeMatch:
    return _shared(reference.bigrams, summary.bigrams)


def _rouge_l(reference: RougePassage, summary: RougePassage) -> RougeMatch:
    """Match by LCS at sentence level: each text counts as one sentence."""
    hits = lcs_length(reference.words, summary.words)
    return RougeMatch(hits, len(reference.words), len(summary.words))


def _rouge_lsum(reference: RougePassage, summary: RougePassage) -> RougeMatch:
    """Match by the union LCS of each reference line with all summary lines (summary level).

    This is section 3.2 of Lin (2004). Each word of the summary counts for one hit only, as in ROUGE
    since version 1.4.1.
    """
    left = summary.unigrams.copy()
    hits = 0
    for line in reference.lines:
        for place in union_lcs(line, summary.lines):
            if left[line[place]] > 0:
                left[line[place]] -= 1
                hits += 1
    return RougeMatch(hits, len(reference.words), len(summary.words))


KINDS: Mapping[str, Callable[[RougePassage, RougePassage], RougeMatch]] = {
    "rouge1": _rouge_1,
    "rouge2": _rouge_2,
    "rougeL": _rouge_l,
    "rougeLsum": _rouge_lsum,
}


def _average(matches: Sequence[RougeMatch]) -> Score:
    scores = zip(*(match.score() for match in matches), strict=True)
    return Score(*(sum(column) / len(matches) for column in scores))


def _pooled(matches: Sequence[RougeMatch]) -> Score:
    hits, in_reference, in_summary = (sum(column) for column in zip(*matches, strict=True))
    return RougeMatch(hits, in_reference, in_summary).score()


def _best(matches: Sequence[RougeMatch]) -> Score:
    return max((match.score() for match in matches), key=lambda score: score.f)


AGGREGATES: Mapping[str, Callable[[Sequence[RougeMatch]], Score]] = {
    "average": _average,
    "pooled": _pooled,
    "best": _best,
}


@dataclass(frozen=True, kw_only=True)
class Rouge:
    """A way to score summaries: the measures, the words, and how several references are combined.

    Parameters
    ----------
    kinds
        Any of ``KINDS``: ``rouge1``, ``rouge2``, ``rougeL`` (sentence level: the whole text is one
        sentence), ``rougeLsum`` (summary level, the ROUGE-L of ROUGE-1.5.5: a line is a sentence).
    aggregate
        One of ``AGGREGATES``. ``average``: the mean of the scores against each reference (the
        paper). ``pooled``: hits and lengths summed before dividing, so long references weigh more
        (ROUGE-1.5.5 ``-f A`` as in DUC, sumeval). ``best``: the reference with the largest F
        (rouge-score).
    stem
        ``"porter"``, ``"language"`` (Snowball's algorithm for `language`; none where it has none),
        ``"none"``, or any function from a word to its stem.
    tokens
        ``"ascii"``: runs of ``a-z0-9``, the words of the literature. ``"unicode"``: words of any
        script, by the tokenizer of `maxcover.texts`; text without spaces in pairs of characters.
    language
        Of the texts, for ``tokens="unicode"`` and ``stem="language"``.
    stop_words
        Lower-case words to leave out of summaries and references before stemming.

    Examples
    --------
    >>> rouge = Rouge(kinds=("rouge1", "rouge2"))
    >>> scores = rouge.score("The cats sat.", ["the cat sat on the mat", "a cat sat"])
    >>> round(scores["rouge1"].recall, 4)  # 3 of 6 words, 2 of 3 words
    0.5833
    >>> scores["rouge2"].precision  # 2 of 2 pairs, 1 of 2 pairs
    0.75
    """

    kinds: Sequence[str] = tuple(KINDS)
    aggregate: str = "average"
    stem: str | Callable[[str], str] = "porter"
    tokens: str = "ascii"
    language: str = "english"
    stop_words: Iterable[str] = frozenset()

    def __post_init__(self) -> None:
        """Check the options and keep private copies of the collections given."""
        if isinstance(self.kinds, str) or isinstance(self.stop_words, str):
            raise OptionError("kinds and stop_words are collections of words; a single string came")
        object.__setattr__(self, "kinds", tuple(self.kinds))
        object.__setattr__(self, "stop_words", frozenset(self.stop_words))
        for kind in self.kinds:
            _known("kind", kind, KINDS)
        _known("aggregate", self.aggregate, AGGREGATES)
        if not callable(self.stem):
            _known("stem", self.stem, STEMMERS)
        _known("tokens", self.tokens, TOKENS)
        object.__setattr__(self, "language", find_language(self.language).name)

    def score(self, summary: str, references: Sequence[str]) -> dict[str, Score]:
        """Score one summary against its references.

        Parameters
        ----------
        summary
            The text to judge; for ``rougeLsum`` put each sentence on a line of its own.
        references
            One or more texts; the result does not depend on their order, but for ties under
            ``best``.

        Returns
        -------
        dict
            For each kind a ``Score``. A text without words scores 0, never NaN.
        """
        if isinstance(references, str) or not references:
            raise OptionError(
                f"references must be a non-empty sequence of texts, got {references!r:.60}"
            )
        candidate = self.read(summary)
        targets = [self.read_reference(text) for text in references]
        combine = AGGREGATES[self.aggregate]
        return {
            kind: combine([KINDS[kind](target, candidate) for target in targets])
            for kind in self.kinds
        }

    def read(self, text: str) -> RougePassage:
        r"""Split a text into the words that ROUGE compares.

        Stop words are compared before stemming, and only words of more than three letters are
        stemmed: both as in ROUGE-1.5.5.

        Examples
        --------
        >>> Rouge(stop_words={"the"}).read("The cat's\ncats, naïve.").lines
        (('cat', 's'), ('cat', 'na', 've'))
        """
        return RougePassage(tuple(self._words(line) for line in text.split("\n")))

    def _words(self, line: str) -> tuple[str, ...]:
        language = find_language(self.language)
        if self.tokens == "ascii":
            found = _ASCII_WORD.findall(line.lower())
        else:
            found = any_words(line, elides=language.elides)
        kept = [word for word in found if word not in self.stop_words]
        if callable(self.stem):
            stems = list(map(self.stem, kept))
        else:
            stems = stem_words(kept, language.find_stemmer(STEMMERS[self.stem]))
        return tuple(s if len(word) > 3 else word for word, s in zip(kept, stems, strict=True))

    def read_reference(self, text: str) -> RougePassage:
        """Do as `read`; the last 4,096 references are cached."""
        return _read_reference(self, text)


def rouge_for(language: str) -> Rouge:
    """Return ROUGE as in the literature for English; for other languages, with Unicode words.

    Examples
    --------
    >>> rouge_for("en").tokens, rouge_for("de").stem
    ('ascii', 'language')
    """
    kinds = ("rouge1", "rouge2", "rougeLsum")
    if find_language(language).code == "en":
        return Rouge(kinds=kinds)
    return Rouge(kinds=kinds, tokens="unicode", stem="language", language=language)


@lru_cache(maxsize=4096)  # thousands of summaries share a few references
def _read_reference(rouge: Rouge, text: str) -> RougePassage:
    return rouge.read(text)


def _known(what: str, name: str, table: Iterable[str]) -> None:
    if name not in table:
        raise OptionError(f"{what} must be one of {', '.join(table)}; got {name!r}")
