"""Story: the sentences that a summary holds before coverage fills the rest.

Coverage of words is not the story: what a text is, what happened and what was decided is said in
few words, often once. Such sentences are required: the title of a document or a thread; what one
document says that it is or found; what a thread or a talk is about, and how it ended; the answer
that whoever began a thread thanks for; openings of the documents of a collection or of the posts of
a thread, those that cover most, up to half of the budget. Patterns are English; in other languages
titles, openings and what a thread is about are required and nothing else.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from maxcover.core.ascending import distinct
from maxcover.text.judge.candidates import LATE, PART, SENTENCE
from maxcover.text.judge.speech import is_question
from maxcover.text.read.writers import QUOTED
from maxcover.text.weigh.repeats import find_alike

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from maxcover.text.weigh.corpus import Corpus

    Int64s = NDArray[np.int64]

HALF = 0.5
"""Part of the budget that openings may fill; that of the first document is taken in any case."""

TITLE = 0.25
"""Part of the budget that a title may fill."""

LONGEST = 0.6
"""Part of the budget that one required sentence may fill."""

ENOUGH = 0.8
"""Part of the budget that all of them may fill; what a thread is about and how it ended, all."""

LEAST_WORDS = 6
"""Words of an opening."""

LEAST_KEPT = 0.5
"""Probability of being kept by an editor from which a sentence opens a document or a post."""

LEAST_SPOKEN = 0.4
"""The same of what a long talk is about: editors keep less of talk."""

SHARED = 0.2
"""Part of the other documents that have a concept of an opening, in the mean, below which documents
are a chronicle, if neighbours share most: each goes on, and the last one tells how things stand."""

ALIKE = 0.5
"""Openings that share a larger part of their concepts say the same: the first is enough."""

AGAIN = 0.8
"""Part of its concepts that the author of a quoted sentence uses elsewhere: it is said there."""

NEAR = 3
"""Candidates at the beginning, or below a summary's heading, that may open a document."""

LEAST_TITLE, LEAST_SUBJECT = 3, 2
"""Words of a title, and of the subject of letters; a shorter one is a name."""

FAR = 12
"""Candidates at the beginning among which a document may say what it does."""

LONG = 60
"""Candidates from which a document is long: what it found is required besides, and a talk does not
open with what it is about."""

LIST = 0.9
"""Part of the candidates that begin a line, from which a document is a list."""

_POSTED = frozenset(["greeting", "signature", "disclaimer", "header", "quotation"])
_SUMMARY = re.compile(
    r"\W*(?:\d+\.?\s*)?(?:abstract|(?:executive |plain )?summary|introduction|overview|description"
    r"|preamble|purpose|about(?: \w+)?|tl;?dr)\W*$",
    re.IGNORECASE,
)
_RESULTS = re.compile(
    r"\W*(?:\d+\.?\s*)?(?:conclusions?|concluding remarks|(?:general )?discussion|(?:key )?findings"
    r"|recommendations?|what \w+ found|summary and \w+)\W*$",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\W*(?:\d+\.?\s*)?(?:(?:PEP|RFC|final|the|our) )?(?:decisions?|resolution|rejection"
    r"|withdrawal)(?: notice)?\W*$",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\W*(?:\d+\.?\s*)?(?:acknowledge?ments?|references|bibliography|funding|sponsors?(?:hip)?"
    r"|backers|donations?|contributing|contributors?|licen[cs]e|credits|authors?"
    r"|author contributions|(?:competing|conflicts? of) interests?|supporting information"
    r"|supplementary materials?|see also|further reading|external links|development|tests"
    r"|testing|support)\W*$",
    re.IGNORECASE,
)
# What a document does: "This PEP proposes", "Here we show", "The aim of this study was".
_KIND = (
    r"(?i:PEP|RFC|paper|report|study|article|document|work|package|library|module|program|guide"
    r"|proposal|specification|standard|memo|page|policy|agreement|post|manual|review|statement|tool"
    r"|implementation|project|framework|repository|collection|plugin|client|server|wrapper|list)"
)
_DOES = re.compile(
    rf"^(?!Please|See)\b.{{0,60}}?(?:\b(?<!of )(?:[Tt]his|[Tt]he present|[Oo]ur) (?:\w+ )?{_KIND}\b"
    r"(?! (?:does|did|is|was|will) not\b).{0,60}\b"
    r"(?:propos|describ|defin|specif(?:y|ies)|introduc|present|provid|examin|address|explain|discuss|outlin|review|investigat"
    r"|analy[sz]|assess|adds?\b|contain|recommends?\b|formali|governs|sets out|is an? )"
    r"|\b(?:[Hh]ere(?:in)?,?|[Ii]n (?:this|the present) \w+,?) we\b"
    r"|\b[Ww]e (?:therefore |thus |now |also )?(?:propose|present|introduce|describe|investigate"
    r"|examine|aimed|sought|tested whether|asked whether)\b"
    r"|\b(?:aim|purpose|goal|objective)s? (?:of (?:this|the present|our)|(?:was|is|were|are) to)\b"
    rf"|\bThis is (?:an?|the) (?:[\w-]+ ){{0,4}}{_KIND}\b)"
)
_IS = re.compile(
    r"^\W*(?:The )?(?!(?:This|There|It|That|Here|We|You|If|When|What|One|These)\b)[\w@.+-]+"
    r"(?: [\w.+()\"“”-]+){0,5} (?:is|are|was|were) (?:an?|the|one of) \w"
)
# The line of a manual that says what a thing is: "tar - an archiving utility".
_NAMED = re.compile(r"^(?:NAME )?[\w.+]+(?:, ?[\w.+]+)* +[-\u2013\u2014]{1,2} +[^\W\d_]\S* \S.{4,}")
_FOUND = re.compile(
    r"\b[Ww]e (?:have )?(?:\w+ )?(?:found|find|show|showed|shown|demonstrated?|conclude|recommend"
    r"|identified|report|provided|presented|established)\b"
    r"|\b(?:results?|findings?|data|analys[ei]s|study|work|paper|report) (?:\w+ )?(?:show|suggest"
    r"|indicat|demonstrat|reveal|support|confirm|provid|establish)"
    r"|\b(?:major|main|key|principal|central) (?:finding|result)s?\b"
    r"|\b(?:GAO|CRS|\w+ (?:audit|review)) (?:found|recommends|is making)\b"
    r"|^(?:In (?:conclusion|summary)|To (?:conclude|summari[sz]e)|Overall|Taken together"
    r"|Collectively|Altogether)\b"
)
# What a long talk is about, how a thread ends, and what the people of a short talk will do.
_ABOUT = re.compile(
    r"\b(?:today|agenda|this meeting|(?:going to|want to|wanted to|like to|need to|let's)"
    r" (?:\w+ )?(?:talk|discuss|look at|go over)|purpose)\b",
    re.IGNORECASE,
)
_SETTLED = r"(?:closed|resolved|approved|accepted|rejected|merged|fixed|solved|settled)"
_OUTCOME = re.compile(
    rf"^(?!\W*(?:if|when|unless|until|once)\b)(?:\W*{_SETTLED}\b|.*?\b(?:"
    rf"(?:is|are|was|were|been|got|(?<!to )be|(?:I|we)(?: have|['\u2019]ve)?) (?:\w+ )?{_SETTLED}"
    r"|agreed|consensus|decided|^\W*closing|closing (?:this|as|per)|the resolution"
    r"|(?:go|going|went) with|did the trick|went well"
    r"|(?:it|that|this|which|all) (?:now )?(?:works|worked|helped|solved|fixed)"
    r"|(?:opened|created|submitted|filed) an? (?:PR|pull request|patch))\b)",
    re.IGNORECASE,
)
_SHORTLY = re.compile(rf"\W*(?:{_SETTLED}|closing)\b", re.IGNORECASE)
_PROPOSES = re.compile(
    r"\blet['\u2019]s (?!say|see|assume|suppose|look)|^(?:therefore|so|thus|hence),? (?:I|we)\b",
    re.IGNORECASE,
)
# What replies opens no post: a reader has not seen what it replies to.
_REPLIES = re.compile(
    r"\W*(?:(?:ok(?:ay)?|yes|yep|no|nope|well|actually|by the way|btw|likewise|exactly|right|true"
    r"|sure|indeed|(?:perhaps|maybe|probably|of course) not|not (?:exactly|really|quite))\b ?[,;:-]"
    r"|(?:i (?:think|believe|guess) )?you(?:['\u2019]re| are) (?:right|wrong|correct|mis\w+)\b"
    r"|i (?:can(?:no|['\u2019])t|do(?: no|n['\u2019])t|did(?: no|n['\u2019])t)"
    r" (?:understand|follow|support) (?:you|this|that))",
    re.IGNORECASE,
)
# An outcome that answers: what it is about stands before it.
_ANSWERS = re.compile(
    r"\W*(?:agreed|ok(?:ay)?|yes|yep|deal|done|sounds|perfect|great|sure|fine)\b", re.I
)
# What whoever asked says when coming back, and what says that a quoted sentence is right.
_THANKS = re.compile(r"\b(?:thank|thx|cheers\b|appreciate)", re.IGNORECASE)
_TAKES = re.compile(
    r"\b(?:(?:I|we)(?:['\u2019]ll| will)(?! (?:try|see)\b)|looking for|works|worked"
    r"|(?:fixed|solved) (?:it|my|all|the)|(?<!right )now)\b(?!.*\?$)",
    re.IGNORECASE,
)
_BUT = re.compile(r"\W*(?:but|however|unfortunately)\b", re.IGNORECASE)
_ASSENTS = re.compile(
    r"\W*(?:yes|yep|yeah|agreed|i (?:\w+ )?agree|sounds|exactly|right|correct|sgtm"
    r"|good (?:point|catch)|(?:this|that) (?:works|sounds|seems|would (?:\w+ )?be))\b(?!,? but)",
    re.IGNORECASE,
)
_PLAN = re.compile(
    r"\b(?:(?:I|we)(?:['\u2019]ll| can| could)|let['\u2019]s|let me|see (?:you|ya)|will(?! you)"
    r"|going to|gonna|(?:can|could|shall|should) (?:I|we|you)|how about|why don['\u2019]t we)\b",
    re.IGNORECASE,
)


def find_story(corpus: Corpus, budget: float, *, order: Sequence[int], out: Int64s) -> list[int]:
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
    found = _Finder(corpus, budget, order, out)
    title = found.title()
    thread: list[int] = []
    if found.talk:
        told = found.of_talk()
    elif found.thread:
        end, rest = found.of_thread(title)
        thread = [*end, *rest]
        told = [*thread, *found.openings(rest)]
    else:
        told = found.of_one(title) if len(corpus.documents) == 1 else found.openings([])
    chosen: list[int] = []
    for one in [*title, *told]:
        most = budget if one in thread else ENOUGH * budget
        fits = corpus.measure([*chosen, one]) <= most
        if one not in chosen and (fits or not chosen):
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


def find_back_matter(corpus: Corpus) -> Int64s:
    r"""Find what stands below headings such as "References" and "Contributing": it is about a text.

    Nothing, where that is more than half of a document.

    Examples
    --------
    >>> from maxcover.text import prepare
    >>> text = "# quay\n\nIt keeps ships.\n\n## Funding\n\nThe city of Rome pays for this tool."
    >>> corpus = prepare([text], form="markdown", language="english")
    >>> [corpus.texts[row] for row in find_back_matter(corpus)]
    ['The city of Rome pays for this tool.']
    """
    if corpus.language.code != "en" or "heading" not in corpus.kinds:
        return np.empty(0, np.int64)
    found = np.zeros(len(corpus), np.bool_)
    for start, end in _sections(corpus, _BACK):
        found[start + 1 : end] = corpus.document[start + 1 : end] == corpus.document[start]
    share = np.bincount(corpus.document, found) / np.maximum(1, np.bincount(corpus.document))
    return np.flatnonzero(found & (share[corpus.document] <= HALF))


def _sections(corpus: Corpus, heading: re.Pattern[str]) -> list[tuple[int, int]]:
    """List the headings of a sort, each with the next one that something stands before."""
    heads = [
        row
        for row, kind in enumerate(corpus.kinds)
        if kind in ("heading", "title") and corpus.texts[row][:1].isalnum()
    ]
    last = [*(two for one, two in pairwise(heads) if two > one + 1), len(corpus)]
    weak = np.flatnonzero(corpus.standing < SENTENCE).tolist()
    return [
        (row, last[bisect_right(last, row)]) for row in weak if heading.match(corpus.texts[row])
    ]


def _within(rows: list[int], section: tuple[int, int]) -> list[int]:
    """List the rows, ascending, that stand in a section."""
    return rows[bisect_right(rows, section[0]) : bisect_left(rows, section[1])]


class _Finder:
    """What may be required of a corpus, and what it costs."""

    def __init__(self, corpus: Corpus, budget: float, order: Sequence[int], out: Int64s) -> None:
        self.corpus, self.budget, self.order = corpus, budget, order
        self.costs = corpus.costs - corpus.unit.joint
        self.talk = "speech" in corpus.kinds and len(corpus.documents) == 1
        numbers = np.arange(len(corpus))
        self.free = (corpus.canonical == numbers) & (self.costs <= LONGEST * budget)
        self.free[out] = False
        may = corpus.standing >= SENTENCE
        if self.talk and np.count_nonzero(may) < FAR:
            may = corpus.standing >= LATE  # a chat may have no full stops
        self.may = may & self.free
        told = np.array([who != QUOTED for who in corpus.speakers], np.bool_)
        if any(corpus.speakers):
            told &= np.array([kind != "quotation" for kind in corpus.kinds], np.bool_)
        self.told = told
        self.long = self.may & told & (corpus.n_words >= LEAST_WORDS)
        self.english = corpus.language.code == "en"
        # minutes name some speakers; a thread, or talk, names all
        lone = may & np.array([not who for who in corpus.speakers], np.bool_)
        named = {*corpus.document.tolist()}.difference(corpus.document[lone].tolist())
        self.thread = any(corpus.speakers) and (bool(named) or "speech" in corpus.kinds)

    def title(self) -> list[int]:
        """Return the title of the only document, or the one that most letters of a thread have."""
        corpus = self.corpus
        several = len(corpus.documents) > 1
        if (several and not any(corpus.speakers)) or not corpus.language.spaced:
            return []
        titles = [self._title_of(document) for document in self.order]
        row = titles[0]
        if row is None or not self.free[row]:
            return []
        subject = several and corpus.kinds[row] == "title"
        if corpus.n_words[row] < (LEAST_SUBJECT if subject else LEAST_TITLE):
            return []
        mine = set(_concepts(corpus, row))
        shared = [mine.intersection(_concepts(corpus, one)) for one in titles if one is not None]
        same = sum(2 * len(words) >= len(mine) for words in shared)
        fits = self.costs[row] <= TITLE * self.budget
        return [row] if fits and 2 * same > len(corpus.documents) else []

    def _title_of(self, document: int) -> int | None:
        """Find what is marked as the title of a document, or a first line that is no sentence."""
        corpus = self.corpus
        rows = np.flatnonzero(corpus.document == document)[: NEAR + 1].tolist()
        for row in rows:
            if corpus.kinds[row] == "title" and corpus.standing[row] == PART:
                return int(row)
        text = corpus.documents[document]
        for row in rows[:1]:
            end, weak = int(corpus.ends[row]), PART <= corpus.standing[row] <= LATE
            line = text[end : end + 1] == "\n" and text[end - 1].isalnum()
            above = text[: int(corpus.starts[row])].strip()
            first = (not above or above.endswith("Title:")) and not corpus.speakers[row]
            if weak and line and first and corpus.kinds[row] == "paragraph":
                return int(row)
        return None

    def of_talk(self) -> list[int]:
        """List what a talk is about and, of a short one, what its people will do."""
        corpus, rows = self.corpus, np.flatnonzero(self.long).tolist()
        if len(rows) >= LONG:
            near = [row for row in rows[: len(rows) // 5] if corpus.kept[row] >= LEAST_SPOKEN]
            about = self._first(near, _ABOUT)
            return [] if about is None else [about]
        # a question is no candidate in talk, but a short one often opens with it
        asks = self.free & (corpus.standing == PART) & (corpus.n_words >= LEAST_WORDS)
        asked = [
            row
            for row in np.flatnonzero(asks).tolist()
            if corpus.kinds[row] == "speech" and self._asks(row)
        ]
        able = sorted([*rows, *asked])
        plans = [row for row in able if self._says(row, _PLAN)]
        return [*self.ending(), *able[:1], *plans[-1:]]

    def of_thread(self, title: list[int]) -> tuple[list[int], list[int]]:
        """List how a thread ended, and what it is about and the answer that was taken up."""
        posts = self._posts()
        about = self._about(posts, title)
        end, answers = self._taken_up(posts, about)
        left = self.budget - float(self.costs[[*title, *about]].sum())
        answers = [row for row in answers if self.costs[row] <= left]
        left -= float(self.costs[end].sum())
        beside = [row for row in answers if self.costs[row] <= left][:1]
        if any(self._says(row, _OUTCOME) for row in end):
            return end, [*about, *beside]
        if end and beside:  # what one will do says little without the answer
            return [], [*about, *beside, *end]
        return self.ending(), [*about, *(answers or self._assented(posts))[:1]]

    def _posts(self) -> list[list[int]]:
        """List the own sentences of each post: a run of one writer in one document."""
        corpus, posts = self.corpus, dict[tuple[int, int], list[int]]()
        able = self.free & self.told & (corpus.standing >= PART)
        place = {document: number for number, document in enumerate(self.order)}
        number, last = 0, (0, "")
        for row in np.flatnonzero(able).tolist():
            mine = int(corpus.document[row]), corpus.speakers[row]
            if mine[1]:
                number += mine != last
                posts.setdefault((place[mine[0]], number), []).append(row)
                last = mine
        return [posts[key] for key in sorted(posts)]

    def _about(self, posts: list[list[int]], title: list[int]) -> list[int]:
        """Return the sentence of the first post that says most of the title, or asks, or opens."""
        said = ([row for row in post if self.long[row]] for post in posts)
        post = next((rows for rows in said if rows), [])
        best = self._nearest(title, post)
        if best and self._share(title, best[0]) > 0:
            return best[:1]
        return [row for row in post if self._asks(row)][:1] or post[:1]

    def _taken_up(self, posts: list[list[int]], about: list[int]) -> tuple[list[int], list[int]]:
        """Find how it ended for whoever asked and came back to thank, and what may be the answer.

        That is what is quoted right above the end, or what those say whom the end names, or the
        thanks, or whoever wrote last; first what is nearest to what was asked.
        """
        corpus, who = self.corpus, [self.corpus.speakers[post[0]] for post in posts]
        back = max((number for number, one in enumerate(who) if one == who[0]), default=0)
        before = [number for number in range(back) if who[number] != who[0]]
        if not before:
            return [], []
        mine = posts[back]
        if not any(self._says(row, _THANKS) for row in mine):
            return [], []
        ends = [row for row in mine if self._says(row, _OUTCOME)][-1:]
        ends = ends or [row for row in mine if self.may[row] and self._says(row, _TAKES)][:1]
        but = [row for row in mine if row - 2 in ends or row - 1 in ends]
        end = [*ends, *[row for row in but if self._begins(row, _BUT)][:1]]
        called = before[-1:]
        for rows in (mine, ends):
            words = set(re.findall(r"\w{3,}", " ".join(corpus.texts[row] for row in rows)))
            called = [number for number in before if words & set(who[number].split())] or called
        told = [*about, *ends]
        quoted = [row for one in ends for row in self._above(one) if self._may_answer(row, told)]
        answers = [row for number in called for row in posts[number] if self._may_answer(row, told)]
        answers = self._nearest(told, answers)
        said = [row for row in answers if not self._asks(row)]
        return end, [*quoted, *said, *answers]

    def _assented(self, posts: list[list[int]]) -> list[int]:
        """Return the last sentence of a reply that another quotes to assent to it."""
        found: list[int] = []
        first = {row for post in posts[:1] for row in post}
        for row in np.flatnonzero(self.told & (self.corpus.n_words <= FAR)).tolist():
            if self._begins(row, _ASSENTS):
                said = [one for one in self._above(row)[:1] if self.may[one] and one not in first]
                found += [one for one in said if not self._asks(one)]
        return found[-1:]

    def _above(self, row: int) -> list[int]:
        """List what is quoted right above a sentence, the last first, where another said it."""
        corpus, found, above = self.corpus, list[int](), row - 1
        while above >= 0 and corpus.kinds[above] == "quotation":
            if corpus.document[above] != corpus.document[row]:
                break
            said = int(corpus.canonical[above])
            if self.told[said] and corpus.speakers[said] != corpus.speakers[row]:
                found.append(said)
            above -= 1
        return found

    def _may_answer(self, row: int, asked: list[int]) -> bool:
        """Tell whether a sentence can be an answer: before a command, it may end with a colon."""
        corpus = self.corpus
        if not self.free[row] or corpus.n_words[row] < LEAST_WORDS or corpus.standing[row] < LATE:
            return False
        if self.may[row] and self._opens(row):
            return True
        text = corpus.texts[row]
        return text[-1] == ":" and text[0].isalnum() and self._share(asked, row) > 0

    def _nearest(self, told: list[int], rows: list[int]) -> list[int]:
        """Sort sentences by what they share with others, the first of equal ones first."""
        return sorted(rows, key=lambda row: -self._share(told, row))

    def _share(self, told: list[int], row: int) -> float:
        """Weigh what a sentence shares with others."""
        said = {concept for one in told for concept in _concepts(self.corpus, one)}
        return self._weigh(said.intersection(_concepts(self.corpus, row)))

    def _asks(self, row: int) -> bool:
        return is_question(self.corpus.texts[row])

    def openings(self, first: list[int]) -> list[int]:
        """List openings of documents, or of the writers of one, until they fill half of the budget.

        Besides `first`, or that of the first document and the last that fits of a chronicle, those
        that add most for their size: weight divided by the root of the costs.
        """
        corpus, chosen, parts = self.corpus, list(first), self._parts()
        place = {document: number for number, document in enumerate(self.order)}
        own = {parts[row] for row in first}
        near: dict[tuple[int, str], list[int]] = {}
        for row in np.flatnonzero(self.long).tolist():
            near.setdefault(parts[row], []).append(row)
        good = [
            [row for row in rows[:NEAR] if self._opens(row)]
            for part, rows in near.items()
            if part not in own
        ]
        starts = sorted(
            (rows[0] for rows in good if rows),
            key=lambda row: (place[int(corpus.document[row])], row),
        )
        held = {concept for row in first for concept in _concepts(corpus, row)}
        left = (ENOUGH if first else HALF) * self.budget - float(self.costs[first].sum())

        def gain_of(row: int) -> float:
            new = self._weigh(set(_concepts(corpus, row)) - held)
            return float(new / max(1.0, self.costs[row]) ** 0.5)

        def take(row: int) -> bool:
            nonlocal left
            fits = not chosen or self.costs[row] <= left
            others = np.array(chosen, np.int64)
            if not fits or find_alike(corpus, [row], others, most=ALIKE).size:
                return False
            chosen.append(row)
            held.update(_concepts(corpus, row))
            left -= float(self.costs[row])
            return True

        if starts and not first:
            take(starts[0])
            latest = reversed(starts[1:] if self._is_chronicle(starts) else [])
            next((row for row in latest if take(row)), None)
        # gains only fall: what is at the top, and still is when it is weighed again, is the best
        rest = [row for row in starts if row not in chosen]
        queue = [(-gain_of(row), number) for number, row in enumerate(rest)]
        heapify(queue)
        while queue:
            _, number = heappop(queue)
            if self.costs[rest[number]] > left:
                continue
            now = (-gain_of(rest[number]), number)
            if queue and now > queue[0]:
                heappush(queue, now)
            else:
                take(rest[number])
        return chosen[len(first) :]

    def _is_chronicle(self, openings: list[int]) -> bool:
        """Tell whether documents share little of what their openings say, and most with the next.

        Letters and posts are none: they answer one another.
        """
        corpus, count = self.corpus, len(self.corpus.documents)
        if count < 3 or not openings or not _POSTED.isdisjoint(corpus.kinds):
            return False
        size = len(corpus.weights)
        place = np.argsort(self.order)[np.repeat(corpus.document, np.diff(corpus.indptr))]
        held = distinct(place * size + corpus.indices)
        next_too = held[np.searchsorted(held, held[:-1] + size).clip(max=len(held) - 1)]
        uses = np.bincount(held % size, minlength=size)
        shares = [uses[_concepts(corpus, row)].mean() - 1 for row in openings]
        near = count * np.count_nonzero(next_too == held[:-1] + size) > (uses * (uses - 1)).sum()
        return bool(near and np.mean(shares) < SHARED * (count - 1))

    def _parts(self) -> list[tuple[int, str]]:
        """Name the part that each sentence stands in: its document or, of one, its writer."""
        corpus = self.corpus
        if len(corpus.documents) > 1:
            return [(document, "") for document in corpus.document.tolist()]
        return [(0, who) for who in corpus.speakers]

    def _weigh(self, concepts: Iterable[int]) -> float:
        return float(self.corpus.weights[list(concepts)].sum())

    def of_one(self, title: list[int]) -> list[int]:
        """List what says what one document is, and what a long one found; else its opening."""
        rows, corpus = np.flatnonzero(self.long).tolist(), self.corpus
        # what says what a thing is may have an unusual shape: a small letter, "(see below)"
        weak = self.free & (corpus.standing >= PART) & (corpus.n_words >= LEAST_WORDS)
        able = np.flatnonzero(weak).tolist()
        said = [row for row in able if corpus.kinds[row] == "paragraph"]
        listed = [row for row in able if corpus.kinds[row] in ("paragraph", "list item")]
        short = self._below(listed, _SUMMARY)[:NEAR]
        near = [*short, *said[:NEAR]]
        far = rows[: max(FAR, len(rows) // 5)]
        name = self._first(np.flatnonzero(self.free)[: NEAR + 2].tolist(), _NAMED)
        below = self._below(rows, _SUMMARY)[:FAR]
        does = [self._first(near, _DOES), self._first(far, _DOES), self._first(near, _IS)]
        tries = does if name is None else [name, self._first(below, _IS), *below[:1]]
        what = [row for row in tries if row is not None][: 1 + (name is not None)]
        found = self._decision(rows)
        found += self._finding(rows, title) if len(rows) >= LONG else []
        plain = not self._is_list(rows) and set(what).isdisjoint(near)
        own = [row for row in rows if corpus.kinds[row] != "quotation"]
        first = [row for row in short if self.may[row]][:1]
        opening = [*self._open(own or rows), *first] if plain else []
        begun = [*what, *opening]
        if len(rows) >= LONG:  # an abstract goes on, up to half of the budget
            more = self._goes_on([row for row in begun if row in short], HALF)
        else:
            more = self._goes_on(begun, ENOUGH)
        return [*what, *found, *opening, *more]

    def _decision(self, rows: list[int]) -> list[int]:
        """Return what stands first below a heading such as "Decision" or "Rejection notice"."""
        sections = _sections(self.corpus, _DECISION)
        return next((found[:1] for one in sections if (found := _within(rows, one))), [])

    def _finding(self, rows: list[int], title: list[int]) -> list[int]:
        """Return what says most of the title where a document tells its results.

        In the last section that does; a short one tells nothing else.
        """
        for one in reversed(_sections(self.corpus, _RESULTS)):
            section = _within(rows, one)
            told = [row for row in section[:FAR] if self._says(row, _FOUND)]
            if told or 0 < len(section) <= FAR:
                return self._nearest(title, told or section)[:1]
        return []

    def _open(self, rows: list[int]) -> list[int]:
        """Return the first sentence of a document that stands by itself."""
        near = [row for row in rows[:NEAR] if self.may[row]]
        good = [row for row in near if self._opens(row)]
        return (good or near)[:1]

    def _opens(self, row: int) -> bool:
        """Tell whether a sentence stands by itself."""
        return bool(self.corpus.kept[row] >= LEAST_KEPT) and not self._begins(row, _REPLIES)

    def _goes_on(self, opening: list[int], most: float) -> list[int]:
        """List what follows in the paragraph of an opening, up to a part of the budget."""
        corpus, found = self.corpus, []
        for first in opening:
            row, left = first + 1, most * self.budget - float(self.costs[first])
            while row < len(corpus) and self.may[row] and self.costs[row] <= left:
                above = corpus.documents[0][int(corpus.ends[row - 1]) : int(corpus.starts[row])]
                if above.count("\n") > 1:
                    break
                found.append(row)
                left -= float(self.costs[row])
                row += 1
        return found

    def _is_list(self, rows: list[int]) -> bool:
        """Tell whether nearly every sentence begins a line, below a full stop: no opening there."""
        corpus, text = self.corpus, self.corpus.documents[0]
        alone = 0
        for row in rows:
            above = int(corpus.ends[row - 1]) if row else 0
            alone += text[above - 1] in ".!?" and "\n" in text[above : corpus.starts[row]]
        return len(rows) >= FAR and alone >= LIST * len(rows)

    def ending(self) -> list[int]:
        """Return the last sentence of the second half that tells how it ended, if there is one.

        One that says so in its first word may be short; what an answer agrees to comes with it.
        """
        corpus = self.corpus
        able = self.free & (corpus.standing >= PART)
        able &= np.array([bool(who) for who in corpus.speakers], np.bool_) & self.told
        rows = np.flatnonzero(able).tolist()
        late = corpus.standing >= LATE
        ends = [
            row
            for row in rows[len(rows) // 2 :]
            if self._says(row, _OUTCOME if late[row] else _SHORTLY)
        ]
        if not ends and not self.talk:
            ends = [
                row
                for row in rows[-len(rows) // 4 :]
                if self.may[row] and self._says(row, _PROPOSES)
            ]
        if not ends or not self._begins(ends[-1], _ANSWERS):
            return ends[-1:]
        who = corpus.speakers[ends[-1]]
        before = [row for row in rows if row < ends[-1] and corpus.speakers[row] != who]
        said = self._above(ends[-1])[:1] or before[-1:]
        return [ends[-1], *(row for row in said if self.may[row])]

    def _first(self, rows: Sequence[int], pattern: re.Pattern[str]) -> int | None:
        return next((row for row in rows if self._says(row, pattern)), None)

    def _says(self, row: int, pattern: re.Pattern[str]) -> bool:
        return self.english and pattern.search(self.corpus.texts[row]) is not None

    def _begins(self, row: int, pattern: re.Pattern[str]) -> bool:
        return self.english and pattern.match(self.corpus.texts[row]) is not None

    def _below(self, rows: list[int], heading: re.Pattern[str]) -> list[int]:
        """List the candidates below the first heading of a sort, up to the end of the document."""
        start = next((start for start, _ in _sections(self.corpus, heading)), len(self.corpus))
        return [row for row in rows if row > start]
