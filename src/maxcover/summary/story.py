"""Story: the sentences that a summary holds before coverage fills the rest.

Coverage of words is not the story: what a text is, what happened and what was decided is said in
few words, often once. Such sentences are required: openings of the documents of a collection, up to
half of the budget; what one document says that it is or found; what a meeting is about; how a
thread ended. Patterns are English; in other languages openings are required and nothing else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from maxcover.text.judge.candidates import LATE, SENTENCE
from maxcover.text.read.writers import QUOTED
from maxcover.text.weigh.boosts import rank_candidates
from maxcover.text.weigh.repeats import find_alike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maxcover.text.weigh.corpus import Corpus

    Int64s = NDArray[np.int64]

HALF = 0.5
"""Part of the budget that openings of a collection may fill; the first is taken in any case."""

LONGEST = 0.6
"""Part of the budget that one required sentence may fill."""

ENOUGH = 0.8
"""Part of the budget that all of them may fill."""

LEAST_WORDS = 6
"""Words of an opening."""

LEAST_KEPT = 0.5
"""Probability of being kept by an editor from which a first sentence opens a collection."""

ALIKE = 0.5
"""Openings that share a larger part of their concepts say the same: the first is enough."""

AGAIN = 0.8
"""Part of its concepts that the author of a quoted sentence uses elsewhere: it is said there."""

NEAR = 3
"""Candidates below a summary's heading, or at the beginning, that may say what a document is."""

FAR = 12
"""Candidates at the beginning among which a document may say what it does."""

LONG = 60
"""Candidates from which a document is long: what it found is required besides."""

_SUMMARY = re.compile(
    r"\W*(?:\d+\.?\s*)?(?:abstract|(?:executive |plain )?summary|introduction|overview|description"
    r"|preamble|purpose|about(?: \w+)?|tl;?dr)\W*$",
    re.IGNORECASE,
)
_RESULTS = re.compile(
    r"\W*(?:\d+\.?\s*)?(?:conclusions?|concluding remarks|discussion|(?:key )?findings"
    r"|recommendations?|what \w+ found|summary and \w+)\W*$",
    re.IGNORECASE,
)
# What a document does: "This PEP proposes", "Here we show", "The aim of this study was".
_KIND = (
    r"(?i:PEP|RFC|paper|report|study|article|document|work|package|library|module|program|guide"
    r"|proposal|specification|standard|memo|page|policy|agreement|post|manual|review|statement)"
)
_DOES = re.compile(
    rf"^.{{0,60}}?(?:\b(?:[Tt]his|[Tt]he present|[Oo]ur) (?:\w+ )?{_KIND}\b.{{0,60}}\b"
    r"(?:propos|describ|defin|specif|introduc|present|provid|examin|address|explain|discuss|outlin|review|investigat"
    r"|analy[sz]|assess|adds?\b|contain|recommend|formali|governs|sets out|is an? )"
    r"|\b(?:[Hh]ere(?:in)?,?|[Ii]n (?:this|the present) \w+,?) we\b"
    r"|\b[Ww]e (?:therefore |thus |now |also )?(?:propose|present|introduce|describe|investigate"
    r"|examine|aimed|sought|tested whether|asked whether)\b"
    r"|\b(?:aim|purpose|goal|objective)s? (?:of (?:this|the present|our)|(?:was|is|were|are) to)\b"
    r"|\bThis is (?:an? |the ))"
)
_IS = re.compile(
    r"^\W*(?:The )?(?!(?:This|There|It|That|Here|We|You|If|When|What|One|These)\b)[\w@.+-]+"
    r"(?: [\w.+()-]+){0,3} (?:is|are|was|were) (?:an?|the|one of) \w"
)
# The line of a manual that says what a thing is: "tar - an archiving utility".
_NAMED = re.compile(r"^(?:NAME )?[\w.+]+(?:, ?[\w.+]+)* +[-\u2013\u2014]{1,2} +[^\W\d_]\S* \S.{4,}")
_FOUND = re.compile(
    r"\b[Ww]e (?:have )?(?:\w+ )?(?:found|find|show|showed|shown|demonstrated?|conclude|recommend"
    r"|identified|report)\b|\b(?:results?|findings|data|analys[ei]s|study) (?:\w+ )?(?:show|suggest"
    r"|indicate|demonstrate|reveal|support|confirm)|\b(?:GAO|CRS|\w+ (?:audit|review)) (?:found"
    r"|recommends|is making)\b|^(?:In (?:conclusion|summary)|Overall|Taken together)\b"
)
# What a meeting or a talk is about, and how one ends.
_ABOUT = re.compile(
    r"\b(?:today|agenda|this meeting|(?:going to|want to|wanted to|like to|need to|let's)"
    r" (?:talk|discuss|look at|go over)|discuss(?:ing)? the|purpose|proposal|question is|we're"
    r" (?:here|looking|talking|trying))\b",
    re.IGNORECASE,
)
_OUTCOME = re.compile(
    r"\b(?:agreed|agree(?:ment| to| that we)|consensus|decided|decision|closing(?: (?:this|as))?"
    r"|closed|resolved|resolution|approved|accepted|rejected|merged|fixed (?:in|by)|concluded"
    r"|conclusion|(?:works|working|solved|fixed) (?:now|it)|that (?:works|worked|solved|fixed)"
    r"|action item)\b",
    re.IGNORECASE,
)


def find_story(
    corpus: Corpus, budget: float, *, order: Sequence[int], out: Int64s, most: int | None = None
) -> list[int]:
    """Find the sentences that a summary of this budget has to hold, the most important first.

    Parameters
    ----------
    corpus : Corpus
    budget : float
        In the unit of the corpus.
    order : sequence of int
        The documents in the order in which they are told.
    out : int64 array
        Sentences that may not be chosen.
    most : int, optional
        Sentences of one document at most.

    Returns
    -------
    list of int
        They fit into the budget together. None, where there is nothing to choose from.

    Examples
    --------
    >>> from maxcover.text import prepare
    >>> text = "Cats purr at night all over town. This report examines why the cats of Rome purr."
    >>> find_story(prepare([text]), 20, order=[0], out=np.empty(0, np.int64))
    [1]
    """
    found = _Finder(corpus, budget, out)
    leads = found.openings(order) if len(corpus.documents) > 1 else found.of_one()
    ends = found.outcome() if any(corpus.speakers) else []
    chosen: list[int] = []
    for one in [*leads[:1], *ends, *leads[1:]]:
        own = sum(corpus.document[other] == corpus.document[one] for other in chosen)
        fits = corpus.measure([*chosen, one]) <= ENOUGH * budget
        if one not in chosen and (fits or not chosen) and (most is None or own < most):
            chosen.append(one)
    return chosen


def find_quoted(corpus: Corpus) -> Int64s:
    r"""Find what is quoted from somebody who says it there too: it is chosen where it was said.

    Examples
    --------
    >>> from maxcover.text import prepare
    >>> said, mail = "The north quay is closed until Friday.", "From: {}\nSubject: quay\n\n{}"
    >>> again = f"When does the quay open?\n\nAnn wrote:\n> {said}"
    >>> corpus = prepare([mail.format("Ann", said), mail.format("Bob", again)], language="english")
    >>> [int(corpus.document[row]) for row in find_quoted(corpus)]
    [1]
    """
    quoted = np.array([kind == "quotation" for kind in corpus.kinds], np.bool_)
    quoted &= np.array([bool(who) for who in corpus.speakers], np.bool_)
    own: dict[str, set[int]] = {}
    for row in np.flatnonzero(~quoted).tolist() if quoted.any() else []:
        own.setdefault(corpus.speakers[row], set()).update(_concepts(corpus, row))
    found = []
    for row in np.flatnonzero(quoted).tolist():
        here = _concepts(corpus, row)
        shared = own.get(corpus.speakers[row], set()).intersection(here)
        if len(shared) >= AGAIN * len(here):
            found.append(row)
    return np.array(found, np.int64)


def _concepts(corpus: Corpus, row: int) -> list[int]:
    found: list[int] = corpus.indices[corpus.indptr[row] : corpus.indptr[row + 1]].tolist()
    return found


class _Finder:
    """What may be required of a corpus, and what it costs."""

    def __init__(self, corpus: Corpus, budget: float, out: Int64s) -> None:
        self.corpus, self.budget = corpus, budget
        self.costs = corpus.costs - corpus.unit.joint
        numbers = np.arange(len(corpus))
        may = corpus.standing >= SENTENCE
        if len(corpus.documents) == 1:
            # a page may open in small letters, and a chat may have no full stops
            late = np.flatnonzero(corpus.standing >= LATE)
            opens = [row for row in late[:1].tolist() if _IS.match(corpus.texts[row])]
            chat = "speech" in corpus.kinds and np.count_nonzero(may) < FAR
            may[late if chat else opens] = True
        may &= corpus.canonical == numbers
        may &= self.costs <= LONGEST * budget
        may[out] = False
        self.may = may
        self.out = np.isin(numbers, out)
        told = np.array([who != QUOTED for who in corpus.speakers], np.bool_)
        if any(corpus.speakers):
            told &= np.array([kind != "quotation" for kind in corpus.kinds], np.bool_)
        self.long = may & told & (corpus.n_words >= LEAST_WORDS)
        self.english = corpus.language.code == "en"

    def openings(self, order: Sequence[int]) -> list[int]:
        """List the first candidates of documents until they fill half of the budget."""
        corpus = self.corpus
        ranks = rank_candidates(corpus.document, self.may)
        first = self.long & (ranks == 0) & (corpus.kept >= LEAST_KEPT)
        # what a thread is about is said in its first letter
        begins = np.flatnonzero(self.long & (corpus.document == order[0]))[:1]
        if begins.size and any(corpus.speakers):
            first[begins] = True
        place = {document: number for number, document in enumerate(order)}
        chosen: list[int] = []
        left = HALF * self.budget
        for one in sorted(
            np.flatnonzero(first).tolist(), key=lambda row: place[int(corpus.document[row])]
        ):
            if chosen and self.costs[one] > left:
                continue
            if not find_alike(corpus, chosen, np.array([one]), most=ALIKE).size:
                chosen.append(one)
                left -= float(self.costs[one])
        return chosen

    def of_one(self) -> list[int]:
        """List what says what one document is, and what a long one found."""
        rows = np.flatnonzero(self.long).tolist()
        if not rows:
            return []
        corpus = self.corpus
        if "speech" in corpus.kinds:
            about = self._first(rows[: max(NEAR, len(rows) // 5)], _ABOUT)
            return [rows[0] if about is None else about]
        if any(corpus.speakers):
            return rows[:1]
        near = [*self._below(rows, _SUMMARY)[:NEAR], *rows[:NEAR]]
        far = rows[: max(FAR, len(rows) // 5)]
        name = self._first(range(min(NEAR + 2, len(corpus))), _NAMED)
        tries = (self._first(near, _DOES), self._first(far, _DOES), self._first(near, _IS))
        what = next((row for row in tries if row is not None), rows[0])
        found = [what if name is None or self.out[name] else name]
        if len(rows) >= LONG and not any(corpus.speakers):
            result = self._first(self._below(rows, _RESULTS)[:FAR], _FOUND)
            found += [] if result is None else [result]
        return found

    def outcome(self) -> list[int]:
        """Return the last sentence of the second half that tells how it ended, if there is one."""
        rows = [row for row in np.flatnonzero(self.may).tolist() if self.corpus.speakers[row]]
        ends = [row for row in rows[len(rows) // 2 :] if self._says(row, _OUTCOME)]
        return ends[-1:]

    def _first(self, rows: Sequence[int], pattern: re.Pattern[str]) -> int | None:
        return next((row for row in rows if self._says(row, pattern)), None)

    def _says(self, row: int, pattern: re.Pattern[str]) -> bool:
        return self.english and pattern.search(self.corpus.texts[row]) is not None

    def _below(self, rows: Sequence[int], heading: re.Pattern[str]) -> list[int]:
        """List the candidates below the first heading of a sort, up to the end."""
        for row, kind in enumerate(self.corpus.kinds):
            if kind in ("heading", "title") and heading.match(self.corpus.texts[row]):
                return [one for one in rows if one > row]
        return []
